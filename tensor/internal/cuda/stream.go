//go:build cuda

package cuda

// #include "driver.h"
// #cgo noescape hn_wait
// #cgo nocallback hn_wait
// #cgo noescape hn_idle
// #cgo nocallback hn_idle
// #cgo noescape hn_follow
// #cgo nocallback hn_follow
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"gorgonia.org/cu"

	"halfnote/tensor/internal/device"
)

// A stream is a queue of work that the GPU does in order. It has memory of its own, which is used again
// in the same order.
type stream struct {
	handle       cu.Stream
	gpu          *GPU
	small, large bins

	graph    *recorded // that was recorded here, or nil
	ended    bool      // the graph is no more
	segments int       // that it has of the pool
}

// A Stream is a stream for package tensor.
type Stream = stream

// newStream makes a stream that does not wait for the driver's own. The context is current.
func (g *GPU) newStream() (*stream, error) {
	handle, err := cu.MakeStream(cu.NonBlocking)
	if err != nil {
		return nil, ownError(err)
	}
	return g.streamOf(handle), nil
}

// streamOf returns the stream with that handle.
func (g *GPU) streamOf(handle cu.Stream) *stream {
	s := &stream{handle: handle, gpu: g}
	s.small = bins{stream: s, rest: unit}
	s.large = bins{stream: s, rest: small + 1}
	g.pool.mu.Lock()
	g.pool.streams = append(g.pool.streams, s)
	g.pool.mu.Unlock()
	return s
}

// bins returns where memory of that size comes from.
func (s *stream) bins(size int) *bins {
	if size <= small {
		return &s.small
	}
	return &s.large
}

// streamsKept is how many streams a GPU gets beside the first: after them they are given in turn, as
// PyTorch does, which makes no more either.
const streamsKept = 32

// NewStream returns a stream beside the first one. Of very many, several are the same.
func (g *GPU) NewStream() (*Stream, error) {
	g.streams.Lock()
	defer g.streams.Unlock()
	n := &g.streams.given
	defer func() { *n++ }()
	if *n >= streamsKept {
		return g.streams.all[*n%streamsKept], nil
	}
	var s *stream
	err := g.do(func() (err error) {
		s, err = g.newStream()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s has no stream: %w", g, err)
	}
	g.streams.all = append(g.streams.all, s)
	return s, nil
}

// Default returns the stream of goroutines that have chosen none.
func (g *GPU) Default() *Stream { return g.stream }

// On returns what computes an op of this name in s.
func (s *stream) On(op string) device.Backend { return &Backend{gpu: s.gpu, stream: s, op: op} }

// wait waits until all work in s is done.
func (s *stream) wait() error {
	if s.recording() {
		return errRecording
	}
	waits()
	return failed(C.hn_wait(s.gpu.ctx(), s.c()))
}

var errRecording = errors.New("its work is recorded by a Graph and done later: wait outside of it")

// follow has the work that is put into s from now on wait for e.
func (s *stream) follow(e event) error {
	if s.recording() {
		return errRecording
	}
	return failed(C.hn_follow(s.gpu.ctx(), s.c(), e.handle))
}

// Wait waits until all work in s is done.
func (s *stream) Wait() error { return explain(s.wait()) }

// Done reports whether all work in s is done.
func (s *stream) Done() bool {
	return !s.recording() && C.hn_idle(s.gpu.ctx(), s.c()) == C.CUDA_SUCCESS
}

// c is s for functions in C.
func (s *stream) c() C.CUstream { return *(*C.CUstream)(unsafe.Pointer(&s.handle)) }

// wait waits for all of g's streams.
func (g *GPU) wait() error {
	g.pool.mu.Lock()
	all := g.pool.streams[:len(g.pool.streams):len(g.pool.streams)]
	g.pool.mu.Unlock()
	for _, s := range all {
		if s.recording() {
			continue
		}
		if err := s.wait(); err != nil {
			return err
		}
	}
	return nil
}
