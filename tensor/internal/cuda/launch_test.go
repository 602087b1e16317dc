//go:build cuda

package cuda

import (
	"testing"

	"halfnote/tensor/internal/device"
)

// oneThread is a launch of a kernel in the way that ops launch theirs.
func oneThread(b *Backend, k *kernel[copyArgs], out, x *device.Array) {
	args := copyArgs{Out: arrayOf(out), X: arrayOf(x), Walk: walk{Dims: 1}}
	k.launch(b, grid{Blocks: [3]int{1}, Threads: [3]int{1}}, args, out, x)
}

// TestCUDALaunchAllocates: a launch leaves no garbage.
func TestCUDALaunchAllocates(t *testing.T) {
	b := gpu(t)
	x := b.dense(device.Float32, 0)
	k := moves[4]
	if got := testing.AllocsPerRun(100, func() { oneThread(b, k, x, x) }); got > 0 {
		t.Errorf("%v allocations in a launch, want none", got)
	}
}

// BenchmarkCUDALaunch is what an op waits for a launch: on the stand-in with its own queue.
func BenchmarkCUDALaunch(b *testing.B) {
	backend := gpu(b)
	x := backend.dense(device.Float32, 0)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		oneThread(backend, moves[4], x, x)
		if i%1000 == 999 {
			b.StopTimer()
			_ = backend.stream.wait()
			b.StartTimer()
		}
	}
}
