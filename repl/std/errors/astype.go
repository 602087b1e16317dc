// Package errors is halfnote's source of the generic function of Go's package errors.
package errors

// AsType returns the first error of type E among err and what it wraps, depth first, and whether
// there is one. An error also counts if its method As(any) bool accepts a *E and sets it.
func AsType[E error](err error) (E, bool) {
	for err != nil {
		if e, ok := err.(E); ok {
			return e, true
		}
		if x, ok := err.(interface{ As(any) bool }); ok {
			var e E
			if x.As(&e) {
				return e, true
			}
		}
		switch x := err.(type) {
		case interface{ Unwrap() error }:
			err = x.Unwrap()
		case interface{ Unwrap() []error }:
			for _, err := range x.Unwrap() {
				if e, ok := AsType[E](err); ok {
					return e, true
				}
			}
			err = nil
		default:
			err = nil
		}
	}
	var zero E
	return zero, false
}
