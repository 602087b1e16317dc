// Scaled dot product attention, tile by tile: no matrix of all scores is in memory.
//
//	out = softmax(scale·q·kᵀ + mask)·v      lse = log Σ exp(scale·q·kᵀ + mask)
//
// A block has some queries, and goes through the keys. It knows the largest score so far of each of
// its rows; where a later tile has a larger one, what was summed up is brought to its scale, see
// https://arxiv.org/abs/2205.14135. Where there are few queries and many keys, several blocks share
// these, and attend_join joins what they have.
#include "attention_core.cuh"
#include "attention_tile.cuh"

// attend is launched by Attend: blocks x are tiles of queries of each member of the batch, those that
// see the most keys first; blocks y are tiles of columns, and blocks z parts of the keys. E makes the
// products.
template <class E> __device__ __forceinline__ void attend(const AttendArgs &a) {
	typedef typename E::C C;
	DYNAMIC_SHARED(unsigned char, shared);
	State<C> &state = *reinterpret_cast<State<C> *>(shared);
	C *scores = reinterpret_cast<C *>(shared + State<C>::Bytes);
	E engine(scores + E::Rows * E::Pitch, scores, a);
	uint32_t tiles = (a.t + E::Rows - 1) / E::Rows, member = blockIdx.x / tiles;
	int32_t from = (tiles - 1 - blockIdx.x % tiles) * E::Rows, left = blockIdx.y * E::Columns;
	int32_t right = left + E::Columns < a.e ? left + E::Columns : a.e;
	state.begin(a, member);
	typename E::Sums sums;
	engine.clear(sums);
	int32_t begin = blockIdx.z * a.deep, keys = visible(a, from + E::Rows);
	if (a.splits > 1) keys = min(keys, begin + a.deep);
	bool busy = engine.busy(a.t - from);
	typename E::Operand q = engine.start(0, state.of[Q], from, a.t, 0, a.d), k = engine.start(1, state.of[K], begin, keys, 0, a.d);
#pragma unroll 1
	for (int32_t k0 = begin; k0 < keys; k0 += E::Rows) { // values come while scores are computed, and the next keys after them
		typename E::Operand v = engine.start(2, state.of[V], k0, keys, left, right);
		engine.template await<1>();
		if (busy) engine.scores(scores, q, k);
		engine.done();
		k = engine.start(1, state.of[K], k0 + E::Rows, keys, 0, a.d);
		if (busy) soften<E>(a, from, k0, scores, state);
		engine.template await<1>(v);
		if (busy) {
			engine.template ready<false>(scores, state.part, v);
			engine.scale(sums, state.factor);
			engine.template add<false, false>(sums, scores, state.part, v);
		}
		engine.done();
	}
	engine.template await<0>();
	int64_t row = static_cast<int64_t>(member) * a.t + from; // of all rows
	if (a.splits > 1) {
		row += static_cast<int64_t>(blockIdx.z) * (gridDim.x / tiles) * a.t;
		C *parts = static_cast<C *>(a.parts);
		engine.each(sums, scores, [&](int r, int c, C v) {
			if (from + r < a.t && left + c < right) parts[(row + r) * a.e + left + c] = v;
		});
		for (int r = threadIdx.x; r < E::Rows && left == 0; r += E::Threads)
			if (from + r < a.t) a.heads[2 * (row + r)] = state.top[r], a.heads[2 * (row + r) + 1] = state.sum[r];
		return;
	}
	engine.each(sums, scores, [&](int r, int c, C v) {
		double sum = state.sum[r];
		if (from + r < a.t && left + c < right)
			state.of[Out].template set<C>(from + r, left + c, sum == 0 ? C(0) : v * static_cast<C>(a.kept / sum));
	});
	__syncthreads();
	for (int r = threadIdx.x; r < E::Rows && left == 0; r += E::Threads)
		if (from + r < a.t) state.of[Lse].template set<C>(from + r, 0, static_cast<C>(state.top[r] + log(state.sum[r])));
}

KERNEL_BOUNDS(attend_f32, AttendArgs, BOUNDS(Tile32)) { attend<Tile32>(a); }
KERNEL_BOUNDS(attend_wide_f32, AttendArgs, BOUNDS(Wide32)) { attend<Wide32>(a); }
KERNEL_BOUNDS(attend_f64, AttendArgs, BOUNDS(Tile64)) { attend<Tile64>(a); }
KERNEL_BOUNDS(attend_f16, AttendArgs, BOUNDS(Core<half_t>)) { attend<Core<half_t>>(a); }
KERNEL_BOUNDS(attend_bf16, AttendArgs, BOUNDS(Core<bfloat_t>)) { BFLOAT_CORES((attend<Core<bfloat_t>>(a))); }

// attend_join is launched by Attend after an attend with parts: it brings them to the scale of the
// largest score, adds them in order, and has a thread for each element of the output.
template <class C> __device__ __forceinline__ void attend_join(const AttendArgs &a) {
	int64_t rows = a.t;
	for (int d = 0; d < a.dims; d++) rows *= a.size[d];
	for (int64_t i = first(); i < rows * a.e; i += step()) {
		int64_t row = i / a.e;
		double top = -INFINITY, sum = 0;
		for (int32_t s = 0; s < a.splits; s++) top = fmax(top, a.heads[2 * (s * rows + row)]);
		double base = top == -INFINITY ? 0 : top;
		C v = 0;
		for (int32_t s = 0; s < a.splits; s++) {
			const double *head = a.heads + 2 * (s * rows + row);
			C factor = exponential(static_cast<C>(head[0] - base));
			sum += head[1] * factor;
			v = mad(static_cast<const C *>(a.parts)[s * rows * a.e + i], factor, v);
		}
		uint32_t member = static_cast<uint32_t>(row / a.t);
		int32_t query = static_cast<int32_t>(row - static_cast<int64_t>(member) * a.t), column = static_cast<int32_t>(i - row * a.e);
		matrix_of(a, Out, member).template set<C>(query, column, sum == 0 ? C(0) : v * static_cast<C>(a.kept / sum));
		if (column == 0) matrix_of(a, Lse, member).template set<C>(query, 0, static_cast<C>(top + log(sum)));
	}
}

KERNEL_BOUNDS(attend_join_f32, AttendArgs, 256) { attend_join<float>(a); }
KERNEL_BOUNDS(attend_join_f64, AttendArgs, 256) { attend_join<double>(a); }
