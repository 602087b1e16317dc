package amp

import (
	"slices"
	"sync"
	"weak"

	"github.com/petermattis/goid"

	"halfnote/internal/own"
	"halfnote/tensor"
)

// Cast implements [tensor.CastState]: it applies the policy's rule for op.
func (r *region) Cast(
	op string, args []*tensor.Tensor, dtype tensor.DType,
) ([]*tensor.Tensor, tensor.DType) {
	cpu := true
	for _, t := range args {
		if t != nil {
			cpu = onCPU(t)
			break
		}
	}
	s := caster{r.on(cpu), cpu, r}
	if s.disabled {
		return args, dtype
	}
	switch s.policy.Rule(op) {
	case Low:
		s.checkFloat64(op, args)
		return s.castAll(op, args, s.dtype), dtype
	case Float32:
		return s.castAll(op, args, tensor.Float32), dtype
	case Float32DType:
		if dtype == 0 && len(args) > 0 && s.eligible(args[0]) {
			return args, tensor.Float32
		}
		return args, dtype
	case Promote:
		return s.castAll(op, args, s.widest(op, args)), dtype
	case Refused:
		panic(errorf(op, RefusedOp,
			"refused under autocast: its gradient can leave float16's range; "+
				"use %s_with_logits, or a region that is Disabled and float32 arguments", op))
	}
	return args, dtype
}

// Forgets says that r puts nothing away but the casts of weights.
func (r *region) Forgets() {}

// HasRule reports whether a policy in force casts the arguments of op, or refuses it. Package
// tensor asks for it where an op is made of others.
func (r *region) HasRule(op string) bool {
	for _, s := range []*settings{&r.settings, &r.cuda} {
		if !s.disabled && s.policy.Rule(op) != Untouched {
			return true
		}
	}
	return false
}

// caster casts the arguments of one op, which are on one kind of device.
type caster struct {
	*settings
	cpu    bool
	region *region
}

// eligible reports whether autocast may cast t at all.
func eligible(t *tensor.Tensor) bool {
	return t != nil && t.DType().IsFloat() && t.DType() != tensor.Float64
}

// eligible reports whether t may be cast and is on the kind of device that the op runs on.
func (s caster) eligible(t *tensor.Tensor) bool { return eligible(t) && onCPU(t) == s.cpu }

// castAll returns args with the eligible ones in dtype; args itself is never written.
func (s caster) castAll(
	op string, args []*tensor.Tensor, dtype tensor.DType,
) []*tensor.Tensor {
	out := args
	for i, t := range args {
		if !s.eligible(t) || t.DType() == dtype {
			continue
		}
		if &out[0] == &args[0] {
			out = slices.Clone(args)
		}
		out[i] = s.cast(op, t, dtype)
	}
	return out
}

// cast casts one tensor. Only weights are worth keeping: leaves that gather gradients, used at each
// forward, as opposed to activations, frozen weights and slices of weights.
func (s caster) cast(op string, t *tensor.Tensor, dtype tensor.DType) *tensor.Tensor {
	weight := t.DType() == tensor.Float32 && t.IsLeaf() && t.RequiresGrad() && !t.IsView()
	if s.region.noCache || !weight || dtype != s.dtype {
		return t.To(dtype)
	}
	return s.region.cache.cast(op, t, dtype)
}

// widest returns the dtype of a promoting op: float32 if any eligible argument is, else the low.
func (s caster) widest(op string, args []*tensor.Tensor) tensor.DType {
	wide := s.dtype
	for i, t := range args {
		switch {
		case !s.eligible(t) || t.DType() == s.dtype:
		case t.DType() == tensor.Float32:
			wide = tensor.Float32
		default:
			panic(errorf(op, MixedHalf,
				"argument %d is %v in a %v region: promotion between the two is not defined; "+
					"cast it with To", i, t.DType(), s.dtype))
		}
	}
	return wide
}

// checkFloat64 reports a float64 argument beside others that would be lowered: the op would only
// say that two dtypes differ, neither of which the caller may have written.
func (s caster) checkFloat64(op string, args []*tensor.Tensor) {
	double := slices.IndexFunc(args, func(t *tensor.Tensor) bool {
		return t != nil && t.DType() == tensor.Float64
	})
	other := slices.IndexFunc(args, s.eligible)
	if double >= 0 && other >= 0 {
		panic(errorf(op, MixedFloat64,
			"argument %d is float64 and argument %d %v: autocast never touches float64; "+
				"cast it with To(tensor.Float32)", double, other, args[other].DType()))
	}
}

// castCache keeps the casts of weights for the length of the outermost region. The lock is for
// goroutines that are given a copy of the region (data parallel replicas).
type castCache struct {
	mu        sync.Mutex
	casts     map[castKey]weightCast
	closed    bool  // the region has ended: nothing more is kept
	goroutine int64 // whose region it is
}

// castKey holds the source weakly: two tensors never have equal weak pointers, also when one was
// freed and the other took its address. The dtype is part of it since regions of the two 16-bit
// formats nest.
type castKey struct {
	source weak.Pointer[tensor.Tensor]
	dtype  tensor.DType
}

// weightCast is a cast and the version that its source had when it was made: a weight that is
// written inside the region, by a training loop that stands in it, is cast again. So is one that
// was frozen and thawed, to which the cast's gradient would not find back.
//
// Its memory is free when the cache drops it and Backward needs it no more, unless something else may
// hold it: an op that may return its argument, a goroutine that may be amidst an op, or a cast state
// of the program's own that asks the region.
type weightCast struct {
	version uint64
	tensor  *tensor.Tensor
	held    bool
}

func newCastCache() *castCache {
	return &castCache{casts: map[castKey]weightCast{}, goroutine: goid.Get()}
}

// mayReturn reports whether the result of an op under the rule Low may have elements of an argument:
// einsum of one tensor only moves its dimensions.
func mayReturn(op string) bool { return op == "einsum" }

// cast returns the cast of weight t for op. It is made with gradient recording on whatever the
// mode, or else a first use under NoGrad would cut the weight off from every later one
// (pytorch#65766).
func (c *castCache) cast(op string, t *tensor.Tensor, dtype tensor.DType) *tensor.Tensor {
	key, version := castKey{weak.Make(t), dtype}, t.Version()
	held := mayReturn(op) || goid.Get() != c.goroutine || current() == nil
	c.mu.Lock()
	defer c.mu.Unlock()
	kept, ok := c.casts[key]
	if ok && kept.version == version && kept.tensor.RecordedFrom(t) {
		if held && !kept.held {
			kept.held = true
			c.casts[key] = kept
		}
		return kept.tensor
	}
	var low *tensor.Tensor
	tensor.EnableGrad(func() { low = t.To(dtype) })
	if !c.closed {
		c.casts[key] = weightCast{version, low, held}
	}
	return low
}

func (c *castCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop()
}

// close is clear at the end of the outermost region. A goroutine that still runs in a copy of it
// goes on without the cache.
func (c *castCache) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.drop()
}

func (c *castCache) drop() {
	for _, w := range c.casts {
		if !w.held {
			own.Drop(w.tensor)
		}
	}
	clear(c.casts)
}
