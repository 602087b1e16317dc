// Scans: device.Scan.
//
//	out[i] = a[i]·out[i−1] + b[i]         or, lagging, out[i] = s + b[i] with s = a[i−1]·out[i−1]
//
// in double, or int64. A step maps s to f·s + d with f = a and d = b, or lagging d = a·b, and such maps
// compose: scan_block_… has a block for each row, which composes 256 steps at a time. A product of
// factors may overflow or vanish where the numbers themselves do not; then one thread goes through
// these steps in order. Of a few long rows blocks have pieces: a first launch composes each into one
// step, of which the blocks of the second make the number that theirs begins with. That is for integers
// and for sums, where no factors multiply. scan_rows_… has a thread for each row. scan.go launches all
// of these.
#include "reduce.cuh"

struct ScanArgs {
	Array out, a, b; // a without data stands for ones, b for zeros
	double start;
	int64_t whole; // start, for integers
	int64_t count, by[3];
	int32_t reverse, lag;
	int64_t each; // elements of a piece
	void *parts;  // [rows, pieces] of ScanStep, where there is more than one
	int32_t pieces, phase; // 1 writes parts
	Walk rows; // of out, a and b
};

template <class C> __device__ __forceinline__ C start_of(const ScanArgs &a) { return a.start; }
template <> __device__ __forceinline__ int64_t start_of(const ScanArgs &a) { return a.whole; }

// A ScanLine is one row, in the order of the scan.
template <class C> struct ScanLine {
	const ScanArgs &args;
	int64_t at[3];

	__device__ __forceinline__ ScanLine(const ScanArgs &args, int64_t i) : args(args) { seek(args.rows, i, at); }
	__device__ __forceinline__ int64_t place(int64_t i) const { return args.reverse ? args.count - 1 - i : i; }
	__device__ __forceinline__ C a(int64_t i) const {
		return args.a.data == nullptr ? C(1) : load<C>(args.a, at[1] + place(i) * args.by[1]);
	}
	__device__ __forceinline__ C b(int64_t i) const {
		return args.b.data == nullptr ? C(0) : load<C>(args.b, at[2] + place(i) * args.by[2]);
	}
	__device__ __forceinline__ void set(int64_t i, C v) const { store<C>(args.out, at[0] + place(i) * args.by[0], v); }

	// go goes through the elements from lo up to hi with s in hand, which it returns.
	__device__ __forceinline__ C go(int64_t lo, int64_t hi, C s) const {
		for (int64_t i = lo; i < hi; i++) {
			C f = a(i), d = b(i), v = args.lag ? s + d : f * s + d;
			set(i, v);
			s = args.lag ? f * v : v;
		}
		return s;
	}
};

template <class C> __device__ __forceinline__ void scan_rows(const ScanArgs &a) {
	for (int64_t i = first(); i < a.rows.total; i += step()) ScanLine<C>(a, i).go(0, a.count, start_of<C>(a));
}

KERNEL(scan_rows_f64, ScanArgs) { scan_rows<double>(a); }
KERNEL(scan_rows_i64, ScanArgs) { scan_rows<int64_t>(a); }

// sound reports whether a product of factors can stand for them.
__device__ __forceinline__ bool sound(double f) { return fabs(f) > 1e-290 && fabs(f) < 1e290; }
__device__ __forceinline__ bool sound(int64_t) { return true; }

template <class C> struct ScanStep {
	C f, d;
};

// after is first x, then y.
template <class C> __device__ __forceinline__ ScanStep<C> after(ScanStep<C> x, ScanStep<C> y) { return {y.f * x.f, y.f * x.d + y.d}; }

template <class C> __device__ __forceinline__ ScanStep<C> up(ScanStep<C> v, int lanes) {
	return {__shfl_up_sync(~0u, v.f, lanes), __shfl_up_sync(~0u, v.d, lanes)};
}

template <class C> __device__ __forceinline__ void scan_block(const ScanArgs &args) {
	__shared__ Two<C, C> warps[MaxThreads / 32];
	__shared__ C carried;
	__shared__ int unsound;
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	int64_t begin = blockIdx.y * args.each, end = min(args.count, begin + args.each);
	for (int64_t r = blockIdx.x; r < args.rows.total; r += gridDim.x) {
		ScanLine<C> line(args, r);
		ScanStep<C> *parts = static_cast<ScanStep<C> *>(args.parts) + r * args.pieces, whole = {1, 0};
		C s = start_of<C>(args);
		if (args.phase != 1)
			for (int k = 0; k < blockIdx.y; k++) s = parts[k].f * s + parts[k].d;
		for (int64_t lo = begin; lo < end; lo += blockDim.x) {
			int64_t i = lo + threadIdx.x, hi = min(end, lo + blockDim.x);
			C f = 1, b = 0;
			if (i < hi) f = line.a(i), b = line.b(i);
			ScanStep<C> own = {f, args.lag ? f * b : b}, all = own;
			bool bad = !sound(f);
			for (int lanes = 1; lanes < 32; lanes *= 2) {
				ScanStep<C> before = up(all, lanes);
				if (lane >= lanes) all = after(before, all);
			}
			bad = bad || !sound(all.f);
			__syncthreads(); // the last round has been read
			if (threadIdx.x == 0) unsound = 0;
			if (lane == 31) warps[warp] = {all.f, all.d};
			__syncthreads();
			if (args.phase == 1) {
				for (int w = 0; w < blockDim.x / 32; w++) whole = after(whole, ScanStep<C>{warps[w].a, warps[w].b});
				continue;
			}
			ScanStep<C> before = {1, 0}; // of the warps before this one
			for (int w = 0; w < warp; w++) {
				before = after(before, ScanStep<C>{warps[w].a, warps[w].b});
				bad = bad || !sound(before.f);
			}
			all = after(before, all);
			if (bad || !sound(all.f)) unsound = 1;
			ScanStep<C> until = up(all, 1); // this step
			if (lane == 0) until = before;
			__syncthreads();
			if (unsound) {
				if (threadIdx.x == 0) carried = line.go(lo, hi, s);
			} else {
				if (i < hi) line.set(i, args.lag ? until.f * s + until.d + b : all.f * s + all.d);
				if (i == hi - 1) carried = all.f * s + all.d;
			}
			__syncthreads();
			s = carried;
		}
		if (args.phase == 1 && threadIdx.x == 0) parts[blockIdx.y] = whole;
	}
}

KERNEL(scan_block_f64, ScanArgs) { scan_block<double>(a); }
KERNEL(scan_block_i64, ScanArgs) { scan_block<int64_t>(a); }
