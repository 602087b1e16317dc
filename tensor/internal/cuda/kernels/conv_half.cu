// Convolutions of 16-bit images on tensor cores: see conv.cuh for the products. Each block computes a
// tile of channels × places, or of channels × taps for the gradient of the weight. While a tile in
// shared memory is multiplied, the elements of the next one are on their way to registers.
//
// Where a tap lies is the same for all places, and is looked up in a table; which taps of a place are
// inside of the image is a mask, so that an element costs a few instructions.
#include "conv.cuh"
#include "tile.cuh"

// An Entry says where a tap lies, from the first tap of a place on, and in the first factor, and which
// of 64 bits it is: kernels have no more taps than convArea in conv.go.
struct __align__(16) Entry { int off, factor; uint32_t low, high; };

template <Kind kind> __device__ __forceinline__ Entry entry(const ConvArgs &a, const Task<kind> &t, int n) {
	if (n >= t.taps) return {0, 0, 0, 0};
	Triple p(n, t.rows.taps, t.cols.taps);
	int bit = p.j * t.cols.taps + p.k;
	int64_t off = p.i * a.stride_b[1] + p.j * t.rows.per_tap * a.stride_b[2] + p.k * t.cols.per_tap * a.stride_b[3];
	return {static_cast<int>(off), kind == Weight ? 0 : static_cast<int>(t.factor(a, n)),
		bit < 32 ? 1u << bit : 0, bit < 32 ? 0 : 1u << (bit - 32)};
}

// A Window is a place: its first tap of the first channel, and the taps that are inside.
struct Window {
	const uint16_t *at;
	uint32_t low, high;

	template <Kind kind>
	__device__ __forceinline__ Window(const ConvArgs &a, const Task<kind> &t, const Triple &p, bool valid) {
		int y = t.rows.from + p.j * t.rows.each, x = t.cols.from + p.k * t.cols.each;
		at = static_cast<const uint16_t *>(a.b.data) + p.i * a.stride_b[0] + int64_t(t.group) * a.read * a.stride_b[1] +
			y * a.stride_b[2] + x * a.stride_b[3];
		uint64_t line = 0, mask = 0;
#pragma unroll 1
		for (int k = 0; k < t.cols.taps; k++)
			if (static_cast<unsigned>(x + k * t.cols.per_tap) < static_cast<unsigned>(t.cols.limit)) line |= uint64_t(1) << k;
#pragma unroll 1
		for (int j = 0; j < t.rows.taps; j++)
			if (static_cast<unsigned>(y + j * t.rows.per_tap) < static_cast<unsigned>(t.rows.limit))
				mask |= line << j * t.cols.taps;
		low = valid ? static_cast<uint32_t>(mask) : 0;
		high = valid ? static_cast<uint32_t>(mask >> 32) : 0;
	}
	__device__ __forceinline__ uint16_t read(const Entry &e) const {
		return (low & e.low) | (high & e.high) ? at[e.off] : 0;
	}
};

template <class T, int M, int N, int WM, int WN, Kind kind>
__device__ __forceinline__ void convolve(const ConvArgs &a) {
	if constexpr (tensor_cores<T>) {
		// A line of the second tile is a place with its taps, in all three products.
		typedef Sums<T, M, N, WM, WN, false, kind == Weight> S;
		constexpr int Stage = S::SizeA + S::SizeB;
		constexpr int CountA = M * Deep / S::Threads, StepA = S::Threads / Deep;
		constexpr int CountB = N * Deep / S::Threads;
		DYNAMIC_SHARED(T, shared);
		__shared__ Entry table[kind == Weight ? N : 2 * Deep]; // of all taps, or of those of two tiles
		Task<kind> t(a, M, N);
		if (t.col >= t.width()) return;

		// A thread reads one column of the first factor, and a run of taps of one place.
		int in_a = threadIdx.x % Deep, row_a = threadIdx.x / Deep;
		int line_b = threadIdx.x % S::LinesB, run_b = threadIdx.x / S::LinesB * CountB;
		uint16_t next_a[CountA], next_b[CountB];
		const uint16_t *from_a = static_cast<const uint16_t *>(a.a.data) + t.factor_row(a, t.row + row_a);
		int64_t step_a = StepA * t.factor_step(a);
		int rows = a.written - t.row, have_a = rows - row_a;

		if (kind == Weight) {
			if (threadIdx.x < N) table[threadIdx.x] = entry(a, t, t.col + threadIdx.x);
		} else if (threadIdx.x < Deep) {
			table[threadIdx.x] = entry(a, t, threadIdx.x);
		}
		Window window(a, t, Triple(t.col + line_b, t.rows.size, t.cols.size), t.col + line_b < t.width());
		__syncthreads();

		S sums;
		int stage = 0;
#pragma unroll 1
		for (int k0 = t.from - Deep; k0 < t.to; k0 += Deep) { // the first time only reads
			if (k0 >= t.from) {
				T *sa = shared + stage * Stage, *sb = sa + S::SizeA;
#pragma unroll
				for (int i = 0; i < CountA; i++)
					reinterpret_cast<uint16_t *>(sa)[(row_a + i * StepA) * S::PitchA + in_a] = next_a[i];
				uint4 *to = reinterpret_cast<uint4 *>(sb + line_b * S::PitchB + run_b);
#pragma unroll
				for (int i = 0; i < CountB / 8; i++) {
					uint32_t v[4];
#pragma unroll
					for (int j = 0; j < 4; j++)
						v[j] = next_b[8 * i + 2 * j] | static_cast<uint32_t>(next_b[8 * i + 2 * j + 1]) << 16;
					to[i] = make_uint4(v[0], v[1], v[2], v[3]);
				}
				if (kind != Weight && threadIdx.x < Deep)
					table[(stage ^ 1) * Deep + threadIdx.x] = entry(a, t, k0 + Deep + threadIdx.x);
				__syncthreads(); // one is enough: the other stage's readers have come here too
			}
			int next = k0 + Deep + in_a;
			const Entry *taps = table + run_b;
			const uint16_t *at = from_a;
			if (kind == Weight) {
				Triple p(next, t.rows.size, t.cols.size);
				window = Window(a, t, p, next < t.to);
				at += p.i * a.stride_a[0] + p.j * a.stride_a[2] + p.k * a.stride_a[3];
			} else {
				const Entry *tile = k0 < t.from ? table : table + (stage ^ 1) * Deep;
				taps = tile + run_b;
				at += tile[in_a].factor;
			}
			int have = next < t.to ? have_a : 0;
#pragma unroll
			for (int i = 0; i < CountA; i++) {
				next_a[i] = i * StepA < have ? *at : 0;
				at += step_a;
			}
#pragma unroll
			for (int i = 0; i < CountB; i++) next_b[i] = window.read(taps[i]);
			if (k0 < t.from) continue;
			const T *tile = shared + stage * Stage;
			sums.multiply(tile, tile + S::SizeA);
			stage ^= 1;
		}
		__syncthreads();
		sums.each(reinterpret_cast<float *>(shared), [&](int r, int c, const float *v) {
			int m = t.row + r, n = t.col + c, count = min(8, t.width() - n);
			if (r >= rows || count <= 0) return;
			if (kind == Weight) {
				float *to = static_cast<float *>(a.parts) +
					((int64_t(t.split) * a.groups + t.group) * a.written + m) * t.taps + n;
				for (int i = 0; i < count; i++) to[i] = v[i];
				return;
			}
			float bias = a.bias.data ? load<float>(a.bias, (t.group * a.written + m) * a.step_bias) : 0;
			Triple p(n, t.rows.size, t.cols.size);
			if (a.vector_out && count == 8) {
				float all[8];
				for (int i = 0; i < 8; i++) all[i] = v[i] + bias;
				store_chunk(a.out, t.written(a, m, p), all);
				return;
			}
#pragma unroll 1
			for (int i = 0; i < count; i++) {
				store<float>(a.out, t.written(a, m, p), v[i] + bias);
				p.next(t.rows.size, t.cols.size);
			}
		});
	}
}

#define KERNELS(suffix, T) \
	KERNEL_BOUNDS(conv_wide_forward_##suffix, ConvArgs, 256) { convolve<T, 128, 128, 64, 32, Forward>(a); } \
	KERNEL_BOUNDS(conv_wide_input_##suffix, ConvArgs, 256) { convolve<T, 128, 128, 64, 32, Input>(a); } \
	KERNEL_BOUNDS(conv_wide_weight_##suffix, ConvArgs, 256) { convolve<T, 128, 128, 64, 32, Weight>(a); } \
	KERNEL_BOUNDS(conv_forward_##suffix, ConvArgs, 128) { convolve<T, 64, 128, 32, 64, Forward>(a); } \
	KERNEL_BOUNDS(conv_input_##suffix, ConvArgs, 128) { convolve<T, 64, 128, 32, 64, Input>(a); } \
	KERNEL_BOUNDS(conv_weight_##suffix, ConvArgs, 128) { convolve<T, 64, 128, 32, 64, Weight>(a); }

KERNELS(f16, half_t)
KERNELS(bf16, bfloat_t)
