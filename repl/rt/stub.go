package rt

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// This file gives methods of the program's types an address, which is how compiled code knows a
// method. A type's table of methods holds bare addresses of code, and the functions of a program
// are closures; so there is a supply of stubs in assembly, each of which jumps to the closure in
// its slot and leaves the arguments where they are.

// maxStubs is how many methods the types of a process can have; see stub_*.s.
const maxStubs = 1 << 15

// slots has for each stub the closure that it jumps to.
var slots [maxStubs]unsafe.Pointer

var stubs struct {
	sync.Mutex
	used int
}

// noCode stands in the slot of a method without code. Whatever its parameters, it never returns.
var noCode = func() { panic(Error("a method has no code")) }

// newStub takes a stub; ok is false when there is none left.
func newStub() (slot int, ok bool) {
	stubs.Lock()
	defer stubs.Unlock()
	if stubs.used >= stubCount {
		return 0, false
	}
	slot = stubs.used
	stubs.used++
	slots[slot] = closureOf(noCode)
	return slot, true
}

// closureOf returns the closure that f, a function, is.
func closureOf(f any) unsafe.Pointer { return dataOf(f) }

// endGoroutine takes the place of a method that compiled code calls while everything is stopped: the
// interpreter would abandon it, and a loop of compiled code would call it again and again. Whatever
// its parameters, it never returns.
var endGoroutine = func() { runtime.Goexit() }

// holdMethods makes compiled code that calls a method of the program's end with its goroutine, until
// freeMethods is called.
func (ts *Types) holdMethods() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.heldSlots != nil {
		return
	}
	ts.heldSlots = map[int]unsafe.Pointer{}
	for _, slot := range ts.slots {
		ts.heldSlots[slot] = atomic.SwapPointer(&slots[slot], closureOf(endGoroutine))
	}
}

func (ts *Types) freeMethods() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for slot, code := range ts.heldSlots {
		atomic.StorePointer(&slots[slot], code)
	}
	ts.heldSlots = nil
}
