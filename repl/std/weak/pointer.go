// Package weak is halfnote's source of Go's package weak. What is pointed to is known by its first
// byte.
package weak

import (
	"unsafe"
	"weak"
)

// Pointer is a pointer that keeps nothing from being freed. Two are equal if the pointers that they
// were made from are.
type Pointer[T any] struct {
	_ [0]*T // pointers of another T cannot be converted to it
	p weak.Pointer[byte]
}

// Make returns a weak pointer to what ptr points to.
func Make[T any](ptr *T) Pointer[T] {
	return Pointer[T]{p: weak.Make[byte]((*byte)(unsafe.Pointer(ptr)))}
}

// Value returns the pointer, or nil when what it points to can be freed.
func (p Pointer[T]) Value() *T { return (*T)(unsafe.Pointer(p.p.Value())) }
