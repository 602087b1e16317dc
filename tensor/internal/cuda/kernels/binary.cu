// Ops on two arrays: out = op(a, b). Comparisons write bools.
//
// Launched by Binary in elementwise.go.
#include "arith.cuh"
#include "pack.cuh"

// The ops, with the numbers of device.BinaryOp.
enum BinaryOp : int32_t {
	Add, Sub, Mul, Div, Pow, Maximum, Minimum, ReLUGrad, TanhGrad, SigmoidGrad, Atan2, Fmod, Remainder, Eq, Ne, Lt, Le,
	Gt, Ge, And, Or, Xor
};

// binary computes a pack. What is a call for each element is left to binary_rare.
template <class C, int N> static __device__ __forceinline__ void binary(int op, C (&y)[N], const C (&x)[N], const C (&z)[N]) {
	switch (op) {
	case Add: EACH2(plus(v, w))
	case Sub: EACH2(minus(v, w))
	case Mul: EACH2(times(v, w))
	case Div: EACH2(over(v, w))
	case Maximum: EACH2(larger(v, w))
	case Minimum: EACH2(smaller(v, w))
	case ReLUGrad: EACH2(v <= 0 ? C(0) : w)
	case TanhGrad: EACH2(times(w, minus(C(1), times(v, v))))
	case SigmoidGrad: EACH2(times(times(w, minus(C(1), v)), v))
	case Eq: EACH2(v == w)
	case Ne: EACH2(v != w)
	case Lt: EACH2(v < w)
	case Le: EACH2(v <= w)
	case Gt: EACH2(v > w)
	case Ge: EACH2(v >= w)
	case And: EACH2(v != 0 && w != 0)
	case Or: EACH2(v != 0 || w != 0)
	default: EACH2((v != 0) != (w != 0)) // Xor
	}
}

// dense are the arrays of one dtype. The ops that are nearly nothing but memory are chosen outside
// of the loop, and have two vectors of each array under way.
template <int D> static __device__ __forceinline__ void dense(const Elements &a) {
#define HOT(name) \
	case name: \
		packs<D, float, 2, 2>(a, [&](int64_t, auto &y, auto &x) { binary(name, y, x[0], x[1]); }); \
		break;
	switch (a.op) {
		HOT(Add)
		HOT(Sub)
		HOT(Mul)
		HOT(ReLUGrad)
	default:
		packs<D, float, 2, 1>(a, [&](int64_t, auto &y, auto &x) { binary(a.op, y, x[0], x[1]); });
	}
#undef HOT
	singles<D, float, 2>(a, [&](int64_t, auto &y, auto &x) { binary(a.op, y, x[0], x[1]); });
}

KERNEL_BOUNDS(binary_f32, Elements, 256) { dense<Float32>(a); }
KERNEL_BOUNDS(binary_short, Elements, 256) { dense<Short>(a); }

template <class C> static __device__ __forceinline__ void any(const Elements &a) {
	all<Any, C, 2, 1>(a, [&](int64_t, auto &y, auto &x) { binary(a.op, y, x[0], x[1]); });
}
KERNEL_BOUNDS(binary_any_f32, Elements, 256) { any<float>(a); }
KERNEL_BOUNDS(binary_any_f64, Elements, 256) { any<double>(a); }
KERNEL_BOUNDS(binary_any_i64, Elements, 256) { any<int64_t>(a); }

// rare_of computes Pow, Atan2, Fmod and Remainder: an integer's remainder, and a double's, which is exact
// for floats too.
static __device__ __noinline__ double rare_of(int op, double x, double z) {
	if (op == Pow) return power_of(x, z);
	if (op == Atan2) return atan2(x, z);
	return fmod(x, z);
}

static __device__ __noinline__ int64_t rare_of(int op, int64_t x, int64_t z) {
	if (op == Pow) return power_of(x, z);
	if (op == Atan2) return convert<int64_t>(atan2(static_cast<double>(x), static_cast<double>(z)));
	return z == 0 || z == -1 ? 0 : x % z;
}

// signed_as gives what is left the sign of z.
template <class C> static __device__ __forceinline__ C signed_as(int op, C rest, C z) {
	return op == Remainder && rest != 0 && (rest < 0) != (z < 0) ? rest + z : rest;
}

// binary_rare computes element by element ops whose time is not in the memory, in double or as integers.
// order says which type elements are rounded to before and after.
KERNEL_BOUNDS(binary_rare, Elements, 256) {
	for (int64_t i = first(); i < a.walk.total; i += step()) {
		int64_t at[3];
		seek(a.walk, i, at);
		if (a.order == Int64) {
			int64_t x = load<int64_t>(a.array[1], at[1]), z = load<int64_t>(a.array[2], at[2]);
			store<int64_t>(a.array[0], at[0], signed_as(a.op, rare_of(a.op, x, z), z));
		} else if (a.order == Float32) {
			float x = load<float>(a.array[1], at[1]), z = load<float>(a.array[2], at[2]);
			store<float>(a.array[0], at[0], signed_as(a.op, static_cast<float>(rare_of(a.op, static_cast<double>(x), static_cast<double>(z))), z));
		} else {
			double x = load<double>(a.array[1], at[1]), z = load<double>(a.array[2], at[2]);
			store<double>(a.array[0], at[0], signed_as(a.op, rare_of(a.op, x, z), z));
		}
	}
}
