// Softmax and its logarithm, with their gradients: device.Softmaxes.
//
//	softmax       y = eˣ⁻ᵗ / Σ eˣ⁻ᵗ with the largest t      dx = y·(g − Σ g·y)
//	log softmax   y = (x − t) − log Σ eˣ⁻ᵗ                  dx = g − eʸ·Σ g
//
// Sums are kept in double. A team of threads has a row, which it goes through up to three times: all
// but the first find it in a cache. softmax.go launches all of these.
#include "reduce.cuh"

struct SoftmaxArgs {
	Array out, x, g; // for the gradient x is y
	int64_t count;   // elements of a row
	int64_t by[3];   // from one to the next, in out, x and g
	int32_t team, log;
	int32_t vectors, pad; // rows are dense packs
	Walk rows;            // of out, x and g
};

__device__ __forceinline__ float exponential(float v) { return expf(v); }
RARE double exponential(double v) { return exp(v); }
RARE double logarithm(double v) { return log(v); }

// A SoftmaxRow is where a row begins in each array, and how many of its elements a thread looks at together.
template <class T, int n> struct SoftmaxRow {
	typedef typename T::C C;
	const SoftmaxArgs &a;
	const Team &team;
	int64_t count, at[3];

	template <class Visit> __device__ __forceinline__ void each(Visit visit) const {
#pragma unroll (n == 1 ? T::unroll : 1)
		for (int64_t i = team.lane * n; i < count; i += team.size * n) visit(i);
	}
	__device__ __forceinline__ void get(C (&v)[n], const Array &array, int number, int64_t i) const {
		T::get(v, array, at[number] + (n == 1 ? i * a.by[number] : i));
	}
	__device__ __forceinline__ void set(int64_t i, const C (&v)[n]) const {
		T::set(a.out, at[0] + (n == 1 ? i * a.by[0] : i), v);
	}

	__device__ __forceinline__ void softmax() const {
		C top = lowest<C>(), v[n];
#pragma unroll 2
		for (int64_t i = team.lane * n; i < count; i += team.size * n) { // from memory, and so two at a time
			get(v, a.x, 1, i);
#pragma unroll
			for (int k = 0; k < n; k++) top = Larger()(top, v[k]);
		}
		top = team.fold(top, Larger());
		double sum = 0;
		each([&](int64_t i) {
			get(v, a.x, 1, i);
#pragma unroll
			for (int k = 0; k < n; k++) sum += exponential(v[k] - top);
		});
		sum = added(team.kind, sum);
		C shift = static_cast<C>(a.log ? logarithm(sum) : 1 / sum);
		each([&](int64_t i) {
			get(v, a.x, 1, i);
#pragma unroll
			for (int k = 0; k < n; k++) {
				v[k] -= top;
				v[k] = a.log ? v[k] - shift : exponential(v[k]) * shift;
			}
			set(i, v);
		});
	}

	__device__ __forceinline__ void gradient() const {
		C y[n], g[n];
		double sum = 0;
		each([&](int64_t i) {
			get(g, a.g, 2, i);
			if (!a.log) get(y, a.x, 1, i);
#pragma unroll
			for (int k = 0; k < n; k++) sum = fma(static_cast<double>(g[k]), a.log ? 1 : static_cast<double>(y[k]), sum);
		});
		C total = static_cast<C>(added(team.kind, sum));
		each([&](int64_t i) {
			get(g, a.g, 2, i);
			get(y, a.x, 1, i);
#pragma unroll
			for (int k = 0; k < n; k++) y[k] = a.log ? g[k] - exponential(y[k]) * total : y[k] * (g[k] - total);
			set(i, y);
		});
	}
};

template <class T, bool gradient> __device__ __forceinline__ void rows_of(const SoftmaxArgs &a) {
	Team team(a.team);
	for (int64_t from = blockIdx.x * int64_t(team.rows); from < a.rows.total; from += gridDim.x * int64_t(team.rows)) {
		int64_t i = from + team.place, at[3] = {0, 0, 0};
		bool live = i < a.rows.total;
		if (live) seek_row(a.rows, i, at);
		auto go = [&](auto row) {
			if constexpr (gradient) row.gradient();
			else row.softmax();
		};
		if constexpr (T::wide > 1) {
			if (a.vectors) {
				go(SoftmaxRow<T, T::wide>{a, team, live ? a.count : 0, {at[0], at[1], at[2]}});
				continue;
			}
		}
		go(SoftmaxRow<T, 1>{a, team, live ? a.count : 0, {at[0], at[1], at[2]}});
	}
}

#define ONE_BLOCK 1024, 1 // where one has so many threads, which have 64 registers each then

#define KERNELS(suffix, ...) \
	KERNEL_BOUNDS(softmax_##suffix, SoftmaxArgs, ONE_BLOCK) { rows_of<__VA_ARGS__, false>(a); } \
	KERNEL_BOUNDS(softmax_grad_##suffix, SoftmaxArgs, ONE_BLOCK) { rows_of<__VA_ARGS__, true>(a); }
KERNELS(f32, OneType<float>)
KERNELS(f16, OneType<half_t>)
KERNELS(bf16, OneType<bfloat_t>)
KERNELS(any, AnyType)
