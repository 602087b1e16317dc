package tensor

// This file implements one step of recurrent networks: GRU, LSTM and the plain ones. x is [N, in]
// or [in] and the state h [N, hidden] or [hidden]; wIH is [gates·hidden, in] and wHH
// [gates·hidden, hidden] with the gates in PyTorch's order, and the biases [gates·hidden] or nil.
// In 16 bits the two products are rounded, and then only the result.

// RNNTanhCell returns the next state of a plain network: h' = tanh(x·wIHᵀ + bIH + h·wHHᵀ + bHH). It
// panics with an [*Error] if shapes or dtypes do not fit.
func RNNTanhCell(x, h, wIH, wHH, bIH, bHH *Tensor) *Tensor {
	c := newCell("rnn_tanh_cell", 1, x, h, nil, wIH, wHH, bIH, bHH)
	return c.gate(0).Tanh().To(c.products)
}

// RNNReLUCell is [RNNTanhCell] with max(…, 0) for tanh.
func RNNReLUCell(x, h, wIH, wHH, bIH, bHH *Tensor) *Tensor {
	c := newCell("rnn_relu_cell", 1, x, h, nil, wIH, wHH, bIH, bHH)
	return c.gate(0).ReLU().To(c.products)
}

// GRUCell returns the next state of a gated recurrent unit, with the gates r, z and n:
//
//	r = σ(x·wᵣᵀ + h·uᵣᵀ + …)    z = σ(…)    n = tanh(x·wₙᵀ + bₙ + r·(h·uₙᵀ + cₙ))
//	h' = n + z·(h - n)
//
// It panics with an [*Error] if shapes or dtypes do not fit.
func GRUCell(x, h, wIH, wHH, bIH, bHH *Tensor) *Tensor {
	c := newCell("gru_cell", 3, x, h, nil, wIH, wHH, bIH, bHH)
	r, z := c.gate(0).Sigmoid(), c.gate(1).Sigmoid()
	n := c.of(c.fromX, 2).Add(r.Mul(c.of(c.fromH, 2))).Tanh()
	return n.Add(z.Mul(c.h.Sub(n))).To(c.dtype)
}

// LSTMCell returns the next state h' and cell c' of a long short-term memory, with the gates i, f,
// g and o:
//
//	i = σ(x·wᵢᵀ + h·uᵢᵀ + …)    f = σ(…)    g = tanh(…)    o = σ(…)
//	c' = f·c + i·g    h' = o·tanh(c')
//
// It panics with an [*Error] if shapes or dtypes do not fit.
func LSTMCell(x, h, c, wIH, wHH, bIH, bHH *Tensor) (nextH, nextC *Tensor) {
	cell := newCell("lstm_cell", 4, x, h, c, wIH, wHH, bIH, bHH)
	i, f := cell.gate(0).Sigmoid(), cell.gate(1).Sigmoid()
	g, o := cell.gate(2).Tanh(), cell.gate(3).Sigmoid()
	memory := f.Mul(cell.c).Add(i.Mul(g))
	return o.Mul(memory.Tanh()).To(cell.dtype), memory.To(cell.dtypeC)
}

// A recurrent cell is the state, and what comes into its gates from x and from h, all of them wide.
type recurrentCell struct {
	h, c, fromX, fromH *Tensor
	hidden             int
	products           DType // of what comes into the gates
	dtype, dtypeC      DType // of the results
}

// newCell asks autocast about the cell, checks the shapes and multiplies. c may be nil.
func newCell(op string, gates int, x, h, c, wIH, wHH, bIH, bHH *Tensor) *recurrentCell {
	if op == "lstm_cell" {
		given(op, x, h, c, wIH, wHH)
	} else {
		given(op, x, h, wIH, wHH)
	}
	args := castAll(op, 2, []*Tensor{x, h, c, wIH, wHH, bIH, bHH})
	x, h, c, wIH, wHH, bIH, bHH = args[0], args[1], args[2], args[3], args[4], args[5], args[6]
	if x.Dim() != h.Dim() || x.Dim() != 1 && x.Dim() != 2 {
		fail(op, "input of shape %v and state of shape %v: they are [N, in] and [N, hidden], or "+
			"[in] and [hidden]", x.arr.Shape, h.arr.Shape)
	}
	hidden := h.arr.Shape[h.Dim()-1]
	switch {
	case x.Dim() == 2 && x.arr.Shape[0] != h.arr.Shape[0]:
		fail(op, "input of shape %v and state of shape %v: batches of %d and %d differ",
			x.arr.Shape, h.arr.Shape, x.arr.Shape[0], h.arr.Shape[0])
	case c != nil && !equalInts(c.arr.Shape, h.arr.Shape):
		fail(op, "state of shape %v and cell of shape %v: they must be equal",
			h.arr.Shape, c.arr.Shape)
	case wIH.Dim() != 2 || wHH.Dim() != 2 || wIH.arr.Shape[0] != gates*hidden ||
		wHH.arr.Shape[0] != gates*hidden:
		fail(op, "weights of shapes %v and %v for a state of %d: both need %d·%d rows",
			wIH.arr.Shape, wHH.arr.Shape, hidden, gates, hidden)
	}
	// Linear checks the rest, and under a policy without the cell it is asked itself.
	fromX, fromH := Linear(x, wIH, bIH), Linear(h, wHH, bHH)
	cell := &recurrentCell{hidden: hidden, products: promote(fromX.DType(), fromH.DType()),
		dtype: promote(fromX.DType(), h.DType())}
	up := func(t *Tensor) *Tensor { return t.To(wide(promote(fromX.DType(), t.DType()))) }
	cell.fromX, cell.fromH, cell.h = up(fromX), up(fromH), up(h)
	if c != nil {
		cell.c, cell.dtypeC = up(c), promote(fromX.DType(), c.DType())
	}
	return cell
}

// of returns the part of t for gate i.
func (c *recurrentCell) of(t *Tensor, i int) *Tensor { return t.Narrow(-1, i*c.hidden, c.hidden) }

// gate returns what comes into gate i from both sides.
func (c *recurrentCell) gate(i int) *Tensor { return c.of(c.fromX, i).Add(c.of(c.fromH, i)) }
