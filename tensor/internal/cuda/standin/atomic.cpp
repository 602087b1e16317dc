// Atomic operations (atomic.h).
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "atomic.h"
#include "check.h"

// change replaces what lies at at by what f makes of it, and returns what lay there.
template <class T, class F> static T change(T *at, F f) {
	standin::check_atomic(at, sizeof(T));
	T old = *at;
	*at = f(old);
	return old;
}

#define CHANGE(name, T, expression) \
	T name(T *at, T v) { \
		return change(at, [=](T old) -> T { return expression; }); \
	}
#define CHANGE_WHOLE(name, expression) \
	CHANGE(name, int, expression) \
	CHANGE(name, unsigned, expression) \
	CHANGE(name, unsigned long long, expression)

CHANGE(atomicAdd, int, int(unsigned(old) + unsigned(v)))
CHANGE(atomicAdd, unsigned, old + v)
CHANGE(atomicAdd, unsigned long long, old + v)
CHANGE(atomicAdd, float, old + v)
CHANGE(atomicAdd, double, old + v)
CHANGE(atomicAdd, __half, __float2half_rn(__half2float(old) + __half2float(v)))
CHANGE(atomicAdd, __nv_bfloat16, __float2bfloat16_rn(__bfloat162float(old) + __bfloat162float(v)))
CHANGE(atomicAdd, __half2,
	__floats2half2_rn(__low2float(old) + __low2float(v), __high2float(old) + __high2float(v)))
CHANGE(atomicAdd, __nv_bfloat162,
	__floats2bfloat162_rn(__low2float(old) + __low2float(v), __high2float(old) + __high2float(v)))
CHANGE(atomicSub, int, int(unsigned(old) - unsigned(v)))
CHANGE(atomicSub, unsigned, old - v)
CHANGE(atomicExch, float, v)
CHANGE(atomicMin, long long, v < old ? v : old)
CHANGE(atomicMax, long long, old < v ? v : old)
CHANGE(atomicInc, unsigned, old >= v ? 0 : old + 1)
CHANGE(atomicDec, unsigned, old == 0 || old > v ? v : old - 1)
CHANGE_WHOLE(atomicExch, v)
CHANGE_WHOLE(atomicMin, v < old ? v : old)
CHANGE_WHOLE(atomicMax, old < v ? v : old)
CHANGE_WHOLE(atomicAnd, old & v)
CHANGE_WHOLE(atomicOr, old | v)
CHANGE_WHOLE(atomicXor, old ^ v)

#define SWAP(T) \
	T atomicCAS(T *at, T old, T v) { \
		return change(at, [=](T had) { return had == old ? v : had; }); \
	}
SWAP(int)
SWAP(unsigned)
SWAP(unsigned long long)
SWAP(unsigned short)
