package apex

import (
	"fmt"
	"slices"

	"halfnote/amp"
	"halfnote/tensor"
)

// ScaleLossConfig describes a [ScaleLoss] block.
type ScaleLossConfig struct {
	LossID int // whose scale, counted from 0 to NumLosses - 1

	// DelayUnscale leaves the gradients scaled at the end of the block, to add those of further
	// batches with the same LossID up. The last block before Step must unscale.
	DelayUnscale bool

	// DelayOverflowCheck unscales, and leaves the decision on the step, and the scale, to a later
	// block with the same LossID.
	DelayOverflowCheck bool
}

// ScaleLoss calls f with loss × its scale in float32, for f to call Backward, and then unscales the
// gradients of the optimizers into [MasterParams]: those of this block are added to those from
// before, so that losses of different scales may follow each other. Where a gradient overflowed,
// and the scale is dynamic, it halves and the next Step of each optimizer is skipped.
//
// It panics with an [*amp.Error] when loss is not floating, there is no optimizer, one is given
// twice or is in a block already, the optimizers are not of one Initialize, or gradients that were
// left scaled are so by another loss's scale. When f panics, the gradients are as before, but for
// those that a block with DelayUnscale has left scaled.
func ScaleLoss(
	loss *tensor.Tensor, optimizers []*Optimizer, config ScaleLossConfig,
	f func(scaled *tensor.Tensor),
) {
	const op = "scale loss"
	if len(optimizers) == 0 {
		panic(mistake(op, "no optimizers: give those whose parameters the loss trains"))
	}
	for i, o := range optimizers {
		switch {
		case o == nil:
			panic(mistake(op, "optimizer %d is nil", i))
		case o.amp != optimizers[0].amp:
			panic(mistake(op, "optimizers 0 and %d come from two calls of Initialize", i))
		case slices.Contains(optimizers[:i], o):
			panic(mistake(op, "optimizer %d is given twice, and would unscale twice", i))
		case o.inside:
			panic(mistake(op, "optimizer %d is in another ScaleLoss block: blocks follow each "+
				"other, one for each loss", i))
		}
	}
	a := optimizers[0].amp
	s := a.scaler(op, config.LossID)
	if loss == nil || !loss.DType().IsFloat() {
		panic(&amp.Error{Op: "apex: " + op, Kind: amp.BadLoss,
			Msg: "the loss is nil or not floating: only floating tensors have gradients"})
	}
	if a.disabled {
		f(loss)
		return
	}
	b := block{s, config, optimizers}
	b.begin(op)
	done := false
	defer func() {
		if !done {
			b.abandon()
		}
	}()
	f(loss.To(tensor.Float32).Mul(s.scale))
	done = true
	b.end()
}

type block struct {
	scaler     *scaler
	config     ScaleLossConfig
	optimizers []*Optimizer
}

// begin sets gradients from before aside, unless they are scaled and will be unscaled with those of
// this block.
func (b *block) begin(op string) {
	for i, o := range b.optimizers {
		if o.scaled != nil && o.scaled != b.scaler {
			panic(mistake(op, "optimizer %d has gradients that a block with DelayUnscale left scaled "+
				"by another loss's scale: unscale them with that LossID first", i))
		}
		for k, s := range o.all() {
			if b.config.DelayUnscale && o.scaled == nil && s.owner().Grad() != nil {
				panic(mistake(op, "parameter %d of optimizer %d has a gradient that is unscaled, to "+
					"which DelayUnscale would add scaled ones: call ZeroGrad before", k, i))
			}
		}
	}
	for _, o := range b.optimizers {
		o.inside = true
		if o.scaled != nil {
			continue
		}
		for _, s := range o.slots {
			s.stash = s.owner().Grad()
			s.param.SetGrad(nil)
		}
	}
}

// abandon puts the gradients back.
func (b *block) abandon() {
	for _, o := range b.optimizers {
		o.inside = false
		for _, s := range o.slots {
			if o.scaled == nil {
				s.param.SetGrad(nil)
				s.owner().SetGrad(s.stash)
			}
			s.stash = nil
		}
	}
}

func (b *block) end() {
	for _, o := range b.optimizers {
		o.inside = false
	}
	if b.config.DelayUnscale {
		for _, o := range b.optimizers {
			o.scaled = b.scaler
		}
		return
	}
	for _, o := range b.optimizers {
		o.unscale(b.scaler)
	}
	if b.config.DelayOverflowCheck || !b.scaler.update() {
		return
	}
	for _, o := range b.optimizers {
		o.skip = fmt.Sprintf("gradient overflow: step skipped, scale of loss %d reduced to %g",
			b.config.LossID, b.scaler.scale)
	}
}

// unscale turns the scaled gradients of the model into unscaled ones of what the optimizer updates.
func (o *Optimizer) unscale(s *scaler) {
	var grads []*tensor.Tensor
	for _, slot := range o.all() {
		g := slot.param.Grad()
		if g != nil && slot.master != nil {
			g = g.To(tensor.Float32)
		}
		if g != nil {
			grads = append(grads, g)
			slot.owner().SetGrad(g)
		}
	}
	s.unscale(grads)
	for _, slot := range o.all() {
		before, g := slot.stash, slot.owner().Grad()
		slot.stash = nil
		switch {
		case before == nil:
		case g == nil || g == before:
			slot.owner().SetGrad(before)
		default:
			tensor.NoGrad(func() { g.AddInPlace(before) })
		}
	}
	o.scaled = nil
}
