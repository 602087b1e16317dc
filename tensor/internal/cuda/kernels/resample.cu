// Weighted sums of elements along one dimension:
//
//	out[…, i, …] = Σ weights[k]·x[…, places[k], …]  over k from starts[i] up to starts[i+1]
#include "table.cuh"
#include "walk.cuh"

struct ResampleArgs {
	Array out, x;
	Walk walk;                    // through the lines along the dimension, of out and x
	int64_t size;                 // of out along it
	int64_t out_stride, x_stride; // along it
	int32_t taps;
	int32_t last; // whether the dimension is the last one, so that its elements lie together
	Table table;  // weights in the type of the sums, starts, places
};

// resample has a thread for each element of out. Resample launches it.
template <class C> __device__ void resample(const ResampleArgs &a) {
	TABLE(words, a.table);
	const C *weights = reinterpret_cast<const C *>(words);
	const int32_t *starts = reinterpret_cast<const int32_t *>(weights + a.taps), *places = starts + a.size + 1;
	int64_t total = a.walk.total * a.size, fast = a.last ? a.size : a.walk.total;
	for (int64_t t = first(); t < total; t += step()) {
		int64_t slow = total <= UINT32_MAX ? static_cast<uint32_t>(t) / static_cast<uint32_t>(fast) : t / fast;
		int64_t rest = t - slow * fast, line = a.last ? slow : rest, i = a.last ? rest : slow, at[2];
		seek(a.walk, line, at);
		C sum = 0;
		for (int k = starts[i]; k < starts[i + 1]; k++)
			sum += weights[k] * get<Mixed, C>(a.x, at[1] + places[k] * a.x_stride);
		put<Mixed, C>(a.out, at[0] + i * a.out_stride, sum);
	}
}

KERNEL(resample_f32, ResampleArgs) { resample<float>(a); }
KERNEL(resample_f64, ResampleArgs) { resample<double>(a); }
