package amp

import (
	"halfnote/internal/many"
	"halfnote/tensor"
)

// This file implements a loss scale that lives on a GPU. It moves there when a loss of a GPU is
// scaled, and from then on Scale, Unscale, Step and Update wait for nothing: what the host knows of
// the scale is read when it is asked for.

// live is a scale on a device, with what it moves by.
type live struct {
	scale *tensor.Tensor // float32 without dimensions, which Update writes to
	track *tensor.Tensor // int64: the growth tracker and so on, as package many numbers them

	// current is a copy of scale that Update leaves alone, for all that happens to one iteration; nil
	// where none was needed since the last Update. A graph makes its own.
	current *tensor.Tensor
	by      any // what has recorded it, or nil

	stale bool // the host's copies are older
}

// goLive moves the scale to where loss is, unless that is the host or it is on a device already.
func (s *GradScaler) goLive(loss *tensor.Tensor) {
	if s.live != nil || loss.Device() == tensor.CPU {
		return
	}
	quietly(func() {
		s.live = &live{
			scale: tensor.New(s.scale).To(loss.Device()),
			track: tensor.New(make([]int64, many.TrackLen)).To(loss.Device()),
		}
		s.live.write(s)
	})
}

// write takes over what the host knows.
func (l *live) write(s *GradScaler) {
	track := make([]int64, many.TrackLen)
	track[many.TrackGrowth], track[many.TrackOverflows] = int64(s.growthTracker), int64(s.overflows)
	track[many.TrackCollapses] = s.collapses
	quietly(func() {
		l.scale.FillInPlace(float64(s.scale))
		l.track.CopyFrom(tensor.New(track).To(l.track.Device()))
	})
	l.current, l.stale = nil, false
}

// quietly calls f outside of autograd and autocast.
func quietly(f func()) { tensor.NoGrad(func() { tensor.WithCastState(nil, f) }) }

// now returns the scale of this iteration.
func (l *live) now() *tensor.Tensor {
	if by := many.Recorded(nil, nil); l.current == nil || l.by != by {
		quietly(func() { l.current = l.scale.Clone() })
		l.by = by
	}
	return l.current
}

// read brings the host's copies of the scale and the trackers up to date. It waits for the device
// where they are on one and may have changed.
func (s *GradScaler) read() {
	if s.live == nil || !s.live.stale {
		return
	}
	track := s.live.track.Int64s()
	s.scale = float32(s.live.scale.Item())
	s.growthTracker, s.overflows = int(track[many.TrackGrowth]), int(track[many.TrackOverflows])
	s.live.stale = false
}

// scaleNow returns the scale of this iteration, for who may ask for it later.
func (s *GradScaler) scaleNow() lateScale {
	if s.live == nil {
		return lateScale{number: float64(s.scale)}
	}
	return lateScale{tensor: s.live.now()}
}

// A lateScale is a scale that is read from its device when it is asked for.
type lateScale struct {
	tensor *tensor.Tensor
	number float64 // where there is no tensor
}

func (l lateScale) value() float64 {
	if l.tensor != nil {
		return l.tensor.Item()
	}
	return l.number
}

// adapt is Update's rules on the device.
func (l *live) adapt(s *GradScaler, found []*tensor.Tensor) {
	l.now() // what this iteration ran with
	rules := s.rules()
	quietly(func() {
		for i, f := range found {
			found[i] = f.To(l.scale.Device())
		}
	})
	many.Adapt(l.scale, l.track, found, rules)
	l.moved(func() bool { return s.rules() == rules })
}

// rules are what the scale moves by.
func (s *GradScaler) rules() many.Scaling {
	return many.Scaling{Growth: s.growthFactor, Backoff: s.backoffFactor, Least: s.minScale, Most: s.maxScale,
		Interval: s.growthInterval, Hysteresis: s.hysteresis}
}

// moved notes that the scale is another one on the device. same, which may be nil, reports whether it
// would move alike when a graph moves it again.
func (l *live) moved(same func() bool) {
	l.stale = true
	many.Recorded(same, func(bool) { l.stale, l.current, l.by = true, nil, nil })
}

// collapses returns how often the scale should have gone down and could not; it reads the device.
func (l *live) collapses() int64 { return l.track.Int64s()[many.TrackCollapses] }
