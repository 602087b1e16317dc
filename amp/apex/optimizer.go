package apex

import (
	"fmt"
	"maps"
	"slices"

	"halfnote/tensor"
	"halfnote/tensor/optim"
)

// Optimizer is an optimizer under a [Level]: with master weights it updates float32 copies of the
// 16-bit parameters and rounds them into the model, and it skips the step behind an overflow. What
// it does not define is the wrapped optimizer's.
type Optimizer struct {
	optim.Optimizer
	amp   *Amp
	slots []*slot

	inside  bool    // a ScaleLoss block is open
	scaled  *scaler // by which the gradients are scaled, where the last block has left them so
	skip    string  // why the next Step is skipped; "" when it is not
	skipped bool    // the last Step was
}

// slot is a parameter with what is kept for it.
type slot struct {
	param  *tensor.Tensor
	master *tensor.Tensor // nil unless there is a float32 copy
	stash  *tensor.Tensor // the gradient from before a block
}

func newOptimizer(a *Amp, opt optim.Optimizer) *Optimizer {
	o := &Optimizer{Optimizer: opt, amp: a}
	o.all()
	return o
}

// all returns the slots, with those of groups that were added to the wrapped optimizer since.
func (o *Optimizer) all() []*slot {
	for _, p := range o.Optimizer.Params()[len(o.slots):] {
		s := &slot{param: p}
		if o.amp.properties.MasterWeights && !o.amp.disabled && p.DType().Size() == 2 {
			s.master = p.Detach().To(tensor.Float32).SetRequiresGrad(true).SetName(p.Name())
		}
		o.slots = append(o.slots, s)
	}
	return o.slots
}

// owner returns the tensor that the optimizer updates.
func (s *slot) owner() *tensor.Tensor {
	if s.master != nil {
		return s.master
	}
	return s.param
}

// Params returns what the optimizer updates: the float32 copies where there are some, and else the
// model's parameters.
func (o *Optimizer) Params() []*tensor.Tensor {
	var params []*tensor.Tensor
	for _, s := range o.all() {
		params = append(params, s.owner())
	}
	return params
}

// MasterParams returns the parameters that opt updates, with unscaled gradients behind a
// [ScaleLoss] block: what to clip.
func MasterParams(opt *Optimizer) []*tensor.Tensor { return opt.Params() }

// ZeroGrad removes the gradients of the model's parameters and of their copies.
func (o *Optimizer) ZeroGrad() {
	for _, s := range o.all() {
		s.param.SetGrad(nil)
		s.owner().SetGrad(nil)
	}
	o.scaled = nil
}

// Step updates the parameters, or says in a message that the last block found an overflow and does
// nothing. It panics with an [*amp.Error] where the gradients are still scaled: inside of a block,
// and behind one with DelayUnscale.
func (o *Optimizer) Step() {
	if o.inside {
		panic(mistake("step", "inside of a ScaleLoss block, whose end unscales the gradients: "+
			"call Step behind it"))
	}
	if o.skipped = o.skip != ""; o.skipped {
		fmt.Fprintln(o.amp.output, o.skip)
		o.skip = ""
		return
	}
	if o.scaled != nil {
		panic(mistake("step", "the gradients are still scaled: the last ScaleLoss block before "+
			"a step must not set DelayUnscale"))
	}
	o.withMasters(o.Optimizer.Step)
}

// Skipped reports whether the last Step was skipped.
func (o *Optimizer) Skipped() bool { return o.skipped }

// withMasters calls f with the float32 copies, and their gradients, in the place of the parameters,
// which the wrapped optimizer knows; behind it the copies are rounded into the model.
func (o *Optimizer) withMasters(f func()) {
	type model struct{ data, grad *tensor.Tensor }
	saved := make([]model, len(o.all()))
	defer func() {
		for i, s := range o.slots {
			if half := saved[i].data; half != nil {
				tensor.NoGrad(func() { half.CopyFrom(s.master) })
				s.param.SetData(half)
				s.param.SetGrad(saved[i].grad)
			}
		}
	}()
	for i, s := range o.slots {
		if s.master == nil {
			continue
		}
		saved[i] = model{s.param.Detach(), s.param.Grad()}
		s.param.SetData(s.master)
		s.param.SetGrad(s.master.Grad())
	}
	f()
}

const masterKey = "master_weight"

// StateDict returns the wrapped optimizer's state, and the float32 copies as "0.master_weight",
// counted in the order of Params.
func (o *Optimizer) StateDict() map[string]*tensor.Tensor {
	dict := o.Optimizer.StateDict()
	for i, s := range o.all() {
		if s.master != nil {
			dict[fmt.Sprintf("%d.%s", i, masterKey)] = s.master.Detach().Clone()
		}
	}
	return dict
}

// LoadStateDict takes what StateDict returned: the model's parameters become the rounded copies.
// After an error nothing has changed.
func (o *Optimizer) LoadStateDict(dict map[string]*tensor.Tensor) error {
	inner, masters := maps.Clone(dict), make([]*tensor.Tensor, len(o.all()))
	for i, s := range o.slots {
		if s.master == nil {
			continue
		}
		name := fmt.Sprintf("%d.%s", i, masterKey)
		switch t := dict[name]; {
		case t == nil:
			return fmt.Errorf("apex: load state dict: %s is missing", name)
		case !slices.Equal(t.Shape(), s.master.Shape()):
			return fmt.Errorf("apex: load state dict: %s has shape %v, the parameter has %v",
				name, t.Shape(), s.master.Shape())
		default:
			masters[i] = t
		}
		delete(inner, name)
	}
	var err error
	o.withMasters(func() {
		if err = o.Optimizer.LoadStateDict(inner); err != nil {
			return
		}
		tensor.NoGrad(func() {
			for i, t := range masters {
				if t != nil {
					o.slots[i].master.CopyFrom(t)
				}
			}
		})
	})
	return err
}

// String shows the wrapped optimizer.
func (o *Optimizer) String() string { return fmt.Sprint(o.Optimizer) }
