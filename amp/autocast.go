package amp

import "halfnote/tensor"

// Config describes an autocast region. Its zero value is float16 under [CUDAPolicy].
type Config struct {
	// DType is the low dtype, Float16 or BFloat16. Unset means the enclosing region's, and
	// Float16 for an outermost one.
	DType tensor.DType

	// Disabled makes ops inside run in the dtypes of their arguments. float16 tensors made outside
	// stay float16: mixing one with float32 in a matmul is an error until it is cast by hand.
	Disabled bool

	// NoCache casts a weight anew at each use, and saves the memory of the casts. It holds for the
	// regions inside too.
	NoCache bool

	// Policy says which op runs in which dtype. Nil means the enclosing region's, and [CUDAPolicy]
	// for an outermost one.
	Policy *Policy
}

// Autocast runs f in a region where each op chooses its dtype: matmuls run in float16, losses,
// exponentials and sums in float32, and the rest in the dtypes of their arguments ([CUDAPolicy]).
// The casts are recorded by autograd, so that a float32 weight gets a float32 gradient; on its way
// it has passed through float16, which is where small gradients become zero.
//
// The region belongs to the calling goroutine and is not inherited by goroutines that f starts.
// It ends when f returns, panics or calls [runtime.Goexit]. Call Backward after it: each op's
// gradient is computed in the dtype that its forward used. In-place ops keep their destination's
// dtype, an explicit dtype argument wins, and float64, integer and bool tensors are never cast.
func Autocast(f func()) { AutocastWith(Config{}, f) }

// AutocastWith runs f in a region described by cfg, as [Autocast] does. It panics with an [*Error]
// when cfg.DType is not a 16-bit format.
//
// Differences from PyTorch: the same policy holds on every device, and the weight-cast cache sees
// when a weight was written, so that a training loop may stand inside a region.
func AutocastWith(cfg Config, f func()) {
	outer, _ := tensor.CurrentCastState().(*region)
	r := newRegion(cfg, outer)
	if outer == nil {
		defer r.cache.drop()
	}
	tensor.WithCastState(r, f)
}

// Wrap returns f with its body in an [Autocast] region, each call in one of its own:
//
//	forward := amp.Wrap(model.Forward)
func Wrap(f func(x *tensor.Tensor) *tensor.Tensor) func(x *tensor.Tensor) *tensor.Tensor {
	return func(x *tensor.Tensor) (y *tensor.Tensor) {
		Autocast(func() { y = f(x) })
		return y
	}
}

// Enabled reports whether the calling goroutine is in an autocast region that is not disabled.
func Enabled() bool {
	r, _ := tensor.CurrentCastState().(*region)
	return r != nil && !r.disabled
}

// region is one entry into an autocast block: the state lives in the entry and not in a reusable
// object, so that recursion through Wrap cannot mix up what to restore.
type region struct {
	dtype    tensor.DType
	disabled bool
	noCache  bool
	policy   *Policy
	cache    *castCache // shared by all regions inside the outermost
}

func newRegion(cfg Config, outer *region) *region {
	r := &region{
		dtype: cfg.DType, disabled: cfg.Disabled, noCache: cfg.NoCache, policy: cfg.Policy,
	}
	if outer == nil {
		outer = &region{dtype: tensor.Float16, policy: cudaPolicy, cache: newCastCache()}
	}
	if r.dtype == 0 {
		r.dtype = outer.dtype
	}
	if r.dtype != tensor.Float16 && r.dtype != tensor.BFloat16 {
		panic(errorf("autocast", BadConfig,
			"dtype %v is not a 16-bit format: use float16 or bfloat16", r.dtype))
	}
	if r.policy == nil {
		r.policy = outer.policy
	}
	r.noCache = r.noCache || outer.noCache
	r.cache = outer.cache
	return r
}
