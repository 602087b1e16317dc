package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"halfnote/amp/bench/steps"
	"halfnote/tensor"
)

// A work is what is measured. testdata/peer.py makes the same call of that name.
type work struct {
	name   string
	make   func() (call func())
	unit   string  // of amount in a second
	amount float64 // of a call
	wanted map[string]float64
}

// copied is the work whose rate on a GPU is that of its memory.
const copied = "copy"

// bytesPerSecond is the unit of what goes through memory.
const bytesPerSecond = "B/s"

// has reports whether a peer has the work: OpenBLAS multiplies float32 matrices.
func (w work) has(peer string) bool {
	_, ok := w.wanted[peer]
	return peer == us || ok
}

// rate returns how much goes by in a second.
func (w work) rate(d time.Duration) string {
	if w.unit == "" {
		return ""
	}
	return scaled(w.amount/d.Seconds(), w.unit, "", "k", "M", "G", "T", "P")
}

// A size says how large the works are.
type size struct {
	gpu, tiny bool
	products  []int    // rows and columns of matrices
	rows      []int    // elements of arrays
	lines     [2]int   // rows and columns of what ops along rows get
	classes   [][2]int // pictures and classes of a loss
	roundTime time.Duration
}

var cpuSize = size{products: []int{64, 256, 1024, 2048}, rows: []int{1 << 18, 1 << 23},
	lines: [2]int{2048, 256}, classes: [][2]int{{128, 10}, {2048, 1000}},
	roundTime: 250 * time.Millisecond}

var gpuSize = size{gpu: true, products: []int{1024, 4096, 8192}, rows: []int{1 << 20, 1 << 26},
	lines: [2]int{8192, 1024}, classes: [][2]int{{128, 10}, {8192, 1000}},
	roundTime: 100 * time.Millisecond}

// sizeFor returns how large works are on a device, or sizes that take no time.
func sizeFor(device string, tiny bool) size {
	s := cpuSize
	if device != "cpu" {
		s = gpuSize
	}
	if tiny {
		s = size{gpu: s.gpu, tiny: true, products: []int{32}, rows: []int{1 << 10}, lines: [2]int{8, 16},
			classes: [][2]int{{8, 10}}, roundTime: time.Millisecond}
	}
	return s
}

// worksOf returns all works in that size.
func worksOf(s size) []work {
	list := slices.Concat(products(s), rowOps(s), lineOps(s), smallOps(), trainingSteps(s))
	if s.gpu {
		wantGPU(list, s.tiny)
	}
	return list
}

// products are those of square matrices, and the three of the first layer of an MLP.
func products(s size) (list []work) {
	for _, d := range steps.DTypes {
		wanted := map[tensor.DType]map[string]float64{
			tensor.Float32:  {"torch": 2, "OpenBLAS": 0.95},
			tensor.BFloat16: {"torch": 0.95},
			tensor.Float16:  {"torch": 30},
		}[d]
		add := func(shape string, m, k, n int, operands func() (a, b *tensor.Tensor)) {
			list = append(list, work{
				name: fmt.Sprintf("matmul/%s/%s", d, shape),
				make: func() func() {
					a, b := operands()
					a, b = a.To(d), b.To(d)
					return func() { a.MatMul(b) }
				},
				unit: "FLOP/s", amount: 2 * float64(m) * float64(k) * float64(n), wanted: wanted,
			})
		}
		for _, n := range s.products {
			add(fmt.Sprint(n), n, n, n, func() (a, b *tensor.Tensor) {
				return tensor.Randn(n, n), tensor.Randn(n, n)
			})
		}
		if s.gpu {
			continue
		}
		const batch, in, out = 128, 784, 512
		add("layer", batch, in, out, func() (a, b *tensor.Tensor) {
			return tensor.Randn(batch, in), tensor.Randn(out, in).T()
		})
		add("weight", out, batch, in, func() (a, b *tensor.Tensor) {
			return tensor.Randn(batch, out).T(), tensor.Randn(batch, in)
		})
		add("input", batch, out, in, func() (a, b *tensor.Tensor) {
			return tensor.Randn(batch, out), tensor.Randn(out, in)
		})
	}
	return list
}

// rowOps are ops on arrays that fit a cache and on ones that do not.
func rowOps(s size) (list []work) {
	for _, n := range s.rows {
		add := func(name string, bytes int, wanted float64, x func() *tensor.Tensor,
			f func(x *tensor.Tensor)) {
			list = append(list, work{
				name: fmt.Sprintf("%s/%d", name, n),
				make: func() func() { x := x(); return func() { f(x) } },
				unit: bytesPerSecond, amount: float64(bytes * n), wanted: map[string]float64{"torch": wanted},
			})
		}
		single := func() *tensor.Tensor { return tensor.Randn(n) }
		half := func() *tensor.Tensor { return tensor.Randn(n).To(tensor.Float16) }
		if s.gpu {
			add(copied, 8, 0.95, single, func(x *tensor.Tensor) { x.Clone() })
		}
		add("add", 12, 0.95, single, func(x *tensor.Tensor) { x.Add(x) })
		add("mul", 8, 0.95, single, func(x *tensor.Tensor) { x.Mul(0.5) })
		add("relu", 8, 0.95, single, func(x *tensor.Tensor) { x.ReLU() })
		add("add_inplace", 12, 0.95, single, func(x *tensor.Tensor) { x.AddInPlace(x) })
		add("exp", 8, 3, single, func(x *tensor.Tensor) { x.Exp() })
		add("tanh", 8, 3, single, func(x *tensor.Tensor) { x.Tanh() })
		add("sum", 4, 0.95, single, func(x *tensor.Tensor) { x.Sum() })
		add("to_float16", 6, 0.95, single, func(x *tensor.Tensor) { x.To(tensor.Float16) })
		add("to_bfloat16", 6, 0.95, single, func(x *tensor.Tensor) { x.To(tensor.BFloat16) })
		add("from_float16", 6, 0.95, half, func(x *tensor.Tensor) { x.To(tensor.Float32) })
		add("add_float16", 6, 0.95, half, func(x *tensor.Tensor) { x.Add(x) })
	}
	return list
}

// lineOps are ops along the rows of a matrix: of a Transformer layer and of a classifier. Those that
// are built alike for 16 bits are there in one such dtype.
func lineOps(s size) (list []work) {
	type T = tensor.Tensor
	for _, d := range []tensor.DType{tensor.Float32, tensor.BFloat16} {
		add := func(name string, rows, columns int, call func(x *T) func()) {
			list = append(list, work{
				name: fmt.Sprintf("%s/%s/%dx%d", name, d, rows, columns),
				make: func() func() { return call(tensor.Randn(rows, columns).To(d)) },
				unit: "elem/s", amount: float64(rows * columns), wanted: map[string]float64{"torch": 1},
			})
		}
		forward := func(name string, rows, columns int, f func(x *T) *T) {
			add(name, rows, columns, func(x *T) func() { return func() { f(x) } })
		}
		both := func(name string, rows, columns int, f func(x *T) *T) {
			forward(name, rows, columns, f)
			add(name+"_backward", rows, columns, func(x *T) func() {
				y := f(x.SetRequiresGrad(true))
				g := tensor.OnesLike(y)
				return func() {
					tensor.Grad([]*T{y}, []*T{x}, tensor.GradConfig{
						GradOutputs: []*T{g}, RetainGraph: true})
				}
			})
		}
		rows, columns := s.lines[0], s.lines[1]
		weight := tensor.Ones(columns).To(d).SetRequiresGrad(true)
		bias := tensor.Zeros(columns).To(d).SetRequiresGrad(true)
		both("layer_norm", rows, columns, func(x *T) *T {
			return tensor.LayerNorm(x, []int{columns}, weight, bias)
		})
		both("softmax", rows, columns, func(x *T) *T { return x.Softmax(1) })
		both("gelu", rows, columns, func(x *T) *T { return x.GELU() })
		forward("sum_rows", rows, columns, func(x *T) *T { return x.Sum(1) })
		if d != tensor.Float32 {
			continue
		}
		forward("sum_columns", rows, columns, func(x *T) *T { return x.Sum(0) })
		forward("max_rows", rows, columns, func(x *T) *T { return x.Max(1) })
		both("log_softmax", rows, columns, func(x *T) *T { return x.LogSoftmax(1) })
		for _, c := range s.classes {
			classes := tensor.Arange(float64(c[0])).Fmod(float64(c[1])).To(tensor.Int64)
			both("cross_entropy", c[0], c[1], func(x *T) *T { return tensor.CrossEntropy(x, classes) })
		}
	}
	return list
}

// smallOps are those whose arithmetic costs nothing.
func smallOps() (list []work) {
	x, y := tensor.Randn(4, 4), tensor.Randn(4, 4)
	w := tensor.Randn(4, 4).SetRequiresGrad(true)
	for _, c := range []struct {
		name   string
		wanted float64
		call   func()
	}{
		{"add", 3, func() { x.Add(y) }},
		{"matmul", 3, func() { x.MatMul(y) }},
		{"add_recorded", 3, func() { x.Add(w) }},
		{"backward", 6, func() { x.Mul(w).Sum().Backward() }},
	} {
		list = append(list, work{name: "small/" + c.name, make: func() func() { return c.call },
			wanted: map[string]float64{"torch": c.wanted}})
	}
	return list
}

// wantedSteps is how many times as fast as PyTorch a training step is to be.
var wantedSteps = map[string]map[tensor.DType]float64{
	"mlp":         {tensor.Float32: 2, tensor.BFloat16: 1.3, tensor.Float16: 15},
	"cnn":         {tensor.Float32: 2, tensor.BFloat16: 1, tensor.Float16: 10},
	"transformer": {tensor.Float32: 1.2, tensor.BFloat16: 1, tensor.Float16: 10},
}

func trainingSteps(s size) (list []work) {
	newStep := steps.New
	if s.tiny {
		newStep = steps.NewTiny
	}
	for _, name := range steps.Networks {
		for _, d := range steps.DTypes {
			list = append(list, work{
				name:   fmt.Sprintf("step/%s/%s", name, d),
				make:   func() func() { return newStep(name, d) },
				wanted: map[string]float64{"torch": wantedSteps[name][d]},
			})
			if s.gpu {
				list = append(list, work{
					name:   fmt.Sprintf("graph/%s/%s", name, d),
					make:   func() func() { return repeated(newStep(name, d)) },
					wanted: map[string]float64{"torch": wantedSteps[name][d]},
				})
			}
		}
	}
	return list
}

// repeated returns what has a GPU do a step as it was recorded.
func repeated(step func()) func() {
	d, err := tensor.DefaultDevice()
	if err != nil {
		panic(err)
	}
	graph := tensor.NewGraph(d, step)
	for range 3 { // which call it
		graph.Run()
	}
	return graph.Run
}

// own is the peer that we are with products of our own kernels alone, on a GPU.
const own = "own"

// wantGPU says what is wanted on a GPU instead: its copies and products are the maker's, steps are to
// be faster than PyTorch's, and what goes through memory nearly as fast as a copy, unless it is tiny.
func wantGPU(list []work, tiny bool) {
	for i := range list {
		wanted := map[string]float64{"torch": 0.9}
		switch kind, _, _ := strings.Cut(list[i].name, "/"); kind {
		case "matmul":
			wanted[own] = 0 // shown beside
		case "step", "graph":
			wanted["torch"] = 1
		}
		if list[i].unit == bytesPerSecond && !tiny {
			wanted[copied] = 0.85
		}
		list[i].wanted = wanted
	}
}
