package amp

import "halfnote/tensor"

// Config describes an autocast region. Its zero value is float16 under [CUDAPolicy], on every
// device.
type Config struct {
	// DType is the low dtype, Float16 or BFloat16. Unset means the enclosing region's, and
	// Float16 for an outermost one, under [CPUPolicy] too (PyTorch: bfloat16).
	DType tensor.DType

	// Disabled makes ops inside run in the dtypes of their arguments. float16 tensors made outside
	// stay float16: mixing one with float32 in a matmul is an error until it is cast by hand. The
	// dtype is noted all the same, for enabled regions inside.
	Disabled bool

	// NoCache casts a weight anew at each use, and saves the memory of the casts. It holds for the
	// regions inside too, until one sets Cache.
	NoCache bool

	// Cache ends the NoCache of an enclosing region.
	Cache bool

	// Policy says which op runs in which dtype. Nil means the enclosing region's, and [CUDAPolicy]
	// for an outermost one.
	Policy *Policy

	// Device is "cpu" or "cuda" for a region that leaves tensors of the other kind as an enclosing
	// region has them, or outside of all regions alone. Unset means both kinds. Where no GPU can be
	// used, a region for "cuda" does nothing, and [Enabled] says so; [tensor.CUDAError] says why.
	Device string
}

// Autocast runs f in a region where each op chooses its dtype: matmuls run in float16, losses,
// exponentials and sums in float32, and the rest in the dtypes of their arguments ([CUDAPolicy]).
// The casts are recorded by autograd, so that a float32 weight gets a float32 gradient; on its way
// it has passed through float16, which is where small gradients become zero.
//
// The region belongs to the calling goroutine and is not inherited by goroutines that f starts; see
// [CaptureState] for these. It ends when f returns, panics or calls [runtime.Goexit]. Call Backward
// after it: each op's gradient is computed in the dtype that its forward used, wherever Backward is
// called. A penalty computed from gradients is forward work, and belongs into a region again.
//
// In-place ops keep their destination's dtype, an explicit dtype argument wins, and float64,
// integer and bool tensors are never cast. A tensor of the other 16-bit format is cast by ops that
// run in the low dtype or in float32, and is an error in ops that promote.
func Autocast(f func()) { AutocastWith(Config{}, f) }

// AutocastWith runs f in a region described by cfg, as [Autocast] does. It panics with an [*Error]
// of kind [BadConfig] when cfg.DType is not a 16-bit format (a Disabled region may have any floating
// dtype, which changes nothing), cfg.Device is not known, cfg sets both Cache and NoCache, or f is
// nil.
//
// Differences from PyTorch:
//   - the same policy and dtype hold on every device, unless a Config says otherwise;
//   - the weight-cast cache sees when a weight was written, so that a training loop may stand
//     inside a region, and keeps the casts of nested regions of both 16-bit formats apart;
//   - a region is an entry and not an object: entering one recursively restores what was before;
//   - a dtype that is not a 16-bit format is an error, and not a warning and a disabled region.
func AutocastWith(cfg Config, f func()) {
	checkFunction("autocast", f != nil)
	outer := current()
	r := newRegion(cfg, outer)
	if outer == nil {
		defer r.cache.close()
	}
	tensor.WithCastState(r, f)
}

// Enabled reports whether ops on the calling goroutine choose their dtypes: whether it is in a
// region that is not disabled, for a kind of device that can be used.
func Enabled() bool { return CaptureState().Enabled() }

// CurrentDType returns the low dtype of the calling goroutine's region, also where that is
// disabled, and Float16, the default, outside of all regions.
func CurrentDType() tensor.DType { return CaptureState().DType() }

// ClearCache drops the casts of weights that the calling goroutine's outermost region keeps, which
// else happens when that ends. The next use of a weight casts it again.
func ClearCache() {
	if r := current(); r != nil {
		r.cache.clear()
	}
}

// region is one entry into an autocast block: the state lives in the entry and not in a reusable
// object, so that recursion through Wrap cannot mix up what to restore.
type region struct {
	settings          // for tensors on the CPU
	cuda     settings // for those on GPUs
	noCache  bool
	cache    *castCache // shared by all regions inside the outermost
}

// settings are what holds for tensors on one kind of device.
type settings struct {
	dtype    tensor.DType
	disabled bool
	policy   *Policy
}

// outside is what holds outside of all regions.
var outside = settings{dtype: tensor.Float16, disabled: true, policy: cudaPolicy}

// on returns the settings for tensors on the CPU, or on GPUs.
func (r *region) on(cpu bool) *settings {
	if cpu {
		return &r.settings
	}
	return &r.cuda
}

func onCPU(t *tensor.Tensor) bool { return t.Device() == tensor.CPU }

// current returns the calling goroutine's region, or nil.
func current() *region {
	r, _ := tensor.CurrentCastState().(*region)
	return r
}

func newRegion(cfg Config, outer *region) *region {
	r := &region{settings: outside, cuda: outside}
	if outer != nil {
		*r = *outer
	} else {
		r.cache = newCastCache()
	}
	if cfg.Cache && cfg.NoCache {
		panic(errorf("autocast", BadConfig, "Cache and NoCache are both set: choose one"))
	}
	r.noCache = cfg.NoCache || r.noCache && !cfg.Cache
	switch cfg.Device {
	case "":
		r.settings.enter(cfg)
		r.cuda.enter(cfg)
	case "cpu":
		r.settings.enter(cfg)
	case "cuda":
		r.cuda.enter(cfg)
	default:
		panic(errorf("autocast", BadConfig,
			"device %q is not known: use \"cpu\", \"cuda\", or \"\" for both", cfg.Device))
	}
	return r
}

func (s *settings) enter(cfg Config) {
	switch {
	case cfg.DType == 0:
	case cfg.DType == tensor.Float16, cfg.DType == tensor.BFloat16:
		s.dtype = cfg.DType
	case cfg.Disabled && cfg.DType.IsFloat(): // as where one loop runs in each dtype
	default:
		panic(errorf("autocast", BadConfig, "dtype %v is not a 16-bit format: use float16 or "+
			"bfloat16, or set Disabled to compute without casts", cfg.DType))
	}
	if cfg.Policy != nil {
		s.policy = cfg.Policy
	}
	s.disabled = cfg.Disabled
}

// Fresh returns a region that decides like r and has kept no casts, for ops of r that are computed
// once more after it has ended ([tensor.Checkpoint]).
func (r *region) Fresh() tensor.CastState {
	fresh := *r
	fresh.cache = newCastCache()
	return &fresh
}
