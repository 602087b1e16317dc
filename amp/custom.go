package amp

import (
	"slices"

	"halfnote/tensor"
)

// This file implements autocast for the Forward and Backward of a [tensor.Function].

// Forward is the type of [tensor.Function]'s Forward, and Backward that of its Backward.
type (
	Forward  = func(ctx *tensor.Context, inputs ...*tensor.Tensor) []*tensor.Tensor
	Backward = func(ctx *tensor.Context, grads ...*tensor.Tensor) []*tensor.Tensor
)

// CustomConfig changes what [CustomFwd] does.
type CustomConfig struct {
	// CastInputs is the dtype that the function needs. Unset leaves the inputs as they are, and
	// autocast on in the function's body.
	CastInputs tensor.DType
}

// stateKey is where CustomFwd leaves in a context the [State] in which CustomBwd runs.
type stateKey struct{}

// CustomFwd wraps the Forward of a [tensor.Function] for use in autocast regions; its Backward is
// wrapped in [CustomBwd]:
//
//	f := tensor.Function{Forward: amp.CustomFwd(forward), Backward: amp.CustomBwd(backward)}
//
// Without CastInputs, Forward runs in the region that it is called in: its inputs come as they
// are, the ops in it are cast, and Backward will run in a region of the same dtype and policy.
//
// With CastInputs, a call in an enabled region casts the floating inputs, except float64, to that
// dtype and runs Forward with autocast off, for a function that is written for one dtype; Backward
// runs with autocast off too. The engine casts the gradients back. Outside of an enabled region
// nothing is cast at all. It panics with an [*Error] where CastInputs is no floating dtype.
func CustomFwd(f Forward, config ...CustomConfig) Forward {
	var cfg CustomConfig
	switch len(config) {
	case 0:
	case 1:
		cfg = config[0]
	default:
		panic(errorf("custom_fwd", BadConfig, "%d configs given; one is the most", len(config)))
	}
	if cfg.CastInputs != 0 && !cfg.CastInputs.IsFloat() {
		panic(errorf("custom_fwd", BadConfig,
			"inputs cannot be cast to %v; choose a floating dtype", cfg.CastInputs))
	}
	checkFunction("custom_fwd", f != nil)
	return func(ctx *tensor.Context, inputs ...*tensor.Tensor) (outputs []*tensor.Tensor) {
		state := CaptureState()
		if !state.Enabled() {
			ctx.Values[stateKey{}] = State{}
			return f(ctx, inputs...)
		}
		if cfg.CastInputs == 0 {
			ctx.Values[stateKey{}] = state
			return f(ctx, inputs...)
		}
		ctx.Values[stateKey{}] = State{}
		inputs = slices.Clone(inputs)
		for i, x := range inputs {
			if eligible(x) && !state.region.on(onCPU(x)).disabled {
				inputs[i] = x.To(cfg.CastInputs)
			}
		}
		AutocastWith(Config{Disabled: true}, func() { outputs = f(ctx, inputs...) })
		return outputs
	}
}

// CustomBwd wraps the Backward of a [tensor.Function] whose Forward is wrapped in [CustomFwd]: it
// runs in the state that Forward ran in, wherever Backward is called: on or off, with the same low
// dtype. PyTorch 1.6 remembered on and off only. It panics with an [*Error] where Forward is not
// wrapped.
func CustomBwd(f Backward) Backward {
	checkFunction("custom_bwd", f != nil)
	return func(ctx *tensor.Context, grads ...*tensor.Tensor) (gradients []*tensor.Tensor) {
		state, ok := ctx.Values[stateKey{}].(State)
		if !ok {
			panic(errorf("custom_bwd", BadConfig,
				"the function's Forward is not wrapped in CustomFwd, so no state is known"))
		}
		state.With(func() { gradients = f(ctx, grads...) })
		return gradients
	}
}
