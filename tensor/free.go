package tensor

import "fmt"

// nameFree is how Free appears in messages about kept tensors.
var nameFree = "Free"

// Free gives the memory of t's elements back at once, without the wait for a collection: to the next
// tensor on its device. All tensors that share them lose them: t, its views and what it is a view of.
// An op that gets one of them afterwards, or a Backward that needs one, panics with an error that says
// so. Only their shapes, dtypes and gradients can still be asked for. To free a tensor once more does
// nothing.
//
// Work that the device has still to do with the elements is done before their memory is used again.
func (t *Tensor) Free() {
	if t == nil || t.store == nil {
		given("free", t)
	}
	if t.store.users.Or(freed)&freed != 0 {
		return
	}
	t.wrote(&nameFree) // for nodes that have kept it
	t.store.device.backend("free").Free(t.arr.Data, t.arr.DType, t.store.size)
}

// gone reports whether the memory was given back.
func (s *storage) gone() bool { return s.users.Load()&freed != 0 }

// failFreed ends an op that was given t, which has no elements any more.
func (t *Tensor) failFreed(op string) {
	name := "a tensor"
	if n := t.Name(); n != "" {
		name = n
	}
	fail(op, "%s of shape %v was freed: its elements are gone", name, t.arr.Shape)
}

// freedText is what a tensor without elements is shown as.
func (t *Tensor) freedText() string {
	return fmt.Sprintf("tensor(freed, shape=%v, dtype=%s%s)", t.arr.Shape, t.DType(), t.deviceText())
}
