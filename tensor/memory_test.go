package tensor_test

import (
	"runtime"
	"strings"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
	"halfnote/tensor/reference"
)

// TestMemoryStats: tensors count with the bytes of their elements, views and small ones not.
func TestMemoryStats(t *testing.T) {
	before := tensor.MemoryStats()
	x := tensor.Zeros(100, 1000)
	half := x.To(tensor.Float16)
	view := x.T()
	small := tensor.Zeros(10)
	after := tensor.MemoryStats()
	bytes, count := int64(100*1000*(4+2)), int64(2)
	if !reference.OnCPU() { // where small ones count too
		bytes, count = bytes+40, count+1
	}
	if got := after.Allocated - before.Allocated; got != bytes {
		t.Errorf("%d bytes allocated, want %d", got, bytes)
	}
	if got := after.Allocations - before.Allocations; got != count {
		t.Errorf("%d allocations, want %d", got, count)
	}
	if after.Peak < after.InUse || after.Reserved < after.InUse || after.InUse < 600_000 {
		t.Errorf("peak or reserved is less than in use: %+v", after)
	}
	runtime.KeepAlive([]*tensor.Tensor{half, view, small})
}

// TestMemoryComesBack: what nothing points at is not in use after a collection, and what a view
// points at is.
func TestMemoryComesBack(t *testing.T) {
	const bytes = 40 << 20
	reference.Collect()
	before := tensor.MemoryStats().InUse
	x := tensor.Zeros(bytes / 4)
	row := x.Narrow(0, 5, 3)
	x = nil
	reference.Collect()
	if got := tensor.MemoryStats().InUse - before; got < bytes/2 {
		t.Errorf("%d bytes in use while a view of %d is", got, bytes)
	}
	runtime.KeepAlive(row)
	reference.Collect()
	if got := tensor.MemoryStats().InUse - before; got > bytes/2 {
		t.Errorf("%d bytes in use when nothing points at %d", got, bytes)
	}
	tensor.ResetPeakMemoryStats()
	if s := tensor.MemoryStats(); s.Peak != s.InUse {
		t.Errorf("after ResetPeakMemoryStats the peak is %d, in use %d", s.Peak, s.InUse)
	}
}

// TestMemoryOfTraining: the memory of a training loop is level, though it asks for much more than
// that as time goes on.
func TestMemoryOfTraining(t *testing.T) {
	model := nn.NewSequential(nn.NewLinear(16, 16), nn.NewReLU(), nn.NewLinear(16, 10))
	sgd := optim.NewSGD(nn.Parameters(model), optim.SGDConfig{LR: 0.01, Momentum: 0.9})
	rows, steps := reference.Fewer(4096, 512), reference.Fewer(200, 10)
	x := tensor.Randn(rows, 16)
	labels := tensor.Zeros(rows).To(tensor.Int64)
	before := tensor.MemoryStats()
	for range steps {
		loss := tensor.CrossEntropy(model.Forward(x), labels)
		sgd.ZeroGrad()
		loss.Backward()
		sgd.Step()
	}
	after := tensor.MemoryStats()
	asked, more := after.Allocated-before.Allocated, after.Reserved-before.Reserved
	if asked < int64(steps*rows)<<8 || more > 48<<20 {
		t.Errorf("%d steps asked for %d bytes, and %d more are reserved", steps, asked, more)
	}
}

func TestMemoryUseString(t *testing.T) {
	s := tensor.MemoryUse{InUse: 1_234_567, Reserved: 999, Allocated: 2_000_000_000, Reused: 7}.String()
	for _, want := range []string{"memory on cpu", "1.23 MB", "999 B", "2 GB", "7"} {
		if !strings.Contains(s, want) {
			t.Errorf("%q is missing in\n%s", want, s)
		}
	}
}

// TestGradMemory: the memory of a gradient that nobody was given is free when ZeroGrad drops it, and
// one that somebody was given keeps its elements.
func TestGradMemory(t *testing.T) {
	w := tensor.Ones(100, 1000).SetRequiresGrad(true)
	sgd := optim.NewSGD([]*tensor.Tensor{w}, optim.SGDConfig{LR: 1})
	step := func() {
		w.Mul(2).Sum().Backward()
		sgd.Step()
	}
	step()
	before := tensor.MemoryStats().InUse
	sgd.ZeroGrad()
	if got := before - tensor.MemoryStats().InUse; got < 100*1000*4 {
		t.Errorf("%d bytes less in use without the gradient, want %d at least", got, 100*1000*4)
	}
	step()
	g := w.Grad()
	sgd.ZeroGrad()
	step()
	w.SetGrad(g)
	g.MulInPlace(2)
	sgd.ZeroGrad()
	step()
	if got := g.Sum().Item(); got != 400_000 {
		t.Errorf("a gradient of fours that was kept adds up to %g", got)
	}
	w.Grad().FillInPlace(7)
	if got := w.Grad().Sum().Item(); got != 700_000 {
		t.Errorf("a gradient of sevens adds up to %g", got)
	}
}

// TestGradientIsNotCopied: a gradient that has gone through a change of shape goes to whoever keeps
// it as it is.
func TestGradientIsNotCopied(t *testing.T) {
	x := tensor.Randn(64, 256).SetRequiresGrad(true)
	double := func() *tensor.Tensor { return x.Reshape(256, 64).Mul(2).Sum() }
	for name, gradient := range map[string]func() *tensor.Tensor{
		"Grad": func() *tensor.Tensor {
			return tensor.Grad([]*tensor.Tensor{double()}, []*tensor.Tensor{x})[0]
		},
		"Backward": func() *tensor.Tensor { double().Backward(); return x.Grad() },
	} {
		before := tensor.MemoryStats().Allocations
		g := gradient()
		n := tensor.MemoryStats().Allocations - before
		if n != 2 && reference.OnCPU() { // elsewhere the sum counts too, and what it is made of
			t.Errorf("%s: %d tensors got memory, want 2: the product and the gradient", name, n)
		}
		if g.IsView() || g.Dim() != 2 || g.Size(0) != 64 || g.Float32s()[64*256-1] != 2 {
			t.Errorf("%s: %v is not the gradient, or a view", name, g)
		}
	}
}
