package nn

import (
	"slices"
	"strings"

	"halfnote/tensor"
)

// Sequential is a chain of modules: each one's output is the next one's input.
type Sequential struct {
	modules []Module `nn:",inline"`
}

// NewSequential returns the chain of the given modules; without any it is the identity.
// It panics with a [*tensor.Error] if a module is nil.
func NewSequential(modules ...Module) *Sequential {
	for i, m := range modules {
		if m == nil {
			fail("sequential", "module %d is nil", i)
		}
	}
	return &Sequential{modules: slices.Clone(modules)}
}

// Forward passes x through the modules in their order.
func (s *Sequential) Forward(x *tensor.Tensor) *tensor.Tensor {
	for _, m := range s.modules {
		x = m.Forward(x)
	}
	return x
}

// Modules returns the modules in their order.
func (s *Sequential) Modules() []Module { return slices.Clone(s.modules) }

// String lists the modules.
func (s *Sequential) String() string {
	names := make([]string, len(s.modules))
	for i, m := range s.modules {
		names[i] = moduleName(m)
	}
	return "Sequential(" + strings.Join(names, ", ") + ")"
}

// Flatten is the module that joins all dimensions but the first: x [n, ...] becomes [n, m].
type Flatten struct{}

// NewFlatten returns a [Flatten].
func NewFlatten() *Flatten { return new(Flatten) }

// Forward returns x as [n, m]. It panics with a [*tensor.Error] if x has no dimension.
func (*Flatten) Forward(x *tensor.Tensor) *tensor.Tensor {
	if x.Dim() == 0 {
		fail("flatten", "shape []: needs at least one dimension")
	}
	return x.Flatten(1)
}

// String names the module.
func (*Flatten) String() string { return "Flatten()" }
