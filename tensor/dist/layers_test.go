package dist_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/dist"
	"halfnote/tensor/nn"
	"halfnote/tensor/reference"
)

// The running statistics are those of the first replica's part of the batch, as in PyTorch, and
// the replicas do not race for them.
func TestBatchNorm(t *testing.T) {
	norm := func() *nn.Sequential { return nn.NewSequential(nn.NewBatchNorm1d(3)) }
	parallel, alone := norm(), norm()
	p := dist.DataParallel(parallel, places(3)...)
	x := tensor.Randn(9, 3)
	for range 3 {
		p.Forward(x).Sum().Backward()
		alone.Forward(x.Narrow(0, 0, 3))
	}
	state, want := nn.StateDict(parallel), nn.StateDict(alone)
	for name, t1 := range want {
		if diff := cmp.Diff(t1.Float64s(), state[name].Float64s(), near); diff != "" {
			t.Errorf("%s (-first part alone +parallel):\n%s", name, diff)
		}
	}
	nn.Train(parallel, false)
	evaluated := p.Forward(x).Float64s()
	if diff := cmp.Diff(parallel.Forward(x).Float64s(), evaluated, near); diff != "" {
		t.Errorf("in evaluation (-module +parallel):\n%s", diff)
	}
}

// Replicas draw different masks from one generator.
func TestDropout(t *testing.T) {
	p := dist.DataParallel(nn.NewDropout(0.5, tensor.NewGenerator(1)), places(2)...)
	out := p.Forward(tensor.Ones(2, 64))
	if cmp.Equal(out.Index(0).Float32s(), out.Index(1).Float32s()) {
		t.Error("both replicas have the same mask")
	}
	if got := out.Mean().Item(); got < 0.5 || got > 1.5 {
		t.Errorf("mean %g of ones, want about 1", got)
	}
}

// A convolutional network in a float16 region has the outputs and gradients of the module itself.
func TestConvolutions(t *testing.T) {
	m := nn.NewSequential(nn.NewConv2d(1, 4, 3), nn.NewReLU(), nn.NewFlatten(), nn.NewLinear(144, 3))
	p := dist.DataParallel(m, places(2)...)
	x := tensor.Randn(5, 1, 8, 8)
	run := func(f func(*tensor.Tensor) *tensor.Tensor) (out []float64) {
		var loss *tensor.Tensor
		amp.Autocast(func() {
			y := f(x)
			out = y.Float64s()
			loss = y.Sum()
		})
		loss.Backward()
		return out
	}
	want := run(m.Forward)
	gradients(m)
	if diff := cmp.Diff(want, run(p.Forward)); diff != "" {
		t.Errorf("outputs (-module +parallel):\n%s", diff)
	}
}

// Checkpoints around the replicas and inside of them give the module's own gradients.
func TestCheckpoint(t *testing.T) {
	m := network()
	inner := checkpointed{m}
	x := tensor.Randn(5, 3)
	run := func(f func(*tensor.Tensor) *tensor.Tensor) [][]float64 {
		var loss *tensor.Tensor
		amp.Autocast(func() { loss = f(x).Sum() })
		loss.Backward()
		return gradients(m)
	}
	p := dist.DataParallel(m, places(2)...)
	want := run(p.Forward)
	around := run(func(x *tensor.Tensor) *tensor.Tensor {
		return tensor.Checkpoint(func(in ...*tensor.Tensor) *tensor.Tensor {
			return p.Forward(in[0])
		}, x)
	})
	inside := run(dist.DataParallel(inner, places(2)...).Forward)
	for name, got := range map[string][][]float64{"around": around, "inside": inside} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-without +with a checkpoint):\n%s", name, diff)
		}
	}
}

// checkpointed keeps nothing of its module for Backward.
type checkpointed struct{ nn.Module }

func (c checkpointed) Forward(x *tensor.Tensor) *tensor.Tensor {
	return tensor.Checkpoint(func(in ...*tensor.Tensor) *tensor.Tensor {
		return c.Module.Forward(in[0])
	}, x)
}

// The search for values that are not finite goes on in the replicas.
func TestDetectNonFinite(t *testing.T) {
	p := dist.DataParallel(logarithm{}, same(2)...)
	err := caught(func() {
		tensor.DetectNonFinite(func() { p.Forward(tensor.FromFloat32([]float32{1, 1, 1, 0}, 4)) })
	})
	if err == nil || !strings.HasPrefix(err.Error(), reference.Here("replica 1 on cpu: log: forward: ")) {
		t.Errorf("%v, want an error of log in replica 1", err)
	}
}

type logarithm struct{}

func (logarithm) Forward(x *tensor.Tensor) *tensor.Tensor { return x.Log() }

// A module in two layers of replicas is the module; the walks of the inner ones change no names.
func TestNested(t *testing.T) {
	m := network()
	x := tensor.Randn(7, 3)
	want, weight := m.Forward(x), nn.Parameters(m)[0]
	outer := dist.DataParallel(dist.DataParallel(m, same(2)...), same(2)...)
	name := weight.Name()
	if diff := cmp.Diff(want.Float32s(), outer.Forward(x).Float32s()); diff != "" {
		t.Errorf("outputs (-module +nested):\n%s", diff)
	}
	if got := weight.Name(); got != name {
		t.Errorf("Forward renamed %s to %s", name, got)
	}
}

// noting appends to a field, whose array the replicas share at first.
type noting struct {
	Layer *nn.Linear
	notes []int
}

func (n *noting) Forward(x *tensor.Tensor) *tensor.Tensor {
	n.notes = append(n.notes, x.Size(0))
	return n.Layer.Forward(x)
}

// What replicas append to a list of their own is not written into the module's.
func TestReplicasAppend(t *testing.T) {
	m := &noting{Layer: nn.NewLinear(3, 2), notes: make([]int, 0, 8)}
	dist.DataParallel(m, places(3)...).Forward(tensor.Ones(7, 3))
	if want := []int{3}; !cmp.Equal(m.notes, want) {
		t.Errorf("notes %v, want those of the first part, %v", m.notes, want)
	}
}

// silent returns nothing.
type silent struct{}

func (silent) Forward(x *tensor.Tensor) *tensor.Tensor { return nil }

func TestNoOutput(t *testing.T) {
	err := caught(func() { dist.DataParallel(silent{}, places(2)...).Forward(tensor.Ones(2, 3)) })
	if want := reference.Here("replica 0 on cpu: Forward returned no tensor"); err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
}

// square needs its input for its gradient.
type square struct{}

func (square) Forward(x *tensor.Tensor) *tensor.Tensor { return x.Square() }

// Replicas that draw random numbers at once draw theirs again where a checkpoint computes anew.
func TestDropoutInCheckpoint(t *testing.T) {
	m := nn.NewSequential(nn.NewDropout(0.5), nn.NewDropout(0.5), square{})
	around := dist.DataParallel(m, places(4)...)
	for name, f := range map[string]func(x *tensor.Tensor) *tensor.Tensor{
		"inside": dist.DataParallel(checkpointed{m}, places(4)...).Forward,
		"around": checkpointed{around}.Forward,
	} {
		for range 5 {
			x := tensor.Ones(64, 1024).SetRequiresGrad(true)
			y := f(x)
			y.Sum().Backward()
			if !slices.Equal(x.Grad().Float32s(), y.Mul(2).Float32s()) {
				t.Fatalf("%s: the gradient is not that of the masks drawn first", name)
			}
		}
	}
}
