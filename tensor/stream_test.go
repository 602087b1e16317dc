package tensor_test

import (
	"slices"
	"sync"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// TestStreams: what one stream computes is there for another that waits for it, and memory that both
// use comes back.
func TestStreams(t *testing.T) {
	d, _ := tensor.DefaultDevice()
	a, b, ready := tensor.NewStream(d), tensor.NewStream(d), tensor.NewEvent()
	b.Wait(ready) // which nobody has recorded yet
	for i := range 50 {
		var x, y *tensor.Tensor
		a.Do(func() {
			x = tensor.Full(float64(i), 1000).Mul(2)
			b.Do(func() {
				if s := tensor.CurrentStream(d); s.Device() != d {
					t.Errorf("the stream is one of %s", s.Device())
				}
			})
			a.Record(ready)
		})
		b.Wait(ready)
		b.Do(func() { y = x.Add(1).Sum() })
		x.Free()
		a.Do(func() { tensor.Zeros(1000) }) // perhaps where x was
		b.Do(func() {
			if got, want := y.Item(), float64(1000*(2*i+1)); got != want {
				t.Errorf("the sum is %v, want %v", got, want)
			}
		})
	}
	a.Synchronize()
	if !a.Done() || !ready.Done() {
		t.Error("work is left after Synchronize")
	}
	tensor.Synchronize()
	tensor.EmptyCache()
}

// TestEvents: time passes from one event to the next.
func TestEvents(t *testing.T) {
	d, _ := tensor.DefaultDevice()
	s, from, to := tensor.CurrentStream(d), tensor.NewEvent(), tensor.NewEvent()
	got := reference.Mistake(func() { from.Elapsed(to) })
	if want := "elapsed: an event was not recorded; (*Stream).Record does it"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s.Record(from)
	tensor.Ones(100, 100).Exp()
	s.Record(to)
	if ms := from.Elapsed(to); ms <= 0 || ms > 1e6 {
		t.Errorf("%v ms have passed", ms)
	}
}

// TestStreamMistakes: what is missing is told by name.
func TestStreamMistakes(t *testing.T) {
	var s *tensor.Stream
	var e *tensor.Event
	made := tensor.NewStream(tensor.CPU)
	for want, f := range map[string]func(){
		"stream: the stream is nil; make one with tensor.NewStream": func() { s.Do(func() {}) },
		"event: the event is nil; make one with tensor.NewEvent":    func() { made.Record(e) },
		"stream: the function is nil":                               func() { made.Do(nil) },
	} {
		if got := reference.Mistake(f); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if _, err := tensor.DefaultDevice(); err != nil {
		t.Fatal(err)
	}
}

// TestStreamsTogether: each goroutine has streams of its own.
func TestStreamsTogether(t *testing.T) {
	d, _ := tensor.DefaultDevice()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			tensor.NewStream(d).Do(func() {
				x := tensor.Full(float64(i), 10)
				for range 10 {
					x = x.Add(1)
				}
				if got := x.Sum().Item(); got != float64(10*(i+10)) {
					t.Errorf("goroutine %d has %v", i, got)
				}
			})
		})
	}
	wg.Wait()
}

// TestCopyFromElsewhere: what CopyFrom reads may lie on another device.
func TestCopyFromElsewhere(t *testing.T) {
	d, _ := tensor.DefaultDevice()
	x := tensor.New([]float32{1, 2, 3})
	for _, pair := range [][2]*tensor.Tensor{
		{tensor.Zeros(2, 3), x.To(tensor.CPU)}, {tensor.Zeros(2, 3).To(tensor.CPU), x.To(d)},
	} {
		home := pair[0].Device()
		got := pair[0].CopyFrom(pair[1])
		if want := []float32{1, 2, 3, 1, 2, 3}; !slices.Equal(got.Float32s(), want) || got.Device() != home {
			t.Errorf("on %s, from %s: %v", home, pair[1].Device(), got)
		}
	}
}
