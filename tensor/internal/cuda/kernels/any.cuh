// Elements of types that are known when a kernel runs, for loops in which they are mostly of the type
// that is computed in. The others are read and written by functions that are called, so that the
// program stays small.
#pragma once

#include "common.cuh"

template <class C> __device__ __noinline__ C load_any(const void *data, int64_t i, int dtype) {
	return load<C>(data, i, dtype);
}
template <class C> __device__ __noinline__ void store_any(void *data, int64_t i, int dtype, C v) {
	store<C>(data, i, dtype, v);
}

template <class C> __device__ __forceinline__ C fetch(const void *data, int64_t i, int dtype) {
	return dtype == element<C>::dtype ? static_cast<const C *>(data)[i] : load_any<C>(data, i, dtype);
}
template <class C> __device__ __forceinline__ void leave(void *data, int64_t i, int dtype, C v) {
	if (dtype == element<C>::dtype)
		static_cast<C *>(data)[i] = v;
	else
		store_any<C>(data, i, dtype, v);
}
