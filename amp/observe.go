package amp

import (
	"slices"

	"halfnote/tensor"
)

// EventKind says which call of a [GradScaler] an [Event] is about.
type EventKind uint8

// The kinds of events, in the order of an iteration.
const (
	Scaled   EventKind = iota // Scale was given Loss
	Unscaled                  // Optimizer's gradients are unscaled, and not yet clipped
	Stepped                   // Step ended with Result
	Updated                   // Update or UpdateTo ended: FoundInf, and NewScale from now on
	Dropped                   // Reset gave the iteration up
)

// Event is what a [GradScaler] tells its observers. Fields that its kind does not name are zero.
type Event struct {
	Kind      EventKind
	Scale     float64 // the loss scale of this iteration; unset in Scaled
	NewScale  float64
	FoundInf  bool
	Loss      *tensor.Tensor // as given to Scale, with its graph: detach what is kept
	Optimizer Optimizer
	Result    *StepResult

	// StillScaled is set in Unscaled events of a SelfScaling optimizer that Step was called for
	// right away: its gradients are Scale times too large, for it to unscale.
	StillScaled bool
}

type observer struct{ f func(Event) }

// Observe calls f, on the goroutine that calls the scaler, at each event from now on. A disabled
// scaler tells its events too, with scale 1. The function returned ends it.
func (s *GradScaler) Observe(f func(Event)) (stop func()) {
	o := &observer{f}
	s.observers = append(s.observers, o)
	return func() {
		s.observers = slices.DeleteFunc(slices.Clone(s.observers), func(other *observer) bool {
			return other == o
		})
	}
}

func (s *GradScaler) notify(e Event) {
	for _, o := range s.observers {
		o.f(e)
	}
}
