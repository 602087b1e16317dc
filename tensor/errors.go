package tensor

import "fmt"

// An Error is what a mistake in shapes, dtypes, devices or the use of gradients panics with. It is
// a mistake in the program, which is why ops do not return it.
type Error struct {
	Op  string // the op, as PyTorch names it: matmul
	Msg string // what was wrong with its arguments

	// Late is whether a GPU found the mistake when the op was over, so that what has panicked is not the op
	// but what waited for the GPU. With HALFNOTE_CUDA_SYNC=1 no mistake is late.
	Late bool
}

// Error returns the op and the message, such as
// `matmul: shapes [2 3] and [4 5]: inner sizes 3 and 4 differ`, and how a late mistake is found.
func (e *Error) Error() string {
	text := e.Op + ": " + e.Msg
	if e.Late {
		text += " (found on a GPU after the op; HALFNOTE_CUDA_SYNC=1 tells its line)"
	}
	return text
}

// fail panics with an *Error.
func fail(op, format string, args ...any) {
	panic(&Error{Op: op, Msg: fmt.Sprintf(format, args...)})
}
