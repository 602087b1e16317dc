package monitor_test

import (
	"math"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"halfnote/amp"
	"halfnote/amp/monitor"
	"halfnote/tensor"
	"halfnote/tensor/optim"
)

func sgd(grads ...[]float32) *optim.SGD {
	var params []*tensor.Tensor
	for _, g := range grads {
		p := tensor.Ones(len(g)).SetRequiresGrad(true)
		p.SetGrad(tensor.FromFloat32(g, len(g)))
		params = append(params, p)
	}
	return optim.NewSGD(params, optim.SGDConfig{LR: 0.1})
}

// step runs one iteration of a loop whose gradients are there already.
func step(s *amp.GradScaler, loss float64, opts ...*optim.SGD) {
	s.Scale(tensor.Full(loss))
	for _, opt := range opts {
		s.Step(opt)
	}
	s.Update()
}

func TestRecord(t *testing.T) {
	inf := float32(math.Inf(1))
	scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 8, GrowthInterval: 1})
	opt := sgd([]float32{24, 0, 0x1p-20}, []float32{32, 0x1p-30})
	m := monitor.Watch(scaler, opt)
	step(scaler, 1.5, opt)
	step(scaler, 0.5, opt)
	bad := sgd([]float32{inf, 0})
	scaler.Scale(tensor.Full(0.25))
	step(scaler, 0.25, opt, bad) // the second optimizer is not watched
	m2 := monitor.Watch(scaler)
	step(scaler, 2, bad)

	want := []monitor.Step{
		// scaled: 24, 0, 2^-20, 32, 2^-30
		{Loss: 1.5, Scale: 8, GradNorm: 5, Zero: 0.2, Subnormal: 0.4},
		// the first step left the gradients divided by 8
		{Loss: 0.5, Scale: 16, GradNorm: 5.0 / 16, Zero: 0.2, Subnormal: 0.4},
		{Loss: 0.5, Scale: 32, GradNorm: 5.0 / 16 / 32, FoundInf: true, Zero: 0.2,
			Subnormal: 0.4},
	}
	near := cmpopts.EquateApprox(1e-9, 0)
	if diff := cmp.Diff(want, m.History()[:3], near); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	want = []monitor.Step{{Loss: 2, Scale: 16, FoundInf: true, Skipped: true,
		GradNorm: math.Inf(1), Zero: 0.5}}
	if diff := cmp.Diff(want, m2.History(), near); diff != "" {
		t.Errorf("history of all optimizers (-want +got):\n%s", diff)
	}
	if got := m.Version(); got != 4 {
		t.Errorf("version %d after 4 steps, want 4", got)
	}
	m.Stop()
	step(scaler, 1, opt)
	if got := len(m.History()); got != 4 {
		t.Errorf("%d steps after Stop, want 4", got)
	}
}

// The norm is that of the gradients before clipping, which comes between Unscale and Step.
func TestRecordBeforeClipping(t *testing.T) {
	for name, disabled := range map[string]bool{"enabled": false, "disabled": true} {
		t.Run(name, func(t *testing.T) {
			scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 2, Disabled: disabled})
			opt := sgd([]float32{6, 8})
			m := monitor.Watch(scaler, opt)
			scaler.Scale(tensor.Full(1))
			scaler.Unscale(opt)
			opt.Params()[0].Grad().MulInPlace(0.1)
			scaler.Step(opt)
			scaler.Update()
			want := 10 / map[bool]float64{false: 2, true: 1}[disabled]
			if got := m.History()[0].GradNorm; got != want {
				t.Errorf("gradient norm %g, want %g", got, want)
			}
		})
	}
}

// Under autocast a parameter's float32 gradient has come through float16: one that underflows there
// is a zero in the record, and the scaler saves it.
func TestUnderflow(t *testing.T) {
	zeros := func(disabled bool) float64 {
		scaler := amp.NewGradScaler(amp.ScalerConfig{Disabled: disabled})
		w := tensor.Ones(4, 4).SetRequiresGrad(true)
		opt := optim.NewSGD([]*tensor.Tensor{w}, optim.SGDConfig{LR: 0.1})
		m := monitor.Watch(scaler, opt)
		var loss *tensor.Tensor
		amp.Autocast(func() {
			y := tensor.Linear(tensor.Ones(1, 4), w, nil)
			loss = y.To(tensor.Float32).Mul(1e-8).Sum()
		})
		scaler.Scale(loss).Backward()
		scaler.Step(opt)
		scaler.Update()
		return m.ZeroShare()
	}
	if got := zeros(true); got != 1 {
		t.Errorf("zero share %g without a scale, want 1", got)
	}
	if got := zeros(false); got != 0 {
		t.Errorf("zero share %g with a scale, want 0", got)
	}
}

func TestRecordWithoutScaler(t *testing.T) {
	opt := sgd([]float32{3, 4, 0, 0})
	m := monitor.Watch(nil, opt)
	m.Record(tensor.Full(0.5))
	m.Record(nil)
	want := []monitor.Step{
		{Loss: 0.5, Scale: 1, GradNorm: 5, Zero: 0.5},
		{Loss: math.NaN(), Scale: 1, GradNorm: 5, Zero: 0.5},
	}
	if diff := cmp.Diff(want, m.History(), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

// A live view draws on another goroutine while the loop runs.
func TestReadWhileRecording(t *testing.T) {
	m := monitor.Watch(nil)
	var wait sync.WaitGroup
	wait.Go(func() {
		for range 200 {
			m.Record(tensor.Full(1))
		}
	})
	for seen := uint64(0); seen < 200; {
		v := m.Version()
		if v < seen || uint64(len(m.History())) < v {
			t.Fatalf("version %d after %d, with %d steps", v, seen, len(m.History()))
		}
		seen = v
		_ = m.SVG()
	}
	wait.Wait()
}

func TestString(t *testing.T) {
	scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 1024, BackoffFactor: 0.3})
	m := monitor.Watch(scaler)
	if got, want := m.String(), "no step yet"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	step(scaler, 0.25, sgd([]float32{1, 0}))
	want := "step 1: loss 0.25, loss scale 2^10, 0 steps skipped, " +
		"gradients 50.0% zero, 0.0% subnormal"
	if got := m.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	step(scaler, 0.25, sgd([]float32{float32(math.Inf(1))}))
	step(scaler, 0.25, sgd([]float32{1}))
	want = "step 3: loss 0.25, loss scale 307, 1 steps skipped, " +
		"gradients 16.7% zero, 0.0% subnormal"
	if got := m.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// An iteration that is given up leaves nothing in the next one.
func TestReset(t *testing.T) {
	scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 1})
	m := monitor.Watch(scaler)
	opt := sgd([]float32{3, 4})
	scaler.Scale(tensor.Full(7))
	scaler.Unscale(opt)
	scaler.Reset()
	step(scaler, 1.5, opt)
	want := []monitor.Step{{Loss: 1.5, Scale: 1, GradNorm: 5}}
	if diff := cmp.Diff(want, m.History()); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

// A loss with dimensions is summed, one without elements is 0.
func TestLossOfSeveralElements(t *testing.T) {
	scaler := amp.NewGradScaler(amp.ScalerConfig{})
	m := monitor.Watch(scaler)
	for _, loss := range []*tensor.Tensor{tensor.Full(0.5, 2, 2), tensor.Zeros(0)} {
		scaler.Scale(loss)
		scaler.Step(sgd([]float32{1}))
		scaler.Update()
	}
	if h := m.History(); h[0].Loss != 2 || h[1].Loss != 0 {
		t.Errorf("losses %g and %g, want 2 and 0", h[0].Loss, h[1].Loss)
	}
}
