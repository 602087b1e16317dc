package amp

import (
	"slices"

	"halfnote/internal/many"
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

	// OnDevice has Scale, NewScale and FoundInf where the loss scale is on a GPU, as float32 tensors
	// without dimensions that stay as they are, or nil. Observers of [GradScaler.ObserveLate] find
	// them there alone.
	OnDevice *EventTensors

	// StillScaled is set in Unscaled events of a SelfScaling optimizer that Step was called for
	// right away: its gradients are Scale times too large, for it to unscale.
	StillScaled bool
}

// EventTensors are the numbers of an [Event] that are on a device. FoundInf is also there in Stepped
// events, for the optimizer's own gradients, where it had some; else those that an event does not have
// are nil.
type EventTensors struct{ Scale, NewScale, FoundInf *tensor.Tensor }

type observer struct {
	f    func(Event)
	late bool
}

// Observe calls f, on the goroutine that calls the scaler, at each event from now on. A disabled
// scaler tells its events too, with scale 1. The function returned ends it. Where the loss scale is
// on a GPU, each event waits for it.
func (s *GradScaler) Observe(f func(Event)) (stop func()) { return s.observe(&observer{f: f}) }

// ObserveLate is [GradScaler.Observe] for observers that read devices later, in their own time:
// where the loss scale is on a GPU, no event waits for it, and its numbers are in Event.OnDevice. Runs of
// a [tensor.Graph] that do not call its function do not call f either.
func (s *GradScaler) ObserveLate(f func(Event)) (stop func()) {
	return s.observe(&observer{f: f, late: true})
}

func (s *GradScaler) observe(o *observer) (stop func()) {
	s.observers = append(s.observers, o)
	return func() {
		s.observers = slices.DeleteFunc(slices.Clone(s.observers), func(other *observer) bool {
			return other == o
		})
	}
}

// notify tells of an event, whose scale it fills in.
func (s *GradScaler) notify(e Event) {
	if many.Recorded(nil, nil) != nil {
		told := s.observers
		many.Recorded(func() bool { return slices.Equal(told, s.observers) }, nil)
	}
	if len(s.observers) == 0 {
		return
	}
	switch {
	case e.Kind == Scaled:
	case s.live != nil:
		on := EventTensors{Scale: s.live.now()}
		if e.Kind == Stepped && len(e.Result.checks) > 0 {
			on.FoundInf = e.Result.checks.flag()
		}
		s.tell(e, on)
		return
	case e.Kind != Updated:
		e.Scale = s.LossScale()
	}
	for _, o := range s.observers {
		o.f(e)
	}
}

// notifyLive tells of an update of a scale on a device, before which it was another one.
func (s *GradScaler) notifyLive(before *tensor.Tensor, found []*tensor.Tensor) {
	if len(s.observers) == 0 {
		return
	}
	var any *tensor.Tensor
	quietly(func() {
		any = tensor.ZerosLike(before)
		for _, f := range found {
			any = any.Maximum(f.To(any.Device()))
		}
	})
	s.tell(Event{Kind: Updated}, EventTensors{Scale: before, NewScale: s.live.now(), FoundInf: any})
}

// tell tells observers of an event whose numbers are on a device: those that are not late get them
// read.
func (s *GradScaler) tell(e Event, on EventTensors) {
	e.OnDevice = &on
	var read *Event
	for _, o := range s.observers {
		if o.late {
			o.f(e)
			continue
		}
		if read == nil {
			all := e
			all.Scale = on.Scale.Item()
			if on.NewScale != nil {
				all.NewScale, all.FoundInf = on.NewScale.Item(), on.FoundInf.Item() != 0
			}
			read = &all
		}
		o.f(*read)
	}
}
