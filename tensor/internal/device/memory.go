package device

import "unsafe"

// Memory is what brings elements into the device's memory, and to another dtype or place there.
type Memory interface {
	// Alloc returns memory for n elements, which begin as zeros where zero is set and as anything
	// else, or says why the device cannot have it.
	Alloc(dtype DType, n int, zero bool) (unsafe.Pointer, error)
	// Free takes back at once what Alloc has given for so many elements. Nothing may use it any
	// more. What is not freed is taken back when it is unreachable.
	Free(data unsafe.Pointer, dtype DType, n int)
	// MemoryStats returns how much memory arrays take.
	MemoryStats() MemoryStats
	// ResetPeak sets the peak in MemoryStats to what is in use.
	ResetPeak()
	// EmptyCache gives memory that is kept for arrays to come back, as far as that is possible.
	EmptyCache()
	// Synchronize waits until all that was computed before is done, in all streams.
	Synchronize()
	// Send copies x to out, which was just made on another device of the same kind, and has the same
	// shape and dtype and rows in order. It returns false where it cannot, and the host must help.
	Send(out, x *Array) bool
	// FromHost copies host, which lies in the host's memory, to out and converts it.
	FromHost(out, host *Array)
	// ToHost waits for x to be computed, copies it to host and converts it.
	ToHost(host, x *Array)
	// Fill writes v to every element.
	Fill(out *Array, v float64)
	// Copy converts x to the dtype of out and broadcasts it to out's shape.
	Copy(out, x *Array)
}

// MemoryStats are a device's books, in bytes. Arrays that are too small for them are left out.
type MemoryStats struct {
	InUse, Peak, Reserved int64
	Allocated             int64
	Allocations, Reused   int64 // how many
}
