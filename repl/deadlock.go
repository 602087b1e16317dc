package repl

// This file finds out that a program or a cell waits for ever. Go's runtime does not see it here:
// goroutines of the session's own could still run. A session in which something has been used that
// wakes goroutines by itself is left alone, for good.

import (
	"go/types"
	"slices"
	"strings"
	"time"

	"halfnote/repl/check"
	"halfnote/repl/rt"
)

const errDeadlock = rt.Fatal("all goroutines are asleep - deadlock!")

// asleep looks from time to time whether all goroutines of cells wait for each other.
type asleep struct {
	next  time.Time
	pause time.Duration
	times int // in a row that all were asleep
}

// manyTimes is how often in a row all goroutines must be asleep, 100 ms apart: on a busy machine a
// goroutine may wait that long for a lock whose owner is compiled code that has no turn.
const manyTimes = 8

// forEver reports whether all goroutines have been asleep many times in a row.
func (a *asleep) forEver(ts *rt.Types) bool {
	now := time.Now()
	if now.Before(a.next) {
		return false
	}
	if !ts.Asleep() {
		const least, most = 200 * time.Millisecond, 5 * time.Second
		a.times, a.pause = 0, min(max(2*a.pause, least), most)
		a.next = now.Add(max(a.pause, 50*time.Since(now))) // many goroutines take their time
		return false
	}
	a.times++
	a.next = now.Add(100 * time.Millisecond)
	return a.times > manyTimes
}

// wakers are what can wake a goroutine although all goroutines of cells wait: members of packages,
// and packages as a whole.
var wakers = map[string]string{
	"time": "After AfterFunc NewTimer NewTicker Tick", "runtime": "AddCleanup SetFinalizer",
	"context":    "WithTimeout WithTimeoutCause WithDeadline WithDeadlineCause AfterFunc",
	"crypto/tls": "", "database/sql": "", "database/sql/driver": "", "go/build": "",
	"go/importer": "", "net": "", "os/exec": "", "os/signal": "", "runtime/pprof": "",
	"runtime/trace": "", "syscall": "", "testing": "", "testing/synctest": "",
}

// canWake reports whether a cell or a program uses something that can wake goroutines.
func canWake(cell *check.Cell) bool {
	for _, obj := range cell.Info.Uses {
		if obj.Pkg() == nil || obj.Pkg().Path() == "main" {
			continue
		}
		path := obj.Pkg().Path()
		if isOurs := strings.HasPrefix(path, "halfnote/"); isOurs || strings.Contains(path, ".") ||
			strings.HasPrefix(path, "net/") { // the first two compute on several goroutines
			return true
		}
		names, ok := wakers[path]
		_, isFunc := obj.(*types.Func)
		if ok && (names == "" || isFunc && slices.Contains(strings.Fields(names), obj.Name())) {
			return true
		}
	}
	return false
}
