// Package atomic is halfnote's source of the generic type of Go's package sync/atomic.
package atomic

import (
	"sync/atomic"
	"unsafe"
)

// A Pointer is an atomic pointer of type *T. The zero value is a nil *T. It must not be copied after
// its first use.
type Pointer[T any] struct {
	_ [0]*T // pointers of another T cannot be converted to it
	p unsafe.Pointer
}

// Load returns the value of x.
func (x *Pointer[T]) Load() *T { return (*T)(atomic.LoadPointer(&x.p)) }

// Store sets x to val.
func (x *Pointer[T]) Store(val *T) { atomic.StorePointer(&x.p, unsafe.Pointer(val)) }

// Swap sets x to new and returns what it was.
func (x *Pointer[T]) Swap(new *T) (old *T) {
	return (*T)(atomic.SwapPointer(&x.p, unsafe.Pointer(new)))
}

// CompareAndSwap sets x to new if it is old, and reports whether it was.
func (x *Pointer[T]) CompareAndSwap(old, new *T) (swapped bool) {
	return atomic.CompareAndSwapPointer(&x.p, unsafe.Pointer(old), unsafe.Pointer(new))
}
