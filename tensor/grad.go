package tensor

import (
	"slices"
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
	spent  bool // Backward has gone through it and dropped what was kept

	shape  []int // of the output
	dtype  DType
	device Device

	ints   []int   // parameters for the rule
	number float64 // likewise

	shapeBuf [4]int
	inputBuf [3]*node
	keptBuf  [3]kept
}

// kept is a tensor that a rule needs, and the version its elements had.
type kept struct {
	tensor  *Tensor
	version uint64
}

// record puts an op on the tape when one of its inputs needs a gradient, and makes out its result.
// It returns nil when nothing is recorded. Inputs may be nil.
func record(op string, out *Tensor, r rule, inputs ...*Tensor) *node {
	needed := false
	for _, x := range inputs {
		needed = needed || x != nil && x.node != nil
	}
	if !needed || !DType(out.arr.DType).IsFloat() || !GradEnabled() {
		return nil
	}
	n := &node{op: op, rule: r}
	n.inputs = n.inputBuf[:0]
	for _, x := range inputs {
		var in *node
		if x != nil {
			in = x.node
		}
		n.inputs = append(n.inputs, in)
	}
	n.describe(out)
	out.node = n
	return n
}

func (n *node) describe(t *Tensor) {
	n.shape = append(n.shapeBuf[:0], t.arr.Shape...)
	n.dtype, n.device = t.DType(), t.Device()
}

// needs reports whether input i needs a gradient.
func (n *node) needs(i int) bool { return n.inputs[i] != nil }

// keep stores tensors for the rule, in the order in which it reads them.
func (n *node) keep(ts ...*Tensor) {
	n.kept = n.keptBuf[:0]
	for _, t := range ts {
		k := kept{tensor: t}
		if t != nil {
			k.version = t.Version()
		}
		n.kept = append(n.kept, k)
	}
}

// get returns the k-th kept tensor. It panics when its elements were changed in place meanwhile.
func (n *node) get(k int) *Tensor {
	s := n.kept[k]
	if v := s.tensor.Version(); v != s.version {
		by := "an op"
		if p := s.tensor.store.writer.Load(); p != nil {
			by = *p
		}
		fail("backward", "%s kept a %s tensor of shape %v for its gradient, and %s changed it in "+
			"place afterwards; use the form that is not in place, or change a Clone",
			n.op, s.tensor.DType(), s.tensor.arr.Shape, by)
	}
	return s.tensor
}

// SetRequiresGrad makes t a leaf whose gradient Backward computes, or one without, and returns t.
// It panics where t has integers or was computed by a recorded op.
func (t *Tensor) SetRequiresGrad(on bool) *Tensor {
	switch {
	case t.node != nil && t.node.leaf == nil:
		fail("requires_grad", "the tensor is a result of %s; use Detach to cut it off", t.node.op)
	case on && !t.DType().IsFloat():
		fail("requires_grad", "a tensor of %s has no gradient; floating point has", t.DType())
	case on && t.node == nil:
		t.node = &node{op: "leaf", leaf: t}
		t.node.describe(t)
	case !on:
		t.node = nil
	}
	return t
}

// RequiresGrad reports whether Backward goes through t.
func (t *Tensor) RequiresGrad() bool { return t.node != nil }

// IsLeaf reports whether t was made by the user and not by a recorded op.
func (t *Tensor) IsLeaf() bool { return t.node == nil || t.node.leaf != nil }

// Grad returns the gradient that Backward has accumulated, or nil. It has the dtype of t. Its
// elements are the live ones: ops in place on it change the gradient.
func (t *Tensor) Grad() *Tensor { return t.grad }

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
	}
	t.grad = g
}

// Detach returns a view of t that requires no gradient.
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
}

// Backward computes the gradients of t with respect to every leaf that it was computed from, and
// adds them to the leaves' Grad. t has one element unless a gradient is given. The tape is used up
// unless RetainGraph is set. Autocast does not apply to it.
func (t *Tensor) Backward(config ...BackwardConfig) {
	c := one("backward", config)
	if t.node == nil {
		fail("backward", "the tensor does not require a gradient: no tensor it was computed from "+
			"had SetRequiresGrad(true), or it was computed under NoGrad")
	}
	g := c.Gradient
	switch {
	case g == nil && t.Numel() != 1:
		fail("backward", "a tensor of shape %v needs a gradient: reduce it with Sum or Mean, or "+
			"give BackwardConfig{Gradient: …}", t.arr.Shape)
	case g == nil:
		g = empty("backward", t.Device(), t.DType(), t.arr.Shape)
		t.backend("backward").Fill(&g.arr, 1)
	case !equalInts(g.arr.Shape, t.arr.Shape):
		fail("backward", "the gradient has shape %v and the tensor %v", g.arr.Shape, t.arr.Shape)
	default:
		g = g.Detach()
	}
	l, saved := enter()
	defer l.restore(&saved)
	l.noGrad, l.cast = true, nil
	flow := gradients{}
	flow.add(t.node, g, g)
	for _, n := range order(t.node) {
		flow.through(n, c.RetainGraph)
	}
}

// order returns the nodes that root was computed from, root first, each behind all nodes that
// use it.
func order(root *node) []*node {
	uses := map[*node]int{}
	stack := []*node{root}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n.spent {
			fail("backward", "%s was gone through by an earlier Backward, which used up its tape; "+
				"give that one BackwardConfig{RetainGraph: true}", n.op)
		}
		for _, in := range n.inputs {
			if in == nil {
				continue
			}
			if uses[in]++; uses[in] == 1 {
				stack = append(stack, in)
			}
		}
	}
	sorted := make([]*node, 0, len(uses)+1)
	stack = append(stack, root)
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		sorted = append(sorted, n)
		for _, in := range n.inputs {
			if in == nil {
				continue
			}
			if uses[in]--; uses[in] == 0 {
				stack = append(stack, in)
			}
		}
	}
	return sorted
}

// gradients holds what has arrived at each node.
type gradients map[*node]arrived

type arrived struct {
	g   *Tensor
	own bool // nothing else uses the elements, so they may be changed
}

// add notes that part of n's gradient is g. from is the gradient it was computed of: g may share
// its elements.
func (flow gradients) add(n *node, g, from *Tensor) {
	if !equalInts(g.arr.Shape, n.shape) {
		g = g.sumTo(n.shape)
	}
	if g.DType() != n.dtype {
		g = g.To(n.dtype)
	}
	had, ok := flow[n]
	switch {
	case !ok:
		flow[n] = arrived{g, g.store != from.store}
	case had.own:
		had.g.AddInPlace(g)
	default:
		flow[n] = arrived{had.g.Add(g), true}
	}
}

// through takes n's gradient on to its inputs, or to the leaf.
func (flow gradients) through(n *node, retain bool) {
	at := flow[n]
	delete(flow, n)
	if n.leaf != nil {
		n.leaf.accumulate(at)
		return
	}
	for i, in := range n.inputs {
		if in != nil {
			flow.add(in, n.rule(n, at.g, i), at.g)
		}
	}
	if !retain {
		n.spent = true
		n.kept, n.keptBuf = nil, [3]kept{}
	}
}

// accumulate adds to the gradient of a leaf.
func (t *Tensor) accumulate(at arrived) {
	switch {
	case t.grad != nil:
		t.grad.AddInPlace(at.g)
	case at.own && at.g.IsContiguous():
		t.grad = at.g
	default:
		t.grad = at.g.Clone()
	}
}

// sumTo undoes broadcasting: it sums t over the dimensions in which shape is smaller.
func (t *Tensor) sumTo(shape []int) *Tensor {
	var axes []int
	extra := len(t.arr.Shape) - len(shape)
	for d, n := range t.arr.Shape {
		if d < extra || shape[d-extra] == 1 && n != 1 {
			axes = append(axes, d)
		}
	}
	if len(axes) > 0 {
		t = t.Sum(axes...)
	}
	return t.Reshape(slices.Clone(shape)...)
}
