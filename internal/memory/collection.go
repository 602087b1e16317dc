package memory

import (
	"runtime"
	"runtime/metrics"
)

// A cycle is garbage from the beginning on, so that its finalizer runs after the next collection.
type cycle struct{ f func() bool }

// EachCollection calls f after each collection of garbage, also those that Go begins, until it
// returns false. f runs on the goroutine of finalizers and must not wait.
func EachCollection(f func() bool) {
	runtime.SetFinalizer(&cycle{f}, func(c *cycle) {
		if c.f() {
			EachCollection(c.f)
		}
	})
}

// Scanned returns how many bytes the last collection went through, which is what one costs.
func Scanned() int {
	scanned := []metrics.Sample{{Name: "/gc/scan/total:bytes"}}
	metrics.Read(scanned)
	return int(scanned[0].Value.Uint64())
}
