// Products of small matrices by a warp. Which lane holds which element is the stand-in's own affair,
// as it is each GPU's.
#pragma once

namespace standin {

// matrix_at ends the launch unless a matrix with lines of so many bytes may lie at p.
void matrix_at(const void *p, size_t pitch, const char *file, int line);

// real widens a number in code that is not checked.

#define STANDIN_PLAIN __attribute__((always_inline, no_sanitize("thread", "undefined"))) inline
STANDIN_PLAIN float real(float v) { return v; }
STANDIN_PLAIN float real(__nv_bfloat16 v) { return __builtin_bit_cast(float, unsigned(__builtin_bit_cast(unsigned short, v)) << 16); }
#ifdef __F16C__
STANDIN_PLAIN float real(__half v) { return _cvtsh_ss(__builtin_bit_cast(unsigned short, v)); }
#else
STANDIN_PLAIN float real(__half v) { return ::__half2float(v); }
#endif

}

namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };

template <class Use, int M, int N, int K> struct extent;
template <int M, int N, int K> struct extent<matrix_a, M, N, K> { static constexpr int rows = M, cols = K; };
template <int M, int N, int K> struct extent<matrix_b, M, N, K> { static constexpr int rows = K, cols = N; };
template <int M, int N, int K> struct extent<accumulator, M, N, K> { static constexpr int rows = M, cols = N; };

// Element i of lane l is element 32·i + l of the matrix, in rows.
template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment : extent<Use, M, N, K> {
	static_assert((M == 16 && N == 16 && K == 16) || (M == 32 && N == 8 && K == 16) || (M == 8 && N == 32 && K == 16),
		"no GPU has matrices of this size");
	typedef extent<Use, M, N, K> size;
	typedef T element_type;
	static constexpr int num_elements = size::rows * size::cols / 32;
	T x[num_elements];
};

template <class F, class T> inline void fill_fragment(F &f, T v) {
	for (auto &e : f.x) e = v;
}

// place is where element i of this lane lies in memory with lines of pitch elements.
template <class Size> inline size_t place(int i, unsigned pitch, bool columns) {
	int e = 32 * i + standin::lane(), r = e / Size::cols, c = e % Size::cols;
	return columns ? size_t(c) * pitch + r : size_t(r) * pitch + c;
}

template <class Use, int M, int N, int K, class T, class L>
inline void load_matrix_sync(fragment<Use, M, N, K, T, L> &f, const T *p, unsigned pitch, STANDIN_SITE) {
	standin::matrix_at(p, pitch * sizeof(T), file, line);
	standin::sync_lanes(file, line);
	for (int i = 0; i < f.num_elements; i++) f.x[i] = p[place<extent<Use, M, N, K>>(i, pitch, std::is_same<L, col_major>::value)];
}
template <int M, int N, int K, class T>
inline void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *p, unsigned pitch, layout_t l, STANDIN_SITE) {
	standin::matrix_at(p, pitch * sizeof(T), file, line);
	standin::sync_lanes(file, line);
	for (int i = 0; i < f.num_elements; i++) f.x[i] = p[place<extent<accumulator, M, N, K>>(i, pitch, l == mem_col_major)];
}
template <int M, int N, int K, class T>
inline void store_matrix_sync(T *p, const fragment<accumulator, M, N, K, T> &f, unsigned pitch, layout_t l, STANDIN_SITE) {
	standin::matrix_at(p, pitch * sizeof(T), file, line);
	standin::sync_lanes(file, line);
	for (int i = 0; i < f.num_elements; i++) p[place<extent<accumulator, M, N, K>>(i, pitch, l == mem_col_major)] = f.x[i];
}

// A product's fragments, of one lane.
template <int M, int N, int K, class T, class C> struct product {
	const T *a, *b;
	const C *c;
	C *d;

	// all computes d = a·b + c with every lane's, in float32: sums of products first, then c.
	static UNCHECKED void all(void **lanes) {
		float a[M][K], b[K][N], sum[M][N] = {};
		auto *p = reinterpret_cast<product **>(lanes);
		for (int l = 0; l < 32; l++) {
			for (int i = 0; i < M * K / 32; i++) a[(32 * i + l) / K][(32 * i + l) % K] = standin::real(p[l]->a[i]);
			for (int i = 0; i < K * N / 32; i++) b[(32 * i + l) / N][(32 * i + l) % N] = standin::real(p[l]->b[i]);
		}
		for (int m = 0; m < M; m++)
			for (int k = 0; k < K; k++)
				for (int n = 0; n < N; n++) sum[m][n] += a[m][k] * b[k][n];
		for (int l = 0; l < 32; l++)
			for (int i = 0; i < M * N / 32; i++)
				p[l]->d[i] = static_cast<C>(sum[(32 * i + l) / N][(32 * i + l) % N] + standin::real(p[l]->c[i]));
	}
};

template <int M, int N, int K, class T, class LA, class LB, class C>
inline void mma_sync(fragment<accumulator, M, N, K, C> &d, const fragment<matrix_a, M, N, K, T, LA> &a,
	const fragment<matrix_b, M, N, K, T, LB> &b, const fragment<accumulator, M, N, K, C> &c, STANDIN_SITE) {
	product<M, N, K, T, C> mine{a.x, b.x, c.x, d.x};
	standin::meet(product<M, N, K, T, C>::all, &mine, "mma_sync", file, line);
}

}
}
