package tensor_test

import (
	"fmt"
	"strings"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

const noPanic = "no panic" // reference.Mistake of a function that returns

// TestStaleOps writes in place to an input or the result of every op of the table before its
// gradient is asked for. That gives the gradient of before, or an error that names both ops, for
// gradients of first and second order.
func TestStaleOps(t *testing.T) {
	for _, r := range opTable {
		if r.noGrad {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			for at := -1; at < len(r.in); at++ {
				r.checkStale(t, at, false)
				r.checkStale(t, at, true)
			}
		})
	}
}

// checkStale writes to input at, or to the result where it is -1, between the op and its gradient,
// or between the gradient and that of second order.
func (r opRow) checkStale(t *testing.T, at int, second bool) {
	t.Helper()
	d := r.allDTypes()[0]
	gradients := func(write func(x *T)) (out []*T, mistake string) {
		var leaves, xs []*T
		for _, x := range r.inputs(r.in) {
			leaves = append(leaves, x.To(d).Clone().SetRequiresGrad(true))
			xs = append(xs, leaves[len(leaves)-1].Clone())
		}
		y := r.f(xs...)
		target := y
		if at >= 0 {
			target = xs[at]
		}
		weights := tensor.Arange(float64(y.Numel())).Div(8).Sub(0.5).Reshape(y.Shape()...).To(d)
		config := tensor.GradConfig{GradOutputs: []*T{weights.SetRequiresGrad(second)},
			CreateGraph: second, Materialize: true}
		if second {
			out = tensor.Grad([]*T{y}, leaves, config)
			loss := weights.Sum()
			for _, g := range out {
				loss = loss.Add(g.Mul(g).Sum())
			}
			y, leaves = loss, append(leaves, weights)
			config = tensor.GradConfig{Materialize: true}
		}
		write(target)
		mistake = reference.Mistake(func() { out = tensor.Grad([]*T{y}, leaves, config) })
		return out, mistake
	}
	want, mistake := gradients(func(*T) {})
	if mistake != noPanic {
		t.Fatal(mistake)
	}
	for name, write := range map[string]func(x *T){
		"recorded": func(x *T) { x.AddInPlace(0.25) },
		"NoGrad":   func(x *T) { tensor.NoGrad(func() { x.AddInPlace(0.25) }) },
	} {
		refused := false
		got, mistake := gradients(func(x *T) {
			refused = reference.Mistake(func() { write(x) }) != noPanic
		})
		what := fmt.Sprintf("second %v, %s write to %d", second, name, at)
		if refused {
			continue
		}
		if mistake != noPanic {
			if !strings.HasPrefix(mistake, "backward: ") ||
				!strings.Contains(mistake, " kept a ") ||
				!strings.Contains(mistake, "and AddInPlace changed it in place afterwards") {
				t.Errorf("%s: %s", what, mistake)
			}
			continue
		}
		for i := range want {
			equal(t, fmt.Sprintf("%s: gradient %d", what, i), bitsOf(got[i]), bitsOf(want[i]))
		}
	}
}
