package nn

import (
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
	"halfnote/tensor/data"
	"halfnote/tensor/reference"
)

// inputs is a Samples whose one batch is its rows.
type inputs struct {
	x [][]float32
	y []int64
}

func (in inputs) Batches(int) iter.Seq2[*tensor.Tensor, *tensor.Tensor] {
	return func(yield func(x, y *tensor.Tensor) bool) {
		if len(in.y) > 0 {
			yield(tensor.New(in.x), tensor.New(in.y))
		}
	}
}

// twoPasses brings its batch twice.
type twoPasses struct{ inputs }

func (in twoPasses) Batches(n int) iter.Seq2[*tensor.Tensor, *tensor.Tensor] {
	return func(yield func(x, y *tensor.Tensor) bool) {
		for range 2 {
			for x, y := range in.inputs.Batches(n) {
				if !yield(x, y) {
					return
				}
			}
		}
	}
}

func TestAccuracy(t *testing.T) {
	logits := inputs{[][]float32{{1, 2, 0}, {3, 2, 1}, {0, 0, 1}, {5, 4, 3}}, []int64{1, 0, 2, 2}}
	recording := false
	m := forward(func(x *tensor.Tensor) *tensor.Tensor {
		recording = recording || tensor.GradEnabled()
		return x
	})
	if got := Accuracy(m, logits); got != 0.75 {
		t.Errorf("one batch: got %v, want 0.75", got)
	}
	if got := Accuracy(m, twoPasses{logits}); got != 0.75 {
		t.Errorf("two batches: got %v, want 0.75", got)
	}
	if recording {
		t.Error("the module ran with gradients recorded")
	}
}

// batch is a Samples of one batch.
type batch struct{ x, y *tensor.Tensor }

func (b batch) Batches(int) iter.Seq2[*tensor.Tensor, *tensor.Tensor] {
	return func(yield func(x, y *tensor.Tensor) bool) { yield(b.x, b.y) }
}

func TestAccuracyMistakes(t *testing.T) {
	pass := forward(func(x *tensor.Tensor) *tensor.Tensor { return x })
	none := forward(func(x *tensor.Tensor) *tensor.Tensor { return nil })
	x, y := tensor.Ones(2, 3), tensor.New([]int64{0, 1})
	for _, c := range []struct {
		want    string
		m       Module
		samples Samples
	}{
		{"no samples: the share of right ones is not defined", pass, inputs{}},
		{"labels of float32; they are int64: To converts them, and Argmax(1) finds those of rows " +
			"with a 1 at the class", pass, batch{x, tensor.Ones(2)}},
		{"outputs of shape [2 3] and labels of shape [1]; they are [n, classes] and [n]",
			pass, batch{x, tensor.New([]int64{0})}},
		{"outputs of shape [2 3] and labels of shape [2 1]; they are [n, classes] and [n]",
			pass, batch{x, y.Reshape(2, 1)}},
		{"label 3 of sample 1 is no class; the module's outputs have 3",
			pass, batch{x, tensor.New([]int64{0, 3})}},
		{"label -1 of sample 0 is no class; the module's outputs have 3",
			pass, batch{x, tensor.New([]int64{-1, 0})}},
		{"outputs of shape [2]; they are [n, classes]", pass, batch{tensor.Ones(2), y}},
		{"outputs of shape [2 3 1]; they are [n, classes]", pass, batch{x.Reshape(2, 3, 1), y}},
		{"the module returned nil; it returns outputs [n, classes]", none, batch{x, y}},
		{"argument 2 is nil", pass, batch{x, nil}},
		{"outputs of shape [2 3] and labels of shape [2 3]; they are [n, classes] and [n]",
			pass, data.New(x, tensor.New([][]int64{{1, 0, 0}, {0, 1, 0}}))},
	} {
		if got := reference.Mistake(func() { Accuracy(c.m, c.samples) }); got != "accuracy: "+c.want {
			t.Errorf("got %q, want %q", got, "accuracy: "+c.want)
		}
	}
}

// TestAccuracyDrawsNothing: the numbers after it are those without it.
func TestAccuracyDrawsNothing(t *testing.T) {
	train, _ := data.Digits()
	m := NewLinear(64, 10)
	tensor.Seed(1)
	want := tensor.Rand(4).Float32s()
	tensor.Seed(1)
	got := Accuracy(m, train)
	if diff := cmp.Diff(want, tensor.Rand(4).Float32s()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if shuffled := Accuracy(m, shuffled{train}); got != shuffled {
		t.Errorf("got %v in order and %v shuffled", got, shuffled)
	}
}

// shuffled hides the fixed order.
type shuffled struct{ d *data.Dataset }

func (s shuffled) Batches(n int) iter.Seq2[*tensor.Tensor, *tensor.Tensor] { return s.d.Batches(n) }

// forward is a function as a Module.
type forward func(x *tensor.Tensor) *tensor.Tensor

func (f forward) Forward(x *tensor.Tensor) *tensor.Tensor { return f(x) }
