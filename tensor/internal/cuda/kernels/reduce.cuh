// How threads fold rows together: teams of them, and what they fold with. The order in which a team
// adds depends on its size alone.
#pragma once

#include "walk.cuh"

// RARE declares a function that stands once, because it is large and calls of it are few or slow anyway.
#ifdef HALFNOTE_STANDIN
#define RARE static __attribute__((noinline))
#else
#define RARE static __device__ __noinline__
#endif

// A Team is the threads that have one row: a warp, a block, or the threads of a block with the same
// threadIdx.x, so that neighbours have neighbouring rows.
enum TeamKind : int32_t { WarpTeam, BlockTeam, ColumnTeam };

constexpr int TeamColumns = 32; // rows of a block of ColumnTeams
constexpr int MaxThreads = 256; // in a block of teams

// seek_row finds the offsets of row i in the first N arrays. There are fewer than 2³² rows.
template <int N> __device__ __forceinline__ void seek_row(const Walk &w, uint32_t i, int64_t (&at)[N]) {
#pragma unroll
	for (int k = 0; k < N; k++) at[k] = 0;
#pragma unroll 1
	for (int d = w.dims - 1; d >= 0; d--) {
		uint32_t size = static_cast<uint32_t>(w.size[d]), next = i / size, here = i - next * size;
#pragma unroll
		for (int k = 0; k < N; k++) at[k] += here * w.stride[k][d];
		i = next;
	}
}

template <class A, class B> struct Two {
	A a;
	B b;
};

template <class T> __device__ __forceinline__ T across(T v, int lanes) { return __shfl_xor_sync(~0u, v, lanes); }
template <class A, class B> __device__ __forceinline__ Two<A, B> across(Two<A, B> v, int lanes) {
	return {across(v.a, lanes), across(v.b, lanes)};
}

// exchange is where threads of a block leave what others of their team read.
__device__ __forceinline__ void *exchange() {
	__shared__ double room[2 * MaxThreads];
	return room;
}

struct Team {
	int kind, lane, size, place, rows; // this is team number place of the rows ones of a block

	__device__ __forceinline__ explicit Team(int kind) : kind(kind) {
		switch (kind) {
		case WarpTeam: lane = threadIdx.x % 32, size = 32, place = threadIdx.x / 32, rows = blockDim.x / 32; break;
		case BlockTeam: lane = threadIdx.x, size = blockDim.x, place = 0, rows = 1; break;
		default: lane = threadIdx.y, size = blockDim.y, place = threadIdx.x, rows = blockDim.x;
		}
	}

	// fold joins what the threads of the team have and gives the result to all of them. Every thread of
	// the block comes here. join takes its operands in either order.
	template <class V, class Join> __device__ __forceinline__ V fold(V v, Join join) const {
		if (kind != ColumnTeam) {
#pragma unroll 1
			for (int lanes = 16; lanes > 0; lanes /= 2) v = join(v, across(v, lanes));
			if (kind == WarpTeam) return v;
		}
		V *room = static_cast<V *>(exchange());
		int parts = kind == BlockTeam ? size / 32 : size, wide = kind == BlockTeam ? 1 : rows;
		__syncthreads();
		if (kind == ColumnTeam) room[lane * wide + place] = v;
		else if (lane % 32 == 0) room[lane / 32] = v;
		__syncthreads();
		v = room[place];
#pragma unroll 1
		for (int k = 1; k < parts; k++) v = join(v, room[k * wide + place]);
		return v;
	}
};

struct Plus {
	template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return a + b; }
	template <class A, class B> __device__ __forceinline__ Two<A, B> operator()(Two<A, B> x, Two<A, B> y) const {
		return {x.a + y.a, x.b + y.b};
	}
};
struct Times {
	template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return a * b; }
};

template <class T> __device__ __forceinline__ bool is_nan(T v) { return v != v; }
template <> __device__ __forceinline__ bool is_nan(int64_t) { return false; }

// Larger chooses the largest, for which NaN counts. Of elements with their places, equal ones are told
// apart by the lower place.
struct Larger {
	template <class T> static __device__ __forceinline__ bool before(T a, T b) { return a > b || (is_nan(a) && !is_nan(b)); }
	template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return before(b, a) ? b : a; }
	template <class A, class B> __device__ __forceinline__ Two<A, B> operator()(Two<A, B> x, Two<A, B> y) const {
		return before(y.a, x.a) || (!before(x.a, y.a) && y.b < x.b) ? y : x;
	}
};

// lowest is what the largest begins with.
template <class T> __device__ __forceinline__ T lowest() { return static_cast<T>(-INFINITY); }
template <> __device__ __forceinline__ int64_t lowest() { return INT64_MIN; }

// turned turns the order of numbers round where down is set, so that the smallest is the largest.
template <class T> __device__ __forceinline__ T turned(T v, bool down) { return down ? -v : v; }
template <> __device__ __forceinline__ int64_t turned(int64_t v, bool down) { return down ? ~v : v; }

// added folds numbers by adding them. Threads of a team of this kind call it together.
__device__ __forceinline__ double added(int kind, double v) { return Team(kind).fold(v, Plus()); }
__device__ __forceinline__ Two<double, double> added(int kind, Two<double, double> v) { return Team(kind).fold(v, Plus()); }

// A Pack is 16 bytes of elements, which one instruction loads or stores.
template <class T> struct alignas(16) Pack {
	static constexpr int size = 16 / sizeof(T);
	T all[size];
};

// fetch reads what the kernel does not write before, so that many reads can be on their way together.
template <int bytes> struct raw;
template <> struct raw<2> { typedef unsigned short type; };
template <> struct raw<4> { typedef unsigned int type; };
template <> struct raw<8> { typedef unsigned long long type; };
template <> struct raw<16> { typedef uint4 type; };
template <class T> __device__ __forceinline__ T fetch(const T *p) {
	auto bits = __ldg(reinterpret_cast<const typename raw<sizeof(T)>::type *>(p));
	T v;
	memcpy(&v, &bits, sizeof v);
	return v;
}

// OneType reads and writes elements of type T, one or a pack at a time, and computes in C.
template <class T> struct OneType {
	typedef compute_t<T> C;
	static constexpr int wide = Pack<T>::size, unroll = 2;
	template <int n> static __device__ __forceinline__ void get(C (&v)[n], const Array &a, int64_t i) {
		const T *p = static_cast<const T *>(a.data) + i;
		if constexpr (n == 1) {
			v[0] = convert<C>(fetch(p));
		} else {
			Pack<T> all = fetch(reinterpret_cast<const Pack<T> *>(p));
#pragma unroll
			for (int k = 0; k < n; k++) v[k] = convert<C>(all.all[k]);
		}
	}
	template <int n> static __device__ __forceinline__ void set(const Array &a, int64_t i, const C (&v)[n]) {
		T *p = static_cast<T *>(a.data) + i;
		if constexpr (n == 1) {
			*p = convert<T>(v[0]);
		} else {
			Pack<T> all;
#pragma unroll
			for (int k = 0; k < n; k++) all.all[k] = convert<T>(v[k]);
			*reinterpret_cast<Pack<T> *>(p) = all;
		}
	}
};

// AnyType reads and writes elements of any types, and computes in double.
RARE double any_get(const Array &a, int64_t i) { return load<double>(a, i); }
RARE void any_set(const Array &a, int64_t i, double v) { store<double>(a, i, v); }
struct AnyType {
	typedef double C;
	static constexpr int wide = 1, unroll = 1;
	static __device__ __forceinline__ void get(double (&v)[1], const Array &a, int64_t i) { v[0] = any_get(a, i); }
	static __device__ __forceinline__ void set(const Array &a, int64_t i, const double (&v)[1]) { any_set(a, i, v[0]); }
};
