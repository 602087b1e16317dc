package nn

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
	"halfnote/tensor/optim"
	"halfnote/tensor/reference"
)

func TestCells(t *testing.T) {
	x := tensor.Randn(2, 3)
	gru, lstm := NewGRUCell(3, 4), NewLSTMCell(3, 4)
	plain := NewRNNCell(3, 4, CellConfig{NoBias: true, ReLU: true})
	for _, test := range []struct {
		m     Module
		gates int
		text  string
		names []string
	}{
		{gru, 3, "GRUCell(3, 4)", []string{"weight_ih", "weight_hh", "bias_ih", "bias_hh"}},
		{lstm, 4, "LSTMCell(3, 4)", []string{"weight_ih", "weight_hh", "bias_ih", "bias_hh"}},
		{plain, 1, "RNNCell(3, 4)", []string{"weight_ih", "weight_hh"}},
	} {
		if diff := cmp.Diff(test.names, names(test.m)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.text, diff)
		}
		if got := Parameters(test.m)[0].Shape(); !slices.Equal(got, []int{4 * test.gates, 3}) {
			t.Errorf("%s: weight_ih of shape %v", test.text, got)
		}
		if got := test.m.Forward(x).Shape(); !slices.Equal(got, []int{2, 4}) {
			t.Errorf("%s: result of shape %v", test.text, got)
		}
		if got := ModuleName(test.m); got != test.text {
			t.Errorf("got %s, want %s", got, test.text)
		}
	}
	if got := Summary(gru, x).Layers; len(got) != 1 || got[0].Parameters != 12*3+12*4+24 {
		t.Errorf("summary %v", got)
	}
	low := slices.Min(plain.Forward(x).Float32s())
	if low < 0 {
		t.Errorf("a state of %v after ReLU", low)
	}
	want := "gru_cell: 0 inputs and a state of 4: both must be at least 1"
	if got := reference.Mistake(func() { NewGRUCell(0, 4) }); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestCellLearns remembers the first of three bits.
func TestCellLearns(t *testing.T) {
	tensor.Seed(1)
	x := tensor.New([][]float32{{0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {1, 1, 1}})
	y := tensor.New([]int{0, 0, 1, 1})
	m := &struct {
		cell *LSTMCell
		head *Linear
	}{NewLSTMCell(1, 8), NewLinear(8, 2)}
	opt := optim.NewAdam(Parameters(m), optim.AdamConfig{LR: 0.05})
	var loss float64
	for range 40 {
		opt.ZeroGrad()
		h := tensor.Zeros(4, 8)
		c := h
		for i := range 3 {
			h, c = m.cell.Next(x.Narrow(1, i, 1), h, c)
		}
		l := CrossEntropy(m.head.Forward(h), y)
		l.Backward()
		opt.Step()
		loss = l.Item()
	}
	if loss > 0.1 {
		t.Errorf("loss %v after 40 steps", loss)
	}
}
