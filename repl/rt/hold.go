package rt

// This file holds goroutines while a run that is not theirs is stopped; see Stop.

import (
	"runtime"
	"strings"

	"github.com/petermattis/goid"
)

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

// isBusy reports whether deferred calls run, or goroutines that do not wait where they can be held.
func (ts *Types) isBusy() bool {
	return ts.deferring.Load() > 0 || ts.guarded.Load() > ts.held.Load()
}

// computes reports whether a goroutine that s spares does not wait for anything.
func (ts *Types) computes(s *Stop) bool {
	states, _ := goroutineStates()
	for id := range ts.goroutines.Range {
		stopped, _ := ts.stops.Load(id)
		c, _ := stopped.(<-chan struct{})
		state, _, _ := strings.Cut(states[id.(int64)].state, ",")
		if s.spares(c) && (state == "running" || state == "runnable") {
			return true
		}
	}
	return false
}
