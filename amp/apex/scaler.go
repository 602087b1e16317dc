package apex

import (
	"math"

	"halfnote/tensor"
)

// scaler is the loss scale of one loss, by apex's rules.
type scaler struct {
	dynamic   bool
	scale     float64
	min, max  float64
	unskipped int  // steps without overflow since the scale last moved
	overflow  bool // found since the last check
}

// apex's numbers for a dynamic scale.
const (
	initScale   = 1 << 16
	scaleFactor = 2
	scaleWindow = 2000
	maxScale    = 1 << 24
)

func newScaler(p Properties, c Config) (*scaler, error) {
	s := &scaler{scale: p.LossScale, min: c.MinLossScale, max: c.MaxLossScale}
	if s.max == 0 {
		s.max = maxScale
	}
	if !(s.min >= 0 && s.min <= s.max && s.max <= math.MaxFloat32) {
		return nil, mistake("initialize", "limits of the loss scale %g and %g: need "+
			"0 ≤ MinLossScale ≤ MaxLossScale ≤ %g", s.min, s.max, math.MaxFloat32)
	}
	if s.dynamic = p.LossScale == Dynamic; s.dynamic {
		s.scale = max(s.min, min(s.max, initScale))
	}
	return s, nil
}

// unscale multiplies gradients by 1/scale in place and notes an overflow in them.
func (s *scaler) unscale(grads []*tensor.Tensor) {
	if len(grads) == 0 {
		return
	}
	for _, n := range tensor.UnscaleInPlace(grads, float32(1/s.scale)).Int64s() {
		s.overflow = s.overflow || n > 0
	}
}

// update moves a dynamic scale and reports whether steps must be skipped. With a fixed scale none
// are: what overflowed goes into the weights, as in apex.
func (s *scaler) update() (skip bool) {
	skip = s.overflow && s.dynamic
	s.overflow = false
	if skip {
		s.scale = max(s.min, s.scale/scaleFactor)
		s.unskipped = 0
		return true
	}
	if s.unskipped++; s.unskipped == scaleWindow && s.dynamic {
		s.scale = min(s.max, s.scale*scaleFactor)
		s.unskipped = 0
	}
	return false
}
