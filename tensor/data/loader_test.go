package data

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// epochOf returns what a loader's next epoch brings, batch by batch.
func epochOf(l *Loader) (batches []string) {
	for x, y := range l.Batches() {
		batches = append(batches, fmt.Sprint(x.DType(), x.Shape(), x.Float64s(), y.Float64s()))
	}
	return batches
}

// labelled returns the labels of a loader's next epoch, batch by batch.
func labelled(l *Loader) (batches [][]int64) {
	for _, y := range l.Batches() {
		batches = append(batches, y.Int64s())
	}
	return batches
}

func TestLoader(t *testing.T) {
	tests := []struct {
		name string
		n    int
		c    LoaderConfig
		want [][]int64
	}{
		{"in_order", 5, LoaderConfig{BatchSize: 2}, [][]int64{{0, 1}, {2, 3}, {4}}},
		{"drop_last", 5, LoaderConfig{BatchSize: 2, DropLast: true}, [][]int64{{0, 1}, {2, 3}}},
		{"nothing_to_drop", 4, LoaderConfig{BatchSize: 2, DropLast: true},
			[][]int64{{0, 1}, {2, 3}}},
		{"one_batch", 3, LoaderConfig{}, [][]int64{{0, 1, 2}}},
		{"all_dropped", 3, LoaderConfig{DropLast: true}, nil},
		{"empty", 0, LoaderConfig{}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, prefetch := range []int{0, 1, 9} {
				test.c.Prefetch = prefetch
				l := NewLoader(numbered(test.n), test.c)
				if l.Len() != len(test.want) {
					t.Errorf("%d batches, want %d", l.Len(), len(test.want))
				}
				for range 2 {
					if diff := cmp.Diff(test.want, labelled(l)); diff != "" {
						t.Errorf("prefetch %d: %s", prefetch, diff)
					}
				}
			}
		})
	}
	l := NewLoader(numbered(50), LoaderConfig{BatchSize: 8, Shuffle: true})
	if got, want := l.String(), "loader of data: 50 samples, shuffled, 7 batches of 8"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestLoaderShuffle: the orders are those of a data set with the same seed.
func TestLoaderShuffle(t *testing.T) {
	l := NewLoader(numbered(20), LoaderConfig{BatchSize: 6, Shuffle: true, Seed: 3})
	d := numbered(20)
	d.Seed(3)
	for epoch := range 3 {
		if diff := cmp.Diff(pass(t, d, 6), labelled(l)); diff != "" {
			t.Errorf("epoch %d: %s", epoch, diff)
		}
	}
	tensor.Seed(8)
	first := labelled(NewLoader(numbered(20), LoaderConfig{Shuffle: true}))
	tensor.Seed(8)
	if again := labelled(NewLoader(numbered(20), LoaderConfig{Shuffle: true})); !cmp.Equal(first,
		again) {
		t.Errorf("tensor.Seed does not repeat a loader without a seed: %v, %v", first, again)
	}
}

// noisy draws more or fewer numbers by what it sees, so that a shared generator would show.
func noisy(x, y *tensor.Tensor, r *rand.Rand) (*tensor.Tensor, *tensor.Tensor) {
	for range y.Int64s()[0] % 3 {
		r.Uint64()
	}
	return Noise(1)(x, y, r)
}

// TestLoaderPrefetch: goroutines change neither order nor numbers.
func TestLoaderPrefetch(t *testing.T) {
	config := LoaderConfig{BatchSize: 4, Shuffle: true, Seed: 1, DType: tensor.Float16,
		Transform: Compose(Normalize(5, 3), noisy)}
	plain := NewLoader(numbered(30), config)
	var want [2][]string
	for i := range want {
		want[i] = epochOf(plain)
	}
	if cmp.Equal(want[0], want[1]) {
		t.Errorf("two equal epochs: %v", want[0])
	}
	for _, c := range [][2]int{{1, 0}, {2, 1}, {3, 3}, {100, 7}, {0, 2}} {
		config.Prefetch, config.Workers = c[0], c[1]
		l := NewLoader(numbered(30), config)
		for i := range want {
			if diff := cmp.Diff(want[i], epochOf(l)); diff != "" {
				t.Errorf("prefetch %d, workers %d, epoch %d: %s", c[0], c[1], i, diff)
			}
		}
	}
}

// TestLoaderAhead: while the loop works on a batch the next ones are made, as many as asked for.
func TestLoaderAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Int64
		l := NewLoader(numbered(10), LoaderConfig{BatchSize: 1, Prefetch: 3, Workers: 2,
			Transform: func(x, y *tensor.Tensor, _ *rand.Rand) (*tensor.Tensor, *tensor.Tensor) {
				made.Add(1)
				return x, y
			}})
		given := int64(0)
		for range l.Batches() {
			given++
			synctest.Wait() // until every goroutine has nothing more to do
			if want := min(given+3, 10); made.Load() != want {
				t.Errorf("at batch %d there are %d made, want %d", given, made.Load(), want)
			}
		}
	})
}

// TestLoaderLeaves: the goroutines have ended when the loop is left, however it is. synctest.Test
// fails where one is left.
func TestLoaderLeaves(t *testing.T) {
	loop := func(f func(batch int)) func() {
		l := NewLoader(numbered(20), LoaderConfig{BatchSize: 2, Prefetch: 3, Workers: 3})
		return func() {
			i := 0
			for range l.Batches() {
				f(i)
				i++
			}
		}
	}
	tests := map[string]func(){
		"end": loop(func(int) {}),
		"break": func() {
			for range NewLoader(numbered(20),
				LoaderConfig{BatchSize: 2, Prefetch: 3, Workers: 3}).Batches() {
				break
			}
		},
		"panic":  loop(func(int) { panic("enough") }),
		"goexit": loop(func(int) { runtime.Goexit() }),
		"pull": func() {
			next, stop := iter.Pull2(NewLoader(numbered(20),
				LoaderConfig{Prefetch: 2, BatchSize: 2}).Batches())
			next()
			stop()
		},
	}
	for name, f := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var running sync.WaitGroup
				running.Go(func() {
					defer func() { recover() }()
					f()
				})
				running.Wait()
			})
		})
	}
}

// TestLoaderFailures: what a transform panics with comes out of the loop at its batch.
func TestLoaderFailures(t *testing.T) {
	odd := errors.New("odd")
	tests := []struct {
		name string
		f    func(r *rand.Rand)
		want any
	}{
		{"error", func(*rand.Rand) { panic(odd) }, odd},
		{"value", func(*rand.Rand) { panic(7) }, 7},
		{"mistake", func(*rand.Rand) { tensor.Zeros(2).MatMul(tensor.Zeros(3)) }, "matmul"},
		{"goexit", func(*rand.Rand) { runtime.Goexit() }, "loader"},
	}
	for _, test := range tests {
		for _, c := range []LoaderConfig{{}, {Prefetch: 4}, {Workers: 3}} {
			t.Run(fmt.Sprintf("%s/%d_%d", test.name, c.Prefetch, c.Workers), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c.BatchSize = 2
					c.Transform = func(x, y *tensor.Tensor, r *rand.Rand) (*tensor.Tensor,
						*tensor.Tensor) {
						if y.Int64s()[0] >= 6 {
							test.f(r)
						}
						return x, y
					}
					l := NewLoader(numbered(20), c)
					batches := 0
					defer func() {
						got := recover()
						if e, ok := got.(*tensor.Error); ok {
							got = e.Op
						}
						if got != test.want || batches != 3 {
							t.Errorf("after %d batches comes %v, want 3 and %v", batches, got,
								test.want)
						}
						if l.Epoch() != 1 {
							t.Errorf("the next epoch is %d", l.Epoch())
						}
					}()
					for range l.Batches() {
						batches++
					}
				})
			})
		}
	}
}

// TestLoaderGoroutine: batches record no gradients, whatever the transform uses.
func TestLoaderGoroutine(t *testing.T) {
	w := tensor.New([]float32{2}).SetRequiresGrad(true)
	l := NewLoader(numbered(2), LoaderConfig{
		Transform: func(x, y *tensor.Tensor, _ *rand.Rand) (*tensor.Tensor, *tensor.Tensor) {
			return x.Mul(w), y
		}})
	for x := range l.Batches() {
		if x.RequiresGrad() || !slices.Equal(x.Float32s(), []float32{0, 2}) {
			t.Errorf("got %v", x)
		}
	}
}

// TestLoaderResume: from any point a second loader brings what the first goes on with.
func TestLoaderResume(t *testing.T) {
	config := LoaderConfig{BatchSize: 3, Shuffle: true, Seed: 1 << 63, Transform: noisy,
		Prefetch: 2}
	first := NewLoader(numbered(10), config)
	var all []string
	var states []map[string]*tensor.Tensor
	for range 2 {
		states = append(states, first.StateDict())
		all = append(all, "epoch")
		for x, y := range first.Batches() {
			all = append(all, fmt.Sprint(x.Float32s(), y.Int64s()))
			states = append(states, first.StateDict())
		}
	}
	config.Seed = 9
	for i, state := range states {
		l := NewLoader(numbered(10), config)
		if err := l.LoadStateDict(state); err != nil {
			t.Fatal(err)
		}
		var rest []string
		for l.Epoch() < 2 {
			rest = append(rest, "epoch")
			for x, y := range l.Batches() {
				rest = append(rest, fmt.Sprint(x.Float32s(), y.Int64s()))
			}
		}
		want := all[i:]
		if want[0] != "epoch" {
			want = slices.Concat([]string{"epoch"}, all[i+1:])
		}
		if diff := cmp.Diff(want, rest); diff != "" {
			t.Errorf("from point %d on: %s", i, diff)
		}
	}
}

// TestLoaderEpochs: a loop that is left, or a second one inside of it, has used up its epoch.
func TestLoaderEpochs(t *testing.T) {
	config := LoaderConfig{BatchSize: 5, Shuffle: true, Seed: 2}
	l := NewLoader(numbered(10), config)
	var want [][][]int64
	for range 4 {
		want = append(want, labelled(l))
	}
	l = NewLoader(numbered(10), config)
	for range l.Batches() {
		break
	}
	var outer [][]int64
	for _, y := range l.Batches() {
		if outer == nil {
			if diff := cmp.Diff(want[2], labelled(l)); diff != "" {
				t.Errorf("the inner loop: %s", diff)
			}
		}
		outer = append(outer, y.Int64s())
	}
	if diff := cmp.Diff(want[1], outer); diff != "" {
		t.Errorf("the outer loop: %s", diff)
	}
	if diff := cmp.Diff(want[3], labelled(l)); diff != "" {
		t.Errorf("the loop after both: %s", diff)
	}
}

func TestLoaderProgress(t *testing.T) {
	var steps [][2]int
	l := NewLoader(numbered(5), LoaderConfig{BatchSize: 2, Prefetch: 2,
		Progress: func(done, total int) { steps = append(steps, [2]int{done, total}) }})
	epochOf(l)
	if diff := cmp.Diff([][2]int{{0, 3}, {1, 3}, {2, 3}, {3, 3}}, steps); diff != "" {
		t.Error(diff)
	}
}

// TestLoaderLargeNumbers: all that there is comes in one batch, however large that may be.
func TestLoaderLargeNumbers(t *testing.T) {
	for _, c := range []LoaderConfig{
		{BatchSize: math.MaxInt}, {BatchSize: 100, Prefetch: math.MaxInt},
		{BatchSize: 100, Workers: math.MaxInt},
	} {
		l := NewLoader(numbered(3), c)
		if diff := cmp.Diff([][]int64{{0, 1, 2}}, labelled(l)); diff != "" || l.Len() != 1 {
			t.Errorf("%+v: %d batches:\n%s", c, l.Len(), diff)
		}
	}
}

func TestLoaderMistakes(t *testing.T) {
	tests := []struct {
		f    func()
		want string
	}{
		{func() { NewLoader(nil, LoaderConfig{}) }, "loader: the data set is nil"},
		{func() { NewLoader(numbered(1), LoaderConfig{BatchSize: -1}) },
			"loader: batch size -1, prefetch 0, workers 0: none can be negative"},
		{func() {
			epochOf(NewLoader(numbered(2), LoaderConfig{
				Transform: func(x, y *tensor.Tensor, _ *rand.Rand) (*tensor.Tensor,
					*tensor.Tensor) {
					return x.Slice(0, 0, 1), y
				}}))
		}, "transform: its results of shapes [1 1] and [2] have not the same number of samples"},
	}
	if err := tensor.CUDAError(); err != nil {
		got := reference.Mistake(func() {
			epochOf(NewLoader(numbered(2), LoaderConfig{Device: tensor.CUDA(0)}))
		})
		if want := "to: " + err.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for _, test := range tests {
		if got := reference.Mistake(test.f); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestLoadStateDictErrors(t *testing.T) {
	l := NewLoader(numbered(10), LoaderConfig{BatchSize: 5, Seed: 4})
	tests := []struct {
		name string
		edit func(state map[string]*tensor.Tensor)
		want string
	}{
		{"missing", func(s map[string]*tensor.Tensor) { delete(s, "epoch") },
			`loader: state "epoch" is no int64 number`},
		{"dtype", func(s map[string]*tensor.Tensor) { s["seed"] = tensor.Ones() },
			`loader: state "seed" is no int64 number`},
		{"numbers", func(s map[string]*tensor.Tensor) { s["batch"] = tensor.New([]int64{0, 1}) },
			`loader: state "batch" is no int64 number`},
		{"more", func(s map[string]*tensor.Tensor) { s["x"] = tensor.Ones() },
			"loader: 4 states; a loader has seed, epoch and batch"},
		{"epoch", func(s map[string]*tensor.Tensor) { s["epoch"] = tensor.New(int64(-1)) },
			"loader: epoch -1 is not from 0 to 2147483646"},
		{"batch", func(s map[string]*tensor.Tensor) { s["batch"] = tensor.New(int64(3)) },
			"loader: batch 3: an epoch of this loader has 2"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			state := l.StateDict()
			test.edit(state)
			if err := l.LoadStateDict(state); err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
			if seed := l.StateDict()["seed"].Item(); seed != 4 || l.Epoch() != 0 {
				t.Errorf("the refused state has changed the loader: seed %v, epoch %d", seed,
					l.Epoch())
			}
		})
	}
}

// TestLoaderConcurrent: loaders share a data set.
func TestLoaderConcurrent(t *testing.T) {
	d := numbered(100)
	var running sync.WaitGroup
	for i := range 4 {
		running.Go(func() {
			l := NewLoader(d, LoaderConfig{BatchSize: 10, Workers: 2, Shuffle: true,
				Seed: uint64(i + 1)})
			n := 0
			for x := range l.Batches() {
				x.MulInPlace(2)
				n++
			}
			if n != 10 {
				t.Errorf("%d batches", n)
			}
		})
	}
	running.Wait()
	if x, _ := d.Tensors(); x.Float32s()[99] != 99 {
		t.Errorf("writing to a batch changed the set: %v", x)
	}
}
