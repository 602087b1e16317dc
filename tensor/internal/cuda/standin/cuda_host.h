// CUDA C++ for the processor: kernels that are compiled with g++ include this in the place of what
// nvcc knows by itself. They run in the stand-in for the driver, a fiber for each of a block's threads.
//
// Kernels are compiled with -fsanitize=thread, so that every access to memory is announced to the
// stand-in (check.cpp), which says whether a GPU would have allowed it. What this file and those that
// it includes declare is mostly implemented there, in code that is not checked.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <math.h>
#include <type_traits>

#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __constant__
#undef __managed__
#undef __launch_bounds__
#undef __forceinline__
#undef __noinline__
#undef __restrict__
#undef __grid_constant__
#define __global__
#define __device__
#define __host__
#define __shared__ static // shared.cpp finds these variables among the library's symbols
#define __constant__ static const
#define __launch_bounds__(...)
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __grid_constant__

// UNCHECKED marks functions whose accesses to memory are not announced.
#define UNCHECKED __attribute__((noinline, no_sanitize("thread", "undefined")))

#include "thread.h"

#include "atomic.h"
#include "number.h"
#include "pipeline.h"
#include "warp.h"
#include "wmma.h"
