package tensor

// A DiagonalConfig says which diagonal Diagonal takes.
type DiagonalConfig struct {
	Offset int   // how many columns to the right of the main diagonal
	Axes   []int // the two dimensions of the matrices; nil means the first two, as in PyTorch
}

// Diagonal returns a view of the diagonals of the matrices in two of t's dimensions, as a new last
// dimension.
func (t *Tensor) Diagonal(config ...DiagonalConfig) *Tensor {
	const op = "diagonal"
	c := one(op, config)
	if c.Axes == nil {
		c.Axes = []int{0, 1}
	}
	if len(c.Axes) != 2 || t.Dim() < 2 {
		fail(op, "axes %v of shape %v; a diagonal has two", c.Axes, t.arr.Shape)
	}
	a, b := t.axis(op, c.Axes[0]), t.axis(op, c.Axes[1])
	if a == b {
		fail(op, "dimension %d is given twice", a)
	}
	rows, columns := t.arr.Shape[a], t.arr.Shape[b]
	n := min(rows, columns-c.Offset)
	start := c.Offset * t.arr.Strides[b]
	if c.Offset < 0 {
		n = min(rows+c.Offset, columns)
		start = -c.Offset * t.arr.Strides[a]
	}
	if n <= 0 {
		n, start = 0, 0
	}
	out := t.alias(t.Dim() - 1)
	out.arr.Offset += start
	d := 0
	for i := range t.Dim() {
		if i != a && i != b {
			out.arr.Shape[d], out.arr.Strides[d] = t.arr.Shape[i], t.arr.Strides[i]
			d++
		}
	}
	out.arr.Shape[d], out.arr.Strides[d] = n, t.arr.Strides[a]+t.arr.Strides[b]
	shape := t.Shape()
	record(op, out, func(_ *node, g *Tensor, _ int) *Tensor {
		return placed("diagonal_backward", g, shape, func(x *Tensor) *Tensor {
			return x.Diagonal(DiagonalConfig{c.Offset, []int{a, b}})
		})
	}, t)
	return out
}

// Diag returns the matrix with t, a vector, on its diagonal, or the diagonal of t, a matrix, as a
// view. The diagonal given lies so many columns to the right of the main one.
func (t *Tensor) Diag(offset ...int) *Tensor {
	const op = "diag"
	k := one(op, offset)
	switch t.Dim() {
	case 1:
		n := t.Numel() + max(k, -k)
		return placed(op, t, []int{n, n}, func(x *Tensor) *Tensor {
			return x.Diagonal(DiagonalConfig{Offset: k})
		})
	case 2:
		return t.Diagonal(DiagonalConfig{Offset: k})
	}
	fail(op, "shape %v; it is a vector or a matrix", t.arr.Shape)
	return nil
}
