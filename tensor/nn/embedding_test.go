package nn

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

func TestEmbedding(t *testing.T) {
	tensor.Seed(1)
	last := -1
	e := NewEmbedding(4, 3, EmbeddingConfig{PaddingIndex: &last})
	ids := tensor.New([][]int{{0, 3}, {0, 2}})
	y := e.Forward(ids)
	if !slices.Equal(y.Shape(), []int{2, 2, 3}) {
		t.Fatalf("shape %v, want [2 2 3]", y.Shape())
	}
	w, got := e.Weight.Float32s(), y.Float32s()
	want := slices.Concat(w[0:3], w[9:12], w[0:3], w[6:9])
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float32{0, 0, 0}, w[9:12]); diff != "" {
		t.Errorf("the vector of the padding (-want +got):\n%s", diff)
	}
	y.Sum().Backward()
	grads := []float32{2, 2, 2, 0, 0, 0, 1, 1, 1, 0, 0, 0}
	if diff := cmp.Diff(grads, e.Weight.Grad().Float32s()); diff != "" {
		t.Errorf("gradient (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"weight"}, names(e)); diff != "" {
		t.Error(diff)
	}
	if got := e.String(); got != "Embedding(4, 3)" {
		t.Errorf("got %s", got)
	}

	large := NewEmbedding(100, 100).Weight
	var squares float64
	for _, v := range large.Float64s() {
		squares += v * v
	}
	if deviation := math.Sqrt(squares / 1e4); math.Abs(deviation-1) > 0.05 {
		t.Errorf("deviation %v at first, want 1", deviation)
	}
}

func TestEmbeddingErrors(t *testing.T) {
	four := 4
	tests := []struct {
		want string
		f    func()
	}{
		{"embedding: 0 vectors of size 3: both must be at least 1", func() { NewEmbedding(0, 3) }},
		{"embedding: padding index 4 of 4 vectors",
			func() { NewEmbedding(4, 3, EmbeddingConfig{PaddingIndex: &four}) }},
	}
	for _, test := range tests {
		if got := reference.Mistake(test.f); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
