//go:build cuda

package cuda

import (
	"math"

	"halfnote/tensor/internal/device"
)

type resampleArgs struct {
	Out, X                   array
	Walk                     walk
	Size, OutStride, XStride int64
	Taps, Last               int32
	Table                    table
}

var resamples = newKernels[resampleArgs]("resample", "resample", device.Float32, device.Float64)

// Resample implements device.Resamplings, with a thread for each element of out.
func (b *Backend) Resample(out, x *device.Array, axis int, taps *device.Taps) {
	if out.Numel() == 0 {
		return
	}
	by := fractionsIn(out.DType)
	args := resampleArgs{Out: arrayOf(out), X: arrayOf(x),
		Walk: newWalk(across(out, axis, out.Shape), across(x, axis, out.Shape)),
		Size: int64(out.Shape[axis]), OutStride: int64(out.Strides[axis]), XStride: int64(x.Strides[axis]),
		Taps: int32(len(taps.Weights))}
	if axis == len(out.Shape)-1 {
		args.Last = 1
	}
	var release func()
	args.Table, release = b.table(tapWords(taps, by))
	defer release()
	resamples[by].launch(b, b.linear(out.Numel(), 1), args, out, x)
}

// tapWords returns taps as kernels read them, with weights of this type.
func tapWords(taps *device.Taps, by device.DType) (words []int32) {
	for _, w := range taps.Weights {
		if by == device.Float64 {
			bits := math.Float64bits(w)
			words = append(words, int32(bits), int32(bits>>32))
		} else {
			words = append(words, int32(math.Float32bits(float32(w))))
		}
	}
	for _, all := range [][]int{taps.Starts, taps.Places} {
		for _, v := range all {
			words = append(words, int32(v))
		}
	}
	return words
}
