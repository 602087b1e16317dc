package memory

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

var globalMemoryStatus = windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")

// Size returns the bytes of the machine's memory.
func Size() (uint64, error) {
	status := struct { // MEMORYSTATUSEX
		length, load                                                 uint32
		physical, free, pages, freePages, virtual, freeVirtual, more uint64
	}{length: 64}
	if ok, _, err := globalMemoryStatus.Call(uintptr(unsafe.Pointer(&status))); ok == 0 {
		return 0, err
	}
	return status.physical, nil
}
