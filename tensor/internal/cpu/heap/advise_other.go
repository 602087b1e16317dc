//go:build !linux

package heap

import "unsafe"

func advise(unsafe.Pointer, int) {}
