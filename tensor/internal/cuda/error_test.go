//go:build cuda

package cuda

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/pkg/errors"
	"gorgonia.org/cu"

	"halfnote/tensor/internal/device"
)

// mistake returns what f panics with.
func mistake(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}

// TestCUDAErrors: mistakes are told by the op they were made in, and the GPU goes on.
func TestCUDAErrors(t *testing.T) {
	b := gpu(t)
	b.op = "neg"
	x, host := b.dense(device.Float32, 4), make([]float32, 4)
	onHost := &device.Array{Data: unsafe.Pointer(&host[0]), DType: device.Float32, Shape: []int{4}, Strides: []int{1}}
	freed := b.dense(device.Float32, 4)
	b.release(freed)
	for _, c := range []struct {
		want string
		do   func()
	}{
		{"neg: devices cpu and cuda:0 differ; move one with To", func() { b.Copy(x, onHost) }},
		{"neg: a tensor was freed before this op", func() { b.Copy(x, freed) }},
		{"neg: memory is freed twice", func() { b.release(freed) }},
		{"neg: cuda:0 cannot launch", func() {
			moves[4].launch(b, grid{Blocks: [3]int{1}, Threads: [3]int{5000}}, copyArgs{}, x)
		}},
		{"neg: cuda:0 has no kernel nothing", func() {
			newKernel[copyArgs]("copy", "nothing").launch(b, grid{Blocks: [3]int{1}}, copyArgs{}, x)
			entries = entries[:len(entries)-1]
		}},
	} {
		if got := mistake(c.do); !strings.HasPrefix(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	b.Fill(x, 3)
	if got := values(b, x); got[3] != 3 {
		t.Errorf("after all that, x is %v", got)
	}
	if _, err := Open(maxGPUs); err == nil || !strings.Contains(err.Error(), "there is no GPU 64") {
		t.Errorf("GPU 64: %v", err)
	}
}

// TestCUDAPlainErrors: errors of gorgonia.org/cu are told with the driver's names, and without stacks.
func TestCUDAPlainErrors(t *testing.T) {
	for _, err := range []error{cu.InvalidValue, errors.Wrap(errors.Wrap(cu.InvalidValue, "a"), "b")} {
		if got := ownError(err); got != driverError(1) || strings.Contains(fmt.Sprintf("%+v", got), ".go") {
			t.Errorf("%v became %+v", err, got)
		}
	}
	if got := fmt.Sprintf("%+v", ownError(errors.New("other"))); got != "other" {
		t.Errorf("another error became %q", got)
	}
	if ownError(nil) != nil {
		t.Error("no error became one")
	}
}
