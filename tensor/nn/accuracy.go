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
// [n, classes]; without samples it is NaN. It records no gradients and leaves m in its mode:
// call Train(m, false) before it if m has layers that behave differently in training.
func Accuracy(m Module, samples Samples) float64 {
	const batch = 512 // large enough that the time per call does not matter
	if m == nil || samples == nil {
		fail("accuracy", "a module and samples are needed, and one is nil")
	}
	var right, all int
	tensor.NoGrad(func() {
		for x, y := range inOrder(samples, batch) {
			labels := y.Int64s()
			for i, guess := range m.Forward(x).Argmax(1).Int64s() {
				if guess == labels[i] {
					right++
				}
			}
			all += len(labels)
		}
	})
	return float64(right) / float64(all)
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
		for from, all := 0, y.Numel(); from < all; from += n {
			to := min(from+n, all)
			if !yield(x.Slice(0, from, to), y.Slice(0, from, to)) {
				return
			}
		}
	}
}
