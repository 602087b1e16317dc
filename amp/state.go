package amp

import (
	"fmt"
	"math"
	"strconv"
)

// The keys of a state dict, as PyTorch writes them. The last is ours, and only there when
// ScalerConfig.Hysteresis is more than 1.
const (
	keyScale          = "scale"
	keyGrowthFactor   = "growth_factor"
	keyBackoffFactor  = "backoff_factor"
	keyGrowthInterval = "growth_interval"
	keyGrowthTracker  = "_growth_tracker"
	keyOverflows      = "_overflows"
)

// LossScale returns the scale that the next Scale multiplies by, and 1 when disabled.
func (s *GradScaler) LossScale() float64 {
	if s.disabled {
		return 1
	}
	s.read()
	return float64(s.scale)
}

// String returns the scale and the rules by which it moves in one line:
//
//	GradScaler(scale 2^16, ×2 every 2000 clean steps, ×0.5 at an overflow)
func (s *GradScaler) String() string {
	if s.disabled {
		return "GradScaler(disabled)"
	}
	growth := "never grows"
	if s.growthInterval > 0 {
		growth = fmt.Sprintf("×%g every %d clean steps", s.growthFactor, s.growthInterval)
	}
	return fmt.Sprintf("GradScaler(scale %s, %s, ×%g at an overflow)",
		scaleText(s.LossScale()), growth, s.backoffFactor)
}

// scaleText writes a power of two as "2^20", and other scales as numbers.
func scaleText(scale float64) string {
	if fraction, e := math.Frexp(scale); fraction == 0.5 {
		return fmt.Sprintf("2^%d", e-1)
	}
	format := byte('g')
	if scale >= 1e-3 && scale < 1e9 { // digits that one can read
		format = 'f'
	}
	return strconv.FormatFloat(scale, format, -1, 32)
}

// Enabled reports whether the scaler was made without Disabled.
func (s *GradScaler) Enabled() bool { return !s.disabled }

// GrowthFactor returns what a growth multiplies the scale by.
func (s *GradScaler) GrowthFactor() float64 { return s.growthFactor }

// SetGrowthFactor sets it. It panics with an [*Error] unless factor is more than 1 and finite.
func (s *GradScaler) SetGrowthFactor(factor float64) {
	must(checkGrowthFactor("set", BadConfig, factor))
	s.growthFactor = factor
}

// BackoffFactor returns what backing off multiplies the scale by.
func (s *GradScaler) BackoffFactor() float64 { return s.backoffFactor }

// SetBackoffFactor sets it. It panics with an [*Error] unless factor is between 0 and 1.
func (s *GradScaler) SetBackoffFactor(factor float64) {
	must(checkBackoffFactor("set", BadConfig, factor))
	s.backoffFactor = factor
}

// GrowthInterval returns how many clean updates in a row come before a growth; 0 means that the
// scale never grows.
func (s *GradScaler) GrowthInterval() int { return s.growthInterval }

// SetGrowthInterval sets it. It panics with an [*Error] when interval is less than 1 or more than
// 2^31 - 1. An interval not above the growth tracker's value takes effect after the next overflow,
// as in PyTorch.
func (s *GradScaler) SetGrowthInterval(interval int) {
	must(checkGrowthInterval("set", BadConfig, interval))
	s.growthInterval = interval
}

// GrowthTracker returns how many clean updates there were since the scale last changed, or since
// the last overflow.
func (s *GradScaler) GrowthTracker() int {
	s.read()
	return s.growthTracker
}

// StateDict returns what a resumed run needs, under PyTorch's keys: scale, growth_factor,
// backoff_factor, growth_interval (0 when it never grows) and _growth_tracker. Take it after
// Update. It is empty when the scaler is disabled. An nn.Checkpoint saves it among tensors.
func (s *GradScaler) StateDict() map[string]float64 {
	if s.disabled {
		return map[string]float64{}
	}
	s.read()
	d := map[string]float64{
		keyScale:          float64(s.scale),
		keyGrowthFactor:   s.growthFactor,
		keyBackoffFactor:  s.backoffFactor,
		keyGrowthInterval: float64(s.growthInterval),
		keyGrowthTracker:  float64(s.growthTracker),
	}
	if s.hysteresis > 1 {
		d[keyOverflows] = float64(s.overflows)
	}
	return d
}

// LoadStateDict takes over a state that [GradScaler.StateDict] or PyTorch wrote. A state that is
// empty (of a disabled scaler), lacks a key or holds a value out of range is an [*Error] of kind
// [EmptyStateDict] or [BadState], and changes nothing. A disabled scaler ignores the call.
func (s *GradScaler) LoadStateDict(state map[string]float64) error {
	const op = "load state dict"
	if s.disabled {
		return nil
	}
	if len(state) == 0 {
		return errorf(op, EmptyStateDict, "the state is empty: it was saved by a disabled scaler")
	}
	for _, key := range []string{
		keyScale, keyGrowthFactor, keyBackoffFactor, keyGrowthInterval, keyGrowthTracker,
	} {
		if _, ok := state[key]; !ok {
			return errorf(op, BadState, "key %q is missing", key)
		}
	}
	interval, err := count(op, keyGrowthInterval, state)
	if err != nil {
		return err
	}
	tracker, err := count(op, keyGrowthTracker, state)
	if err != nil {
		return err
	}
	overflows, err := count(op, keyOverflows, state)
	if err != nil {
		return err
	}
	for _, err := range []*Error{
		s.checkScale(op, BadState, state[keyScale]),
		checkGrowthFactor(op, BadState, state[keyGrowthFactor]),
		checkBackoffFactor(op, BadState, state[keyBackoffFactor]),
	} {
		if err != nil {
			return err
		}
	}
	s.scale = float32(state[keyScale])
	s.growthFactor, s.backoffFactor = state[keyGrowthFactor], state[keyBackoffFactor]
	s.growthInterval, s.growthTracker, s.overflows = interval, tracker, overflows
	if s.live != nil {
		s.live.write(s)
	}
	return nil
}

// count reads a whole number; a missing key is 0. The result is an error and not an *Error since a
// nil pointer in an interface is not nil.
func count(op, key string, state map[string]float64) (int, error) {
	v := state[key]
	if v < 0 || v > math.MaxInt32 || v != math.Trunc(v) {
		return 0, errorf(op, BadState, "%s %g is not a whole number from 0", key, v)
	}
	return int(v), nil
}

func (s *GradScaler) checkScale(op string, kind Kind, scale float64) *Error {
	if f := float64(float32(scale)); !(f >= s.minScale && f <= s.maxScale) {
		return errorf(op, kind, "scale %g is not between %g and %g", scale, s.minScale, s.maxScale)
	}
	return nil
}

func checkGrowthFactor(op string, kind Kind, factor float64) *Error {
	if !(factor > 1 && factor <= math.MaxFloat64) {
		return errorf(op, kind, "growth factor %g is not a finite number above 1", factor)
	}
	return nil
}

func checkBackoffFactor(op string, kind Kind, factor float64) *Error {
	if !(factor > 0 && factor < 1) {
		return errorf(op, kind, "backoff factor %g is not between 0 and 1", factor)
	}
	return nil
}

func checkGrowthInterval(op string, kind Kind, interval int) *Error {
	if interval < 1 || interval > math.MaxInt32 {
		return errorf(op, kind, "growth interval %d is not between 1 and %d; to never grow, set "+
			"NoGrowth", interval, math.MaxInt32)
	}
	return nil
}
