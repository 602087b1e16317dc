package cpu

import "golang.org/x/sys/unix"

// physicalMemory returns the machine's memory in bytes.
func physicalMemory() uint64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return addressable
	}
	return n
}
