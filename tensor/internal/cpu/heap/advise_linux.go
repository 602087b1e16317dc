package heap

import (
	"syscall"
	"unsafe"
)

// advise asks for huge pages where memory has whole ones.
func advise(p unsafe.Pointer, bytes int) {
	const advice = 14 // MADV_HUGEPAGE
	at := uintptr(p)
	from, to := (hugePage-at%hugePage)%hugePage, (at+uintptr(bytes))&^(hugePage-1)-at
	if int(from) < int(to) {
		all := unsafe.Slice((*byte)(p), bytes)
		_ = syscall.Madvise(all[from:to], advice) // slower without, no more
	}
}
