package nn

import (
	"reflect"
	"sync"
	"sync/atomic"

	"halfnote/tensor"
)

// This file implements how [Summary] learns what the layers in a module return: each layer of this
// package hands its result to ran, and so do the containers for the modules in them.

// distinct gives a module without fields an address of its own, which values of no size have not.
type distinct byte

// tracing is the trace that is being taken, one at a time.
var tracing struct {
	lock sync.Mutex
	now  atomic.Pointer[trace]
}

// A trace is the first result of each module that ran.
type trace struct {
	mu     sync.Mutex
	shapes map[any][]int
}

// ran notes y as the result of m and returns it.
func ran(m Module, y *tensor.Tensor) *tensor.Tensor {
	if t := tracing.now.Load(); t != nil {
		t.note(m, y)
	}
	return y
}

func (t *trace) note(m Module, y *tensor.Tensor) {
	at := identity(m)
	if at == nil || y == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shapes[at] == nil {
		t.shapes[at] = y.Shape()
	}
}

// identity returns what tells a module from others: its pointer. It is nil for values that cannot
// be told apart.
func identity(m any) any {
	v := reflect.ValueOf(m)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Type().Elem().Size() == 0 {
		return nil
	}
	return v.Interface()
}

// traced runs m on x as in evaluation, without recording, and returns the shape of its result and
// those of the modules in it. Modes and buffers are afterwards as they were.
func traced(m Module, within any, x *tensor.Tensor) (y []int, shapes map[any][]int) {
	tracing.lock.Lock()
	defer tracing.lock.Unlock()
	t := &trace{shapes: map[any][]int{}}
	defer evaluating(within)()
	tensor.NoGrad(func() {
		tracing.now.Store(t)
		defer tracing.now.Store(nil)
		y = ran(m, m.Forward(x)).Shape()
	})
	return y, t.shapes
}

// A switchable layer tells its mode.
type switchable interface {
	Train(bool)
	Training() bool
}

// evaluating switches the layers in m that tell their mode to evaluation, and returns what puts the
// modes and the buffers back.
func evaluating(m any) (restore func()) {
	var training []switchable
	w := walker{
		tensor: func(string, *tensor.Tensor) {},
		value: func(_ string, v any) {
			if s, ok := v.(switchable); ok && s.Training() {
				training = append(training, s)
				s.Train(false)
			}
		},
	}
	w.walk(m)
	buffers := Buffers(m)
	saved, versions := make([]*tensor.Tensor, len(buffers)), make([]uint64, len(buffers))
	for i, b := range buffers {
		saved[i], versions[i] = b.Clone(), b.Version()
	}
	return func() {
		for _, s := range training {
			s.Train(true)
		}
		for i, b := range buffers {
			if b.Version() != versions[i] {
				b.CopyFrom(saved[i])
			}
		}
	}
}
