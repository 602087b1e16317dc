// Kernels with one fault each, and sound, which has none: TestCUDAPlantedFaults runs them.
#include <cuda_pipeline.h>
#include <stdint.h>

struct FaultArgs {
	float *out;
	const float *x;
	int64_t n;
};

// sound turns the numbers of a block of 32 around twice, by shared memory, shuffles and asynchronous copies, and adds
// the block's number.
KERNEL(sound, FaultArgs) {
	DYNAMIC_SHARED(float, row);
	__shared__ float lines[256];
	int i = threadIdx.x, last = blockDim.x - 1;
	__pipeline_memcpy_async(&row[i], &a.x[i], 4);
	__pipeline_commit();
	__pipeline_wait_prior(0);
	__syncthreads();
	lines[last - i] = row[i] + blockIdx.x;
	__syncthreads();
	float v = __shfl_xor_sync(~0u, lines[i ^ 1], 1);
	row[last - i] = v;
	__syncwarp();
	v = row[i];
	a.out[blockIdx.x * blockDim.x + i] = v;
}

KERNEL(missing_barrier, FaultArgs) {
	__shared__ float lines[256];
	lines[threadIdx.x] = a.x[threadIdx.x];
	a.out[threadIdx.x] = lines[blockDim.x - 1 - threadIdx.x];
}

KERNEL(missing_warp_barrier, FaultArgs) {
	__shared__ float lines[32];
	int i = threadIdx.x;
	if (i >= 32) return;
	lines[i] = a.x[i];
	a.out[i] = __shfl_sync(~0u, lines[i ^ 1], i); // which orders nothing
}

KERNEL(early_overwrite, FaultArgs) {
	__shared__ float lines[256];
	int i = threadIdx.x;
	for (int k = 0; k < 2; k++) {
		lines[i] = a.x[i] + k;
		__syncthreads();
		a.out[i] = lines[blockDim.x - 1 - i]; // and a barrier should follow
	}
}

KERNEL(divergent_barrier, FaultArgs) {
	if (threadIdx.x < 16) {
		__syncthreads();
	} else {
		__syncthreads();
	}
	a.out[threadIdx.x] = a.x[threadIdx.x];
}

KERNEL(off_by_one, FaultArgs) {
	for (int64_t i = threadIdx.x; i <= a.n; i += blockDim.x) a.out[i] = 1;
}

KERNEL(before_first, FaultArgs) { a.out[threadIdx.x] = a.x[int(threadIdx.x) - 1]; }

KERNEL(misaligned, FaultArgs) {
	int i = threadIdx.x % 8;
	reinterpret_cast<float4 *>(a.out)[i] = *reinterpret_cast<const float4 *>(a.x + 4 * i + 1);
}

KERNEL(shared_index, FaultArgs) {
	__shared__ float lines[16][17];
	int i = threadIdx.x;
	lines[0][i] = a.x[i];
	a.out[i] = lines[0][i];
}

KERNEL(shared_pointer, FaultArgs) {
	__shared__ float lines[64];
	float *p = lines + a.n;
	*p = 1;
	a.out[threadIdx.x] = *p;
}

KERNEL(dynamic_shared, FaultArgs) {
	DYNAMIC_SHARED(float, row);
	row[threadIdx.x + 1] = 1;
}

// Each block reads what the one before it wrote, on processors that ran both.
KERNEL(stale_shared, FaultArgs) {
	__shared__ float lines[256];
	float v = lines[threadIdx.x];
	lines[threadIdx.x] = 7;
	__syncthreads();
	a.out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

KERNEL(uninitialised, FaultArgs) { a.out[threadIdx.x] = a.x[threadIdx.x] + 1; }

KERNEL(missing_lanes, FaultArgs) {
	float v = 1;
	if (threadIdx.x % 32 < 16) v = __shfl_xor_sync(~0u, v, 1);
	else __syncthreads();
	a.out[threadIdx.x] = v;
}

KERNEL(left_out, FaultArgs) { a.out[threadIdx.x] = __shfl_sync(0xffff, 1.0f, 0); }

KERNEL(missing_wait, FaultArgs) {
	__shared__ float lines[256];
	int i = threadIdx.x;
	__pipeline_memcpy_async(&lines[i], &a.x[i], 4);
	__pipeline_commit();
	a.out[i] = lines[i];
}

KERNEL(endless_stack, FaultArgs) {
	struct Deep {
		static float __attribute__((noinline)) down(volatile float *p, int n) {
			volatile float mine[256] = {};
			mine[n & 255] = p[0];
			return n < 0 ? 0 : mine[n & 255] + down(mine, n + 1);
		}
	};
	volatile float zero = 0;
	a.out[threadIdx.x] = Deep::down(&zero, 0);
}

KERNEL(by_zero, FaultArgs) { a.out[threadIdx.x] = float(int(threadIdx.x) / int(a.n)); }

KERNEL(trap, FaultArgs) { __trap(); }

// The rest is right in itself: it is launched wrongly, or the PTX says something else about it.
KERNEL(plain, FaultArgs) { a.out[threadIdx.x] = a.x[threadIdx.x]; }
KERNEL(bounded, FaultArgs) { a.out[threadIdx.x] = a.x[threadIdx.x]; }
KERNEL(longer, FaultArgs) { a.out[threadIdx.x] = a.x[threadIdx.x]; }
