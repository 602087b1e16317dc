package nn

import (
	"iter"

	"halfnote/tensor"
)

// This file implements what there is to do with the tensors of a module besides training them.

// ZeroGrad removes the gradients of m's parameters; the next Backward makes new ones. Optimizers
// have the same method for the parameters that they update.
func ZeroGrad(m any) {
	for _, n := range tensors(m) {
		n.tensor.SetGrad(nil)
	}
}

// NumParameters returns how many numbers m trains: the elements of all its parameters.
func NumParameters(m any) int {
	n := 0
	for _, p := range NamedParameters(m) {
		n += p.Numel()
	}
	return n
}

// SetRequiresGrad freezes the parameters of m, or with on thaws those that were frozen: the tensors
// that require a gradient, or did until SetRequiresGrad switched it off, here or one by one.
// Buffers are left alone. A frozen parameter is none of [Parameters], keeps its place in
// [StateDict], and an optimizer that knows it leaves it alone. Its gradient is dropped.
//
//	nn.SetRequiresGrad(model.body, false) // train the head alone
func SetRequiresGrad(m any, on bool) {
	for _, n := range tensors(m) {
		if n.tensor.RequiresGrad() || n.tensor.IsFrozen() {
			n.tensor.SetRequiresGrad(on)
			if !on {
				n.tensor.SetGrad(nil)
			}
		}
	}
}

// Buffers returns the leaf tensors of m that never are parameters, such as running means, in the
// order of [Parameters]. Frozen parameters are none.
func Buffers(m any) []*tensor.Tensor {
	var buffers []*tensor.Tensor
	for _, b := range NamedBuffers(m) {
		buffers = append(buffers, b)
	}
	return buffers
}

// NamedBuffers returns the buffers of m with their paths, see [Buffers] and [NamedParameters].
func NamedBuffers(m any) iter.Seq2[string, *tensor.Tensor] {
	return func(yield func(string, *tensor.Tensor) bool) {
		for _, n := range tensors(m) {
			if !n.tensor.RequiresGrad() && !n.tensor.IsFrozen() && !yield(n.name, n.tensor) {
				return
			}
		}
	}
}

// SplitParameters returns the parameters of m in two lists, those for which in returns true and the
// others, for an optimizer with two groups:
//
//	decayed, others := nn.SplitParameters(model, nn.Decays)
//	opt := optim.NewAdamW(decayed, optim.AdamWConfig{LR: 1e-3, WeightDecay: 0.01})
//	opt.AddGroup(others, optim.AdamWConfig{LR: 1e-3})
func SplitParameters(
	m any, in func(name string, p *tensor.Tensor) bool,
) (ins, others []*tensor.Tensor) {
	for name, p := range NamedParameters(m) {
		if in(name, p) {
			ins = append(ins, p)
		} else {
			others = append(others, p)
		}
	}
	return ins, others
}

// Decays reports whether weight decay suits a parameter: matrices and kernels shrink, while biases
// and the gains of normalisations, which have at most one dimension, are better left alone.
func Decays(_ string, p *tensor.Tensor) bool { return p.Dim() >= 2 }

// NamedModules returns the modules in m with their paths, m first if it is one, each before those
// inside it. A module that is reached twice comes once.
func NamedModules(m any) iter.Seq2[string, Module] {
	type entry struct {
		name   string
		module Module
	}
	return func(yield func(string, Module) bool) {
		var all []entry
		w := walker{
			tensor: func(string, *tensor.Tensor) {},
			value: func(name string, v any) {
				if module, ok := v.(Module); ok {
					all = append(all, entry{name, module})
				}
			},
		}
		w.walk(m)
		for _, e := range all {
			if !yield(e.name, e.module) {
				return
			}
		}
	}
}
