// What every kernel begins with: element types, how elements are read and written, and how a kernel
// is declared. A kernel takes one struct, by value, that a Go struct of the same fields mirrors.
#pragma once

#include <stdint.h>

#ifndef HALFNOTE_STANDIN // which compiles kernels for the processor and brings its own
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// KERNEL begins the kernel of this name, whose arguments are a.
#define KERNEL(name, Args) extern "C" __global__ void name(const __grid_constant__ Args a)

// KERNEL_BOUNDS is KERNEL with the most threads that a block has.
#define KERNEL_BOUNDS(name, Args, threads) \
	extern "C" __global__ void __launch_bounds__(threads) name(const __grid_constant__ Args a)

// DYNAMIC_SHARED declares T name[], the shared memory that the launch asks for.
#define DYNAMIC_SHARED(T, name) extern __shared__ __align__(128) unsigned char dynamic_shared[]; \
	T *name = reinterpret_cast<T *>(dynamic_shared)
#endif

typedef __half half_t;
typedef __nv_bfloat16 bfloat_t;

// The element types, with the numbers of device.DType.
enum DType : int32_t { Float64 = 161, Float32, Float16, BFloat16, Int64, Bool };

// An Array is where elements begin, and their type.
struct Array {
	void *data;
	int32_t dtype;
	int32_t pad;
};

// dtype_of gives the number of a C++ type, compute_in the type that it is computed in.
template <class T> struct element;
template <> struct element<double> { static constexpr int dtype = Float64; typedef double compute; };
template <> struct element<float> { static constexpr int dtype = Float32; typedef float compute; };
template <> struct element<half_t> { static constexpr int dtype = Float16; typedef float compute; };
template <> struct element<bfloat_t> { static constexpr int dtype = BFloat16; typedef float compute; };
template <> struct element<int64_t> { static constexpr int dtype = Int64; typedef int64_t compute; };
template <> struct element<bool> { static constexpr int dtype = Bool; typedef int64_t compute; };
template <class T> using compute_t = typename element<T>::compute;

// convert turns a number of one type into another, as the processor's backend does: a double reaches
// 16 bits by way of a float, and what is no int64 becomes the smallest.
template <class To, class From> struct converter {
	static __device__ __forceinline__ To of(From v) { return static_cast<To>(v); }
};
template <class From> struct converter<half_t, From> {
	static __device__ __forceinline__ half_t of(From v) { return __float2half_rn(static_cast<float>(v)); }
};
template <class From> struct converter<bfloat_t, From> {
	static __device__ __forceinline__ bfloat_t of(From v) { return __float2bfloat16_rn(static_cast<float>(v)); }
};
template <class To> struct converter<To, half_t> {
	static __device__ __forceinline__ To of(half_t v) { return converter<To, float>::of(__half2float(v)); }
};
template <class To> struct converter<To, bfloat_t> {
	static __device__ __forceinline__ To of(bfloat_t v) { return converter<To, float>::of(__bfloat162float(v)); }
};
template <class From> struct converter<bool, From> {
	static __device__ __forceinline__ bool of(From v) { return v != From(0); }
};
template <> struct converter<bool, half_t> {
	static __device__ __forceinline__ bool of(half_t v) { return __half2float(v) != 0; }
};
template <> struct converter<bool, bfloat_t> {
	static __device__ __forceinline__ bool of(bfloat_t v) { return __bfloat162float(v) != 0; }
};
template <> struct converter<half_t, half_t> {
	static __device__ __forceinline__ half_t of(half_t v) { return v; }
};
template <> struct converter<bfloat_t, bfloat_t> {
	static __device__ __forceinline__ bfloat_t of(bfloat_t v) { return v; }
};
template <> struct converter<half_t, bfloat_t> {
	static __device__ __forceinline__ half_t of(bfloat_t v) { return __float2half_rn(__bfloat162float(v)); }
};
template <> struct converter<bfloat_t, half_t> {
	static __device__ __forceinline__ bfloat_t of(half_t v) { return __float2bfloat16_rn(__half2float(v)); }
};
template <> struct converter<int64_t, double> {
	static __device__ __forceinline__ int64_t of(double v) {
		return v >= -9223372036854775808.0 && v < 9223372036854775808.0 ? static_cast<int64_t>(v) : INT64_MIN;
	}
};
template <> struct converter<int64_t, float> {
	static __device__ __forceinline__ int64_t of(float v) { return converter<int64_t, double>::of(v); }
};

template <class To, class From> __device__ __forceinline__ To convert(From v) {
	return converter<To, From>::of(v);
}

// load reads element i of what data holds, as a C.
template <class C> __device__ __forceinline__ C load(const void *data, int64_t i, int dtype) {
	switch (dtype) {
	case Float64: return convert<C>(static_cast<const double *>(data)[i]);
	case Float32: return convert<C>(static_cast<const float *>(data)[i]);
	case Float16: return convert<C>(static_cast<const half_t *>(data)[i]);
	case BFloat16: return convert<C>(static_cast<const bfloat_t *>(data)[i]);
	case Int64: return convert<C>(static_cast<const int64_t *>(data)[i]);
	default: return convert<C>(static_cast<int64_t>(static_cast<const uint8_t *>(data)[i]));
	}
}

template <class C> __device__ __forceinline__ C load(const Array &x, int64_t i) {
	return load<C>(x.data, i, x.dtype);
}

// store rounds v to the dtype and writes it to element i.
template <class C> __device__ __forceinline__ void store(void *data, int64_t i, int dtype, C v) {
	switch (dtype) {
	case Float64: static_cast<double *>(data)[i] = convert<double>(v); break;
	case Float32: static_cast<float *>(data)[i] = convert<float>(v); break;
	case Float16: static_cast<half_t *>(data)[i] = convert<half_t>(v); break;
	case BFloat16: static_cast<bfloat_t *>(data)[i] = convert<bfloat_t>(v); break;
	case Int64: static_cast<int64_t *>(data)[i] = convert<int64_t>(v); break;
	default: static_cast<uint8_t *>(data)[i] = convert<bool>(v);
	}
}

template <class C> __device__ __forceinline__ void store(const Array &x, int64_t i, C v) {
	store<C>(x.data, i, x.dtype, v);
}

// first and step are where a thread begins in a grid that goes through numbers in strides, and how
// far on its next one is.
__device__ __forceinline__ int64_t first() { return blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; }
__device__ __forceinline__ int64_t step() { return gridDim.x * static_cast<int64_t>(blockDim.x); }
