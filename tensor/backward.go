package tensor

import "slices"

// This file implements the way back through the tape.

// backward is one run from the outputs to the leaves.
type backward struct {
	retain bool              // keep the tape
	create bool              // record the gradients' own computation
	wanted map[*node]*Tensor // where not nil: collect these gradients, and change no leaf
	needed map[*node]bool    // where not nil: the nodes to go through
	detect bool              // look for the first gradient that is not finite
	flow   map[*node]arrived
	joint  map[*node][]*Tensor // the gradients that came to the outputs of joint nodes
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
	b.detect = l.detect
	l.noGrad, l.cast, l.detect, l.pack = !b.create, nil, false, nil
	b.flow, b.joint = map[*node]arrived{}, map[*node][]*Tensor{}
	roots := make([]*node, len(outputs))
	for i, t := range outputs {
		roots[i] = t.gradNode()
		b.add(roots[i], seeds[i], nil)
	}
	nodes := order(roots)
	b.needed = b.wayToWanted(nodes)
	for i, n := range nodes {
		if b.needed == nil || b.needed[n] {
			b.through(n)
		}
		nodes[i] = nil // what n has kept can be freed while the way back goes on
	}
}

// wayToWanted returns the nodes that are wanted or lie on the way to one, or nil where all are.
func (b *backward) wayToWanted(nodes []*node) map[*node]bool {
	if b.wanted == nil {
		return nil
	}
	needed := make(map[*node]bool, len(nodes))
	for _, n := range slices.Backward(nodes) {
		_, needed[n] = b.wanted[n]
		for _, in := range n.inputs {
			needed[n] = needed[n] || in != nil && needed[in]
		}
	}
	return needed
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

// add notes that part of n's gradient is g. from is the gradient it was computed of, whose elements
// g may share; where it is nil, anything may share them.
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
		b.flow[n] = arrived{g, from != nil && g.store != from.store && g.IsContiguous()}
		return
	case had.own && !b.create:
		finite := b.detect && had.g.AllFinite()
		had.g.AddInPlace(g)
		b.checkSum(n, had.g, finite && g.AllFinite())
	default:
		sum := had.g.Add(g)
		b.checkSum(n, sum, b.detect && had.g.AllFinite() && g.AllFinite())
		b.flow[n] = arrived{sum, true}
	}
}

// through takes n's gradient on to its inputs, or to the leaf.
func (b *backward) through(n *node) {
	at := b.flow[n]
	delete(b.flow, n)
	before := at
	if at.g != nil {
		at = n.hook(at)
	}
	goesOn := b.goesOn(n)
	if goesOn {
		b.collect(n, before)
	} else {
		b.collect(n, at)
	}
	switch {
	case !goesOn:
		return
	case n.leaf != nil:
		if at.g != nil {
			b.accumulate(n, at)
		}
		return
	case n.joint != nil:
		b.throughJoint(n)
	case at.g == nil:
	case n.rule == nil:
		b.toJoint(n, at.g)
	default:
		b.throughRule(n, at.g)
	}
	if !b.retain && len(n.kept) > 0 {
		// A node that kept nothing, such as a cast, can be gone through again: two losses may
		// share it, as the cast of a weight, and each has its own Backward.
		n.spent = true
		n.kept, n.keptBuf = nil, [3]kept{}
		n.inputs, n.inputBuf = nil, [3]*node{}
	}
}

// collect puts the gradient away where it is wanted.
func (b *backward) collect(n *node, at arrived) {
	if _, ok := b.wanted[n]; !ok {
		return
	}
	if at.g != nil && !b.create && !at.own {
		at.g = at.g.Clone()
	}
	b.wanted[n] = at.g
}

// goesOn reports whether the gradient is wanted of what n was computed from, or of leaf n itself.
func (b *backward) goesOn(n *node) bool {
	return b.needed == nil || slices.ContainsFunc(n.inputs, func(in *node) bool {
		return in != nil && b.needed[in]
	})
}

// throughRule computes the gradients of n's inputs one by one.
func (b *backward) throughRule(n *node, g *Tensor) {
	finite := b.detect && g.AllFinite()
	for i, in := range n.inputs {
		if in == nil || b.needed != nil && !b.needed[in] {
			continue
		}
		part := n.rule(n, g, i)
		b.check(n, i, part, finite)
		b.add(in, part, g)
	}
}

// accumulate adds to the gradient of a leaf, unless it was frozen since. Several runs may come to
// one leaf at once.
func (b *backward) accumulate(n *node, at arrived) {
	if n.leaf.node == nil {
		return
	}
	if now := n.leaf.node; !equalInts(now.shape, n.shape) || now.dtype != n.dtype ||
		now.device != n.device {
		fail("backward", "%s was %s of shape %v on %s when it was used, and SetData made it %s of "+
			"shape %v on %s; go back before", n.called(), n.dtype, n.shape, n.device,
			now.dtype, now.shape, now.device)
	}
	n.hooks.mu.Lock()
	had := n.leaf.grad
	finite := b.detect && had != nil && had.AllFinite() && at.g.AllFinite()
	n.leaf.accumulate(at, b.create)
	sum := n.leaf.grad
	n.hooks.mu.Unlock()
	b.checkSum(n, sum, finite)
	n.hooks.after(n.leaf)
}

// accumulate adds to t's gradient. Where that is recorded, the sum is a new tensor.
func (t *Tensor) accumulate(at arrived, recorded bool) {
	switch {
	case t.grad != nil && recorded:
		t.grad = t.grad.Add(at.g)
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
