// Atomic operations. One thread runs at a time, so that nothing is needed but the check of the address.
#pragma once

#define STANDIN_ATOMIC(name, T) T name(T *at, T v);
STANDIN_ATOMIC(atomicAdd, int)
STANDIN_ATOMIC(atomicAdd, unsigned)
STANDIN_ATOMIC(atomicAdd, unsigned long long)
STANDIN_ATOMIC(atomicAdd, float)
STANDIN_ATOMIC(atomicAdd, double)
STANDIN_ATOMIC(atomicAdd, __half)
STANDIN_ATOMIC(atomicAdd, __half2)
STANDIN_ATOMIC(atomicAdd, __nv_bfloat16)
STANDIN_ATOMIC(atomicAdd, __nv_bfloat162)
STANDIN_ATOMIC(atomicSub, int)
STANDIN_ATOMIC(atomicSub, unsigned)
STANDIN_ATOMIC(atomicExch, int)
STANDIN_ATOMIC(atomicExch, unsigned)
STANDIN_ATOMIC(atomicExch, unsigned long long)
STANDIN_ATOMIC(atomicExch, float)
STANDIN_ATOMIC(atomicMin, int)
STANDIN_ATOMIC(atomicMin, unsigned)
STANDIN_ATOMIC(atomicMin, long long)
STANDIN_ATOMIC(atomicMin, unsigned long long)
STANDIN_ATOMIC(atomicMax, int)
STANDIN_ATOMIC(atomicMax, unsigned)
STANDIN_ATOMIC(atomicMax, long long)
STANDIN_ATOMIC(atomicMax, unsigned long long)
STANDIN_ATOMIC(atomicAnd, int)
STANDIN_ATOMIC(atomicAnd, unsigned)
STANDIN_ATOMIC(atomicAnd, unsigned long long)
STANDIN_ATOMIC(atomicOr, int)
STANDIN_ATOMIC(atomicOr, unsigned)
STANDIN_ATOMIC(atomicOr, unsigned long long)
STANDIN_ATOMIC(atomicXor, int)
STANDIN_ATOMIC(atomicXor, unsigned)
STANDIN_ATOMIC(atomicXor, unsigned long long)
STANDIN_ATOMIC(atomicInc, unsigned)
STANDIN_ATOMIC(atomicDec, unsigned)
#undef STANDIN_ATOMIC

int atomicCAS(int *at, int old, int v);
unsigned atomicCAS(unsigned *at, unsigned old, unsigned v);
unsigned long long atomicCAS(unsigned long long *at, unsigned long long old, unsigned long long v);
unsigned short atomicCAS(unsigned short *at, unsigned short old, unsigned short v);
