// Package many is how the library's packages reach what package tensor does to many tensors at once
// without waiting for their device, and for which programs have no names.
//
//	counts, found := many.Unscale(grads, scale)
//	many.Step(params, many.Adam{LR: 1e-3, …}, found)
//	many.Adapt(scale, track, founds, many.Scaling{…})
package many

// What package tensor fills in. Tensors are *tensor.Tensor, and lists of them []*tensor.Tensor.
var (
	// Unscale is tensor.UnscaleInPlace with 1/scale, for a scale that is a float32 on the
	// gradients' device. found is a float32 of the device without dimensions: 1 where one is
	// infinite or NaN, and else 0.
	Unscale func(grads, scale any) (counts, found any)

	// Norm is tensor.NormFloat64 as a float64 without dimensions, on the first tensor's device.
	Norm func(ts any, p float64) any

	// Clip multiplies tensors by min(1, most/(norm + 1e-6)), where norm is one that Norm returned,
	// and names op as what wrote them.
	Clip func(ts, norm any, most float64, op *string)

	// Adapt moves a loss scale by what found says, which are several of Unscale. track is int64, of
	// TrackLen elements. All are on one device.
	Adapt func(scale, track, found any, s Scaling)

	// Step does a step for parameters, as tensor.Tensor.SGDInPlace and its siblings do for one. how
	// is an SGD, Adam or RMSprop. Where skip, which may be nil, is not 0 nothing changes. All that
	// share a device are stepped in one go; there each counts its steps by itself where it has
	// Steps.
	Step func(ps []Parameter, how, skip any)

	// Stats is tensor.Statistics of tensors that are all on one device times by, a float32 there
	// without dimensions that may be nil. It returns float64s of [n, StatsLen] there.
	Stats func(ts any, scale float64, by any) any

	// Recorded returns what records the goroutine's ops for a tensor.Graph, or nil where nothing
	// does: they are then done later and more than once. same, which may be nil, is asked before:
	// where it is false the function is recorded anew. after, which may be nil, is called after each
	// time, or with false once where the recording fails: nothing is done then.
	Recorded func(same func() bool, after func(done bool)) (by any)

	// OnWait has f called whenever the host waits for a GPU, until it is called with nil.
	OnWait func(f func())
)

// Scaling is how a loss scale moves.
type Scaling struct {
	Growth, Backoff float64
	Least, Most     float64
	Interval        int // 0: it never grows
	Hysteresis      int
}

// What Adapt keeps.
const (
	TrackGrowth    = iota // updates since the scale moved, or since an overflow
	TrackOverflows        // in a row
	TrackCollapses        // how often the scale should have gone down and could not
	TrackLen
)

// What Stats returns for each tensor.
const (
	StatsZeros = iota
	StatsSubnormals
	StatsInfs
	StatsNaNs
	StatsTotal
	StatsSumSquares
	StatsMaxAbs
	StatsLen
)

// A Parameter is a tensor that is stepped. Kept holds what its optimizer keeps: SGD's buffer; Adam's
// mean, square and largest square; RMSprop's square, mean and buffer. Those that are not in use are
// nil.
type Parameter struct {
	Value, Grad any
	Kept        [3]any
	Step        int  // from 1
	First       bool // SGD's buffer is new
	Steps       any  // int64 of 2 on the parameter's device: counts steps in place of Step, or nil
}

// SGD is what a step of gradient descent does.
type SGD struct {
	LR, Momentum, Dampening float64
	WeightDecay             float64
	Nesterov, Maximize      bool
}

// Adam is what a step of Adam does.
type Adam struct {
	LR, WeightDecay, Eps float64
	Betas                [2]float64
	Decoupled, Maximize  bool
}

// RMSprop is what a step of RMSprop does, or of Adagrad, which keeps and adds all.
type RMSprop struct {
	LR, Keep, Add, Eps    float64
	Momentum, WeightDecay float64
	Decay                 float64 // LR is divided by 1 + (t-1)·Decay
	Maximize              bool
}
