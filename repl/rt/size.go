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

// Size is a length or capacity n in a make of elements of so many bytes. It panics if the machine
// has not that much memory: Go would end the process.
func Size(n, bytes int) int {
	asked := float64(n) * float64(bytes)
	if asked <= SmallSize || asked > mostSize {
		return n
	}
	have, err := memory.Size()
	if err == nil && asked > float64(have) {
		panic(Error(fmt.Sprintf("makeslice: %s are asked for, the machine has %s",
			sizeText(asked), sizeText(float64(have)))))
	}
	return n
}

// sizeText writes a number of bytes in two digits or more.
func sizeText(bytes float64) string {
	units := []string{"GB", "TB", "PB", "EB"}
	bytes /= 1e9
	i := 0
	for ; bytes >= 1000 && i < len(units)-1; i++ {
		bytes /= 1000
	}
	if bytes < 10 {
		return fmt.Sprintf("%.1f %s", bytes, units[i])
	}
	return fmt.Sprintf("%.0f %s", bytes, units[i])
}
