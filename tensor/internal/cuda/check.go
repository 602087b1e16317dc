//go:build cuda

package cuda

import (
	"math/bits"

	"halfnote/tensor/internal/device"
)

type checkArgs struct {
	Weight               array
	Out, X, Found, Total uint64
	Parts                uint64
	Count, N             int64
	WeightStride         int64
	Skip                 [8]int64
	Skips, Back          int32
}

var checks = newKernel[checkArgs]("check", "check")

// Check implements device.Indexings.
func (b *Backend) Check(out, found, total, x, weight *device.Array, skip []int64, n int, back bool) {
	args := checkArgs{Weight: arrayOf(weight), Out: address(out), X: address(x), Found: address(found),
		Count: int64(x.Numel()), N: int64(n), Skips: int32(len(skip))}
	copy(args.Skip[:], skip)
	if back {
		args.Back = 1
	}
	const each = 8 // positions for a thread, of which one alone has little to do
	g := grid{
		Blocks:  [3]int{min(max(1, (x.Numel()+each*threads-1)/(each*threads)), resident*b.gpu.processors)},
		Threads: [3]int{min(max(32, 1<<bits.Len(uint(args.Count))), threads)},
	}
	if total != nil {
		args.Total = address(total)
		parts := b.dense(device.Float64, g.Blocks[0])
		defer b.release(parts)
		args.Parts = address(parts)
	}
	if weight != nil {
		args.WeightStride = int64(weight.Strides[0])
	}
	checks.launch(b, g, args, out, found, total, x, weight)
}
