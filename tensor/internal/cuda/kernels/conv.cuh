// What the three products of a convolution have in common. All are products of matrices whose columns
// or rows are the places of an image and the taps of a kernel that meet there; the matrix of all
// patches never exists, its tiles are gathered where they are used.
//
//	Conv        y[o, place] = Σ w[o, tap]·x[place + tap]      over the taps of all channels that are read
//	ConvInput   x[c, place] = Σ w[tap, c]·y[place − tap]      the same, with another sweep
//	ConvWeight  w[o, tap]   = Σ y[o, place]·x[place + tap]    over the places of all images
#pragma once

#include "product.cuh"

enum Kind { Forward, Input, Weight };

// convArgs in conv.go. out is what is computed, b is what is gathered, a the other factor.
struct ConvArgs {
	Array out, a, b, bias;
	void *parts;          // of sums over places that were split: [splits, groups·written, taps]
	int64_t stride_out[4], stride_a[4], stride_b[4];
	int64_t step_bias;
	int64_t deep;         // places of a part
	int32_t images, groups, written, read; // the last two are channels of a group
	int32_t x[2], y[2], kernel[2], stride[2], padding[2], dilation[2];
	int32_t tiles_m, tiles_n, splits, vector_out;
};

// A Sweep is how places and taps lie in one dimension: place i of size is written at first + i·step,
// and its tap j, which is tap + j·tap_step of the kernel, reads from + i·each + j·per_tap, where that
// is within limit.
struct Sweep {
	int size, first, step;
	int taps, tap, tap_step;
	int from, each, per_tap, limit;
};

// sweep_of gives the sweep of dimension d. Gradients of inputs with a stride have one for each
// remainder r of a place by the stride, whose taps are those that meet an element of y.
template <Kind kind> __device__ __forceinline__ Sweep sweep_of(const ConvArgs &a, int d, int r) {
	if (kind != Input)
		return {a.y[d], 0, 1, a.kernel[d], 0, 1, -a.padding[d], a.stride[d], a.dilation[d], a.x[d]};
	int s = a.stride[d];
	Sweep w = {a.x[d] > r ? (a.x[d] - r - 1) / s + 1 : 0, r, s, 0, 0, 1, 0, 1, 0, a.y[d]};
	int64_t at = int64_t(r) + a.padding[d];
	while (w.tap < s && w.tap < a.kernel[d] && (at - int64_t(w.tap) * a.dilation[d]) % s != 0) w.tap++;
	while (int64_t(w.tap_step) * a.dilation[d] % s != 0) w.tap_step++;
	if (w.tap < s && w.tap < a.kernel[d]) w.taps = (a.kernel[d] - 1 - w.tap) / w.tap_step + 1;
	w.from = static_cast<int>((at - int64_t(w.tap) * a.dilation[d]) / s);
	w.per_tap = static_cast<int>(-int64_t(w.tap_step) * a.dilation[d] / s);
	return w;
}

// A Triple is an index into three dimensions, the last of which runs fastest.
struct Triple {
	int i, j, k;

	__device__ __forceinline__ Triple(int64_t n, int sizes_j, int sizes_k) {
		uint32_t at = static_cast<uint32_t>(n), sj = max(sizes_j, 1), sk = max(sizes_k, 1);
		uint32_t rest = at / sk;
		k = static_cast<int>(at - rest * sk);
		i = static_cast<int>(rest / sj);
		j = static_cast<int>(rest - i * sj);
	}
	__device__ __forceinline__ void next(int sizes_j, int sizes_k) {
		if (++k < sizes_k) return;
		k = 0;
		if (++j < sizes_j) return;
		j = 0;
		i++;
	}
};

// A Task is what a block computes: a tile of one group, for one sweep or one part of the places.
template <Kind kind> struct Task {
	Sweep rows, cols;
	int group, split;
	int row, col;          // where the tile begins
	int places, taps;      // how many there are
	int from, to;          // what is summed

	__device__ __forceinline__ Task(const ConvArgs &a, int tile_m, int tile_n) {
		uint32_t rest = blockIdx.x;
		row = static_cast<int>(rest % a.tiles_m) * tile_m;
		rest /= a.tiles_m;
		col = static_cast<int>(rest % a.tiles_n) * tile_n;
		rest /= a.tiles_n;
		group = static_cast<int>(rest % a.groups);
		split = static_cast<int>(rest / a.groups);
		rows = sweep_of<kind>(a, 0, kind == Input ? split / a.stride[1] : 0);
		cols = sweep_of<kind>(a, 1, kind == Input ? split % a.stride[1] : 0);
		places = a.images * rows.size * cols.size;
		taps = a.read * rows.taps * cols.taps;
		from = kind == Weight ? static_cast<int>(split * a.deep) : 0;
		to = kind == Weight ? static_cast<int>(min(int64_t(places), (split + 1) * a.deep)) : taps;
	}
	__device__ __forceinline__ int width() const { return kind == Weight ? taps : places; }

	// factor gives where element k of row 0 of the first factor is.
	__device__ __forceinline__ int64_t factor(const ConvArgs &a, int64_t k) const {
		if (kind == Weight) {
			Triple p(k, rows.size, cols.size);
			return p.i * a.stride_a[0] + p.j * a.stride_a[2] + p.k * a.stride_a[3];
		}
		Triple t(k, rows.taps, cols.taps);
		return t.i * a.stride_a[kind == Input ? 0 : 1] + (rows.tap + t.j * rows.tap_step) * a.stride_a[2] +
			(cols.tap + t.k * cols.tap_step) * a.stride_a[3];
	}
	// factor_row gives where row m of the first factor begins, and factor_step how far on the next is.
	__device__ __forceinline__ int64_t factor_row(const ConvArgs &a, int m) const {
		if (kind == Input) return int64_t(group) * a.read * a.stride_a[0] + m * a.stride_a[1];
		if (kind == Forward) return (int64_t(group) * a.written + m) * a.stride_a[0];
		return (int64_t(group) * a.written + m) * a.stride_a[1];
	}
	__device__ __forceinline__ int64_t factor_step(const ConvArgs &a) const {
		return a.stride_a[kind == Forward ? 0 : 1];
	}
	// written gives where the result of a place in channel m is.
	__device__ __forceinline__ int64_t written(const ConvArgs &a, int m, const Triple &p) const {
		return p.i * a.stride_out[0] + (int64_t(group) * a.written + m) * a.stride_out[1] +
			(rows.first + p.j * rows.step) * a.stride_out[2] + (cols.first + p.k * cols.step) * a.stride_out[3];
	}
};

// A Spot is a place with what its first tap of the first channel meets.
struct Spot {
	int64_t base;
	int h, w;
	bool valid;

	template <Kind kind>
	__device__ __forceinline__ Spot(const ConvArgs &a, const Task<kind> &t, int64_t place, int64_t limit) {
		Triple p(place, t.rows.size, t.cols.size);
		valid = place < limit;
		h = t.rows.from + p.j * t.rows.each;
		w = t.cols.from + p.k * t.cols.each;
		base = p.i * a.stride_b[0] + int64_t(t.group) * a.read * a.stride_b[1];
	}

	// at gives the element that a tap meets.
	template <class T, Kind kind>
	__device__ __forceinline__ T at(const ConvArgs &a, const Task<kind> &t, const Triple &tap) const {
		int y = h + tap.j * t.rows.per_tap, x = w + tap.k * t.cols.per_tap;
		bool inside = valid && tap.i < a.read && static_cast<unsigned>(y) < static_cast<unsigned>(t.rows.limit) &&
			static_cast<unsigned>(x) < static_cast<unsigned>(t.cols.limit);
		return inside ? static_cast<const T *>(a.b.data)[base + tap.i * a.stride_b[1] + y * a.stride_b[2] +
			x * a.stride_b[3]] : T(0);
	}
};
