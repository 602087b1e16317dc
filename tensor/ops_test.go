package tensor_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// An opRow is one op of the table that TestOps goes through. An op belongs into it once it exists.
type opRow struct {
	name string
	f    func(x ...*T) *T // the op on its floating inputs; x is never written
	in   [][]int          // the shapes of the inputs
	also [][][]int        // more shapes that it must take: empty ones, without dimensions

	low, high float64        // inputs are drawn evenly between them; both 0 mean -2 and 2
	dtypes    []tensor.DType // nil means all four floating ones
	terms     float64        // the size of the terms that its results are sums of; 0 means 1

	noGrad bool // results have no gradient: integers, bools
}

// opTable is filled by the init functions of the files that are named after the files of the ops.
var opTable []opRow

func addOps(rows ...opRow) { opTable = append(opTable, rows...) }

// same is the shapes of n inputs of one shape.
func same(n int, shape ...int) [][]int {
	shapes := make([][]int, n)
	for i := range shapes {
		shapes[i] = shape
	}
	return shapes
}

// elementwise is a row of an op that works element by element on n inputs of one shape.
func elementwise(name string, n int, f func(x ...*T) *T) opRow {
	return opRow{name: name, f: f, in: same(n, 2, 3, 2),
		also: [][][]int{same(n), same(n, 0), same(n, 2, 0, 3), same(n, 1, 1)}}
}

// between gives the row the range of its inputs.
func (r opRow) between(low, high float64) opRow {
	r.low, r.high = low, high
	return r
}

// inputs draws the inputs of a row in float64, the same ones each time.
func (r opRow) inputs(shapes [][]int) []*T {
	low, high := r.low, r.high
	if low == 0 && high == 0 {
		low, high = -2, 2
	}
	source := rand.New(rand.NewPCG(7, uint64(len(r.name))))
	xs := make([]*T, len(shapes))
	for i, shape := range shapes {
		n := 1
		for _, s := range shape {
			n *= s
		}
		values := make([]float64, n)
		for j := range values {
			values[j] = low + (high-low)*source.Float64()
		}
		xs[i] = tensor.FromFloat64(values, shape...)
	}
	return xs
}

// leaves makes leaves of xs, with their strides, that require gradients.
func leaves(xs []*T) []*T {
	out := make([]*T, len(xs))
	for i, x := range xs {
		out[i] = x.Detach().SetRequiresGrad(true)
	}
	return out
}

// TestOps checks every op of the table: its gradients of first and second order against
// differences in float64, all dtypes against float64, and inputs with all kinds of strides against
// dense copies.
func TestOps(t *testing.T) {
	for _, r := range opTable {
		t.Run(r.name, func(t *testing.T) {
			for i, shapes := range append([][][]int{r.in}, r.also...) {
				t.Run(fmt.Sprint(shapes), func(t *testing.T) {
					if !r.noGrad && (i == 0 || reference.OnCPU()) {
						r.checkGradients(t, shapes)
					}
					r.checkDTypes(t, shapes)
					if i == 0 {
						r.checkStrides(t, shapes)
					}
				})
			}
		})
	}
}

func (r opRow) checkGradients(t *testing.T, shapes [][]int) {
	if !slices.Contains(r.allDTypes(), tensor.Float64) {
		return
	}
	if err := tensor.GradCheck(r.f, leaves(r.inputs(shapes))...); err != nil {
		t.Error(err)
	}
	if !reference.OnCPU() { // the same ops once more, for which the stand-in takes minutes
		return
	}
	if err := tensor.GradGradCheck(r.f, leaves(r.inputs(shapes))...); err != nil {
		t.Errorf("second order: %v", err)
	}
}

func (r opRow) allDTypes() []tensor.DType {
	if r.dtypes != nil {
		return r.dtypes
	}
	return []tensor.DType{tensor.Float64, tensor.Float32, tensor.Float16, tensor.BFloat16}
}

// run computes the op and the gradients of the sum of its results.
func (r opRow) run(t *testing.T, xs []*T) (y *T, grads []*T) {
	t.Helper()
	xs = leaves(xs)
	y = r.f(xs...)
	if r.noGrad {
		return y, nil
	}
	if y.RequiresGrad() {
		ones := tensor.OnesLike(y)
		y.Backward(tensor.BackwardConfig{Gradient: ones})
	} else {
		t.Error("the result requires no gradient")
	}
	for i, x := range xs {
		g := x.Grad()
		if g == nil {
			g = tensor.ZerosLike(x)
		}
		if g.DType() != x.DType() || !slices.Equal(g.Shape(), x.Shape()) {
			t.Errorf("the gradient of input %d is %s %v, and the input %s %v", i, g.DType(),
				g.Shape(), x.DType(), x.Shape())
		}
		grads = append(grads, g)
	}
	return y, grads
}

// checkDTypes compares with float64 on the same, rounded, inputs.
func (r opRow) checkDTypes(t *testing.T, shapes [][]int) {
	for _, d := range r.allDTypes() {
		low, exact := r.inputs(shapes), make([]*T, len(shapes))
		for i, x := range low {
			low[i] = x.To(d)
			exact[i] = low[i].To(tensor.Float64)
		}
		y, grads := r.run(t, low)
		want, wantGrads := r.run(t, exact)
		if !slices.Equal(y.Shape(), want.Shape()) {
			t.Fatalf("%s: shape %v, and in float64 %v", d, y.Shape(), want.Shape())
		}
		near(t, fmt.Sprintf("%s: result", d), y.Float64s(), want.Float64s(), d, r.size(want))
		for i := range grads {
			// A gradient goes through several ops, each of which rounds.
			near(t, fmt.Sprintf("%s: gradient %d", d, i), grads[i].Float64s(),
				wantGrads[i].Float64s(), d, 4*r.size(wantGrads[i]))
		}
	}
}

// size is the size of the terms of a result.
func (r opRow) size(want *T) float64 {
	size := max(1, r.terms)
	for _, v := range want.Float64s() {
		if !math.IsInf(v, 0) && !math.IsNaN(v) {
			size = max(size, math.Abs(v))
		}
	}
	return size
}

// strided are views that hold the elements of x with other strides, or repeat some of them.
var strided = []struct {
	name string
	view func(x *T) *T
}{
	{"transposed", func(x *T) *T {
		axes := make([]int, x.Dim())
		for i := range axes {
			axes[i] = x.Dim() - 1 - i
		}
		return x.Permute(axes...).Clone().Permute(axes...)
	}},
	{"sliced", func(x *T) *T {
		for d := range x.Dim() {
			wider := tensor.Cat([]*T{x.Unsqueeze(d + 1), x.Unsqueeze(d + 1)}, d+1)
			shape := x.Shape()
			shape[d] *= 2
			x = wider.Reshape(shape...).Slice(d, 1, shape[d], 2)
		}
		return x
	}},
	{"broadcast", func(x *T) *T {
		if x.Dim() == 0 {
			return x
		}
		return x.Slice(0, 0, 1).Expand(x.Shape()...)
	}},
	{"broadcast_last", func(x *T) *T {
		if x.Dim() == 0 {
			return x
		}
		return x.Slice(-1, 0, 1).Expand(x.Shape()...)
	}},
}

// checkStrides gives each input other strides in turn.
func (r opRow) checkStrides(t *testing.T, shapes [][]int) {
	for _, d := range r.allDTypes() {
		for _, s := range strided {
			for i := range shapes {
				xs := r.inputs(shapes)
				for j := range xs {
					xs[j] = xs[j].To(d)
				}
				xs[i] = s.view(xs[i])
				y, grads := r.run(t, xs)
				xs[i] = xs[i].Clone()
				want, wantGrads := r.run(t, xs)
				what := fmt.Sprintf("%s: input %d %s", d, i, s.name)
				if !slices.Equal(y.Shape(), want.Shape()) {
					t.Fatalf("%s: shape %v, and of a dense copy %v", what, y.Shape(), want.Shape())
				}
				near(t, what, y.Float64s(), want.Float64s(), d, r.size(want))
				for j := range grads {
					near(t, fmt.Sprintf("%s: gradient %d", what, j), grads[j].Float64s(),
						wantGrads[j].Float64s(), d, 4*r.size(wantGrads[j]))
				}
			}
		}
	}
}
