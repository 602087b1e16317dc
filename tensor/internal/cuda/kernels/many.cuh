// How the blocks of one launch share many arrays: each array is cut into pieces of Piece elements, the
// pieces are numbered through all arrays, and the blocks take them in turn. What a piece gives is the
// same whatever the number of blocks.
#pragma once

#include "common.cuh"

// find returns which of n things, that begin at first[i], has number c.
template <class T> __device__ __forceinline__ int find(const T *things, int n, uint32_t c) {
	int lo = 0;
	while (n > 1) {
		int half = n / 2;
		if (things[lo + half].first <= c) lo += half, n -= half;
		else n = half;
	}
	return lo;
}

// A Pack is 16 bytes, which a thread reads or writes at once.
template <class T> struct alignas(16) Pack {
	static constexpr int n = 16 / sizeof(T);
	T v[n];
};

__device__ __forceinline__ bool aligned(const void *p) { return (reinterpret_cast<uintptr_t>(p) & 15) == 0; }
