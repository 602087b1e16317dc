package tensor_test

import (
	"runtime/debug"
	"slices"
	"testing"

	"halfnote/internal/many"
	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// reads are the ops whose results have a shape, or a value, that the host must know.
var reads = []string{"take_mask", "masked_select", "nonzero", "allfinite"}

// TestOpsDoNotWait: no op waits for a GPU, nor does its gradient, but for those that return values.
func TestOpsDoNotWait(t *testing.T) {
	waited := ""
	many.OnWait(func() { waited = string(debug.Stack()) })
	defer many.OnWait(nil)
	check := func(what string, f func()) {
		tensor.Synchronize() // what was checked on the way is looked at
		waited = ""
		f()
		if want := slices.Contains(reads, what) && !reference.OnCPU(); want != (waited != "") {
			t.Errorf("%s: it waits is %v, want %v\n%s", what, !want, want, waited)
		}
	}
	for _, r := range opTable {
		xs := leaves(r.inputs(r.in))
		check(r.name, func() {
			y := r.f(xs...)
			if !r.noGrad {
				y.Backward(tensor.BackwardConfig{Gradient: tensor.OnesLike(y), RetainGraph: true})
				y.Backward(tensor.BackwardConfig{Gradient: tensor.OnesLike(y), CreateGraph: true})
			}
		})
	}
	for name, f := range otherOps() {
		check(name, f)
	}
	for _, form := range inPlaceForms {
		x, b := drawn(tensor.Float32, 2, 3), drawn(tensor.Float32, 3)
		check(form.name+" in place", func() { form.write(x, b) })
	}
}

// otherOps are ops that opTable has not: those of integers, and losses of classes with their gradients.
func otherOps() map[string]func() {
	x := tensor.Rand(4, 3).SetRequiresGrad(true)
	ids, labels := tensor.New([]int64{2, 0, 1, 2}), tensor.New([]int64{2, -1, 0, 0, 1, 2, -1, 0, 0, 1, 1, -1})
	weight, padding := tensor.Rand(3), 1
	loss := func(f func() *T) func() {
		return func() { f().Sum().Backward() }
	}
	return map[string]func(){
		"embedding": loss(func() *T { return tensor.Embedding(x, ids) }),
		"embedding with padding": loss(func() *T {
			return tensor.Embedding(x, ids, tensor.EmbeddingConfig{PaddingIndex: &padding})
		}),
		"weighted cross entropy": loss(func() *T {
			return tensor.CrossEntropy(x, ids, tensor.LossConfig{Weight: weight, IgnoreIndex: []int{0}})
		}),
		"nll_loss": loss(func() *T { return tensor.NLLLoss(x.LogSoftmax(1), ids) }),
		"multi_margin_loss": loss(func() *T {
			return tensor.MultiMarginLoss(x, ids, 2, 1, tensor.LossConfig{Weight: weight})
		}),
		"multilabel_margin_loss": loss(func() *T {
			return tensor.MultilabelMarginLoss(x, labels.Reshape(4, 3))
		}),
		"binary_cross_entropy": loss(func() *T { return tensor.BCELoss(x, x.Detach()) }),
		"take of all kinds": loss(func() *T {
			return x.Take(ids.Neg(), []int{0, 1, -1, 2}).Add(x.Take(ids, -1))
		}),
		"index_put in place": func() { ids.Clone().IndexPutInPlace([]any{ids}, 1, true) },
		"index_fill in place": func() {
			x.Detach().Clone().IndexFillInPlace(1, ids, tensor.Ones(1).Sum())
		},
		"one_hot with classes": func() { ids.OneHot(3) },
		"fmod of integers":     func() { labels.Fmod(ids.Add(1).Sum()); labels.Fmod(2) },
		"remainder in place":   func() { labels.Clone().RemainderInPlace(ids.Add(1).Sum()) },
		"drawing":              func() { tensor.Randn(4).UniformInPlace(0, 1); tensor.Randint(0, 3, 4) },
		"dropout":              loss(func() *T { return x.Dropout(0.5) }),
	}
}
