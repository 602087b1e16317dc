// Products of matrices of float32, float64 and int64, and the end of those whose sums were split.
//
//	out[…, i, j] = Σ a[…, i, k]·b[…, k, j] + bias, rounded to via and then to out's type
//
// Each block computes one tile, of 128×128 for the large kernel and of 64×64 for the small ones; MatMul
// in product.go chooses. Float32 stays float32 all through: no tf32. What is not written in the type
// that is summed in, with a bias of that type, goes through parts.
#include "product.cuh"
#include "simt.cuh"

// A Factor is one of the matrices, from the tile's first line on.
template <class C, int S> struct Factor {
	typedef SimtSums<C, S> Sums;
	const C *data;
	int64_t line, step; // elements from line to line, and from one k to the next
	int64_t lines, to;  // how many there are
	bool along;

	__device__ __forceinline__ void read(C (&out)[Sums::Each], int64_t k0) const {
		int l, dk;
		Sums::where(along, l, dk);
		int64_t k = k0 + dk, next = Sums::next_line(along) * line + Sums::next_k(along) * step;
		const C *from = data + l * line + k * step;
		int64_t left = along ? lines - l : to - k; // in the direction that is read in
		int first = along ? k < to : l < lines, by = along ? Sums::next_line(true) : Sums::next_k(false);
		int have = first ? static_cast<int>(min(max(left, int64_t(0)), int64_t(1) << 20)) : 0;
#pragma unroll
		for (int i = 0; i < Sums::Each; i++) {
			out[i] = i * by < have ? *from : C(0);
			from += next;
		}
	}
};

template <class C, int S> __device__ __forceinline__ void multiply(const ProductArgs &a) {
	__shared__ __align__(16) C shared[4 * SimtSums<C, S>::Stage];
	Place at(a, S, S);
	Factor<C, S> fa = {static_cast<const C *>(a.a.data) + at.a + at.row * a.row_a, a.row_a, a.col_a,
		a.m - at.row, at.to, a.col_a == 1};
	Factor<C, S> fb = {static_cast<const C *>(a.b.data) + at.b + at.col * a.col_b, a.col_b, a.row_b,
		a.n - at.col, at.to, a.row_b == 1 && a.col_b != 1};
	SimtSums<C, S> sums;
	sums.multiply(shared, fa, fb, at.from, at.to);
	bool whole = a.parts == nullptr; // out is of type C then, and so is the bias
	C *out = whole ? static_cast<C *>(a.out.data) + at.out : static_cast<C *>(a.parts) + at.part;
	int64_t row = whole ? a.row_out : a.n, col = whole ? a.col_out : 1;
	const C *bias = static_cast<const C *>(whole ? a.bias.data : nullptr);
	out += at.row * row + at.col * col;
	int rows = static_cast<int>(min(a.m - at.row, int64_t(S))), cols = static_cast<int>(min(a.n - at.col, int64_t(S)));
	constexpr int Count = 4 * SimtSums<C, S>::Quads;
	C beside[Count], above[Count]; // the bias of rows or of columns; −0 changes nothing
#pragma unroll
	for (int i = 0; i < Count; i++) {
		beside[i] = above[i] = -C(0);
		if (bias && a.row_bias && sums.row(i) < rows) beside[i] = bias[(at.row + sums.row(i)) * a.row_bias];
		if (bias && !a.row_bias && sums.col(i) < cols) above[i] = bias[(at.col + sums.col(i)) * a.col_bias];
	}
	sums.each([&](int i, int j, C v) {
		int r = sums.row(i), c = sums.col(j);
		if (r < rows && c < cols) out[r * row + c * col] = v + beside[i] + above[j];
	});
}

#define TWO_BLOCKS 256, 2 // on a multiprocessor at a time, which have 128 registers a thread

KERNEL_BOUNDS(product_large_f32, ProductArgs, TWO_BLOCKS) { multiply<float, 128>(a); }
KERNEL_BOUNDS(product_small_f32, ProductArgs, 256) { multiply<float, 64>(a); }
KERNEL_BOUNDS(product_small_f64, ProductArgs, 256) { multiply<double, 64>(a); }
KERNEL_BOUNDS(product_small_i64, ProductArgs, 256) { multiply<int64_t, 64>(a); }

// fold adds the parts of each sum in order, and finishes it.
template <class C> __device__ void fold(const ProductArgs &a) {
	const C *parts = static_cast<const C *>(a.parts);
	int64_t size = a.m * a.n, total = size * a.batch.total;
	for (int64_t i = first(); i < total; i += step()) {
		C sum = parts[i];
		for (int s = 1; s < a.splits; s++) sum += parts[i + s * total];
		int64_t matrix = i / size, in = i - matrix * size, row = in / a.n, at[1];
		seek(a.batch, matrix, at);
		finish<C>(a, at[0], row, in - row * a.n, sum);
	}
}

KERNEL(fold_f32, ProductArgs) { fold<float>(a); }
KERNEL(fold_f64, ProductArgs) { fold<double>(a); }
KERNEL(fold_i64, ProductArgs) { fold<int64_t>(a); }
