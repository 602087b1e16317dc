package tensor_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// everywhere calls f with each device, wherever tensors are made.
func everywhere(t *testing.T, f func(d tensor.Device)) {
	t.Helper()
	f(tensor.CPU)
	if reference.OnCPU() {
		return
	}
	gpus, err := tensor.CUDADevices()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range gpus {
		f(g.Device)
	}
}

// TestOpsElsewhere: ops compute where their tensors are, wherever tensors are made.
func TestOpsElsewhere(t *testing.T) {
	home := reference.Here("cpu")
	everywhere(t, func(d tensor.Device) {
		mixed := fmt.Sprintf("devices %s and %s differ; move one with To", d, home)
		computed := 0
		for _, r := range opTable {
			xs := r.inputs(r.in)
			for i, x := range xs {
				xs[i] = x.Detach().To(d)
			}
			xs = leaves(xs)
			text := reference.Mistake(func() {
				y := r.f(xs...)
				at := []*T{y}
				if !r.noGrad {
					y.Backward(tensor.BackwardConfig{Gradient: tensor.OnesLike(y), CreateGraph: true})
					for _, x := range xs {
						if g := x.Grad(); g != nil {
							at = append(at, g)
						}
					}
				}
				for _, x := range at {
					if x.Device() != d && r.name != "allfinite" { // of which the row makes a tensor
						t.Errorf("%s of tensors on %s is on %s", r.name, d, x.Device())
					}
				}
			})
			switch {
			case text == "no panic":
				computed++
			case !strings.HasSuffix(text, mixed) || d.String() == home: // positions and classes that the row makes
				t.Errorf("%s on %s: %s", r.name, d, text)
			}
		}
		if computed < len(opTable)*3/4 {
			t.Errorf("%d of %d ops compute on %s", computed, len(opTable), d)
		}
	})
}

// TestNumbersElsewhere: numbers and positions go where the tensor is that an op is called on.
func TestNumbersElsewhere(t *testing.T) {
	const wide = 1<<60 + 1
	everywhere(t, func(d tensor.Device) {
		x := tensor.New([]int64{1, 0, 3}).To(d)
		points := tensor.New([]float64{0, 0, 3, 4, 6, 8}).Reshape(3, 2).To(d)
		scores := tensor.New([]float64{2, 1, 0, 0, 1, 0}).Reshape(2, 3).To(d).SetRequiresGrad(true)
		rows := tensor.New([]int64{0, 1, 1}).To(d)
		skipped := 1
		tensor.MultiMarginLoss(scores, rows.Narrow(0, 1, 2), 1, 1).Backward()
		weight := tensor.Ones(2, 3).To(d).SetRequiresGrad(true)
		tensor.Embedding(weight, rows, tensor.EmbeddingConfig{PaddingIndex: &skipped}).Sum().Backward()
		_, middle := x.Index(2).MedianIndex(0)
		for _, c := range []struct {
			name string
			got  *T
			want []int64
		}{
			{"add", x.Add(wide), []int64{wide + 1, wide, wide + 3}},
			{"mul", x.Mul(wide), []int64{wide, 0, 3 * wide}},
			{"eq", x.Mul(wide).Eq(wide), []int64{1, 0, 0}},
			{"add in place", x.Clone().AddInPlace(wide), []int64{wide + 1, wide, wide + 3}},
			{"nonzero", x.Nonzero(), []int64{0, 2}},
			{"masked_select", x.MaskedSelect(x.Gt(0)), []int64{1, 3}},
			{"take", x.Take(2), []int64{3}},
			{"take of some", x.Take([]int{2, -3}), []int64{3, 1}},
			{"take of the host's", x.Take(tensor.New([]int64{2, -3}).To(tensor.CPU)), []int64{3, 1}},
			{"take of a mask of the host", x.Take(x.Gt(0).To(tensor.CPU)), []int64{1, 3}},
			{"index_put", x.IndexPut([]any{[]int{1, -1}}, 7, false), []int64{1, 7, 7}},
			{"median", middle, []int64{0}},
			{"pdist", points.PDist(2), []int64{5, 10, 5}},
			{"multi_margin_loss", scores.Grad().Mul(6), []int64{1, -1, 0, 0, 0, 0}},
			{"embedding", weight.Grad(), []int64{1, 1, 1, 0, 0, 0}},
		} {
			if got := c.got.To(tensor.Int64).Int64s(); c.got.Device() != d || !slices.Equal(got, c.want) {
				t.Errorf("%s on %s: %v on %s, want %v", c.name, d, got, c.got.Device(), c.want)
			}
		}
		inputs := []*T{points.To(tensor.Float64).SetRequiresGrad(true)}
		tanh := func(in ...*T) *T { return in[0].Tanh() }
		if err := tensor.GradCheck(tanh, inputs...); err != nil {
			t.Error(err)
		}
		if err := tensor.GradGradCheck(tanh, inputs...); err != nil {
			t.Error(err)
		}
	})
}
