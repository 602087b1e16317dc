package tensor_test

import (
	"slices"
	"sync"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// The second call of a checkpoint draws what the first did, from any generator, in checkpoints
// inside of it, and on goroutines that it starts, while other goroutines draw, too.
func TestCheckpointDrawsAgain(t *testing.T) {
	own := tensor.NewGenerator(3)
	drop := func(in ...*T) *T { return in[0].Dropout(0.5).Dropout(0.5, own).Square() }
	started := func(in ...*T) (y *T) {
		x := in[0].Dropout(0.5)
		var ys [2]*T
		var wait sync.WaitGroup
		for i := range ys {
			with := tensor.Inherit()
			wait.Go(func() { with(func() { ys[i] = drop(x) }) })
		}
		wait.Wait()
		return ys[0].Add(ys[1]).Square().Dropout(0.5)
	}
	checkpoint := func(f func(in ...*T) *T) func(in ...*T) *T {
		return func(in ...*T) *T { return tensor.Checkpoint(f, in...) }
	}
	stop := make(chan bool)
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				tensor.Randn(1)
				own.Randn(1)
			}
		}
	})
	defer wait.Wait()
	defer close(stop)
	// Each is a power of x, element by element, times what the masks make of it.
	for name, c := range map[string]struct {
		f     func(in ...*T) *T
		power float64
	}{
		"plain":      {checkpoint(drop), 2},
		"nested":     {checkpoint(func(in ...*T) *T { return drop(checkpoint(drop)(drop(in...))) }), 8},
		"goroutines": {checkpoint(started), 4},
		"both":       {checkpoint(func(in ...*T) *T { return started(checkpoint(started)(in...)) }), 16},
	} {
		for range 5 {
			x := tensor.Ones(256).SetRequiresGrad(true)
			y := c.f(x)
			y.Sum().Backward()
			if !slices.Equal(x.Grad().Float32s(), y.Mul(c.power).Float32s()) {
				t.Fatalf("%s: the gradient is not that of the masks drawn first", name)
			}
		}
	}
}

func TestCheckpointDrawsOthers(t *testing.T) {
	calls := 0
	x := tensor.Ones(4).SetRequiresGrad(true)
	y := tensor.Checkpoint(func(in ...*T) *T {
		calls++
		return in[0].Mul(tensor.Rand(4*calls).Narrow(0, 0, 4)).Square()
	}, x)
	want := "checkpoint: the function drew other random numbers when it was called again than the " +
		"first time; it must do the same"
	if got := reference.Mistake(func() { y.Sum().Backward() }); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
