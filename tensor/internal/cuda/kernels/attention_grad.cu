// The gradients of attention, with weights P = softmax(S) and dropout's factors F:
//
//	dV = (P∘F)ᵀ·G    dP = (G·Vᵀ)∘F    mean = Σ P∘dP of each row
//	dS = P∘(dP − mean)    dQ = scale·dS·K    dK = scale·dSᵀ·Q    dmask = dS
//
// Each gradient has a kernel whose blocks own rows of it, so that no two add to one element. Weights
// are computed anew, from the logarithms of the sums that Attend has left.
#include "attention_core.cuh"
#include "attention_tile.cuh"

// TILES declares what a block has in shared memory: state, two tiles, and what engine needs.
#define TILES(E) \
	typedef typename E::C C; \
	DYNAMIC_SHARED(unsigned char, shared); \
	State<C> &state = *reinterpret_cast<State<C> *>(shared); \
	C *scores = reinterpret_cast<C *>(shared + State<C>::Bytes), *slopes = scores + E::Rows * E::Pitch; \
	E engine(slopes + E::Rows * E::Pitch, scores, a)

// A Pair is the rows of two matrices that a round of a loop needs. Where there is room for both, the
// second comes while the first is multiplied; else each is brought when it is asked for.
template <class E> struct Pair {
	const E &engine;
	int32_t row, end, widths[2];
	const Matrix &one, &two;
	typename E::Operand x, y;

	__device__ __forceinline__ Pair(const E &engine, int32_t row, int32_t end, const Matrix &one, int32_t width1, const Matrix &two, int32_t width2)
		: engine(engine), row(row), end(end), widths{width1, width2}, one(one), two(two) {
		if (!engine.apart) return;
		engine.done();
		x = engine.start(2, one, row, end, 0, width1);
		y = engine.start(3, two, row, end, 0, width2);
	}
	__device__ __forceinline__ typename E::Operand first() {
		if (!engine.apart) return engine.bring(2, one, row, end, 0, widths[0]);
		engine.template await<1>();
		return x;
	}
	__device__ __forceinline__ typename E::Operand second() {
		if (!engine.apart) return engine.bring(2, two, row, end, 0, widths[1]);
		engine.template await<0>();
		return y;
	}
	// first and second of columns return these for a product with weights.
	__device__ __forceinline__ typename E::Operand first(int32_t left, int32_t right) {
		if (!engine.apart) return engine.bring(2, one, row, end, left, right);
		engine.done(x);
		return engine.part(x, left, right);
	}
	__device__ __forceinline__ typename E::Operand second(int32_t left, int32_t right) {
		if (!engine.apart) return engine.bring(2, two, row, end, left, right);
		engine.template await<0>(y);
		return engine.part(y, left, right);
	}
};

// attend_mean computes the means of rows. AttendGrad launches it before the kernels of dQ and dK,
// with a block for each tile of queries of each member of the batch.
template <class E> __device__ __forceinline__ void attend_mean(const AttendArgs &a) {
	TILES(E);
	uint32_t tiles = (a.t + E::Rows - 1) / E::Rows, member = blockIdx.x / tiles;
	int32_t from = (tiles - 1 - blockIdx.x % tiles) * E::Rows;
	state.begin(a, member);
	typename E::Operand q = engine.bring(0, state.of[Q], from, a.t, 0, a.d);
	typename E::Operand g = engine.bring(1, state.of[Grad], from, a.t, 0, a.e);
	__syncthreads();
	int32_t keys = visible(a, from + E::Rows);
#pragma unroll 1
	for (int32_t k0 = 0; k0 < keys; k0 += E::Rows) {
		Pair<E> p(engine, k0, keys, state.of[K], a.d, state.of[V], a.e);
		engine.scores(scores, q, p.first());
		engine.scores(slopes, g, p.second());
		weigh<E, Means>(a, from, k0, scores, slopes, state, false);
	}
	__syncthreads();
	for (int r = threadIdx.x; r < E::Rows; r += E::Threads)
		if (from + r < a.t) state.of[Mean].template set<C>(from + r, 0, static_cast<C>(state.sum[r]));
}

KERNEL_BOUNDS(attend_mean_f32, AttendArgs, BOUNDS(Tile32)) { attend_mean<Tile32>(a); }
KERNEL_BOUNDS(attend_mean_f64, AttendArgs, BOUNDS(Tile64)) { attend_mean<Tile64>(a); }
KERNEL_BOUNDS(attend_mean_f16, AttendArgs, BOUNDS(Core<half_t>)) { attend_mean<Core<half_t>>(a); }
KERNEL_BOUNDS(attend_mean_bf16, AttendArgs, BOUNDS(Core<bfloat_t>)) { BFLOAT_CORES((attend_mean<Core<bfloat_t>>(a))); }

// attend_dq computes dQ and dmask, either of which may be missing. Blocks are as those of attend.
template <class E> __device__ __forceinline__ void attend_dq(const AttendArgs &a) {
	TILES(E);
	uint32_t tiles = (a.t + E::Rows - 1) / E::Rows, member = blockIdx.x / tiles;
	int32_t from = (tiles - 1 - blockIdx.x % tiles) * E::Rows, left = blockIdx.y * E::Columns;
	int32_t right = left + E::Columns < a.d ? left + E::Columns : a.d;
	state.begin(a, member);
	typename E::Sums sums;
	engine.clear(sums);
	typename E::Operand q = engine.bring(0, state.of[Q], from, a.t, 0, a.d);
	typename E::Operand g = engine.bring(1, state.of[Grad], from, a.t, 0, a.e);
	int32_t keys = visible(a, from + E::Rows);
#pragma unroll 1
	for (int32_t k0 = 0; k0 < keys; k0 += E::Rows) {
		Pair<E> p(engine, k0, keys, state.of[K], a.d, state.of[V], a.e);
		engine.scores(scores, q, p.first());
		engine.scores(slopes, g, p.second());
		weigh<E, Slopes>(a, from, k0, scores, slopes, state, state.of[DMask].data && left == 0);
		if (!state.of[Out].data) continue;
		typename E::Operand x = p.first(left, right);
		engine.template ready<true>(scores, state.part, x);
		engine.template add<false, true>(sums, scores, state.part, x);
	}
	engine.each(sums, scores, [&](int r, int c, C v) {
		if (state.of[Out].data && from + r < a.t && left + c < right) state.of[Out].template set<C>(from + r, left + c, v * static_cast<C>(a.scale));
	});
}

KERNEL_BOUNDS(attend_dq_f32, AttendArgs, BOUNDS(Tile32)) { attend_dq<Tile32>(a); }
KERNEL_BOUNDS(attend_dq_f64, AttendArgs, BOUNDS(Tile64)) { attend_dq<Tile64>(a); }
KERNEL_BOUNDS(attend_dq_f16, AttendArgs, BOUNDS(Core<half_t>)) { attend_dq<Core<half_t>>(a); }
KERNEL_BOUNDS(attend_dq_bf16, AttendArgs, BOUNDS(Core<bfloat_t>)) { BFLOAT_CORES((attend_dq<Core<bfloat_t>>(a))); }

// attend_dkv computes dK, or dV. AttendGrad launches it: blocks x are tiles of keys of each member of
// the batch, those that the most queries see first; blocks y are tiles of columns.
template <class E, bool Keys> __device__ __forceinline__ void attend_dkv(const AttendArgs &a) {
	TILES(E);
	uint32_t tiles = (a.s + E::Rows - 1) / E::Rows, member = blockIdx.x / tiles;
	int32_t k0 = blockIdx.x % tiles * E::Rows, left = blockIdx.y * E::Columns;
	int32_t columns = Keys ? a.d : a.e, right = left + E::Columns < columns ? left + E::Columns : columns;
	state.begin(a, member);
	typename E::Sums sums;
	engine.clear(sums);
	typename E::Operand k = engine.bring(0, state.of[K], k0, a.s, 0, a.d), v = k;
	if (Keys) v = engine.bring(1, state.of[V], k0, a.s, 0, a.e);
#pragma unroll 1
	for (int32_t from = a.causal ? k0 : 0; from < a.t; from += E::Rows) {
		Pair<E> p(engine, from, a.t, state.of[Q], a.d, state.of[Grad], a.e);
		engine.scores(scores, p.first(), k);
		if (Keys) engine.scores(slopes, p.second(), v);
		weigh<E, Keys ? Slopes : Weights>(a, from, k0, scores, slopes, state, false);
		typename E::Operand x = Keys ? p.first(left, right) : p.second(left, right);
		engine.template ready<Keys>(scores, state.part, x);
		engine.done(); // weights are there for all threads
		engine.template add<true, Keys>(sums, scores, state.part, x);
	}
	C factor = static_cast<C>(Keys ? a.scale : a.kept);
	int32_t seen = visible(a, a.t);
	engine.each(sums, scores, [&](int r, int c, C v) {
		if (k0 + r < a.s && left + c < right) state.of[Out].template set<C>(k0 + r, left + c, k0 + r < seen ? v * factor : C(0));
	});
}

KERNEL_BOUNDS(attend_dk_f32, AttendArgs, BOUNDS(Tile32)) { attend_dkv<Tile32, true>(a); }
KERNEL_BOUNDS(attend_dk_f64, AttendArgs, BOUNDS(Tile64)) { attend_dkv<Tile64, true>(a); }
KERNEL_BOUNDS(attend_dk_f16, AttendArgs, BOUNDS(Core<half_t>)) { attend_dkv<Core<half_t>, true>(a); }
KERNEL_BOUNDS(attend_dk_bf16, AttendArgs, BOUNDS(Core<bfloat_t>)) { BFLOAT_CORES((attend_dkv<Core<bfloat_t>, true>(a))); }
KERNEL_BOUNDS(attend_dv_f32, AttendArgs, BOUNDS(Tile32)) { attend_dkv<Tile32, false>(a); }
KERNEL_BOUNDS(attend_dv_f64, AttendArgs, BOUNDS(Tile64)) { attend_dkv<Tile64, false>(a); }
KERNEL_BOUNDS(attend_dv_f16, AttendArgs, BOUNDS(Core<half_t>)) { attend_dkv<Core<half_t>, false>(a); }
KERNEL_BOUNDS(attend_dv_bf16, AttendArgs, BOUNDS(Core<bfloat_t>)) { BFLOAT_CORES((attend_dkv<Core<bfloat_t>, false>(a))); }
