package tensor

import (
	"slices"
	"sync/atomic"
	"unsafe"

	"halfnote/tensor/internal/cpu"
	"halfnote/tensor/internal/device"
)

// A Tensor is a multidimensional array of elements of one type on one device. Tensors made by view
// ops share the elements of the tensor they were made from; writing to one in place changes both.
//
// A Tensor may be read by many goroutines at once. In-place writes need the callers' own care.
type Tensor struct {
	arr   device.Array
	store *storage

	shapeBuf, strideBuf [4]int // where arr.Shape and arr.Strides lie for up to 4 dimensions

	node  *node                // how it was computed, or the leaf's own; nil without gradient. Read by gradNode
	base  *Tensor              // of a view that autograd knows: the tensor that it is a part of
	from  atomic.Pointer[node] // of such a view: the write to base that node takes into account
	extra *extra               // nil for most

	view    bool
	sealed  bool // a view cut off from its base, made under NoGrad for instance
	frozen  bool // a leaf whose gradient SetRequiresGrad switched off
	retains bool // RetainGrad was called
}

// extra is what few tensors have. A leaf that requires a gradient always has it.
type extra struct {
	name    string
	grad    *Tensor // the accumulated gradient of a leaf, or of a result with RetainGrad
	hooks   *hooks  // of a leaf, kept for when it is one again
	since   uint64  // added to the version, so that SetData changes it
	written *node   // of a base: its node since the last recorded write in place
}

// more returns t's extra, to be written to.
func (t *Tensor) more() *extra {
	if t.extra == nil {
		t.extra = new(extra)
	}
	return t.extra
}

// written returns the node that t, a base, has since the last recorded write in place, or nil.
func (t *Tensor) written() *node {
	if t.extra == nil {
		return nil
	}
	return t.extra.written
}

// storage is the memory that a tensor and its views share.
type storage struct {
	device  Device
	size    int                    // elements
	version atomic.Uint64          // counts writes in place
	writer  atomic.Pointer[string] // the op that wrote last
	users   atomic.Uint32          // who need the elements, and dropped
}

// newTensor returns an empty tensor with room for a shape of that many dimensions.
func newTensor(st *storage, dims int) *Tensor {
	t := new(Tensor)
	t.init(st, dims)
	return t
}

func (t *Tensor) init(st *storage, dims int) {
	t.store = st
	if dims <= len(t.shapeBuf) {
		t.arr.Shape, t.arr.Strides = t.shapeBuf[:dims], t.strideBuf[:dims]
		return
	}
	t.arr.Shape, t.arr.Strides = make([]int, dims), make([]int, dims)
}

// zeros returns a new tensor of zeros, in row-major order.
func zeros(op string, dev Device, dtype DType, shape []int) *Tensor {
	return allocate(op, dev, dtype, shape, true)
}

// empty is zeros for tensors of which every element is written next: its elements may be anything.
func empty(op string, dev Device, dtype DType, shape []int) *Tensor {
	return allocate(op, dev, dtype, shape, false)
}

func allocate(op string, dev Device, dtype DType, shape []int, zero bool) *Tensor {
	n := checkShape(op, shape)
	var t *Tensor
	if bytes := n * dtype.Size(); bytes <= 256 && dev == CPU && profiling.Load() == nil {
		t = little(bytes, zero)
	} else {
		both := new(owner)
		t = &both.Tensor
		t.store = &both.storage
		data, err := dev.backend(op).Alloc(device.DType(dtype), n, zero)
		if err != nil {
			fail(op, "shape %v of %s: %v", slices.Clone(shape), dtype, err)
		}
		t.arr.Data = data
	}
	t.store.device, t.store.size = dev, n
	t.init(t.store, len(shape))
	copy(t.arr.Shape, shape)
	rowMajor(t.arr.Strides, shape)
	t.arr.DType = device.DType(dtype)
	return t
}

// An owner is a tensor that is no view, and its memory.
type owner struct {
	Tensor
	storage
}

// little returns a tensor with few elements, which lie beside it.
func little(bytes int, zero bool) *Tensor {
	var both *owner
	var data unsafe.Pointer
	switch {
	case bytes <= 8:
		all := new(struct {
			owner
			data [1]uint64
		})
		both, data = &all.owner, unsafe.Pointer(&all.data)
	case bytes <= 64:
		all := new(struct {
			owner
			data [8]uint64
		})
		both, data = &all.owner, unsafe.Pointer(&all.data)
	default:
		all := new(struct {
			owner
			data [32]uint64
		})
		both, data = &all.owner, unsafe.Pointer(&all.data)
	}
	if !zero {
		cpu.Poison(data, bytes)
	}
	both.Tensor.arr.Data, both.Tensor.store = data, &both.storage
	return &both.Tensor
}

// free gives t's memory back at once. Nothing may use its elements any more.
func (t *Tensor) free() {
	t.backend("free").Free(t.arr.Data, t.arr.DType, t.store.size)
	t.arr.Data, t.store.size = nil, 0
	t.store.users.Or(freed)
}

// array returns the elements of a tensor that may be nil.
func (t *Tensor) array() *device.Array {
	if t == nil {
		return nil
	}
	return &t.arr
}

// backend returns what computes on t's device.
func (t *Tensor) backend(op string) device.Backend {
	if t.store.gone() {
		t.failFreed(op)
	}
	return t.store.device.backend(op)
}

// Shape returns the sizes of the dimensions.
func (t *Tensor) Shape() []int { return slices.Clone(t.arr.Shape) }

// Strides returns, for each dimension, how many elements apart neighbours lie in memory.
func (t *Tensor) Strides() []int { return slices.Clone(t.arr.Strides) }

// Dim returns the number of dimensions.
func (t *Tensor) Dim() int { return len(t.arr.Shape) }

// Size returns the size of dimension axis; a negative axis counts from the end.
func (t *Tensor) Size(axis int) int { return t.arr.Shape[t.axis("size", axis)] }

// Numel returns the number of elements.
func (t *Tensor) Numel() int { return t.arr.Numel() }

// DType returns the type of the elements.
func (t *Tensor) DType() DType { return DType(t.arr.DType) }

// Device returns where the elements live.
func (t *Tensor) Device() Device { return t.store.device }

// Name returns the name that SetName or nn.NamedParameters gave, else the empty string.
func (t *Tensor) Name() string {
	if t.extra == nil {
		return ""
	}
	return t.extra.name
}

// SetName names the tensor in messages and returns it.
func (t *Tensor) SetName(name string) *Tensor {
	t.more().name = name
	return t
}

// IsView reports whether t shares the elements of another tensor.
func (t *Tensor) IsView() bool { return t.view }

// IsContiguous reports whether the elements lie in row-major order without gaps.
func (t *Tensor) IsContiguous() bool { return t.arr.Contiguous() }

// Version returns how many times the elements have been written in place, by way of t or any
// tensor that shares them. SetData raises it.
func (t *Tensor) Version() uint64 {
	v := t.store.version.Load()
	if t.extra != nil {
		v += t.extra.since
	}
	return v
}

// wrote notes that op has changed the elements in place.
func (t *Tensor) wrote(op *string) {
	t.store.version.Add(1)
	t.store.writer.Store(op)
	if r := recordingOf(t.store.device); r != nil {
		r.note(t.store, op)
	}
}

// WrittenBy returns the name of the op that wrote t's elements in place last, by way of t or any
// tensor that shares them, and "" where none did.
func (t *Tensor) WrittenBy() string {
	if by := t.store.writer.Load(); by != nil {
		return *by
	}
	return ""
}

// NoteWrite says that the write in place that was last is a part of op: functions that change
// tensors in several steps name themselves so, for WrittenBy and for messages about stale values.
func (t *Tensor) NoteWrite(op string) { t.store.writer.Store(&op) }

// Item returns the value of a tensor with one element; it waits for the device. It panics for any
// other number of elements. Int64 values beyond 2⁵³ are rounded; Int64s gives them exactly.
func (t *Tensor) Item() float64 {
	if n := t.Numel(); n != 1 {
		fail("item", "a tensor with %d elements (shape %v) is not one number", n, t.arr.Shape)
	}
	var v float64
	out := device.Array{Data: unsafe.Pointer(&v), DType: device.Float64}
	x := t.arr
	x.Shape, x.Strides = nil, nil
	t.backend("item").ToHost(&out, &x)
	t.Device().prove()
	return v
}

// Float32s returns the elements in row-major order as float32; it copies and waits for the device.
func (t *Tensor) Float32s() []float32 { return host[float32](t, Float32) }

// Float64s returns the elements in row-major order as float64; it copies and waits for the device.
func (t *Tensor) Float64s() []float64 { return host[float64](t, Float64) }

// Int64s returns the elements in row-major order as int64, fractions cut off; it copies and waits
// for the device.
func (t *Tensor) Int64s() []int64 { return host[int64](t, Int64) }

// Bools returns in row-major order whether the elements differ from zero; it copies and waits for
// the device.
func (t *Tensor) Bools() []bool { return host[bool](t, Bool) }

// Halves returns the elements in row-major order rounded to float16; it copies and waits for the
// device.
func (t *Tensor) Halves() []Half { return host[Half](t, Float16) }

// host copies the elements into a new slice of the Go type that has the layout of dtype.
func host[S any](t *Tensor, dtype DType) []S {
	out := hostSlice[S]("copy", dtype, t.arr.Shape)
	if len(out) == 0 {
		return out
	}
	dst := hostArray(out, dtype, t.arr.Shape)
	t.toHost("copy", &dst)
	return out
}

// hostSlice returns room for the elements of a tensor of that shape, in the Go type that has the
// layout of dtype. More than the machine has is refused: a tensor that repeats its elements may have
// any number of them.
func hostSlice[S any](op string, dtype DType, shape []int) []S {
	n := checkShape(op, shape)
	if err := cpu.Fits(device.DType(dtype), n); err != nil {
		fail(op, "shape %v of %s: %v", slices.Clone(shape), dtype, err)
	}
	return make([]S, n)
}

// hostArray describes a Go slice as a row-major array.
func hostArray[S any](data []S, dtype DType, shape []int) device.Array {
	strides := make([]int, len(shape))
	rowMajor(strides, shape)
	return device.Array{
		Data: unsafe.Pointer(unsafe.SliceData(data)), DType: device.DType(dtype),
		Shape: shape, Strides: strides,
	}
}
