package amp

import (
	"encoding/json"
	"math"
)

// This file implements how a whole scaler is written, as PyTorch pickles one: StateDict holds what
// a resumed run needs, this also the limits.

// scalerJSON is the form in which a [GradScaler] is written.
type scalerJSON struct {
	Scale          float64 `json:"scale"`
	GrowthFactor   float64 `json:"growth_factor"`
	BackoffFactor  float64 `json:"backoff_factor"`
	GrowthInterval int     `json:"growth_interval"`
	GrowthTracker  int     `json:"growth_tracker"`
	MinScale       float64 `json:"min_scale"`
	MaxScale       float64 `json:"max_scale"`
	Hysteresis     int     `json:"hysteresis"`
	Overflows      int     `json:"overflows"`
	Disabled       bool    `json:"disabled"`
}

// MarshalJSON writes the scaler with its settings, but not its observers nor OnCollapse. It is for
// the time between iterations: an [*Error] of kind [MidIteration] is returned between an Unscale or
// Step and the Update behind it, since what was found in the gradients would be lost.
func (s *GradScaler) MarshalJSON() ([]byte, error) {
	for _, o := range s.optimizers {
		if o.stage != ready && !s.disabled {
			return nil, errorf("marshal", MidIteration, "an optimizer was unscaled or has stepped "+
				"since the last Update: write the scaler behind Update")
		}
	}
	s.read()
	return json.Marshal(scalerJSON{float64(s.scale), s.growthFactor, s.backoffFactor,
		s.growthInterval, s.growthTracker, s.minScale, s.maxScale, s.hysteresis, s.overflows,
		s.disabled})
}

// UnmarshalJSON makes s a scaler that [GradScaler.MarshalJSON] wrote, as new: Scale comes first. It
// returns an [*Error] of kind [BadState], and changes nothing, when a value is out of its range.
// Observers and OnCollapse of s stay.
func (s *GradScaler) UnmarshalJSON(data []byte) (err error) {
	var v scalerJSON
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	if v.GrowthTracker < 0 || v.Overflows < 0 || v.GrowthTracker > math.MaxInt32 ||
		v.GrowthInterval > math.MaxInt32 {
		return errorf("unmarshal", BadState, "growth interval %d, growth tracker %d and overflows "+
			"%d are not counts from 0", v.GrowthInterval, v.GrowthTracker, v.Overflows)
	}
	for _, f := range []float64{v.Scale, v.GrowthFactor, v.BackoffFactor, v.MinScale, v.MaxScale,
		float64(v.Hysteresis)} {
		if f == 0 {
			return errorf("unmarshal", BadState, "a setting is missing or 0")
		}
	}
	defer func() { // NewGradScaler panics with what is out of range
		switch e := recover().(type) {
		case nil:
		case *Error:
			e.Op, e.Kind = "unmarshal", BadState
			err = e
		default:
			panic(e)
		}
	}()
	fresh := NewGradScaler(ScalerConfig{InitScale: v.Scale, GrowthFactor: v.GrowthFactor,
		BackoffFactor: v.BackoffFactor, GrowthInterval: v.GrowthInterval,
		NoGrowth: v.GrowthInterval == 0, Disabled: v.Disabled, MinScale: v.MinScale,
		MaxScale: v.MaxScale, Hysteresis: v.Hysteresis, OnCollapse: s.onCollapse})
	fresh.growthTracker, fresh.overflows = v.GrowthTracker, v.Overflows
	fresh.observers = s.observers
	*s = *fresh
	return nil
}
