package rt

import "unsafe"

//go:generate go run gen.go 4096

// stubCount is how many stubs there are, each of which makes a program half a kilobyte larger.
const stubCount = 4096

// stubTable has the code of each stub. It is in stub_wasm.s.
var stubTable [stubCount]uintptr

// stubAt returns the code of the stub: a number, above 1<<30 in our programs, that the garbage
// collector takes for an address. So it fails if the heap has been that large and has shrunk.
func stubAt(slot int) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&stubTable[slot]))
}
