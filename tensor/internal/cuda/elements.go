//go:build cuda

package cuda

import "halfnote/tensor/internal/device"

// This file plans how ops that work element by element go through their arrays: kernels/pack.cuh.

// elements are the arguments of an op: Elements in kernels/pack.cuh.
type elements struct {
	Array     [maxArrays]array // the output, and up to three inputs
	Walk      walk
	Inner     [maxArrays]int64
	Lie       [maxArrays]int32
	Packed    int64 // elements in packs, which come first
	Op, Order int32
	P, Q      float64
}

// How the elements of a pack lie: Lie in kernels/pack.cuh.
const (
	lieVector int32 = iota
	lieSteps
)

// newElements returns the arguments for out and the inputs, gone through in packs of so many elements
// where rows have whole packs.
func newElements(pack int, out *device.Array, inputs ...*device.Array) (e elements) {
	arrays := [maxArrays]*device.Array{out}
	n := 1 + copy(arrays[1:], inputs)
	e.Walk = newWalk(arrays[:n]...)
	last := int(e.Walk.Dims) - 1
	if last <= 0 || e.Walk.Size[last]%int64(pack) == 0 {
		e.Packed = e.Walk.Total / int64(pack) * int64(pack)
	}
	for k, a := range arrays[:n] {
		e.Array[k] = arrayOf(a)
		if last >= 0 {
			e.Inner[k] = e.Walk.Stride[k][last]
		}
		if !e.Walk.vectors(k, pack, a) {
			e.Lie[k] = lieSteps
		}
	}
	return e
}

// vectors reports whether all packs of the k-th array lie as vectors do: without gaps, and each where
// vectors may begin.
func (w *walk) vectors(k, pack int, a *device.Array) bool {
	last := int(w.Dims) - 1
	if last < 0 || w.Stride[k][last] != 1 {
		return false
	}
	size := a.DType.Size()
	align := min(16, pack*size)
	if address(a)%uint64(align) != 0 {
		return false
	}
	for _, s := range w.Stride[k][:last] {
		if int(s)*size%align != 0 {
			return false
		}
	}
	return true
}

const anyPack = 4 // elements of a pack whose arrays may have any dtype

// A family has the kernels of ops of one kind: hot ones for arrays of one dtype, float32 or one of 16 bits,
// whose packs lie in vectors or are repeated; for other dtypes those that compute in a type; and one for
// ops whose time is not in the memory.
type family[A any] struct {
	single, short *kernel[A]
	any           kernelSet[A]
	rare          *kernel[A]
}

// newFamily declares the kernels name_f32 and name_short in kernels/file.cu, name_any_f32 and so on of these
// types to compute in, and name_rare where rare is set.
func newFamily[A any](file, name string, rare bool, in ...device.DType) (f family[A]) {
	f.single, f.short = newKernel[A](file, name+"_f32"), newKernel[A](file, name+"_short")
	f.any = newKernels[A](file, name+"_any", in...)
	if rare {
		f.rare = newKernel[A](file, name+"_rare")
	}
	return f
}

// hot returns the hot kernel for a dtype and how many elements its packs have, or nil.
func (f *family[A]) hot(d device.DType) (k *kernel[A], pack int) {
	switch d {
	case device.Float32:
		return f.single, 4
	case device.Float16, device.BFloat16:
		return f.short, 8
	}
	return nil, 0
}

// run enqueues an op that computes in this type. each is how many vectors a thread of a hot kernel has
// under way, or 0 for an op that the rare kernel has.
func (f *family[A]) run(b *Backend, in device.DType, each int, args func(e elements) A, out *device.Array, inputs ...*device.Array) {
	n := out.Numel()
	if n == 0 {
		return
	}
	arrays := append([]*device.Array{out}, inputs...)
	if each == 0 {
		e := newElements(1, out, inputs...)
		e.Order = int32(in)
		f.rare.launch(b, b.linear(n, 1), args(e), arrays...)
		return
	}
	k, pack := f.hot(out.DType)
	if k == nil || in != device.Float32 || !sameDType(arrays) {
		k, pack = f.any[in], anyPack
	}
	e := newElements(pack, out, inputs...)
	if k != f.any[in] && !e.hot(len(arrays)) {
		e.Packed = 0 // hot packs have no steps
	}
	if e.Packed == 0 {
		pack, each = 1, 1
	}
	k.launch(b, b.linear(n, pack*each), args(e), arrays...)
}

// hot reports whether the output lies in vectors, and each input does or is repeated.
func (e *elements) hot(arrays int) bool {
	for k := range arrays {
		if e.Lie[k] != lieVector && (k == 0 || e.Inner[k] != 0) {
			return false
		}
	}
	return true
}

func sameDType(arrays []*device.Array) bool {
	for _, a := range arrays {
		if a.DType != arrays[0].DType {
			return false
		}
	}
	return true
}
