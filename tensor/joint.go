package tensor

// This file implements ops whose gradients are computed all at once: because they have several
// outputs, or because the gradients of the inputs share most of their work. Such an op has one
// joint node. Each output has a node of its own, whose only input is the joint node and which
// hands its gradient on to it.

// A joint is what a joint node has beyond others.
type joint struct {
	rule    jointRule
	outputs []*node // described, but on no tape
	fresh   bool    // the rule makes all anew and puts nothing away
}

// A jointRule gives the gradients of all inputs of an op, when gs are those of its outputs: zeros
// for outputs that did not take part. A gradient may be nil: none.
type jointRule func(n *node, gs []*Tensor) []*Tensor

// recordJoint puts an op with the given outputs on the tape, as record does. Outputs that are not
// floating point stay without a gradient. It returns the joint node, which keeps what the rule
// needs, or nil where nothing is recorded.
func recordJoint(op string, outs []*Tensor, r jointRule, inputs ...*Tensor) *node {
	l := current()
	if l != nil && l.detect {
		for _, out := range outs {
			watch(op, out, inputs)
		}
	}
	needed := false
	for _, x := range inputs {
		needed = needed || x != nil && x.gradNode() != nil
	}
	if !needed || l != nil && l.noGrad {
		return nil
	}
	j := &node{op: op, joint: &joint{rule: r}}
	j.take(inputs)
	for i, out := range outs {
		described := newNode(op, nil, out)
		j.joint.outputs = append(j.joint.outputs, described)
		if out.DType().IsFloat() {
			out.node = newNode(op, nil, out, j)
			out.node.slot = int32(i)
		}
	}
	return j
}

// toJoint hands the gradient of an output on to its joint node.
func (b *backward) toJoint(n *node, at arrived) {
	j := n.inputs[0]
	s := b.state(j)
	if s.joint == nil {
		s.joint = make([]arrived, len(j.joint.outputs))
	}
	s.joint[n.slot] = at
}

// throughJoint computes the gradients of a joint node's inputs from those of its outputs.
func (b *backward) throughJoint(n *node, at []arrived) {
	if at == nil {
		return
	}
	finite := b.detect
	gs := make([]*Tensor, len(at))
	for i, o := range n.joint.outputs {
		if at[i].g == nil {
			at[i] = arrived{g: zeros(n.op, o.device, o.dtype, o.shape), own: true}
		}
		gs[i] = at[i].g
		finite = finite && gs[i].AllFinite()
	}
	parts := n.joint.rule(n, gs)
	var from *Tensor
	if n.joint.fresh && !b.create {
		from = gs[0]
	}
	for i, in := range n.inputs {
		if !b.needs(in) || parts[i] == nil {
			continue
		}
		b.check(n, i, parts[i], finite)
		b.add(in, parts[i], from)
	}
	for _, a := range at {
		if from != nil {
			b.done(a)
		}
	}
}
