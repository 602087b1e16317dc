package amp_test

import (
	"strings"
	"testing"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
	"halfnote/tensor/reference"
)

func TestClippedWhileScaled(t *testing.T) {
	type loop struct {
		scaler *amp.GradScaler
		opt    *optim.SGD
		params []*tensor.Tensor
	}
	const warning = " clipped gradients that were still multiplied by the loss scale 1024: " +
		"call Unscale before it"
	tests := []struct {
		name string
		clip func(l loop)
		want string
	}{
		{"not", func(l loop) {}, ""},
		{"after", func(l loop) { l.scaler.Unscale(l.opt); nn.ClipGradNorm(l.params, 0.1) }, ""},
		{"before", func(l loop) { nn.ClipGradNorm(l.params, 0.1) }, "ClipGradNorm" + warning},
		{"before_unscale", func(l loop) { nn.ClipGradValue(l.params, 1); l.scaler.Unscale(l.opt) },
			"ClipGradValue" + warning},
		{"without_effect", func(l loop) { nn.ClipGradNorm(l.params, 1e6) }, ""},
	}
	for _, test := range tests {
		if test.name == "without_effect" && !reference.OnCPU() {
			continue // where nobody waits to see whether it had one
		}
		t.Run(test.name, func(t *testing.T) {
			w := tensor.Ones(4).SetRequiresGrad(true)
			l := loop{amp.NewGradScaler(amp.ScalerConfig{InitScale: 1024}),
				optim.NewSGD([]*tensor.Tensor{w}, optim.SGDConfig{LR: 0.1}), []*tensor.Tensor{w}}
			if test.name == "without_effect" && w.Device() != tensor.CPU {
				test.want = "ClipGradNorm" + warning // a GPU does not say that it had none
			}
			for range 2 { // the gradient of the step before was clipped, and is added to
				l.scaler.Scale(w.Mul(2).Sum()).Backward()
				test.clip(l)
				result := l.scaler.Step(l.opt)
				l.scaler.Update()
				if got := result.Warning(); got != test.want {
					t.Errorf("got %q, want %q", got, test.want)
				}
				if got := result.String(); !strings.HasSuffix(got, test.want) {
					t.Errorf("got %q, want the end %q", got, test.want)
				}
			}
		})
	}
}
