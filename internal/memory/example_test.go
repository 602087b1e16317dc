package memory_test

import (
	"fmt"

	"halfnote/internal/memory"
)

func Example() {
	size, err := memory.Size()
	fmt.Println(err != nil || size > 1<<26)
	// Output: true
}
