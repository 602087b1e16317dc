// Tables from the host's memory. Small ones travel in a kernel's argument, so that nothing has to be
// copied before it, and a captured launch has them with it.
#pragma once

#include "any.cuh"

constexpr int NearWords = 896; // with the rest of an argument in 4096 bytes, the most that it has

struct Table {
	const int32_t *far; // where the words lie, or 0 where they are near
	int32_t size;
	int32_t pad;
	int32_t near[NearWords];
};

// TABLE declares words, those of t, for all threads of a block. Threads that look up different words
// of an argument take turns, and in shared memory they do not.
#define TABLE(words, t) \
	__shared__ __align__(16) int32_t near_##words[NearWords]; \
	const int32_t *words = bring(t, near_##words)

__device__ __forceinline__ const int32_t *bring(const Table &t, int32_t *shared) {
	if (t.far) return t.far;
	for (int i = threadIdx.x; i < t.size; i += blockDim.x) shared[i] = t.near[i];
	__syncthreads();
	return shared;
}

// Mixed stands for a type that an array tells when the kernel runs.
struct Mixed {};

// get reads element i of x, whose type is T, as a C.
template <class T, class C> struct getter {
	static __device__ __forceinline__ C of(const Array &x, int64_t i) {
		return convert<C>(static_cast<const T *>(x.data)[i]);
	}
};
template <class C> struct getter<Mixed, C> {
	static __device__ __forceinline__ C of(const Array &x, int64_t i) { return fetch<C>(x.data, i, x.dtype); }
};
template <class T, class C> __device__ __forceinline__ C get(const Array &x, int64_t i) {
	return getter<T, C>::of(x, i);
}

// put writes v to element i of x, whose type is T.
template <class T, class C> struct putter {
	static __device__ __forceinline__ void of(const Array &x, int64_t i, C v) {
		static_cast<T *>(x.data)[i] = convert<T>(v);
	}
};
template <class C> struct putter<Mixed, C> {
	static __device__ __forceinline__ void of(const Array &x, int64_t i, C v) { leave<C>(x.data, i, x.dtype, v); }
};
template <class T, class C> __device__ __forceinline__ void put(const Array &x, int64_t i, C v) {
	putter<T, C>::of(x, i, v);
}
