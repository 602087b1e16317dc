package tensor

import (
	"time"

	"halfnote/tensor/internal/cuda"
)

// This file implements what a program has of the order in which a GPU computes. Ops on a GPU only put
// work into a queue and return; all goroutines use the same one, unless they say otherwise, and so find
// what others have computed. Reading values waits for what computes them.

// A Stream is a queue of work on a device, which is done in order. Work in different streams of a GPU
// may be done at the same time: what one computes is ready for another after Record there and Wait
// here. On the CPU, where ops are done when they return, streams change nothing.
type Stream struct {
	device Device
	queue  *cuda.Stream // nil on the CPU
}

// NewStream returns a new stream of a device. A GPU has 32 beside its first one, which are given in
// turn.
func NewStream(d Device) *Stream {
	s := &Stream{device: d}
	if d.kind == cudaKind {
		var err error
		s.queue, err = d.gpu("stream").NewStream()
		failOn("stream", err)
	}
	return s
}

// CurrentStream returns the stream that this goroutine's ops on the device go to.
func CurrentStream(d Device) *Stream {
	s := &Stream{device: d}
	if d.kind == cudaKind {
		s.queue = d.queue("stream")
	}
	return s
}

// routed is a list of the streams that a goroutine's ops go to, the one chosen last first.
type routed struct {
	device Device
	queue  *cuda.Stream
	outer  *routed
}

// Do calls f, whose ops on the stream's device go to s: those of this goroutine, also when Backward
// computes them. Gradients of tensors that other streams have computed need their Record and Wait.
func (s *Stream) Do(f func()) {
	checkFunction("stream", f != nil)
	s.given()
	l, saved := enter()
	defer l.restore(&saved)
	if l.graph != nil && s.queue != nil && s.queue != s.device.queue("stream") {
		fail("stream", "a Graph records one stream; choose another for its Run")
	}
	if s.queue != nil {
		l.stream = &routed{s.device, s.queue, l.stream}
	}
	f()
}

// Device returns the stream's device.
func (s *Stream) Device() Device {
	s.given()
	return s.device
}

// Record puts e behind all work that is in s now.
func (s *Stream) Record(e *Event) {
	s.given()
	e.given()
	e.at = time.Now()
	if s.queue == nil {
		e.device, e.mark = s.device, nil
		return
	}
	if e.mark == nil || e.device != s.device {
		mark, err := s.device.gpu("event").NewEvent()
		failOn("event", err)
		e.mark = mark
	}
	e.device = s.device
	failOn("event", e.mark.Record(s.queue))
}

// Wait has the work that is put into s from now on wait until e is reached; the program goes on. An
// event that was not recorded is waited for by nobody.
func (s *Stream) Wait(e *Event) {
	s.given()
	e.given()
	switch {
	case e.mark == nil:
	case s.queue == nil:
		e.Synchronize()
	default:
		failOn("stream", s.queue.Follow(e.mark))
	}
}

// Synchronize waits until all work in s is done.
func (s *Stream) Synchronize() {
	s.given()
	if s.queue != nil {
		failOn("synchronize", s.queue.Wait())
	}
}

// Done reports whether all work in s is done.
func (s *Stream) Done() bool {
	s.given()
	return s.queue == nil || s.queue.Done()
}

// String returns for instance stream of cuda:0.
func (s *Stream) String() string { return "stream of " + s.Device().String() }

func (s *Stream) given() {
	if s == nil {
		fail("stream", "the stream is nil; make one with tensor.NewStream")
	}
}

// An Event is a place in a stream, and the time at which the device came to it.
type Event struct {
	device Device
	mark   *cuda.Event // nil before Record, and on the CPU
	at     time.Time   // of Record
}

// NewEvent returns an event, which (*Stream).Record puts into a stream, again and again if wanted.
func NewEvent() *Event { return new(Event) }

// Synchronize waits until e is reached.
func (e *Event) Synchronize() {
	e.given()
	if e.mark != nil {
		failOn("synchronize", e.mark.Wait())
	}
}

// Done reports whether e is reached.
func (e *Event) Done() bool {
	e.given()
	return e.mark == nil || e.mark.Done()
}

// Elapsed returns how many milliseconds passed on the device between e and the later event end; it
// waits for end.
func (e *Event) Elapsed(end *Event) float64 {
	e.given()
	end.given()
	switch {
	case e.at.IsZero() || end.at.IsZero():
		fail("elapsed", "an event was not recorded; (*Stream).Record does it")
	case e.device != end.device:
		fail("elapsed", "the events are of devices %s and %s", e.device, end.device)
	case e.mark == nil:
		return float64(end.at.Sub(e.at)) / float64(time.Millisecond)
	}
	end.Synchronize()
	ms, err := e.mark.Elapsed(end.mark)
	failOn("elapsed", err)
	return ms
}

func (e *Event) given() {
	if e == nil {
		fail("event", "the event is nil; make one with tensor.NewEvent")
	}
}

// Synchronize waits until everything is done that was to be computed on the default device, or on the
// device given.
func Synchronize(device ...Device) {
	d := oneDevice("synchronize", device)
	d.backend("synchronize").Synchronize()
	d.prove()
}

// queue returns the stream that the goroutine's ops on a GPU go to.
func (d Device) queue(op string) *cuda.Stream {
	if l := current(); l != nil {
		if r := l.graph; r != nil && r.device != d {
			fail(op, "a Graph records work of one GPU: of %s, not of %s", r.device, d)
		}
		for c := l.stream; c != nil; c = c.outer {
			if c.device == d {
				return c.queue
			}
		}
	}
	return d.gpu(op).Default()
}

// gpu returns the GPU that d stands for.
func (d Device) gpu(op string) *cuda.GPU {
	gpu, err := cuda.Open(int(d.index))
	failOn(op, err)
	return gpu
}

// failOn ends an op with the error of a device, unless that is nil.
func failOn(op string, err error) {
	if err != nil {
		fail(op, "%v", err)
	}
}
