package tensor

import (
	"halfnote/internal/many"
	"halfnote/tensor/internal/cuda"
	"halfnote/tensor/internal/device"
)

// This file implements package many: what is done to many tensors at once.

func init() {
	many.Unscale = func(grads, scale any) (counts, found any) {
		return unscaleBy(grads.([]*Tensor), scale.(*Tensor))
	}
	many.Norm = func(ts any, p float64) any { return normTogether(ts.([]*Tensor), p) }
	many.Clip = func(ts, norm any, most float64, op *string) {
		clipTogether(ts.([]*Tensor), norm.(*Tensor), most, op)
	}
	many.Adapt = func(scale, track, found any, s many.Scaling) {
		adapt(scale.(*Tensor), track.(*Tensor), found.([]*Tensor), s)
	}
	many.OnWait = cuda.OnWait
	many.Recorded = whenRecorded
	many.Stats = func(ts any, scale float64, by any) any {
		all := ts.([]*Tensor)
		arrays := make([]*device.Array, len(all))
		for i, t := range all {
			sameDevice("statistics", all[0], t)
			arrays[i] = &t.arr
		}
		return statsThere(all[0].Device(), arrays, scale, maybe(by))
	}
	many.Step = func(ps []many.Parameter, how, skip any) { stepTogether(ps, how, maybe(skip)) }
}

// maybe returns the tensor that v is, or nil.
func maybe(v any) *Tensor {
	t, _ := v.(*Tensor)
	return t
}

// clipTogether multiplies tensors by min(1, most/(norm + 1e-6)).
func clipTogether(ts []*Tensor, norm *Tensor, most float64, op *string) {
	for at, places := range byDevice(ts) {
		arrays := make([]*device.Array, len(places))
		for k, i := range places {
			ts[i].writable(*op)
			arrays[k] = &ts[i].arr
		}
		here := norm
		quietly(func() { here = norm.To(at) })
		here.backend(*op).Clip(arrays, &here.arr, most)
	}
	noteStep(op, ts...)
}

var nameAdapt = "AdaptInPlace"

// adapt moves a loss scale.
func adapt(scale, track *Tensor, found []*Tensor, s many.Scaling) {
	arrays := make([]*device.Array, len(found))
	for i, f := range found {
		sameDevice(nameAdapt, scale, f)
		arrays[i] = &f.arr
	}
	scale.backend(nameAdapt).Adapt(&scale.arr, &track.arr, arrays, device.Scaling(s))
	noteStep(&nameAdapt, scale, track)
}

// stepTogether steps parameters, those of each device in one go.
func stepTogether(ps []many.Parameter, how any, skip *Tensor) {
	var op *string
	switch how := how.(type) {
	case many.SGD:
		op = &nameSGD
	case many.Adam:
		op = &nameAdam
	case many.RMSprop:
		if op = &nameRMSprop; how.Keep == 1 {
			op = &nameAdagrad
		}
	}
	all := map[Device][]device.Parameter{}
	var written []*Tensor
	for _, p := range ps {
		t, grad, steps := p.Value.(*Tensor), p.Grad.(*Tensor), maybe(p.Steps)
		kept := [3]*Tensor{maybe(p.Kept[0]), maybe(p.Kept[1]), maybe(p.Kept[2])}
		grad = t.stepping(*op, grad, kept[:]...)
		all[t.Device()] = append(all[t.Device()], device.Parameter{
			Value: &t.arr, Grad: &grad.arr, Step: p.Step, First: p.First, Steps: steps.array(),
			Kept: [3]*device.Array{kept[0].array(), kept[1].array(), kept[2].array()}})
		written = append(append(written, t), kept[:]...)
	}
	for at, params := range all {
		b, here := at.backend(*op), skip
		if skip != nil {
			quietly(func() { here = skip.To(at) })
		}
		switch how := how.(type) {
		case many.SGD:
			b.SGDStep(params, device.SGD(how), here.array())
		case many.Adam:
			b.AdamStep(params, device.Adam(how), here.array())
		case many.RMSprop:
			b.RMSpropStep(params, device.RMSprop(how), here.array())
		}
	}
	noteStep(op, written...)
}
