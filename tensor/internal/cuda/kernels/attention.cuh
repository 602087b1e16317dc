// What attention and its gradients share: where their arrays lie, and what they do with a tile of
// scores in shared memory between two products. The products are made by threads (attention_tile.cuh)
// or by tensor cores (attention_core.cuh).
#pragma once

#include "any.cuh"

// BOUNDS are launch bounds with which so many blocks of E find room on a multiprocessor that the others
// compute while one waits.
#define BOUNDS(E) E::Threads, (E::Threads == 128 ? 3 : 2)

enum AttentionArray { Out, Lse, Q, K, V, Mask, Keep, Grad, DMask, Mean, AttentionArrays };

constexpr int LeadDims = 6;

// An AttendArgs describes one call. Arrays have strides of the leading dimensions, of rows and of
// columns; those that are not there have no data.
struct AttendArgs {
	Array array[AttentionArrays];
	int64_t lead[AttentionArrays][LeadDims];
	int64_t row[AttentionArrays], col[AttentionArrays];
	int64_t size[LeadDims]; // of the leading dimensions
	int32_t t, s, d, e;     // queries, keys, and the sizes of both and of values
	double scale, kept;
	int32_t dims, causal;
	int32_t apart;      // whether gradients have room for all four tiles of inputs
	int32_t splits, deep, pad; // parts that the keys are in, and keys of a part: a multiple of a tile's
	void *parts;        // of sums: [splits, batch, t, e]
	double *heads;      // the largest score and the sum of weights of each: [splits, batch, t, 2]
};

// A Matrix is the part of an array that belongs to one member of the batch.
struct Matrix {
	void *data; // or 0
	int64_t row, col;
	int32_t dtype;

	template <class C> __device__ __forceinline__ C at(int32_t i, int32_t j) const {
		return fetch<C>(data, i * row + j * col, dtype);
	}
	template <class C> __device__ __forceinline__ void set(int32_t i, int32_t j, C v) const {
		leave<C>(data, i * row + j * col, dtype, v);
	}
	__device__ __forceinline__ bool truth(int32_t i, int32_t j) const {
		return static_cast<const uint8_t *>(data)[i * row + j * col];
	}
};

__device__ __forceinline__ int size_of(int dtype) {
	return dtype == Bool ? 1 : dtype == Float16 || dtype == BFloat16 ? 2 : dtype == Float32 ? 4 : 8;
}

__device__ __forceinline__ Matrix matrix_of(const AttendArgs &a, int which, uint32_t member) {
	int64_t offset = 0;
#pragma unroll 1
	for (int d = a.dims - 1; d >= 0; d--) {
		uint32_t size = static_cast<uint32_t>(a.size[d]), next = member / size;
		offset += (member - next * size) * a.lead[which][d];
		member = next;
	}
	const Array &x = a.array[which];
	void *data = x.data ? static_cast<unsigned char *>(x.data) + offset * size_of(x.dtype) : nullptr;
	return Matrix{data, a.row[which], a.col[which], x.dtype};
}

// sees tells whether a query may attend to a key at all.
__device__ __forceinline__ bool sees(const AttendArgs &a, int32_t row, int32_t key) {
	return row < a.t && key < a.s && (!a.causal || key <= row);
}

// visible returns how many keys the queries before number `to` see.
__device__ __forceinline__ int32_t visible(const AttendArgs &a, int32_t to) {
	return a.causal ? min(min(to, a.t), a.s) : a.s;
}

// masked applies the mask to a score.
template <class C> __device__ __forceinline__ C masked(const Matrix &mask, int32_t row, int32_t key, C score) {
	if (!mask.data) return score;
	if (mask.dtype == Bool) return mask.truth(row, key) ? score : C(-INFINITY);
	return score + mask.at<C>(row, key);
}

__device__ __forceinline__ float mad(float a, float b, float c) { return fmaf(a, b, c); }
__device__ __forceinline__ double mad(double a, double b, double c) { return fma(a, b, c); }
__device__ __forceinline__ float exponential(float x) { return expf(x); }
__device__ __forceinline__ double exponential(double x) { return exp(x); }
__device__ __forceinline__ float larger(float a, float b) { return fmaxf(a, b); }
__device__ __forceinline__ double larger(double a, double b) { return fmax(a, b); }

// State is what a block knows of its arrays and of the rows of its tile, in shared memory before the
// tiles themselves.
template <class C> struct State {
	static constexpr int Bytes = 2048, Most = 64;
	C top[Most], factor[Most]; // the largest score so far, and what brings sums to its scale
	double sum[Most];
	float part[8]; // what the weights of each warp's rows were divided by
	Matrix of[AttentionArrays];

	// begin finds the arrays of a member of the batch.
	__device__ __forceinline__ void begin(const AttendArgs &a, uint32_t member) {
		static_assert(sizeof(State) <= Bytes, "the tiles begin behind the state");
		for (int n = threadIdx.x; n < Most; n += blockDim.x) top[n] = -INFINITY, factor[n] = 1, sum[n] = 0;
		if (threadIdx.x < AttentionArrays) of[threadIdx.x] = matrix_of(a, threadIdx.x, member);
		__syncthreads();
	}
};

// across_max and across_sum combine what the 16 threads of a row have.
template <class C> __device__ __forceinline__ C across_max(C v) {
	for (int far = 8; far > 0; far /= 2) v = larger(v, __shfl_xor_sync(0xffffffff, v, far));
	return v;
}
template <class C> __device__ __forceinline__ C across_sum(C v) {
	for (int far = 8; far > 0; far /= 2) v += __shfl_xor_sync(0xffffffff, v, far);
	return v;
}

// EACH_ROW goes through those of the first `live` rows of a tile that a warp has, two at a time: half a
// warp has row r, and a thread its columns c, c + 16, …
#define EACH_ROW(E, r, c, live) \
	constexpr int per_warp = E::Rows * 32 / E::Threads; \
	int c = threadIdx.x % 16, r = static_cast<int>(threadIdx.x / 32) * per_warp + threadIdx.x % 32 / 16; \
	_Pragma("unroll 1") for (int end = min(r - r % 2 + per_warp, live); r - r % 2 < end; r += 2)

// soften turns a tile of products into weights relative to the largest score of each row so far.
template <class E> __device__ __forceinline__ void soften(const AttendArgs &a, int32_t from, int32_t k0,
	typename E::C *scores, State<typename E::C> &state) {
	typedef typename E::C C;
	constexpr int N = E::Rows / 16;
	EACH_ROW(E, r, c, a.t - from) {
		int32_t row = from + r;
		C p[N], before = state.top[r], top = before, part = 0;
#pragma unroll
		for (int j = 0; j < N; j++) {
			int32_t key = k0 + c + 16 * j;
			C score = scores[r * E::Pitch + c + 16 * j] * static_cast<C>(a.scale);
			p[j] = sees(a, row, key) ? masked(state.of[Mask], row, key, score) : C(-INFINITY);
			top = larger(top, p[j]);
		}
		top = across_max(top);
		C base = top == -INFINITY ? C(0) : top;
#pragma unroll
		for (int j = 0; j < N; j++) {
			int32_t key = k0 + c + 16 * j;
			p[j] = exponential(p[j] - base);
			part += p[j];
			bool drops = state.of[Keep].data && sees(a, row, key) && !state.of[Keep].truth(row, key);
			scores[r * E::Pitch + c + 16 * j] = drops ? C(0) : p[j];
		}
		part = across_sum(part);
		C factor = exponential(before - base);
		__syncwarp();
		if (c == 0) {
			state.top[r] = top;
			state.factor[r] = factor;
			state.sum[r] = state.sum[r] * factor + part;
		}
	}
	__syncwarp();
}

// What a gradient needs of a tile.
enum Want { Means, Slopes, Weights };

// weigh turns tiles of products into weights, p, and their gradients, dp: with Means it adds Σ p∘dp to
// the sums of rows, with Slopes it leaves dS in p, with Weights the weights that dropout has kept.
template <class E, Want want> __device__ __forceinline__ void weigh(const AttendArgs &a, int32_t from,
	int32_t k0, typename E::C *scores, const typename E::C *slopes, State<typename E::C> &state, bool writes) {
	typedef typename E::C C;
	constexpr int N = E::Rows / 16;
	EACH_ROW(E, r, c, E::Rows) {
		int32_t row = from + r;
		bool there = row < a.t;
		C base = there ? state.of[Lse].template at<C>(row, 0) : C(0), part = 0;
		C mean = want == Slopes && there ? state.of[Mean].template at<C>(row, 0) : C(0);
#pragma unroll 1
		for (int j = 0; j < N; j++) {
			int32_t key = k0 + c + 16 * j;
			int at = r * E::Pitch + c + 16 * j;
			C p = 0, dp = 0;
			if (sees(a, row, key)) {
				C score = masked(state.of[Mask], row, key, scores[at] * static_cast<C>(a.scale));
				p = base == -INFINITY ? C(0) : exponential(score - base);
				bool stays = !state.of[Keep].data || state.of[Keep].truth(row, key);
				if (want != Weights && stays) dp = slopes[at] * static_cast<C>(a.kept);
				if (want == Weights && !stays) p = 0;
			}
			if (want == Means) part = mad(p, dp, part);
			if (want == Slopes) p *= dp - mean;
			if (want == Slopes && writes && sees(a, row, key)) state.of[DMask].template set<C>(row, key, p);
			if (want != Means) scores[at] = p;
		}
		if (want != Means) continue;
		part = across_sum(part);
		if (c == 0) state.sum[r] += part;
	}
	__syncwarp();
}
