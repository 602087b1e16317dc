// Arithmetic as Go's: integers wrap around, a division by 0 has no trap (its result is 0), and the
// larger or smaller of two floats is NaN where one is, and knows −0 from +0.
#pragma once

#include "common.cuh"

template <class C> __device__ __forceinline__ C plus(C a, C b) { return a + b; }
template <class C> __device__ __forceinline__ C minus(C a, C b) { return a - b; }
template <class C> __device__ __forceinline__ C times(C a, C b) { return a * b; }
template <class C> __device__ __forceinline__ C over(C a, C b) { return a / b; }
template <class C> __device__ __forceinline__ C negated(C a) { return -a; }

template <> __device__ __forceinline__ int64_t plus(int64_t a, int64_t b) {
	return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
template <> __device__ __forceinline__ int64_t minus(int64_t a, int64_t b) {
	return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
template <> __device__ __forceinline__ int64_t times(int64_t a, int64_t b) {
	return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
template <> __device__ __forceinline__ int64_t negated(int64_t a) { return minus<int64_t>(0, a); }
template <> __device__ __forceinline__ int64_t over(int64_t a, int64_t b) {
	return b == 0 ? 0 : b == -1 ? negated(a) : a / b;
}

__device__ __forceinline__ float both_bits(float a, float b) { return __int_as_float(__float_as_int(a) & __float_as_int(b)); }
__device__ __forceinline__ float either_bit(float a, float b) { return __int_as_float(__float_as_int(a) | __float_as_int(b)); }
__device__ __forceinline__ double both_bits(double a, double b) {
	return __longlong_as_double(__double_as_longlong(a) & __double_as_longlong(b));
}
__device__ __forceinline__ double either_bit(double a, double b) {
	return __longlong_as_double(__double_as_longlong(a) | __double_as_longlong(b));
}

// Of equal numbers only zeros can differ, in their signs.
template <class C> __device__ __forceinline__ C larger(C a, C b) {
	return a > b ? a : a < b ? b : a == b ? both_bits(a, b) : a + b;
}
template <class C> __device__ __forceinline__ C smaller(C a, C b) {
	return a < b ? a : a > b ? b : a == b ? either_bit(a, b) : a + b;
}
template <> __device__ __forceinline__ int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
template <> __device__ __forceinline__ int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

__device__ __forceinline__ float absolute(float a) { return fabsf(a); }
__device__ __forceinline__ double absolute(double a) { return fabs(a); }
__device__ __forceinline__ int64_t absolute(int64_t a) { return a < 0 ? negated(a) : a; }

// EACH computes y[k] of the pack's elements, v of x.
#define EACH(expression) \
	{ \
		_Pragma("unroll") for (int k = 0; k < N; k++) { \
			C v = x[k]; \
			y[k] = static_cast<C>(expression); \
		} \
		break; \
	}

// EACH2 is EACH of x and z, whose elements are v and w.
#define EACH2(expression) \
	{ \
		_Pragma("unroll") for (int k = 0; k < N; k++) { \
			C v = x[k], w = z[k]; \
			y[k] = static_cast<C>(expression); \
		} \
		break; \
	}

// Powers of integers wrap around, and lose their fraction where b is negative.
static __device__ __noinline__ int64_t power_of(int64_t a, int64_t b) {
	if (b < 0) return a == 1 || (a == -1 && b % 2 == 0) ? 1 : a == -1 ? a : 0;
	int64_t y = 1;
	for (; b > 0; b /= 2) {
		if (b % 2 == 1) y = times(y, a);
		a = times(a, a);
	}
	return y;
}

static __device__ __noinline__ double power_of(double a, double b) { return pow(a, b); }
