package rt

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/petermattis/goid"

	"halfnote/repl/display"
)

// OnPanic sets what is told of a panic that ends a goroutine of emitted code, with what recover
// gives there; without it the text goes to the standard error of the cell that started it. It
// reports whether the program ends.
func (ts *Types) OnPanic(f func(v any) (ends bool)) { ts.panics = f }

// Go runs f on a new goroutine. What it prints belongs to the cell of the caller. A panic ends the
// goroutine but not the process.
func (ts *Types) Go(f func()) {
	if f == nil {
		panic(Error("go of nil func value"))
	}
	ts.tooMany()
	f = ts.inherit(f)
	place, leave := ts.place, ts.enter(ts.stopped())
	ts.sleeping.Add(1)
	go func() {
		defer leave()
		defer ts.begin(place)()
		ts.sleeping.Add(-1)
		f()
	}()
}

// groupGo is wg.Go(f). Nobody sees that f is done when its panic ends the program.
func (ts *Types) groupGo(wg *sync.WaitGroup, f func()) {
	wg.Add(1)
	ts.Go(func() {
		defer wg.Done()
		if stopped := ts.stopped(); ts.guard(f) && stopped != nil {
			<-stopped
		}
	})
}

// A run is what the session runs now.
type run struct {
	stopped    <-chan struct{} // see BindStop
	goroutines atomic.Int64    // that it has started and that have not ended
}

// enter counts a goroutine that stopped stops among those that run, until leave is called.
func (ts *Types) enter(stopped <-chan struct{}) (leave func()) {
	ts.running.Add(1)
	r := ts.run.Load()
	ofRun := r != nil && r.stopped == stopped
	if ofRun {
		r.goroutines.Add(1)
	}
	return func() {
		ts.left.Store(int64(ts.place))
		if ofRun {
			r.goroutines.Add(-1)
		}
		ts.running.Add(-1)
	}
}

// RunsOn reports whether goroutines that the present run has started are running, as in Running.
func (ts *Types) RunsOn() bool { return ts.run.Load().goroutines.Load() > 0 }

// Running returns how many goroutines that Go started have not ended, with those of compiled code
// that run a function of cells.
func (ts *Types) Running() int { return int(ts.running.Load()) }

// Idle reports whether no goroutine that Go started, and no function of Guard, is running.
func (ts *Types) Idle() bool { return ts.running.Load() == 0 }

// ReadMap keeps other goroutines of cells from changing maps, until done is called.
func (ts *Types) ReadMap() (done func()) {
	ts.maps.RLock()
	return ts.maps.RUnlock
}

// WriteMap keeps other goroutines of cells from using maps, until done is called.
func (ts *Types) WriteMap() (done func()) {
	ts.maps.Lock()
	return ts.maps.Unlock
}

// Guard returns f as a function that compiled code may run on a goroutine of its own: its output
// belongs to the caller's cell and its panics are told as those of Go are.
func (ts *Types) Guard(f func()) func() {
	if f == nil {
		return nil
	}
	f = ts.inherit(f)
	stopped := ts.stopped()
	return func() {
		defer ts.enter(stopped)()
		f()
	}
}

// inherit returns f as a function that may run on another goroutine, for Go and Guard.
func (ts *Types) inherit(f func()) func() {
	stopped := ts.stopped()
	return display.Inherit(func() {
		ts.guarded.Add(1)
		defer ts.guarded.Add(-1)
		if over(stopped) {
			return
		}
		defer ts.BindStop(stopped)()
		ts.guard(f)
	})
}

// guard runs f and tells of its panic. It reports whether that ends the program.
func (ts *Types) guard(f func()) (ends bool) {
	defer ts.own()()
	defer func() {
		r := recover()
		if r != nil {
			ts.unwinding.Add(1)
			defer ts.unwinding.Add(-1)
		}
		switch {
		case r == nil:
		case ts.panics != nil:
			ends = ts.panics(r)
		default:
			display.Current().Stream("stderr", "goroutine: panic: "+PanicText(r)+"\n")
		}
	}()
	f()
	return false
}

// Begin is BindStop for the goroutine on which a run begins.
func (ts *Types) Begin(stopped <-chan struct{}) (release func()) {
	ts.first.Store(goid.Get())
	ts.run.Store(&run{stopped: stopped})
	unbind, disown := ts.BindStop(stopped), ts.own()
	return func() { unbind(); disown() }
}

// BindStop makes the waits of the calling goroutine, and of those it starts, end when stopped is
// closed. The session closes it when the interpreter has stopped the cell, so that nothing runs
// after the wait. release undoes it.
func (ts *Types) BindStop(stopped <-chan struct{}) (release func()) {
	id := goid.Get()
	if stopped != nil {
		ts.stops.Store(id, stopped)
	}
	return func() {
		ts.TakeTrace(nil) // of a panic that compiled code has recovered
		c, _ := ts.stops.LoadAndDelete(id)
		if s := ts.stop.Load(); s != nil && c == (<-chan struct{})(s.over) {
			s.leave()
		}
	}
}

// stopped returns what stops the calling goroutine, or nil.
func (ts *Types) stopped() <-chan struct{} {
	c, _ := ts.stops.Load(goid.Get())
	stopped, _ := c.(<-chan struct{})
	return stopped
}

// over reports whether stopped is closed.
func over(stopped <-chan struct{}) bool {
	select {
	case <-stopped:
		return true
	default:
		return false
	}
}

// asks returns a function that asks the person for a line, for cells. It ends with its goroutine when
// the cell is stopped, so that nothing takes the missing answer for an empty one.
func (ts *Types) asks(ask func(prompt string) (string, error)) func(prompt string) (string, error) {
	return func(prompt string) (string, error) {
		line, err := ask(prompt)
		if stopped := ts.stopped(); stopped != nil && errors.Is(err, context.Canceled) {
			<-stopped
			runtime.Goexit()
		}
		return line, err
	}
}

// sleep is time.Sleep. It ends, with its goroutine, when the cell is stopped.
func (ts *Types) sleep(d time.Duration) {
	ts.sleeping.Add(1)
	defer ts.sleeping.Add(-1)
	timer := time.NewTimer(d)
	defer timer.Stop()
	stopped := ts.stopped()
	ts.wait(func() {
		select {
		case <-timer.C:
		case <-stopped:
			runtime.Goexit()
		}
	})
}
