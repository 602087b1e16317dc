package nn

import (
	"fmt"
	"iter"

	"halfnote/tensor"
)

// A Module computes something of a tensor. Any type with a Forward method is one, in a cell as in
// a compiled program; its parameters are the tensors in its fields, see [Parameters].
type Module interface {
	Forward(x *tensor.Tensor) *tensor.Tensor
}

// Parameters returns the tensors that m trains: every leaf tensor that requires a gradient in m's
// fields, exported or not, through pointers, interfaces, embedded values, slices, arrays and maps,
// in order of declaration (map keys sorted). A tensor that is reached twice comes once. m is
// usually a pointer to a module; any value will do.
//
// Each tensor's Name becomes its path, see [NamedParameters].
func Parameters(m any) []*tensor.Tensor {
	var params []*tensor.Tensor
	for _, p := range NamedParameters(m) {
		params = append(params, p)
	}
	return params
}

// NamedParameters returns the parameters of m, as [Parameters] does, with their paths: the field
// names as written, joined by dots, with the index or key for an element ("hidden.0.weight").
// Linear's tensors are called weight and bias, and the modules of a Sequential 0, 1, … as in
// PyTorch. A field with the tag `nn:"name"` takes that name, `nn:",inline"` adds no part to the
// path, and `nn:"-"` keeps a field out of all functions of this package. Paths are set as the
// tensors' names.
func NamedParameters(m any) iter.Seq2[string, *tensor.Tensor] {
	return func(yield func(string, *tensor.Tensor) bool) {
		for _, n := range tensors(m) {
			if n.tensor.RequiresGrad() && !yield(n.name, n.tensor) {
				return
			}
		}
	}
}

// Train tells every value in m that has a method Train(bool) whether it trains or is evaluated:
// layers such as dropout behave differently. Modules are in training mode when they are made.
func Train(m any, on bool) {
	w := walker{
		tensor: func(string, *tensor.Tensor) {},
		value: func(_ string, v any) {
			if t, ok := v.(interface{ Train(bool) }); ok {
				t.Train(on)
			}
		},
	}
	w.walk(m)
}

// named is a tensor with its path in a module.
type named struct {
	name   string
	tensor *tensor.Tensor
}

// tensors returns the leaf tensors in m, those that require gradients and those that do not, and
// sets their names. Results of recorded ops, such as an activation kept in a field, are no state.
func tensors(m any) []named {
	var all []named
	w := walker{tensor: func(name string, t *tensor.Tensor) {
		if !t.IsLeaf() {
			return
		}
		if name != "" && t.Name() != name { // written once, so that replicas may walk at once
			t.SetName(name)
		}
		all = append(all, named{name, t})
	}}
	w.walk(m)
	return all
}

// option returns the only element of an optional argument, or the zero value.
func option[T any](op string, given []T) (v T) {
	switch len(given) {
	case 0:
		return v
	case 1:
		return given[0]
	}
	fail(op, "%d optional arguments given; one is the most", len(given))
	return v
}

// fail panics with a *tensor.Error.
func fail(op, format string, args ...any) {
	panic(&tensor.Error{Op: op, Msg: fmt.Sprintf(format, args...)})
}

// given panics where one of the tensors that op needs is nil, for what looks at its arguments
// before an op of package tensor does.
func given(op string, ts ...*tensor.Tensor) {
	for i, t := range ts {
		if t == nil {
			fail(op, "argument %d is nil", i+1)
		}
	}
}

// To converts every floating leaf tensor in m to a dtype, or moves all leaf tensors to a device, in
// place: the tensors keep their identity, so optimizers go on with them. Gradients are dropped.
func To(m any, target tensor.Target) {
	_, cast := target.(tensor.DType)
	for _, n := range tensors(m) {
		if !cast || n.tensor.DType().IsFloat() {
			n.tensor.SetData(n.tensor.Detach().To(target))
		}
	}
}
