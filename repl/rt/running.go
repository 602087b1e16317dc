package rt

// This file knows the goroutines of cells that run.

import (
	"bytes"
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/petermattis/goid"
)

// A Goroutine is one that a go statement has started and that has not ended.
type Goroutine struct {
	ID    int64
	Place int // of the go statement, a token.Pos
	Began time.Time
	State string // what the runtime says that it does, as in "chan receive"; see Goroutines
}

// maxGoroutines is how many goroutines cells may have; that many take 5 GB, more would lame the
// machine.
const maxGoroutines = 250_000

// begin registers the calling goroutine, started at place, until end is called.
func (ts *Types) begin(place int) (end func()) {
	id := goid.Get()
	ts.goroutines.Store(id, &Goroutine{ID: id, Place: place, Began: time.Now()})
	return func() { ts.goroutines.Delete(id) }
}

// Goroutines lists the goroutines of cells in the order in which they were started, with their
// states.
func (ts *Types) Goroutines() []Goroutine {
	states := goroutineStates()
	var list []Goroutine
	for _, v := range ts.goroutines.Range {
		g := *v.(*Goroutine)
		g.State = states[g.ID]
		list = append(list, g)
	}
	slices.SortFunc(list, func(a, b Goroutine) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// maxStacks is how much text of the runtime's about goroutines is read; of one it is some stackText.
const (
	maxStacks = 64 << 20
	stackText = 4 << 10
)

// goroutineStates returns what each goroutine of the process does, if they are not too many to ask:
// they all stand still meanwhile.
func goroutineStates() map[int64]string {
	n := runtime.NumGoroutine()
	if n > maxStacks/stackText {
		return nil
	}
	buf := make([]byte, (n+1)*stackText)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) || n >= maxStacks {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	states := map[int64]string{}
	for line := range bytes.Lines(buf) {
		rest, ok := bytes.CutPrefix(line, []byte("goroutine "))
		number, state, found := bytes.Cut(rest, []byte(" ["))
		state, _, closed := bytes.Cut(state, []byte("]"))
		if !ok || !found || !closed {
			continue
		}
		id, err := strconv.ParseInt(string(number), 10, 64)
		if err == nil {
			states[id] = string(state)
		}
	}
	return states
}

// tooMany panics when cells have too many goroutines.
func (ts *Types) tooMany() {
	if n := ts.running.Load(); n >= maxGoroutines {
		panic(Error(fmt.Sprintf("%d goroutines of cells have not ended; %%who -g lists them", n)))
	}
}

// waits are the states in which a goroutine waits for another one.
var waits = []string{
	"chan receive", "chan send", "chan receive (nil chan)", "chan send (nil chan)", "select",
	"select (no cases)", "semacquire", "sync.Mutex.Lock", "sync.RWMutex.Lock", "sync.RWMutex.RLock",
	"sync.WaitGroup.Wait", "sync.Cond.Wait",
}

// Asleep reports whether all goroutines of the present run, and of cells, wait for each other. What
// compiled code does beside them is not known.
func (ts *Types) Asleep() bool {
	if ts.sleeping.Load() > 0 {
		return false
	}
	states := goroutineStates()
	sleeps := func(id int64) bool {
		state, _, _ := strings.Cut(states[id], ",")
		return slices.Contains(waits, state)
	}
	for id := range ts.goroutines.Range {
		if !sleeps(id.(int64)) {
			return false
		}
	}
	return sleeps(ts.first.Load()) && ts.sleeping.Load() == 0
}
