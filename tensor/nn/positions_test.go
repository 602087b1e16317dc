package nn

import (
	"math"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

func TestSinusoidalPositions(t *testing.T) {
	p := NewSinusoidalPositions(4, 5)
	x := tensor.Full(10, 2, 3, 5)
	y := p.Forward(x)
	for at, v := range y.Float64s() {
		position, i := at/5%3, at%5
		angle := float64(position) / math.Pow(10000, float64(i/2*2)/5)
		want := 10 + math.Sin(angle)
		if i%2 == 1 {
			want = 10 + math.Cos(angle)
		}
		if math.Abs(v-want) > 1e-6 {
			t.Errorf("position %d, feature %d: got %v, want %v", position, i, v, want)
		}
	}
	if len(StateDict(p)) != 0 {
		t.Error("the table, which can be computed, is in the state dict")
	}
	if y := p.Forward(x.To(tensor.BFloat16)); y.DType() != tensor.BFloat16 {
		t.Errorf("result in %v", y.DType())
	}
}

func TestLearnedPositions(t *testing.T) {
	p := NewLearnedPositions(4, 5)
	p.Forward(tensor.Zeros(2, 3, 5)).Sum().Backward()
	for i, g := range p.Weight.Grad().Float32s() {
		want := float32(2) // once for each of the batch
		if i >= 3*5 {
			want = 0
		}
		if g != want {
			t.Errorf("gradient %d: got %v, want %v", i, g, want)
		}
	}
	tests := []struct {
		want string
		f    func()
	}{
		{"learned_positions: input of shape [5 5]: it is [N, L, 5] with L up to 4",
			func() { p.Forward(tensor.Zeros(5, 5)) }},
		{"learned_positions: 0 positions of 5 features: both must be at least 1",
			func() { NewLearnedPositions(0, 5) }},
		{"sinusoidal_positions: input of shape [3]: it is [N, L, 5] with L up to 4",
			func() { NewSinusoidalPositions(4, 5).Forward(tensor.Zeros(3)) }},
	}
	for _, test := range tests {
		if got := reference.Mistake(test.f); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
