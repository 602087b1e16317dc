package tensor

// This file implements the products that take operands of one number of dimensions only, and those
// that are added to something.

// MM returns the product of two matrices.
func (t *Tensor) MM(other *Tensor) *Tensor {
	a, b := cast2("mm", t, other)
	dims("mm", a, 2, b, 2)
	return multiplied("mm", a, b)
}

// BMM returns the products of two equally long rows of matrices, of shapes [B, M, K] and [B, K, N].
func (t *Tensor) BMM(other *Tensor) *Tensor {
	a, b := cast2("bmm", t, other)
	dims("bmm", a, 3, b, 3)
	if a.arr.Shape[0] != b.arr.Shape[0] {
		fail("bmm", "shapes %v and %v: %d and %d matrices", a.arr.Shape, b.arr.Shape,
			a.arr.Shape[0], b.arr.Shape[0])
	}
	return multiplied("bmm", a, b)
}

// MV returns the product of a matrix and a vector.
func (t *Tensor) MV(vector *Tensor) *Tensor {
	a, b := cast2("mv", t, vector)
	dims("mv", a, 2, b, 1)
	return multiplied("mv", a, b)
}

// Dot returns the sum of the products of two vectors' elements.
func (t *Tensor) Dot(other *Tensor) *Tensor { return dot("dot", t, other) }

// Vdot is Dot; they differ for complex numbers alone.
func (t *Tensor) Vdot(other *Tensor) *Tensor { return dot("vdot", t, other) }

func dot(op string, a, b *Tensor) *Tensor {
	a, b = cast2(op, a, b)
	dims(op, a, 1, b, 1)
	return multiplied(op, a, b)
}

// Outer returns the products of every element of t with every one of other, both vectors, in the
// wider of their dtypes.
func (t *Tensor) Outer(other *Tensor) *Tensor {
	a, b := cast2("outer", t, other)
	dims("outer", a, 1, b, 1)
	sameDevice("outer", a, b)
	dtype := promote(a.DType(), b.DType())
	return product(a.To(dtype).Unsqueeze(1), b.To(dtype).Unsqueeze(0))
}

// dims panics unless a and b have so many dimensions.
func dims(op string, a *Tensor, da int, b *Tensor, db int) {
	if a.Dim() != da || b.Dim() != db {
		fail(op, "shapes %v and %v: it takes %d and %d dimensions; MatMul takes any",
			a.arr.Shape, b.arr.Shape, da, db)
	}
}

// multiplied is matmul with the checks that all products share.
func multiplied(op string, a, b *Tensor) *Tensor {
	sameDType(op, a, b)
	checkInner(op, a, b)
	return composed(func() *Tensor { return matmul(a, b) })
}

// checkInner panics unless the inner sizes of a product agree.
func checkInner(op string, a, b *Tensor) {
	m, n := a.arr.Shape[a.Dim()-1], b.arr.Shape[max(0, b.Dim()-2)]
	if m != n {
		fail(op, "shapes %v and %v: inner sizes %d and %d differ", a.arr.Shape, b.arr.Shape, m, n)
	}
}

// Addmm returns beta·t + alpha·a·b for matrices a and b; t is broadcast. Like its kin below, it
// rounds 16-bit floats once, and takes nothing from t, not even NaN, where beta is 0.
func (t *Tensor) Addmm(a, b *Tensor, beta, alpha float64) *Tensor {
	return t.added("addmm", a, 2, b, 2, beta, alpha, matmulAs)
}

// Baddbmm returns beta·t + alpha·a·b for rows of matrices a of shape [B, M, K] and b of shape
// [B, K, N]; t is broadcast.
func (t *Tensor) Baddbmm(a, b *Tensor, beta, alpha float64) *Tensor {
	return t.added("baddbmm", a, 3, b, 3, beta, alpha, matmulAs)
}

// Addbmm returns beta·t + alpha·Σ a·b, the sum of the products of rows of matrices a of shape
// [B, M, K] and b of shape [B, K, N]; t is broadcast.
func (t *Tensor) Addbmm(a, b *Tensor, beta, alpha float64) *Tensor {
	return t.added("addbmm", a, 3, b, 3, beta, alpha, func(dtype DType, a, b *Tensor) *Tensor {
		rows, k := a.arr.Shape[1], a.arr.Shape[0]*a.arr.Shape[2]
		a = a.Transpose(0, 1).Reshape(rows, k)
		return productAs(dtype, a, b.Reshape(k, b.arr.Shape[2]))
	})
}

// Addmv returns beta·t + alpha·a·v for a matrix a and a vector v; t is broadcast.
func (t *Tensor) Addmv(a, v *Tensor, beta, alpha float64) *Tensor {
	return t.added("addmv", a, 2, v, 1, beta, alpha, matmulAs)
}

// Addr returns beta·t + alpha·u⊗v, with the outer product of the vectors u and v; t is broadcast.
func (t *Tensor) Addr(u, v *Tensor, beta, alpha float64) *Tensor {
	return t.added("addr", u, 1, v, 1, beta, alpha, func(dtype DType, a, b *Tensor) *Tensor {
		return productAs(dtype, a.Unsqueeze(1), b.Unsqueeze(0))
	})
}

// added adds a product to t.
func (t *Tensor) added(op string, a *Tensor, da int, b *Tensor, db int, beta, alpha float64,
	multiply func(dtype DType, a, b *Tensor) *Tensor) *Tensor {
	args := castAll(op, 3, []*Tensor{t, a, b})
	t, a, b = args[0], args[1], args[2]
	dims(op, a, da, b, db)
	sameDType(op, t, a)
	sameDType(op, a, b)
	if da > 1 {
		checkInner(op, a, b)
	}
	if da == 3 && a.arr.Shape[0] != b.arr.Shape[0] {
		fail(op, "shapes %v and %v: %d and %d matrices", a.arr.Shape, b.arr.Shape,
			a.arr.Shape[0], b.arr.Shape[0])
	}
	return composed(func() *Tensor {
		w := wide(a.DType())
		out := multiply(w, a, b).scaled(op, alpha)
		if !equalInts(broadcast(op, nil, t.arr.Shape, out.arr.Shape), out.arr.Shape) {
			fail(op, "shape %v does not broadcast to %v, the product's", t.arr.Shape,
				out.arr.Shape)
		}
		if beta != 0 {
			out = t.To(w).scaled(op, beta).Add(out)
		}
		return out.To(a.DType())
	})
}

// scaled returns f·t; integers take whole factors only.
func (t *Tensor) scaled(op string, f float64) *Tensor {
	if f == 1 {
		return t
	}
	if t.DType().IsFloat() {
		return t.Mul(f)
	}
	if f != float64(int(f)) {
		fail(op, "a factor of %v for a tensor of %s; it is a whole number", f, t.DType())
	}
	return t.Mul(int(f))
}

// MultiDot returns the product of all tensors, in the order of multiplications that needs the
// fewest of them. The first and the last may be vectors, the others are matrices. Products on the
// way are kept in float32 for 16-bit floats.
func MultiDot(ts ...*Tensor) *Tensor {
	const op = "linalg_multi_dot"
	if len(ts) < 2 {
		fail(op, "%d tensors given; two are the least", len(ts))
	}
	given(op, ts...)
	asked := op
	if !hasRule(op) {
		asked = "mm" // which it is made of
	}
	ts = castAll(asked, len(ts), append([]*Tensor(nil), ts...))
	for i, t := range ts {
		sameDType(op, ts[0], t)
		end := i == 0 || i == len(ts)-1
		if t.Dim() != 2 && !(end && t.Dim() == 1) {
			fail(op, "tensor %d has shape %v; it is a matrix", i, t.arr.Shape)
		}
		if i > 0 {
			checkInner(op, ts[i-1], t)
		}
	}
	return composed(func() *Tensor { return multiDot(ts) })
}

func multiDot(ts []*Tensor) *Tensor {
	sizes := make([]int, 0, len(ts)+1)
	for i, t := range ts {
		switch {
		case t.Dim() == 2:
			sizes = append(sizes, t.arr.Shape[0])
		case i == 0:
			sizes = append(sizes, 1)
		default:
			sizes = append(sizes, t.arr.Shape[0])
		}
	}
	last := ts[len(ts)-1]
	sizes = append(sizes, 1)
	if last.Dim() == 2 {
		sizes[len(ts)] = last.arr.Shape[1]
	}
	cut := cheapest(sizes)
	dtype := ts[0].DType()
	var multiply func(dtype DType, i, j int) *Tensor
	multiply = func(dtype DType, i, j int) *Tensor {
		if i == j {
			return ts[i]
		}
		k, w := cut[i][j], wide(dtype)
		return matmulAs(dtype, multiply(w, i, k), multiply(w, k+1, j))
	}
	return multiply(dtype, 0, len(ts)-1)
}

// cheapest returns behind which matrix the product of matrices i to j is best cut in two. Matrix i
// has sizes[i] rows and sizes[i+1] columns.
func cheapest(sizes []int) [][]int {
	n := len(sizes) - 1
	cost, cut := make([][]float64, n), make([][]int, n)
	for i := range n {
		cost[i], cut[i] = make([]float64, n), make([]int, n)
	}
	for length := 1; length < n; length++ {
		for i := 0; i+length < n; i++ {
			j := i + length
			for k := i; k < j; k++ {
				here := cost[i][k] + cost[k+1][j] +
					float64(sizes[i])*float64(sizes[k+1])*float64(sizes[j+1])
				if k == i || here < cost[i][j] {
					cost[i][j], cut[i][j] = here, k
				}
			}
		}
	}
	return cut
}

// Tensordot sums the products of a's and b's elements over pairs of dimensions: axesA[i] of a goes
// with axesB[i] of b. The result has the other dimensions of a and then those of b.
func Tensordot(a, b *Tensor, axesA, axesB []int) *Tensor {
	const op = "tensordot"
	given(op, a, b)
	if hasRule(op) {
		a, b = cast2(op, a, b)
		sameDType(op, a, b)
	} else {
		sameDType(op, a, b)
		a, b = cast2("mm", a, b) // as PyTorch's CPU policy, which knows the product inside only
	}
	if len(axesA) != len(axesB) {
		fail(op, "%d axes of the first and %d of the second", len(axesA), len(axesB))
	}
	restA, sumA := a.apart(op, axesA)
	restB, sumB := b.apart(op, axesB)
	m, n, k := 1, 1, 1
	var shape []int
	for i := range sumA {
		x, y := a.arr.Shape[sumA[i]], b.arr.Shape[sumB[i]]
		if x != y {
			fail(op, "shapes %v and %v: sizes %d and %d of dimensions %d and %d differ",
				a.arr.Shape, b.arr.Shape, x, y, axesA[i], axesB[i])
		}
		k *= x
	}
	for _, d := range restA {
		m *= a.arr.Shape[d]
		shape = append(shape, a.arr.Shape[d])
	}
	for _, d := range restB {
		n *= b.arr.Shape[d]
		shape = append(shape, b.arr.Shape[d])
	}
	checkShape(op, shape)
	return composed(func() *Tensor {
		x := a.Permute(append(restA, sumA...)...).Reshape(m, k)
		y := b.Permute(append(sumB, restB...)...).Reshape(k, n)
		return product(x, y).Reshape(shape...)
	})
}

// apart returns the dimensions of t that are not among axes, and axes counted from the front.
func (t *Tensor) apart(op string, axes []int) (rest, named []int) {
	seen := make([]bool, t.Dim())
	for _, a := range axes {
		a = t.axis(op, a)
		if seen[a] {
			fail(op, "dimension %d is given twice", a)
		}
		seen[a] = true
		named = append(named, a)
	}
	for d := range t.Dim() {
		if !seen[d] {
			rest = append(rest, d)
		}
	}
	return rest, named
}
