//go:build cuda

package cuda

import (
	"unsafe"

	"halfnote/tensor/internal/device"
)

const nearWords = 896

// A table is words for a kernel, in its argument where they fit: Table in kernels/table.cuh.
type table struct {
	Far  uint64
	Size int32
	_    int32
	Near [nearWords]int32
}

// table returns words for kernels, and where many are copied to memory of the GPU, what is to be
// released after the launch.
func (b *Backend) table(words []int32) (t table, release func()) {
	t.Size = int32(len(words))
	if copy(t.Near[:], words) == len(words) {
		return t, func() {}
	}
	n := (len(words) + 1) / 2
	whole := make([]int64, n)
	copy(unsafe.Slice((*int32)(unsafe.Pointer(&whole[0])), len(words)), words)
	far := b.dense(device.Int64, n)
	copyTo := b.FromHost
	if b.stream.recording() {
		copyTo = b.constant
	}
	copyTo(far, &device.Array{Data: unsafe.Pointer(&whole[0]), DType: device.Int64, Shape: []int{n}, Strides: []int{1}})
	t.Far = address(far)
	return t, func() { b.release(far) }
}
