package monitor_test

import (
	"runtime/debug"
	"testing"

	"halfnote/amp"
	"halfnote/amp/monitor"
	"halfnote/internal/many"
	"halfnote/tensor"
	"halfnote/tensor/optim"
)

// TestRecordingDoesNotWait: steps are recorded without waiting for a GPU, and all that were are read
// at once.
func TestRecordingDoesNotWait(t *testing.T) {
	w := tensor.Ones(3).SetRequiresGrad(true)
	opt := optim.NewSGD([]*tensor.Tensor{w}, optim.SGDConfig{LR: 0.5})
	scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 8})
	m := monitor.Watch(scaler)
	step := func(factor float64) {
		opt.ZeroGrad()
		scaler.Scale(w.Mul(factor).Sum()).Backward()
		scaler.Step(opt)
		scaler.Update()
	}
	step(1)
	waited := 0
	many.OnWait(func() { t.Errorf("waits:\n%s", debug.Stack()) })
	step(0)
	step(1e38)
	step(1e39) // infinite
	many.OnWait(func() { waited++ })
	steps := m.History()
	many.OnWait(nil)
	if waited > 1 {
		t.Errorf("%d waits for %d steps", waited, len(steps))
	}
	for i, want := range []struct {
		skipped     bool
		scale, zero float64
	}{{false, 8, 0}, {false, 8, 1}, {true, 8, 0}, {true, 4, 0}} {
		if s := steps[i]; s.Skipped != want.skipped || s.FoundInf != want.skipped || s.Scale != want.scale ||
			s.Zero != want.zero {
			t.Errorf("step %d is %+v, want %+v", i, s, want)
		}
	}
}
