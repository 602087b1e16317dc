package nn

import (
	"iter"

	"halfnote/tensor"
)

// Samples are what [Accuracy] judges a module on, such as a data.Dataset: batches of inputs x
// [n, ...] and int64 labels y [n].
type Samples interface {
	Batches(n int) iter.Seq2[*tensor.Tensor, *tensor.Tensor]
}

// Accuracy returns the share of samples whose label is the place of the largest of m's outputs
// [n, classes]. It records no gradients and leaves m in its mode: call Train(m, false) before it if
// m has layers that behave differently in training. It panics with a [*tensor.Error] if there are
// no samples, the outputs are not [n, classes], or the labels are not int64 [n], each of them a
// class.
func Accuracy(m Module, samples Samples) float64 {
	const op = "accuracy"
	const batch = 512 // large enough that the time per call does not matter
	if m == nil || samples == nil {
		fail(op, "a module and samples are needed, and one is nil")
	}
	var right, all int
	tensor.NoGrad(func() {
		for x, y := range inOrder(samples, batch) {
			given(op, x, y)
			out := m.Forward(x)
			checkAnswers(op, out, y)
			labels := y.Int64s()
			for i, guess := range out.Argmax(1).Int64s() {
				if label := labels[i]; label < 0 || label >= int64(out.Size(1)) {
					fail(op, "label %d of sample %d is no class; the module's outputs have %d",
						label, all+i, out.Size(1))
				}
				if guess == labels[i] {
					right++
				}
			}
			all += len(labels)
		}
	})
	if all == 0 {
		fail(op, "no samples: the share of right ones is not defined")
	}
	return float64(right) / float64(all)
}

// checkAnswers panics unless out is [n, classes] and the labels are int64 [n].
func checkAnswers(op string, out, labels *tensor.Tensor) {
	switch {
	case out == nil:
		fail(op, "the module returned nil; it returns outputs [n, classes]")
	case out.Dim() != 2 || out.Size(1) == 0:
		fail(op, "outputs of shape %v; they are [n, classes]", out.Shape())
	case labels.DType() != tensor.Int64:
		fail(op, "labels of %s; they are int64: To converts them, and Argmax(1) finds those of "+
			"rows with a 1 at the class", labels.DType())
	case labels.Dim() != 1 || labels.Size(0) != out.Size(0):
		fail(op, "outputs of shape %v and labels of shape %v; they are [n, classes] and [n]",
			out.Shape(), labels.Shape())
	}
}

// inOrder brings batches without drawing an order where samples can do so, because a look at the
// accuracy should not change the random numbers that the training draws after it.
func inOrder(samples Samples, n int) iter.Seq2[*tensor.Tensor, *tensor.Tensor] {
	ordered, ok := samples.(interface{ Tensors() (x, y *tensor.Tensor) })
	if !ok {
		return samples.Batches(n)
	}
	return func(yield func(x, y *tensor.Tensor) bool) {
		x, y := ordered.Tensors()
		given("accuracy", x, y)
		if x.Dim() == 0 || y.Dim() == 0 || x.Size(0) != y.Size(0) {
			fail("accuracy", "samples of shape %v and labels of shape %v; they are [n, …] and [n]",
				x.Shape(), y.Shape())
		}
		for from, all := 0, y.Size(0); from < all; from += n {
			to := min(from+n, all)
			if !yield(x.Slice(0, from, to), y.Slice(0, from, to)) {
				return
			}
		}
	}
}
