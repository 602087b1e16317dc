//go:build cuda

package cuda

// #include "driver.h"
// #cgo noescape hn_event
// #cgo nocallback hn_event
// #cgo noescape hn_event_free
// #cgo nocallback hn_event_free
// #cgo noescape hn_record
// #cgo nocallback hn_record
// #cgo noescape hn_event_wait
// #cgo nocallback hn_event_wait
// #cgo noescape hn_event_done
// #cgo nocallback hn_event_done
// #cgo noescape hn_elapsed
// #cgo nocallback hn_elapsed
import "C"

import "runtime"

// An event is a place in a stream.
type event struct {
	gpu    *GPU
	handle C.CUevent
}

// event returns one without a time, a kept one if it can.
func (g *GPU) event() (event, error) {
	g.events.Lock()
	if n := len(g.events.idle); n > 0 {
		e := g.events.idle[n-1]
		g.events.idle = g.events.idle[:n-1]
		g.events.Unlock()
		return e, nil
	}
	g.events.Unlock()
	e := event{gpu: g}
	err := failed(C.hn_event(g.ctx(), &e.handle, C.CU_EVENT_DISABLE_TIMING))
	return e, err
}

// keep takes back an event that nothing waits for any more.
func (g *GPU) keep(e event) {
	g.events.Lock()
	defer g.events.Unlock()
	g.events.idle = append(g.events.idle, e)
}

// record puts e behind all work that is in s now.
func (e event) record(s *stream) error {
	if s.recording() {
		return errRecording
	}
	return failed(C.hn_record(e.gpu.ctx(), e.handle, s.c()))
}

// wait waits until the GPU has come to e.
func (e event) wait() error { return failed(C.hn_event_wait(e.gpu.ctx(), e.handle)) }

// done reports whether the GPU has come to e.
func (e event) done() bool { return C.hn_event_done(e.gpu.ctx(), e.handle) == C.CUDA_SUCCESS }

// between has the work that is put into to from now on wait for all that is in from now.
func between(from, to *stream) error {
	if from == to {
		return nil
	}
	e, err := from.gpu.event()
	if err != nil {
		return err
	}
	defer from.gpu.keep(e) // the wait is for this record of it, not for the next
	if err := e.record(from); err != nil {
		return err
	}
	return to.follow(e)
}

// An Event is an event with a time, for package tensor.
type Event struct{ event }

// NewEvent returns an event of g's.
func (g *GPU) NewEvent() (*Event, error) {
	e := &Event{event{gpu: g}}
	if err := failed(C.hn_event(g.ctx(), &e.handle, C.CU_EVENT_DEFAULT)); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(e, func(e *Event) { C.hn_event_free(e.gpu.ctx(), e.handle) })
	return e, nil
}

// Record puts e behind all work that is in s now.
func (e *Event) Record(s *Stream) error {
	defer runtime.KeepAlive(e)
	return explain(e.record(s))
}

// Wait waits until the GPU has come to e.
func (e *Event) Wait() error {
	defer runtime.KeepAlive(e)
	waits()
	return explain(e.wait())
}

// Done reports whether the GPU has come to e.
func (e *Event) Done() bool {
	defer runtime.KeepAlive(e)
	return e.done()
}

// Elapsed returns how many milliseconds the GPU took from e to the other.
func (e *Event) Elapsed(to *Event) (float64, error) {
	defer runtime.KeepAlive([2]*Event{e, to})
	var ms C.float
	err := failed(C.hn_elapsed(e.gpu.ctx(), &ms, e.handle, to.handle))
	return float64(ms), explain(err)
}

// Follow has the work that is put into s from now on wait for e, which may be another GPU's.
func (s *stream) Follow(e *Event) error {
	defer runtime.KeepAlive(e)
	return explain(s.follow(e.event))
}
