package amp_test

import (
	"testing"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
	"halfnote/tensor/reference"
)

// TestProfile: what a step with a gradient scaler spends is in a profile, with calls and bytes.
func TestProfile(t *testing.T) {
	m := nn.NewSequential(nn.NewLinear(40, 50), nn.NewReLU(), nn.NewLinear(50, 10))
	params := nn.Parameters(m)
	opt := optim.NewSGD(params, optim.SGDConfig{LR: 0.1})
	scaler := amp.NewGradScaler(amp.ScalerConfig{})
	x, y := tensor.Rand(16, 40), tensor.Randint(0, 10, 16)
	p := tensor.Profile(func() {
		amp.Autocast(func() { scaler.Scale(tensor.CrossEntropy(m.Forward(x), y)).Backward() })
		scaler.Unscale(opt)
		nn.ClipGradNorm(params, 1e-3)
		scaler.Step(opt)
		scaler.Update()
	})
	const weights, biases, layers = 50*40 + 10*50, 50 + 10, 2
	const all = weights + biases
	calls, written := map[string]int{}, map[string]int64{}
	for _, o := range p.Ops {
		if o.Calls <= 0 || o.Written < o.Allocated {
			t.Errorf("%+v", o)
		}
		if !o.Backward {
			calls[o.Op], written[o.Op] = o.Calls, o.Written
		}
	}
	type counts struct {
		calls   int
		written int64
	}
	expected := map[string]counts{
		"linear":     {layers, 2 * 16 * (50 + 10)},
		"to":         {2*layers + 1, 2*all + 2*16*40}, // the weights, and the input
		"unscale":    {2, 4*all + 16*2*2*layers},
		"MulInPlace": {2 * layers, 4 * all},
		"SGDInPlace": {2 * layers, 4 * all},
	}
	if !reference.OnCPU() { // where what is done to all parameters is one call, and the scale is a tensor
		expected = map[string]counts{"linear": expected["linear"], "SGDInPlace": {1, 4 * all}}
	}
	for op, want := range expected {
		if calls[op] != want.calls || written[op] != want.written {
			t.Errorf("%s: %d calls that wrote %d bytes, want %d and %d", op, calls[op], written[op],
				want.calls, want.written)
		}
	}
	if t.Failed() {
		t.Log(p)
	}
}
