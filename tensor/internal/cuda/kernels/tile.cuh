// Tiles of a product on tensor cores: 16-bit factors come to shared memory by asynchronous copies,
// several tiles ahead, and sums are kept in float32 in the registers of warps.
//
// A tile of a factor lies in shared memory in lines, as it does in the matrix, so that no transposition
// is needed: wmma reads either order. Lines are 16 bytes further apart than they are long. Eight
// neighbouring ones then begin in different banks, and are read without conflicts.
#pragma once

#include "common.cuh"

#include <type_traits>

#ifndef HALFNOTE_STANDIN
#include <cuda_pipeline.h>
#include <mma.h>
#endif

namespace wmma = nvcuda::wmma;

constexpr int Deep = 32; // steps of the sum in a tile
constexpr int Gap = 8;   // elements between lines
constexpr int Chunk = 8; // elements in 16 bytes, which are copied at once

// How many tiles of the factors are in shared memory at a time, as there is room: stages in product.go.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000
constexpr int Stages = 4;
#elif __CUDA_ARCH__ >= 800
constexpr int Stages = 3;
#else
constexpr int Stages = 2;
#endif

// Tensor cores before sm_80 do not know bfloat16: nothing is launched there.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
template <class T> constexpr bool tensor_cores = std::is_same<T, half_t>::value;
#else
template <class T> constexpr bool tensor_cores = true;
#endif

// copy_chunk copies the first bytes of 16 to shared memory, some time before the thread's wait ends,
// and fills up with zeros.
__device__ __forceinline__ void copy_chunk(void *to, const void *from, int bytes) {
#ifdef HALFNOTE_STANDIN
	__pipeline_memcpy_async(to, from, 16, 16 - bytes);
#elif __CUDA_ARCH__ >= 800 // __pipeline_memcpy_async wants to know the number when it is compiled
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
			static_cast<unsigned>(__cvta_generic_to_shared(to))), "l"(from), "r"(bytes) : "memory");
#else
	uint4 all = make_uint4(0, 0, 0, 0);
	if (bytes == 16) {
		all = *static_cast<const uint4 *>(from);
	} else {
#pragma unroll
		for (int i = 0; i < 8; i++) {
			if (2 * i < bytes) {
				uint32_t v = static_cast<const uint16_t *>(from)[i];
				(&all.x)[i / 2] |= v << i % 2 * 16;
			}
		}
	}
	*static_cast<uint4 *>(to) = all;
#endif
}

// A Loader brings tile after tile of a matrix to shared memory: Lines lines of Length elements. It
// copies chunks where lines begin at multiples of 16 bytes and are dense, and else single elements.
template <class T, int Lines, int Length, int Threads> struct Loader {
	static constexpr int Each = Length / Chunk;   // chunks of a line
	static constexpr int Step = Threads / Each;   // lines between two of a thread's
	static constexpr int Count = Lines / Step;    // chunks of a thread
	static constexpr int Pitch = Length + Gap;
	static_assert(Threads % Each == 0 && Lines % Step == 0, "threads share the chunks evenly");

	const T *from;        // the thread's first chunk
	int64_t line, item;   // elements from line to line, and within one
	int first, at;        // the thread's first line, and the element where its chunks begin
	bool vector;

	__device__ __forceinline__ Loader(const T *tile, int64_t line, int64_t item, bool vector)
			: line(line), item(item), vector(vector) {
		first = threadIdx.x / Each;
		at = threadIdx.x % Each * Chunk;
		from = tile + first * line + at * item;
	}

	// fetch copies the tile, of which so many lines and elements are inside of the matrix.
	__device__ __forceinline__ void fetch(T *to, int lines, int length) const {
		int have = min(max(length - at, 0), Chunk);
		to += first * Pitch + at;
		if (vector) {
#pragma unroll
			for (int i = 0; i < Count; i++) {
				int n = first + i * Step < lines ? have : 0;
				copy_chunk(to + i * Step * Pitch, from + i * Step * line, 2 * n);
			}
			return;
		}
#pragma unroll 1
		for (int i = 0; i < Count; i++) {
			int n = first + i * Step < lines ? have : 0;
			const uint16_t *line_from = reinterpret_cast<const uint16_t *>(from + i * Step * line);
			uint32_t v[Chunk];
#pragma unroll
			for (int j = 0; j < Chunk; j++) v[j] = j < n ? line_from[j * item] : 0;
			*reinterpret_cast<uint4 *>(to + i * Step * Pitch) = make_uint4(v[0] | v[1] << 16,
				v[2] | v[3] << 16, v[4] | v[5] << 16, v[6] | v[7] << 16);
		}
	}
};

// Sums are those of a tile of M×N, of which each warp has WM×WN. Across says that the lines of a
// factor run across the sum: its lines are steps of the sum.
template <class T, int M, int N, int WM, int WN, bool AcrossA, bool AcrossB> struct Sums {
	static constexpr int Threads = M / WM * (N / WN) * 32;
	static constexpr int LinesA = AcrossA ? Deep : M, LengthA = AcrossA ? M : Deep;
	static constexpr int LinesB = AcrossB ? Deep : N, LengthB = AcrossB ? N : Deep;
	static constexpr int PitchA = LengthA + Gap, PitchB = LengthB + Gap;
	static constexpr int SizeA = LinesA * PitchA, SizeB = LinesB * PitchB; // in shared memory
	static constexpr int Room = 16 * (WN + 4); // floats of a warp

	typedef typename std::conditional<AcrossA, wmma::col_major, wmma::row_major>::type OrderA;
	typedef typename std::conditional<AcrossB, wmma::row_major, wmma::col_major>::type OrderB;

	wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[WM / 16][WN / 16];
	int row, col; // where the warp's part of the tile begins

	__device__ __forceinline__ Sums() {
		int warp = threadIdx.x / 32;
		row = warp / (N / WN) * WM;
		col = warp % (N / WN) * WN;
#pragma unroll
		for (int i = 0; i < WM / 16; i++)
#pragma unroll
			for (int j = 0; j < WN / 16; j++) wmma::fill_fragment(sum[i][j], 0.0f);
	}

	// multiply adds the product of two tiles in shared memory.
	__device__ __forceinline__ void multiply(const T *a, const T *b) {
#pragma unroll
		for (int k = 0; k < Deep; k += 16) {
			wmma::fragment<wmma::matrix_a, 16, 16, 16, T, OrderA> fa[WM / 16];
			wmma::fragment<wmma::matrix_b, 16, 16, 16, T, OrderB> fb[WN / 16];
#pragma unroll
			for (int i = 0; i < WM / 16; i++) {
				int m = row + 16 * i;
				wmma::load_matrix_sync(fa[i], a + (AcrossA ? k * PitchA + m : m * PitchA + k), PitchA);
			}
#pragma unroll
			for (int j = 0; j < WN / 16; j++) {
				int n = col + 16 * j;
				wmma::load_matrix_sync(fb[j], b + (AcrossB ? k * PitchB + n : n * PitchB + k), PitchB);
			}
#pragma unroll
			for (int i = 0; i < WM / 16; i++)
#pragma unroll
				for (int j = 0; j < WN / 16; j++) wmma::mma_sync(sum[i][j], fa[i], fb[j], sum[i][j]);
		}
	}

	// each calls use(row, column, v) with the sums, a chunk v of a row at a time, which go through shared
	// memory that nobody else uses any more. Sixteen rows go at once, by way of one and the same code.
	template <class F> __device__ __forceinline__ void each(float *shared, F use) {
		constexpr int Pitch = WN + 4, PerRow = WN / Chunk;
		float *room = shared + threadIdx.x / 32 * Room;
		int lane = threadIdx.x % 32;
#pragma unroll 1
		for (int band = 0; band < WM / 16; band++) {
#pragma unroll
			for (int i = 0; i < WM / 16; i++) {
				if (i != band) continue; // registers have no index
#pragma unroll
				for (int j = 0; j < WN / 16; j++)
					wmma::store_matrix_sync(room + 16 * j, sum[i][j], Pitch, wmma::mem_row_major);
			}
			__syncwarp();
#pragma unroll 1
			for (int c = lane; c < 16 * PerRow; c += 32) {
				int r = c / PerRow, at = c % PerRow * Chunk;
				use(row + 16 * band + r, col + at, room + r * Pitch + at);
			}
			__syncwarp();
		}
	}
};
