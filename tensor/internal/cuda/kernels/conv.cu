// Convolutions of float32 and float64 images: see conv.cuh for the products. Results are written in the
// type that is summed in; Go code copies them where another is wanted.
//
// Groups with few channels have kernels of their own, in which a thread computes one result, or a
// block one element of a weight's gradient.
#include "conv.cuh"
#include "simt.cuh"

// ConvRows is the first factor: rows of channels.
template <class C, int S, Kind kind> struct ConvRows {
	typedef SimtSums<C, S> Sums;
	const ConvArgs &a;
	const Task<kind> &t;
	static constexpr bool along = true;

	__device__ __forceinline__ void read(C (&out)[Sums::Each], int64_t k0) const {
		int line, dk;
		Sums::where(along, line, dk);
		int64_t k = k0 + dk, next = Sums::next_line(along) * t.factor_step(a);
		bool inside = k < t.to;
		const C *from = static_cast<const C *>(a.a.data) + t.factor_row(a, t.row + line) + (inside ? t.factor(a, k) : 0);
#pragma unroll
		for (int i = 0; i < Sums::Each; i++) {
			out[i] = inside && t.row + line + i * Sums::next_line(along) < a.written ? *from : C(0);
			from += next;
		}
	}
};

// ConvPatches is the second factor: places with their taps, of which neighbouring threads read the
// places.
template <class C, int S, Kind kind> struct ConvPatches {
	typedef SimtSums<C, S> Sums;
	const ConvArgs &a;
	const Task<kind> &t;
	static constexpr bool along = kind == Weight;

	__device__ __forceinline__ void read(C (&out)[Sums::Each], int64_t k0) const {
		int line, dk;
		Sums::where(along, line, dk);
		int64_t k = k0 + dk;
		Spot spot(a, t, along ? k : t.col + line, along ? t.to : t.places);
		int tap = along ? t.col + line : static_cast<int>(k), next = along ? Sums::next_line(true) : Sums::next_k(false);
#pragma unroll
		for (int i = 0; i < Sums::Each; i++)
			out[i] = spot.at<C>(a, t, Triple(tap + i * next, t.rows.taps, t.cols.taps));
	}
};

template <class C, Kind kind> __device__ __forceinline__ void convolve(const ConvArgs &a) {
	constexpr int S = 64;
	__shared__ __align__(16) C shared[4 * SimtSums<C, S>::Stage];
	Task<kind> t(a, S, S);
	if (t.col >= t.width()) return;
	ConvRows<C, S, kind> rows = {a, t};
	ConvPatches<C, S, kind> patches = {a, t};
	SimtSums<C, S> sums;
	sums.multiply(shared, rows, patches, t.from, t.to);
	sums.each([&](int i, int j, C v) {
		int m = t.row + sums.row(i), n = t.col + sums.col(j);
		if (m >= a.written || n >= t.width()) return;
		if (kind == Weight) {
			static_cast<C *>(a.parts)[((int64_t(t.split) * a.groups + t.group) * a.written + m) * t.taps + n] = v;
			return;
		}
		if (a.bias.data) v += static_cast<const C *>(a.bias.data)[(t.group * a.written + m) * a.step_bias];
		static_cast<C *>(a.out.data)[t.written(a, m, Triple(n, t.rows.size, t.cols.size))] = v;
	});
}

#define KERNELS(suffix, C) \
	KERNEL_BOUNDS(conv_forward_##suffix, ConvArgs, 256) { convolve<C, Forward>(a); } \
	KERNEL_BOUNDS(conv_input_##suffix, ConvArgs, 256) { convolve<C, Input>(a); } \
	KERNEL_BOUNDS(conv_weight_##suffix, ConvArgs, 256) { convolve<C, Weight>(a); }

KERNELS(f32, float)
KERNELS(f64, double)
