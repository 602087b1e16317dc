package apex_test

import (
	"fmt"
	"testing"

	"halfnote/amp/apex"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// TestText: what Initialize returns, and its Memory, show themselves in words.
func TestText(t *testing.T) {
	make := func(c apex.Config) *apex.Amp {
		m := nn.NewSequential(nn.NewLinear(4, 8), nn.NewReLU(), nn.NewLinear(8, 2))
		opt := optim.NewSGD(nn.Parameters(m), optim.SGDConfig{LR: 0.1})
		return apex.Initialize([]nn.Module{m}, []optim.Optimizer{opt}, c)
	}
	const given = "1 model, 1 optimizer, 4 parameters, "
	for want, c := range map[string]apex.Config{
		"apex O1: functions choose their dtype\n" + given + "dynamic loss scale 2^16": {},
		"apex O0: model float32\n" + given + "fixed loss scale 2^0":                   {OptLevel: apex.O0},
		"apex O2: model float16, batch norm float32, master weights\n" + given +
			"dynamic loss scales 2^16, 2^16": {OptLevel: apex.O2, NumLosses: 2},
		"apex O3: model float16\n" + given + "fixed loss scale 100": {
			OptLevel: apex.O3, LossScale: 100},
		"apex disabled\n" + given + "dynamic loss scale 2^16": {Disabled: true},
	} {
		if got := fmt.Sprint(make(c)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	memory := make(apex.Config{OptLevel: apex.O2}).Memory()
	if got, want := fmt.Sprint(memory), "weights 116 B + master weights 232 B = 348 B"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for want, m := range map[string]apex.Memory{
		"0 B": {}, "weights 1.5 KiB": {Weights: 1536},
		"gradients 2 MiB + optimizer state 1 GiB = 1 GiB": {Gradients: 2 << 20,
			OptimizerState: 1 << 30},
	} {
		if got := m.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
