package cpu

import "golang.org/x/sys/unix"

// physicalMemory returns the machine's memory in bytes.
func physicalMemory() uint64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return addressable
	}
	return uint64(info.Totalram) * uint64(info.Unit)
}
