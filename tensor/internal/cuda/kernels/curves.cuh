// Transcendental functions of floats, off by less than 2 units in the last place, made of sums,
// products and fused products alone: they give the same bits on every GPU and in the stand-in. The
// polynomials are those of the processor's backend (package coef).
#pragma once

#include "common.cuh"

// polynomial evaluates c[0] + c[1]·x + ….
template <int N> __device__ __forceinline__ float polynomial(float x, const float (&c)[N]) {
	float y = c[N - 1];
#pragma unroll
	for (int k = N - 2; k >= 0; k--) y = fmaf(y, x, c[k]);
	return y;
}

// power2 is 2ⁿ for −126 ≤ n ≤ 127.
__device__ __forceinline__ float power2(int n) { return __int_as_float((n + 127) << 23); }

// scaled is v·2ⁿ, rounded once, for v near 1 and n up to ±250.
__device__ __forceinline__ float scaled(float v, int n) { return v * power2(n >> 1) * power2(n - (n >> 1)); }

// keep_nan are max and min that a NaN x passes through.
__device__ __forceinline__ float at_least(float x, float low) { return x < low ? low : x; }
__device__ __forceinline__ float at_most(float x, float high) { return x > high ? high : x; }

constexpr float Log2E = 1.44269504f;
constexpr float Ln2Upper = 0.693359375f;    // products with exponents are exact
constexpr float Ln2Lower = -2.12194440e-4f; // log 2 less the upper part
constexpr float ExpLarge = 110;             // eˣ is 0 or infinite beyond

// A Power is (1 + w + low)·2ⁿ. Few look at what w has lost by rounding.
struct Power {
	float w, low;
	int n;
};

// power gives e to the x + low, where low is at most a unit in the last place of x.
__device__ __forceinline__ Power power(float x, float low = 0) {
	constexpr float c[] = {4.9999994040e-01f, 1.6666521132e-01f, 4.1668266058e-02f, 8.3686755970e-03f,
		1.3820689637e-03f};
	if (fabsf(x) > ExpLarge) {
		x = copysignf(ExpLarge, x);
		low = 0;
	}
	float n = rintf(x * Log2E);
	float whole = fmaf(n, -Ln2Upper, x), most = fmaf(n, -Ln2Lower, whole), r = most + low;
	float square = r * r, p = polynomial(r, c), w = fmaf(square, p, r);
	float lost = fmaf(n, -Ln2Lower, whole - most) + (low - (r - most)); // of r
	return {w, fmaf(square, p, r - w) + fmaf(lost, w, lost), n == n ? static_cast<int>(n) : 0};
}

__device__ __forceinline__ float exp_of(float x) {
	Power e = power(x);
	return scaled(1 + e.w, e.n);
}

__device__ __forceinline__ float log_of(float x) {
	constexpr float c[] = {3.3333331174e-1f, -2.4999993993e-1f, 2.0000714765e-1f, -1.6668057665e-1f,
		1.4249322787e-1f, -1.2420140846e-1f, 1.1676998740e-1f, -1.1514610310e-1f, 7.0376836292e-2f};
	if (!(x > 0) || x > 3.4028234e38f) return x == 0 ? -INFINITY : x > 0 ? x : NAN;
	bool tiny = x < 1.17549435e-38f; // subnormal
	int i = __float_as_int(tiny ? x * 8388608.0f : x);
	int k = (i - 0x3f3504f3) >> 23; // x = m·2ᵏ with √½ ≤ m < √2
	float e = static_cast<float>(tiny ? k - 23 : k), f = __int_as_float(i - k * (1 << 23)) - 1, square = f * f;
	float y = fmaf(e, Ln2Lower, f * square * polynomial(f, c));
	y = fmaf(-0.5f, square, y);
	return fmaf(e, Ln2Upper, f + y);
}

// A Logistic makes σ(x) = 2ⁿ/(z + rest) and σ(−x) = p·(1 + w)/(z + rest).
struct Logistic {
	float z, rest, q, w, p; // q is 1/z
	int n;
};

__device__ __forceinline__ Logistic logistic(Power e) { // e⁻ˣ = (1 + w)·2ᵏ; z is 1 + e⁻ˣ, over 2ᵏ where k > 0
	float lesser = power2(e.n > 126 ? -126 : e.n < -126 ? -126 : e.n > 0 ? -e.n : e.n);
	float p = e.n > 0 ? 1 : lesser, t = fmaf(e.w, p, lesser), z = t + 1;
	return {z, t - (z - 1), 1 / z, e.w, p, e.n > 0 ? -e.n : 0};
}

__device__ __forceinline__ Logistic logistic(float x, float low = 0) { return logistic(power(-x, -low)); }

// over is (v + low)/(z + rest)·2ⁿ, as good as rounded once.
__device__ __forceinline__ float over(float v, Logistic s, float low = 0) {
	float y = v * s.q;
	return scaled(fmaf(fmaf(-s.rest, y, fmaf(-y, s.z, v)) + low, s.q, y), s.n);
}

__device__ __forceinline__ float sigmoid_of(float x) { return over(1, logistic(x)); }

// other is σ(−x).
__device__ __forceinline__ float other(Logistic s) {
	return s.n < 0 ? 1 - scaled(s.q, s.n) : s.p * fmaf(s.w, s.q, s.q);
}

__device__ __forceinline__ float tanh_of(float x) {
	constexpr float c[] = {-3.33332819422e-1f, 1.33314422036e-1f, -5.37397155531e-2f, 2.06390887954e-2f,
		-5.70498872745e-3f};
	float t = at_most(fabsf(x), 10);
	if (t < 0.625f) {
		float square = t * t;
		return copysignf(fmaf(polynomial(square, c) * square, t, t), x);
	}
	Power e = power(t + t);
	return copysignf(1 - 2 / (scaled(1 + e.w, e.n) + 1), x);
}

__device__ __forceinline__ float erf_of(float x) {
	constexpr float small[] = {1.28379166e-1f, -3.76125336e-1f, 1.12819925e-1f, -2.67681349e-2f, 4.99119423e-3f,
		-5.96761703e-4f};
	constexpr float tail[] = {-1.28717512e-1f, -6.34846687e-1f, -1.06777877e-1f, 2.42546219e-2f, -3.88396438e-3f,
		3.83197126e-4f, -1.72853470e-5f};
	float t = at_most(fabsf(x), 4.2f);
	if (t < 0.927734375f) return fmaf(polynomial(t * t, small), x, x);
	Power e = power(fmaf(polynomial(t, tail), t, -t));
	return copysignf(1 - scaled(1 + e.w, e.n), x);
}

// below_infinity is y, but NaN where x is −∞: −∞·0.
__device__ __forceinline__ float below_infinity(float x, float y) { return x == -INFINITY ? NAN : y; }

// A Bell makes e^(−t²/2) = (1 − d)·2ⁿ.
struct Bell {
	float d;
	int n;
};

constexpr float NormalLarge = 14.6f, NormalSmall = 0.65f; // beyond is nothing, below are other polynomials

__device__ __forceinline__ Bell bell(float t) {
	constexpr float c[] = {0.306852787733078f, 0.24022650718688965f, -0.05550317093729973f, 0.009618096984922886f,
		-0.0013404132332652807f, 0.0001544628757983446f}; // 1 − (1 − 2⁻ʳ)/r
	constexpr float upper = 0.72134752f;                       // of ½·log₂ e
	constexpr float lower = 0.72134752044448170368 - static_cast<double>(upper);
	float v = t * -upper, n = rintf(v * t), rest = fmaf(t, lower, fmaf(t, upper, v));
	float r = fmaf(rest, t, fmaf(-v, t, n)); // n less the exponent t·(v − rest)
	return {fmaf(-r, polynomial(r, c), r), n == n ? static_cast<int>(n) : 0};
}

// normal_tail is t·Φ(−t)·e^(t²/2) for t from NormalSmall to NormalLarge.
__device__ __forceinline__ float normal_tail(float t) {
	constexpr float c[] = {0.3153570294380188f, 0.20269225537776947f, -0.13437993824481964f, -0.008867592550814152f,
		0.02071095071732998f, 0.008243534713983536f, -0.0013634699862450361f, -0.0029314449056982994f,
		-0.001426007249392569f, 0.00026938150404021144f, 0.0006445675389841199f};
	constexpr float pole = 1.600122094154358f;
	return polynomial((t - pole) / (t + pole), c);
}

// gelu_of is x·Φ(x) = max(x, 0) − |x|·Φ(−|x|).
__device__ __forceinline__ float gelu_of(float x) {
	constexpr float c[] = {0.3989422917366028f, -0.06649116426706314f, 0.009982162155210972f, -0.0012169383699074388f,
		0.00014352655853144825f}; // (Φ(x) − ½)/x
	float t = at_most(fabsf(x), NormalLarge);
	if (t < NormalSmall) return x * fmaf(polynomial(t * t, c), x, 0.5f);
	Bell e = bell(t);
	float h = normal_tail(t);
	return below_infinity(x, at_least(x, 0) - scaled(fmaf(-h, e.d, h), e.n));
}

// gelu_slope is f(x) = Φ(x) + x·φ(x), with f(x) + f(−x) = 1.
__device__ __forceinline__ float gelu_slope(float x) {
	constexpr float c[] = {0.7978845834732056f, -0.2659628391265869f, 0.05985277518630028f, -0.00951912347227335f,
		0.0011093593202531338f}; // (f(x) − ½)/x
	float t = at_most(fabsf(x), NormalLarge);
	if (t < NormalSmall) return fmaf(polynomial(t * t, c), x, 0.5f);
	Bell e = bell(t);
	float h = fmaf(-t, 0.3989422804014327f, normal_tail(t) / t), low = scaled(fmaf(-h, e.d, h), e.n);
	return x < 0 ? low : 1 - low;
}

// silu_with is x·σ(u). −0 stays, here as in the functions below.
__device__ __forceinline__ float silu_with(float x, Logistic s) {
	float y = over(at_least(x, -2 * ExpLarge), s);
	return fabsf(x) == INFINITY ? below_infinity(x, x) : x == 0 ? x : y;
}

__device__ __forceinline__ float silu_of(float x) { return silu_with(x, logistic(x)); }

// silu_slope is σ(x)·(1 + x·σ(−x)).
__device__ __forceinline__ float silu_slope(float x) {
	Logistic s = logistic(x);
	return over(fmaf(at_most(at_least(x, -2 * ExpLarge), 2 * ExpLarge), other(s), 1), s);
}

// A Cubic is u = 2·√(2/π)·(x + 0.044715·x³) as a sum, and u's derivative. σ(u) is GELU's approximation of
// Φ(x), of whose digits an error of u is one.
struct Cubic {
	float u, low, slope, slope_low;
};

__device__ __forceinline__ Cubic cubic(float x) {
	constexpr double k = 1.5957691216057307117598, kc = k * 0.044715;
	constexpr float k1 = static_cast<float>(k), k2 = static_cast<float>(k - k1);
	constexpr float c1 = static_cast<float>(kc), c2 = static_cast<float>(kc - c1);
	x = at_most(at_least(x, -20), 20); // beyond which σ(u) is 0 or 1
	float square = x * x, square_low = fmaf(x, x, -square);
	float p = c1 * square, p_low = fmaf(c1, square, -p) + fmaf(c1, square_low, c2 * square);
	float w = k1 + p, part = w - k1, w_low = ((k1 - (w - part)) + (p - part)) + (p_low + k2); // w = k + kc·x²
	float u = x * w;
	return {u, fmaf(x, w, -u) + x * w_low, fmaf(3, w, -2 * k1), fmaf(3, w_low, -2 * k2)}; // u′ = 3·w − 2·k
}

__device__ __forceinline__ float gelu_tanh_of(float x) {
	Cubic c = cubic(x);
	return silu_with(x, logistic(c.u, c.low));
}

// gelu_tanh_slope is σ(u)·(1 + x·u′·σ(−u)).
__device__ __forceinline__ float gelu_tanh_slope(float x) {
	Cubic c = cubic(x);
	Logistic s = logistic(c.u, c.low);
	float rate = other(s), t = at_most(at_least(x, -20), 20);
	float v = t * c.slope, low = fmaf(t, c.slope, -v) + t * c.slope_low;
	return over(fmaf(rate, v, fmaf(rate, low, 1)), s);
}

// precise_gelu_tanh_slope is the same for float32. The terms of the sum cancel for some x < 0: all of
// them are sums of two floats.
__device__ __forceinline__ float precise_gelu_tanh_slope(float x) {
	Cubic c = cubic(x);
	Power e = power(-c.u, -c.low);
	Logistic s = logistic(e);
	float w = s.w * s.p, lesser = s.n < 0 ? power2(e.n > 126 ? -126 : -e.n) : s.p; // z and rest are 1, w and lesser
	float z = w + lesser, of = z - w;
	s.rest += (w - (z - of)) + (lesser - of) + e.low * s.p;
	float q_low = (fmaf(-s.z, s.q, 1) - s.rest * s.q) * s.q, rate, rate_low; // σ(−u) as in other
	if (s.n < 0) {
		float q = scaled(s.q, s.n);
		rate = 1 - q;
		rate_low = ((1 - rate) - q) - scaled(q_low, s.n);
	} else {
		float h = fmaf(s.w, s.q, s.q);
		rate = s.p * h;
		rate_low = s.p * (fmaf(s.w, s.q, s.q - h) + fmaf(s.w, q_low, q_low));
	}
	float t = at_most(at_least(x, -20), 20);
	float v = t * c.slope, v_low = fmaf(t, c.slope, -v) + t * c.slope_low;
	float p = rate * v, p_low = fmaf(rate, v, -p) + fmaf(rate, v_low, rate_low * v);
	float sum = 1 + p, part = sum - p, low = (p - (sum - part)) + (1 - part);
	return over(sum, s, low + p_low);
}

// log1p_of is log(1 + e + low) for 0 ≤ e ≤ 1 and a small low.
__device__ __forceinline__ float log1p_of(float e, float low) {
	constexpr float c[] = {3.3333331174e-1f, -2.4999993993e-1f, 2.0000714765e-1f, -1.6668057665e-1f,
		1.4249322787e-1f, -1.2420140846e-1f, 1.1676998740e-1f, -1.1514610310e-1f, 7.0376836292e-2f}; // as in log_of
	bool half = e > 0.41421356f; // then of log 2 + log ½(1 + e)
	float f = half ? fmaf(0.5f, e, -0.5f) : e, square = f * f;
	float y = fmaf(f * square, polynomial(f, c), low / (1 + e));
	if (half) y = fmaf(-0.5f, square, y) + Ln2Lower;
	else y = fmaf(-0.5f, square, y);
	return half ? (f + y) + Ln2Upper : f + y;
}

// softplus_of is log(1 + eˣ) for x + low.
__device__ __forceinline__ float softplus_of(float x, float low = 0) {
	Power p = x > 0 ? power(-x, -low) : power(x, low);
	float h = 1 + p.w, e = scaled(h, p.n), rest = scaled(p.w - (h - 1), p.n);
	return log1p_of(e, x > 0 ? rest + low : rest) + at_least(x, 0);
}

// expm1_of is eˣ − 1 for x ≤ 0.
__device__ __forceinline__ float expm1_of(float x) {
	Power p = power(at_least(x, -80));
	return x == 0 ? x : p.n == 0 ? p.w : fmaf(p.w, power2(p.n), power2(p.n) - 1);
}

// mish_of is x·tanh(log(1 + eˣ)), of which the tanh is n/(n + 2) with n = eˣ·(eˣ + 2).
__device__ __forceinline__ float mish_of(float x) {
	if (x == 0) return x;
	Power p = power(-fabsf(x));
	float e = scaled(1 + p.w, p.n);
	if (x > 0) { // in e⁻ˣ, 1 less what is small
		float twice = 2 * e * e;
		return x > 40 ? x : fmaf(-x, twice / (fmaf(2, e, 1) + twice), x);
	}
	// n and x·n are sums of two floats, and n lacks a power of 2.
	float t = e + 2, n = fmaf(p.w, t, t), h = 1 + p.w, two = power2(p.n < -126 ? -126 : p.n);
	float e_low = (p.w - (h - 1)) * two, t_low = (e - (t - 2)) + e_low;
	float n_low = fmaf(p.w, t, t - n) + h * t_low;
	float d = fmaf(n, two, 2), d_low = fmaf(n, two, 2 - d) + n_low * two;
	float z = at_least(x, -2 * ExpLarge), v = z * n, v_low = fmaf(z, n, -v) + z * n_low, q = 1 / d, y = v * q;
	return below_infinity(x, scaled(fmaf(fmaf(-y, d, v) + (v_low - y * d_low), q, y), p.n));
}
