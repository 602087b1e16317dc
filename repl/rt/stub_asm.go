//go:build amd64 || arm64

package rt

import "unsafe"

// stubCount is how many stubs there are, stubSize how many bytes each is long.
const (
	stubCount = maxStubs
	stubSize  = 16
)

// stubBase returns where the code of the first stub begins. It is in stub_*.s.
func stubBase() uintptr

// stubAt returns the code of the stub.
func stubAt(slot int) unsafe.Pointer {
	p := stubBase() + uintptr(slot)*stubSize
	return *(*unsafe.Pointer)(unsafe.Pointer(&p))
}
