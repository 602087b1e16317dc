package data

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// numbered returns a data set whose sample i has the single pixel i and the label i.
func numbered(n int) *Dataset {
	pixels, labels := make([]float32, n), make([]int64, n)
	for i := range n {
		pixels[i], labels[i] = float32(i), int64(i)
	}
	return New(tensor.FromFloat32(pixels, n, 1), tensor.FromInt64(labels, n))
}

// pass returns the labels of one pass, batch by batch.
func pass(t *testing.T, d *Dataset, n int) (batches [][]int64) {
	t.Helper()
	for x, y := range d.Batches(n) {
		labels := y.Int64s()
		for i, v := range x.Float32s() {
			if int64(v) != labels[i] {
				t.Fatalf("batch %d: pixel %v beside label %d", len(batches), v, labels[i])
			}
		}
		if diff := cmp.Diff([]int{len(labels), 1}, x.Shape()); diff != "" {
			t.Fatal(diff)
		}
		batches = append(batches, labels)
	}
	return batches
}

func TestBatches(t *testing.T) {
	tests := []struct {
		name  string
		n     int
		sizes []int
	}{
		{"divides", 5, []int{5, 5}},
		{"short_last", 4, []int{4, 4, 2}},
		{"larger_than_set", 64, []int{10}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var sizes []int
			var all []int64
			for _, batch := range pass(t, numbered(10), test.n) {
				sizes = append(sizes, len(batch))
				all = append(all, batch...)
			}
			if diff := cmp.Diff(test.sizes, sizes); diff != "" {
				t.Error(diff)
			}
			slices.Sort(all)
			if diff := cmp.Diff([]int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, all); diff != "" {
				t.Errorf("a pass brings each sample once: %s", diff)
			}
		})
	}
	if got := pass(t, numbered(0), 3); got != nil {
		t.Errorf("an empty set gave %v", got)
	}
}

func TestBatchesOrder(t *testing.T) {
	passes := func(seed func(d *Dataset)) (orders [3][]int64) {
		d := numbered(50)
		seed(d)
		for i := range orders {
			orders[i] = slices.Concat(pass(t, d, 7)...)
		}
		return orders
	}
	seeds := []struct {
		name string
		seed func(d *Dataset, n uint64)
	}{
		{"tensor", func(_ *Dataset, n uint64) { tensor.Seed(n) }},
		{"own", func(d *Dataset, n uint64) { d.Seed(n) }},
	}
	for _, s := range seeds {
		t.Run(s.name, func(t *testing.T) {
			first := passes(func(d *Dataset) { s.seed(d, 3) })
			if slices.Equal(first[0], first[1]) || slices.Equal(first[1], first[2]) {
				t.Errorf("two passes in the same order: %v", first)
			}
			if again := passes(func(d *Dataset) { s.seed(d, 3) }); !cmp.Equal(first, again) {
				t.Errorf("seed 3 twice: %s", cmp.Diff(first, again))
			}
			if other := passes(func(d *Dataset) { s.seed(d, 4) }); cmp.Equal(first, other) {
				t.Errorf("seeds 3 and 4 give the same order %v", other)
			}
		})
	}
}

func TestBatchesBreak(t *testing.T) {
	d := numbered(10)
	for range d.Batches(2) {
		break
	}
	if got := len(pass(t, d, 2)); got != 5 {
		t.Errorf("the pass after a break has %d batches, want 5", got)
	}
}

func TestBatchesConcurrent(t *testing.T) {
	d := numbered(100)
	d.Seed(1)
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			for x := range d.Batches(10) {
				x.MulInPlace(2)
			}
		})
	}
	running.Wait()
	if x, _ := d.Tensors(); x.Float32s()[99] != 99 {
		t.Errorf("writing to a batch changed the set: %v", x)
	}
}

func TestBatchesSize(t *testing.T) {
	defer func() {
		err, ok := recover().(error)
		var e *tensor.Error
		want := "batches: size 0: must be at least 1"
		if !ok || !errors.As(err, &e) || err.Error() != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}()
	numbered(3).Batches(0)
}

// TestNew keeps samples of every dtype and shape as they are.
func TestNew(t *testing.T) {
	for _, dtype := range []tensor.DType{tensor.Float64, tensor.Float32, tensor.Float16,
		tensor.BFloat16, tensor.Int64, tensor.Bool} {
		t.Run(dtype.String(), func(t *testing.T) {
			x := tensor.New([][][]float64{{{0, 1}, {2, 3}}, {{4, 5}, {6, 7}},
				{{-1, 0}, {1, 65504}}}, dtype)
			y := tensor.New([][]float64{{0.5}, {1.5}, {2.5}}, dtype)
			d := New(x.Transpose(1, 2), y)
			x.FillInPlace(9) // the set has copies
			gotX, gotY := d.At(2, 0)
			wantX := tensor.New([][][]float64{{{-1, 1}, {0, 65504}}, {{0, 2}, {1, 3}}}, dtype)
			wantY := tensor.New([][]float64{{2.5}, {0.5}}, dtype)
			same(t, "x", gotX, wantX)
			same(t, "y", gotY, wantY)
		})
	}
}

// same compares shapes, dtypes and values.
func same(t *testing.T, what string, got, want *tensor.Tensor) {
	t.Helper()
	if got.DType() != want.DType() || !slices.Equal(got.Shape(), want.Shape()) ||
		!slices.Equal(got.Float64s(), want.Float64s()) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestString(t *testing.T) {
	d := New(tensor.Zeros(3, 2, 2).To(tensor.Float16), tensor.Zeros(3, 4))
	want := "data: 3 samples, x float16 [3 2 2], y float32 [3 4]"
	if got := d.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	named := d.Named("toys", "a", "b")
	if diff := cmp.Diff([]string{"a", "b"}, named.Classes()); diff != "" || named.name != "toys" {
		t.Errorf("%s: %s", named, diff)
	}
	if d.Classes() != nil || d.name != "data" {
		t.Errorf("naming has changed %s", d)
	}
}

func TestDatasetMistakes(t *testing.T) {
	d := numbered(4)
	const fill = "reshape: samples of shape [1] have 1 elements, which do not fill "
	tests := []struct {
		f    func()
		want string
	}{
		{func() { New(nil, tensor.Zeros(2)) }, "data.new: x and y are needed, and one is nil"},
		{func() { New(tensor.Zeros(3, 2), tensor.Zeros(2)) },
			"data.new: shapes [3 2] and [2]: 3 inputs and 2 labels"},
		{func() { New(tensor.Zeros(), tensor.Zeros()) },
			"data.new: shapes [] and []: the first dimension numbers the samples"},
		{func() { d.At(1, 4) }, "at: sample 4: there are 4, numbered from 0"},
		{func() { d.Subset(2, 5) }, "subset: range 2 to 5: there are 4 samples, numbered from 0"},
		{func() { d.Subset(2, 1) }, "subset: range 2 to 1: there are 4 samples, numbered from 0"},
		{func() { d.Split(1.5, 0) }, "split: fraction 1.5: must be from 0 to 1"},
		{func() { d.Reshape(2) }, fill + "[2]"},
		{func() { d.Reshape(-1, -1) }, "reshape: sample shape [-1 -1] has a negative size"},
		{func() { d.Reshape(0, -1) }, fill + "[0 -1]"},
	}
	for _, test := range tests {
		if got := reference.Mistake(test.f); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
