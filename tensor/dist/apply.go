package dist

import (
	"errors"
	"fmt"
	"sync"

	"halfnote/tensor"
	"halfnote/tensor/nn"
)

// StateCopy says what the goroutines of replicas get of the autocast state of the caller.
type StateCopy uint8

// The ways of copying. The last two are PyTorch's, each a trap: the replicas compute in another
// dtype than the program says, and nothing fails.
const (
	// CopyState copies all of it.
	CopyState StateCopy = iota

	// DropDType copies all but the dtype, so that a bfloat16 region runs float16 in the replicas.
	DropDType

	// DropState copies nothing, as PyTorch 1.6 did: the replicas compute in float32 unless the
	// module's own Forward opens a region (see Wrap of package amp).
	DropState
)

// Error is a panic in a replica.
type Error struct {
	Replica int // counted from 0
	Device  tensor.Device
	Value   any // what the replica panicked with
}

// Error returns "replica 1 on cpu: " and what the panic said.
func (e *Error) Error() string {
	return fmt.Sprintf("replica %d on %v: %v", e.Replica, e.Device, e.Value)
}

// Unwrap returns the panic's value, if it is an error.
func (e *Error) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// The values of replicas that ended their goroutine, and that returned nil.
var (
	errExit = errors.New("the goroutine was ended by runtime.Goexit")
	errNil  = errors.New("Forward returned no tensor")
)

// ParallelApply runs each module on the input of the same number, all at once, each on a goroutine
// of its own, and returns the outputs in their order. The goroutines get the caller's autocast
// state, by the copying given or whole, and all else that [tensor.Inherit] hands on.
//
// It panics with an [*Error] when a module panicked or returned nil, the first one's where several
// did, when all have ended; and with a [*tensor.Error] when there are not as many inputs as
// modules.
//
// The same module may be given several times only if its Forward writes to nothing it holds.
func ParallelApply(
	modules []nn.Module, inputs []*tensor.Tensor, state ...StateCopy,
) []*tensor.Tensor {
	a := newApply(modules, inputs, state)
	var wait sync.WaitGroup
	for i := range modules {
		wait.Go(func() { a.run(i) })
	}
	wait.Wait()
	for _, err := range a.errs {
		if err != nil {
			panic(err)
		}
	}
	return a.outputs
}

// apply is one run of modules on inputs.
type apply struct {
	modules []nn.Module
	inputs  []*tensor.Tensor
	outputs []*tensor.Tensor
	errs    []*Error
	inherit []func(f func()) // call f in the caller's state
	cast    tensor.CastState // of the caller, as the replicas get it
}

func newApply(modules []nn.Module, inputs []*tensor.Tensor, state []StateCopy) *apply {
	const op = "parallel apply"
	if len(modules) != len(inputs) {
		fail(op, "%d modules and %d inputs: each module takes one", len(modules), len(inputs))
	}
	if len(state) > 1 {
		fail(op, "%d ways of copying the state: give at most one", len(state))
	}
	how := CopyState
	if len(state) == 1 {
		how = state[0]
	}
	a := &apply{modules: modules, inputs: inputs, outputs: make([]*tensor.Tensor, len(modules)),
		errs: make([]*Error, len(modules)), cast: how.of(tensor.CurrentCastState())}
	for range modules {
		a.inherit = append(a.inherit, tensor.Inherit())
	}
	return a
}

// of returns what a replica gets of a state.
func (c StateCopy) of(state tensor.CastState) tensor.CastState {
	if state == nil || c == DropState {
		return nil
	}
	if f, ok := state.(interface{ ForgetDType() tensor.CastState }); ok && c == DropDType {
		return f.ForgetDType()
	}
	return state
}

// run runs module i on the calling goroutine, which is its own.
func (a *apply) run(i int) {
	ended := false
	defer func() {
		if ended {
			return
		}
		value := recover()
		if value == nil {
			value = errExit
		}
		a.errs[i] = &Error{Replica: i, Device: a.inputs[i].Device(), Value: value}
	}()
	a.inherit[i](func() {
		tensor.WithCastState(a.cast, func() { a.outputs[i] = a.modules[i].Forward(a.inputs[i]) })
	})
	if a.outputs[i] == nil {
		panic(errNil)
	}
	ended = true
}
