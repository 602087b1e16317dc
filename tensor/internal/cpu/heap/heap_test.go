package heap

import (
	"runtime"
	"testing"
	"unsafe"
)

func TestClass(t *testing.T) {
	last, lastRoom := -1, 0
	for bytes := Smallest; bytes < 1<<20; bytes += 100 {
		list, room := class(bytes)
		if room < bytes || room > bytes+bytes/steps+64 || room%headerSize != 0 {
			t.Fatalf("class(%d) has room for %d", bytes, room)
		}
		if (list == last) != (room == lastRoom) || list < last {
			t.Fatalf("class(%d) is list %d, room %d; the one before %d, %d", bytes, list, room,
				last, lastRoom)
		}
		if again, _ := class(room); again != list {
			t.Fatalf("class(%d) is list %d, and that of its room %d", bytes, list, again)
		}
		last, lastRoom = list, room
	}
}

// TestFree: what is freed is given to the next that asks for the size, with zeros where it wants
// them, and aligned for vectors.
func TestFree(t *testing.T) {
	const bytes = 100_003
	p := Alloc(bytes, true)
	all := unsafe.Slice((*byte)(p), bytes)
	for i := range all {
		if all[i] != 0 {
			t.Fatalf("byte %d is %d", i, all[i])
		}
		all[i] = 7
	}
	before := Stats()
	Free(p)
	if got := before.InUse - Stats().InUse; got != bytes {
		t.Errorf("%d bytes were freed, want %d", got, bytes)
	}
	q := Alloc(bytes-1, true)
	if reuse && q != p {
		t.Errorf("the memory at %p was not given again, but %p", p, q)
	}
	for i, v := range unsafe.Slice((*byte)(q), bytes-1) {
		if v != 0 {
			t.Fatalf("byte %d of memory given again is %d", i, v)
		}
	}
	if uintptr(q)%64 != 0 {
		t.Errorf("the memory at %p is not aligned", q)
	}
}

// TestUnreachable: memory comes back when nothing points into it, and not before.
func TestUnreachable(t *testing.T) {
	const bytes = 3_000_000
	before := int64(-1)
	for before != Stats().InUse { // what other tests have left goes
		before = Stats().InUse
		for range 3 {
			ran := make(chan bool)
			runtime.SetFinalizer(new([64]int), func(*[64]int) { close(ran) })
			runtime.GC()
			<-ran
		}
	}
	inside := unsafe.Add(Alloc(bytes, false), bytes/2)
	for range 3 {
		runtime.GC()
	}
	if got := Stats().InUse - before; got < bytes/2 {
		t.Fatalf("%d bytes in use, want %d", got, bytes)
	}
	runtime.KeepAlive(inside)
	for Stats().InUse-before >= bytes/2 {
		runtime.GC()
	}
	if !reuse {
		return
	}
	had := Stats().Reused
	Alloc(bytes, false)
	if Stats().Reused != had+1 {
		t.Error("the memory that came back was not given again")
	}
}

func BenchmarkAlloc(b *testing.B) {
	b.Run("free", func(b *testing.B) {
		for b.Loop() {
			Free(Alloc(1<<16, false))
		}
	})
	b.Run("collect", func(b *testing.B) {
		for b.Loop() {
			Alloc(1<<16, false)
		}
	})
}
