package repl

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"

	"halfnote/internal/memory"
)

// This file lets the garbage collector run less often while the process holds little. Interpreted
// calls make garbage, and a session of a few megabytes, which may grow to twice its size by default,
// would be collected hundreds of times a second: that took four tenths of the time of fib(32).

const (
	// collectorRoom is how much the process may at least allocate between two collections.
	collectorRoom = 32 << 20
	// The heap may grow to 4 MB by default, and to as many times that as the percentage is 100.
	maxPercent = 100 * collectorRoom / (4 << 20)
)

// easeCollector begins that, once for the process, unless its environment says how the collector is
// to run.
var easeCollector = sync.OnceFunc(func() {
	if os.Getenv("GOGC") == "" {
		p := &pacer{percent: 100}
		if p.collected() {
			memory.EachCollection(p.collected)
		}
	}
})

// A pacer sets by how many percent of what lives the heap may grow until it is collected again.
type pacer struct{ percent int }

// collected is called after each collection, until it returns false: when code of the user has set
// the percentage.
func (p *pacer) collected() bool {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := percentFor(live[0].Value.Uint64())
	if percent*4 < p.percent*3 || p.percent*4 < percent*3 { // setting it stops the world
		if old := debug.SetGCPercent(percent); old != p.percent {
			debug.SetGCPercent(old)
			return false
		}
		p.percent = percent
	}
	return true
}

func percentFor(live uint64) int {
	return max(100, 100*collectorRoom/int(max(live, collectorRoom*100/maxPercent)))
}
