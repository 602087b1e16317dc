package simd

// This file has what convolutions need beside the kernels on rows.

// PackTaps fills a panel of as many rows as there are offsets: row i is [Panel] elements of src from
// offsets[i] on.
func PackTaps(dst, src []float32, offsets []int) {
	if len(offsets) == 0 {
		return
	}
	_ = dst[:len(offsets)*Panel]
	if packTaps(dst, src, offsets) {
		return
	}
	for _, off := range offsets {
		*(*[Panel]float32)(dst) = *(*[Panel]float32)(src[off:])
		dst = dst[Panel:]
	}
}
