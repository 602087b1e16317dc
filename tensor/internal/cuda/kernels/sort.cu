// Sorting: device.Argsort.
//
// An item is an element as an unsigned number in the same order, and its place, so that no two are
// equal and every order of items is stable. sort_tiles_… sorts tiles in shared memory by a bitonic
// network: several short rows a tile, or a piece of a long row. sort_merge_… then merges sorted runs in
// pairs: an item's new place is its own plus the number of smaller items in the other run. sort.go
// launches both.
#include "reduce.cuh"

struct SortArgs {
	Array out, x;
	int64_t count, out_by, x_by;
	int64_t segment; // items that are sorted together in a tile: a power of two
	int64_t run;     // items in the sorted runs
	const void *from; // [rows, count] items; 0 where they are x's elements
	void *to;         // likewise; 0 where their places are written to out
	int32_t descending, pad;
	Walk rows; // of out and x
};

// A NarrowItem is of an element that float has, a WideItem of any.
typedef uint64_t NarrowItem;
struct WideItem {
	uint64_t key, place;
};

__device__ __forceinline__ bool less(NarrowItem a, NarrowItem b) { return a < b; }
__device__ __forceinline__ bool less(WideItem a, WideItem b) { return a.key < b.key || (a.key == b.key && a.place < b.place); }
__device__ __forceinline__ int64_t place_of(NarrowItem v) { return static_cast<uint32_t>(v); }
__device__ __forceinline__ int64_t place_of(WideItem v) { return v.place; }
__device__ __forceinline__ void last(NarrowItem &v) { v = UINT64_MAX; }
__device__ __forceinline__ void last(WideItem &v) { v = {UINT64_MAX, UINT64_MAX}; }

// key maps numbers to unsigned ones in the same order; −0 is 0, and NaN the largest.
__device__ __forceinline__ uint32_t key(float v) {
	if (v != v) return UINT32_MAX;
	uint32_t b = v == 0 ? 0 : __float_as_uint(v);
	return b >> 31 ? ~b : b | 1u << 31;
}
__device__ __forceinline__ uint64_t key(double v) {
	if (v != v) return UINT64_MAX;
	uint64_t b = v == 0 ? 0 : __double_as_longlong(v);
	return b >> 63 ? ~b : b | 1ull << 63;
}

__device__ __forceinline__ void read(const SortArgs &a, int64_t base, int64_t i, NarrowItem &v) {
	uint32_t k = key(load<float>(a.x, base + i * a.x_by));
	v = static_cast<uint64_t>(a.descending ? ~k : k) << 32 | static_cast<uint32_t>(i);
}
__device__ __forceinline__ void read(const SortArgs &a, int64_t base, int64_t i, WideItem &v) {
	uint64_t k = a.x.dtype == Int64 ? load<int64_t>(a.x, base + i * a.x_by) ^ 1ull << 63 : key(load<double>(a.x, base + i * a.x_by));
	v = {a.descending ? ~k : k, static_cast<uint64_t>(i)};
}

template <class Item> __device__ __forceinline__ void put(const SortArgs &a, int64_t row, int64_t i, Item v) {
	if (a.to != nullptr) {
		static_cast<Item *>(a.to)[row * a.count + i] = v;
		return;
	}
	int64_t at[1];
	seek(a.rows, row, at);
	store<int64_t>(a.out, at[0] + i * a.out_by, place_of(v));
}

template <class Item> __device__ __forceinline__ void sort_tiles(const SortArgs &a) {
	constexpr int tile = 16384 / sizeof(Item);
	__shared__ Item items[tile];
	int segment = static_cast<int>(a.segment), shift = 31 - __clz(segment), each = tile >> shift;
	int64_t pieces = (a.count + segment - 1) >> shift, segments = a.rows.total * pieces;
	for (int64_t from = blockIdx.x * static_cast<int64_t>(each); from < segments; from += gridDim.x * static_cast<int64_t>(each)) {
		__syncthreads();
		for (int k = threadIdx.x; k < tile; k += blockDim.x) {
			int64_t s = from + (k >> shift), row = pieces == 1 ? s : s / pieces, i = ((s - row * pieces) << shift) + (k & (segment - 1));
			last(items[k]);
			if (s >= segments || i >= a.count) continue;
			int64_t at[2];
			seek(a.rows, row, at);
			read(a, at[1], i, items[k]);
		}
		for (int size = 2; size <= segment; size *= 2) {
			for (int step = size / 2; step > 0; step /= 2) {
				__syncthreads();
				for (int k = threadIdx.x; k < tile / 2; k += blockDim.x) {
					int lo = 2 * (k & -step) + (k & (step - 1)); // all of these are powers of two
					int hi = step == size / 2 ? (lo | (size - 1)) - (lo & (size - 1)) : lo + step; // first, runs end to end
					if (less(items[hi], items[lo])) {
						Item t = items[lo];
						items[lo] = items[hi], items[hi] = t;
					}
				}
			}
		}
		__syncthreads();
		for (int k = threadIdx.x; k < tile; k += blockDim.x) {
			int64_t s = from + (k >> shift), row = pieces == 1 ? s : s / pieces, i = ((s - row * pieces) << shift) + (k & (segment - 1));
			if (s < segments && i < a.count) put(a, row, i, items[k]);
		}
	}
}

KERNEL(sort_tiles_narrow, SortArgs) { sort_tiles<NarrowItem>(a); }
KERNEL(sort_tiles_wide, SortArgs) { sort_tiles<WideItem>(a); }

template <class Item> __device__ __forceinline__ void sort_merge(const SortArgs &a) {
	for (int64_t e = first(); e < a.rows.total * a.count; e += step()) {
		int64_t row = e / a.count, i = e - row * a.count;
		const Item *items = static_cast<const Item *>(a.from) + row * a.count;
		Item v = items[i];
		int64_t pair = i / (2 * a.run) * (2 * a.run), middle = min(pair + a.run, a.count);
		bool left = i < middle;
		int64_t lo = left ? middle : pair, hi = left ? min(middle + a.run, a.count) : middle, from = lo;
		while (lo < hi) {
			int64_t half = lo + (hi - lo) / 2;
			if (less(items[half], v)) lo = half + 1;
			else hi = half;
		}
		put(a, row, (left ? i : i - (middle - pair)) + (lo - from), v);
	}
}

KERNEL(sort_merge_narrow, SortArgs) { sort_merge<NarrowItem>(a); }
KERNEL(sort_merge_wide, SortArgs) { sort_merge<WideItem>(a); }
