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
func NewSequential(modules ...Module) *Sequential { return new(Sequential).Append(modules...) }

// Append adds modules to the end of the chain and returns it. It panics with a [*tensor.Error] if a
// module is nil.
func (s *Sequential) Append(modules ...Module) *Sequential {
	for i, m := range modules {
		if m == nil {
			fail("sequential", "module %d is nil", len(s.modules)+i)
		}
	}
	s.modules = append(s.modules[:len(s.modules):len(s.modules)], modules...)
	return s
}

// Forward passes x through the modules in their order. It lets a [ReLU] and the [MaxPool2d] behind
// it change places, which leaves fewer elements to the ReLU: results and gradients are the same, bit
// for bit.
func (s *Sequential) Forward(x *tensor.Tensor) *tensor.Tensor {
	v := value{Tensor: x}
	for rest := s.modules; len(rest) > 0; {
		if relu, pool := poolsFirst(rest, v.Tensor); pool != nil {
			v = v.through(pool).through(relu)
			rest = rest[2:]
			continue
		}
		v = v.through(rest[0])
		rest = rest[1:]
	}
	return ran(s, v.Tensor)
}

// poolsFirst returns the first two modules where they are a ReLU and a pool that may change places:
// the largest element of a window is the same before and behind the ReLU, and where it is not
// positive the window has no gradient, whichever element counts as the largest. Who asks for the
// shapes of results sees the modules in their order.
func poolsFirst(modules []Module, x *tensor.Tensor) (*ReLU, *MaxPool2d) {
	if len(modules) < 2 || tracing.now.Load() != nil || x == nil || !x.DType().IsFloat() {
		return nil, nil
	}
	relu, ok := modules[0].(*ReLU)
	if !ok || relu == nil {
		return nil, nil
	}
	pool, _ := modules[1].(*MaxPool2d)
	if s := tensor.CurrentCastState(); s != nil && (s.HasRule("relu") || s.HasRule("max_pool2d")) {
		return nil, nil
	}
	return relu, pool
}

// Modules returns the modules in their order.
func (s *Sequential) Modules() []Module { return slices.Clone(s.modules) }

// Len returns the number of modules.
func (s *Sequential) Len() int { return len(s.modules) }

// At returns module i; a negative i counts from the end. It panics with a [*tensor.Error] if there
// is none.
func (s *Sequential) At(i int) Module {
	n := len(s.modules)
	if i < -n || i >= n {
		fail("sequential", "module %d of %d", i, n)
	}
	return s.modules[(i+n)%n]
}

// String lists the modules.
func (s *Sequential) String() string {
	names := make([]string, len(s.modules))
	for i, m := range s.modules {
		names[i] = ModuleName(m)
	}
	return "Sequential(" + strings.Join(names, ", ") + ")"
}

// Flatten is the module that joins all dimensions but the first: x [n, ...] becomes [n, m].
type Flatten struct{ _ distinct }

// NewFlatten returns a [Flatten].
func NewFlatten() *Flatten { return new(Flatten) }

// Forward returns x as [n, m]. It panics with a [*tensor.Error] if x has no dimension.
func (f *Flatten) Forward(x *tensor.Tensor) *tensor.Tensor {
	given("flatten", x)
	if x.Dim() == 0 {
		fail("flatten", "shape []: needs at least one dimension")
	}
	return ran(f, x.Flatten(1))
}

// String names the module.
func (*Flatten) String() string { return "Flatten()" }
