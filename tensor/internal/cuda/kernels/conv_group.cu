// Convolutions whose groups have too few channels to fill tiles, depthwise ones for instance: see
// conv.cuh for the products. A thread computes one result, a block one element of a weight's gradient.
#include "conv.cuh"

// Loops over a kernel and its channels are short, and are not unrolled.

// grouped computes Conv, or ConvInput where input is set.
template <class T, bool input> __device__ void grouped(const ConvArgs &a) {
	typedef compute_t<T> C;
	const int *plane = input ? a.x : a.y, *limit = input ? a.y : a.x;
	const T *factor = static_cast<const T *>(a.a.data), *image = static_cast<const T *>(a.b.data);
	int channels = a.groups * a.written;
	int64_t total = int64_t(a.images) * channels * plane[0] * plane[1];
	for (int64_t i = first(); i < total; i += step()) {
		int64_t rest = i / plane[1];
		int w = static_cast<int>(i - rest * plane[1]), h = static_cast<int>(rest % plane[0]);
		rest /= plane[0];
		int ch = static_cast<int>(rest % channels), n = static_cast<int>(rest / channels);
		int g = ch / a.written, m = ch - g * a.written;
		const T *from = image + n * a.stride_b[0] + int64_t(g) * a.read * a.stride_b[1];
		const T *weights = factor + (input ? int64_t(g) * a.read * a.stride_a[0] + m * a.stride_a[1] : ch * a.stride_a[0]);
		int64_t next = a.stride_a[input ? 0 : 1];
		C sum = 0;
#pragma unroll 1
		for (int k = 0; k < a.kernel[0]; k++) {
			int y = input ? h + a.padding[0] - k * a.dilation[0] : h * a.stride[0] - a.padding[0] + k * a.dilation[0];
			if (input && (y < 0 || y % a.stride[0])) continue;
			if (input) y /= a.stride[0];
			if (y < 0 || y >= limit[0]) continue;
#pragma unroll 1
			for (int l = 0; l < a.kernel[1]; l++) {
				int x = input ? w + a.padding[1] - l * a.dilation[1] : w * a.stride[1] - a.padding[1] + l * a.dilation[1];
				if (input && (x < 0 || x % a.stride[1])) continue;
				if (input) x /= a.stride[1];
				if (x < 0 || x >= limit[1]) continue;
				const T *at = from + y * a.stride_b[2] + x * a.stride_b[3];
				const T *by = weights + k * a.stride_a[2] + l * a.stride_a[3];
#pragma unroll 1
				for (int r = 0; r < a.read; r++)
					sum += convert<C>(at[r * a.stride_b[1]]) * convert<C>(by[r * next]);
			}
		}
		if (a.bias.data) sum += load<C>(a.bias, ch * a.step_bias);
		store<C>(a.out, n * a.stride_out[0] + ch * a.stride_out[1] + h * a.stride_out[2] + w * a.stride_out[3], sum);
	}
}

// grouped_weight computes ConvWeight: its element blockIdx.x. Threads sum every 256th place, warps
// these in a tree, and one thread the warps' in order.
template <class T> __device__ void grouped_weight(const ConvArgs &a) {
	typedef compute_t<T> C;
	__shared__ C sums[8];
	int taps = a.kernel[0] * a.kernel[1];
	int tap = blockIdx.x % taps, c = blockIdx.x / taps % a.read, o = blockIdx.x / taps / a.read;
	int k = tap / a.kernel[1], l = tap - k * a.kernel[1];
	const T *ys = static_cast<const T *>(a.a.data) + o * a.stride_a[1];
	const T *xs = static_cast<const T *>(a.b.data) + (int64_t(o / a.written) * a.read + c) * a.stride_b[1];
	int places = a.images * a.y[0] * a.y[1];
	C sum = 0;
#pragma unroll 2
	for (int p = threadIdx.x; p < places; p += 256) {
		Triple at(p, a.y[0], a.y[1]);
		int y = at.j * a.stride[0] - a.padding[0] + k * a.dilation[0];
		int x = at.k * a.stride[1] - a.padding[1] + l * a.dilation[1];
		if (y < 0 || y >= a.x[0] || x < 0 || x >= a.x[1]) continue;
		sum += convert<C>(ys[at.i * a.stride_a[0] + at.j * a.stride_a[2] + at.k * a.stride_a[3]]) *
			convert<C>(xs[at.i * a.stride_b[0] + y * a.stride_b[2] + x * a.stride_b[3]]);
	}
	for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
	if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
	__syncthreads();
	if (threadIdx.x) return;
	for (int i = 1; i < 8; i++) sum += sums[i];
	store<C>(a.out, o * a.stride_out[0] + c * a.stride_out[1] + k * a.stride_out[2] + l * a.stride_out[3], sum);
}

#define KERNELS(suffix, T) \
	KERNEL_BOUNDS(conv_group_forward_##suffix, ConvArgs, 256) { grouped<T, false>(a); } \
	KERNEL_BOUNDS(conv_group_input_##suffix, ConvArgs, 256) { grouped<T, true>(a); } \
	KERNEL_BOUNDS(conv_group_weight_##suffix, ConvArgs, 256) { grouped_weight<T>(a); }

KERNELS(f64, double)
KERNELS(f32, float)
KERNELS(f16, half_t)
KERNELS(bf16, bfloat_t)
