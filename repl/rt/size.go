package rt

import (
	"fmt"

	"halfnote/internal/memory"
)

// SmallSize is how many bytes make may be asked for unseen; from mostSize on Go itself panics.
const (
	SmallSize = 1 << 30
	mostSize  = 1 << 48
)

// Len is a length n in a make of elements of so many bytes. It panics as Go does where it is out of
// range, and if the machine has not that much memory: Go would end the process.
func Len(n, bytes int) int {
	if outOfRange(n, bytes) {
		panic(Error("makeslice: len out of range"))
	}
	affordable("makeslice", float64(n)*float64(bytes))
	return n
}

// Cap is a capacity as Len is a length, of a slice of length n.
func Cap(c, n, bytes int) int {
	switch {
	case outOfRange(n, bytes):
		panic(Error("makeslice: len out of range"))
	case outOfRange(c, bytes), n > c:
		panic(Error("makeslice: cap out of range"))
	}
	affordable("makeslice", float64(c)*float64(bytes))
	return c
}

// Hint is how many elements a map is made for, or how many a channel holds. Out of range is what the
// machine has not the memory for.
func Hint(n, bytes int) int {
	if !outOfRange(n, bytes) {
		affordable("makeslice", float64(n)*float64(bytes))
	}
	return n
}

func outOfRange(n, bytes int) bool {
	return n < 0 || float64(n)*float64(bytes) > mostSize
}

// affordable panics if the process may not have the bytes that the function of that name makes.
func affordable(name string, bytes float64) {
	if bytes <= SmallSize {
		return
	}
	if most := memory.Limit(); bytes > float64(most) {
		panic(Error(fmt.Sprintf("%s: %s are asked for, the process may have %s",
			name, memory.Text(uint64(bytes)), memory.Text(most))))
	}
}
