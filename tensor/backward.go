package tensor

import "slices"

// This file implements the way back through the tape.

// backward is one run from the outputs to the leaves.
type backward struct {
	retain bool              // keep the tape
	create bool              // record the gradients' own computation
	wanted map[*node]*Tensor // where not nil: collect these gradients, and change no leaf
	flow   map[*node]arrived
}

// arrived is the gradient that has come to a node so far.
type arrived struct {
	g   *Tensor
	own bool // nothing else uses the elements, so they may be changed
}

// run takes the seeds from the outputs to the leaves, without autocast.
func run(b backward, outputs, seeds []*Tensor) {
	l, saved := enter()
	defer l.restore(&saved)
	l.noGrad, l.cast = !b.create, nil
	b.flow = map[*node]arrived{}
	roots := make([]*node, len(outputs))
	for i, t := range outputs {
		roots[i] = t.node
		b.add(t.node, seeds[i], seeds[i])
	}
	for _, n := range order(roots) {
		b.through(n)
	}
}

// order returns the nodes that the roots were computed from, each behind all nodes that use it.
func order(roots []*node) []*node {
	uses := map[*node]int{}
	var stack []*node
	visit := func(n *node) {
		if n.spent {
			fail("backward", "%s was gone through by an earlier Backward, which used up its tape; "+
				"set RetainGraph there", n.op)
		}
		if uses[n]++; uses[n] == 1 {
			stack = append(stack, n)
		}
	}
	for _, n := range roots {
		visit(n)
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, in := range n.inputs {
			if in != nil {
				visit(in)
			}
		}
	}
	sorted := make([]*node, 0, len(uses))
	done := func(n *node) {
		if uses[n]--; uses[n] == 0 {
			stack = append(stack, n)
		}
	}
	for _, n := range roots {
		done(n)
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		sorted = append(sorted, n)
		for _, in := range n.inputs {
			if in != nil {
				done(in)
			}
		}
	}
	return sorted
}

// add notes that part of n's gradient is g. from is the gradient it was computed of: g may share
// its elements.
func (b *backward) add(n *node, g, from *Tensor) {
	if !equalInts(g.arr.Shape, n.shape) {
		g = g.sumTo(n.shape)
	}
	if g.DType() != n.dtype {
		g = g.To(n.dtype)
	}
	had, ok := b.flow[n]
	switch {
	case !ok:
		b.flow[n] = arrived{g, g.store != from.store && g.IsContiguous()}
	case had.own && !b.create:
		had.g.AddInPlace(g)
	default:
		b.flow[n] = arrived{had.g.Add(g), true}
	}
}

// through takes n's gradient on to its inputs, or to the leaf.
func (b *backward) through(n *node) {
	at := b.flow[n]
	delete(b.flow, n)
	if _, ok := b.wanted[n]; ok {
		b.wanted[n] = at.g
		if !b.create && !at.own {
			b.wanted[n] = at.g.Clone()
		}
	}
	if n.leaf != nil {
		if b.wanted == nil {
			n.leaf.accumulate(at)
		}
		return
	}
	for i, in := range n.inputs {
		if in != nil {
			b.add(in, n.rule(n, at.g, i), at.g)
		}
	}
	if !b.retain && len(n.kept) > 0 {
		// A node that kept nothing, such as a cast, can be gone through again: two losses may
		// share it, as the cast of a weight, and each has its own Backward.
		n.spent = true
		n.kept, n.keptBuf = nil, [3]kept{}
		n.inputs, n.inputBuf = nil, [3]*node{}
	}
}

// accumulate adds to the gradient of a leaf.
func (t *Tensor) accumulate(at arrived) {
	switch {
	case t.grad != nil:
		t.grad.AddInPlace(at.g)
	case at.own:
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
