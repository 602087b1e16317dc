package nn

import (
	"iter"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
	"halfnote/tensor/data"
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
	if got := Accuracy(m, inputs{}); !math.IsNaN(got) {
		t.Errorf("no samples: got %v, want NaN", got)
	}
	if recording {
		t.Error("the module ran with gradients recorded")
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
