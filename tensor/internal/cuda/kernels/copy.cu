// Copies between arrays of any strides and types.
//
//	out[i, j, …] = x[i, j, …], rounded to out's type
//
// Launched by Copy and Fill in elements_copy.go.
#include "pack.cuh"

struct CopyArgs {
	Array out, x;
	Walk walk;
};

// moved copies elements of one size, bit for bit. Rows that allow it are copied as if their elements
// were larger, up to 16 bytes.
template <class T> static __device__ __forceinline__ void moved(const CopyArgs &a) {
	constexpr int U = 4; // reads in flight
	T *out = static_cast<T *>(a.out.data);
	const T *x = static_cast<const T *>(a.x.data);
	for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x * U) + threadIdx.x; i < a.walk.total;
		i += step() * U) {
		T v[U];
		int64_t at[U][2];
#pragma unroll
		for (int u = 0; u < U; u++) {
			int64_t n = i + u * blockDim.x;
			seek(a.walk, n < a.walk.total ? n : i, at[u]);
			v[u] = x[at[u][1]];
		}
#pragma unroll
		for (int u = 0; u < U; u++) {
			if (i + u * blockDim.x < a.walk.total) out[at[u][0]] = v[u];
		}
	}
}

KERNEL(copy_1, CopyArgs) { moved<uint8_t>(a); }
KERNEL(copy_2, CopyArgs) { moved<uint16_t>(a); }
KERNEL(copy_4, CopyArgs) { moved<uint32_t>(a); }
KERNEL(copy_8, CopyArgs) { moved<uint2>(a); }
KERNEL(copy_16, CopyArgs) { moved<uint4>(a); }

// Tiles of an array whose rows are the output's columns go through shared memory, so that both are read
// and written along their rows.
struct TransposeArgs {
	Array out, x;
	Walk batch;              // over all other dimensions
	int64_t rows, columns;   // the output's; x has its rows side by side
	int64_t out_row, x_column; // how far apart they lie
};

template <class T> static __device__ __forceinline__ void transposed(const TransposeArgs &a) {
	constexpr int Tile = sizeof(T) <= 2 ? 64 : 32, Lanes = 32;
	__shared__ T tile[Tile][Tile + 1]; // one more, so that columns lie in different banks
	T *out = static_cast<T *>(a.out.data);
	const T *x = static_cast<const T *>(a.x.data);
	const int64_t across = (a.columns + Tile - 1) / Tile, down = (a.rows + Tile - 1) / Tile;
	const int lane = threadIdx.x % Lanes, warp = threadIdx.x / Lanes, warps = blockDim.x / Lanes;
	for (int64_t n = blockIdx.x; n < a.batch.total * across * down; n += gridDim.x) {
		int64_t place = n / across, column = (n - place * across) * Tile, item = place / down;
		int64_t row = (place - item * down) * Tile, at[2];
		seek(a.batch, item, at);
		for (int i = warp; i < Tile; i += warps)
			for (int j = lane; j < Tile; j += Lanes)
				if (column + i < a.columns && row + j < a.rows)
					tile[i][j] = x[at[1] + (column + i) * a.x_column + row + j];
		__syncthreads();
		for (int i = warp; i < Tile; i += warps)
			for (int j = lane; j < Tile; j += Lanes)
				if (row + i < a.rows && column + j < a.columns)
					out[at[0] + (row + i) * a.out_row + column + j] = tile[j][i];
		__syncthreads();
	}
}

KERNEL_BOUNDS(transpose_1, TransposeArgs, 256) { transposed<uint8_t>(a); }
KERNEL_BOUNDS(transpose_2, TransposeArgs, 256) { transposed<uint16_t>(a); }
KERNEL_BOUNDS(transpose_4, TransposeArgs, 256) { transposed<uint32_t>(a); }
KERNEL_BOUNDS(transpose_8, TransposeArgs, 256) { transposed<uint64_t>(a); }

// What a dense or strided array is filled with: an element, or several of them side by side.
struct FillArgs {
	Array out;
	Walk walk;
	uint64_t pattern[2];
};

template <class T> static __device__ __forceinline__ void fill(const FillArgs &a) {
	T *out = static_cast<T *>(a.out.data);
	T v;
	memcpy(&v, a.pattern, sizeof v); // which need not lie as a T must
	for (int64_t i = first(); i < a.walk.total; i += step()) {
		int64_t at[1];
		seek(a.walk, i, at);
		out[at[0]] = v;
	}
}

KERNEL(fill_1, FillArgs) { fill<uint8_t>(a); }
KERNEL(fill_2, FillArgs) { fill<uint16_t>(a); }
KERNEL(fill_4, FillArgs) { fill<uint32_t>(a); }
KERNEL(fill_8, FillArgs) { fill<uint2>(a); }
KERNEL(fill_16, FillArgs) { fill<uint4>(a); }

// Conversions go by way of a float, a double or an integer, whichever the processor's backend takes.
template <class C> static __device__ __forceinline__ void converted(const Elements &a) {
	all<Any, C, 1, 2>(a, [](int64_t, auto &y, auto &x) {
#pragma unroll
		for (int k = 0; k < sizeof(y) / sizeof(C); k++) y[k] = x[0][k];
	});
}

KERNEL_BOUNDS(convert_any_f32, Elements, THREE_BLOCKS) { converted<float>(a); }
KERNEL_BOUNDS(convert_any_f64, Elements, THREE_BLOCKS) { converted<double>(a); }
KERNEL_BOUNDS(convert_any_i64, Elements, THREE_BLOCKS) { converted<int64_t>(a); }
