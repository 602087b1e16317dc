// How threads find their elements in arrays with any strides.
#pragma once

#include "common.cuh"

constexpr int MaxDims = 8;
constexpr int MaxArrays = 4;

// A Walk goes through up to four arrays of one shape together. Its dimensions are those of the first
// array, less what could be taken together; the last one runs fastest.
struct Walk {
	int64_t total;
	int32_t dims;
	int32_t dense; // all arrays lie without gaps in the order of the walk
	int64_t size[MaxDims];
	int64_t stride[MaxArrays][MaxDims];
};

// seek finds the offsets of the i-th element in the first N arrays. What is left over for the first
// dimension needs no division.
template <int N> __device__ __forceinline__ void seek(const Walk &w, int64_t i, int64_t (&at)[N]) {
	for (int k = 0; k < N; k++) at[k] = 0;
#pragma unroll 1 // as often as there are dimensions, of which there are few
	for (int d = w.dims - 1; d > 0; d--) {
		int64_t next, size = w.size[d];
		if ((i | size) >> 32 == 0) next = static_cast<uint32_t>(i) / static_cast<uint32_t>(size); // takes a quarter of the time
		else next = i / size;
		int64_t here = i - next * size;
		for (int k = 0; k < N; k++) at[k] += here * w.stride[k][d];
		i = next;
	}
	for (int k = 0; k < N; k++) at[k] += i * w.stride[k][0];
}
