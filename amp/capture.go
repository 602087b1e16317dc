package amp

import (
	"fmt"

	"halfnote/tensor"
)

// State is the autocast state of a goroutine: the region it is in, or none, which is the zero
// State. A worker goroutine does not inherit the state of the one that started it:
//
//	state := amp.CaptureState()
//	go state.With(func() { … })
//
// The state is taken over whole: dtype, policy and the cache of casts included. PyTorch's replica
// threads got nothing of it at first, and later all but the dtype.
type State struct{ region *region }

// CaptureState returns the state of the calling goroutine.
func CaptureState() State { return State{current()} }

// With runs f on the calling goroutine in the state s, and puts back the goroutine's own when f
// returns, panics or calls [runtime.Goexit]. Where the region has ended meanwhile, weights are cast
// at each use.
func (s State) With(f func()) {
	if s.region == nil {
		tensor.WithCastState(nil, f)
		return
	}
	tensor.WithCastState(s.region, f)
}

// Enabled reports whether ops choose their dtypes in the state s, on a kind of device that can be
// used.
func (s State) Enabled() bool { return !s.settings().disabled }

// DType returns the low dtype, also where the region is disabled.
func (s State) DType() tensor.DType { return s.settings().dtype }

// Policy returns the policy, also where the region is disabled.
func (s State) Policy() *Policy { return s.settings().policy }

// CacheEnabled reports whether casts of weights are kept.
func (s State) CacheEnabled() bool { return s.region == nil || !s.region.noCache }

// String describes the state in a few words: "autocast off" or "autocast to float16, cuda policy".
func (s State) String() string {
	if !s.Enabled() {
		return "autocast off"
	}
	text := fmt.Sprintf("autocast to %v, %v policy", s.DType(), s.Policy())
	if !s.CacheEnabled() {
		text += ", no cache"
	}
	return text
}

// settings returns what holds on the CPU, or on GPUs where only these are cast.
func (s State) settings() settings {
	if s.region == nil {
		return outside
	}
	if s.region.disabled && !s.region.cuda.disabled && tensor.CUDAAvailable() {
		return s.region.cuda
	}
	return s.region.settings
}

// ForgetDType returns the region with the default dtype, which is what PyTorch's replica threads
// make of a bfloat16 region. Package dist shows the trap with it.
func (r *region) ForgetDType() tensor.CastState {
	forgetful := *r
	forgetful.dtype, forgetful.cuda.dtype = outside.dtype, outside.dtype
	return &forgetful
}

// Alike reports whether another region decides as r does, for a [tensor.Graph] that was recorded there.
func (r *region) Alike(other tensor.CastState) bool {
	o, ok := other.(*region)
	return ok && o.settings == r.settings && o.cuda == r.cuda && o.noCache == r.noCache
}
