package optim

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"halfnote/tensor"
)

// This file implements StateDict and LoadStateDict for all optimizers. Paths are
//
//	0.momentum_buffer   a tensor kept for the first of Params, named as in PyTorch
//	0.step              how often it was updated
//	group.0.LR          an option of the first group; bools are 0 or 1

// StateDict returns copies of all that the optimizer keeps between steps, and of its options:
// tensors by parameter ("0.exp_avg", counted in the order of Params, and "0.step"), and the fields
// of each group's config ("group.0.LR"), so that a file of tensors can hold it.
func (b *base) StateDict() map[string]*tensor.Tensor {
	dict := map[string]*tensor.Tensor{}
	for i, p := range b.parameters() {
		s := b.states[p.Tensor]
		if s == nil {
			continue
		}
		steps := s.done()
		if steps == 0 { // all were skipped
			continue
		}
		dict[fmt.Sprintf("%d.step", i)] = tensor.New(float64(steps))
		for name, t := range s.slots {
			dict[fmt.Sprintf("%d.%s", i, name)] = t.Clone()
		}
		for name, kept := range p.slots() { // what an option asks for since the last step
			if kept && s.slots[name] == nil {
				dict[fmt.Sprintf("%d.%s", i, name)] = tensor.ZerosLike(p.Tensor)
			}
		}
	}
	for i, g := range b.groups {
		for name, v := range options(g.config) {
			dict[fmt.Sprintf("group.%d.%s", i, name)] = encode(v)
		}
	}
	return dict
}

// LoadStateDict takes what [base.StateDict] of an optimizer of the same kind, with groups of the
// same sizes, returned: the options and what is kept for each parameter, converted to its dtype
// and device. After an error nothing has changed.
func (b *base) LoadStateDict(dict map[string]*tensor.Tensor) error {
	configs, left, params := make([]config, len(b.groups)), maps.Clone(dict), []parameter{}
	for i, g := range b.groups {
		c, err := loadConfig(g.config, fmt.Sprintf("group.%d.", i), left)
		if err != nil {
			return fmt.Errorf("%s: load state dict: %w", b.op, err)
		}
		configs[i] = c
		for _, p := range g.params {
			params = append(params, parameter{p, c})
		}
	}
	states, err := loadStates(params, left)
	if err != nil {
		return fmt.Errorf("%s: load state dict: %w", b.op, err)
	}
	for i := range b.groups {
		reflect.ValueOf(b.groups[i].config).Elem().Set(reflect.ValueOf(configs[i]).Elem())
	}
	b.states = states
	return nil
}

// loadConfig returns a copy of c with the options in dict below prefix, and deletes them there.
func loadConfig(c config, prefix string, dict map[string]*tensor.Tensor) (config, error) {
	loaded := reflect.New(reflect.TypeOf(c).Elem()).Interface().(config)
	for name, v := range options(loaded) {
		t := dict[prefix+name]
		if t == nil {
			return nil, fmt.Errorf("%s is missing", prefix+name)
		}
		if err := decode(v, t); err != nil {
			return nil, fmt.Errorf("%s: %w", prefix+name, err)
		}
		delete(dict, prefix+name)
	}
	if err := loaded.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", strings.TrimSuffix(prefix, "."), err)
	}
	return loaded, nil
}

// A parameter is a tensor with the options of its group.
type parameter struct {
	*tensor.Tensor
	config
}

// parameters returns Params with their options.
func (b *base) parameters() (all []parameter) {
	for _, g := range b.groups {
		for _, p := range g.params {
			all = append(all, parameter{p, g.config})
		}
	}
	return all
}

// loadStates returns copies of the states in dict, whose every path must belong to one of params,
// and which must be whole.
func loadStates(
	params []parameter, dict map[string]*tensor.Tensor,
) (map[*tensor.Tensor]*state, error) {
	states := map[*tensor.Tensor]*state{}
	for _, path := range slices.Sorted(maps.Keys(dict)) {
		number, name, _ := strings.Cut(path, ".")
		i, err := strconv.Atoi(number)
		if err != nil || i < 0 || i >= len(params) || strconv.Itoa(i) != number {
			return nil, fmt.Errorf("%s belongs to none of the %d parameters", path, len(params))
		}
		p := params[i]
		s := states[p.Tensor]
		if s == nil {
			s = &state{slots: map[string]*tensor.Tensor{}}
			states[p.Tensor] = s
		}
		if name == "step" {
			if s.steps, err = loadCount(dict, path); err == nil && s.steps == 0 {
				err = fmt.Errorf("%s is 0: what is kept begins with step 1", path)
			}
		} else {
			s.slots[name], err = p.load(dict[path], path, name)
		}
		if err != nil {
			return nil, err
		}
	}
	for i, p := range params {
		if err := states[p.Tensor].whole(p.config); err != nil {
			return nil, fmt.Errorf("%d.%w", i, err)
		}
	}
	return states, nil
}

// load returns a copy of what is kept for p under a name.
func (p parameter) load(t *tensor.Tensor, path, name string) (*tensor.Tensor, error) {
	_, known := p.slots()[name]
	switch {
	case t == nil:
		return nil, fmt.Errorf("%s is nil", path)
	case !known:
		return nil, fmt.Errorf("%s is none of what is kept for a parameter: %s", path,
			strings.Join(slices.Sorted(maps.Keys(p.slots())), ", "))
	case !slices.Equal(t.Shape(), p.Shape()):
		return nil, fmt.Errorf("%s has shape %v, the parameter has %v",
			path, t.Shape(), p.Shape())
	}
	return t.Detach().Clone().To(p.DType()).To(p.Device()), nil
}

// whole says what s lacks of what an optimizer with the options c keeps. A nil state is one of
// before the first step.
func (s *state) whole(c config) error {
	if s == nil {
		return nil
	}
	if s.steps == 0 {
		return errors.New("step is missing")
	}
	needed := c.slots()
	for _, name := range slices.Sorted(maps.Keys(needed)) {
		if needed[name] && s.slots[name] == nil {
			return fmt.Errorf("%s is missing", name)
		}
	}
	return nil
}

// encode returns an option, a number, a bool or an array of numbers, as a float64 tensor.
func encode(v reflect.Value) *tensor.Tensor {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return tensor.New(1.0)
		}
		return tensor.New(0.0)
	case reflect.Array:
		numbers := make([]float64, v.Len())
		for i := range numbers {
			numbers[i] = v.Index(i).Float()
		}
		return tensor.New(numbers)
	}
	return tensor.New(v.Float())
}

// decode sets an option to what encode returned.
func decode(v reflect.Value, t *tensor.Tensor) error {
	numbers, want := t.Float64s(), 1
	if v.Kind() == reflect.Array {
		want = v.Len()
	}
	if len(numbers) != want {
		return fmt.Errorf("%d values, want %d", len(numbers), want)
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(numbers[0] != 0)
	case reflect.Array:
		for i, n := range numbers {
			v.Index(i).SetFloat(n)
		}
	default:
		v.SetFloat(numbers[0])
	}
	return nil
}
