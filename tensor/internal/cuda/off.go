//go:build !cuda

package cuda

import (
	"errors"

	"halfnote/tensor/internal/device"
)

var errOff = errors.New("cuda: built without tag cuda")

// Error says why there is no GPU to compute on.
func Error() error { return errOff }

// Open says why the i-th GPU cannot be computed on.
func Open(int) (*GPU, error) { return nil, errOff }

// Describe says why there are no GPUs.
func Describe() ([]Card, error) { return nil, errOff }

// Synchronous would make ops wait.
const Synchronous = false

// OnWait does nothing: there is nothing to wait for.
func OnWait(func()) {}

// A GPU is one that programs built with the tag cuda can compute on.
type GPU struct{}

// For is never called: there is no GPU.
func (*GPU) For(string) device.Backend { panic(errOff) }

// A Stream is a queue of work on a GPU.
type Stream struct{}

// NewStream is never called.
func (*GPU) NewStream() (*Stream, error) { return nil, errOff }

// Default is never called.
func (*GPU) Default() *Stream { panic(errOff) }

// On is never called.
func (*Stream) On(string) device.Backend { panic(errOff) }

// Wait is never called.
func (*Stream) Wait() error { return errOff }

// Done is never called.
func (*Stream) Done() bool { panic(errOff) }

// Follow is never called.
func (*Stream) Follow(*Event) error { return errOff }

// Record is never called.
func (*GPU) Record() (*Graph, error) { return nil, errOff }

// A Graph is recorded work.
type Graph struct{}

// Stream is never called.
func (*Graph) Stream() *Stream { panic(errOff) }

// End is never called.
func (*Graph) End(bool) error { return errOff }

// Launch is never called.
func (*Graph) Launch(*Stream) error { return errOff }

// Release is never called.
func (*Graph) Release() { panic(errOff) }

// An Event is a place in a stream.
type Event struct{}

// NewEvent is never called.
func (*GPU) NewEvent() (*Event, error) { return nil, errOff }

// Record is never called.
func (*Event) Record(*Stream) error { return errOff }

// Wait is never called.
func (*Event) Wait() error { return errOff }

// Done is never called.
func (*Event) Done() bool { panic(errOff) }

// Elapsed is never called.
func (*Event) Elapsed(*Event) (float64, error) { return 0, errOff }
