package tensor

import "halfnote/internal/own"

// This file implements the early end of elements that nothing but the tape uses: they are free
// when the last node that has kept them was gone through, without the wait for a collection. Most
// tensors end with a collection all the same, since only their makers may drop them.

func init() {
	own.Drop = func(t any) { t.(*Tensor).drop() }
	own.Shares = func(a, b any) bool { return a.(*Tensor).store == b.(*Tensor).store }
	own.Gradient = func(t any) any { return t.(*Tensor).gradient() }
}

// dropped is set in a storage's users when its owner has let go of it. Beside it users counts those
// who need the elements: nodes that keep them, and for good, whatever may have been put away.
const dropped = 1 << 31

// freed is set in a storage's users when its memory was given back.
const freed = 1 << 30

// leastDropped is how many elements are worth the counting. Fewer have no block of their own.
const leastDropped = 1 << 11

// drop says that nothing but the tape uses t's elements from now on: not through t, nor through any
// view, nor will anything that was given t.
func (t *Tensor) drop() {
	if t.store.size >= leastDropped && !seen() && t.store.users.Or(dropped) == 0 {
		t.free()
	}
}

// seen reports whether the goroutine has a cast state that may put away what ops compute of.
func seen() bool {
	s := CurrentCastState()
	_, forgets := s.(own.Forgetful)
	return s != nil && !forgets
}

// hold counts a user of t's elements. Who never calls release holds them for good: until a collection
// finds them.
func (t *Tensor) hold() {
	if t.store.size >= leastDropped {
		t.store.users.Add(1)
	}
}

// held returns t, which may be nil and is held.
func (t *Tensor) held() *Tensor {
	if t != nil {
		t.hold()
	}
	return t
}

// release ends one hold.
func (t *Tensor) release() {
	if t.store.size >= leastDropped && t.store.users.Add(^uint32(0)) == dropped {
		t.free()
	}
}

// dropCasts drops what a cast state has put in place of args, the arguments of an op, which has
// been computed and recorded. Casts of weights are the state's own. After a panic a collection finds
// the casts: nobody knows how far the op came.
func dropCasts(args, cast []*Tensor) {
	for i, t := range cast {
		if x := args[i]; t != x && t.store != x.store && !(x.IsLeaf() && x.RequiresGrad()) {
			t.drop()
		}
	}
}
