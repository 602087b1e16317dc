package optim

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"halfnote/internal/many"
	"halfnote/internal/own"
	"halfnote/tensor"
)

// An Optimizer updates parameters from their gradients.
type Optimizer interface {
	// Step updates every parameter that has a gradient and leaves the others, and what is kept for
	// them, as they are.
	Step()
	// ZeroGrad removes the gradients of all parameters; the next Backward makes new ones.
	ZeroGrad()
	// Params returns the parameters of all groups, in the order in which they were given.
	Params() []*tensor.Tensor
	// LR returns the learning rate of the first group.
	LR() float64
	// SetLR sets the learning rate of every group.
	SetLR(lr float64)
	// LRs returns the learning rate of each group.
	LRs() []float64
	// SetLRs sets the learning rate of each group; there must be one for each.
	SetLRs(lrs ...float64)
	// StateDict returns copies of all that the optimizer keeps between steps, and its options.
	StateDict() map[string]*tensor.Tensor
	// LoadStateDict takes what StateDict returned; after an error nothing has changed.
	LoadStateDict(state map[string]*tensor.Tensor) error
}

// base is what all optimizers share: parameters in groups, and what is kept for each parameter.
// The tags keep package nn, which walks any struct, from taking them for tensors of a model.
type base struct {
	op     string                    // begins the messages: "sgd"
	groups []group                   `nn:"-"`
	states map[*tensor.Tensor]*state `nn:"-"`
}

// A group is parameters with the options they share.
type group struct {
	params []*tensor.Tensor
	config config
}

// config is a pointer to an optimizer's options.
type config interface {
	lr() *float64
	check() error // the first option that is out of its range

	// slots names all that an optimizer of this kind can keep for a parameter, each with whether
	// it does so under these options.
	slots() map[string]bool
}

// state is what an optimizer keeps for a parameter: the number of steps and named tensors like it.
type state struct {
	steps int // on the host
	slots map[string]*tensor.Tensor

	device tensor.Device // where that is

	// counts takes the place of steps for parameters of a GPU, where steps may be left out without
	// the host's knowing: how many were done, and how many of them with momentum.
	counts *tensor.Tensor
}

// done returns the number of steps; it reads the device.
func (s *state) done() int {
	if s.counts != nil {
		return int(s.counts.Int64s()[0])
	}
	return s.steps
}

// follow moves what is kept to p's device, if nn.To has moved p.
func (s *state) follow(p *tensor.Tensor) {
	if s.device == p.Device() {
		return
	}
	s.device = p.Device()
	switch {
	case s.counts == nil:
	case s.device == tensor.CPU:
		s.steps, s.counts = s.done(), nil
	default:
		s.counts = s.counts.To(s.device)
	}
	for name, t := range s.slots {
		s.slots[name] = t.To(s.device)
	}
}

// count returns the number of steps on the device where the state is, a GPU.
func (s *state) count() *tensor.Tensor {
	if s.counts == nil {
		steps := []int64{int64(s.steps), 0}
		if s.slots["momentum_buffer"] != nil {
			steps[1] = steps[0]
		}
		s.counts = tensor.New(steps).To(s.device)
	}
	return s.counts
}

// slot returns a named tensor of the state, zeros of p's shape, dtype and device at first.
func (s *state) slot(name string, p *tensor.Tensor) *tensor.Tensor {
	if s.slots[name] == nil {
		s.slots[name] = tensor.ZerosLike(p)
	}
	return s.slots[name]
}

// add appends a group after checking it.
func (b *base) add(params []*tensor.Tensor, c config) {
	if err := c.check(); err != nil {
		panic(b.errorf("%v", err))
	}
	if *c.lr() == 0 { // PyTorch takes it; here it was most likely forgotten
		panic(b.errorf("LR 0: must be given and above 0; SetLR(0) can stop the training later"))
	}
	if len(params) == 0 {
		panic(b.errorf("no parameters: does the model have tensors that require a gradient?"))
	}
	known := map[*tensor.Tensor]int{}
	for i, p := range b.Params() {
		known[p] = i
	}
	for i, p := range params {
		i += len(b.Params())
		switch before, twice := known[p]; {
		case p == nil:
			panic(b.errorf("parameter %d is nil", i))
		case twice:
			panic(b.errorf("parameters %d and %d are the same tensor", before, i))
		case !p.DType().IsFloat():
			panic(b.errorf("parameter %d is %v: must be a float dtype", i, p.DType()))
		case !p.IsLeaf():
			panic(b.errorf("parameter %d is the result of an op: "+
				"give a leaf (made by New, Zeros, Detach …)", i))
		}
		known[p] = i
	}
	if b.states == nil {
		b.states = map[*tensor.Tensor]*state{}
	}
	b.groups = append(b.groups, group{slices.Clone(params), c})
}

// A rule is how the optimizers of a kind step.
type rule struct {
	// one steps a parameter whose state is one step on.
	one func(c config, p, grad *tensor.Tensor, s *state)
	// together returns what package many calls the step, and what it takes of the state.
	together func(c config) (how any, kept func(p *tensor.Tensor, s *state) [3]any)
}

// each steps every parameter that has a gradient, outside of autograd and autocast: those of a GPU
// all at once. Where skip is given and not 0 nothing changes.
func (b *base) each(skip *tensor.Tensor, r rule) {
	tensor.NoGrad(func() {
		tensor.WithCastState(nil, func() {
			number := -1
			for _, g := range b.groups {
				var batch []many.Parameter
				var kept func(p *tensor.Tensor, s *state) [3]any
				var how any
				for _, p := range g.params {
					number++
					grad := own.Grad(p)
					if grad == nil {
						continue
					}
					s := b.states[p]
					if s == nil {
						s = &state{slots: map[string]*tensor.Tensor{}}
						b.states[p] = s
					}
					s.follow(p)
					b.checkShapes(number, p, grad, s)
					if p.Device() == tensor.CPU {
						if skip != nil && skip.Item() != 0 {
							continue
						}
						s.steps++
						r.one(g.config, p, grad, s)
						continue
					}
					if how == nil {
						how, kept = r.together(g.config)
					}
					batch = append(batch, many.Parameter{Value: p, Grad: grad, Kept: kept(p, s),
						Steps: s.count()})
				}
				if how != nil {
					many.Step(batch, how, skip)
					groups := len(b.groups)
					many.Recorded(func() bool { return len(b.groups) == groups && b.same(g, r, how, batch) }, nil)
				}
			}
		})
	})
}

// same reports whether a step would now do the same with the same tensors.
func (b *base) same(g group, r rule, how any, batch []many.Parameter) bool {
	now, kept := r.together(g.config)
	for _, was := range batch {
		p := was.Value.(*tensor.Tensor)
		s := b.states[p]
		if s == nil || s.counts == nil || any(s.counts) != was.Steps || kept(p, s) != was.Kept {
			return false
		}
	}
	return now == how
}

// checkShapes panics where SetData has given parameter number i another shape than its gradient, or
// than what is kept for it.
func (b *base) checkShapes(i int, p, grad *tensor.Tensor, s *state) {
	name := func() string {
		return cmp.Or(p.Name(), fmt.Sprintf("parameter %d", i))
	}
	if !sameShape(p, grad) {
		panic(b.errorf("%s has shape %v, and its gradient belongs to shape %v: call ZeroGrad and "+
			"Backward after SetData", name(), p.Shape(), grad.Shape()))
	}
	for _, t := range s.slots {
		if !sameShape(p, t) {
			panic(b.errorf("%s has shape %v, and its state belongs to shape %v: make a new "+
				"optimizer after SetData", name(), p.Shape(), t.Shape()))
		}
	}
}

func sameShape(a, b *tensor.Tensor) bool {
	same := a.Dim() == b.Dim()
	for i := 0; same && i < a.Dim(); i++ {
		same = a.Size(i) == b.Size(i)
	}
	return same
}

// ZeroGrad removes the gradients of all parameters; the next Backward makes new ones.
func (b *base) ZeroGrad() {
	for _, p := range b.Params() {
		p.SetGrad(nil)
	}
}

// Params returns the parameters of all groups, in the order in which they were given.
func (b *base) Params() []*tensor.Tensor {
	var params []*tensor.Tensor
	for _, g := range b.groups {
		params = append(params, g.params...)
	}
	return params
}

// LR returns the learning rate of the first group.
func (b *base) LR() float64 { return *b.groups[0].config.lr() }

// SetLR sets the learning rate of every group. Zero is allowed here, for schedules that begin or
// end there. It panics with a [*tensor.Error] if lr is negative or not finite.
func (b *base) SetLR(lr float64) { b.SetLRs(slices.Repeat([]float64{lr}, len(b.groups))...) }

// LRs returns the learning rate of each group.
func (b *base) LRs() []float64 {
	lrs := make([]float64, len(b.groups))
	for i, g := range b.groups {
		lrs[i] = *g.config.lr()
	}
	return lrs
}

// SetLRs sets the learning rate of each group, see SetLR. It panics with a [*tensor.Error] if there
// are more or fewer rates than groups, or if one is negative or not finite.
func (b *base) SetLRs(lrs ...float64) {
	if len(lrs) != len(b.groups) {
		panic(b.errorf("%d learning rates for %d groups: give one for each",
			len(lrs), len(b.groups)))
	}
	for _, lr := range lrs {
		if err := notNegative("LR", lr); err != nil {
			panic(b.errorf("%v", err))
		}
	}
	for i, g := range b.groups {
		*g.config.lr() = lrs[i]
	}
}

func (b *base) errorf(format string, args ...any) *tensor.Error {
	return &tensor.Error{Op: b.op, Msg: fmt.Sprintf(format, args...)}
}

// describe writes each group's options that are not zero: "SGD{LR: 0.1, Momentum: 0.9}".
func (b *base) describe(name string) string {
	text := ""
	for i, g := range b.groups {
		if i > 0 {
			text += " + "
		}
		text += name + "{"
		separator := ""
		for option, v := range options(g.config) {
			if !v.IsZero() {
				text += fmt.Sprintf("%s%s: %v", separator, option, v)
				separator = ", "
			}
		}
		text += "}"
	}
	return text
}

// options yields the fields of the struct behind c.
func options(c config) func(yield func(string, reflect.Value) bool) {
	return func(yield func(string, reflect.Value) bool) {
		v := reflect.ValueOf(c).Elem()
		for i := range v.NumField() {
			if !yield(v.Type().Field(i).Name, v.Field(i)) {
				return
			}
		}
	}
}
