// Scaled dot product attention, tile by tile: no matrix of all scores is in memory.
//
//	out = softmax(scale·q·kᵀ + mask)·v      lse = log Σ exp(scale·q·kᵀ + mask)
//
// A block has some queries, and goes through the keys. It knows the largest score so far of each of
// its rows; where a later tile has a larger one, what was summed up is brought to its scale, see
// https://arxiv.org/abs/2205.14135.
#include "attention_core.cuh"
#include "attention_tile.cuh"

// attend is launched by Attend: blocks x are tiles of queries of each member of the batch, those that
// see the most keys first; blocks y are tiles of columns. E makes the products.
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
	int32_t keys = visible(a, from + E::Rows);
	typename E::Operand q = engine.start(0, state.of[Q], from, a.t, 0, a.d), k = engine.start(1, state.of[K], 0, keys, 0, a.d);
#pragma unroll 1
	for (int32_t k0 = 0; k0 < keys; k0 += E::Rows) { // values come while scores are computed, and the next keys after them
		typename E::Operand v = engine.start(2, state.of[V], k0, keys, left, right);
		engine.template await<1>();
		engine.scores(scores, q, k);
		engine.done();
		k = engine.start(1, state.of[K], k0 + E::Rows, keys, 0, a.d);
		soften<E>(a, from, k0, scores, state);
		engine.template ready<false>(scores, state.part);
		engine.scale(sums, state.factor);
		engine.template await<1>();
		engine.template add<false, false>(sums, scores, state.part, v);
		engine.done();
	}
	engine.template await<0>();
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
