package cpu

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

var globalMemoryStatus = windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")

// physicalMemory returns the machine's memory in bytes.
func physicalMemory() uint64 {
	status := struct { // MEMORYSTATUSEX
		length, load                                                 uint32
		physical, free, pages, freePages, virtual, freeVirtual, more uint64
	}{length: 64}
	if ok, _, _ := globalMemoryStatus.Call(uintptr(unsafe.Pointer(&status))); ok == 0 {
		return addressable
	}
	return status.physical
}
