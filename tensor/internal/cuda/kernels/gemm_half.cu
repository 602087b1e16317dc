// Products of 16-bit matrices on tensor cores, summed in float32.
//
//	out[…, i, j] = Σ a[…, i, k]·b[…, k, j] + bias, rounded to via and then to out's type
//
// The names end in how the lines of a and b lie, and the type: n for a matrix in rows, t for one in
// columns. Each block computes one tile; MatMul in product.go chooses its size.
#include "product.cuh"
#include "tile.cuh"

template <class T, int M, int N, int WM, int WN, bool AcrossA, bool AcrossB>
__device__ __forceinline__ void multiply(const ProductArgs &a) {
	if constexpr (tensor_cores<T>) {
		typedef Sums<T, M, N, WM, WN, AcrossA, AcrossB> S;
		DYNAMIC_SHARED(T, shared);
		constexpr int Stage = S::SizeA + S::SizeB;
		Place at(a, M, N);
		int64_t line_a = AcrossA ? a.col_a : a.row_a, item_a = AcrossA ? a.row_a : a.col_a;
		int64_t line_b = AcrossB ? a.row_b : a.col_b, item_b = AcrossB ? a.col_b : a.row_b;
		Loader<T, S::LinesA, S::LengthA, S::Threads> la(static_cast<const T *>(a.a.data) + at.a +
			at.row * a.row_a + at.from * a.col_a, line_a, item_a, a.vector_a);
		Loader<T, S::LinesB, S::LengthB, S::Threads> lb(static_cast<const T *>(a.b.data) + at.b +
			at.from * a.row_b + at.col * a.col_b, line_b, item_b, a.vector_b);
		int rows = static_cast<int>(min(a.m - at.row, int64_t(M))), cols = static_cast<int>(min(a.n - at.col, int64_t(N)));
		int tiles = static_cast<int>((at.to - at.from + Deep - 1) / Deep);

		S sums;
		int stage = 0;
#pragma unroll 1
		for (int t = 1 - Stages; t < tiles; t++) {
			if (t >= 0) {
				__pipeline_wait_prior(Stages - 2);
				__syncthreads(); // all have this tile, and are done with the one before, which is copied over
			}
			int next = t + Stages - 1;
			if (next < tiles) {
				int steps = static_cast<int>(min(at.to - at.from - int64_t(next) * Deep, int64_t(Deep)));
				T *to = shared + (stage == 0 ? Stages - 1 : stage - 1) * Stage;
				la.fetch(to, AcrossA ? steps : rows, AcrossA ? rows : steps);
				lb.fetch(to + S::SizeA, AcrossB ? steps : cols, AcrossB ? cols : steps);
				la.from += Deep * a.col_a;
				lb.from += Deep * a.row_b;
			}
			__pipeline_commit();
			if (t >= 0) {
				const T *tile = shared + stage * Stage;
				sums.multiply(tile, tile + S::SizeA);
			}
			stage = stage == Stages - 1 ? 0 : stage + 1;
		}
		__pipeline_wait_prior(0);
		__syncthreads();
		sums.each(reinterpret_cast<float *>(shared), [&](int r, int c, const float *v) {
			if (r >= rows || c >= cols) return;
			int n = min(cols - c, 8);
			if (a.parts) {
				float *to = static_cast<float *>(a.parts) + at.part + (at.row + r) * a.n + at.col + c;
				for (int i = 0; i < n; i++) to[i] = v[i];
				return;
			}
			finish_chunk(a, at.out, at.row + r, at.col + c, v, n);
		});
	}
}

// BOUNDS are the threads of a block, and blocks that shared memory has room for: told of these, the compiler
// gives threads the registers that are there.
#define BOUNDS_large 256, 1
#define BOUNDS_small 128, 5

#define KERNELS(size, suffix, T, M, N, WM, WN) \
	KERNEL_BOUNDS(half_##size##_nn_##suffix, ProductArgs, BOUNDS_##size) { \
		multiply<T, M, N, WM, WN, false, true>(a); \
	} \
	KERNEL_BOUNDS(half_##size##_nt_##suffix, ProductArgs, BOUNDS_##size) { \
		multiply<T, M, N, WM, WN, false, false>(a); \
	} \
	KERNEL_BOUNDS(half_##size##_tn_##suffix, ProductArgs, BOUNDS_##size) { \
		multiply<T, M, N, WM, WN, true, true>(a); \
	} \
	KERNEL_BOUNDS(half_##size##_tt_##suffix, ProductArgs, BOUNDS_##size) { \
		multiply<T, M, N, WM, WN, true, false>(a); \
	}

KERNELS(large, f16, half_t, 128, 256, 64, 64)
KERNELS(large, bf16, bfloat_t, 128, 256, 64, 64)
KERNELS(small, f16, half_t, 64, 64, 32, 32)
KERNELS(small, bf16, bfloat_t, 64, 64, 32, 32)
