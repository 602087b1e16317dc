// Random numbers, and dropout. device/random.go defines them: an element depends on the draw's seed and
// counter and on its own number alone. All is computed as the processor's backend does it, by the same
// sums and products in double, so that the numbers are the same to the last bit.
//
// Launched by Random and Dropout in random.go.
#include "arith.cuh"
#include "pack.cuh"
#include "philox.cuh"

// The distributions, with the numbers of device.DrawKind.
enum DrawKind : int32_t { Uniform, Normal, Bernoulli, Integers };

struct RandomArgs {
	Elements elements;
	uint64_t seed, counter;
	uint64_t n, again; // of Integers: 2⁶⁴ mod n, below which a product is drawn again
	int64_t low;
	uint64_t limit;     // of Bernoulli: what a word is less than
	double a, b;        // b is the width of Uniform, the deviation of Normal
	double least, most; // of Uniform, after rounding
	double scale;       // of Dropout
	const uint64_t *from; // of a draw that a graph repeats: the seed, and what is added to the counter
	int32_t kind, wide;   // the result is a double, which takes 64 bits
};

static __device__ __forceinline__ uint64_t seed(const RandomArgs &a) { return a.from ? __ldg(a.from) : a.seed; }
static __device__ __forceinline__ uint64_t counter(const RandomArgs &a) { return a.from ? a.counter + __ldg(a.from + 1) : a.counter; }

// log_of is Go's math.Log for numbers of (0, 1] that are not subnormal.
static __device__ __forceinline__ double log_of(double x) {
	int64_t bits = __double_as_longlong(x);
	double k = static_cast<double>(static_cast<int>(bits >> 52) - 0x3FE);
	double m = __longlong_as_double((bits & 0x000FFFFFFFFFFFFF) | 0x3FE0000000000000);
	if (m <= 7.07106781186547524401e-01) {
		k -= 1;
		m *= 2;
	}
	double f = m - 1, s = f / (2 + f), s2 = s * s, s4 = s2 * s2;
	double t1 = s2 * (6.666666666666735130e-01 + s4 * (2.857142874366239149e-01 + s4 * (1.818357216161805012e-01 + s4 * 1.479819860511658591e-01)));
	double t2 = s4 * (3.999999999940941908e-01 + s4 * (2.222219843214978396e-01 + s4 * 1.531383769920937332e-01));
	double half = 0.5 * f * f;
	return k * 6.93147180369123816490e-01 - ((half - (s * (half + (t1 + t2)) + k * 1.90821492927058770002e-10)) - f);
}

// sincos_of is Go's math.Sincos for numbers of [0, 2π).
static __device__ __forceinline__ void sincos_of(double x, double *sine, double *cosine) {
	int j = static_cast<int>(x * 1.27323954473516268615); // eighths of a turn
	if (j & 1) j++;
	double y = j;
	double z = ((x - y * 7.85398125648498535156e-1) - y * 3.77489470793079817668e-8) - y * 2.69515142907905952645e-15;
	double zz = z * z;
	double c = 1.0 - 0.5 * zz +
		zz * zz * ((((((-1.13585365213876817300e-11 * zz) + 2.08757008419747316778e-9) * zz + -2.75573141792967388112e-7) * zz + 2.48015872888517045348e-5) * zz + -1.38888888888730564116e-3) * zz + 4.16666666666665929218e-2);
	double s = z +
		z * zz * ((((((1.58962301576546568060e-10 * zz) + -2.50507477628578072866e-8) * zz + 2.75573136213857245213e-6) * zz + -1.98412698295895385996e-4) * zz + 8.33333333332211858878e-3) * zz + -1.66666666666666307295e-1);
	j &= 7;
	bool swap = (j & 3) == 1 || (j & 3) == 2;
	*sine = j > 3 ? -(swap ? c : s) : swap ? c : s;
	double other = swap ? s : c;
	*cosine = (j > 3) != ((j & 3) > 1) ? -other : other;
}

// box_muller is one of two independent normal numbers for a v in (0, 1] and a u in [0, 1).
static __device__ __forceinline__ double box_muller(const RandomArgs &a, double v, double u, bool second) {
	double radius = a.b * sqrt(-2 * log_of(v)), sine, cosine;
	sincos_of(6.28318530717958647693 * u, &sine, &cosine);
	return a.a + radius * (second ? sine : cosine);
}

static __device__ __forceinline__ double within(const RandomArgs &a, double u) {
	double v = a.a + u * a.b;
	return a.least <= a.most ? smaller(larger(v, a.least), a.most) : v;
}

// draw computes the numbers from i on. A pack begins with a block.
template <int N> static __device__ __forceinline__ void draw(const RandomArgs &a, int64_t i, double (&y)[N]) {
	if (a.wide && a.kind != Bernoulli) {
#pragma unroll
		for (int k = 0; k < N; k += 2) {
			Block w = philox(seed(a), counter(a) + (i + k) / 2);
#pragma unroll
			for (int h = 0; h < 2 && h < N; h++) {
				int lane = N == 1 ? i & 1 : h;
				if (a.kind == Uniform) y[k + h] = within(a, static_cast<double>(w.word64(lane) >> 11) * 0x1p-53);
				else y[k + h] = box_muller(a, static_cast<double>((w.word64(0) >> 11) + 1) * 0x1p-53, static_cast<double>(w.word64(1) >> 11) * 0x1p-53, lane);
			}
		}
		return;
	}
	Block w = philox(seed(a), counter(a) + i / 4);
#pragma unroll
	for (int k = 0; k < N; k++) {
		int lane = N == 1 ? i & 3 : k;
		if (a.kind == Bernoulli) y[k] = w.word(lane) < a.limit;
		else if (a.kind == Uniform) y[k] = within(a, static_cast<double>(w.word(lane) >> 8) * 0x1p-24);
		else y[k] = box_muller(a, (static_cast<double>(w.word(lane & 2)) + 1) * 0x1p-32, static_cast<double>(w.word(lane | 1)) * 0x1p-32, lane & 1);
	}
}

// below is an integer below n by Lemire's method (https://arxiv.org/abs/1805.10941), for n = 0 any.
static __device__ __forceinline__ uint64_t below(const RandomArgs &a, uint64_t word, uint64_t counter, int lane) {
	if (a.n == 0) return word;
	uint64_t product = word * a.n;
	for (uint32_t attempt = 1; product < a.again; attempt++) {
		word = philox(seed(a), counter, attempt).word64(lane);
		product = word * a.n;
	}
	return __umul64hi(word, a.n);
}

template <int N> static __device__ __forceinline__ void draw(const RandomArgs &a, int64_t i, int64_t (&y)[N]) {
#pragma unroll
	for (int k = 0; k < N; k++) {
		uint64_t block = counter(a) + (i + k) / 2;
		int lane = (i + k) & 1;
		y[k] = static_cast<int64_t>(static_cast<uint64_t>(a.low) + below(a, philox(seed(a), block).word64(lane), block, lane));
	}
}

KERNEL_BOUNDS(random_any_f64, RandomArgs, THREE_BLOCKS) {
	all<Any, double, 0, 1>(a.elements, [&](int64_t i, auto &y, auto &) { draw(a, i, y); });
}
KERNEL_BOUNDS(random_any_i64, RandomArgs, THREE_BLOCKS) {
	all<Any, int64_t, 0, 1>(a.elements, [&](int64_t i, auto &y, auto &) { draw(a, i, y); });
}

// dropped is x·scale where the word is less than the limit, else x·0.
template <class C, int N> static __device__ __forceinline__ void dropped(const RandomArgs &a, int64_t i, C (&y)[N], const C (&x)[N]) {
	const C scale = static_cast<C>(a.scale);
#pragma unroll
	for (int k = 0; k < N; k += 4) {
		Block w = philox(seed(a), counter(a) + (i + k) / 4);
#pragma unroll
		for (int h = 0; h < 4 && h < N; h++) {
			int lane = N == 1 ? i & 3 : h;
			y[k + h] = x[k + h] * (w.word(lane) < a.limit ? scale : C(0));
		}
	}
}

template <int D, class C> static __device__ __forceinline__ void dropout(const RandomArgs &a) {
	all<D, C, 1, 1>(a.elements, [&](int64_t i, auto &y, auto &x) { dropped(a, i, y, x[0]); });
}

KERNEL_BOUNDS(dropout_f32, RandomArgs, 256) { dropout<Float32, float>(a); }
KERNEL_BOUNDS(dropout_short, RandomArgs, 256) { dropout<Short, float>(a); }
KERNEL_BOUNDS(dropout_any_f32, RandomArgs, THREE_BLOCKS) { dropout<Any, float>(a); }
KERNEL_BOUNDS(dropout_any_f64, RandomArgs, THREE_BLOCKS) { dropout<Any, double>(a); }
