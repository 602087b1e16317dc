package tensor_test

import (
	"math"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

func init() {
	// The shapes of x, h and the four weights, for a number of gates.
	shapes := func(gates, n, in, hidden int) [][]int {
		return [][]int{{n, in}, {n, hidden}, {gates * hidden, in}, {gates * hidden, hidden},
			{gates * hidden}, {gates * hidden}}
	}
	single := func(gates, in, hidden int) [][]int {
		all := shapes(gates, 1, in, hidden)
		all[0], all[1] = []int{in}, []int{hidden}
		return all
	}
	cell := func(name string, gates int, f func(x, h, wIH, wHH, bIH, bHH *T) *T) opRow {
		return opRow{name: name, terms: 6, f: func(x ...*T) *T {
			return f(x[0], x[1], x[2], x[3], x[4], x[5])
		}, in: shapes(gates, 2, 3, 2), also: [][][]int{single(gates, 2, 3),
			shapes(gates, 0, 3, 2), shapes(gates, 1, 1, 1)}}.between(-1, 1)
	}
	addOps(
		cell("gru_cell", 3, tensor.GRUCell),
		cell("rnn_tanh_cell", 1, tensor.RNNTanhCell),
		cell("rnn_relu_cell", 1, tensor.RNNReLUCell),
		cell("lstm_cell", 4, func(x, h, wIH, wHH, bIH, bHH *T) *T {
			nextH, nextC := tensor.LSTMCell(x, h, h.Mul(0.5), wIH, wHH, bIH, bHH)
			return tensor.Cat([]*T{nextH, nextC}, 0)
		}),
	)
}

// TestCells compares with the formulas on single numbers.
func TestCells(t *testing.T) {
	sigmoid := func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }
	one := func(v ...float64) *T { return tensor.New(v) }
	column := func(v ...float64) *T { return tensor.FromFloat64(v, len(v), 1) }
	x, h, c := one(0.5), one(-0.25), one(0.75)
	check := func(name string, got *T, want float64) {
		t.Helper()
		near(t, name, got.Float64s(), []float64{want}, tensor.Float64, 1)
	}

	plain := 0.5*2 + 0.1 - 0.25*3 + 0.2
	check("tanh", tensor.RNNTanhCell(x, h, column(2), column(3), one(0.1), one(0.2)),
		math.Tanh(plain))
	check("relu", tensor.RNNReLUCell(x, h, column(-2), column(3), nil, nil), 0)

	r := sigmoid(0.5*1 + 0.1 - 0.25*4 + 0.4)
	z := sigmoid(0.5*2 + 0.2 - 0.25*5 + 0.5)
	n := math.Tanh(0.5*3 + 0.3 + r*(-0.25*6+0.6))
	check("gru", tensor.GRUCell(x, h, column(1, 2, 3), column(4, 5, 6), one(0.1, 0.2, 0.3),
		one(0.4, 0.5, 0.6)), (1-z)*n+z*-0.25)

	i, f := sigmoid(0.5*1-0.25*5), sigmoid(0.5*2-0.25*6)
	g, o := math.Tanh(0.5*3-0.25*7), sigmoid(0.5*4-0.25*8)
	nextH, nextC := tensor.LSTMCell(x, h, c, column(1, 2, 3, 4), column(5, 6, 7, 8), nil, nil)
	check("lstm cell", nextC, f*0.75+i*g)
	check("lstm state", nextH, o*math.Tanh(f*0.75+i*g))
}

func TestCellErrors(t *testing.T) {
	z := tensor.Zeros
	tests := []struct {
		want string
		f    func()
	}{
		{"gru_cell: input of shape [2 3] and state of shape [4]: they are [N, in] and " +
			"[N, hidden], or [in] and [hidden]",
			func() { tensor.GRUCell(z(2, 3), z(4), z(12, 3), z(12, 4), nil, nil) }},
		{"gru_cell: input of shape [2 3] and state of shape [3 4]: batches of 2 and 3 differ",
			func() { tensor.GRUCell(z(2, 3), z(3, 4), z(12, 3), z(12, 4), nil, nil) }},
		{"rnn_tanh_cell: weights of shapes [12 3] and [12 4] for a state of 4: both need 1·4 rows",
			func() { tensor.RNNTanhCell(z(2, 3), z(2, 4), z(12, 3), z(12, 4), nil, nil) }},
		{"lstm_cell: state of shape [2 4] and cell of shape [2 3]: they must be equal",
			func() { tensor.LSTMCell(z(2, 3), z(2, 4), z(2, 3), z(16, 3), z(16, 4), nil, nil) }},
		{"linear: input of shape [2 3] and weight of shape [4 5]: inner sizes 3 and 5 differ",
			func() { tensor.RNNReLUCell(z(2, 3), z(2, 4), z(4, 5), z(4, 4), nil, nil) }},
	}
	for _, test := range tests {
		if got := reference.Mistake(test.f); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
