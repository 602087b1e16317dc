// Package own is how the library's packages tell package tensor whose a tensor is, which programs
// cannot.
//
//	own.Drop(t) // nobody else has seen t: its memory is free when the tape needs it no more
//
// A tensor that was dropped although something else may use its elements would change under its
// hands. So only what made a tensor, and gave it to nothing but ops and layers that are known to
// put none away, drops it.
package own

// What package tensor fills in. Tensors are *tensor.Tensor.
var (
	// Drop says that nothing but the tape uses the elements of a tensor from now on.
	Drop func(tensor any)

	// Shares reports whether two tensors have the same elements, or parts of them.
	Shares func(a, b any) bool

	// Gradient is the method Grad for callers who let go of the gradient before anybody can drop
	// it. After Grad it is the program's for good.
	Gradient func(tensor any) any
)

// A Forgetful cast state puts away none of the tensors that it is asked about, and none of their
// casts but those of weights. While a goroutine has another one nothing is dropped there.
type Forgetful interface{ Forgets() }

// Grad returns the gradient of t, a *tensor.Tensor, or nil. The caller lets go of it before it
// returns.
func Grad[T any](t T) T { return Gradient(t).(T) }
