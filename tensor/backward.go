package tensor

import (
	"slices"
	"sync"
	"sync/atomic"
)

// This file implements the way back through the tape.

// backward is one run from the outputs to the leaves.
type backward struct {
	retain bool              // keep the tape
	create bool              // record the gradients' own computation
	wanted map[*node]*Tensor // where not nil: collect these gradients, and change no leaf
	detect bool              // look for the first gradient that is not finite
	local  *local

	number uint64          // of the run, for the marks of nodes
	states []state         // of the nodes to go through
	others map[*node]int32 // the places in states of nodes that bear another run's mark
	stack  []int32         // places in states, for order
	sorted []int32         // likewise
}

// A state is what a run knows of a node.
type state struct {
	node   *node
	uses   int32 // by nodes that do not stand in the order yet
	shared bool  // several nodes use it
	needed bool  // the way to what is wanted goes through the node
	at     arrived
	joint  []arrived // the gradients that came to the outputs of a joint node
}

// arrived is the gradient that has come to a node so far.
type arrived struct {
	g      *Tensor
	own    bool // nothing else uses the elements, so they may be changed
	shared bool // only others that have come from the same gradient do: each counts as a user
}

var (
	lastRun atomic.Uint64
	runs    = sync.Pool{New: func() any { return new(backward) }} // for their slices
)

// A mark says where the run of that number finds a node's state. Several runs may come to one node
// at once: a leaf, or the cast of one. The first marks it, others keep a map.
const markBits = 24 // for the place; the number takes the others

// run takes the seeds from the outputs to the leaves, without autocast.
func run(b backward, outputs, seeds []*Tensor) {
	l, saved := enter()
	defer l.restore(&saved)
	b.detect, b.local = l.detect, l
	l.noGrad, l.cast, l.detect, l.pack = !b.create, nil, false, nil
	r := runs.Get().(*backward)
	b.states, b.stack, b.sorted = r.states, r.stack, r.sorted
	*r = b
	r.goBack(outputs, seeds)
	clear(r.states)
	*r = backward{states: r.states[:0], stack: r.stack[:0], sorted: r.sorted[:0]}
	runs.Put(r)
}

func (b *backward) goBack(outputs, seeds []*Tensor) {
	b.number = lastRun.Add(1)
	for _, t := range outputs {
		b.visit(t.gradNode())
	}
	b.order(outputs)
	for i, t := range outputs {
		b.add(t.gradNode(), seeds[i], nil)
	}
	if b.wanted != nil {
		b.markNeeded()
	}
	for _, i := range b.sorted {
		if s := &b.states[i]; b.wanted == nil || s.needed {
			b.through(s)
		}
		b.leave(i) // what the node has kept can be freed while the way back goes on
	}
}

// find returns n's place in the states, or -1.
func (b *backward) find(n *node) int32 {
	if m := n.mark.Load(); m>>markBits == b.number {
		return int32(m & (1<<markBits - 1))
	}
	if i, ok := b.others[n]; ok {
		return i
	}
	return -1
}

func (b *backward) state(n *node) *state { return &b.states[b.find(n)] }

// visit counts a use of n, and puts n on the stack when it is the first.
func (b *backward) visit(n *node) {
	i := b.find(n)
	if i < 0 {
		if n.spent {
			fail("backward", "%s was gone through by an earlier Backward, which used up its tape; "+
				"set RetainGraph there", n.op)
		}
		i = int32(len(b.states))
		b.states = append(b.states, state{node: n})
		if i >= 1<<markBits || !n.mark.CompareAndSwap(0, b.number<<markBits|uint64(i)) {
			if b.others == nil {
				b.others = map[*node]int32{}
			}
			b.others[n] = i
		}
		b.stack = append(b.stack, i)
	}
	b.states[i].uses++
	b.states[i].shared = b.states[i].uses > 1
}

// leave forgets a node.
func (b *backward) leave(i int32) {
	if n := b.states[i].node; n.mark.Load()>>markBits == b.number {
		n.mark.Store(0)
	}
	b.states[i] = state{}
}

// order visits all nodes that those on the stack were computed from, and sorts them: each stands
// behind all nodes that use it.
func (b *backward) order(outputs []*Tensor) {
	for len(b.stack) > 0 {
		n := b.states[b.pop()].node
		for _, in := range n.inputs {
			if in != nil {
				b.visit(in)
			}
		}
	}
	done := func(n *node) {
		i := b.find(n)
		if b.states[i].uses--; b.states[i].uses == 0 {
			b.stack = append(b.stack, i)
		}
	}
	for _, t := range outputs {
		done(t.gradNode())
	}
	for len(b.stack) > 0 {
		i := b.pop()
		b.sorted = append(b.sorted, i)
		for _, in := range b.states[i].node.inputs {
			if in != nil {
				done(in)
			}
		}
	}
}

func (b *backward) pop() int32 {
	last := len(b.stack) - 1
	i := b.stack[last]
	b.stack = b.stack[:last]
	return i
}

// markNeeded marks the nodes that are wanted or lie on the way to one.
func (b *backward) markNeeded() {
	for _, i := range slices.Backward(b.sorted) {
		s := &b.states[i]
		_, s.needed = b.wanted[s.node]
		s.needed = s.needed || b.goesOn(s.node)
	}
}

// needs reports whether the gradient of in, an input of a node, is asked for.
func (b *backward) needs(in *node) bool {
	return in != nil && (b.wanted == nil || b.state(in).needed)
}

// goesOn reports whether the gradient is wanted of what n was computed from, or of leaf n itself.
func (b *backward) goesOn(n *node) bool {
	return b.wanted == nil || slices.ContainsFunc(n.inputs, b.needs)
}

// add notes that part of n's gradient is g. from is the gradient it was computed of, whose elements
// g may share; where it is nil, anything may share them.
func (b *backward) add(n *node, g, from *Tensor) {
	own := from != nil && g.store != from.store
	if (from == nil || own) && g.store.users.Load() != 0 {
		g.hold() // of what is kept: who gets the gradient may put it away
		own = false
	}
	if !equalInts(g.arr.Shape, n.shape) {
		g, own = b.instead(g, g.sumTo(n.shape), own)
	}
	if g.DType() != n.dtype {
		g, own = b.instead(g, g.To(n.dtype), own)
	}
	s := b.state(n)
	had := s.at
	switch {
	case had.g == nil:
		s.at = arrived{g: g, own: own && g.alone()}
		return
	case had.own && !b.create:
		finite := b.detect && had.g.AllFinite()
		had.g.AddInPlace(g)
		b.checkSum(n, had.g, finite && g.AllFinite())
	default:
		sum := had.g.Add(g)
		b.checkSum(n, sum, b.detect && had.g.AllFinite() && g.AllFinite())
		s.at = arrived{g: sum, own: true}
		b.done(had)
	}
	if own {
		b.free(g)
	}
}

// instead returns g, which was computed of old, and whether nothing else uses its elements. Where
// that was so of old, its memory is free.
func (b *backward) instead(old, g *Tensor, own bool) (*Tensor, bool) {
	switch {
	case g.store == old.store:
		return g, own
	case own:
		b.free(old)
	}
	return g, true
}

// free takes back the memory of a gradient that nothing uses any more.
func (b *backward) free(g *Tensor) {
	if !b.create {
		g.free()
	}
}

// done says that a gradient is needed no more.
func (b *backward) done(at arrived) {
	switch {
	case b.create:
	case at.own:
		at.g.free()
	case at.shared:
		at.g.release()
	}
}

// kept returns the gradient for somebody to keep: with elements that nothing else uses, and no view.
func (at arrived) kept() *Tensor {
	g := at.g
	switch {
	case at.own && !g.view:
		return g
	case at.own && g.node == nil && g.IsContiguous() && g.Numel() == g.store.size:
		whole := g.alias(g.Dim())
		copy(whole.arr.Shape, g.arr.Shape)
		copy(whole.arr.Strides, g.arr.Strides)
		whole.view = false
		return whole
	}
	return g.Clone()
}

// alone reports whether no two places of t are one element.
func (t *Tensor) alone() bool { return t.IsContiguous() || disjoint(&t.arr) }

// through takes a node's gradient on to its inputs, or to the leaf.
func (b *backward) through(s *state) {
	n, at := s.node, s.at
	before := at
	if at.g != nil {
		at = n.hook(at)
	}
	goesOn := b.goesOn(n)
	if _, ok := b.wanted[n]; ok {
		if goesOn {
			b.collect(n, before)
		} else {
			b.collect(n, at)
		}
		at.own, at.shared = false, false
	}
	if p := profiling.Load(); p != nil && goesOn && (at.g != nil && n.rule != nil || n.joint != nil) {
		defer p.during(b.local, n.op)()
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
		b.throughJoint(n, s.joint)
	case at.g == nil:
	case n.rule == nil:
		b.toJoint(n, at)
	default:
		b.throughRule(n, at)
	}
	if !b.retain && len(n.kept) > 0 {
		// A node that kept nothing, such as a cast, can be gone through again: two losses may
		// share it, as the cast of a weight, and each has its own Backward.
		n.spent = true
		for _, k := range n.kept {
			if k.tensor != nil && k.tensor.Version() == k.version { // else it may have other elements
				k.tensor.release()
			}
		}
		n.kept, n.keptBuf = nil, [2]kept{}
		n.inputs, n.inputBuf = nil, [3]*node{}
	}
}

// collect puts away the gradient of a node that is wanted.
func (b *backward) collect(n *node, at arrived) {
	if at.g != nil && !b.create {
		at.g = at.kept()
	}
	b.wanted[n] = at.g
}

// throughRule computes the gradients of n's inputs one by one, and passes on what n had of the
// elements of its own gradient.
func (b *backward) throughRule(n *node, at arrived) {
	finite := b.detect && at.g.AllFinite()
	var buf [3]*state
	heirs := buf[:0] // which got elements of n's own gradient
	for i, in := range n.inputs {
		if !b.needs(in) || b.addSlice(n, in, at.g) || b.addWeight(n, i, at.g) {
			continue
		}
		part := n.rule(n, at.g, i)
		b.check(n, i, part, finite)
		b.add(in, part, at.g)
		if !at.own && !at.shared {
			continue
		}
		if s := b.state(in); s.at.g.store == at.g.store && !slices.Contains(heirs, s) {
			heirs = append(heirs, s)
		}
	}
	if at.own || at.shared {
		b.inherit(at, slices.DeleteFunc(heirs, func(s *state) bool {
			return s.at.g.store != at.g.store // what came later was added to it
		}))
	}
}

// inherit passes on to heirs, who got elements of a gradient, what there was of them.
func (b *backward) inherit(at arrived, heirs []*state) {
	switch {
	case len(heirs) == 0:
		b.done(at)
		return
	case at.own && len(heirs) == 1 && heirs[0].at.g.alone():
		heirs[0].at.own = true
		return
	case b.create:
		return
	case at.own:
		at.g.store.users.Or(dropped)
		at.g.hold()
	}
	for i, s := range heirs {
		s.at.shared = true
		if i > 0 {
			s.at.g.hold()
		}
	}
}

// addSlice adds the gradient g of a slice to its place in that of the whole, and reports false where
// that is not there yet. Zeros around g, added to the whole for each slice, would make going back
// through the steps of a sequence quadratic.
func (b *backward) addSlice(n, whole *node, g *Tensor) bool {
	if n.op != "slice" || b.create || b.detect {
		return false
	}
	had := b.state(whole).at
	if had.g == nil || !had.own || had.g.DType() != g.DType() {
		return false
	}
	sliced(n, had.g).AddInPlace(g)
	return true
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
	had := n.leaf.gradient()
	finite := b.detect && had != nil && had.AllFinite() && at.g.AllFinite()
	n.leaf.accumulate(at, b.create)
	sum := n.leaf.gradient()
	n.hooks.mu.Unlock()
	b.checkSum(n, sum, finite)
	if sum.store != at.g.store {
		b.done(at)
	}
	n.hooks.after(n.leaf)
}

// accumulate adds to t's gradient. Where that is recorded, the sum is a new tensor.
func (t *Tensor) accumulate(at arrived, recorded bool) {
	x := t.more()
	switch {
	case x.grad != nil && recorded:
		x.grad = x.grad.Add(at.g)
	case x.grad != nil:
		x.grad.AddInPlace(at.g)
	case at.g.IsContiguous():
		x.grad = at.kept()
	default:
		x.grad = at.g.Clone()
	}
	if recorded {
		x.grad.hold() // its own graph may need it
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
