// Products of tiles by threads, for any types and sizes.
#pragma once

#include "attention.cuh"

// A Tile computes in T with 16×16 threads: R×R elements of the scores each, and R×W of a product with
// them, R columns next to each other.
template <class T, int R, int W> struct Tile {
	typedef T C;
	static constexpr int Rows = 16 * R, Threads = 256, Columns = 16 * W;
	static constexpr int Pitch = Rows + 16 / sizeof(C); // from row to row in shared memory
	static constexpr int Step = 16;                     // of sums, in shared memory at a time

	// An Operand is rows of a matrix, and columns.
	struct Operand {
		Matrix of;
		int32_t first, end, left, right;
	};
	struct Sums {
		C x[R][W];
	};

	static constexpr bool apart = true;
	C *stage;
	int ty, tx;

	__device__ __forceinline__ Tile(void *shared, C *, const AttendArgs &)
		: stage(static_cast<C *>(shared)), ty(threadIdx.x / 16), tx(threadIdx.x % 16) {}

	__device__ __forceinline__ void clear(Sums &sums) const {
#pragma unroll
		for (int i = 0; i < R; i++)
#pragma unroll
			for (int j = 0; j < W; j++) sums.x[i][j] = 0;
	}

	__device__ __forceinline__ Operand bring(int, const Matrix &m, int32_t first, int32_t end, int32_t left, int32_t right) const {
		return Operand{m, first, end, left, right};
	}

	__device__ __forceinline__ Operand start(int slot, const Matrix &m, int32_t first, int32_t end, int32_t left, int32_t right) const {
		return bring(slot, m, first, end, left, right);
	}
	__device__ __forceinline__ Operand part(const Operand &x, int32_t left, int32_t right) const {
		return Operand{x.of, x.first, x.end, left, right};
	}
	template <int> __device__ __forceinline__ void await() const {} // products read operands themselves
	template <int> __device__ __forceinline__ void await(Operand &) const {}
	__device__ __forceinline__ void done() const {}
	__device__ __forceinline__ void done(Operand &) const {}
	__device__ __forceinline__ bool busy(int) const { return true; }

	// scores puts x·yᵀ into shared memory.
	__device__ __forceinline__ void scores(C *to, const Operand &x, const Operand &y) const { multiply_turned(stage, to, x, y); }

	static __device__ __noinline__ void multiply_turned(C *stage, C *to, Operand x, Operand y) {
		C sum[R][R] = {};
		C *a = stage, *b = stage + Step * Pitch;
		int ty = threadIdx.x / 16, tx = threadIdx.x % 16;
#pragma unroll 1
		for (int32_t d0 = x.left; d0 < x.right; d0 += Step) {
			__syncthreads();
#pragma unroll 1
			for (int n = threadIdx.x; n < Rows * Step; n += Threads) {
				int r = n / Step, k = n % Step;
				bool in = d0 + k < x.right;
				a[k * Pitch + r] = in && x.first + r < x.end ? x.of.template at<C>(x.first + r, d0 + k) : C(0);
				b[k * Pitch + r] = in && y.first + r < y.end ? y.of.template at<C>(y.first + r, d0 + k) : C(0);
			}
			__syncthreads();
#pragma unroll 4
			for (int k = 0; k < Step; k++) {
				C p[R], q[R];
#pragma unroll
				for (int i = 0; i < R; i++) p[i] = a[k * Pitch + ty * R + i];
#pragma unroll
				for (int j = 0; j < R; j++) q[j] = b[k * Pitch + tx * R + j];
#pragma unroll
				for (int i = 0; i < R; i++)
#pragma unroll
					for (int j = 0; j < R; j++) sum[i][j] = mad(p[i], q[j], sum[i][j]);
			}
		}
		__syncthreads();
#pragma unroll
		for (int i = 0; i < R; i++)
#pragma unroll
			for (int j = 0; j < R; j++) to[(ty * R + i) * Pitch + tx * R + j] = sum[i][j];
		__syncwarp(); // a warp's rows are its own
	}

	// scale multiplies rows of sums.
	__device__ __forceinline__ void scale(Sums &sums, const C *factor) const {
#pragma unroll
		for (int i = 0; i < R; i++)
#pragma unroll
			for (int j = 0; j < W; j++) sums.x[i][j] *= factor[ty * R + i];
	}

	// ready makes weights what add takes.
	template <bool Slopes> __device__ __forceinline__ void ready(C *, float *, const Operand &) const {}

	// add adds weights·x to sums, or weightsᵀ·x.
	template <bool Turned, bool Slopes>
	__device__ __forceinline__ void add(Sums &sums, const C *weights, const float *, const Operand &x) const {
#pragma unroll 1
		for (int k0 = 0; k0 < Rows && x.first + k0 < x.end; k0 += Step) {
			__syncthreads();
#pragma unroll 1
			for (int n = threadIdx.x; n < Step * Columns; n += Threads) {
				int32_t row = x.first + k0 + n / Columns, column = x.left + n % Columns;
				stage[n] = row < x.end && column < x.right ? x.of.template at<C>(row, column) : C(0);
			}
			__syncthreads();
#pragma unroll 4
			for (int k = 0; k < Step; k++) {
				C p[R], q[W];
#pragma unroll
				for (int i = 0; i < R; i++)
					p[i] = Turned ? weights[(k0 + k) * Pitch + ty * R + i] : weights[(ty * R + i) * Pitch + k0 + k];
#pragma unroll
				for (int j = 0; j < W; j++) q[j] = stage[k * Columns + j / R * Rows + tx * R + j % R];
#pragma unroll
				for (int i = 0; i < R; i++)
#pragma unroll
					for (int j = 0; j < W; j++) sums.x[i][j] = mad(p[i], q[j], sums.x[i][j]);
			}
		}
	}

	// each calls f with the row, the column and the value of each of a warp's sums.
	template <class F> __device__ __forceinline__ void each(const Sums &sums, C *scratch, F f) const {
		__syncthreads();
#pragma unroll
		for (int part = 0; part < W; part += R) {
#pragma unroll
			for (int i = 0; i < R; i++)
#pragma unroll
				for (int j = 0; j < R; j++) scratch[(ty * R + i) * Pitch + tx * R + j] = sums.x[i][part + j];
			__syncwarp();
#pragma unroll 1
			for (int n = 0; n < R * R; n++) {
				int r = ty * R + n / R, c = tx + 16 * (n % R);
				f(r, part * 16 + c, scratch[r * Pitch + c]);
			}
			__syncwarp();
		}
	}
};

typedef Tile<float, 4, 4> Tile32;
typedef Tile<float, 4, 8> Wide32;
typedef Tile<double, 2, 4> Tile64;
