package rt

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// This file releases locks. What is not locked is an error where it would end the process.

func unlock(m *sync.Mutex) {
	if m.TryLock() {
		m.Unlock()
		panic(Fatal("sync: unlock of unlocked mutex"))
	}
	m.Unlock()
}

// readers returns the field of m that counts its readers, less rwWriter while it is locked for
// writing, or nil where Go's type has none.
var readers = func() func(m *sync.RWMutex) *atomic.Int32 {
	f, ok := reflect.TypeFor[sync.RWMutex]().FieldByName("readerCount")
	if !ok || f.Type != reflect.TypeFor[atomic.Int32]() {
		return func(*sync.RWMutex) *atomic.Int32 { return nil }
	}
	return func(m *sync.RWMutex) *atomic.Int32 {
		return (*atomic.Int32)(unsafe.Add(unsafe.Pointer(m), f.Offset))
	}
}()

const rwWriter = 1 << 30

// LockerUnlock is l.Unlock().
func LockerUnlock(l sync.Locker) {
	switch l := l.(type) {
	case *sync.Mutex:
		unlock(l)
	case *sync.RWMutex:
		rwUnlock(l)
	default:
		l.Unlock()
	}
}

func rwUnlock(m *sync.RWMutex) {
	if n := readers(m); n != nil && n.Load() >= 0 {
		panic(Fatal("sync: Unlock of unlocked RWMutex"))
	}
	m.Unlock()
}

func rwRUnlock(m *sync.RWMutex) {
	if n := readers(m); n != nil && (n.Load() == 0 || n.Load() == -rwWriter) {
		panic(Fatal("sync: RUnlock of unlocked RWMutex"))
	}
	m.RUnlock()
}
