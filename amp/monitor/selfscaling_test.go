package monitor_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"halfnote/amp"
	"halfnote/amp/monitor"
	"halfnote/tensor"
	"halfnote/tensor/optim"
)

// fused stands for an optimizer that unscales by itself.
type fused struct{ *optim.SGD }

func (fused) StepScaled(_, _ *tensor.Tensor) {}

// The gradients of an optimizer that unscales by itself are measured as those of others.
func TestSelfScaling(t *testing.T) {
	grads := []float32{24, 32, 0, 0x1p-20}
	history := func(opt amp.Optimizer) []monitor.Step {
		scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 8})
		m := monitor.Watch(scaler, opt)
		scaler.Scale(tensor.Full(1))
		scaler.Step(opt)
		scaler.Update()
		return m.History()
	}
	want, got := history(sgd(grads)), history(fused{sgd(grads)})
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
		t.Errorf("history (-plain +fused):\n%s", diff)
	}
	if math.Abs(want[0].GradNorm-5) > 1e-9 {
		t.Errorf("norm %g, want 5", want[0].GradNorm)
	}
}
