package tensor

import "slices"

// A Function is an op of the user's own, with a gradient of its own: PyTorch's
// torch.autograd.Function.
//
//	cube := tensor.Function{
//		Name: "cube",
//		Forward: func(ctx *tensor.Context, in ...*tensor.Tensor) []*tensor.Tensor {
//			ctx.Save(in[0])
//			return []*tensor.Tensor{in[0].Pow(3)}
//		},
//		Backward: func(ctx *tensor.Context, g ...*tensor.Tensor) []*tensor.Tensor {
//			return []*tensor.Tensor{g[0].Mul(ctx.Saved()[0].Square()).Mul(3)}
//		},
//	}
//	y := cube.Apply(x)[0]
type Function struct {
	// Name is the op's name in messages; "function" where it is empty.
	Name string

	// Forward computes the outputs. It is not recorded. Autocast applies as outside.
	Forward func(ctx *Context, inputs ...*Tensor) []*Tensor

	// Backward returns a gradient for each input, when grads are those of the outputs: zeros for
	// outputs that were not used. A gradient may be nil, which is none; it may have another
	// floating dtype than its input, to which it is cast, and more or larger dimensions, over
	// which it is summed. Under CreateGraph it is recorded, so that its own gradient is right
	// where it uses grads and saved inputs and outputs only.
	Backward func(ctx *Context, grads ...*Tensor) []*Tensor
}

// A Context carries what the Backward of a Function needs to know of one Forward.
type Context struct {
	// Values holds anything but tensors, under keys of the user's choice.
	Values map[any]any

	name     string
	inputs   []*Tensor // during Forward
	needs    []bool
	saved    []kept
	constant []*Tensor
	node     *node // during Backward
}

// Save keeps tensors for Backward, behind those that were saved before. Nils are allowed. Tensors
// that Forward neither got nor returns count as constants in gradients of second order.
func (c *Context) Save(ts ...*Tensor) {
	for _, t := range ts {
		k := kept{tensor: t}
		if t != nil {
			k.version = t.Version()
		}
		c.saved = append(c.saved, k)
	}
}

// Saved returns the tensors that were saved. In Backward it panics where one was written in place
// since.
func (c *Context) Saved() []*Tensor {
	out := make([]*Tensor, len(c.saved))
	for i := range out {
		if c.node == nil {
			out[i] = c.saved[i].tensor
			continue
		}
		out[i] = c.node.get(i)
	}
	return out
}

// NeedsGrad reports whether the gradient of input i is asked for.
func (c *Context) NeedsGrad(i int) bool { return c.needs[i] }

// MarkNonDifferentiable says that outputs of Forward have no gradient. Integers and bools need not
// be marked.
func (c *Context) MarkNonDifferentiable(outputs ...*Tensor) {
	c.constant = append(c.constant, outputs...)
}

// Apply computes the outputs and puts them on the tape where an input, of which some may be nil,
// requires a gradient. An output that is an input becomes a view of it, which cannot be written in
// place.
func (f Function) Apply(inputs ...*Tensor) []*Tensor {
	if f.Name == "" {
		f.Name = "function"
	}
	if f.Forward == nil {
		fail(f.Name, "the Function has no Forward")
	}
	c := &Context{Values: map[any]any{}, name: f.Name, inputs: inputs}
	for _, x := range inputs {
		c.needs = append(c.needs, x != nil && x.RequiresGrad())
	}
	var outs []*Tensor
	NoGrad(func() { outs = slices.Clone(f.Forward(c, inputs...)) })
	for i, out := range outs {
		if out == nil {
			fail(f.Name, "output %d of Forward is nil", i)
		}
		outs[i] = c.ownOutput(out, outs[:i])
	}
	n := recordJoint(f.Name, outs, f.rule(c), inputs...)
	for i, out := range outs {
		if n != nil && slices.Contains(c.constant, out) {
			outs[i].node = nil
		}
	}
	c.keepSaved(n)
	return outs
}

// ownOutput returns out, or an alias where out has a place on the tape of its own.
func (c *Context) ownOutput(out *Tensor, before []*Tensor) *Tensor {
	input := slices.Contains(c.inputs, out)
	if !input && out.gradNode() == nil && !slices.Contains(before, out) {
		return out
	}
	alias := out.Detach()
	if input {
		alias.base, alias.sealed = out.root(), true
	}
	if slices.Contains(c.constant, out) {
		c.MarkNonDifferentiable(alias)
	}
	return alias
}

// keepSaved moves what was saved to the tape.
func (c *Context) keepSaved(n *node) {
	ts := make([]*Tensor, len(c.saved))
	for i := range c.saved {
		ts[i] = c.saved[i].fetch(c.name)
	}
	if n != nil {
		n.keep(ts...)
	}
	c.inputs, c.constant = nil, nil
	clear(c.saved)
}

// rule is the joint rule that calls f.Backward.
func (f Function) rule(c *Context) jointRule {
	return func(n *node, gs []*Tensor) []*Tensor {
		if f.Backward == nil {
			fail(f.Name, "the Function has no Backward")
		}
		c.node = n
		parts := slices.Clone(f.Backward(c, gs...))
		if len(parts) != len(n.inputs) {
			fail(f.Name, "Backward returned %d gradients for %d inputs; nil stands for none",
				len(parts), len(n.inputs))
		}
		for i, g := range parts {
			if n.inputs[i] == nil || g == nil {
				parts[i] = nil
				continue
			}
			f.checkGradient(n.inputs[i], g, i)
		}
		return parts
	}
}

func (f Function) checkGradient(in *node, g *Tensor, i int) {
	if !g.DType().IsFloat() {
		fail(f.Name, "Backward returned %s for input %d; a gradient is floating point",
			g.DType(), i)
	}
	if g.Device() != in.device {
		fail(f.Name, "Backward returned a gradient on %s for input %d, which is on %s",
			g.Device(), i, in.device)
	}
	if !stretches(in.shape, g.arr.Shape) {
		fail(f.Name, "Backward returned a gradient of shape %v for input %d, which has shape %v",
			g.arr.Shape, i, in.shape)
	}
}

// stretches reports whether a tensor of shape from is broadcast to shape to.
func stretches(from, to []int) bool {
	extra := len(to) - len(from)
	for d, s := range from {
		if extra < 0 || s != to[d+extra] && s != 1 {
			return false
		}
	}
	return extra >= 0
}
