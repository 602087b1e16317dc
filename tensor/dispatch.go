package tensor

// This file implements the seam through which autocast decides the dtypes of an op's arguments.
// Every op asks first, then computes on the device, then records itself on the tape.

// A CastState decides in which dtype the floating arguments of an op enter it. Package amp
// implements it; package tensor only asks.
type CastState interface {
	// Cast is asked before op runs, by its PyTorch name. args may hold nils. dtype is the caller's
	// explicit dtype argument, or 0. It returns the arguments and the dtype argument to use. Casts
	// are made with (*Tensor).To, so that they are recorded. It may panic to refuse the op. It may
	// put away what it is given and what it returns: their memory ends with a collection then. That
	// of amp, which puts away casts of weights alone, lets memory end as soon as it is not needed:
	// who asks it for a cast, and is not a CastState itself, may use that until the region ends.
	Cast(op string, args []*Tensor, dtype DType) ([]*Tensor, DType)
	// HasRule reports whether Cast would do more with op's arguments than return them. Where it
	// does not, an op that PyTorch makes out of others asks about those instead.
	HasRule(op string) bool
	// Fresh returns a state that decides alike and has kept no casts, for ops that Checkpoint
	// computes once more later.
	Fresh() CastState
}

// CurrentCastState returns the cast state of the calling goroutine, or nil.
func CurrentCastState() CastState {
	if l := current(); l != nil {
		return l.cast
	}
	return nil
}

// WithCastState calls f with s as the cast state of the calling goroutine, and puts the former one
// back when f returns, panics or exits the goroutine. A nil s switches casting off.
func WithCastState(s CastState, f func()) {
	checkFunction("with_cast_state", f != nil)
	l, saved := enter()
	defer l.restore(&saved)
	l.cast = s
	f()
}

// hasRule reports whether the cast state has a rule for op.
func hasRule(op string) bool {
	s := CurrentCastState()
	return s != nil && s.HasRule(op)
}

// given panics where one of the tensors that op needs is nil or was only declared. Those that op asks
// the cast state about are looked at there; ops that look at their arguments before it, or ask about
// none, call given first.
func given(op string, ts ...*Tensor) {
	for i, t := range ts {
		switch {
		case t == nil:
			fail(op, "argument %d is nil", i+1)
		case t.store == nil:
			fail(op, "argument %d is an empty tensor.Tensor; make one with tensor.New or tensor.Zeros",
				i+1)
		case t.store.gone():
			t.failFreed(op)
		}
	}
}

// checkFunction panics unless the function that op calls is there.
func checkFunction(op string, there bool) {
	if !there {
		fail(op, "the function is nil")
	}
}

// cast asks the cast state about an op with one argument, which is not nil.
func cast(op string, t *Tensor) *Tensor {
	if t == nil || t.store == nil || t.store.gone() {
		given(op, t)
	}
	if s := CurrentCastState(); s != nil {
		args, _ := s.Cast(op, []*Tensor{t}, 0)
		return args[0]
	}
	return t
}

// castDType asks about an op with one argument, which is not nil, and an optional dtype.
func castDType(op string, t *Tensor, dtype DType) (*Tensor, DType) {
	if t == nil || t.store == nil || t.store.gone() {
		given(op, t)
	}
	if s := CurrentCastState(); s != nil {
		args, d := s.Cast(op, []*Tensor{t}, dtype)
		return args[0], d
	}
	return t, dtype
}

// cast2 asks about an op with two arguments, neither of them nil.
func cast2(op string, a, b *Tensor) (*Tensor, *Tensor) {
	if a == nil || b == nil || a.store == nil || b.store == nil || a.store.gone() || b.store.gone() {
		given(op, a, b)
	}
	if s := CurrentCastState(); s != nil {
		args, _ := s.Cast(op, []*Tensor{a, b}, 0)
		return args[0], args[1]
	}
	return a, b
}

// castAll asks about an op with any number of arguments, of which the first required ones may not
// be nil. It may change args.
func castAll(op string, required int, args []*Tensor) []*Tensor {
	given(op, args[:required]...)
	if s := CurrentCastState(); s != nil {
		args, _ = s.Cast(op, args, 0)
	}
	return args
}

// composed calls f, which computes an op out of others, with casting switched off: the state has
// been asked about the op itself.
func composed(f func() *Tensor) (out *Tensor) {
	if CurrentCastState() == nil {
		return f()
	}
	WithCastState(nil, func() { out = f() })
	return out
}

// one returns the only element of an optional argument, or the zero value.
func one[T any](op string, values []T) (v T) {
	switch len(values) {
	case 0:
		return v
	case 1:
		return values[0]
	}
	fail(op, "%d optional arguments given; one is the most", len(values))
	return v
}
