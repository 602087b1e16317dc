// Positions are checked where they are used, so that the host need not wait to see them.
//
//	out[i] = −1 if skip has x[i], else x[i] if 0 ≤ x[i] < n, else x[i] + n if back and −n ≤ x[i] < 0,
//	         else −1, and a mistake
//	found  = the number of mistakes, the place i of the first one, and x[i] there
//	total  = Σ weight[x[i]] over those that are in range, or their number
#include "common.cuh"

struct CheckArgs {
	Array weight; // data is null where all weigh 1
	int64_t *out;
	const int64_t *x;
	int64_t *found; // zeros, of which the fourth counts the blocks that are done
	double *total;  // null where it is not asked for
	double *parts;  // of total, one of each block
	int64_t count, n;
	int64_t weight_stride;
	int64_t skip[8];
	int32_t skips;
	int32_t back;
};

constexpr int Threads = 256;

// sum_of adds up what the threads of the block have, in a fixed order, for the first of them.
static __device__ double sum_of(double v) {
	__shared__ double all[Threads];
	all[threadIdx.x] = v;
	for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half) all[threadIdx.x] += all[threadIdx.x + half];
	}
	__syncthreads();
	return all[0];
}

// Blocks have a power of two of threads. Mistakes are rare, so that threads count theirs one by one;
// the place of the first is the largest distance from the end.
KERNEL_BOUNDS(check, CheckArgs, Threads) {
	typedef unsigned long long Counter;
	double sum = 0;
	int64_t mistakes = 0, farthest = 0;
	for (int64_t i = first(); i < a.count; i += step()) {
		int64_t k = a.x[i];
		bool skipped = false;
		for (int s = 0; s < a.skips; s++) skipped |= k == a.skip[s];
		if (a.back && k < 0 && k >= -a.n) k += a.n;
		if (skipped) {
			k = -1;
		} else if (k < 0 || k >= a.n) {
			k = -1;
			if (mistakes++ == 0) farthest = a.count - i;
		} else if (a.total) {
			sum += a.weight.data ? load<double>(a.weight, k * a.weight_stride) : 1;
		}
		a.out[i] = k;
	}
	if (mistakes > 0) {
		atomicAdd(reinterpret_cast<Counter *>(a.found), static_cast<Counter>(mistakes));
		atomicMax(reinterpret_cast<Counter *>(a.found + 1), static_cast<Counter>(farthest));
	}
	if (a.total) {
		sum = sum_of(sum);
		if (threadIdx.x == 0) a.parts[blockIdx.x] = sum;
	}
	__shared__ bool last;
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0) last = atomicAdd(reinterpret_cast<Counter *>(a.found + 3), Counter(1)) == gridDim.x - 1;
	__syncthreads();
	if (!last) return;
	__threadfence();
	if (threadIdx.x == 0) {
		volatile int64_t *found = a.found;
		found[3] = 0;
		if (found[0] > 0) {
			found[1] = a.count - found[1];
			found[2] = a.x[found[1]];
		}
	}
	if (a.total) {
		volatile double *parts = a.parts;
		sum = 0;
		for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += parts[i];
		sum = sum_of(sum);
		if (threadIdx.x == 0) *a.total = sum;
	}
}
