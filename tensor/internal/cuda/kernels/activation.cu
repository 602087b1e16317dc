// The functions of a network's layers and their derivatives, as device/activation.go defines them:
//
//	out = f(x), or g·f′(x), or g·f″(x)
//
// Where the result is no double, f and f′ are computed in float, in vectors, but for Mish's f′; what is
// made of comparisons, sums and products is computed in double and rounded once, as on the processor.
// The rest, and what has arrays of several dtypes, is computed in double, element by element. Launched by Activate in activation.go.
#include "arith.cuh"
#include "curves.cuh"
#include "pack.cuh"

// The functions, with the numbers of device.Activation.
enum Activation : int32_t {
	GELU, GELUTanh, SiLU, Softplus, LogSigmoid, Mish, ELU, LeakyReLU, Hardtanh, Hardswish, Hardsigmoid, Huber
};

// nothing is 0, and NaN of NaN.
static __device__ __forceinline__ double nothing(double x) { return x != x ? x : 0; }

static __device__ __forceinline__ double hard(int f, int order, double x, double p, double q) {
	double six = smaller(larger(x + 3, 0.0), 6.0) / 6;
	switch (f) {
	case LeakyReLU: return order == 2 ? nothing(x) : order == 1 ? (x > 0 ? 1 : p) : x > 0 ? x : x * p;
	case Hardtanh:
		if (order == 0) return smaller(larger(x, p), q);
		return order == 2 ? nothing(x) : x <= p || x >= q ? 0 : 1 + nothing(x);
	case Hardswish:
		if (order == 0) return x * six;
		if (order == 1) return x >= 3 ? 1 : x <= -3 ? 0 : x / 3 + 0.5;
		return x <= -3 || x >= 3 ? 0 : (1 + nothing(x)) / 3;
	case Hardsigmoid:
		if (order == 0) return six;
		return order == 2 ? nothing(x) : x <= -3 || x >= 3 ? 0 : (1 + nothing(x)) / 6;
	default: // Huber
		if (order == 1) return smaller(larger(x, -p), p);
		if (fabs(x) <= p) return order == 0 ? x * x / 2 : 1;
		return order == 0 ? p * (fabs(x) - p / 2) : nothing(x);
	}
}

// soft_argument is p·x as a sum of two floats; linear says that it is more than q.
struct Argument {
	float high, low;
	bool linear;
};
static __device__ __forceinline__ Argument soft_argument(float x, double p, double q) {
	double v = x * p;
	float high = static_cast<float>(v);
	return {high, fabsf(high) < INFINITY ? static_cast<float>(v - high) : 0, v > q};
}

static __device__ __forceinline__ float soft_value(float x, double p, double q) {
	Argument v = soft_argument(x, p, q);
	return v.linear ? x : p == 1 ? softplus_of(v.high, v.low) : static_cast<float>(softplus_of(v.high, v.low) / p);
}

static __device__ __forceinline__ float soft_slope(float x, double p, double q) {
	Argument v = soft_argument(x, p, q);
	return v.linear ? 1 : over(1, logistic(v.high, v.low));
}

// value_of and slope_of compute what fewer networks have: a call for each element takes less room than
// code in each vector.
static __device__ __noinline__ float value_of(int f, float x, double p, double q) {
	switch (f) {
	case Softplus: return soft_value(x, p, q);
	case LogSigmoid: return 0 - softplus_of(-x);
	case Mish: return mish_of(x);
	case ELU: return x > 0 ? x : static_cast<float>(p * expm1_of(x));
	default: return static_cast<float>(hard(f, 0, x, p, q));
	}
}

static __device__ __noinline__ float slope_of(int f, float x, float g, double p, double q) {
	switch (f) {
	case Softplus: return soft_slope(x, p, q) * g;
	case LogSigmoid: return sigmoid_of(-x) * g;
	case ELU: return x > 0 ? g : static_cast<float>(p * exp_of(x) * g);
	default: return static_cast<float>(hard(f, 1, x, p, q) * g);
	}
}

template <int N>
static __device__ __forceinline__ void values(int f, float (&y)[N], const float (&x)[N], double p, double q) {
	typedef float C;
	switch (f) {
	case GELU: EACH(gelu_of(v))
	case GELUTanh: EACH(gelu_tanh_of(v))
	case SiLU: EACH(silu_of(v))
	case LeakyReLU: EACH(v > 0 ? v : v * static_cast<float>(p))
	default: EACH(value_of(f, v, p, q))
	}
}

template <int D, int N>
static __device__ __forceinline__ void slopes(int f, float (&y)[N], const float (&x)[N], const float (&z)[N], double p, double q) {
	typedef float C;
	switch (f) {
	case GELU: EACH2(gelu_slope(v) * w)
	case GELUTanh: EACH2((D == Float32 ? precise_gelu_tanh_slope(v) : gelu_tanh_slope(v)) * w)
	case SiLU: EACH2(silu_slope(v) * w)
	case LeakyReLU: EACH2(v > 0 ? w : w * static_cast<float>(p))
	default: EACH2(slope_of(f, v, w, p, q))
	}
}

template <int D> static __device__ __forceinline__ void dense_values(const Elements &a) {
	all<D, float, 1, 1>(a, [&](int64_t, auto &y, auto &x) { values(a.op, y, x[0], a.p, a.q); });
}

template <int D> static __device__ __forceinline__ void dense_slopes(const Elements &a) {
	all<D, float, 2, 1>(a, [&](int64_t, auto &y, auto &x) { slopes<D>(a.op, y, x[0], x[1], a.p, a.q); });
}

KERNEL_BOUNDS(activation_f32, Elements, 256) { dense_values<Float32>(a); }
KERNEL_BOUNDS(activation_short, Elements, 256) { dense_values<Short>(a); }

KERNEL_BOUNDS(slope_f32, Elements, 256) { dense_slopes<Float32>(a); }
KERNEL_BOUNDS(slope_short, Elements, 256) { dense_slopes<Short>(a); }

// The functions in double. Their twins are those of package cpu, which say why they are written so.

static __device__ __forceinline__ double sigma(double x) { return 1 / (1 + exp(-x)); }

// softplus is log(1 + eˣ) without overflow.
static __device__ __forceinline__ double softplus(double x) { return larger(x, 0.0) + log1p(exp(-fabs(x))); }

static __device__ __forceinline__ double density(double x) { return exp(-x * x / 2) * 0.39894228040143267794; }

static __device__ __forceinline__ double distribution(double x) { return 0.5 * erfc(-x / 1.41421356237309504880); }

// product is a·b, where a = 0 makes it 0: the tails in which the other factor is infinite.
static __device__ __forceinline__ double product(double a, double b) { return a == 0 ? 0 : a * b; }

static __device__ __noinline__ double gelu(int order, double x) {
	if (order == 0) return x * distribution(x);
	if (order == 1) return distribution(x) + product(density(x), x);
	return product(density(x), 2 - x * x);
}

// x·σ(u), with the derivatives of u.
static __device__ __noinline__ double sigma_times(int order, double x, double u, double du, double ddu) {
	double s = sigma(u), t = sigma(-u);
	if (order == 0) return x * s;
	if (order == 1) return s + product(s * t, x * du);
	return product(s * t, 2 * du + x * ddu + x * du * du * (t - s));
}

static __device__ __noinline__ double soft(int order, double x, double beta, double threshold) {
	bool linear = x * beta > threshold;
	if (order == 0) return linear ? x : softplus(x * beta) / beta;
	if (order == 1) return linear ? 1 : sigma(x * beta);
	return linear ? 0 : beta * sigma(x * beta) * sigma(-x * beta);
}

static __device__ __noinline__ double mish(int order, double x) {
	double sp = softplus(x), w = tanh(sp);
	if (order == 0) return x * w;
	double c = cosh(sp), d = sigma(x) / (c * c);
	if (order == 1) return w + product(d, x);
	return product(d, 2 + x * sigma(-x) - 2 * x * w * sigma(x));
}

static __device__ __forceinline__ double activated(int f, int order, double x, double p, double q) {
	constexpr double k = 1.5957691216057307117598, c = 0.044715; // 2·√(2/π)
	switch (f) {
	case GELU: return gelu(order, x);
	case GELUTanh: return sigma_times(order, x, k * (x + c * x * x * x), k * (1 + 3 * c * x * x), k * 6 * c * x);
	case SiLU: return sigma_times(order, x, x, 1, 0);
	case Softplus: return soft(order, x, p, q);
	case LogSigmoid:
		if (order == 0) return 0 - softplus(-x);
		return order == 1 ? sigma(-x) : -sigma(x) * sigma(-x);
	case Mish: return mish(order, x);
	case ELU:
		if (x > 0) return order == 0 ? x : order == 1 ? 1 : 0;
		return p * (order == 0 ? expm1(x) : exp(x));
	default: return hard(f, order, x, p, q);
	}
}

struct ActivationArgs {
	Elements elements;
	int32_t in, pad; // the type that elements are rounded to before and after
};

KERNEL_BOUNDS(activation_rare, ActivationArgs, THREE_BLOCKS) {
	const Elements &e = a.elements;
	for (int64_t i = first(); i < e.walk.total; i += step()) {
		int64_t at[3];
		seek(e.walk, i, at);
		bool narrow = a.in == Float32;
		double x = narrow ? load<float>(e.array[1], at[1]) : load<double>(e.array[1], at[1]);
		double y = activated(e.op, e.order, x, e.p, e.q);
		if (e.order > 0) y *= narrow ? load<float>(e.array[2], at[2]) : load<double>(e.array[2], at[2]);
		if (narrow) store<float>(e.array[0], at[0], static_cast<float>(y));
		else store<double>(e.array[0], at[0], y);
	}
}
