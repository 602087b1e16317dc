package nn

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"halfnote/tensor"
)

// A Stateful has a state that can be saved in a file of tensors: optimizers, schedules, generators.
type Stateful interface {
	// StateDict returns copies of all that makes up the state.
	StateDict() map[string]*tensor.Tensor
	// LoadStateDict takes what StateDict returned; after an error nothing has changed.
	LoadStateDict(state map[string]*tensor.Tensor) error
}

// A Checkpoint names the parts of a run that are saved together, in one file of tensors, so that a
// run resumed from it is equal bit for bit to one that was never cut:
//
//	run := nn.Checkpoint{
//		"model": model, "optimizer": opt, "scaler": scaler, "epoch": &epoch,
//		"generator": tensor.DefaultGenerator(),
//	}
//	err := run.Save("run.safetensors")
//
// and in another process, after making the same parts, run.Load.
//
// A part is a [Stateful], an amp.GradScaler, a *int or *float64, or any value whose tensors the
// functions of this package find, such as a module or a tensor. Tensors are called after the part
// and their name in it: model.0.weight. Checkpoint is a Stateful itself.
//
// Save between iterations, after the scaler's Update; to resume the order of a data set, too, save
// between two passes over it. Gradients are not saved.
type Checkpoint map[string]any

// Save writes the state of all parts to a file in the format safetensors; see
// [tensor.SaveSafetensors].
func (c Checkpoint) Save(path string) error { return tensor.SaveSafetensors(path, c.StateDict()) }

// Load reads a file that Save wrote and gives each part its state. Parts of the file that c does
// not name are passed over, so that the model of a run can be loaded alone. After an error no part
// has changed.
func (c Checkpoint) Load(path string) error {
	state, err := tensor.LoadSafetensors(path)
	if err != nil {
		return err
	}
	if err := c.LoadStateDict(state); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// StateDict returns the states of all parts, each tensor called after its part and its name there.
// It panics with a [*tensor.Error] if a part is nil or a number that cannot be set, or its name is
// empty or has a dot.
func (c Checkpoint) StateDict() map[string]*tensor.Tensor {
	all := map[string]*tensor.Tensor{}
	for name, part := range c {
		for path, t := range c.stateful(name, part).StateDict() {
			if path != "" {
				path = "." + path
			}
			all[name+path] = t
		}
	}
	return all
}

// LoadStateDict gives each part its tensors in state. After an error no part has changed: those
// that had been loaded take their former state again.
func (c Checkpoint) LoadStateDict(state map[string]*tensor.Tensor) (err error) {
	byPart := map[string]map[string]*tensor.Tensor{}
	for name, t := range state {
		part, path, _ := strings.Cut(name, ".")
		if byPart[part] == nil {
			byPart[part] = map[string]*tensor.Tensor{}
		}
		byPart[part][path] = t
	}
	var undo []func() error
	for _, name := range slices.Sorted(maps.Keys(c)) {
		part := c.stateful(name, c[name])
		before := part.StateDict()
		if byPart[name] == nil && len(before) > 0 {
			err = fmt.Errorf("there is none: the parts are %s",
				strings.Join(slices.Sorted(maps.Keys(byPart)), ", "))
		} else {
			err = part.LoadStateDict(byPart[name])
		}
		if err != nil {
			err = fmt.Errorf("checkpoint: part %q: %w", name, err)
			for _, f := range slices.Backward(undo) { // parts may share what they hold
				err = errors.Join(err, f())
			}
			return err
		}
		undo = append(undo, func() error { return part.LoadStateDict(before) })
	}
	return nil
}

// numeric is what amp.GradScaler has: a state of numbers.
type numeric interface {
	StateDict() map[string]float64
	LoadStateDict(state map[string]float64) error
}

// stateful returns how a part's state is saved.
func (c Checkpoint) stateful(name string, part any) Stateful {
	if name == "" || strings.Contains(name, ".") {
		fail("checkpoint", "the name %q of a part: it has to be without dots, and not empty", name)
	}
	v := reflect.ValueOf(part)
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		fail("checkpoint", "part %q is nil", name)
	}
	switch p := part.(type) {
	case Stateful:
		return p
	case numeric:
		return numbers{p}
	case *int:
		return number[int]{p}
	case *float64:
		return number[float64]{p}
	}
	if plain(reflect.Indirect(v).Type()) {
		fail("checkpoint", "part %q is a %T, which holds no tensor; give numbers as *int or *float64",
			name, part)
	}
	return module{part}
}

// module is the state of a value's tensors.
type module struct{ any }

func (m module) StateDict() map[string]*tensor.Tensor { return StateDict(m.any) }

func (m module) LoadStateDict(state map[string]*tensor.Tensor) error {
	return LoadStateDict(m.any, state)
}

// numbers is a state of numbers, each a Float64 tensor without dimensions.
type numbers struct{ numeric }

func (n numbers) StateDict() map[string]*tensor.Tensor {
	state := map[string]*tensor.Tensor{}
	for name, v := range n.numeric.StateDict() {
		state[name] = tensor.New(v)
	}
	return state
}

func (n numbers) LoadStateDict(state map[string]*tensor.Tensor) error {
	values := map[string]float64{}
	for name, t := range state {
		if t.Numel() != 1 {
			return fmt.Errorf("%s has shape %v: must be one number", name, t.Shape())
		}
		values[name] = t.Item()
	}
	return n.numeric.LoadStateDict(values)
}

// number is the state of a variable.
type number[T int | float64] struct{ at *T }

func (n number[T]) StateDict() map[string]*tensor.Tensor {
	return map[string]*tensor.Tensor{"": tensor.New(*n.at)}
}

func (n number[T]) LoadStateDict(state map[string]*tensor.Tensor) error {
	t := state[""]
	if len(state) != 1 || t == nil || t.Numel() != 1 {
		return errors.New("is not one number")
	}
	if t.DType() != tensor.New(*n.at).DType() {
		return fmt.Errorf("is %s: cannot become %T", t.DType(), *n.at)
	}
	if t.DType().IsFloat() {
		*n.at = T(t.Item())
	} else {
		*n.at = T(t.Int64s()[0])
	}
	return nil
}
