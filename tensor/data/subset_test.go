package data

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
)

// labels returns the labels of a data set in its fixed order.
func labels(d *Dataset) []int64 {
	_, y := d.Tensors()
	return y.Int64s()
}

func TestSubset(t *testing.T) {
	d := numbered(10)
	tests := []struct {
		name string
		got  *Dataset
		want []int64
	}{
		{"middle", d.Subset(2, 5), []int64{2, 3, 4}},
		{"of_subset", d.Subset(2, 8).Subset(3, 6), []int64{5, 6, 7}},
		{"none", d.Subset(10, 10), []int64{}},
		{"take", d.Take(2), []int64{0, 1}},
		{"take_all", d.Take(99), []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, labels(test.got)); diff != "" {
				t.Error(diff)
			}
			all := append([]int64{}, slices.Concat(pass(t, test.got, 2)...)...)
			slices.Sort(all)
			if diff := cmp.Diff(test.want, all); diff != "" {
				t.Errorf("batches: %s", diff)
			}
		})
	}
	if got, want := d.Take(2).String(), "data, 2 of 10: 2 samples, x float32 [2 1], y int64 [2]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSplit(t *testing.T) {
	first, second := numbered(10).Split(0.7, 1)
	if first.Len() != 7 || second.Len() != 3 {
		t.Errorf("parts of %d and %d, want 7 and 3", first.Len(), second.Len())
	}
	if all := slices.Concat(labels(first), labels(second)); slices.IsSorted(all) {
		t.Errorf("not shuffled: %v", all)
	} else if slices.Sort(all); !slices.Equal(all, labels(numbered(10))) {
		t.Errorf("the parts have %v", all)
	}
	again, _ := numbered(10).Split(0.7, 1)
	if diff := cmp.Diff(labels(first), labels(again)); diff != "" {
		t.Errorf("the same seed: %s", diff)
	}
	if other, _ := numbered(10).Split(0.7, 2); cmp.Equal(labels(first), labels(other)) {
		t.Errorf("another seed gives the same part %v", labels(first))
	}
}

func TestReshape(t *testing.T) {
	train, _ := Digits()
	d := train.Reshape(1, -1, 8)
	if got := d.String(); got != "digits (train): 1437 samples, x float32 [1437 1 8 8], y int64 "+
		"[1437]" {
		t.Error(got)
	}
	flat, _ := train.At(3)
	shaped, _ := d.At(3)
	same(t, "sample 3", shaped, flat.Reshape(1, 1, 8, 8))
	if train.SVG() != strings.Replace(d.SVG(), "[1437 1 8 8]", "[1437 64]", 1) {
		t.Error("the reshaped set shows as other pictures")
	}
}

func TestMap(t *testing.T) {
	d := numbered(4).Named("n", "a", "b", "c", "d")
	m := d.Map(Normalize(1, 2), OneHot(4))
	x, y := m.Tensors()
	same(t, "x", x, tensor.New([][]float32{{-0.5}, {0}, {0.5}, {1}}))
	same(t, "y", y, tensor.Eye(4))
	if m.name != "n" || len(m.Classes()) != 4 {
		t.Errorf("%s with classes %v", m, m.Classes())
	}
	if x, _ := d.Tensors(); !slices.Equal(x.Float32s(), []float32{0, 1, 2, 3}) {
		t.Errorf("the mapped set has changed: %v", x)
	}
}

// TestMapDraws takes from tensor's generator only where a transform draws.
func TestMapDraws(t *testing.T) {
	next := func(transform Transform) uint64 {
		tensor.Seed(5)
		numbered(2).Map(transform)
		return drawSeed()
	}
	tensor.Seed(5)
	first, second := drawSeed(), drawSeed()
	if got := next(Flatten()); got != first {
		t.Errorf("a transform that draws nothing took a draw")
	}
	if got := next(Noise(1)); got != second {
		t.Errorf("after noise comes %x, want the second draw %x", got, second)
	}
}

func TestMeanStd(t *testing.T) {
	mean, std := New(tensor.New([][]float32{{1, 3}, {5, 7}}), tensor.Zeros(2)).MeanStd()
	if mean != 4 || std*std < 5-1e-12 || std*std > 5+1e-12 {
		t.Errorf("mean %v, deviation %v; want 4 and √5", mean, std)
	}
}
