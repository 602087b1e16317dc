// Gradient scaling and clipping, of up to MaxMany arrays in a launch.
//
//	unscale   x ← x·inv, inv = float32(1/scale), and counts of what is not finite
//	norm      (Σ|x|ᵖ)^(1/p) of all elements, p = 1, 2 or ∞
//	clip      x ← x·min(1, most/(norm + 1e-6))
//	stats     what x·scale would be in float16
//	adapt     the loss scale after an iteration
#include "many.cuh"

constexpr int MaxMany = 128;
constexpr int Piece = 8192; // elements of an array that a block takes at a time

struct Part {
	void *data;
	int64_t n;
	uint32_t first; // number of its first piece
	int32_t dtype;
};

struct Many {
	int32_t count;
	uint32_t pieces; // in all
	Part part[MaxMany];
};

// each calls f with a reference to each element of piece c of p that is the thread's.
template <class T, class F> __device__ void each(const Part &p, uint32_t c, F f) {
	T *x = static_cast<T *>(p.data);
	int64_t lo = static_cast<int64_t>(c - p.first) * Piece, hi = lo + Piece < p.n ? lo + Piece : p.n;
	typedef Pack<T> P;
	if (aligned(x)) {
		P *packs = reinterpret_cast<P *>(x);
		for (int64_t i = lo / P::n + threadIdx.x; i < hi / P::n; i += blockDim.x) f(packs[i].v, P::n);
		lo = hi / P::n * P::n;
	}
	for (int64_t i = lo + threadIdx.x; i < hi; i += blockDim.x) f(x + i, 1);
}

// visit calls f<T>(part, number, piece) for the pieces of this block.
template <class F> __device__ void visit(const Many &m, F f) {
	for (uint32_t c = blockIdx.x; c < m.pieces; c += gridDim.x) {
		int k = find(m.part, m.count, c);
		const Part &p = m.part[k];
		switch (p.dtype) {
		case Float64: f(p, k, c, static_cast<double *>(nullptr)); break;
		case Float32: f(p, k, c, static_cast<float *>(nullptr)); break;
		case Float16: f(p, k, c, static_cast<half_t *>(nullptr)); break;
		default: f(p, k, c, static_cast<bfloat_t *>(nullptr));
		}
	}
}

// multiply multiplies n neighbours, and reads and writes them in one go where they are a pack.
template <class T, class C> __device__ __forceinline__ void multiply(T *x, int n, C by) {
	typedef Pack<T> P;
	if (n == P::n) {
		P v = *reinterpret_cast<P *>(x);
#pragma unroll
		for (int i = 0; i < P::n; i++) v.v[i] = convert<T>(convert<C>(v.v[i]) * by);
		*reinterpret_cast<P *>(x) = v;
		return;
	}
	*x = convert<T>(convert<C>(*x) * by);
}

// read copies n neighbours to v.
template <class T> __device__ __forceinline__ void read(const T *x, int n, Pack<T> &v) {
	if (n == Pack<T>::n) v = *reinterpret_cast<const Pack<T> *>(x);
	else v.v[0] = *x;
}

__device__ __forceinline__ void add(int64_t *to, unsigned n) {
	atomicAdd(reinterpret_cast<unsigned long long *>(to), static_cast<unsigned long long>(n));
}

struct UnscaleArgs {
	int64_t *counts; // of two for each array
	float *found;    // may be null
	float *scale;    // may be null: inv holds then
	float inv;
	int32_t pad;
	Many xs;
};

// By Unscale. Counting is rare, so that threads add what they counted one by one. What was not finite
// is counted once, also where the product is not finite in another way.
KERNEL_BOUNDS(unscale, UnscaleArgs, 256) {
	__shared__ float shared;
	if (threadIdx.x == 0) shared = a.scale ? static_cast<float>(1 / static_cast<double>(*a.scale)) : a.inv;
	__syncthreads();
	float inv = shared;
	visit(a.xs, [&](const Part &p, int k, uint32_t c, auto *type) {
		typedef std::remove_pointer_t<decltype(type)> T;
		typedef compute_t<T> C;
		unsigned infs = 0, nans = 0;
		each<T>(p, c, [&](T *x, int n) {
			Pack<T> v;
			read(x, n, v);
#pragma unroll
			for (int i = 0; i < Pack<T>::n; i++) {
				if (i >= n) break;
				C before = convert<C>(v.v[i]);
				T product = convert<T>(before * static_cast<C>(inv));
				C after = convert<C>(product);
				if (inv != 1) v.v[i] = product;
				if (!(after - after == 0) || !(before - before == 0)) {
					nans += before != before || after != after;
					infs += before == before && !(before - before == 0) || after == after && !(after - after == 0);
				}
			}
			if (inv == 1) return;
			if (n == Pack<T>::n) *reinterpret_cast<Pack<T> *>(x) = v;
			else *x = v.v[0];
		});
		if (infs + nans == 0) return;
		if (infs) add(&a.counts[2 * k], infs);
		if (nans) add(&a.counts[2 * k + 1], nans);
		if (a.found) *a.found = 1; // whoever writes it
	});
}

// sum returns the sum of v over the 256 threads of a block, to thread 0. All threads call it.
template <class T> __device__ T sum(T v) {
	__shared__ T warps[8];
	for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
	__syncthreads(); // what an earlier call left has been read
	if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
	__syncthreads();
	if (threadIdx.x == 0)
		for (int i = 1; i < 8; i++) v += warps[i];
	return v;
}

// larger is the larger of both, and NaN where one is.
__device__ __forceinline__ double larger(double a, double b) { return a > b || a != a ? a : b; }

// most is sum for the largest.
__device__ double most(double v) {
	__shared__ double warps[8];
	for (int d = 16; d > 0; d /= 2) v = larger(v, __shfl_down_sync(0xffffffffu, v, d));
	__syncthreads();
	if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
	__syncthreads();
	if (threadIdx.x == 0)
		for (int i = 1; i < 8; i++) v = larger(v, warps[i]);
	return v;
}

enum { Norm1, Norm2, NormInf };

struct NormArgs {
	double *parts; // three for each piece
	int32_t kind;
	int32_t pad;
	Many xs;
};

// Squares are added in three sums, as LAPACK's dnrm2 does: of elements whose squares overflow or vanish
// in float64 and which are multiplied first, and of the others.
constexpr double Big = 0x1p486, Small = 0x1p-511, BigBy = 0x1p-538, SmallBy = 0x1p537;

// By Norm, before norm_all.
KERNEL_BOUNDS(norm_parts, NormArgs, 256) {
	visit(a.xs, [&](const Part &p, int, uint32_t c, auto *type) {
		typedef std::remove_pointer_t<decltype(type)> T;
		double mid = 0, big = 0, small = 0;
		each<T>(p, c, [&](T *x, int n) {
			Pack<T> v;
			read(x, n, v);
#pragma unroll
			for (int i = 0; i < Pack<T>::n; i++) {
				if (i >= n) break;
				double e = fabs(convert<double>(v.v[i]));
				if (a.kind == NormInf) mid = larger(mid, e);
				else if (a.kind == Norm1) mid += e;
				else if (sizeof(T) == 8 && e > Big) big += (e * BigBy) * (e * BigBy);
				else if (sizeof(T) == 8 && e < Small) small += (e * SmallBy) * (e * SmallBy);
				else mid += e * e;
			}
		});
		double all[3] = {a.kind == NormInf ? most(mid) : sum(mid), 0, 0};
		if (sizeof(T) == 8 && a.kind == Norm2) all[1] = sum(big), all[2] = sum(small);
		if (threadIdx.x == 0)
			for (int i = 0; i < 3; i++) a.parts[3 * static_cast<int64_t>(c) + i] = all[i];
	});
}

struct NormAllArgs {
	double *out;
	double *parts;
	int64_t pieces;
	int32_t kind;
	int32_t pad;
};

// By Norm, in one block.
KERNEL_BOUNDS(norm_all, NormAllArgs, 256) {
	double part[3] = {0, 0, 0};
	for (int64_t c = threadIdx.x; c < a.pieces; c += blockDim.x) {
		if (a.kind == NormInf) part[0] = larger(part[0], a.parts[3 * c]);
		else
			for (int i = 0; i < 3; i++) part[i] += a.parts[3 * c + i];
	}
	double mid = a.kind == NormInf ? most(part[0]) : sum(part[0]);
	double big = sum(part[1]), small = sum(part[2]);
	if (threadIdx.x != 0) return;
	if (a.kind == Norm2 && big > 0) {
		mid = sqrt(big + mid * BigBy * BigBy) / BigBy;
	} else if (a.kind == Norm2 && small > 0) {
		double m = sqrt(mid), s = sqrt(small) / SmallBy;
		mid = m == 0 ? s : m * sqrt(1 + s / m * (s / m));
	} else if (a.kind == Norm2) {
		mid = sqrt(mid);
	}
	*a.out = mid;
}

struct ClipArgs {
	double *norm;
	double most;
	Many xs;
};

// By Clip. A NaN stays one.
KERNEL_BOUNDS(clip, ClipArgs, 256) {
	__shared__ double shared;
	if (threadIdx.x == 0) {
		double by = a.most / (*a.norm + 1e-6);
		shared = by >= 1 ? 1 : by;
	}
	__syncthreads();
	double by = shared;
	if (by == 1) return;
	visit(a.xs, [&](const Part &p, int, uint32_t c, auto *type) {
		typedef std::remove_pointer_t<decltype(type)> T;
		each<T>(p, c, [&](T *x, int n) { multiply(x, n, static_cast<compute_t<T>>(by)); });
	});
}

enum { Zeros, Subnormals, Infs, NaNs, Total, SumSquares, MaxAbs, StatsLen };

struct StatsArgs {
	double *out;   // StatsLen for each array
	double *parts; // as many for each piece
	const float *by; // may be null
	double scale;
	Many xs;
};

// By Stats, before stats_all.
KERNEL_BOUNDS(stats_parts, StatsArgs, 256) {
	double scale = a.by ? a.scale * *a.by : a.scale;
	visit(a.xs, [&](const Part &p, int, uint32_t c, auto *type) {
		typedef std::remove_pointer_t<decltype(type)> T;
		double squares = 0, top = 0;
		uint64_t counts = 0; // four of 16 bits, which is more than a piece has elements
		each<T>(p, c, [&](T *x, int n) {
			Pack<T> v;
			read(x, n, v);
#pragma unroll
			for (int i = 0; i < Pack<T>::n; i++) {
				if (i >= n) break;
				double e = convert<double>(v.v[i]) * scale, size = fabs(e);
				squares += e * e;
				top = larger(top, size);
				if (e != e) counts += 1ull << 16 * NaNs;
				else if (size > 0x1.fffffffffffffp1023) counts += 1ull << 16 * Infs;
				else if (size <= 0x1p-25) counts += 1ull << 16 * Zeros; // the tie goes to even, which is zero
				else if (size < 0x1p-14 && __half_as_ushort(__float2half_rn(static_cast<float>(size))) < 0x400)
					counts += 1ull << 16 * Subnormals;
			}
		});
		counts = sum(counts);
		squares = sum(squares);
		top = most(top);
		if (threadIdx.x != 0) return;
		double *part = a.parts + StatsLen * static_cast<int64_t>(c);
		for (int i = 0; i < Total; i++) part[i] = static_cast<double>(counts >> 16 * i & 0xffff);
		part[SumSquares] = squares;
		part[MaxAbs] = top;
	});
}

// By Stats, in a block for each array.
KERNEL_BOUNDS(stats_all, StatsArgs, 256) {
	int k = blockIdx.x;
	const Part &p = a.xs.part[k];
	uint32_t end = k + 1 < a.xs.count ? a.xs.part[k + 1].first : a.xs.pieces;
	double v[StatsLen] = {};
	for (uint32_t c = p.first + threadIdx.x; c < end; c += blockDim.x)
		for (int i = 0; i < StatsLen; i++) {
			double e = a.parts[StatsLen * static_cast<int64_t>(c) + i];
			if (i == MaxAbs) v[i] = larger(v[i], e);
			else if (i != Total) v[i] += e;
		}
	for (int i = 0; i < StatsLen; i++) {
		double all = i == MaxAbs ? most(v[i]) : sum(v[i]);
		if (threadIdx.x == 0) a.out[StatsLen * k + i] = i == Total ? static_cast<double>(p.n) : all;
	}
}

constexpr int MaxFound = 256;

struct AdaptArgs {
	float *scale;
	int64_t *track; // iterations since the scale moved, overflows in a row, collapses
	double growth, backoff, least, most;
	int64_t interval, hysteresis;
	int64_t count;
	float *found[MaxFound];
};

// By Adapt, in one thread.
KERNEL_BOUNDS(adapt, AdaptArgs, 1) {
	bool overflow = false;
	for (int i = 0; i < a.count; i++) overflow |= *a.found[i] != 0;
	double scale = *a.scale;
	if (overflow) {
		a.track[0] = 0;
		if (++a.track[1] < a.hysteresis) return;
		if (scale <= a.least) a.track[2]++;
		scale *= a.backoff;
		*a.scale = static_cast<float>(scale > a.least ? scale : a.least);
		return;
	}
	a.track[1] = 0;
	if (++a.track[0] != a.interval) return; // for equality, as PyTorch compares
	a.track[0] = 0;
	float grown = static_cast<float>(scale * a.growth);
	if (grown <= a.most) *a.scale = grown;
}
