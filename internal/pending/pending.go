// Package pending is how package repl has mistakes that GPUs have found told in the cell that made them:
// nobody has waited for the GPU there.
package pending

// Settle panics where a check on a device that nobody has looked at yet has found a mistake. Package
// tensor fills it in; it is nil in programs without tensors.
var Settle func()

// Forget drops such checks, of code that has failed already. It is nil where Settle is.
var Forget func()
