package reference

import (
	"runtime"
	"strings"

	"halfnote/tensor"
)

// OnCPU reports whether tensors are made on the CPU, as they are unless HALFNOTE_DEVICE names a GPU.
// Tests of what only the CPU has, or only it does in a given way, ask for it.
func OnCPU() bool {
	d, err := tensor.DefaultDevice()
	return err == nil && d == tensor.CPU
}

// Here returns a text about tensors on the CPU as it is about those on the default device.
func Here(text string) string {
	d, _ := tensor.DefaultDevice()
	return strings.ReplaceAll(text, "cpu", d.String())
}

// Fewer returns n, or less where tensors are made on a GPU: the stand-in for one that the tests run on
// is a thousand times slower.
func Fewer(n, less int) int {
	if OnCPU() {
		return n
	}
	return less
}

// Collect returns when the finalizers of what is garbage now have run.
func Collect() {
	for range 3 {
		ran := make(chan bool)
		runtime.SetFinalizer(new([64]int), func(*[64]int) { close(ran) })
		runtime.GC()
		<-ran
	}
}
