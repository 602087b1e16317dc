// Maxima and averages over windows of planes, x [N, H, W] and y [N, P, Q], and their gradients:
//
//	y[n, i, j] = max or mean of x[n, k, l] over k in rows[i], l in cols[j]
//
// The gradients have a thread for each element of x, which looks for the windows that it is in: so
// no two threads add to one element, and sums have the order of the windows.
#include "table.cuh"

// Loops over windows are not unrolled: most have two or three rounds, and the program stays small.

// A Span is what one place of a pooled dimension looks at.
struct Span {
	int32_t from, to, step, count;
};

// A Reach is which windows may hold a place: from the first up to last.
struct Reach {
	int32_t first, last;
};

struct PoolArgs {
	Array y, x, index;
	int64_t total; // elements of what is computed
	int32_t height, width, rows, cols;
	int64_t y_stride[3], x_stride[3], index_stride[3];
	Table table; // spans of rows and columns, then reaches of x's rows and columns for gradients
};

// A Place is an element of planes of so many rows and columns.
struct Place {
	int64_t plane;
	int32_t row, col;
};

__device__ __forceinline__ Place place_of(int64_t i, int64_t total, int32_t rows, int32_t cols) {
	if (total <= UINT32_MAX) {
		uint32_t t = static_cast<uint32_t>(i), line = t / cols, plane = line / rows;
		return Place{plane, static_cast<int32_t>(line - plane * rows), static_cast<int32_t>(t - line * cols)};
	}
	int64_t line = i / cols, plane = line / rows;
	return Place{plane, static_cast<int32_t>(line - plane * rows), static_cast<int32_t>(i - line * cols)};
}

__device__ __forceinline__ int64_t offset(const int64_t (&stride)[3], int64_t plane, int64_t row, int64_t col) {
	return plane * stride[0] + row * stride[1] + col * stride[2];
}

// A Largest is the largest element so far, and where. NaN is larger than any number; of equal
// elements the first counts, of NaNs the last.
template <class C> struct Largest {
	C value;
	int64_t at;

	__device__ __forceinline__ void see(C v, int64_t where) {
		if (v > value || v != v) value = v, at = where;
	}
	// also takes in what was found elsewhere in the window.
	__device__ __forceinline__ void also(C v, int64_t where) {
		bool nan = v != v, had = value != value;
		bool takes = nan ? !had || where > at : !had && (v > value || (v == value && where < at));
		if (takes) value = v, at = where;
	}
};

// max_pool has a thread for each window. MaxPool launches it.
template <class T, class C> __device__ void max_pool(const PoolArgs &a) {
	TABLE(words, a.table);
	const Span *rows = reinterpret_cast<const Span *>(words), *cols = rows + a.rows;
	for (int64_t t = first(); t < a.total; t += step()) {
		Place p = place_of(t, a.total, a.rows, a.cols);
		Span r = rows[p.row], c = cols[p.col];
		int64_t base = p.plane * a.x_stride[0];
		Largest<C> best = {get<T, C>(a.x, base + r.from * a.x_stride[1] + c.from * a.x_stride[2]),
			static_cast<int64_t>(r.from) * a.width + c.from};
#pragma unroll 1
		for (int i = r.from; i < r.to; i += r.step)
#pragma unroll 1
			for (int j = c.from; j < c.to; j += c.step)
				best.see(get<T, C>(a.x, base + i * a.x_stride[1] + j * a.x_stride[2]),
					static_cast<int64_t>(i) * a.width + j);
		put<T, C>(a.y, offset(a.y_stride, p.plane, p.row, p.col), best.value);
		put<Mixed, int64_t>(a.index, offset(a.index_stride, p.plane, p.row, p.col), best.at);
	}
}

KERNEL(max_pool_f32, PoolArgs) { max_pool<float, float>(a); }
KERNEL(max_pool_f16, PoolArgs) { max_pool<half_t, float>(a); }
KERNEL(max_pool_bf16, PoolArgs) { max_pool<bfloat_t, float>(a); }
KERNEL(max_pool_any_f32, PoolArgs) { max_pool<Mixed, float>(a); }
KERNEL(max_pool_any_f64, PoolArgs) { max_pool<Mixed, double>(a); }
KERNEL(max_pool_any_i64, PoolArgs) { max_pool<Mixed, int64_t>(a); }

// A Walker takes the threads of a warp through a window, a 32nd of the elements each.
struct Walker {
	Span r, c;
	int width, count, at;

	__device__ __forceinline__ Walker(Span rows, Span cols) : r(rows), c(cols) {
		width = (c.to - c.from + c.step - 1) / c.step;
		count = width * ((r.to - r.from + r.step - 1) / r.step);
		at = threadIdx.x % 32;
	}
	__device__ __forceinline__ bool more() const { return at < count; }
	__device__ __forceinline__ int row() const { return r.from + at / width * r.step; }
	__device__ __forceinline__ int col() const { return c.from + at % width * c.step; }
	__device__ __forceinline__ void next() { at += 32; }
};

template <class C> __device__ __forceinline__ C lowest() { return -INFINITY; }
template <> __device__ __forceinline__ int64_t lowest() { return INT64_MIN; }

// max_pool_wide is max_pool with a warp for each window, for large ones.
template <class C> __device__ void max_pool_wide(const PoolArgs &a) {
	TABLE(words, a.table);
	const Span *rows = reinterpret_cast<const Span *>(words), *cols = rows + a.rows;
	for (int64_t t = first() / 32; t < a.total; t += step() / 32) {
		Place p = place_of(t, a.total, a.rows, a.cols);
		Largest<C> best = {lowest<C>(), INT64_MAX};
		int64_t base = p.plane * a.x_stride[0];
#pragma unroll 1
		for (Walker w(rows[p.row], cols[p.col]); w.more(); w.next()) {
			int i = w.row(), j = w.col();
			best.also(get<Mixed, C>(a.x, base + i * a.x_stride[1] + j * a.x_stride[2]), static_cast<int64_t>(i) * a.width + j);
		}
		for (int far = 16; far > 0; far /= 2)
			best.also(__shfl_xor_sync(0xffffffff, best.value, far), __shfl_xor_sync(0xffffffff, best.at, far));
		if (threadIdx.x % 32) continue;
		put<Mixed, C>(a.y, offset(a.y_stride, p.plane, p.row, p.col), best.value);
		put<Mixed, int64_t>(a.index, offset(a.index_stride, p.plane, p.row, p.col), best.at);
	}
}

KERNEL(max_pool_wide_f32, PoolArgs) { max_pool_wide<float>(a); }
KERNEL(max_pool_wide_f64, PoolArgs) { max_pool_wide<double>(a); }
KERNEL(max_pool_wide_i64, PoolArgs) { max_pool_wide<int64_t>(a); }

// avg_pool has a thread for each window, and sums in double. AvgPool launches it.
template <class T, class C> __device__ void avg_pool(const PoolArgs &a) {
	TABLE(words, a.table);
	const Span *rows = reinterpret_cast<const Span *>(words), *cols = rows + a.rows;
	for (int64_t t = first(); t < a.total; t += step()) {
		Place p = place_of(t, a.total, a.rows, a.cols);
		Span r = rows[p.row], c = cols[p.col];
		int64_t base = p.plane * a.x_stride[0];
		double sum = 0;
#pragma unroll 1
		for (int j = c.from; j < c.to; j += c.step) {
			double column = 0;
#pragma unroll 1
			for (int i = r.from; i < r.to; i += r.step)
				column += get<T, C>(a.x, base + i * a.x_stride[1] + j * a.x_stride[2]);
			sum += column;
		}
		put<T, C>(a.y, offset(a.y_stride, p.plane, p.row, p.col),
			static_cast<C>(sum / static_cast<double>(static_cast<int64_t>(r.count) * c.count)));
	}
}

KERNEL(avg_pool_f32, PoolArgs) { avg_pool<float, float>(a); }
KERNEL(avg_pool_f16, PoolArgs) { avg_pool<half_t, float>(a); }
KERNEL(avg_pool_bf16, PoolArgs) { avg_pool<bfloat_t, float>(a); }
KERNEL(avg_pool_any_f32, PoolArgs) { avg_pool<Mixed, float>(a); }
KERNEL(avg_pool_any_f64, PoolArgs) { avg_pool<Mixed, double>(a); }

// avg_pool_wide is avg_pool with a warp for each window, for large ones.
template <class C> __device__ void avg_pool_wide(const PoolArgs &a) {
	TABLE(words, a.table);
	const Span *rows = reinterpret_cast<const Span *>(words), *cols = rows + a.rows;
	for (int64_t t = first() / 32; t < a.total; t += step() / 32) {
		Place p = place_of(t, a.total, a.rows, a.cols);
		Span r = rows[p.row], c = cols[p.col];
		int64_t base = p.plane * a.x_stride[0];
		double sum = 0;
#pragma unroll 1
		for (Walker w(r, c); w.more(); w.next())
			sum += get<Mixed, C>(a.x, base + w.row() * a.x_stride[1] + w.col() * a.x_stride[2]);
		for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffff, sum, far);
		if (threadIdx.x % 32) continue;
		put<Mixed, C>(a.y, offset(a.y_stride, p.plane, p.row, p.col),
			static_cast<C>(sum / static_cast<double>(static_cast<int64_t>(r.count) * c.count)));
	}
}

KERNEL(avg_pool_wide_f32, PoolArgs) { avg_pool_wide<float>(a); }
KERNEL(avg_pool_wide_f64, PoolArgs) { avg_pool_wide<double>(a); }

__device__ __forceinline__ bool holds(const Span &s, int at) {
	return at >= s.from && at < s.to && (s.step == 1 || (at - s.from) % s.step == 0);
}

// max_pool_grad adds up the elements of y whose position is that of an element of x. MaxPoolGrad
// launches it.
template <class T, class C> __device__ void max_pool_grad(const PoolArgs &a) {
	TABLE(words, a.table);
	const Reach *high = reinterpret_cast<const Reach *>(reinterpret_cast<const Span *>(words) + a.rows + a.cols);
	const Reach *wide = high + a.height;
	const int64_t *index = static_cast<const int64_t *>(a.index.data);
	for (int64_t t = first(); t < a.total; t += step()) {
		Place p = place_of(t, a.total, a.height, a.width);
		Reach r = high[p.row], c = wide[p.col];
		int64_t place = static_cast<int64_t>(p.row) * a.width + p.col;
		C sum = 0;
#pragma unroll 1
		for (int i = r.first; i < r.last; i++)
#pragma unroll 1
			for (int j = c.first; j < c.last; j++)
				if (index[offset(a.index_stride, p.plane, i, j)] == place)
					sum += get<T, C>(a.y, offset(a.y_stride, p.plane, i, j));
		put<T, C>(a.x, offset(a.x_stride, p.plane, p.row, p.col), sum);
	}
}

KERNEL(max_pool_grad_f32, PoolArgs) { max_pool_grad<float, float>(a); }
KERNEL(max_pool_grad_f16, PoolArgs) { max_pool_grad<half_t, float>(a); }
KERNEL(max_pool_grad_bf16, PoolArgs) { max_pool_grad<bfloat_t, float>(a); }
KERNEL(max_pool_grad_any_f32, PoolArgs) { max_pool_grad<Mixed, float>(a); }
KERNEL(max_pool_grad_any_f64, PoolArgs) { max_pool_grad<Mixed, double>(a); }

// avg_pool_grad adds up the shares of the windows that hold an element of x. AvgPoolGrad launches it.
template <class T, class C> __device__ void avg_pool_grad(const PoolArgs &a) {
	TABLE(words, a.table);
	const Span *rows = reinterpret_cast<const Span *>(words), *cols = rows + a.rows;
	const Reach *high = reinterpret_cast<const Reach *>(cols + a.cols), *wide = high + a.height;
	for (int64_t t = first(); t < a.total; t += step()) {
		Place p = place_of(t, a.total, a.height, a.width);
		Reach r = high[p.row], c = wide[p.col];
		C sum = 0;
#pragma unroll 1
		for (int i = r.first; i < r.last; i++) {
			Span row = rows[i];
			if (!holds(row, p.row)) continue;
			C line = 0;
#pragma unroll 1
			for (int j = c.first; j < c.last; j++) {
				Span col = cols[j];
				if (!holds(col, p.col)) continue;
				line += get<T, C>(a.y, offset(a.y_stride, p.plane, i, j)) /
					static_cast<C>(static_cast<int64_t>(row.count) * col.count);
			}
			sum += line;
		}
		put<T, C>(a.x, offset(a.x_stride, p.plane, p.row, p.col), sum);
	}
}

KERNEL(avg_pool_grad_f32, PoolArgs) { avg_pool_grad<float, float>(a); }
KERNEL(avg_pool_grad_f16, PoolArgs) { avg_pool_grad<half_t, float>(a); }
KERNEL(avg_pool_grad_bf16, PoolArgs) { avg_pool_grad<bfloat_t, float>(a); }
KERNEL(avg_pool_grad_any_f32, PoolArgs) { avg_pool_grad<Mixed, float>(a); }
KERNEL(avg_pool_grad_any_f64, PoolArgs) { avg_pool_grad<Mixed, double>(a); }
