package rt

import (
	"testing"
	"unsafe"
)

// TestStubs: each stub jumps to the closure in its own slot.
func TestStubs(t *testing.T) {
	old := slots
	defer func() { slots = old }()
	for slot := range stubCount {
		slots[slot] = closureOf(func() int { return slot })
	}
	for slot := range stubCount {
		code := stubAt(slot)
		closure := unsafe.Pointer(&code)
		if got := (*(*func() int)(unsafe.Pointer(&closure)))(); got != slot {
			t.Fatalf("stub %d is that of slot %d", slot, got)
		}
	}
}
