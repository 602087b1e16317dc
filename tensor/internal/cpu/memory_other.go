//go:build !linux && !darwin && !windows

package cpu

// physicalMemory returns what a program can address where the machine's memory is not known.
func physicalMemory() uint64 { return addressable }
