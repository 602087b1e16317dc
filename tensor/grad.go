package tensor

import (
	"slices"
	"sync/atomic"
)

// A rule gives the gradient of an op's input number i, when g is that of its output. It is
// written with ops that can be recorded themselves. It need not undo broadcasting nor cast: the
// engine sums the result down to the input's shape and casts it to the input's dtype.
type rule func(n *node, g *Tensor, i int) *Tensor

// A node is one entry of the tape: how a tensor was computed, or where a leaf's gradient goes.
type node struct {
	op     string
	rule   rule
	leaf   *Tensor // of a leaf's node; nil otherwise
	inputs []*node // nil where an input needs no gradient
	kept   []kept
	spent  bool          // Backward has gone through it and dropped what was kept
	slot   int32         // of an output of a joint node: its number
	joint  *joint        // of a joint node
	hooks  *hooks        // what happens to the gradient; a leaf always has them
	mark   atomic.Uint64 // the place in the states of the run that is at it

	shape  []int // of the output
	dtype  DType
	device Device

	ints   []int   // parameters for the rule
	number float64 // likewise

	shapeBuf [4]int
	inputBuf [3]*node
	keptBuf  [2]kept
}

// kept is a tensor that a rule needs, and the version its elements had.
type kept struct {
	tensor  *Tensor
	version uint64
	late    *late // where tensor is to be computed again
}

// record puts an op on the tape when one of its inputs needs a gradient, and makes out its result.
// It returns nil when nothing is recorded. Inputs may be nil.
func record(op string, out *Tensor, r rule, inputs ...*Tensor) *node {
	if out.view {
		out.joinBase(inputs)
	}
	l := current()
	if l != nil && l.detect {
		watch(op, out, inputs)
	}
	needed := false
	for _, x := range inputs {
		needed = needed || x != nil && x.gradNode() != nil
	}
	if !needed || !out.DType().IsFloat() || l != nil && l.noGrad {
		return nil
	}
	n := &node{op: op, rule: r}
	n.take(inputs)
	n.describe(out)
	out.node = n
	return n
}

// take makes tensors, of which some may be nil, the inputs of n.
func (n *node) take(inputs []*Tensor) {
	n.inputs = n.inputBuf[:0]
	for _, x := range inputs {
		var in *node
		if x != nil {
			in = x.gradNode()
		}
		n.inputs = append(n.inputs, in)
	}
}

// newNode returns a node whose output has t's shape, dtype and device. Inputs may be nil.
func newNode(op string, r rule, t *Tensor, inputs ...*node) *node {
	n := &node{op: op, rule: r}
	n.inputs = append(n.inputBuf[:0], inputs...)
	n.describe(t)
	return n
}

func (n *node) describe(t *Tensor) {
	n.shape = append(n.shapeBuf[:0], t.arr.Shape...)
	n.dtype, n.device = t.DType(), t.Device()
}

// needs reports whether input i needs a gradient.
func (n *node) needs(i int) bool { return n.inputs[i] != nil }

// keep stores tensors for the rule, in the order in which it reads them.
func (n *node) keep(ts ...*Tensor) { n.kept = keepAll(n.keptBuf[:0], ts) }

// get returns the k-th kept tensor. It panics when its elements were changed in place meanwhile.
func (n *node) get(k int) *Tensor {
	if n.spent {
		fail("backward", "%s was gone through, which used up what it had kept", n.op)
	}
	return n.kept[k].fetch(n.op)
}

// getOrNil is get for a tensor that may have been nil.
func (n *node) getOrNil(k int) *Tensor {
	if !n.spent && n.kept[k].tensor == nil && n.kept[k].late == nil {
		return nil
	}
	return n.get(k)
}

// stale panics: the elements of a tensor that op has kept were changed.
func stale(op string, dtype DType, shape []int, st *storage) {
	if st.gone() {
		fail("backward", "%s kept a %s tensor of shape %v for its gradient, which was freed afterwards; "+
			"free it after Backward", op, dtype, shape)
	}
	by := "SetData" // all else leaves its name
	if p := st.writer.Load(); p != nil {
		by = *p
	}
	fail("backward", "%s kept a %s tensor of shape %v for its gradient, and %s changed it in "+
		"place afterwards; use the form that is not in place, or change a Clone",
		op, dtype, shape, by)
}

// SetRequiresGrad makes t a leaf whose gradient Backward computes, or one without, and returns t.
// It panics where t has integers or was computed by a recorded op.
func (t *Tensor) SetRequiresGrad(on bool) *Tensor {
	switch {
	case !t.IsLeaf():
		fail("requires_grad", "the tensor is a result of %s; use Detach to cut it off",
			t.gradNode().op)
	case on && !t.DType().IsFloat():
		fail("requires_grad", "a tensor of %s has no gradient; floating point has", t.DType())
	case on && t.node == nil:
		x := t.more()
		if x.hooks == nil {
			x.hooks = new(hooks)
		}
		t.node = &node{op: "leaf", leaf: t, hooks: x.hooks}
		t.node.describe(t)
		t.frozen = false
	case !on:
		t.frozen = t.frozen || t.node != nil
		t.node = nil
	}
	return t
}

// IsFrozen reports whether t had required a gradient until SetRequiresGrad(false): a parameter that
// is kept as it is, and not one of the tensors of a model that never are parameters.
func (t *Tensor) IsFrozen() bool { return t.frozen }

// RequiresGrad reports whether Backward goes through t.
func (t *Tensor) RequiresGrad() bool { return t.gradNode() != nil }

// IsLeaf reports whether t was made by the user and not by a recorded op.
func (t *Tensor) IsLeaf() bool {
	n := t.gradNode()
	return n == nil || n.leaf != nil
}

// Grad returns the gradient that Backward has accumulated, or nil. It has the dtype of t. Its
// elements are the live ones: ops in place on it change the gradient.
func (t *Tensor) Grad() *Tensor { return t.gradient().held() }

// gradient is Grad for who lets go of the gradient again.
func (t *Tensor) gradient() *Tensor {
	t.touchGrad(true)
	if t.extra == nil {
		return nil
	}
	return t.extra.grad
}

// touchGrad tells a graph that records the goroutine's ops that t's gradient is asked for, or replaced.
func (t *Tensor) touchGrad(asked bool) {
	if recordings.Load() == 0 || t.store == nil {
		return
	}
	if r := recordingOf(t.store.device); r != nil {
		r.touch(t, asked)
	} else if l := current(); l != nil && l.graph != nil {
		fail("graph", "a Graph does the work of %s again, and not that of %s, where a gradient is; move the model there",
			l.graph.device, t.store.device)
	}
}

// SetGrad replaces the gradient; nil drops it. It panics where shape, dtype or device are not t's.
func (t *Tensor) SetGrad(g *Tensor) {
	if g != nil {
		if !equalInts(g.arr.Shape, t.arr.Shape) {
			fail("grad", "shape %v is not the tensor's %v", g.arr.Shape, t.arr.Shape)
		}
		if g.DType() != t.DType() || g.Device() != t.Device() {
			fail("grad", "%s on %s is not the tensor's %s on %s",
				g.DType(), g.Device(), t.DType(), t.Device())
		}
		g = g.Detach()
		g.hold()
	}
	t.touchGrad(false)
	x := t.more()
	if x.grad != nil {
		x.grad.drop()
	}
	x.grad = g
}

// Detach returns a view of t that requires no gradient. Writing to it in place changes t's elements
// too, and is not recorded for t.
func (t *Tensor) Detach() *Tensor {
	out := t.alias(len(t.arr.Shape))
	copy(out.arr.Shape, t.arr.Shape)
	copy(out.arr.Strides, t.arr.Strides)
	return out
}

// A BackwardConfig changes how Backward works.
type BackwardConfig struct {
	Gradient    *Tensor // of the tensor itself; needed where it has more than one element
	RetainGraph bool    // keep the tape for another Backward
	CreateGraph bool    // record the computation of the gradients; implies RetainGraph
}

// Backward computes the gradients of t with respect to every leaf that it was computed from, and
// adds them to the leaves' Grad. t has one element unless a gradient is given. The tape is used up
// unless RetainGraph is set, and freed as the way back goes on. Autocast does not apply to it.
//
// Several goroutines may each go back through a graph of their own at once, also where the graphs
// have leaves in common.
func (t *Tensor) Backward(config ...BackwardConfig) {
	c := one("backward", config)
	g := t.seed("backward", c.Gradient)
	b := backward{retain: c.RetainGraph || c.CreateGraph, create: c.CreateGraph}
	run(b, []*Tensor{t}, []*Tensor{g})
}

// A GradConfig changes how Grad works.
type GradConfig struct {
	GradOutputs []*Tensor // gradient of each output; nil means 1, for outputs of one element
	RetainGraph bool      // keep the tape for another Backward
	CreateGraph bool      // record the computation of the gradients; implies RetainGraph
	Materialize bool      // zeros instead of nil for inputs that no output was computed from
}

// Grad returns the gradients of the sum of outputs with respect to inputs, which may be leaves or
// results of recorded ops, and adds nothing to the leaves' Grad. Only ops on the way from an
// output to an input are gone through, and only there hooks run. The gradient returned is what the
// input's own hooks made of it; for an input that another one was computed from it is, as in
// PyTorch, the gradient before them. Autocast does not apply to it.
//
// The gradient is nil for an input that no output was computed from: PyTorch's allow_unused is
// always on, and Materialize is its materialize_grads.
func Grad(outputs, inputs []*Tensor, config ...GradConfig) []*Tensor {
	c := one("grad", config)
	if c.GradOutputs != nil && len(c.GradOutputs) != len(outputs) {
		fail("grad", "%d outputs and %d gradients of outputs", len(outputs), len(c.GradOutputs))
	}
	seeds := make([]*Tensor, len(outputs))
	for i, t := range outputs {
		if c.GradOutputs != nil {
			seeds[i] = c.GradOutputs[i]
		}
		seeds[i] = t.seed("grad", seeds[i])
	}
	b := backward{retain: c.RetainGraph || c.CreateGraph, create: c.CreateGraph,
		wanted: map[*node]*Tensor{}}
	for i, x := range inputs {
		if !x.RequiresGrad() {
			fail("grad", "input %d does not require a gradient", i)
		}
		b.wanted[x.gradNode()] = nil
	}
	run(b, outputs, seeds)
	grads := make([]*Tensor, len(inputs))
	for i, x := range inputs {
		grads[i] = b.wanted[x.gradNode()]
		if grads[i] == nil && c.Materialize {
			grads[i] = ZerosLike(x)
		}
	}
	return grads
}

// seed returns the gradient that Backward begins with at t: g, or 1 where it is nil.
func (t *Tensor) seed(op string, g *Tensor) *Tensor {
	if !t.RequiresGrad() {
		fail(op, "the tensor does not require a gradient: no tensor it was computed from "+
			"had SetRequiresGrad(true), or it was computed under NoGrad")
	}
	if g == nil {
		if t.Numel() != 1 {
			fail(op, "a tensor of shape %v needs a gradient: reduce it with Sum or Mean, or "+
				"give one in the config", t.arr.Shape)
		}
		return OnesLike(t)
	}
	if !equalInts(g.arr.Shape, t.arr.Shape) {
		fail(op, "the gradient has shape %v and the tensor %v", g.arr.Shape, t.arr.Shape)
	}
	return g
}

// RecordedFrom reports whether t is the result of a recorded op on x, as x is now: a leaf that was
// frozen and thawed since is another one for Backward.
func (t *Tensor) RecordedFrom(x *Tensor) bool {
	return t.node != nil && x.node != nil && slices.Contains(t.node.inputs, x.node)
}
