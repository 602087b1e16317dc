package memory

import "golang.org/x/sys/unix"

// Size returns the bytes of the machine's memory.
func Size() (uint64, error) { return unix.SysctlUint64("hw.memsize") }
