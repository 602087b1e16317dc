package tensor

import "fmt"

// An Error is what a mistake in shapes, dtypes, devices or the use of gradients panics with. It is
// a mistake in the program, which is why ops do not return it.
type Error struct {
	Op  string // the op, as PyTorch names it: matmul
	Msg string // what was wrong with its arguments
}

// Error returns the op and the message, such as
// `matmul: shapes [2 3] and [4 5]: inner sizes 3 and 4 differ`.
func (e *Error) Error() string { return e.Op + ": " + e.Msg }

// fail panics with an *Error.
func fail(op, format string, args ...any) {
	panic(&Error{Op: op, Msg: fmt.Sprintf(format, args...)})
}
