// Package runtime is halfnote's source of the generic function of Go's package runtime.
package runtime

import (
	"runtime"
	"unsafe"
)

// AddCleanup lets cleanup(arg) run on a goroutine of its own some time after ptr cannot be reached
// any more. What cleanup and arg hold must not reach ptr.
func AddCleanup[T, S any](ptr *T, cleanup func(S), arg S) runtime.Cleanup {
	if p, ok := any(arg).(*T); ok && ptr != nil && p == ptr {
		panic("runtime.AddCleanup: ptr is equal to arg, cleanup will never run")
	}
	run := func(f func()) { f() }
	return runtime.AddCleanup[byte, func()]((*byte)(unsafe.Pointer(ptr)), run,
		func() { cleanup(arg) })
}
