package tensor

import (
	"sync"
	"weak"
)

// This file implements how autograd records ops that write into their receiver. The result of the
// op without the write is computed and recorded, its elements are copied into the receiver, and
// the receiver takes over its place on the tape. Where the receiver is a view, its base becomes
// the result of a write to a part of it, and all views of the base follow.

// rewrite replaces the elements of t by those of f(t) and returns t: it makes the in-place form of
// an op out of the form that is not in place,
//
//	var nameNeg = "NegInPlace"
//	func (t *Tensor) NegInPlace() *Tensor { return t.rewrite(&nameNeg, (*Tensor).Neg) }
//
// f gets the old elements, and returns a tensor of t's shape that may depend on other tensors too.
// The result is converted to t's dtype. Autocast does not apply. Where t, or a tensor that f uses,
// requires a gradient and recording is on, t becomes a result of f; t must then be no leaf that
// requires a gradient and no view of one, and no view that was made under NoGrad.
func (t *Tensor) rewrite(name *string, f func(x *Tensor) *Tensor) *Tensor {
	t.mayRewrite(*name)
	recording := GradEnabled() && t.DType().IsFloat()
	old := t
	if recording {
		old = t.snapshot(*name) // f's rule may keep its argument, which is about to change
	}
	out := composed(func() *Tensor { return f(old) })
	if !equalInts(out.arr.Shape, t.arr.Shape) {
		fail(*name, "the result has shape %v and the tensor that is written in place %v",
			out.arr.Shape, t.arr.Shape)
	}
	mustHold(*name, out.DType(), t.DType())
	out = out.toDType(t.DType())
	if recording {
		out = t.successor(*name, old, out)
	}
	moved := out.overlapFree(t)
	t.backend(*name).Copy(&t.arr, &moved.arr)
	t.wrote(name)
	if recording && out.gradNode() != old.gradNode() {
		t.follow(out.gradNode())
	}
	return t
}

// snapshot returns a copy of t that has t's place on the tape.
func (t *Tensor) snapshot(op string) *Tensor {
	out := empty(op, t.Device(), t.DType(), t.arr.Shape)
	t.backend(op).Copy(&out.arr, &t.arr)
	out.node = t.gradNode()
	return out
}

// mayRewrite panics where t cannot be written in place by an op that is recorded.
func (t *Tensor) mayRewrite(op string) {
	t.writable(op)
	if t.DType().IsFloat() && GradEnabled() {
		t.refuseLeaf(op)
	}
}

// refuseLeaf panics where t is a leaf that requires a gradient, or a part of one.
func (t *Tensor) refuseLeaf(op string) {
	b := t.root()
	if b.node == nil || b.node.leaf == nil {
		return
	}
	what := "a leaf"
	if b != t {
		what = "a view of a leaf"
	}
	fail(op, "%s that requires a gradient cannot be written in place: the gradient would be that "+
		"of its old elements; update it under NoGrad, or use the op that returns a new tensor",
		what)
}

// records reports whether a write to t, computed of t and others, must go on the tape.
func (t *Tensor) records(others ...*Tensor) bool {
	if !t.DType().IsFloat() || !GradEnabled() {
		return false
	}
	needed := t.gradNode() != nil || t.root().gradNode() != nil
	for _, o := range others {
		needed = needed || o != nil && o.gradNode() != nil
	}
	return needed
}

// byRewrite reports whether a write to t must go by way of rewrite: to be recorded, or to be
// watched by DetectNonFinite.
func (t *Tensor) byRewrite(others ...*Tensor) bool {
	return t.records(others...) || detecting() && t.DType().IsFloat()
}

// successor returns out, which was computed of old, as a result that t can follow: one that has a
// place on the tape of its own where t, its base or out require a gradient.
func (t *Tensor) successor(op string, old, out *Tensor) *Tensor {
	n := out.gradNode()
	if n == old.gradNode() && n == t.root().gradNode() {
		return out // nothing requires a gradient, or f returned its argument
	}
	if t.sealed {
		fail(op, "the tensor is a view that was made under NoGrad or in a Function: a recorded "+
			"write to it would not reach the tensor that it is a part of; make the view outside, "+
			"or write under NoGrad")
	}
	if b := t.root(); b != t && !disjoint(&b.arr) {
		fail(op, "the tensor is a view of one that repeats its elements (strides %v); write to a "+
			"view of a Clone", b.arr.Strides)
	}
	if n == nil || n.leaf != nil {
		return replaced(op, old, out)
	}
	return out
}

// follow gives t the place n on the tape. Where t is a view, the place is that of its part of the
// base.
func (t *Tensor) follow(n *node) {
	b := t.root()
	if b != t {
		w := windowOf(t, b)
		n = newNode("copy_slices", w.sliceGrad, b, b.gradNode(), n)
	}
	b.setNode(n)
	b.more().written = n
}

// replaced returns a tensor with src's elements, broadcast to x's shape, that stays a result of x,
// with a gradient of zero.
func replaced(op string, x, src *Tensor) *Tensor {
	out := empty(op, x.Device(), x.DType(), x.arr.Shape)
	x.backend(op).Copy(&out.arr, &src.arr)
	record("copy", out, replacedGrad, x, src)
	return out
}

func replacedGrad(_ *node, g *Tensor, i int) *Tensor {
	if i == 0 {
		return ZerosLike(g)
	}
	return g
}

// joinBase notes which of an op's inputs t is a view of.
func (t *Tensor) joinBase(inputs []*Tensor) {
	for _, x := range inputs {
		if x != nil && x != t && x.store == t.store {
			t.base = x.root()
			t.from.Store(t.base.written())
			t.sealed = x.sealed || !GradEnabled()
			return
		}
	}
}

// root returns the tensor that t is a part of as far as autograd knows: t itself where it is no
// view, was cut off by Detach, or is a leaf with a gradient of its own.
func (t *Tensor) root() *Tensor {
	if t.base == nil || t.base.store != t.store || t.node != nil && t.node.leaf != nil {
		return t
	}
	return t.base
}

// gradNode returns t's place on the tape, or nil. That of a view is made anew when its base was
// written in place by a recorded op since.
func (t *Tensor) gradNode() *node {
	if t.base == nil || t.sealed || t.from.Load() == t.base.written() {
		return t.node
	}
	return t.renew()
}

// renewing is held while a view's node is made anew.
var renewing sync.Mutex

// renew derives the node of a view from its base's node. Several readers of t may come at once.
func (t *Tensor) renew() *node {
	b := t.root()
	if b == t {
		return t.node
	}
	renewing.Lock()
	defer renewing.Unlock()
	if t.from.Load() == b.written() {
		return t.node
	}
	w := windowOf(t, b)
	t.setNode(newNode("as_strided", w.putGrad, t, b.node))
	t.from.Store(b.written())
	return t.node
}

// setNode gives t another place on the tape. Its hooks stay with the old one, whose gradient they
// were registered for; a retained gradient is that of the new one.
func (t *Tensor) setNode(n *node) {
	if t.retains && t.node != nil {
		t.node.hooks.retainer = weak.Pointer[Tensor]{}
	}
	t.node = n
	if t.retains && n != nil {
		if n.hooks == nil {
			n.hooks = new(hooks)
		}
		n.hooks.retainer = weak.Make(t)
	}
}
