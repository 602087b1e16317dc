// Products of tiles by tensor cores, for 16-bit floats.
//
// Inputs are multiplied as they are and added up in float32. Weights are float32, and must not lose
// what 16 bits cannot hold: each is brought in as the sum of two 16-bit numbers, w = high + low, for
// float16 times a power of two that keeps them in its range. Of what is infinite or NaN the high parts
// alone decide.
#pragma once

#include <cuda_pipeline.h>
#include <mma.h>

#include "attention.cuh"

// BFLOAT_CORES does something where tensor cores take bfloat16: capability 7.5 has none that do, and its
// kernels of that name do nothing and are not launched.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define BFLOAT_CORES(something) static_cast<void>(a)
#else
#define BFLOAT_CORES(something) something
#endif

template <class H> struct Core {
	typedef float C;
	static constexpr int Rows = 64, Threads = 128, Columns = 128, Pitch = 68;
	static constexpr int Pieces = Columns / 16;
	static constexpr int Low = Rows; // where in a row of weights the low parts begin
	static constexpr bool Narrow = sizeof(H) == 2 && element<H>::dtype == Float16; // unlike floats in range
	static constexpr float Unit = Narrow ? 16384 : 1;                              // weights of 1
	static constexpr float Least = Narrow ? 0x1p-24f : 0x1p-133f;                  // the smallest number

	typedef nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> Piece;
	typedef nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, H, nvcuda::wmma::row_major> Left;
	typedef nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, H, nvcuda::wmma::col_major> LeftTurned;
	typedef nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, H, nvcuda::wmma::row_major> Right;
	typedef nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, H, nvcuda::wmma::col_major> RightTurned;

	// An Operand is rows in shared memory, as many as a tile has; zeros are where the matrix ends.
	struct Operand {
		H *data;
		int columns; // a multiple of 16
		bool odd;    // what is waited for has infinities or NaNs
	};
	struct Sums {
		Piece x[Pieces];
	};

	H *slots;
	int pitch; // from row to row of an operand
	bool apart;
	int warp, lane;
	uint32_t rows; // in which row each of a thread's elements of a Piece is, 4 bits each

	// The driver does not say how a Piece lies in the threads: the rows of one that holds their
	// numbers tell.
	__device__ __forceinline__ Core(void *shared, C *scratch, const AttendArgs &a)
		: slots(static_cast<H *>(shared)), apart(a.apart), warp(threadIdx.x / 32), lane(threadIdx.x % 32), rows(0) {
		int32_t most = a.d > a.e ? a.d : a.e;
		pitch = (most + 15) / 16 * 16 + 8;
		C *mine = scratch + warp * 16 * Pitch;
		for (int n = lane; n < 256; n += 32) mine[n / 16 * Pitch + n % 16] = n / 16;
		__syncwarp();
		Piece p;
		nvcuda::wmma::load_matrix_sync(p, mine, Pitch, nvcuda::wmma::mem_row_major);
#pragma unroll
		for (int i = 0; i < 8; i++) rows |= static_cast<uint32_t>(p.x[i]) << 4 * i;
		__syncwarp();
	}

	__device__ __forceinline__ void clear(Sums &sums) const {
#pragma unroll
		for (int n = 0; n < Pieces; n++) nvcuda::wmma::fill_fragment(sums.x[n], 0.0f);
	}

	// start begins to copy rows to a slot of shared memory, which nobody may be reading.
	__device__ __forceinline__ Operand start(int slot, const Matrix &m, int32_t first, int32_t end, int32_t left, int32_t right) const {
		H *to = slots + slot * Rows * pitch;
		int width = right - left, height = end - first < Rows ? end - first : Rows;
		copy_rows(to, pitch, static_cast<const H *>(m.data) + first * m.row + left * m.col, m.row, m.col, height, width);
		__pipeline_commit();
		return Operand{to, (width + 15) / 16 * 16, false};
	}

	// await waits until all copies but the last ones are there for all threads.
	template <int Last> __device__ __forceinline__ void await() const {
		__pipeline_wait_prior(Last);
		__syncthreads();
	}

	// done waits until all threads have read what a copy will overwrite.
	__device__ __forceinline__ void done() const { __syncthreads(); }

	// await and done of an operand that add will take look at its elements on the way.
	template <int Last> __device__ __forceinline__ void await(Operand &x) const {
		__pipeline_wait_prior(Last);
		done(x);
	}
	__device__ __forceinline__ void done(Operand &x) const { x.odd = __syncthreads_or(odd(x.data, x.columns, pitch)); }

	// odd tells whether there are infinities or NaNs among what this thread has copied. An exponent of
	// ones carries into the sign.
	static __device__ __noinline__ bool odd(const H *x, int columns, int pitch) {
		constexpr uint32_t Exponents = Narrow ? 0x7c007c00 : 0x7f807f80, Carry = Narrow ? 0x04000400 : 0x00800080;
		uint32_t found = 0;
#pragma unroll 4
		for (int n = threadIdx.x, vectors = columns / 8; n < Rows * vectors; n += Threads) {
			uint4 v = *reinterpret_cast<const uint4 *>(x + n / vectors * pitch + n % vectors * 8);
			found |= ((v.x & Exponents) + Carry) | ((v.y & Exponents) + Carry) | ((v.z & Exponents) + Carry) | ((v.w & Exponents) + Carry);
		}
		return found & 0x80008000;
	}

	// busy tells whether the warp has any of so many rows.
	__device__ __forceinline__ bool busy(int live) const { return warp * 16 < live; }

	// bring copies rows to a slot, and waits for them.
	__device__ __forceinline__ Operand bring(int slot, const Matrix &m, int32_t first, int32_t end, int32_t left, int32_t right) const {
		done();
		Operand x = start(slot, m, first, end, left, right);
		await<0>(x);
		return x;
	}

	// part returns columns of an operand that is there.
	__device__ __forceinline__ Operand part(const Operand &x, int32_t left, int32_t right) const {
		return Operand{x.data + left, (right - left + 15) / 16 * 16, x.odd};
	}

	// copy_rows copies so many rows and columns to 16 bytes at a time, and from them where they lie so.
	static __device__ __noinline__ void copy_rows(H *to, int pitch, const H *from, int64_t row, int64_t col, int height, int width) {
		int vectors = (width + 15) / 16 * 2;
		bool vector = col == 1 && row % 8 == 0 && width % 8 == 0 && reinterpret_cast<uintptr_t>(from) % 16 == 0;
#pragma unroll 4
		for (int n = threadIdx.x; n < Rows * vectors; n += Threads) {
			int r = n / vectors, c = n % vectors * 8, count = r < height ? width - c : 0;
			const H *at = from + r * row + c * col;
			H *put = to + r * pitch + c;
			if (vector && count > 0) {
				__pipeline_memcpy_async(put, at, 16);
				continue;
			}
			uint4 all = make_uint4(0, 0, 0, 0);
			if (count > 0) all = gather(at, col, count);
			*reinterpret_cast<uint4 *>(put) = all;
		}
	}

	// gather reads up to eight elements in steps.
	static __device__ __noinline__ uint4 gather(const H *from, int64_t step, int count) {
		uint32_t v[8];
#pragma unroll
		for (int i = 0; i < 8; i++) v[i] = i < count ? reinterpret_cast<const uint16_t *>(from)[i * step] : 0;
		return make_uint4(v[0] | v[1] << 16, v[2] | v[3] << 16, v[4] | v[5] << 16, v[6] | v[7] << 16);
	}

	// scores puts x·yᵀ into shared memory: a warp has 16 rows of it.
	__device__ __forceinline__ void scores(C *to, const Operand &x, const Operand &y) const {
		multiply_turned(to + warp * 16 * Pitch, x.data + warp * 16 * pitch, y.data, x.columns, pitch);
	}

	static __device__ __noinline__ void multiply_turned(C *to, const H *x, const H *y, int columns, int pitch) {
		Piece sum[Rows / 16];
#pragma unroll
		for (int n = 0; n < Rows / 16; n++) nvcuda::wmma::fill_fragment(sum[n], 0.0f);
#pragma unroll 1
		for (int k = 0; k < columns; k += 16) {
			Left a;
			nvcuda::wmma::load_matrix_sync(a, x + k, pitch);
#pragma unroll
			for (int n = 0; n < Rows / 16; n++) {
				RightTurned b;
				nvcuda::wmma::load_matrix_sync(b, y + n * 16 * pitch + k, pitch);
				nvcuda::wmma::mma_sync(sum[n], a, b, sum[n]);
			}
		}
#pragma unroll
		for (int n = 0; n < Rows / 16; n++)
			nvcuda::wmma::store_matrix_sync(to + n * 16, sum[n], Pitch, nvcuda::wmma::mem_row_major);
		__syncwarp();
	}

	// scale multiplies rows of sums.
	__device__ __forceinline__ void scale(Sums &sums, const C *factor) const {
#pragma unroll
		for (int i = 0; i < 8; i++) {
			C f = factor[warp * 16 + (rows >> 4 * i & 15)];
#pragma unroll
			for (int n = 0; n < Pieces; n++) sums.x[n].x[i] *= f;
		}
	}

	// ready turns the rows of a warp, in their place, into high parts and low ones behind them, for a
	// product with x. unit is set to what they have to be multiplied by. Weights are at most 1; slopes may
	// be anything.
	template <bool Slopes> __device__ __forceinline__ void ready(C *weights, float *unit, const Operand &x) const {
		constexpr int N = Rows / 16;
		float by = Unit;
		bool odd = x.odd;
		if (Slopes) {
			float most = largest(weights, false);
			if (most == INFINITY) {
				most = largest(weights, true);
				odd = true;
			}
			int exponent = 0;
			if (most > 0) frexpf(most, &exponent);
			exponent = exponent > 100 ? 100 : exponent < -100 ? -100 : exponent;
			by = Narrow ? ldexpf(1, 14 - exponent) : 1;
		}
		EACH_ROW(Core, r, c, Rows) {
			C v[N];
#pragma unroll
			for (int j = 0; j < N; j++) v[j] = weights[r * Pitch + c + 16 * j] * by;
			__syncwarp();
			H *row = reinterpret_cast<H *>(weights + r * Pitch);
#pragma unroll
			for (int j = 0; j < N; j++) {
				float high = convert<float>(convert<H>(v[j])), low = v[j] - high;
				if (odd) { // no infinity is multiplied by a 0 that is none, or has a low part
					if (high == 0 && v[j] != 0) {
						high = copysignf(Least, v[j]);
						low = v[j] - high;
					}
					if (fabsf(high) == INFINITY) low = 0;
				}
				row[c + 16 * j] = convert<H>(high);
				row[Low + c + 16 * j] = convert<H>(low);
			}
		}
		if (lane == 0) unit[warp] = 1 / by;
		__syncwarp();
	}

	// largest returns the largest size of the weights of a warp's rows, or of those that are finite.
	__device__ __forceinline__ float largest(const C *weights, bool finite) const {
		float most = 0;
#pragma unroll 4
		for (int n = lane; n < 16 * Rows; n += 32) {
			float w = fabsf(weights[(warp * 16 + n / Rows) * Pitch + n % Rows]);
			most = fmaxf(most, finite && w == INFINITY ? 0 : w);
		}
		for (int far = 16; far > 0; far /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, far));
		return most;
	}

	// add adds weights·x to sums, or weightsᵀ·x.
	template <bool Turned, bool Slopes>
	__device__ __forceinline__ void add(Sums &sums, const C *weights, const float *unit, const Operand &x) const {
		if constexpr (Turned)
			multiply<LeftTurned, true, Slopes>(sums, weights, unit, x);
		else
			multiply<Left, false, Slopes>(sums, weights, unit, x);
	}

	template <class A, bool Turned, bool Slopes>
	__device__ __forceinline__ void multiply(Sums &sums, const C *weights, const float *unit, const Operand &x) const {
		const H *w = reinterpret_cast<const H *>(weights);
		constexpr int WeightPitch = 2 * Pitch;
#pragma unroll 1
		for (int k = 0; k < Rows; k += 16) {
			A high, low;
			const H *at = w + (Turned ? k * WeightPitch + warp * 16 : warp * 16 * WeightPitch + k);
			nvcuda::wmma::load_matrix_sync(high, at, WeightPitch);
			nvcuda::wmma::load_matrix_sync(low, at + Low, WeightPitch);
			float by = Slopes ? unit[Turned ? k / 16 : warp] : 1 / Unit;
#pragma unroll
			for (int n = 0; n < Pieces; n++) {
				if (n * 16 >= x.columns) continue;
				Right b;
				nvcuda::wmma::load_matrix_sync(b, x.data + k * pitch + n * 16, pitch);
				Piece part;
				nvcuda::wmma::fill_fragment(part, 0.0f);
				nvcuda::wmma::mma_sync(part, low, b, part);
				if (x.odd) {
#pragma unroll
					for (int i = 0; i < 8; i++) part.x[i] = fabsf(part.x[i]) < INFINITY ? part.x[i] : 0;
				}
				nvcuda::wmma::mma_sync(part, high, b, part);
#pragma unroll
				for (int i = 0; i < 8; i++) sums.x[n].x[i] = fmaf(part.x[i], by, sums.x[n].x[i]);
			}
		}
	}

	// each calls f with the row, the column and the value of the warp's sums.
	template <class F> __device__ __forceinline__ void each(const Sums &sums, C *scratch, F f) const {
		__syncthreads();
		C *mine = scratch + warp * 16 * Pitch;
#pragma unroll
		for (int half = 0; half < Pieces; half += 4) {
#pragma unroll
			for (int n = 0; n < 4; n++)
				nvcuda::wmma::store_matrix_sync(mine + n * 16, sums.x[half + n], Pitch, nvcuda::wmma::mem_row_major);
			__syncwarp();
#pragma unroll 1
			for (int n = lane; n < 16 * 64; n += 32)
				f(warp * 16 + n / 64, half * 16 + n % 64, mine[n / 64 * Pitch + n % 64]);
			__syncwarp();
		}
	}
};
