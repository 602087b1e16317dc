// Package unique is halfnote's source of Go's package unique. The values of all types are kept in
// handles of the empty interface.
package unique

import "unique"

// Handle stands for a value. Two handles are equal if their values are.
type Handle[T comparable] struct {
	_ [0]*T // handles of another T cannot be converted to it
	h unique.Handle[any]
}

// Value returns a copy of the value.
func (h Handle[T]) Value() T {
	v, _ := h.h.Value().(T) // nil where T is an interface type
	return v
}

// Make returns the handle of value.
func Make[T comparable](value T) Handle[T] { return Handle[T]{h: unique.Make[any](value)} }
