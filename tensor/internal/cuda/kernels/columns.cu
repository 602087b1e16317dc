// Sums of the columns of a matrix, as the gradients of biases are and those of a layer norm's weight.
//
//	db[c] = Σ dy[r, c]
//	dw[c] = Σ dy[r, c]·(x[r, c] − mean[r])·s[r]          s = 1/√(variance + eps)
//
// in double. A thread has as many columns as 16 bytes hold, and every eighth row of its block's.
// columns_… writes what the rows of a block give to parts, and columns_finish adds these. columns.go
// launches both.
#include "reduce.cuh"

typedef Two<double, double> Pair;

struct ColumnsArgs {
	Array dy, x, mean, variance; // x without data: dw is not wanted
	Array dw, db;                // either may have no data
	int64_t rows, columns, each; // each: rows of a block
	int64_t dy_by, x_by, mean_by, variance_by;
	int64_t dw_by, db_by;
	Pair *parts; // [pieces, columns] of dw and db
	double eps, count; // db is divided by count
	int32_t pieces, pad;
};

template <class T> __device__ __forceinline__ void columns(const ColumnsArgs &a) {
	constexpr int n = T::wide;
	typedef typename T::C C;
	Team team(ColumnTeam);
	int64_t c = (blockIdx.x * static_cast<int64_t>(team.rows) + team.place) * n;
	int64_t lo = blockIdx.y * a.each, hi = min(a.rows, lo + a.each);
	bool live = c < a.columns, weights = a.x.data != nullptr;
	double db[n] = {}, dw[n] = {};
	__shared__ float mean[MaxThreads], scale[MaxThreads]; // of the next rows
	for (int64_t from = lo; from < hi; from += MaxThreads) {
		int64_t to = min(hi, from + MaxThreads);
		if (weights) {
			int64_t r = from + threadIdx.y * TeamColumns + threadIdx.x;
			__syncthreads();
			if (r < to) {
				mean[r - from] = a.mean.data == nullptr ? 0 : static_cast<const float *>(a.mean.data)[r * a.mean_by];
				scale[r - from] = static_cast<float>(1 / sqrt(static_cast<const float *>(a.variance.data)[r * a.variance_by] + a.eps));
			}
			__syncthreads();
		}
#pragma unroll 2
		for (int64_t r = from + team.lane; live && r < to; r += team.size) {
			C d[n], v[n];
			T::get(d, a.dy, r * a.dy_by + c);
#pragma unroll
			for (int k = 0; k < n; k++) db[k] += d[k];
			if (!weights) continue;
			T::get(v, a.x, r * a.x_by + c);
			float m = mean[r - from], s = scale[r - from];
#pragma unroll
			for (int k = 0; k < n; k++) dw[k] = fma(static_cast<double>((v[k] - m) * s), static_cast<double>(d[k]), dw[k]);
		}
	}
	__shared__ Pair room[MaxThreads / TeamColumns][TeamColumns];
#pragma unroll
	for (int k = 0; k < n; k++) {
		__syncthreads();
		room[team.lane][team.place] = {dw[k], db[k]};
		__syncthreads();
		if (!live || team.lane != k % team.size) continue; // each lane adds for another column
		Pair sum = room[0][team.place];
#pragma unroll 1
		for (int lane = 1; lane < team.size; lane++) sum = Plus()(sum, room[lane][team.place]);
		a.parts[blockIdx.y * a.columns + c + k] = sum;
	}
}

KERNEL(columns_f32, ColumnsArgs) { columns<OneType<float>>(a); }
KERNEL(columns_f16, ColumnsArgs) { columns<OneType<half_t>>(a); }
KERNEL(columns_bf16, ColumnsArgs) { columns<OneType<bfloat_t>>(a); }

// columns_finish has a thread for each column and eighth of the parts.
KERNEL(columns_finish, ColumnsArgs) {
	Team team(ColumnTeam);
	int64_t c = blockIdx.x * static_cast<int64_t>(team.rows) + team.place;
	Pair sum = {0, 0};
#pragma unroll 4
	for (int k = team.lane; c < a.columns && k < a.pieces; k += team.size) sum = Plus()(sum, a.parts[k * a.columns + c]);
	sum = team.fold(sum, Plus());
	if (c >= a.columns || team.lane != 0) return;
	if (a.dw.data != nullptr) any_set(a.dw, c * a.dw_by, sum.a);
	if (a.db.data != nullptr) any_set(a.db, c * a.db_by, sum.b / a.count);
}
