package tensor

import (
	"time"
	"unsafe"

	"halfnote/tensor/internal/device"
)

// This file implements the ops that write a tensor's elements to positions of a copy of another.

// ScatterAdd returns a copy of t to which src[i, j] is added at [index[i, j], j] for axis 0, and so
// on for the others. index has Int64 elements, and is not larger than src. Sums of 16-bit floats
// are kept in float32 and rounded once.
func (t *Tensor) ScatterAdd(axis int, index, src *Tensor) *Tensor {
	args := castAll("scatter_add", 3, []*Tensor{t, index, src})
	t, index, src = args[0], args[1], args[2]
	return t.scatterChecked("scatter_add", device.ScatterAdd, axis, index, src)
}

// Scatter returns a copy of t into which src[i, j] is written at [index[i, j], j] for axis 0, and
// so on for the others. src is a number, or a tensor that is not smaller than index. Of several
// values for one position the last along axis stays, and receives the gradient. (PyTorch leaves
// both open.)
func (t *Tensor) Scatter(axis int, index *Tensor, src any) *Tensor {
	given("scatter", t, index)
	values, v, _ := t.operand("scatter", src)
	if values == nil {
		values = full(t, v).Expand(index.arr.Shape...)
	}
	return t.scatterChecked("scatter", device.ScatterPut, axis, index, values)
}

// scatterChecked checks the arguments that users gave and scatters.
func (t *Tensor) scatterChecked(op string, code device.ScatterOp, axis int,
	index, src *Tensor) *Tensor {
	if t.Dim() == 0 {
		return t.Reshape(1).scatterChecked(op, code, axis, index.Reshape(-1),
			src.Reshape(-1)).Reshape()
	}
	axis = t.axis(op, axis)
	index = t.checkIndex(op, axis, index)
	sameDType(op, t, src)
	src = src.coveredBy(op, index)
	return composed(func() *Tensor { return t.scatter(op, code, axis, index, src) })
}

// coveredBy returns the part of src, a source of elements, that lies at places of index.
func (t *Tensor) coveredBy(op string, index *Tensor) *Tensor {
	if t.Dim() != index.Dim() {
		fail(op, "index of shape %v and source of shape %v differ", index.arr.Shape, t.arr.Shape)
	}
	for d, s := range index.arr.Shape {
		if s > t.arr.Shape[d] {
			fail(op, "index of shape %v is larger than the source of shape %v",
				index.arr.Shape, t.arr.Shape)
		}
	}
	out := t
	for d, s := range index.arr.Shape {
		if s < t.arr.Shape[d] {
			out = out.Slice(d, 0, s)
		}
	}
	return out
}

// scatter computes ScatterAdd and ScatterPut for arguments that have been checked.
func (t *Tensor) scatter(op string, code device.ScatterOp, axis int, index, src *Tensor) *Tensor {
	out := t.scattered(op, code, axis, index, src)
	r := scatterAddGrad
	if code == device.ScatterPut {
		r = scatterPutGrad
	}
	n := record(op, out, r, t, src)
	if n == nil {
		return out
	}
	n.ints = []int{axis}
	n.keep(index)
	if code == device.ScatterPut && n.needs(1) {
		n.keep(index, lastWrites(op, t.arr.Shape, axis, index))
	}
	return out
}

// scattered computes on the device. Sums and products of 16-bit floats are rounded once.
func (t *Tensor) scattered(op string, code device.ScatterOp, axis int,
	index, src *Tensor) *Tensor {
	dtype := t.DType()
	if code == device.ScatterAdd || code == device.ScatterMul {
		dtype = wide(dtype)
	}
	out := empty(op, t.Device(), dtype, t.arr.Shape)
	t.backend(op).Copy(&out.arr, &t.arr)
	if t.Dim() > 0 {
		t.backend(op).Scatter(code, &out.arr, &index.arr, &src.arr, axis)
	}
	if dtype == t.DType() {
		return out
	}
	rounded := empty(op, t.Device(), t.DType(), t.arr.Shape)
	t.backend(op).Copy(&rounded.arr, &out.arr)
	return rounded
}

// lastWrites returns, as Bool that broadcasts to index's shape, which writes to a tensor of that
// shape stay: for all elements that share their positions at once.
func lastWrites(op string, shape []int, axis int, index *Tensor) *Tensor {
	index = index.unrepeated(axis)
	numbers := countTo(index.Device(), index.Numel()).Reshape(index.arr.Shape...)
	places := index.Shape()
	places[axis] = shape[axis]
	last := zeros(op, index.Device(), Int64, places)
	last = last.scattered(op, device.ScatterPut, axis, index, numbers)
	return last.gather(op, axis, index).Eq(numbers)
}

// countTo returns the Int64 numbers 0 … n-1.
func countTo(d Device, n int) *Tensor {
	return vectorOf("arange", d, n, func(i int) int { return i })
}

// vectorOf returns the Int64 numbers f(0) … f(n-1).
func vectorOf(op string, d Device, n int, f func(i int) int) *Tensor {
	return integers(op, n, func(values []int64) {
		for i := range values {
			values[i] = int64(f(i))
		}
	}).To(d)
}

// integers returns a new Int64 vector of n elements on CPU, which write fills.
func integers(op string, n int, write func(values []int64)) *Tensor {
	out := empty(op, CPU, Int64, []int{n})
	began := time.Now()
	write(unsafe.Slice((*int64)(out.arr.Data), n))
	if p := profiling.Load(); p != nil {
		p.computed(op, time.Since(began), n*Int64.Size())
	}
	return out
}

func scatterAddGrad(n *node, g *Tensor, i int) *Tensor {
	if i == 0 {
		return g
	}
	return g.gather("gather", n.ints[0], n.get(0))
}

func scatterPutGrad(n *node, g *Tensor, i int) *Tensor {
	index := n.get(0)
	if i == 0 {
		zeros := full(g, 0).Expand(index.arr.Shape...)
		return g.scatter("scatter", device.ScatterPut, n.ints[0], index, zeros)
	}
	return Where(n.get(1), g.gather("gather", n.ints[0], index), full(g, 0))
}

// IndexAdd returns a copy of t to which alpha times the parts of src along axis are added at the
// positions in index, a vector of Int64. alpha is 1 if not given.
func (t *Tensor) IndexAdd(axis int, index, src *Tensor, alpha ...float64) *Tensor {
	const op = "index_add"
	given(op, t, index, src)
	if t.Dim() == 0 {
		return t.Reshape(1).IndexAdd(axis, index, src.Reshape(-1), alpha...).Reshape()
	}
	args := castAll(op, 3, []*Tensor{t, index, src})
	t, index, src = args[0], args[1], args[2]
	axis = t.axis(op, axis)
	index = t.checkVector(op, axis, index)
	t.checkParts(op, axis, index, src)
	return composed(func() *Tensor {
		if len(alpha) > 0 && one(op, alpha) != 1 {
			src = src.To(wide(src.DType())).Mul(alpha[0])
		}
		return t.scatter(op, device.ScatterAdd, axis, src.along(axis, index), src)
	})
}

// IndexCopy returns a copy of t whose parts along axis at the positions in index, a vector of
// Int64, are those of src. Of several parts for one position the last stays, and receives the
// gradient.
func (t *Tensor) IndexCopy(axis int, index, src *Tensor) *Tensor {
	const op = "index_copy"
	given(op, t, index, src)
	if t.Dim() == 0 {
		return t.Reshape(1).IndexCopy(axis, index, src.Reshape(-1)).Reshape()
	}
	args := castAll(op, 3, []*Tensor{t, index, src})
	t, index, src = args[0], args[1], args[2]
	axis = t.axis(op, axis)
	index = t.checkVector(op, axis, index)
	t.checkParts(op, axis, index, src)
	return composed(func() *Tensor { return t.indexCopy(op, axis, index, src) })
}

// indexCopy is IndexCopy for arguments that have been checked.
func (t *Tensor) indexCopy(op string, axis int, index, src *Tensor) *Tensor {
	return t.scatter(op, device.ScatterPut, axis, src.along(axis, index), src)
}

// checkParts panics unless src has t's shape and dtype, and along axis as many parts as index.
func (t *Tensor) checkParts(op string, axis int, index, src *Tensor) {
	sameDType(op, t, src)
	want := t.Shape()
	want[axis] = index.Numel()
	if !equalInts(src.arr.Shape, want) {
		fail(op, "source of shape %v for %d positions in dimension %d of shape %v; it is %v",
			src.arr.Shape, index.Numel(), axis, t.arr.Shape, want)
	}
}

// IndexFill returns a copy of t whose parts along axis at the positions in index, a vector of
// Int64, are filled with v, a number or a tensor without dimensions.
func (t *Tensor) IndexFill(axis int, index *Tensor, v any) *Tensor {
	const op = "index_fill"
	if t.Dim() == 0 {
		return t.Reshape(1).IndexFill(axis, index, v).Reshape()
	}
	value := t.fillValue(op, v)
	axis = t.axis(op, axis)
	index = t.checkVector(op, axis, index)
	return composed(func() *Tensor { return t.indexFill(op, axis, index, value) })
}

// indexFill is IndexFill for arguments that have been checked.
func (t *Tensor) indexFill(op string, axis int, index, value *Tensor) *Tensor {
	shape := t.Shape()
	shape[axis] = index.Numel()
	return t.indexCopy(op, axis, index, value.Expand(shape...))
}

// fillValue returns a number, or a tensor without dimensions, in t's dtype.
func (t *Tensor) fillValue(op string, v any) *Tensor {
	value, number, _ := t.operand(op, v)
	if value == nil {
		return full(t, number)
	}
	sameDevice(op, t, value)
	if value.Dim() != 0 {
		fail(op, "value of shape %v; it is a number or has no dimensions", value.arr.Shape)
	}
	return value.To(t.DType())
}
