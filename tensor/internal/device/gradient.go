package device

// Gradients are what gradient scaling and clipping do to many gradients between two steps. Each goes
// through all of them at once, and none waits for the device.
type Gradients interface {
	// Unscale multiplies each of xs by inv in place and counts infinities and NaNs before it, and
	// those that the multiplication made. It adds to counts, an int64 array of [len(xs), 2].
	// Where scale, a float32 on the device, is given, inv is 1/scale, computed in float64 and
	// rounded to float32. found, a float32 that may be nil, becomes 1 where something was counted.
	Unscale(xs []*Array, counts, found *Array, inv float32, scale *Array)
	// Norm writes the p-norm of the elements of all of xs together to out, a float64. All is
	// computed in float64, p may be infinite, and of no elements it is 0.
	Norm(out *Array, xs []*Array, p float64)
	// Clip multiplies each of xs by min(1, most/(norm + 1e-6)) in place. norm is a float64.
	Clip(xs []*Array, norm *Array, most float64)
	// Stats summarises x·scale for each of xs, or x·scale·by for a float32 on the device. It writes Stats in their order to out, a float64
	// array of [len(xs), StatsLen].
	Stats(out *Array, xs []*Array, scale float64, by *Array)
	// Adapt moves a loss scale, a float32, after an iteration in which the sum of found, float32s
	// without dimensions, was 0 or not. track is an int64 array of TrackLen elements.
	Adapt(scale, track *Array, found []*Array, s Scaling)
}

// What Gradients.Stats finds.
const (
	StatsZeros      = iota // elements that are exactly zero in float16
	StatsSubnormals        // elements whose float16 magnitude is subnormal
	StatsInfs              // elements that are not finite
	StatsNaNs
	StatsTotal      // all elements
	StatsSumSquares // of the finite and non-finite alike
	StatsMaxAbs
	StatsLen
)

// Scaling is how a loss scale moves.
type Scaling struct {
	Growth, Backoff float64
	Least, Most     float64 // the scale stays between them
	Interval        int     // iterations without an overflow before it grows; 0: it never does
	Hysteresis      int     // overflows in a row before it backs off
}

// What Gradients.Adapt keeps.
const (
	TrackGrowth    = iota // iterations since the scale moved, or since an overflow
	TrackOverflows        // in a row
	TrackCollapses        // how often the scale should have gone down and could not
	TrackLen
)
