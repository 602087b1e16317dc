// Normalisation of rows and its gradient: device.Normalizations.
//
//	y  = (x − mean)·s·w + b                      s = 1/√(variance + eps)
//	dx = s·(h − mean h − z·mean(h·z))            h = dy·w, z = (x − mean)·s
//
// Sums are kept in double. A team of threads has a row, which it goes through up to three times: all
// but the first find it in a cache. Of a few long rows it has a piece: a first launch then writes its
// part, mean and squared distances from it, or Σh and Σh·(x − mean), and the teams of a second one join
// those of their row. norm.go launches all of these; norm_weight.cu has the weight's gradient.
#include "reduce.cuh"

typedef Two<double, double> Pair;

struct NormArgs {
	Array out, x, dy, mean, variance, weight, bias;
	int64_t by[7][4]; // strides of these; 0 where an array is broadcast, or has no data
	int64_t shape[4];
	int64_t each; // elements of a piece
	Pair *parts;  // [rows, pieces], where there is more than one
	double eps;
	int32_t team, pieces;
	int32_t phase; // 0 does all, 1 writes parts, 2 reads them
	int32_t given, plain, vectors; // plain: rows have one stride in each array; vectors: they are packs
};

enum { Out, X, Dy, MeanOf, VarianceOf, Weight, Bias };

RARE double square_root(double v) { return sqrt(v); }

// A NormRow is what a team does with one row, whose threads look at n elements together.
template <class T, int n> struct NormRow {
	typedef typename T::C C;
	const NormArgs &a;
	const Team &team;
	uint32_t i, j, row;
	bool live;
	int64_t lo, hi;

	__device__ __forceinline__ NormRow(const NormArgs &a, const Team &team, uint32_t r) : a(a), team(team) {
		live = r < a.shape[0] * a.shape[1];
		row = live ? r : 0;
		i = row / static_cast<uint32_t>(a.shape[1]);
		j = row - i * static_cast<uint32_t>(a.shape[1]);
		lo = blockIdx.y * a.each;
		hi = live ? min(a.shape[2] * a.shape[3], lo + a.each) : lo;
	}
	__device__ __forceinline__ int64_t base(int array) const { return i * a.by[array][0] + j * a.by[array][1]; }

	// A Place is that of an element in its row, which is a line, or some of them.
	struct Place {
		uint32_t p, q;
		__device__ __forceinline__ int64_t in(const int64_t (&by)[4]) const { return p * by[2] + q * by[3]; }
	};

	// each shows visit the places of this thread, between which it does not divide.
	template <class Visit> __device__ __forceinline__ void each(Visit visit) const {
		uint32_t line = a.plain ? UINT32_MAX : static_cast<uint32_t>(a.shape[3]), by = team.size * n;
		uint32_t at = static_cast<uint32_t>(lo) + team.lane * n, dp = by / line, dq = by - dp * line;
		Place c = {at / line, at % line};
#pragma unroll (n == 1 ? T::unroll : 1)
		for (; at < hi; at += by) {
			visit(c);
			c.p += dp, c.q += dq;
			if (c.q >= line) c.q -= line, c.p++;
		}
	}

	__device__ __forceinline__ void get(C (&v)[n], const Array &array, int number, int64_t base, Place c) const {
		T::get(v, array, base + c.in(a.by[number]));
	}

	// factors reads the weight or the bias, which may be float, or are usual where there are none.
	__device__ __forceinline__ void factors(C (&v)[n], const Array &array, int number, int64_t base, Place c, C usual) const {
		if (array.data == nullptr) {
#pragma unroll
			for (int k = 0; k < n; k++) v[k] = usual;
			return;
		}
		int64_t at = base + c.in(a.by[number]);
		if constexpr (T::wide == 1) {
			T::get(v, array, at);
			return;
		} else {
			bool same = n == 1 || a.by[number][3] == 0;
			if (array.dtype == Float32) {
				const float *p = static_cast<const float *>(array.data) + at;
				if constexpr (n > 1) {
					if (!same) {
#pragma unroll
						for (int k = 0; k < n; k += 4) {
							float4 four = __ldg(reinterpret_cast<const float4 *>(p + k));
							v[k] = four.x, v[k + 1] = four.y, v[k + 2] = four.z, v[k + 3] = four.w;
						}
						return;
					}
				}
				v[0] = __ldg(p);
			} else {
				if constexpr (n > 1) {
					if (!same) {
						T::get(v, array, at);
						return;
					}
				}
				C one[1];
				T::get(one, array, at);
				v[0] = one[0];
			}
#pragma unroll
			for (int k = 1; k < n; k++) v[k] = v[0];
		}
	}

	__device__ __forceinline__ double size() const { return a.shape[2] * a.shape[3]; }
	__device__ __forceinline__ double mean_of() const { return a.mean.data == nullptr ? 0 : any_get(a.mean, base(MeanOf)); }
	__device__ __forceinline__ double variance_of() const { return any_get(a.variance, base(VarianceOf)); }
	__device__ __forceinline__ void part(Pair t) const {
		if (live && team.lane == 0) a.parts[static_cast<int64_t>(row) * a.pieces + blockIdx.y] = t;
	}

	// over adds what of makes of the parts of the row, and their sizes, in an order that all its teams have.
	template <class Of> __device__ __forceinline__ auto over(Of of) const {
		auto sum = of(Pair{0, 0}, 0.0);
#pragma unroll 1
		for (int k = team.lane; live && k < a.pieces; k += team.size) {
			double count = min(a.each, a.shape[2] * a.shape[3] - k * a.each);
			sum = Plus()(sum, of(a.parts[static_cast<int64_t>(row) * a.pieces + k], count));
		}
		return team.fold(sum, Plus());
	}

	// moments returns the mean and the squared distances from it of a piece, or of all; or if there is no
	// mean, just squares.
	__device__ __forceinline__ Pair moments() const {
		double mean = 0;
		bool centred = a.mean.data != nullptr;
		if (a.phase == 2) {
			if (centred) mean = over([](Pair t, double count) { return t.a * count; }) / size();
			return {mean, over([=](Pair t, double count) { return t.b + count * ((t.a - mean) * (t.a - mean)); })};
		}
		int64_t x = base(X);
		Pair t = {0, 0};
#pragma unroll 1
		for (int pass = centred ? 0 : 1; pass < 2; pass++) {
			double sum = 0;
			each([&](Place c) {
				C v[n];
				get(v, a.x, X, x, c);
#pragma unroll
				for (int k = 0; k < n; k++) {
					double d = v[k] - t.a;
					sum += pass == 0 ? d : d * d;
				}
			});
			sum = added(team.kind, sum);
			if (pass == 0) t.a = sum / (hi - lo);
			else t.b = sum;
		}
		return t;
	}

	__device__ __forceinline__ void normalize() const {
		double mean, variance;
		if (a.given) {
			mean = mean_of(), variance = variance_of();
		} else {
			Pair t = moments();
			if (a.phase == 1) {
				part(t);
				return;
			}
			mean = t.a, variance = t.b / size();
			// The infinity that float has for it would make the row zeros.
			if (a.x.dtype != Float64 && variance > 3.40282346638528859812e38 && !isinf(variance)) variance = NAN;
			if (live && team.lane == 0 && blockIdx.y == 0) {
				if (a.mean.data != nullptr) any_set(a.mean, base(MeanOf), mean);
				any_set(a.variance, base(VarianceOf), variance);
			}
			// What is stored is what the gradient will read.
			if (a.variance.dtype == Float32) mean = static_cast<float>(mean), variance = static_cast<float>(variance);
		}
		C m = static_cast<C>(mean), s = static_cast<C>(1 / square_root(variance + a.eps));
		int64_t out = base(Out), x = base(X), weight = base(Weight), bias = base(Bias);
		each([&](Place c) {
			C v[n], w[n], b[n];
			get(v, a.x, X, x, c);
			factors(w, a.weight, Weight, weight, c, 1);
			factors(b, a.bias, Bias, bias, c, 0);
#pragma unroll
			for (int k = 0; k < n; k++) v[k] = (v[k] - m) * s * w[k] + b[k];
			T::set(a.out, out + c.in(a.by[Out]), v);
		});
	}

	__device__ __forceinline__ void gradient() const {
		C mean = static_cast<C>(mean_of()), scale = static_cast<C>(1 / square_root(variance_of() + a.eps)), shift = 0, slope = 0;
		int64_t out = base(Out), x = base(X), dy = base(Dy), weight = base(Weight);
		if (!a.given) {
			Pair t = {0, 0};
			if (a.phase == 2) {
				t = over([](Pair t, double) { return t; });
			} else {
				each([&](Place c) {
					C v[n], d[n], w[n];
					get(v, a.x, X, x, c);
					get(d, a.dy, Dy, dy, c);
					factors(w, a.weight, Weight, weight, c, 1);
#pragma unroll
					for (int k = 0; k < n; k++) {
						double h = d[k] * w[k];
						t.a += h;
						t.b = fma(h, static_cast<double>(v[k] - mean), t.b);
					}
				});
				t = added(team.kind, t);
			}
			if (a.phase == 1) {
				part(t);
				return;
			}
			if (a.mean.data != nullptr) shift = static_cast<C>(t.a / size());
			slope = static_cast<C>(t.b * (scale / size())) * scale;
		}
		each([&](Place c) {
			C v[n], d[n], w[n];
			get(v, a.x, X, x, c);
			get(d, a.dy, Dy, dy, c);
			factors(w, a.weight, Weight, weight, c, 1);
#pragma unroll
			for (int k = 0; k < n; k++) v[k] = scale * (d[k] * w[k] - shift - (v[k] - mean) * slope);
			T::set(a.out, out + c.in(a.by[Out]), v);
		});
	}
};

template <class T, bool gradient> __device__ __forceinline__ void rows_of(const NormArgs &a) {
	Team team(a.team);
	int64_t all = a.shape[0] * a.shape[1];
	for (int64_t from = blockIdx.x * int64_t(team.rows); from < all; from += gridDim.x * int64_t(team.rows)) {
		auto go = [&](auto row) {
			if constexpr (gradient) row.gradient();
			else row.normalize();
		};
		uint32_t r = static_cast<uint32_t>(from) + team.place;
		if constexpr (T::wide > 1) {
			if (a.vectors) {
				go(NormRow<T, T::wide>(a, team, r));
				continue;
			}
		}
		go(NormRow<T, 1>(a, team, r));
	}
}

#define KERNELS(suffix, ...) \
	KERNEL(norm_##suffix, NormArgs) { rows_of<__VA_ARGS__, false>(a); } \
	KERNEL(norm_grad_##suffix, NormArgs) { rows_of<__VA_ARGS__, true>(a); }
KERNELS(f32, OneType<float>)
KERNELS(f16, OneType<half_t>)
KERNELS(bf16, OneType<bfloat_t>)
KERNELS(any, AnyType)
