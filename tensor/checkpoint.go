package tensor

import (
	"weak"
)

// This file implements checkpoints: stretches of the tape whose ops keep nothing, and whose kept
// tensors are computed again when Backward asks for the first of them.

// Checkpoint returns f(inputs...), and saves memory: what the ops in f keep for their gradients is
// dropped, and computed anew by another call of f when Backward comes to them. Gradients are the
// same bit for bit, also those of weights that f uses without getting them as inputs: the second
// call runs under the cast state, and draws the random numbers, of the first. It is PyTorch's
// torch.utils.checkpoint with use_reentrant=False.
//
// f must do the same in both calls. It is an error if it keeps other tensors or draws other numbers
// the second time, or if its inputs, or what its ops kept, were written in place in between; other
// tensors that it uses must stay as they are. What f changes outside of itself is not put back.
// Under NoGrad f is only called.
func Checkpoint(f func(inputs ...*Tensor) *Tensor, inputs ...*Tensor) *Tensor {
	checkFunction("checkpoint", f != nil)
	all := func(inputs ...*Tensor) []*Tensor { return []*Tensor{f(inputs...)} }
	return CheckpointAll(all, inputs...)[0]
}

// CheckpointAll is Checkpoint for functions with several results.
func CheckpointAll(f func(inputs ...*Tensor) []*Tensor, inputs ...*Tensor) []*Tensor {
	checkFunction("checkpoint", f != nil)
	if !GradEnabled() {
		return checkResults(f(inputs...))
	}
	l, saved := enter()
	defer l.restore(&saved)
	s := &segment{f: f, inputs: keepAll(nil, inputs), cast: l.cast}
	s.drawn.outer = l.draws
	l.pack, l.draws = s, &draws{log: &s.drawn}
	outs := checkResults(f(inputs...))
	s.drawn.end()
	return outs
}

// checkResults panics where a result of the function of a checkpoint is nil.
func checkResults(outs []*Tensor) []*Tensor {
	for i, out := range outs {
		if out == nil {
			fail("checkpoint", "result %d of the function is nil", i+1)
		}
	}
	return outs
}

// A segment is one call of Checkpoint.
type segment struct {
	f      func(inputs ...*Tensor) []*Tensor
	inputs []kept
	cast   CastState
	drawn  drawLog

	count   int    // the tensors that were kept in the first call
	again   []kept // the tensors kept in the second one
	calling bool   // the second call is being made: in the first one, where f asks for gradients
	done    bool   // the second call was made
}

// late stands for a kept tensor that can be computed again: number at of a segment.
type late struct {
	segment *segment
	at      int
	shape   []int
	dtype   DType
	store   weak.Pointer[storage] // of the tensor of the first call, which may live on
	version uint64                // of the store
}

// keepAll appends to buf what stands for the tensors: themselves, or inside of Checkpoint, their
// numbers.
func keepAll(buf []kept, ts []*Tensor) []kept {
	var s *segment
	if l := current(); l != nil {
		s = l.pack
	}
	for _, t := range ts {
		k := kept{tensor: t}
		if t != nil {
			k.version = t.Version()
			if s != nil {
				k = s.keep(k)
			}
			if k.tensor != nil {
				t.hold()
			}
		}
		buf = append(buf, k)
	}
	return buf
}

// keep notes that an op in f keeps k.
func (s *segment) keep(k kept) kept {
	if s.calling {
		k.tensor.hold() // for the node of the first call, which will get it
		s.again = append(s.again, k)
		return k
	}
	t := k.tensor
	k.tensor = nil
	k.late = &late{segment: s, at: s.count, shape: t.Shape(), dtype: t.DType(),
		store: weak.Make(t.store), version: t.store.version.Load()}
	s.count++
	return k
}

// fetch returns the tensor that op has kept, which is computed again where it was dropped.
func (k *kept) fetch(op string) *Tensor {
	if l := k.late; l != nil {
		if st := l.store.Value(); st != nil && st.version.Load() != l.version {
			stale(op, l.dtype, l.shape, st)
		}
		*k = l.segment.recompute(l)
	}
	if t := k.tensor; t != nil && t.Version() != k.version {
		stale(op, t.DType(), t.arr.Shape, t.store)
	}
	return k.tensor
}

// recompute returns what the second call of f has kept in l's place.
func (s *segment) recompute(l *late) kept {
	if !s.done && !s.calling {
		s.callAgain()
	}
	if l.at >= len(s.again) || s.drawn.ended() && len(s.again) != s.count {
		fail("checkpoint", "the function kept %d tensors when it was called again, and %d the "+
			"first time; it must do the same", len(s.again), s.count)
	}
	k := s.again[l.at]
	t := k.tensor
	if !equalInts(t.arr.Shape, l.shape) || t.DType() != l.dtype {
		fail("checkpoint", "the function kept a %s tensor of shape %v when it was called again, "+
			"and a %s one of shape %v the first time; it must do the same",
			t.DType(), t.arr.Shape, l.dtype, l.shape)
	}
	s.again[l.at].tensor = nil // freed with the node that it goes to
	return k
}

// callAgain makes the second call of f, in the state of the first.
func (s *segment) callAgain() {
	inputs := make([]*Tensor, len(s.inputs))
	for i := range inputs {
		inputs[i] = s.inputs[i].fetch("checkpoint")
	}
	l, saved := enter()
	defer l.restore(&saved)
	l.noGrad, l.detect, l.cast, l.pack = false, false, s.cast, s
	l.draws = &draws{log: &s.drawn}
	if s.cast != nil {
		l.cast = s.cast.Fresh()
	}
	s.again, s.calling = nil, true
	defer func() { s.calling = false }()
	s.f(inputs...)
	s.done, s.f, s.inputs = true, nil, nil
}
