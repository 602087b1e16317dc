// What all products of matrices have in common: their arguments, how tiles are dealt out to blocks, and
// what becomes of the sums.
#pragma once

#include "walk.cuh"

// product in product.go.
struct ProductArgs {
	Array out, a, b, bias; // bias of one row or one column, or none
	void *parts;           // sums [splits, batch, m, n] of parts of k, where it is split, for fold
	int64_t m, n, k;
	int64_t row_out, col_out, row_a, col_a, row_b, col_b;
	int64_t row_bias, col_bias; // one of them is 0
	int64_t deep;          // steps of the sum that a part has
	int32_t tiles_m, tiles_n, splits;
	int32_t via;           // the type that sums are rounded to first, or 0
	int32_t vector_out, vector_a, vector_b; // chunks of 16 bytes may be copied
	int32_t pad;
	Walk batch;            // through out, a and b
};

// A Place is what a block computes.
struct Place {
	int64_t row, col;       // where its tile begins
	int64_t out, a, b;      // offsets of the batch's matrices
	int64_t from, to;       // its part of k
	int64_t part;           // offset of its matrix in parts

	// Tiles of eight rows of tiles follow one another column by column, so that blocks that run at one
	// time find most of their factors in the second-level cache.
	__device__ __forceinline__ Place(const ProductArgs &a, int tile_m, int tile_n) {
		constexpr int Band = 8;
		uint32_t tiles = static_cast<uint32_t>(a.tiles_m) * a.tiles_n, block = blockIdx.x;
		uint32_t split = block / tiles, tile = block - split * tiles;
		uint32_t matrix = split / a.splits;
		split -= matrix * a.splits;
		uint32_t band = tile / (Band * a.tiles_n), in = tile - band * (Band * a.tiles_n);
		uint32_t height = min(static_cast<uint32_t>(Band), static_cast<uint32_t>(a.tiles_m) - band * Band);
		row = static_cast<int64_t>(band * Band + in % height) * tile_m;
		col = static_cast<int64_t>(in / height) * tile_n;
		int64_t at[3];
		seek(a.batch, matrix, at);
		out = at[0], this->a = at[1], b = at[2];
		from = split * a.deep;
		to = min(a.k, from + a.deep);
		part = (split * a.batch.total + matrix) * a.m * a.n;
	}
};

// rounded_via rounds v to a 16-bit type, where via is one.
template <class C> __device__ __forceinline__ C rounded_via(C v, int via) {
	if (via == Float16) return convert<C>(convert<half_t>(v));
	if (via == BFloat16) return convert<C>(convert<bfloat_t>(v));
	return v;
}

// finish writes one sum, at row i and column j of the matrix at out.
template <class C> __device__ __forceinline__ void finish(const ProductArgs &a, int64_t out, int64_t i,
	int64_t j, C sum) {
	if (a.bias.data) sum += load<C>(a.bias, i * a.row_bias + j * a.col_bias);
	store<C>(a.out, out + i * a.row_out + j * a.col_out, rounded_via(sum, a.via));
}

// pack is two floats as 16-bit ones.
template <class T> __device__ __forceinline__ uint32_t pack(float x, float y) {
	T v[2] = {convert<T>(x), convert<T>(y)};
	uint32_t bits;
	memcpy(&bits, v, 4);
	return bits;
}

// store_chunk rounds eight floats to a type of floats and writes them at once.
__device__ __forceinline__ void store_chunk(const Array &out, int64_t at, const float (&v)[8]) {
	if (out.dtype == Float32) {
		float4 *to = reinterpret_cast<float4 *>(static_cast<float *>(out.data) + at);
		to[0] = make_float4(v[0], v[1], v[2], v[3]);
		to[1] = make_float4(v[4], v[5], v[6], v[7]);
		return;
	}
	uint4 *to = reinterpret_cast<uint4 *>(static_cast<uint16_t *>(out.data) + at);
	if (out.dtype == Float16)
		*to = make_uint4(pack<half_t>(v[0], v[1]), pack<half_t>(v[2], v[3]), pack<half_t>(v[4], v[5]),
			pack<half_t>(v[6], v[7]));
	else
		*to = make_uint4(pack<bfloat_t>(v[0], v[1]), pack<bfloat_t>(v[2], v[3]),
			pack<bfloat_t>(v[4], v[5]), pack<bfloat_t>(v[6], v[7]));
}

// finish_chunk writes n of eight neighbouring sums of a row, which lie in shared memory.
__device__ __forceinline__ void finish_chunk(const ProductArgs &a, int64_t out, int64_t i, int64_t j,
	const float *sums, int n) {
	if (n < 8 || !a.vector_out) {
#pragma unroll 1
		for (int c = 0; c < n; c++) finish<float>(a, out, i, j + c, sums[c]);
		return;
	}
	float4 x = reinterpret_cast<const float4 *>(sums)[0], y = reinterpret_cast<const float4 *>(sums)[1];
	float v[8] = {x.x, x.y, x.z, x.w, y.x, y.y, y.z, y.w};
	if (a.bias.data) {
#pragma unroll 1 // few rows have chunks, and loads know many types
		for (int c = 0; c < 8; c++) {
			float b = load<float>(a.bias, i * a.row_bias + (j + c) * a.col_bias);
#pragma unroll
			for (int d = 0; d < 8; d++)
				if (d == c) v[d] += b;
		}
	}
	if (a.via == Float16)
#pragma unroll
		for (int c = 0; c < 8; c++) v[c] = convert<float>(convert<half_t>(v[c]));
	else if (a.via == BFloat16)
#pragma unroll
		for (int c = 0; c < 8; c++) v[c] = convert<float>(convert<bfloat_t>(v[c]));
	store_chunk(a.out, out + i * a.row_out + j, v);
}
