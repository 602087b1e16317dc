// Tiles of a product without tensor cores: each of 256 threads keeps its share of the sums in
// registers, and the next tiles of both factors are read while those in shared memory are multiplied.
#pragma once

#include "common.cuh"

constexpr int SimtDeep = 16;

// How many steps of the sum of a large tile are unrolled. Compiled for sm_86 and sm_89, two have not the
// registers of two blocks.
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 890)
constexpr int LargeSteps = 1;
#else
constexpr int LargeSteps = 2;
#endif

// Quads are read from shared memory at once.
template <class C> struct __align__(16) Quad { C v[4]; };

__device__ __forceinline__ float multiply_add(float a, float b, float c) { return fmaf(a, b, c); }
__device__ __forceinline__ double multiply_add(double a, double b, double c) { return fma(a, b, c); }
__device__ __forceinline__ int64_t multiply_add(int64_t a, int64_t b, int64_t c) {
	return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b) + static_cast<uint64_t>(c));
}

// SimtSums are the sums of a tile of S×S: each thread has a 4×4 of them, or four where S is 128.
// A factor is read by a functor: read(to, k0) gives the thread's elements of a tile, zeros outside of
// the matrix, and along says that neighbours in k lie next to each other. See where.
template <class C, int S> struct SimtSums {
	static constexpr int Quads = S / 64; // of a thread, in each direction
	static constexpr int Pitch = S + 4;  // so that elements of different k fall into different banks
	static constexpr int Each = S * SimtDeep / 256;
	static constexpr int Stage = SimtDeep * Pitch;

	C sum[4 * Quads][4 * Quads];

	// where is the first element of a tile that the thread reads. The next ones are next_line and
	// next_k further, for neighbouring threads to read neighbours in memory.
	static __device__ __forceinline__ void where(bool along, int &line, int &k) {
		line = along ? threadIdx.x / SimtDeep : threadIdx.x % S;
		k = along ? threadIdx.x % SimtDeep : threadIdx.x / S;
	}
	static __device__ __forceinline__ int next_line(bool along) { return along ? 256 / SimtDeep : 0; }
	static __device__ __forceinline__ int next_k(bool along) { return along ? 0 : 256 / S; }

	static __device__ __forceinline__ void put(C *shared, const C (&from)[Each], bool along) {
		int line, k;
		where(along, line, k);
		shared += k * Pitch + line;
		int next = next_k(along) * Pitch + next_line(along);
#pragma unroll
		for (int i = 0; i < Each; i++) shared[i * next] = from[i];
	}

	// multiply computes the sums over k from `from` to `to`. shared has room for four stages.
	template <class A, class B>
	__device__ __forceinline__ void multiply(C *shared, const A &a, const B &b, int64_t from, int64_t to) {
#pragma unroll
		for (int i = 0; i < 4 * Quads; i++)
#pragma unroll
			for (int j = 0; j < 4 * Quads; j++) sum[i][j] = 0;
		int ty = threadIdx.x / 16, tx = threadIdx.x % 16, stage = 0;
		C next_a[Each], next_b[Each];
#pragma unroll 1
		for (int64_t k0 = from - SimtDeep; k0 < to; k0 += SimtDeep) { // the first time only reads
			C *sa = shared + stage * 2 * Stage, *sb = sa + Stage;
			if (k0 >= from) {
				put(sa, next_a, a.along);
				put(sb, next_b, b.along);
				__syncthreads(); // one is enough: the other stage's readers have come here too
			}
			a.read(next_a, k0 + SimtDeep);
			b.read(next_b, k0 + SimtDeep);
			if (k0 < from) continue;
#pragma unroll (S == 128 ? LargeSteps : 2)
			for (int k = 0; k < SimtDeep; k++) {
				Quad<C> qa[Quads], qb[Quads];
#pragma unroll
				for (int q = 0; q < Quads; q++) {
					qa[q] = *reinterpret_cast<const Quad<C> *>(sa + k * Pitch + 64 * q + 4 * ty);
					qb[q] = *reinterpret_cast<const Quad<C> *>(sb + k * Pitch + 64 * q + 4 * tx);
				}
#pragma unroll
				for (int i = 0; i < 4 * Quads; i++)
#pragma unroll
					for (int j = 0; j < 4 * Quads; j++)
						sum[i][j] = multiply_add(qa[i / 4].v[i % 4], qb[j / 4].v[j % 4], sum[i][j]);
			}
			stage ^= 1;
		}
	}

	// row and col are where the thread's sums lie in the tile.
	static __device__ __forceinline__ int row(int i) { return i / 4 * 64 + threadIdx.x / 16 * 4 + i % 4; }
	static __device__ __forceinline__ int col(int j) { return j / 4 * 64 + threadIdx.x % 16 * 4 + j % 4; }

	// each calls use(i, j, v) with the sums.
	template <class F> __device__ __forceinline__ void each(F use) const {
#pragma unroll
		for (int i = 0; i < 4 * Quads; i++)
#pragma unroll
			for (int j = 0; j < 4 * Quads; j++) use(i, j, sum[i][j]);
	}
};
