package optim

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// set gives a parameter a value.
func set(p *tensor.Tensor, v float64) { tensor.NoGrad(func() { p.FillInPlace(v) }) }

func TestEMA(t *testing.T) {
	tests := []struct {
		name   string
		config EMAConfig
		want   []float64 // the averages of 1 and then 2, 4, 8
	}{
		{"default", EMAConfig{}, []float64{1.001, 1.003999, 1.010995001}},
		{"decay", EMAConfig{Decay: 0.5}, []float64{1.5, 2.75, 5.375}},
		{"warmup", EMAConfig{Decay: 0.5, Warmup: true}, []float64{
			1*2./11 + 2*9./11, (1*2./11+2*9./11)*0.25 + 4*0.75,
			((1*2./11+2*9./11)*0.25+4*0.75)*4/13 + 8*9./13}},
		{"bias_correction", EMAConfig{Decay: 0.5, BiasCorrection: true}, []float64{
			2, (0.25*2 + 0.5*4) / 0.75, (0.125*2 + 0.25*4 + 0.5*8) / 0.875}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := tensor.New([]float64{1}).SetRequiresGrad(true)
			e := NewEMA([]*tensor.Tensor{p}, test.config)
			for i, want := range test.want {
				set(p, math.Pow(2, float64(i+1)))
				e.UpdateAfter(result(true)) // skipped
				e.UpdateAfter(result(false))
				if got := e.Averages()[0].Item(); math.Abs(got-want) > 1e-15*10 {
					t.Errorf("update %d: got %v, want %v", i, got, want)
				}
			}
			if e.Updates() != 3 {
				t.Errorf("%d updates, want 3", e.Updates())
			}
		})
	}
}

func TestEMAApply(t *testing.T) {
	p, half := param(1, 2), tensor.New([]float32{1}).To(tensor.Float16).SetRequiresGrad(true)
	count := tensor.New([]int64{3})
	e := NewEMA([]*tensor.Tensor{p, half},
		EMAConfig{Decay: 0.75, Buffers: []*tensor.Tensor{count}})
	set(p, 5)
	set(half, 3)
	count.FillInPlace(7)
	e.Update()
	count.FillInPlace(8)
	inside := func() {
		if diff := cmp.Diff([]float32{2, 2.75}, p.Float32s()); diff != "" {
			t.Errorf("inside (-want +got):\n%s", diff)
		}
		if half.Item() != 1.5 || half.DType() != tensor.Float16 || count.Item() != 7 {
			t.Errorf("inside: got %v %v and buffer %v", half.DType(), half.Item(), count.Item())
		}
		if !p.RequiresGrad() || !p.IsLeaf() {
			t.Error("inside: no parameter any more")
		}
	}
	func() {
		defer func() { _ = recover() }()
		e.Apply(func() { inside(); panic("stop") })
	}()
	if p.Float32s()[0] != 5 || half.Item() != 3 || count.Item() != 8 {
		t.Errorf("after: got %v, %v and buffer %v", p.Float32s(), half.Item(), count.Item())
	}
	e.CopyTo()
	inside()
}

// TestEMASmallUpdates: in float16 itself an average of 1000 would never move by 0.1.
func TestEMASmallUpdates(t *testing.T) {
	p := tensor.New([]float32{1000}).To(tensor.Float16).SetRequiresGrad(true)
	e := NewEMA([]*tensor.Tensor{p}, EMAConfig{Decay: 0.999})
	set(p, 1100)
	for range 100 {
		e.Update()
	}
	want := 1100 - 100*math.Pow(0.999, 100)
	if got := e.Averages()[0].Item(); math.Abs(got-want) > 1e-2 {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestEMAStateDict(t *testing.T) {
	p := param(1, 2)
	config := EMAConfig{Decay: 0.9, BiasCorrection: true}
	e := NewEMA([]*tensor.Tensor{p}, config)
	set(p, 3)
	e.Update()
	set(p, 4)
	e.Update()
	e2 := NewEMA([]*tensor.Tensor{p}, config)
	if err := e2.LoadStateDict(e.StateDict()); err != nil {
		t.Fatal(err)
	}
	set(p, 5)
	e.Update()
	e2.Update()
	if diff := cmp.Diff(values(e.StateDict()), values(e2.StateDict())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	bad := e.StateDict()
	bad["0"] = tensor.Zeros(3)
	want := "ema: load state dict: 0 has shape [3], the tensor has [2]"
	if err := e.LoadStateDict(bad); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	delete(bad, "0")
	want = "ema: load state dict: 1 tensors, want 2"
	if err := e.LoadStateDict(bad); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestEMALoadBuffers: a count is no place for a fraction, and then nothing changes.
func TestEMALoadBuffers(t *testing.T) {
	count := tensor.New([]int64{3})
	e := NewEMA([]*tensor.Tensor{param(1)}, EMAConfig{Buffers: []*tensor.Tensor{count}})
	before := e.StateDict()
	bad := e.StateDict()
	bad["0"], bad["1"] = tensor.New([]float32{7}), tensor.New([]float32{2.5})
	want := "ema: load state dict: 1 is float32, and the tensor int64"
	if err := e.LoadStateDict(bad); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if diff := cmp.Diff(values(before), values(e.StateDict())); diff != "" {
		t.Errorf("it changed:\n%s", diff)
	}
}

func TestEMAErrors(t *testing.T) {
	ema := func(c EMAConfig, params ...*tensor.Tensor) func() {
		return func() { NewEMA(params, c) }
	}
	tests := []struct {
		want string
		f    func()
	}{
		{"ema: Decay 1: must be at least 0 and below 1", ema(EMAConfig{Decay: 1}, param(1))},
		{"ema: Warmup and BiasCorrection both move the decay: set one of them",
			ema(EMAConfig{Warmup: true, BiasCorrection: true}, param(1))},
		{"ema: no parameters to average", ema(EMAConfig{})},
		{"ema: tensor 1 is nil", ema(EMAConfig{}, param(1), nil)},
		{"ema: parameter 0 is int64: must be a float dtype",
			ema(EMAConfig{}, tensor.New([]int64{1}))},
		{"ema: tensor 0 is the result of an op: give a leaf (made by New, Zeros, Detach …)",
			ema(EMAConfig{}, param(1).Mul(2))},
	}
	for _, test := range tests {
		if got := reference.Mistake(test.f); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestEMAString(t *testing.T) {
	p := []*tensor.Tensor{tensor.Ones(2)}
	for want, c := range map[string]EMAConfig{
		"EMA{Decay: 0.999}, step 0":                           {},
		"EMA{Decay: 0.9, Warmup: true}, step 0":               {Decay: 0.9, Warmup: true},
		"EMA{Decay: 0.999, BiasCorrection: true}, step 0":     {BiasCorrection: true},
		"EMA{Decay: 0.999, Warmup: true, Buffers: 1}, step 0": {Warmup: true, Buffers: p},
	} {
		if got := NewEMA(p, c).String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
