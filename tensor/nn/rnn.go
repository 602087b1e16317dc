package nn

import (
	"fmt"
	"math"

	"halfnote/tensor"
)

// recurrent is what the cells share: the weights of the gates, with PyTorch's names.
type recurrent struct {
	WeightIH *tensor.Tensor `nn:"weight_ih"` // [gates·hidden, in]
	WeightHH *tensor.Tensor `nn:"weight_hh"` // [gates·hidden, hidden]
	BiasIH   *tensor.Tensor `nn:"bias_ih"`   // [gates·hidden], or nil
	BiasHH   *tensor.Tensor `nn:"bias_hh"`   // [gates·hidden], or nil

	op, name string
}

// CellConfig holds the options of the recurrent cells.
type CellConfig struct {
	NoBias bool
	ReLU   bool // RNNCell: max(…, 0) for tanh
}

// newRecurrent draws the weights as PyTorch does: uniform in [-1/√hidden, 1/√hidden).
func newRecurrent(op, name string, gates, in, hidden int, noBias bool) recurrent {
	if in < 1 || hidden < 1 {
		fail(op, "%d inputs and a state of %d: both must be at least 1", in, hidden)
	}
	bound := 1 / math.Sqrt(float64(hidden))
	r := recurrent{WeightIH: uniform(bound, gates*hidden, in),
		WeightHH: uniform(bound, gates*hidden, hidden), op: op, name: name}
	if !noBias {
		r.BiasIH, r.BiasHH = uniform(bound, gates*hidden), uniform(bound, gates*hidden)
	}
	return r
}

// state returns zeros for the state of x.
func (r *recurrent) state(x *tensor.Tensor) *tensor.Tensor {
	given(r.op, x)
	if x.Dim() == 0 {
		fail(r.op, "input of shape []: it is [N, in] or [in]")
	}
	shape := x.Shape()
	shape[len(shape)-1] = r.WeightHH.Size(1)
	return tensor.Zeros(shape...).To(x.DType()).To(x.Device())
}

// String names the cell and its sizes.
func (r *recurrent) String() string {
	return fmt.Sprintf("%s(%d, %d)", r.name, r.WeightIH.Size(1), r.WeightHH.Size(1))
}

// RNNCell is one step of a plain recurrent network, see [tensor.RNNTanhCell].
type RNNCell struct {
	recurrent `nn:",inline"`
	relu      bool
}

// NewRNNCell returns a cell from in features and a state of hidden in float32. It panics with a
// [*tensor.Error] if a size is less than 1.
func NewRNNCell(in, hidden int, config ...CellConfig) *RNNCell {
	c := option("rnn_cell", config)
	return &RNNCell{newRecurrent("rnn_cell", "RNNCell", 1, in, hidden, c.NoBias), c.ReLU}
}

// Next returns the state after h and the input x.
func (c *RNNCell) Next(x, h *tensor.Tensor) *tensor.Tensor {
	step := tensor.RNNTanhCell
	if c.relu {
		step = tensor.RNNReLUCell
	}
	return ran(c, step(x, h, c.WeightIH, c.WeightHH, c.BiasIH, c.BiasHH))
}

// Forward returns the state after zeros and the input x.
func (c *RNNCell) Forward(x *tensor.Tensor) *tensor.Tensor { return c.Next(x, c.state(x)) }

// GRUCell is one step of a gated recurrent unit, see [tensor.GRUCell].
type GRUCell struct {
	recurrent `nn:",inline"`
}

// NewGRUCell returns a cell from in features and a state of hidden in float32. It panics with a
// [*tensor.Error] if a size is less than 1.
func NewGRUCell(in, hidden int, config ...CellConfig) *GRUCell {
	c := option("gru_cell", config)
	return &GRUCell{newRecurrent("gru_cell", "GRUCell", 3, in, hidden, c.NoBias)}
}

// Next returns the state after h and the input x.
func (c *GRUCell) Next(x, h *tensor.Tensor) *tensor.Tensor {
	return ran(c, tensor.GRUCell(x, h, c.WeightIH, c.WeightHH, c.BiasIH, c.BiasHH))
}

// Forward returns the state after zeros and the input x.
func (c *GRUCell) Forward(x *tensor.Tensor) *tensor.Tensor { return c.Next(x, c.state(x)) }

// LSTMCell is one step of a long short-term memory, see [tensor.LSTMCell].
type LSTMCell struct {
	recurrent `nn:",inline"`
}

// NewLSTMCell returns a cell from in features and a state of hidden in float32. It panics with a
// [*tensor.Error] if a size is less than 1.
func NewLSTMCell(in, hidden int, config ...CellConfig) *LSTMCell {
	c := option("lstm_cell", config)
	return &LSTMCell{newRecurrent("lstm_cell", "LSTMCell", 4, in, hidden, c.NoBias)}
}

// Next returns the state and the cell after h, cell and the input x.
func (c *LSTMCell) Next(x, h, cell *tensor.Tensor) (nextH, nextC *tensor.Tensor) {
	nextH, nextC = tensor.LSTMCell(x, h, cell, c.WeightIH, c.WeightHH, c.BiasIH, c.BiasHH)
	return ran(c, nextH), nextC
}

// Forward returns the state after zeros and the input x.
func (c *LSTMCell) Forward(x *tensor.Tensor) *tensor.Tensor {
	zeros := c.state(x)
	h, _ := c.Next(x, zeros, zeros)
	return h
}
