// Package sync is halfnote's source of the generic functions of Go's package sync.
package sync

import "sync"

// OnceValue returns a function that calls f the first time and returns its value every time. If f
// panics, every call panics with the same value. It may be called by several goroutines at once.
func OnceValue[T any](f func() T) func() T {
	var v T
	once := sync.OnceFunc(func() {
		v = f()
		f = nil // what f holds can be freed
	})
	return func() T {
		once()
		return v
	}
}

// OnceValues is OnceValue for functions with two results.
func OnceValues[T1, T2 any](f func() (T1, T2)) func() (T1, T2) {
	var v1 T1
	var v2 T2
	once := sync.OnceFunc(func() {
		v1, v2 = f()
		f = nil // what f holds can be freed
	})
	return func() (T1, T2) {
		once()
		return v1, v2
	}
}
