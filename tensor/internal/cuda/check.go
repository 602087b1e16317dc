//go:build cuda

package cuda

import (
	"math/bits"

	"halfnote/tensor/internal/device"
)

type checkArgs struct {
	Weight       array
	Out, X, Sums uint64
	Count, N     int64
	WeightStride int64
	Skip         [8]int64
	Skips        int32
	_            int32
}

var checks = newKernel[checkArgs]("check", "check")

// Check implements device.Indexings, with one block.
func (b *Backend) Check(out, sums, x, weight *device.Array, skip []int64, n int) {
	args := checkArgs{Weight: arrayOf(weight), Out: address(out), X: address(x), Sums: address(sums),
		Count: int64(x.Numel()), N: int64(n), Skips: int32(len(skip))}
	copy(args.Skip[:], skip)
	if weight != nil {
		args.WeightStride = int64(weight.Strides[0])
	}
	width := min(max(1<<bits.Len(uint(args.Count)), 32), 1024)
	checks.launch(b, grid{Blocks: [3]int{1}, Threads: [3]int{width}}, args, out, sums, x, weight)
}
