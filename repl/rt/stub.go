package rt

import (
	"fmt"
	"sync"
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

// newStub takes a stub. It panics when there is none left.
func newStub() (slot int) {
	stubs.Lock()
	defer stubs.Unlock()
	if stubs.used >= stubCount {
		panic(fmt.Sprintf("the types of this session have more than %d methods: restart the kernel",
			stubCount))
	}
	slot = stubs.used
	stubs.used++
	slots[slot] = closureOf(noCode)
	return slot
}

// closureOf returns the closure that f, a function, is.
func closureOf(f any) unsafe.Pointer { return dataOf(f) }
