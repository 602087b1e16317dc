// Elements at positions that an array holds, for axis 0 of two:
//
//	gather   out[i, j] = x[index[i, j], j]
//	scatter  out[index[i, j], j] = op(out[index[i, j], j], src[i, j]), in the order of i
//
// A position of −1 is a mistake that nobody has looked at yet: 0 is gathered, and nothing scattered.
//
// A line is what has the same coordinates but along axis. All that is written to one element comes
// from one line, in which one thread does it in order: the sums are always the same.
#include "any.cuh"
#include "walk.cuh"

struct GatherArgs {
	Array out, x, index;
	Walk walk;      // through out, x at position 0 of axis, and index
	int64_t stride; // of x along axis
};

// gather moves elements of one size bit for bit. What of a row lies together is moved as elements
// of up to 16 bytes. Gather launches it, a thread for each element in strides.
template <class T> __device__ void gather(const GatherArgs &a) {
	T *out = static_cast<T *>(a.out.data);
	const T *x = static_cast<const T *>(a.x.data);
	const int64_t *index = static_cast<const int64_t *>(a.index.data);
	for (int64_t i = first(); i < a.walk.total; i += step()) {
		int64_t at[3];
		seek(a.walk, i, at);
		int64_t k = index[at[2]];
		out[at[0]] = k < 0 ? T() : x[at[1] + k * a.stride];
	}
}

KERNEL(gather_1, GatherArgs) { gather<uint8_t>(a); }
KERNEL(gather_2, GatherArgs) { gather<uint16_t>(a); }
KERNEL(gather_4, GatherArgs) { gather<uint32_t>(a); }
KERNEL(gather_8, GatherArgs) { gather<uint64_t>(a); }
KERNEL(gather_16, GatherArgs) { gather<uint4>(a); }

struct ScatterArgs {
	Array out, index, src;
	Walk walk;                                     // through the lines of src, index and out
	int64_t sources, places;                       // of a line
	int64_t out_stride, index_stride, src_stride;  // along axis
	int32_t op;
	int32_t columns; // of a block in scatter_owned: a power of 2
	int64_t width;   // neighbouring lines that share their positions
	int64_t span;    // places of a block
};

enum ScatterOp : int32_t { Put, Add, Mul, Max, Min };

template <class C> __device__ __forceinline__ C plus(C a, C b) { return a + b; }
template <class C> __device__ __forceinline__ C times(C a, C b) { return a * b; }
template <> __device__ __forceinline__ int64_t plus(int64_t a, int64_t b) { // which may wrap around
	return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
template <> __device__ __forceinline__ int64_t times(int64_t a, int64_t b) {
	return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
template <class C> __device__ __forceinline__ bool negative(C v) { return copysign(1.0, static_cast<double>(v)) < 0; }
template <> __device__ __forceinline__ bool negative(int64_t v) { return v < 0; }

// combine returns what op makes of an element and a new one. NaN wins; of zeros the positive one is
// the larger.
template <class C> __device__ __forceinline__ C combine(int op, C old, C v) {
	switch (op) {
	case Add: return plus(old, v);
	case Mul: return times(old, v);
	case Max: return old != old || old > v || (old == v && negative(v)) ? old : v;
	case Min: return old != old || old < v || (old == v && negative(old)) ? old : v;
	}
	return v;
}

constexpr int Ahead = 4; // elements that are read before the first of them is written

// A Line is where one begins in each array.
struct Line {
	int64_t src, index, out;
};

__device__ __forceinline__ Line line_of(const ScatterArgs &a, int64_t i) {
	int64_t at[3];
	seek(a.walk, i, at);
	return Line{at[0], at[1], at[2]};
}

// change applies op to the element at a place of a line.
template <class C> __device__ __forceinline__ void change(const ScatterArgs &a, const Line &l, int64_t place, C v) {
	int64_t at = l.out + place * a.out_stride;
	leave<C>(a.out.data, at, a.out.dtype, a.op == Put ? v : combine(a.op, fetch<C>(a.out.data, at, a.out.dtype), v));
}

// scatter_lines has a thread for each line. Scatter launches it where lines are many or short.
template <class C> __device__ void scatter_lines(const ScatterArgs &a) {
	const int64_t *index = static_cast<const int64_t *>(a.index.data);
	for (int64_t t = first(); t < a.walk.total; t += step()) {
		Line l = line_of(a, t);
		for (int64_t i = 0; i < a.sources; i += Ahead) {
			int64_t place[Ahead];
			C v[Ahead];
			for (int k = 0; k < Ahead; k++) {
				if (i + k >= a.sources) continue;
				place[k] = index[l.index + (i + k) * a.index_stride];
				v[k] = fetch<C>(a.src.data, l.src + (i + k) * a.src_stride, a.src.dtype);
			}
			for (int k = 0; k < Ahead; k++)
				if (i + k < a.sources && place[k] >= 0) change<C>(a, l, place[k], v[k]);
		}
	}
}

KERNEL(scatter_lines_f32, ScatterArgs) { scatter_lines<float>(a); }
KERNEL(scatter_lines_f64, ScatterArgs) { scatter_lines<double>(a); }
KERNEL(scatter_lines_i64, ScatterArgs) { scatter_lines<int64_t>(a); }

constexpr int Threads = 256, Warps = Threads / 32, Rounds = 4;

// scatter_owned has a block for each group of lines that share their positions and each span of
// places: it lists the sources that go there, so many at a time, and its threads, one for each line
// or for every so-manieth place of one, go through the list in order. Scatter launches it for long
// lines: blocks x are the groups and blocks y the spans. The gradient of an embedding is such a case.
template <class C> __device__ void scatter_owned(const ScatterArgs &a) {
	__shared__ int64_t places[Rounds * Threads], sources[Rounds * Threads];
	__shared__ int counts[Rounds * Warps];
	const int64_t *index = static_cast<const int64_t *>(a.index.data);
	int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
	int64_t groups = (a.width + a.columns - 1) / a.columns;
	int64_t family = blockIdx.x / groups, column = blockIdx.x % groups * a.columns + thread % a.columns;
	int share = thread / a.columns, shares = Threads / a.columns;
	bool works = column < a.width;
	Line head = line_of(a, family * a.width);
	Line l = works ? line_of(a, family * a.width + column) : head;
	int64_t low = blockIdx.y * a.span, high = low + a.span;
	for (int64_t base = 0; base < a.sources; base += Rounds * Threads) {
		int64_t place[Rounds];
		unsigned votes[Rounds];
		for (int r = 0; r < Rounds; r++) {
			int64_t i = base + r * Threads + thread;
			place[r] = i < a.sources ? index[head.index + i * a.index_stride] : -1;
			votes[r] = __ballot_sync(0xffffffff, place[r] >= low && place[r] < high);
			if (lane == 0) counts[r * Warps + warp] = __popc(votes[r]);
		}
		__syncthreads();
		int count = 0;
		for (int r = 0; r < Rounds; r++) {
			for (int w = 0; w < Warps; w++) {
				if (w == warp && votes[r] >> lane & 1) {
					int at = count + __popc(votes[r] & ((1u << lane) - 1));
					places[at] = place[r];
					sources[at] = base + r * Threads + thread;
				}
				count += counts[r * Warps + w];
			}
		}
		__syncthreads();
		for (int m = 0; works && m < count; m += Ahead) {
			bool mine[Ahead];
			C v[Ahead];
			for (int k = 0; k < Ahead; k++) {
				mine[k] = m + k < count && (places[m + k] & (shares - 1)) == share;
				if (mine[k]) v[k] = fetch<C>(a.src.data, l.src + sources[m + k] * a.src_stride, a.src.dtype);
			}
			for (int k = 0; k < Ahead; k++)
				if (mine[k]) change<C>(a, l, places[m + k], v[k]);
		}
		__syncthreads();
	}
}

KERNEL(scatter_owned_f32, ScatterArgs) { scatter_owned<float>(a); }
KERNEL(scatter_owned_f64, ScatterArgs) { scatter_owned<double>(a); }
KERNEL(scatter_owned_i64, ScatterArgs) { scatter_owned<int64_t>(a); }
