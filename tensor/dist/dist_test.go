package dist_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/dist"
	"halfnote/tensor/nn"
	"halfnote/tensor/reference"
)

// places returns n devices of the default one's kind, of which some may be the same.
func places(n int) []tensor.Device {
	all := make([]tensor.Device, n)
	if gpus, _ := tensor.CUDADevices(); !reference.OnCPU() {
		for i := range all {
			all[i] = tensor.CUDA(i % len(gpus))
		}
	}
	return all
}

// same returns the default device n times.
func same(n int) []tensor.Device { return slices.Repeat(places(1), n) }

func network() *nn.Sequential {
	return nn.NewSequential(nn.NewLinear(3, 8), nn.NewTanh(), nn.NewLinear(8, 2))
}

// gradients returns copies of the gradients of m's parameters, and removes them.
func gradients(m any) (all [][]float64) {
	for _, p := range nn.Parameters(m) {
		all = append(all, p.Grad().Float64s())
		p.SetGrad(nil)
	}
	return all
}

// The outputs are those of the module itself, in order, and so are the gradients, for batches that
// split evenly, unevenly, into fewer parts than devices, and not at all.
func TestEqualsModule(t *testing.T) {
	m := network()
	for _, rows := range []int{0, 1, 2, 5, 6, 9} {
		for _, devices := range []int{1, 2, 3, 4} {
			t.Run(fmt.Sprintf("rows=%d/devices=%d", rows, devices), func(t *testing.T) {
				x := tensor.Randn(rows, 3).SetRequiresGrad(true)
				nn.To(m, tensor.Float64)
				p := dist.DataParallel(m, places(devices)...)
				run := func(f func(*tensor.Tensor) *tensor.Tensor) (out, grads any) {
					y := f(x.To(tensor.Float64))
					y.Square().Sum().Backward()
					g := append(gradients(m), x.Grad().Float64s())
					x.SetGrad(nil)
					return [][]float64{y.Float64s()}, g
				}
				wantOut, wantGrads := run(m.Forward)
				out, grads := run(p.Forward)
				if diff := cmp.Diff(wantOut, out, near); diff != "" {
					t.Errorf("outputs (-module +parallel):\n%s", diff)
				}
				if diff := cmp.Diff(wantGrads, grads, near); diff != "" {
					t.Errorf("gradients (-module +parallel):\n%s", diff)
				}
			})
		}
	}
}

// near lets sums differ in their order.
var near = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*(1+math.Abs(a)) })

func TestScatter(t *testing.T) {
	for _, test := range []struct {
		rows, devices int
		want          []int
	}{
		{6, 2, []int{3, 3}}, {5, 2, []int{3, 2}}, {5, 4, []int{2, 2, 1}}, {2, 4, []int{1, 1}},
		{0, 3, []int{0}}, {7, 1, []int{7}},
	} {
		x := tensor.Arange(float64(2*test.rows)).Reshape(test.rows, 2)
		var rows []int
		parts := dist.Scatter(x, places(test.devices))
		for _, part := range parts {
			rows = append(rows, part.Size(0))
		}
		if !slices.Equal(rows, test.want) {
			t.Errorf("%d rows to %d devices: %v, want %v", test.rows, test.devices, rows, test.want)
		}
		back := dist.Gather(parts, tensor.CPU)
		if diff := cmp.Diff(x.Float32s(), back.Float32s()); diff != "" {
			t.Errorf("gathered again (-before +after):\n%s", diff)
		}
	}
	losses := dist.Gather([]*tensor.Tensor{tensor.Full(1), tensor.Full(2)}, tensor.CPU)
	if got := losses.Float32s(); losses.Dim() != 1 || got[0] != 1 || got[1] != 2 {
		t.Errorf("two losses become shape %v %v, want [2] [1 2]", losses.Shape(), got)
	}
}

// probe returns in each element the dtype that a product has in its replica.
type probe struct{ w *tensor.Tensor }

func (p probe) Forward(x *tensor.Tensor) *tensor.Tensor {
	dtype := x.MatMul(p.w).DType()
	return tensor.Full(float64(dtype), x.Size(0))
}

// wrapped opens a region in its own Forward.
type wrapped struct{ probe }

func (w wrapped) Forward(x *tensor.Tensor) *tensor.Tensor { return amp.Wrap(w.probe.Forward)(x) }

// TestAutocastState runs replicas in a bfloat16 region: the state comes whole, without its dtype,
// or not at all, where the module must open a region itself.
func TestAutocastState(t *testing.T) {
	plain := probe{tensor.Ones(3, 2).SetRequiresGrad(true)}
	for _, test := range []struct {
		name  string
		m     nn.Module
		state dist.StateCopy
		want  tensor.DType
	}{
		{"whole", plain, dist.CopyState, tensor.BFloat16},
		{"dtype_lost", plain, dist.DropDType, tensor.Float16},
		{"state_lost", plain, dist.DropState, tensor.Float32},
		{"state_lost_forward_wrapped", wrapped{plain}, dist.DropState, tensor.Float16},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := dist.DataParallelWith(test.m, dist.Config{Devices: places(2), State: test.state})
			amp.AutocastWith(amp.Config{DType: tensor.BFloat16}, func() {
				for i, d := range p.Forward(tensor.Ones(4, 3)).Float32s() {
					if got := tensor.DType(d); got != test.want {
						t.Errorf("row %d: a product is %v, want %v", i, got, test.want)
					}
				}
			})
			if got := p.Forward(tensor.Ones(4, 3)).Float32s()[0]; test.m == nn.Module(plain) &&
				tensor.DType(got) != tensor.Float32 {
				t.Errorf("outside of the region a product is %v", tensor.DType(got))
			}
		})
	}
}

// In a region the gradients reach the float32 parameters of all replicas' casts.
func TestAutocastGradients(t *testing.T) {
	m := network()
	p := dist.DataParallel(m, places(3)...)
	x := tensor.Ones(6, 3)
	grads := func(f func(*tensor.Tensor) *tensor.Tensor) [][]float64 {
		var loss *tensor.Tensor
		amp.Autocast(func() { loss = f(x).Sum() })
		loss.Backward()
		return gradients(m)
	}
	loose := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-2*(1+math.Abs(a)) })
	if diff := cmp.Diff(grads(m.Forward), grads(p.Forward), loose); diff != "" {
		t.Errorf("gradients (-module +parallel):\n%s", diff)
	}
}

func TestNoGradReachesReplicas(t *testing.T) {
	p := dist.DataParallel(network(), places(2)...)
	tensor.NoGrad(func() {
		if p.Forward(tensor.Ones(4, 3)).RequiresGrad() {
			t.Error("the replicas record under NoGrad")
		}
	})
}

// counting adds each batch's sum to a buffer and counts its calls in a field.
type counting struct {
	w     *tensor.Tensor
	total *tensor.Tensor
	calls int
	inner map[string]*nn.Linear
	list  []nn.Module
}

func (c *counting) Forward(x *tensor.Tensor) *tensor.Tensor {
	c.calls++
	tensor.NoGrad(func() { c.total.AddInPlace(x.Sum()) })
	y := c.inner["a"].Forward(x.Mul(c.w))
	for _, m := range c.list {
		y = m.Forward(y)
	}
	return y
}

func newCounting() *counting {
	shared := nn.NewLinear(2, 2)
	return &counting{w: tensor.Ones(2).SetRequiresGrad(true), total: tensor.Zeros(),
		inner: map[string]*nn.Linear{"a": shared}, list: []nn.Module{shared, nn.NewReLU()}}
}

// Only the first replica's buffers and fields stay, without races between the replicas.
func TestBuffers(t *testing.T) {
	m := newCounting()
	p := dist.DataParallel(m, places(3)...)
	for range 2 {
		p.Forward(tensor.Ones(6, 2)).Sum().Backward()
	}
	if got := m.total.Item(); got != 2*4 || m.calls != 2 {
		t.Errorf("sum %g and %d calls, want 8 and 2: two rows of two ones, twice", got, m.calls)
	}
}

func TestReplicate(t *testing.T) {
	m := newCounting()
	all := dist.Replicate(m, same(2))
	if all[0] != nn.Module(m) {
		t.Error("the first replica is not the module itself")
	}
	c := all[1].(*counting)
	if c == m || c.total == m.total || c.inner["a"] == m.inner["a"] {
		t.Error("the second replica shares modules or buffers with the first")
	}
	if c.w != m.w || c.inner["a"].Weight != m.inner["a"].Weight {
		t.Error("the second replica has other parameters")
	}
	if nn.Module(c.inner["a"]) != c.list[0] {
		t.Error("a layer that is used twice became two")
	}
	dropout := nn.NewDropout(0.5, tensor.NewGenerator(1))
	frozen := nn.NewLinear(2, 2)
	nn.SetRequiresGrad(frozen, false)
	second := dist.Replicate(nn.NewSequential(dropout, frozen), same(2))[1].(*nn.Sequential)
	if second.Modules()[0].(*nn.Dropout).Generator != dropout.Generator {
		t.Error("a replica has a generator of its own, which would repeat the first one's numbers")
	}
	if second.Modules()[1].(*nn.Linear).Weight != frozen.Weight {
		t.Error("a frozen parameter was copied")
	}
}

// parent and child refer to each other.
type parent struct {
	child *child
	w     *tensor.Tensor
}

type child struct{ parent *parent }

func (p *parent) Forward(x *tensor.Tensor) *tensor.Tensor { return x.Mul(p.child.parent.w) }

func TestReplicateCycle(t *testing.T) {
	m := &parent{child: &child{}, w: tensor.Ones().SetRequiresGrad(true)}
	m.child.parent = m
	c := dist.Replicate(m, places(2))[1].(*parent)
	if c == m || c.child == m.child || c.child.parent != c {
		t.Error("the cycle of the copy does not close in the copy")
	}
}

// failing fails for rows that begin with 1, and ends its goroutine for 2.
type failing struct{}

func (failing) Forward(x *tensor.Tensor) *tensor.Tensor {
	switch x.Float32s()[0] {
	case 1:
		return x.MatMul(tensor.Ones(5, 5))
	case 2:
		runtime.Goexit()
	}
	return x
}

func TestPanics(t *testing.T) {
	for _, test := range []struct {
		first []float32
		want  string
	}{
		{[]float32{0, 1, 1}, reference.Here("replica 1 on cpu") + ": matmul: shapes [1 1] and [5 5]"},
		{[]float32{0, 0, 2}, reference.Here("replica 2 on cpu") + ": the goroutine was ended by runtime.Goexit"},
	} {
		x := tensor.FromFloat32(test.first, 3, 1)
		err := caught(func() { dist.DataParallel(failing{}, same(3)...).Forward(x) })
		var replica *dist.Error
		if !errors.As(err, &replica) || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
		var shape *tensor.Error
		if test.first[1] == 1 && !errors.As(err, &shape) {
			t.Errorf("%v does not unwrap to the op's error", err)
		}
	}
	if amp.Enabled() {
		t.Error("a region is open")
	}
}

// caught returns the error that f panics with.
func caught(f func()) (err error) {
	defer func() { err, _ = recover().(error) }()
	f()
	return nil
}

func TestMistakes(t *testing.T) {
	m := network()
	for want, f := range map[string]func(){
		"scatter: argument 1 is nil": func() {
			dist.DataParallel(nn.NewReLU(), tensor.CPU, tensor.CPU).Forward(nil)
		},
		"gather: argument 2 is nil": func() {
			dist.Gather([]*tensor.Tensor{tensor.Ones(2), nil}, tensor.CPU)
		},
		"data parallel: the module is nil": func() { dist.DataParallel(nil, tensor.CPU) },
		reference.Here("data parallel: parameter 0.weight is on cpu") + " and the first device is cuda:7; " +
			"move the module with nn.To": func() { dist.DataParallel(m, tensor.CUDA(7)) },
		"scatter: no devices: at least one must be given": func() {
			dist.Scatter(tensor.Ones(2), nil)
		},
		"scatter: a tensor of shape [] has no rows to split; it needs one dimension": func() {
			dist.DataParallel(m, places(2)...).Forward(tensor.Ones())
		},
		"gather: no outputs: at least one must be given": func() { dist.Gather(nil, tensor.CPU) },
		"replicate: no devices: at least one must be given": func() {
			dist.Replicate(m, nil)
		},
		"parallel apply: 1 modules and 2 inputs: each module takes one": func() {
			dist.ParallelApply([]nn.Module{m}, []*tensor.Tensor{tensor.Ones(2), tensor.Ones(2)})
		},
		"parallel apply: 2 ways of copying the state: give at most one": func() {
			dist.ParallelApply(nil, nil, dist.CopyState, dist.DropState)
		},
	} {
		if got := reference.Mistake(f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The walk through a Parallel gives PyTorch's names and the module's own tensors.
func TestParallelIsModule(t *testing.T) {
	m := network()
	p := dist.DataParallel(m, places(2)...)
	var names []string
	for name := range nn.NamedParameters(p) {
		names = append(names, name)
	}
	want := []string{"module.0.weight", "module.0.bias", "module.2.weight", "module.2.bias"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if nn.Parameters(p)[0] != nn.Parameters(m)[0] {
		t.Error("the parameters are not the module's")
	}
	text := fmt.Sprintf("DataParallel(Sequential(Linear(3, 8), Tanh(), Linear(8, 2)) on %v)", places(2))
	if got := p.String(); got != text {
		t.Errorf("text %q, want %q", got, text)
	}
	if got := len(dist.DataParallel(m).Devices()); got != 1 {
		t.Errorf("%d devices without any given, want 1", got)
	}
}

// Two goroutines may train through the same Parallel's module at once, each in a region.
func TestConcurrentForwards(t *testing.T) {
	p := dist.DataParallel(network(), places(2)...)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 10 {
				amp.Autocast(func() { p.Forward(tensor.Ones(4, 3)) })
			}
		})
	}
	wait.Wait()
}
