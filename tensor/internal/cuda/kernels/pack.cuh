// How ops that work element by element go through their arrays: in packs of elements that lie one
// after another, read and written 16 bytes at a time. A thread fetches the packs of all inputs
// before it computes, so that reads are in flight together.
#pragma once

#include "walk.cuh"

constexpr int MaxInputs = MaxArrays - 1;

// THREE_BLOCKS are launch bounds with which a thread has 80 registers: three blocks are on a multiprocessor at
// a time. Told of no number, the compiler may spill registers for a fourth.
#define THREE_BLOCKS 256, 3

// How the elements of a pack lie in an array: one after another, at addresses that vectors can be
// read from, or in steps of any size, 0 for one that is repeated.
enum Lie : int32_t { Vector, Steps };

// Elements are the arguments of an op: its output, which comes first, and up to three inputs.
struct Elements {
	Array array[MaxArrays];
	Walk walk;
	int64_t inner[MaxArrays]; // steps along the last dimension of the walk
	int32_t lie[MaxArrays];
	int64_t packed; // elements in packs, which come first
	int32_t op, order;
	double p, q;
};

// What is known of all arrays when a kernel is compiled: that they are floats, that they are of either
// type of 16 bits, or nothing.
constexpr int Any = 0, Short = 16;

// stored says how elements lie in memory, and how many are in a pack: a vector of them, or of elements of
// any type up to two.
template <int D> struct stored { static constexpr int size = 8, pack = 4; };
template <> struct stored<Float32> { static constexpr int size = 4, pack = 4; };
template <> struct stored<Short> { static constexpr int size = 2, pack = 8; };

__device__ __forceinline__ int size_of(int dtype) {
	return dtype == Bool ? 1 : dtype == Float16 || dtype == BFloat16 ? 2 : dtype == Float32 ? 4 : 8;
}

// A Raw has the bytes of a pack.
template <int Bytes> union __align__(16) Raw {
	uint4 vector[Bytes / 16];
	uint2 half;
	uint8_t b1[Bytes];
	uint16_t b2[Bytes / 2];
	uint32_t b4[Bytes / 4];
	uint64_t b8[Bytes / 8];
	int64_t i64[Bytes / 8];
	double f64[Bytes / 8];
	float f32[Bytes / 4];
	half_t f16[Bytes / 2];
	bfloat_t bf16[Bytes / 2];
	__device__ Raw() {}
};

// gather reads N elements in steps. Those of arrays of one dtype are repeated, or vectors.
template <int D, int N, class T> __device__ __forceinline__ void gather(T *to, const T *from, int64_t step) {
	if constexpr (D == 0) {
		if (step != 0) {
#pragma unroll
			for (int k = 0; k < N; k++) to[k] = from[k * step];
			return;
		}
	}
	T one = *from;
#pragma unroll
	for (int k = 0; k < N; k++) to[k] = one;
}

template <int N, class T> __device__ __forceinline__ void scatter(T *to, const T *from, int64_t step) {
#pragma unroll
	for (int k = 0; k < N; k++) to[k * step] = from[k];
}

// fetch reads the pack that begins at this element of x.
template <int D, int N, int Bytes>
__device__ __forceinline__ void fetch(Raw<Bytes> &r, const Array &x, int64_t at, int lie, int64_t step) {
	int size = D ? stored<D>::size : size_of(x.dtype);
	const char *from = static_cast<const char *>(x.data) + at * size;
	if (lie == Vector) {
		if (!D && size <= 2) {
			if (size == 1) r.b4[0] = *reinterpret_cast<const uint32_t *>(from);
			else r.half = *reinterpret_cast<const uint2 *>(from);
			return;
		}
		r.vector[0] = reinterpret_cast<const uint4 *>(from)[0];
		if (!D && size == 8) r.vector[Bytes / 16 - 1] = reinterpret_cast<const uint4 *>(from)[1];
		return;
	}
	if (size == 2) gather<D, N>(r.b2, reinterpret_cast<const uint16_t *>(from), step);
	else if (size == 4) gather<D, N>(r.b4, reinterpret_cast<const uint32_t *>(from), step);
	else if (size == 8) gather<D, N>(r.b8, reinterpret_cast<const uint64_t *>(from), step);
	else gather<D, N>(r.b1, reinterpret_cast<const uint8_t *>(from), step);
}

// put writes a pack.
template <int D, int N, int Bytes>
__device__ __forceinline__ void put(const Raw<Bytes> &r, const Array &x, int64_t at, int lie, int64_t step) {
	int size = D ? stored<D>::size : size_of(x.dtype);
	char *to = static_cast<char *>(x.data) + at * size;
	if (D || lie == Vector) {
		if (!D && size <= 2) {
			if (size == 1) *reinterpret_cast<uint32_t *>(to) = r.b4[0];
			else *reinterpret_cast<uint2 *>(to) = r.half;
			return;
		}
		reinterpret_cast<uint4 *>(to)[0] = r.vector[0];
		if (!D && size == 8) reinterpret_cast<uint4 *>(to)[1] = r.vector[Bytes / 16 - 1];
		return;
	}
	if (size == 2) scatter<N>(reinterpret_cast<uint16_t *>(to), r.b2, step);
	else if (size == 4) scatter<N>(reinterpret_cast<uint32_t *>(to), r.b4, step);
	else if (size == 8) scatter<N>(reinterpret_cast<uint64_t *>(to), r.b8, step);
	else scatter<N>(reinterpret_cast<uint8_t *>(to), r.b1, step);
}

// each converts N elements.
template <int N, class To, class From> __device__ __forceinline__ void each(To *to, const From *from) {
#pragma unroll
	for (int k = 0; k < N; k++) to[k] = convert<To>(from[k]);
}

// widen converts the N elements of r to C.
template <int D, int N, class C, int Bytes>
__device__ __forceinline__ void widen(C (&v)[N], const Raw<Bytes> &r, int dtype) {
	if constexpr (D == Float32) each<N>(v, r.f32);
	else if constexpr (D == Short) {
		if (dtype == BFloat16) each<N>(v, r.bf16);
		else each<N>(v, r.f16);
	} else switch (dtype) {
		case Float64: each<N>(v, r.f64); break;
		case Float32: each<N>(v, r.f32); break;
		case Float16: each<N>(v, r.f16); break;
		case BFloat16: each<N>(v, r.bf16); break;
		case Int64: each<N>(v, r.i64); break;
		default:
#pragma unroll
			for (int k = 0; k < N; k++) v[k] = static_cast<C>(static_cast<int>(r.b1[k]));
		}
}

// narrow rounds v to the dtype.
template <int D, int N, class C, int Bytes>
__device__ __forceinline__ void narrow(Raw<Bytes> &r, const C (&v)[N], int dtype) {
	if constexpr (D == Float32) each<N>(r.f32, v);
	else if constexpr (D == Short) {
		if (dtype == BFloat16) each<N>(r.bf16, v);
		else each<N>(r.f16, v);
	} else switch (dtype) {
		case Float64: each<N>(r.f64, v); break;
		case Float32: each<N>(r.f32, v); break;
		case Float16: each<N>(r.f16, v); break;
		case BFloat16: each<N>(r.bf16, v); break;
		case Int64: each<N>(r.i64, v); break;
		default:
#pragma unroll
			for (int k = 0; k < N; k++) r.b1[k] = convert<bool>(v[k]);
		}
}

// packs computes all elements of the output that are in packs: f(i, y, x) computes those from number i on,
// as many as y has, of which x[k] are the k-th input's. Each thread has U packs under way, the last ones
// twice where there are no more. A walk of more than one dimension has rows of whole packs.
template <int D, class C, int Inputs, int U, class F> __device__ __forceinline__ void packs(const Elements &a, F f) {
	constexpr int N = stored<D>::pack, Bytes = D ? 16 : N * 8;
	const int64_t whole = a.packed / N;
	for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x * U) + threadIdx.x; i < whole; i += step() * U) {
		Raw<Bytes> raw[U][Inputs + 1];
		int64_t at[U][Inputs + 1];
#pragma unroll
		for (int u = 0; u < U; u++) {
			int64_t n = i + u * blockDim.x;
			seek(a.walk, (U > 1 && n >= whole ? i : n) * N, at[u]);
#pragma unroll
			for (int k = 1; k <= Inputs; k++) fetch<D, N>(raw[u][k], a.array[k], at[u][k], a.lie[k], a.inner[k]);
		}
#pragma unroll
		for (int u = 0; u < U; u++) {
			int64_t n = i + u * blockDim.x;
			C x[Inputs + 1][N], y[N];
#pragma unroll
			for (int k = 1; k <= Inputs; k++) widen<D>(x[k - 1], raw[u][k], a.array[k].dtype);
			f(n * N, y, x);
			if (U > 1 && n >= whole) continue;
			narrow<D>(raw[u][0], y, a.array[0].dtype);
			put<D, N>(raw[u][0], a.array[0], at[u][0], a.lie[0], a.inner[0]);
		}
	}
}

// singles computes the elements that are in no pack, one at a time.
template <int D, class C, int Inputs, class F> __device__ __forceinline__ void singles(const Elements &a, F f) {
	for (int64_t i = a.packed + first(); i < a.walk.total; i += step()) {
		int64_t at[Inputs + 1];
		seek(a.walk, i, at);
		C x[Inputs + 1][1], y[1];
#pragma unroll
		for (int k = 1; k <= Inputs; k++) {
			if constexpr (D == Any) x[k - 1][0] = load<C>(a.array[k], at[k]);
			else {
				Raw<16> raw;
				fetch<D, 1>(raw, a.array[k], at[k], Steps, 0);
				widen<D>(x[k - 1], raw, a.array[k].dtype);
			}
		}
		f(i, y, x);
		if constexpr (D == Any) store<C>(a.array[0], at[0], y[0]);
		else {
			Raw<16> raw;
			narrow<D>(raw, y, a.array[0].dtype);
			if constexpr (D == Short) static_cast<uint16_t *>(a.array[0].data)[at[0]] = raw.b2[0];
			else static_cast<uint32_t *>(a.array[0].data)[at[0]] = raw.b4[0];
		}
	}
}

// all computes all elements.
template <int D, class C, int Inputs, int U, class F> __device__ __forceinline__ void all(const Elements &a, F f) {
	packs<D, C, Inputs, U>(a, f);
	singles<D, C, Inputs>(a, f);
}
