package tensor

import (
	"slices"
	"sync"
	"weak"
)

// This file implements what users may do while Backward goes on: look at gradients and change
// them.

// hooks are the functions that run when a gradient has come to a place on the tape.
type hooks struct {
	gradient   []*gradientHook
	accumulate []*accumulateHook
	retainer   weak.Pointer[Tensor] // the result whose Grad RetainGrad asked for
	mu         sync.Mutex           // of a leaf: held while its gradient is added to
}

type gradientHook struct{ f func(g *Tensor) *Tensor }

type accumulateHook struct{ f func(t *Tensor) }

// RegisterHook calls f whenever Backward or Grad has computed the gradient of t, a leaf or the
// result of a recorded op, and before it goes on to what t was computed from. What f returns takes
// its place; nil leaves it as it is. f must not change its argument in place. Hooks run in the
// order in which they were registered. That of a leaf sees the gradient of this Backward alone,
// before it is added to Grad.
//
// Autocast does not apply to f, and what it does is recorded under CreateGraph only. A hook that
// was registered before t was written in place sees the gradient of the old elements. The
// function returned ends it.
func (t *Tensor) RegisterHook(f func(g *Tensor) *Tensor) (remove func()) {
	n := t.hookable("register_hook")
	checkFunction("register_hook", f != nil)
	h := &gradientHook{f}
	list := &n.hooks.gradient
	*list = append(slices.Clone(*list), h)
	return func() {
		*list = slices.DeleteFunc(slices.Clone(*list), func(o *gradientHook) bool { return o == h })
	}
}

// RegisterPostAccumulateGradHook calls f with t, a leaf, whenever Backward has added to t's Grad:
// an optimizer may step there, or a gradient start on its way to other processes. Grad does not
// call it. The function returned ends it.
func (t *Tensor) RegisterPostAccumulateGradHook(f func(t *Tensor)) (remove func()) {
	const op = "register_post_accumulate_grad_hook"
	n := t.hookable(op)
	checkFunction(op, f != nil)
	if n.leaf == nil {
		fail(op, "the tensor is a result of %s; gradients are added up in leaves only: use "+
			"RegisterHook", n.op)
	}
	h := &accumulateHook{f}
	list := &n.hooks.accumulate
	*list = append(slices.Clone(*list), h)
	return func() {
		*list = slices.DeleteFunc(slices.Clone(*list), func(o *accumulateHook) bool {
			return o == h
		})
	}
}

// hookable returns t's place on the tape, with hooks, or panics.
func (t *Tensor) hookable(op string) *node {
	n := t.gradNode()
	if n == nil {
		fail(op, "the tensor does not require a gradient, so none will come")
	}
	if n.hooks == nil {
		n.hooks = new(hooks)
	}
	return n
}

// RetainGrad lets Backward and Grad add the gradient of t, the result of a recorded op, to t's
// Grad as they do for leaves, and returns t. It is the gradient behind t's hooks. For a leaf it
// changes nothing.
func (t *Tensor) RetainGrad() *Tensor {
	n := t.hookable("retain_grad")
	if n.leaf == nil {
		t.retains = true
		n.hooks.retainer = weak.Make(t)
	}
	return t
}

// hook runs the hooks of n on its gradient, and retains it for the tensor that asked for it.
func (n *node) hook(at arrived) arrived {
	if n.hooks == nil {
		return at
	}
	for _, h := range n.hooks.gradient {
		at.own, at.shared = false, false // the hook may have put it away
		if g := h.f(at.g); g != nil {
			n.checkHooked(g)
			at.g = g
		}
	}
	if t := n.hooks.retainer.Value(); t != nil {
		t.accumulate(arrived{g: at.g}, GradEnabled())
	}
	return at
}

func (n *node) checkHooked(g *Tensor) {
	if !equalInts(g.arr.Shape, n.shape) || g.DType() != n.dtype || g.Device() != n.device {
		fail("register_hook", "the hook of %s returned %s of shape %v on %s; its gradient "+
			"is %s of shape %v on %s", n.called(), g.DType(), g.arr.Shape, g.Device(),
			n.dtype, n.shape, n.device)
	}
}

// after runs the hooks of a leaf whose gradient was added to.
func (h *hooks) after(leaf *Tensor) {
	for _, a := range h.accumulate {
		a.f(leaf)
	}
}
