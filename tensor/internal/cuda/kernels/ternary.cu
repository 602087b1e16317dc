// Ops on three arrays:
//
//	Where    b where a, else c
//	Addcmul  a + p·b·c, rounded after each operation from the left
//	Addcdiv  a + p·b ÷ c, likewise
//
// Launched by Ternary in elementwise.go.
#include "arith.cuh"
#include "pack.cuh"

// The ops, with the numbers of device.TernaryOp.
enum TernaryOp : int32_t { Where, Addcmul, Addcdiv };

template <class C, int N, class X> static __device__ __forceinline__ void ternary(int op, C (&y)[N], const X &x, double p) {
	const C c = convert<C>(p);
	if (op == Where) {
#pragma unroll
		for (int k = 0; k < N; k++) y[k] = x[0][k] != 0 ? x[1][k] : x[2][k];
	} else if (op == Addcmul) {
#pragma unroll
		for (int k = 0; k < N; k++) y[k] = plus(x[0][k], times(times(c, x[1][k]), x[2][k]));
	} else {
#pragma unroll
		for (int k = 0; k < N; k++) y[k] = plus(x[0][k], over(times(c, x[1][k]), x[2][k]));
	}
}

template <int D> static __device__ __forceinline__ void dense(const Elements &a) {
	all<D, float, 3, 1>(a, [&](int64_t, auto &y, auto &x) { ternary(a.op, y, x, a.p); });
}

KERNEL_BOUNDS(ternary_f32, Elements, 256) { dense<Float32>(a); }
KERNEL_BOUNDS(ternary_short, Elements, 256) { dense<Short>(a); }

template <class C> static __device__ __forceinline__ void any(const Elements &a) {
	all<Any, C, 3, 1>(a, [&](int64_t, auto &y, auto &x) { ternary(a.op, y, x, a.p); });
}
KERNEL_BOUNDS(ternary_any_f32, Elements, 256) { any<float>(a); }
KERNEL_BOUNDS(ternary_any_f64, Elements, 256) { any<double>(a); }
KERNEL_BOUNDS(ternary_any_i64, Elements, 256) { any<int64_t>(a); }
