package rt

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Box is an interface value whose dynamic type reflect cannot express: a value V in its storage
// type, and the descriptor of its type. Boxes are comparable as Go compares interface values.
type Box struct {
	D *Desc
	V any
}

// ErrBox is a Box whose type has the method Error() string.
type ErrBox struct{ Box }

// boxed is implemented by Box, ErrBox, and every wrapper that embeds one of them.
type boxed interface{ Unwrapped() Box }

// Unwrapped returns the Box itself, also from within a wrapper that embeds it.
func (b Box) Unwrapped() Box { return b }

// Method returns the method of that name as func(recv any, params…) results, with exactly the
// storage types of the method, or nil when b's type has none that was registered. recv is the Box
// or its V.
func (b Box) Method(name string) any { return b.D.Method(name) }

// Implementing returns b as a value of the compiled interface type iface, if cells can implement
// that. The type of b must have its methods.
func (b Box) Implementing(iface reflect.Type) (any, bool) {
	if b.D.ts.wrap == nil {
		return nil, false
	}
	return b.D.ts.wrap(iface, b)
}

// TypeName is the name of the value's type, or of what it points to, without its package.
func (b Box) TypeName() string {
	name := strings.TrimLeft(b.D.name, "*")
	return strings.TrimPrefix(name, "main.")
}

// Format implements fmt.Formatter: it prints what fmt prints for a compiled value of b's type.
func (b Box) Format(s fmt.State, verb rune) { formatBox(s, verb, b) }

// Error returns the text that the type's own method gives.
func (b ErrBox) Error() string {
	f, ok := b.Method("Error").(func(any) string)
	if !ok {
		return fmt.Sprintf("%v", b.D)
	}
	return f(b.Box)
}

// Unwrap returns the error that b wraps, if its type has the method.
func (b ErrBox) Unwrap() error {
	if f, ok := b.Method("Unwrap").(func(any) error); ok {
		return f(b.Box)
	}
	return nil
}

// Is asks the type's own method, if it has one, and its list of wrapped errors.
func (b ErrBox) Is(target error) bool {
	if f, ok := b.Method("Is").(func(any, error) bool); ok && f(b.Box, target) {
		return true
	}
	if f, ok := b.Method("Unwrap").(func(any) []error); ok {
		for _, err := range f(b.Box) {
			if errors.Is(err, target) {
				return true
			}
		}
	}
	return false
}

// As asks the type's own method, if it has one, and its list of wrapped errors.
func (b ErrBox) As(target any) bool {
	if f, ok := b.Method("As").(func(any, any) bool); ok && f(b.Box, target) {
		return true
	}
	if f, ok := b.Method("Unwrap").(func(any) []error); ok {
		for _, err := range f(b.Box) {
			if errorsAs(err, target) {
				return true
			}
		}
	}
	return false
}

// B returns v, of the type that d describes, as an interface value.
func B(d *Desc, v any) any {
	if d.isErr {
		return ErrBox{Box{d, v}}
	}
	return Box{d, v}
}

// E returns v, of the type that d describes, as an error.
func E(d *Desc, v any) error { return ErrBox{Box{d, v}} }

// unbox returns the Box that v is or wraps.
func unbox(v any) (Box, bool) {
	if b, ok := v.(boxed); ok {
		return b.Unwrapped(), true
	}
	return Box{}, false
}

// N returns the erased form of a compiled interface value: a wrapper becomes the Box in it.
func N(v any) any {
	switch b := v.(type) {
	case nil, Box, ErrBox:
		return v
	case boxed:
		inner := b.Unwrapped()
		return B(inner.D, inner.V)
	}
	return v
}

// Unbox returns the storage value of an interface value.
func Unbox(v any) any {
	switch b := v.(type) {
	case Box:
		return b.V
	case ErrBox:
		return b.V
	case boxed:
		return b.Unwrapped().V
	}
	return v
}
