package rt

import (
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/petermattis/goid"
)

// A Stop is a stop of everything that runs. The interpreter abandons functions where they are, each
// of which then returns at once; it can do so with all code or with none. A function that defers
// waits, when it has been abandoned, until the interpreter runs code again, which it does for a
// while, in a window, for the sake of the deferred calls alone:
//
//	stop := ts.Stop(pause, resume) // functions are abandoned
//	stop.Open()                    // those that wait run their deferred calls
//	stop.Finish()                  // deferred calls are abandoned, too
//	stop.End()                     // code can run
//
// A goroutine ends when its deferred calls have run, so that what was abandoned does not go on.
// What is abandoned between taking a lock and deferring its release keeps the lock.
type Stop struct {
	ts            *Types
	pause, resume func()
	first         int64           // the goroutine on which the run began
	stopped       <-chan struct{} // what stops the run's goroutines; nil for a stop of all there are
	over          chan struct{}   // closed when deferred calls must not run any more
	ended         chan struct{}   // closed when code runs again

	mu      sync.Mutex
	changed *sync.Cond
	open    bool
	waiting map[int64]bool // goroutines that wait for a window
	active  int            // goroutines in the window
}

// settle is how long deferred calls that run at a stop may go on, so that the usual ones are not
// abandoned halfway: a mutex would stay locked.
const settle = 20 * time.Millisecond

// turn is how long goroutines that are to live through a stop may take to get where they can be held:
// where many compute, each waits for its turn.
const turn = 500 * time.Millisecond

// Stop begins a stop of the run whose goroutines stopped stops, which is to be closed after it, or of
// all goroutines if it is nil. pause and resume make the interpreter abandon code and run it.
func (ts *Types) Stop(stopped <-chan struct{}, pause, resume func()) *Stop {
	s := &Stop{ts: ts, first: ts.first.Load(), stopped: stopped,
		over: make(chan struct{}), ended: make(chan struct{}), waiting: map[int64]bool{}}
	s.pause = func() { pause(); ts.paused.Store(true) }
	s.resume = func() { ts.paused.Store(false); resume() }
	s.changed = sync.NewCond(&s.mu)
	ts.ending.Add(1)
	ts.stop.Store(s)
	begun := time.Now()
	for ts.isBusy() && time.Since(begun) < settle {
		time.Sleep(100 * time.Microsecond)
	}
	for ts.isBusy() && time.Since(begun) < turn && ts.computes(s) {
		time.Sleep(settle)
	}
	s.pause()
	return s
}

// Waits reports whether any goroutine waits for a window, and whether the run's first one does.
func (s *Stop) Waits() (some, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waiting) > 0, s.waiting[s.first]
}

// Others returns how many goroutines of cells, without those that wait and the run's first one, may
// be in code of the user's.
func (s *Stop) Others() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.waiting)
	if s.waiting[s.first] {
		n--
	}
	return int(s.ts.guarded.Load()) - n
}

// Open opens a window. It closes by itself when no goroutine is in it any more.
func (s *Stop) Open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.open && len(s.waiting) > 0 {
		s.resume()
		s.open = true
		s.changed.Broadcast()
	}
}

// IsOpen reports whether a window is open.
func (s *Stop) IsOpen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}

// Finish abandons deferred calls, too.
func (s *Stop) Finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open {
		s.open = false
		s.pause()
	}
	close(s.over)
	s.changed.Broadcast()
}

// End lets code run again. Goroutines of the run that are in calls into compiled code end when these
// return.
func (s *Stop) End() {
	s.ts.stop.Store(nil)
	s.resume()
	close(s.ended)
	if !s.remains() {
		s.ts.ending.Add(-1)
		return
	}
	go func() {
		for s.remains() {
			time.Sleep(settle)
		}
		s.ts.ending.Add(-1)
	}()
}

// remains reports whether there are goroutines of the run.
func (s *Stop) remains() bool {
	for _, stopped := range s.ts.stops.Range {
		if stopped == s.stopped {
			return true
		}
	}
	return false
}

// isBusy reports whether deferred calls run, or goroutines that do not wait where they can be held.
func (ts *Types) isBusy() bool {
	return ts.deferring.Load() > 0 || ts.guarded.Load() > ts.held.Load()
}

// computes reports whether a goroutine that s spares does not wait for anything.
func (ts *Types) computes(s *Stop) bool {
	states := goroutineStates()
	for id := range ts.goroutines.Range {
		stopped, _ := ts.stops.Load(id)
		c, _ := stopped.(<-chan struct{})
		state, _, _ := strings.Cut(states[id.(int64)], ",")
		if s.spares(c) && (state == "running" || state == "runnable") {
			return true
		}
	}
	return false
}

// wait runs block, which waits for something, on the calling goroutine, and holds that then.
func (ts *Types) wait(block func()) {
	func() {
		if goid.Get() != ts.first.Load() {
			ts.held.Add(1)
			defer ts.held.Add(-1)
		}
		block()
	}()
	ts.HoldIfStopping()
}

// HoldIfStopping is Hold when something is being stopped, or has been and has not ended.
func (ts *Types) HoldIfStopping() {
	if ts.ending.Load() != 0 {
		ts.Hold()
	}
}

// Hold keeps the calling goroutine from being abandoned at the stop of another run than its own: it
// returns when that has ended. If its own run is stopped the goroutine ends. Hold reports false when
// it does neither because the interpreter has to abandon what runs: the caller is the goroutine on
// which the run began, or one of compiled code, or it runs deferred calls, or the stop is one of all
// goroutines.
func (ts *Types) Hold() bool {
	stopped := ts.stopped()
	for s := ts.stop.Load(); s != nil; s = ts.stop.Load() {
		switch {
		case s.spares(stopped):
			ts.hold(s.ended, stopped)
		case stopped == nil || stopped == s.over || s.stopped == nil || goid.Get() == s.first:
			return false
		default:
			ts.hold(stopped, nil)
			runtime.Goexit()
		}
	}
	if over(stopped) { // the run was given up
		runtime.Goexit()
	}
	return true
}

// hold waits for one of two channels to be closed.
func (ts *Types) hold(a, b <-chan struct{}) {
	ts.held.Add(1)
	defer ts.held.Add(-1)
	select {
	case <-a:
	case <-b:
	}
}

// spares reports whether goroutines that stopped stops are to live through the stop of others.
func (s *Stop) spares(stopped <-chan struct{}) bool {
	return stopped != nil && s.stopped != nil && stopped != s.stopped && stopped != s.over &&
		!over(stopped)
}

// enter waits for a window and reports whether deferred calls may run.
func (s *Stop) enter() bool {
	id := goid.Get()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[id] = true
	for !s.open && !over(s.over) {
		s.changed.Wait()
	}
	delete(s.waiting, id)
	if over(s.over) {
		return false
	}
	s.active++
	return true
}

// leave ends what enter began.
func (s *Stop) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active--
	if s.active == 0 && s.open {
		s.open = false
		s.pause()
		s.changed.Broadcast()
	}
}

// closed waits until no window is open.
func (s *Stop) closed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.open && !over(s.over) {
		s.changed.Wait()
	}
}
