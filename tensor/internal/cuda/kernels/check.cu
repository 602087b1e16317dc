// Positions are checked where they are used, so that the host need not wait to see them.
//
//	out[i] = −1 if skip has x[i], else x[i] if 0 ≤ x[i] < n, else 0, and a mistake
//	sums   = Σ weight[x[i]] over those that are in range, or their number; the number of mistakes
#include "common.cuh"

struct CheckArgs {
	Array weight; // data is null where all weigh 1
	int64_t *out;
	const int64_t *x;
	double *sums;
	int64_t count, n;
	int64_t weight_stride;
	int64_t skip[8];
	int32_t skips;
	int32_t pad;
};

// One block, of a power of two of threads, whose sums are added in a fixed order.
KERNEL_BOUNDS(check, CheckArgs, 1024) {
	__shared__ double weights[1024], mistakes[1024];
	double sum = 0, wrong = 0;
	for (int64_t i = threadIdx.x; i < a.count; i += blockDim.x) {
		int64_t k = a.x[i];
		bool skipped = false;
		for (int s = 0; s < a.skips; s++) skipped |= k == a.skip[s];
		if (skipped) {
			k = -1;
		} else if (k < 0 || k >= a.n) {
			k = 0;
			wrong += 1;
		} else {
			sum += a.weight.data ? load<double>(a.weight, k * a.weight_stride) : 1;
		}
		a.out[i] = k;
	}
	weights[threadIdx.x] = sum;
	mistakes[threadIdx.x] = wrong;
	for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half) {
			weights[threadIdx.x] += weights[threadIdx.x + half];
			mistakes[threadIdx.x] += mistakes[threadIdx.x + half];
		}
	}
	if (threadIdx.x == 0) {
		a.sums[0] = weights[0];
		a.sums[1] = mistakes[0];
	}
}
