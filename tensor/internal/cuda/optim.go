//go:build cuda

package cuda

import (
	"slices"

	"halfnote/tensor/internal/device"
)

// What kernels/optim.cu calls by the same names.
const (
	maxParams = 44
	maxSteps  = 480
	stepPiece = 4096 // elements that a block takes at a time
)

type stepParam struct {
	Array  [5]uint64
	Steps  uint64
	N      int64
	First  uint32
	Step   int32
	DType  [5]uint8
	Begins uint8
	Wide   uint8
	Single uint8
}

type stepParams struct {
	Skip   uint64
	Count  int32
	Pieces uint32
	Param  [maxParams]stepParam
}

type stepArgs[R any] struct {
	Rule R
	Ps   stepParams
}

type (
	sgdRule struct {
		LR, Momentum, Undampened, Decay float64
		Nesterov, Maximize              int32
	}
	adamRule struct {
		LR, Decay, Eps      float64
		Beta1, Beta2        float64
		Decoupled, Maximize int32
	}
	rmspropRule struct {
		LR, Keep, Add, Eps, Momentum, Decay, LRDecay float64
		Maximize, _                                  int32
	}
	advanceArgs struct {
		Skip            uint64
		Count, Momentum int32
		Steps           [maxSteps]uint64
	}
)

var (
	stepSGD     = newKernel[stepArgs[sgdRule]]("optim", "step_sgd")
	stepAdam    = newKernel[stepArgs[adamRule]]("optim", "step_adam")
	stepRMSprop = newKernel[stepArgs[rmspropRule]]("optim", "step_rmsprop")
	advances    = newKernel[advanceArgs]("optim", "count_steps")
)

// SGDStep implements device.Optimizers.
func (b *Backend) SGDStep(ps []device.Parameter, s device.SGD, skip *device.Array) {
	stepAll(b, stepSGD, ps, sgdRule{LR: s.LR, Momentum: s.Momentum, Undampened: 1 - s.Dampening,
		Decay: s.WeightDecay, Nesterov: flag(s.Nesterov), Maximize: flag(s.Maximize)}, skip, s.Momentum != 0)
}

// AdamStep implements device.Optimizers.
func (b *Backend) AdamStep(ps []device.Parameter, a device.Adam, skip *device.Array) {
	stepAll(b, stepAdam, ps, adamRule{LR: a.LR, Decay: a.WeightDecay, Eps: a.Eps, Beta1: a.Betas[0], Beta2: a.Betas[1],
		Decoupled: flag(a.Decoupled), Maximize: flag(a.Maximize)}, skip, false)
}

// RMSpropStep implements device.Optimizers.
func (b *Backend) RMSpropStep(ps []device.Parameter, r device.RMSprop, skip *device.Array) {
	stepAll(b, stepRMSprop, ps, rmspropRule{LR: r.LR, Keep: r.Keep, Add: r.Add, Eps: r.Eps,
		Momentum: r.Momentum, Decay: r.WeightDecay, LRDecay: r.Decay, Maximize: flag(r.Maximize)},
		skip, r.Momentum != 0)
}

// flag is v for kernels, whose structs have no bool.
func flag(v bool) int32 {
	if v {
		return 1
	}
	return 0
}

// stepAll counts the step of all parameters with one thread for each, and does it with a block for
// each piece of them.
func stepAll[R any](b *Backend, k *kernel[stepArgs[R]], ps []device.Parameter, rule R, skip *device.Array,
	momentum bool) {
	b.advance(ps, skip, momentum)
	for some := range slices.Chunk(ps, maxParams) {
		args := stepArgs[R]{Rule: rule, Ps: stepParams{Skip: optional(skip), Count: int32(len(some))}}
		arrays, dones := []*device.Array{skip}, []func(){}
		for i, p := range some {
			all := []*device.Array{p.Value, p.Grad, p.Kept[0], p.Kept[1], p.Kept[2]}
			all, done := b.together(all)
			dones = append(dones, done)
			args.Ps.Param[i] = b.param(all, &p, args.Ps.Pieces)
			args.Ps.Pieces += uint32((p.Value.Numel() + stepPiece - 1) / stepPiece)
			arrays = append(append(arrays, all...), p.Steps)
		}
		g := b.pieces(args.Ps.Pieces)
		k.launch(b, g, args, arrays...)
		for _, done := range dones {
			done()
		}
	}
}

// param describes a parameter whose arrays all lie in the same order.
func (b *Backend) param(all []*device.Array, p *device.Parameter, first uint32) stepParam {
	q := stepParam{Steps: optional(p.Steps), N: int64(p.Value.Numel()), First: first, Step: int32(p.Step),
		Begins: uint8(flag(p.First)), Single: 1}
	for k, a := range all {
		if a == nil || q.N == 0 {
			continue
		}
		q.Array[k], q.DType[k] = address(a), uint8(a.DType)
		if a.DType == device.Float64 {
			q.Wide = 1
		}
		if a.DType != device.Float32 || q.Array[k]%16 != 0 {
			q.Single = 0
		}
	}
	return q
}

// together returns the arrays of a parameter, whose elements lie without gaps and in one order: itself
// in most cases, else copies, of which done writes back all but the gradient, and gives them away.
func (b *Backend) together(given []*device.Array) (all []*device.Array, done func()) {
	done = func() {}
	same := given[0].Numel() == 0 || gapless(given[0])
	for _, a := range given[1:] {
		same = same && (a == nil || sameOrder(a, given[0]))
	}
	if same {
		return given, done
	}
	all = slices.Clone(given)
	for k, a := range given {
		if a != nil && !a.Contiguous() {
			all[k] = b.dense(a.DType, a.Shape...)
			b.Copy(all[k], a)
		}
	}
	return all, func() {
		for k, a := range given {
			if a == all[k] {
				continue
			}
			if k != 1 {
				b.Copy(a, all[k])
			}
			b.release(all[k])
		}
	}
}

// sameOrder reports whether two arrays of one shape have their elements in the same places.
func sameOrder(a, o *device.Array) bool {
	for d, size := range a.Shape {
		if size != 1 && a.Strides[d] != o.Strides[d] {
			return false
		}
	}
	return true
}

// advance counts a step of parameters that count by themselves.
func (b *Backend) advance(ps []device.Parameter, skip *device.Array, momentum bool) {
	args, arrays := advanceArgs{Skip: optional(skip), Momentum: flag(momentum)}, []*device.Array{skip}
	launch := func() {
		if args.Count > 0 {
			advances.launch(b, grid{Blocks: [3]int{1}, Threads: [3]int{threads}}, args, arrays...)
		}
		args.Count, arrays = 0, arrays[:1]
	}
	for _, p := range ps {
		if p.Steps == nil {
			continue
		}
		args.Steps[args.Count] = address(p.Steps)
		args.Count++
		if arrays = append(arrays, p.Steps); args.Count == maxSteps {
			launch()
		}
	}
	launch()
}
