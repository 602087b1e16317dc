// The gradients of the weight and the bias of a normalisation: device.NormalizeWeightGrad.
//
//	dw = Σ dy·(x − mean)·s, db = Σ dy            s = 1/√(variance + eps)
//
// over all that they are broadcast to. Where a row of the normalisation has one element of the weight to
// itself, norm_grad_… of norm.cu makes the sums of its pieces, and norm_weight_rows adds these.
// Otherwise norm_scales writes the s of every row, norm_weight_… has a team
// for each element of the weight and piece of what it is summed from, and norm_weight_finish adds the
// pieces. norm_weight.go launches all of these.
#include "reduce.cuh"

typedef Two<double, double> Pair;

struct ScaleArgs {
	Array scale, variance; // scale is dense, float or double
	double eps;
	Walk walk;
};

KERNEL(norm_scales, ScaleArgs) {
	for (int64_t i = first(); i < a.walk.total; i += step()) {
		int64_t at[2];
		seek(a.walk, i, at);
		store<double>(a.scale, at[0], 1 / sqrt(load<double>(a.variance, at[1]) + a.eps));
	}
}

struct NormWeightArgs {
	Array dy, x, mean, scale;
	Array dw, db; // dense [rows], or no data
	int64_t count, each;
	Pair *parts; // [pieces, rows], where there is more than one piece
	int32_t team, pieces;
	Walk kept, reduced; // of dy, x, mean and scale
};

template <class T> __device__ __forceinline__ typename T::C one(const Array &a, int64_t i) {
	typename T::C v[1];
	T::get(v, a, i);
	return v[0];
}

template <class T> __device__ __forceinline__ void norm_weight(const NormWeightArgs &a) {
	typedef typename T::C C;
	Team team(a.team);
	int64_t lo = blockIdx.y * a.each, hi = min(a.count, lo + a.each), all = a.kept.total;
	for (int64_t from = blockIdx.x * int64_t(team.rows); from < all; from += gridDim.x * int64_t(team.rows)) {
		int64_t row = from + team.place, base[4] = {0, 0, 0, 0};
		bool live = row < all;
		if (live) seek_row(a.kept, row, base);
		Pair sum = {0, 0};
		auto add = [&](int64_t dy, int64_t x, int64_t mean, int64_t scale) {
			C d = one<T>(a.dy, base[0] + dy);
			sum.b += d;
			if (a.dw.data == nullptr) return;
			C m = a.mean.data == nullptr ? C(0) : static_cast<C>(T::wide == 1 || a.mean.dtype != Float32 ? any_get(a.mean, base[2] + mean) : static_cast<const float *>(a.mean.data)[base[2] + mean]);
			C z = (one<T>(a.x, base[1] + x) - m) * static_cast<const C *>(a.scale.data)[base[3] + scale];
			sum.a = fma(static_cast<double>(z), static_cast<double>(d), sum.a);
		};
		if (T::wide == 1 && a.reduced.dims > 2) {
#pragma unroll 1
			for (int64_t i = lo + team.lane; live && i < hi; i += team.size) {
				int64_t at[4];
				seek(a.reduced, i, at);
				add(at[0], at[1], at[2], at[3]);
			}
		} else { // between the places along both dimensions it does not divide
			const Walk &w = a.reduced;
			bool two = w.dims > 1;
			uint32_t i = static_cast<uint32_t>(lo) + team.lane, by = team.size, line = two ? static_cast<uint32_t>(w.size[1]) : UINT32_MAX;
			uint32_t p = i / line, q = i % line, dp = by / line, dq = by - dp * line;
			int64_t outer[4], inner[4];
#pragma unroll
			for (int k = 0; k < 4; k++) outer[k] = two ? w.stride[k][0] : 0, inner[k] = w.stride[k][two];
#pragma unroll 2
			for (; live && i < hi; i += by) {
				add(p * outer[0] + q * inner[0], p * outer[1] + q * inner[1], p * outer[2] + q * inner[2], p * outer[3] + q * inner[3]);
				p += dp, q += dq;
				if (q >= line) q -= line, p++;
			}
		}
		sum = team.fold(sum, Plus());
		if (!live || team.lane != 0) continue;
		if (a.pieces > 1) {
			a.parts[blockIdx.y * all + row] = sum;
			continue;
		}
		if (a.dw.data != nullptr) store<double>(a.dw, row, sum.a);
		if (a.db.data != nullptr) store<double>(a.db, row, sum.b);
	}
}

KERNEL(norm_weight_f32, NormWeightArgs) { norm_weight<OneType<float>>(a); }
KERNEL(norm_weight_f16, NormWeightArgs) { norm_weight<OneType<half_t>>(a); }
KERNEL(norm_weight_bf16, NormWeightArgs) { norm_weight<OneType<bfloat_t>>(a); }
KERNEL(norm_weight_any, NormWeightArgs) { norm_weight<AnyType>(a); }

struct NormRowsArgs {
	Array variance, dw, db;
	int64_t variance_by, dw_by, db_by, rows;
	const Pair *parts; // [rows, pieces] of Σdy and Σdy·(x − mean)
	double eps;
	int32_t pieces, pad;
};

// norm_weight_rows has a warp for each row, which has an element of the weight to itself.
KERNEL(norm_weight_rows, NormRowsArgs) {
	Team team(WarpTeam);
	int64_t row = blockIdx.x * static_cast<int64_t>(team.rows) + team.place;
	if (row >= a.rows) return;
	Pair sum = {0, 0};
	for (int k = team.lane; k < a.pieces; k += team.size) sum = Plus()(sum, a.parts[row * a.pieces + k]);
	sum = team.fold(sum, Plus());
	if (team.lane != 0) return;
	if (a.dw.data != nullptr) any_set(a.dw, row * a.dw_by, sum.b / sqrt(any_get(a.variance, row * a.variance_by) + a.eps));
	if (a.db.data != nullptr) any_set(a.db, row * a.db_by, sum.a);
}

// norm_weight_finish has a team of a block's column for each element.
KERNEL(norm_weight_finish, NormWeightArgs) {
	Team team(ColumnTeam);
	int64_t all = a.kept.total;
	for (int64_t from = blockIdx.x * int64_t(team.rows); from < all; from += gridDim.x * int64_t(team.rows)) {
		int64_t row = from + team.place;
		Pair sum = {0, 0};
		for (int64_t k = team.lane; row < all && k < a.pieces; k += team.size) sum = Plus()(sum, a.parts[k * all + row]);
		sum = team.fold(sum, Plus());
		if (row >= all || team.lane != 0) continue;
		if (a.dw.data != nullptr) store<double>(a.dw, row, sum.a);
		if (a.db.data != nullptr) store<double>(a.db, row, sum.b);
	}
}
