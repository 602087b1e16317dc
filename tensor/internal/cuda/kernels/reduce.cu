// Folds over dimensions: device.Reduce.
//
//	out[i] = x[i, 0] ⊕ x[i, 1] ⊕ …
//
// A team of threads folds a row, or a piece of one, and what the pieces give is folded by a second
// kernel. The folds with two numbers in hand go through their piece twice and join pieces so that
// nothing cancels or overflows:
//
//	Var        mean m and M = Σ(x − m)²                  M = Σ Mᵢ + nᵢ·(mᵢ − m)²
//	LogSumExp  largest t and s = Σ eˣ⁻ᵗ                  s = Σ sᵢ·e^(tᵢ − t)
//	PNorm      extreme u and s = Σ (|x|/u)ᵖ              s = Σ sᵢ·(uᵢ/u)ᵖ
//
// reduction.go launches all of these.
#include "reduce.cuh"

// The folds, numbered as device.ReduceOp.
enum Op : int32_t { Sum, Mean, Prod, Any, All, Max, Min, ArgMax, ArgMin, Var, PNorm, LogSumExp };

// What is made of elements before they are added.
enum Map : int32_t {
	Nothing, // they are not added
	Same,
	Nonzero,
	Zero,
	Size,
	Square, // (v − c)²
	Power,  // (|v|/c)^p
	Exp     // e^(v − c)
};

struct ReduceArgs {
	Array out, x;
	double p;
	int64_t count, each; // elements folded into one, and those of a piece
	void *parts;         // [rows, pieces] of Two<S, S>, where there is more than one piece
	int32_t op, map;
	int32_t best; // 1 where the largest is looked for, -1 where the smallest
	int32_t team, pieces, vectors;
	Walk kept;    // of out and x
	Walk reduced; // of x
};

// offset_of is where element i of a row is.
RARE int64_t offset_of(const Walk &w, int64_t i) {
	int64_t at[2]; // which makes less code than one
	seek(w, i, at);
	return at[0];
}

RARE int64_t any_whole(const Array &a, int64_t i) { return load<int64_t>(a, i); }
template <class C> __device__ __forceinline__ C any_of(const Array &a, int64_t i) { return any_get(a, i); }
template <> __device__ __forceinline__ int64_t any_of(const Array &a, int64_t i) { return any_whole(a, i); }

// AnyRow reads the elements of a row of any type and strides.
template <class S> struct AnyRow {
	typedef S compute;
	const ReduceArgs &a;
	int64_t base;

	// each shows visit the elements from lo up to hi that are this thread's, with their numbers.
	template <class Visit>
	__device__ __forceinline__ void each(const Team &team, int64_t lo, int64_t hi, Visit visit) const {
		const Walk &w = a.reduced;
#pragma unroll 1
		for (int64_t i = lo + team.lane; i < hi; i += team.size)
			visit(i, any_of<S>(a.x, base + (w.dims > 1 ? offset_of(w, i) : i * w.stride[0][0])));
	}
};

// TypedRow reads those of one type, which lie along up to two dimensions.
template <class T> struct TypedRow {
	typedef compute_t<T> compute;
	const ReduceArgs &a;
	int64_t base;

	template <class Visit>
	__device__ __forceinline__ void each(const Team &team, int64_t lo, int64_t hi, Visit visit) const {
		const Walk &w = a.reduced;
		uint32_t at = static_cast<uint32_t>(lo) + team.lane, by = team.size;
		if (a.vectors) {
			constexpr int wide = Pack<T>::size;
			uint32_t whole = static_cast<uint32_t>(hi) / wide * wide; // pieces begin at whole packs
			uint32_t i = static_cast<uint32_t>(lo) + team.lane * wide, on = team.size * wide;
			compute next[wide];
			if (i < whole) OneType<T>::get(next, a.x, base + i);
#pragma unroll 1
			for (; i < whole; i += on) { // the next pack is on its way while this one is looked at
				compute v[wide];
#pragma unroll
				for (int k = 0; k < wide; k++) v[k] = next[k];
				if (i + on < whole) OneType<T>::get(next, a.x, base + i + on);
#pragma unroll
				for (int k = 0; k < wide; k++) visit(i + k, v[k]);
			}
			if (hi > lo) at = whole + team.lane;
		}
		// Between the places along both dimensions it does not divide.
		bool two = w.dims > 1;
		uint32_t line = two ? static_cast<uint32_t>(w.size[1]) : UINT32_MAX, p = at / line, q = at % line, dp = by / line, dq = by - dp * line;
		int64_t outer = two ? w.stride[0][0] : 0, inner = two ? w.stride[0][1] : w.stride[0][0];
#pragma unroll 4
		for (; at < hi; at += by) {
			compute v[1];
			OneType<T>::get(v, a.x, base + p * outer + q * inner);
			visit(at, v[0]);
			p += dp, q += dq;
			if (q >= line) q -= line, p++;
		}
	}
};

// What few programs need of doubles is large, and stands once.
RARE double raised(double v, double p) { return p == 2 ? v * v : pow(v, p); }
RARE double exponential(double v) { return exp(v); }

// unit is what elements are divided by before they are raised to the power p, for their extreme: of
// squares a power of two, which rounds nothing. 0 means that the extreme is the result.
RARE double unit(double extreme, double p) {
	if (extreme == 0 || !isfinite(extreme)) return 0;
	return p == 2 ? ldexp(1.0, ilogb(extreme)) : extreme;
}

template <class S> __device__ __forceinline__ S mapped(int map, S v, S c, double p) {
	switch (map) {
	case Nonzero: return v != 0;
	case Zero: return v == 0;
	case Square: return (v - c) * (v - c);
	}
	if constexpr (element<S>::dtype == Float64) {
		switch (map) {
		case Size: return fabs(v);
		case Power: return raised(fabs(v) / c, p);
		case Exp: return exponential(v - c);
		}
	}
	return v;
}

// Of a piece of a row, a team has two numbers in hand: the extreme, or the mean, or nothing; and the
// place of the extreme, or the sum, or the product.

// best finds the largest element, or the smallest, and where it is first.
template <class S, bool all, class Row>
__device__ __forceinline__ Two<S, S> best(const ReduceArgs &a, const Row &row, const Team &team, int64_t lo, int64_t hi) {
	typedef typename Row::compute C;
	bool down = a.best < 0, sizes = all && a.op == PNorm;
	Two<C, int64_t> most = {sizes && !down ? C(0) : lowest<C>(), INT64_MAX};
	row.each(team, lo, hi, [&](int64_t i, C v) {
		if (sizes && v < 0) v = -v;
		v = turned(v, down);
		if (most.b == INT64_MAX || Larger::before(v, most.a)) most = {v, i};
	});
	most = team.fold(most, Larger());
	return {static_cast<S>(turned(most.a, down)), static_cast<S>(most.b)};
}

// piece folds the elements from lo up to hi; all says that it knows all folds.
template <class S, bool all, class Row>
__device__ __forceinline__ Two<S, S> piece(const ReduceArgs &a, const Row &row, const Team &team, int64_t lo, int64_t hi) {
	Two<S, S> t = {0, 0};
	S c = 0;
	if (a.best != 0) {
		t = best<S, all>(a, row, team, lo, hi);
		if (a.map == Nothing) return t;
		if constexpr (all && element<S>::dtype == Float64) {
			c = a.op == PNorm ? unit(t.a, a.p) : t.a;
			if (a.op == PNorm ? c == 0 : isinf(c)) hi = lo; // not to return: others of the block have barriers ahead
		}
	}
	if constexpr (all) {
		if (a.op == Prod) {
			S product = 1;
			row.each(team, lo, hi, [&](int64_t, S v) { product *= v; });
			return {0, team.fold(product, Times())};
		}
	}
	for (int pass = a.op == Var; pass >= 0; pass--) {
		int map = pass == 1 ? Same : a.map;
		S sum = 0;
		if constexpr (all) {
			row.each(team, lo, hi, [&](int64_t, S v) { sum += mapped<S>(map, v, c, a.p); });
		} else {
			typedef typename Row::compute C;
			if (map == Same) row.each(team, lo, hi, [&](int64_t, C v) { sum += v; });
			else row.each(team, lo, hi, [&](int64_t, C v) { sum += (v - c) * (v - c); });
		}
		t.b = team.fold(sum, Plus());
		if (pass == 1) t.a = c = t.b / static_cast<S>(hi - lo);
	}
	return t;
}

RARE void put_whole(const Array &a, int64_t i, int64_t v) { store<int64_t>(a, i, v); }
template <class S> __device__ __forceinline__ void put(const Array &a, int64_t i, S v) { any_set(a, i, v); }
template <> __device__ __forceinline__ void put(const Array &a, int64_t i, int64_t v) { put_whole(a, i, v); }

// value is the result for what a fold has in hand.
template <class S, bool all> __device__ __forceinline__ S value(const ReduceArgs &a, Two<S, S> t) {
	switch (a.op) {
	case Mean:
		if constexpr (element<S>::dtype == Int64) return a.count == 0 ? 0 : t.b / a.count;
		return t.b / a.count;
	case Any: return t.b != 0;
	case All: return t.b == 0;
	case Max:
	case Min: return t.a;
	}
	if constexpr (element<S>::dtype == Float64) {
		if (a.op == Var) return t.b / fmax(0.0, a.count - a.p);
		if (a.op == PNorm && a.best == 0) return a.map == Square ? sqrt(t.b) : t.b;
		if constexpr (all) {
			if (a.op == LogSumExp) return isinf(t.a) ? t.a : t.a + log(t.b);
			if (a.op == PNorm) {
				double by = a.map == Nothing ? 0 : unit(t.a, a.p);
				if (by == 0) return t.a;
				return by * (a.p == 2 ? sqrt(t.b) : raised(t.b, 1 / a.p));
			}
		}
	}
	return t.b;
}

template <class S, bool all, class Row> __device__ __forceinline__ void reduce(const ReduceArgs &a) {
	Team team(a.team);
	int64_t lo = blockIdx.y * a.each, hi = min(a.count, lo + a.each);
	for (int64_t from = blockIdx.x * int64_t(team.rows); from < a.kept.total; from += gridDim.x * int64_t(team.rows)) {
		int64_t i = from + team.place, at[2] = {0, 0};
		bool live = i < a.kept.total;
		if (live) seek_row(a.kept, i, at);
		Two<S, S> t = piece<S, all>(a, Row{a, at[1]}, team, lo, live ? hi : lo);
		if (!live || team.lane != 0) continue;
		if (a.pieces > 1) static_cast<Two<S, S> *>(a.parts)[i * a.pieces + blockIdx.y] = t;
		else put<S>(a.out, at[0], value<S, all>(a, t));
	}
}

KERNEL(reduce_f32, ReduceArgs) { reduce<double, false, TypedRow<float>>(a); }
KERNEL(reduce_f16, ReduceArgs) { reduce<double, false, TypedRow<half_t>>(a); }
KERNEL(reduce_bf16, ReduceArgs) { reduce<double, false, TypedRow<bfloat_t>>(a); }
KERNEL(reduce_f64, ReduceArgs) { reduce<double, true, AnyRow<double>>(a); }
KERNEL(reduce_i64, ReduceArgs) { reduce<int64_t, true, AnyRow<int64_t>>(a); }

// joined folds what the pieces of a row gave.
template <class S> __device__ __forceinline__ Two<S, S> joined(const ReduceArgs &a, const Team &team, const Two<S, S> *parts) {
	Two<S, S> all = {0, 0};
	S c = 0;
	if (a.best != 0) {
		bool down = a.best < 0;
		all = {lowest<S>(), INT64_MAX};
#pragma unroll 1
		for (int64_t k = team.lane; k < a.pieces; k += team.size)
			all = Larger()(all, Two<S, S>{turned(parts[k].a, down), parts[k].b});
		all = team.fold(all, Larger());
		all.a = turned(all.a, down);
		if (a.map == Nothing) return all;
		if constexpr (element<S>::dtype == Float64) c = a.op == PNorm ? unit(all.a, a.p) : all.a;
		all.b = 0;
		if (a.op == PNorm && c == 0) return all;
	}
	for (int pass = a.op == Var; pass >= 0; pass--) {
		S sum = a.op == Prod;
#pragma unroll 1
		for (int64_t k = team.lane; k < a.pieces; k += team.size) {
			Two<S, S> t = parts[k];
			S size = min(a.count - k * a.each, a.each);
			if (a.op == Prod) sum *= t.b;
			else if (pass == 1) sum += t.a * size;
			else if (a.op == Var) sum += t.b + size * ((t.a - c) * (t.a - c));
			else if (a.best == 0) sum += t.b;
			else if constexpr (element<S>::dtype == Float64) {
				if (t.b != 0) sum += t.b * (a.op == PNorm ? raised(unit(t.a, a.p) / c, a.p) : exponential(t.a - c));
			}
		}
		all.b = a.op == Prod ? team.fold(sum, Times()) : team.fold(sum, Plus());
		if (pass == 1) all.a = c = all.b / static_cast<S>(a.count);
	}
	return all;
}

template <class S> __device__ __forceinline__ void finish(const ReduceArgs &a) {
	Team team(WarpTeam);
	for (int64_t from = blockIdx.x * int64_t(team.rows); from < a.kept.total; from += gridDim.x * int64_t(team.rows)) {
		int64_t i = from + team.place, at[2] = {0, 0};
		if (i >= a.kept.total) return; // all threads of a warp
		Two<S, S> t = joined(a, team, static_cast<const Two<S, S> *>(a.parts) + i * a.pieces);
		seek_row(a.kept, i, at);
		if (team.lane == 0) put<S>(a.out, at[0], value<S, true>(a, t));
	}
}

KERNEL(reduce_finish_f64, ReduceArgs) { finish<double>(a); }
KERNEL(reduce_finish_i64, ReduceArgs) { finish<int64_t>(a); }
