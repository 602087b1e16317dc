// Package tensor holds values, ops and gradients: multidimensional arrays of float64, float32,
// float16, bfloat16, int64 or bool, computed on a device, with a tape for Backward. Names and
// semantics are PyTorch's, in Go's case.
//
//	x := tensor.New([][]float32{{1, 2}, {3, 4}})
//	w := tensor.New([]float32{0.5, -1}).SetRequiresGrad(true)
//	loss := x.MatMul(w).Square().Mean()
//	loss.Backward()
//	fmt.Println(loss.Item(), w.Grad()) // 4.25 and the gradient [-9, -13]
//
// An op checks its arguments, asks the goroutine's cast state (which package amp fills) in which
// dtypes they enter, computes on the device, and records itself on the tape when an argument
// requires a gradient. Backward goes through the tape in reverse.
//
// Begin with New, Zeros and Randn, the methods of Tensor, SetRequiresGrad and Backward. Random
// numbers come from a Generator. SaveSafetensors, SaveNPZ and SaveNPY write files that Python reads
// too, and LoadSafetensors, LoadNPZ and LoadNPY read those that it writes.
//
// Mistakes in shapes, dtypes or devices panic with an *Error. Values come back to the host only
// through methods that say so: Item, Float32s, Float64s, Int64s, Bools, Halves and the printing
// ones. A tensor has at most 8 dimensions.
//
// In-place ops are recorded: a result that is written becomes a result of the write, together with
// its base and its other views. A leaf that requires a gradient is written under NoGrad only. A
// value that an op has kept for its gradient, and that is written afterwards, is an error of
// Backward that names both. In-place ops keep copies for themselves, so that one may follow the
// other where PyTorch reports an error.
//
// Users reach into the way back by hooks (RegisterHook, RetainGrad), ops of their own (Function),
// Checkpoint, which keeps less and computes again, and DetectNonFinite, which names the op that
// made the first infinity or NaN. Gradients of gradients come from Grad with CreateGraph.
//
// On a GPU ops return before they are computed. Methods that bring values to the host wait for them,
// and tell of mistakes that the GPU has found in what the goroutine's ops were given before: positions
// and targets out of range, integers divided by zero. With HALFNOTE_CUDA_SYNC=1 each op waits and tells
// of its own. [Stream] and [Event] order the work, [Graph] records it to be done again at one launch, and
// (*Tensor).Free gives memory back before a collection does.
//
// NoGrad, EnableGrad, DetectNonFinite and the cast state belong to the goroutine. Backward may run
// on several goroutines at once where their graphs have only leaves in common.
package tensor

// Where things are, in the order in which an op goes through them:
//
//	values        tensor.go create.go dtype.go half.go shape.go view.go convert.go device.go
//	GPUs          stream.go the order of work, graph.go work that is repeated, memory.go free.go its
//	              memory, positions.go late checks
//	casts         dispatch.go asks autocast, local.go keeps what belongs to a goroutine
//	ops           a file for each kind: elementwise.go, reduce.go, conv.go, loss_class.go …, with the
//	              checks, the way forward and the gradient of each op together
//	kernels       internal/device lists what a device must compute, internal/cpu computes it
//	tape          grad.go records, joint.go ops whose gradients come together, backward.go goes back
//	writes        inplace*.go; rewrite.go records them, window.go follows views
//	users' part   hooks.go function.go checkpoint.go nonfinite.go gradcheck.go
//	shown, saved  format.go html.go; file.go npy.go npz.go safetensors.go
