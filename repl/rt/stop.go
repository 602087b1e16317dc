package rt

import (
	"sync"
	"time"

	"github.com/petermattis/goid"
)

// A Stop is the stop of a run. The interpreter abandons functions where they are, each of which then
// returns at once; it can do so with all code or with none, so goroutines of other runs are held
// meanwhile. A function that defers waits, when it has been abandoned, until the interpreter runs
// code again, which it does for a while, in a window, for the sake of the deferred calls alone:
//
//	stop := ts.Stop(stopped, pause, resume) // functions are abandoned
//	close(stopped)                          // waits of the run's goroutines end, and they with them
//	stop.Open()                             // those that wait for it run their deferred calls
//	stop.Finish()                           // deferred calls are abandoned, too
//	stop.End()                              // code can run
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
