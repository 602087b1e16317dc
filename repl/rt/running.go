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
	states, _ := goroutineStates()
	var list []Goroutine
	for _, v := range ts.goroutines.Range {
		g := *v.(*Goroutine)
		g.State = states[g.ID].state
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

// A doing is what a goroutine does: its state, and whether it is within halfnote, which does
// something for it, above the innermost function of the interpreter.
type doing struct {
	state string
	ours  bool
}

// goroutineStates returns what each goroutine of the process does, and whether they are all there.
// They all stand still meanwhile, so of too many it returns nothing.
func goroutineStates() (states map[int64]doing, all bool) {
	n := runtime.NumGoroutine()
	if n > maxStacks/stackText {
		return nil, false
	}
	buf := make([]byte, (n+1)*stackText)
	n = runtime.Stack(buf, true)
	for ; n == len(buf) && n < maxStacks; n = runtime.Stack(buf, true) {
		buf = make([]byte, 2*len(buf))
	}
	states = map[int64]doing{}
	for text := range bytes.SplitSeq(buf[:n], []byte("\n\n")) {
		header, calls, _ := bytes.Cut(text, []byte("\n"))
		rest, ok := bytes.CutPrefix(header, []byte("goroutine "))
		number, state, found := bytes.Cut(rest, []byte(" ["))
		state, _, closed := bytes.Cut(state, []byte("]"))
		if id, err := strconv.ParseInt(string(number), 10, 64); ok && found && closed && err == nil {
			states[id] = doing{string(state), isOurs(calls)}
		}
	}
	return states, n < len(buf)
}

// isOurs reports whether a function of halfnote's, but one that calls for the interpreter, stands
// above the innermost one of that.
func isOurs(calls []byte) bool {
	for line := range bytes.Lines(calls) {
		switch {
		case bytes.HasPrefix(line, []byte("github.com/traefik/yaegi/interp.")):
			return false
		case bytes.HasPrefix(line, []byte("halfnote/")) &&
			!bytes.HasPrefix(line, []byte("halfnote/repl/rt.")) &&
			!bytes.HasPrefix(line, []byte("halfnote/repl.(*steps).")) &&
			!bytes.HasPrefix(line, []byte("halfnote/repl.(*link).")):
			return true
		}
	}
	return false
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
// compiled code does beside them is not known, but that it runs no code of cells.
func (ts *Types) Asleep() bool {
	if ts.sleeping.Load() > 0 {
		return false
	}
	var known []int64 // before their states: one that ends meanwhile has woken others, perhaps
	for id := range ts.goroutines.Range {
		known = append(known, id.(int64))
	}
	states, all := goroutineStates()
	if !all {
		return false
	}
	awake := func(id int64) bool {
		d := states[id]
		state, _, _ := strings.Cut(d.state, ",")
		return !slices.Contains(waits, state) || d.ours
	}
	first := ts.first.Load()
	if _, lives := states[first]; lives && awake(first) { // runtime.Goexit may have ended it
		return false
	}
	return !slices.ContainsFunc(known, awake) && ts.guarded.Load() == int64(len(known)) &&
		ts.sleeping.Load() == 0
}
