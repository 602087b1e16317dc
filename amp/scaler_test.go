package amp_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/optim"
)

// counter is an optimizer that only counts its steps.
type counter struct {
	params []*tensor.Tensor
	steps  int
}

func (c *counter) Step()                    { c.steps++ }
func (c *counter) Params() []*tensor.Tensor { return c.params }

// param returns a float32 parameter with the gradient given, or with none.
func param(grad ...float32) *tensor.Tensor {
	p := tensor.Ones(2).SetRequiresGrad(true)
	if len(grad) > 0 {
		p.SetGrad(tensor.FromFloat32(grad, len(grad)))
	}
	return p
}

func counterOf(params ...*tensor.Tensor) *counter { return &counter{params: params} }

// started returns a scaler that has scaled a loss.
func started(cfg amp.ScalerConfig) *amp.GradScaler {
	s := amp.NewGradScaler(cfg)
	s.Scale(tensor.Ones())
	return s
}

// failure runs f and returns the kind of *amp.Error that it panics with, "" when it does not.
func failure(t *testing.T, f func()) (kind amp.Kind) {
	t.Helper()
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *amp.Error:
			kind = e.Kind
			if text := e.Error(); !strings.HasPrefix(text, e.Op+": ") || strings.HasSuffix(text, ".") {
				t.Errorf("error text %q does not have the form \"op: rule\"", text)
			}
		default:
			t.Fatalf("panic with %v (%T), not an *amp.Error", e, e)
		}
	}()
	f()
	return ""
}

func TestMisuse(t *testing.T) {
	inf := float32(math.Inf(1))
	half := tensor.Ones(2).To(tensor.Float16).SetRequiresGrad(true)
	half.SetGrad(tensor.Ones(2).To(tensor.Float16))
	shared := param(1, 1)
	tests := []struct {
		name string
		want amp.Kind
		call func()
	}{
		{"unscale_before_scale", amp.NotInitialized, func() {
			amp.NewGradScaler(amp.ScalerConfig{}).Unscale(counterOf(param(1, 1)))
		}},
		{"step_before_scale", amp.NotInitialized, func() {
			amp.NewGradScaler(amp.ScalerConfig{}).Step(counterOf(param(1, 1)))
		}},
		{"update_before_scale", amp.NotInitialized, func() {
			amp.NewGradScaler(amp.ScalerConfig{}).Update()
		}},
		{"update_to_before_scale", amp.NotInitialized, func() {
			amp.NewGradScaler(amp.ScalerConfig{}).UpdateTo(8)
		}},
		{"unscale_twice", amp.AlreadyUnscaled, func() {
			s, opt := started(amp.ScalerConfig{}), counterOf(param(1, 1))
			s.Unscale(opt)
			s.Unscale(opt)
		}},
		{"unscale_after_step", amp.UnscaleAfterStep, func() {
			s, opt := started(amp.ScalerConfig{}), counterOf(param(1, 1))
			s.Step(opt)
			s.Unscale(opt)
		}},
		{"step_twice", amp.AlreadyStepped, func() {
			s, opt := started(amp.ScalerConfig{}), counterOf(param(1, 1))
			s.Step(opt)
			s.Step(opt)
		}},
		{"step_twice_skipped", amp.AlreadyStepped, func() {
			s, opt := started(amp.ScalerConfig{}), counterOf(param(inf, 1))
			s.Step(opt)
			s.Step(opt)
		}},
		{"update_without_step", amp.NoInfChecksUpdate, func() {
			started(amp.ScalerConfig{}).Update()
		}},
		{"update_without_gradients", amp.NoInfChecksUpdate, func() {
			s := started(amp.ScalerConfig{})
			s.Step(counterOf(param()))
			s.Update()
		}},
		{"gradients_after_unscale", amp.NoInfChecksOptimizer, func() {
			p := param()
			s, opt := started(amp.ScalerConfig{}), counterOf(p)
			s.Unscale(opt)
			p.SetGrad(tensor.Ones(2))
			s.Step(opt)
		}},
		{"float16_gradient", amp.Float16Gradient, func() {
			started(amp.ScalerConfig{}).Unscale(counterOf(param(1, 1), half))
		}},
		{"float16_gradient_in_step", amp.Float16Gradient, func() {
			started(amp.ScalerConfig{}).Step(counterOf(half))
		}},
		{"shared_parameter", amp.SharedParameter, func() {
			s := started(amp.ScalerConfig{})
			s.Unscale(counterOf(shared))
			s.Unscale(counterOf(param(1, 1), shared))
		}},
		{"nil_loss", amp.BadLoss, func() { started(amp.ScalerConfig{}).Scale(nil) }},
		{"nil_among_losses", amp.BadLoss, func() {
			started(amp.ScalerConfig{}).ScaleAll([]*tensor.Tensor{tensor.Ones(), nil})
		}},
		{"integer_loss", amp.BadLoss, func() {
			started(amp.ScalerConfig{}).Scale(tensor.New([]int{1, 2}))
		}},
		{"new_scale_zero", amp.BadConfig, func() { started(amp.ScalerConfig{}).UpdateTo(0) }},
		{"new_scale_nan", amp.BadConfig, func() {
			started(amp.ScalerConfig{}).UpdateTo(math.NaN())
		}},
		{"growth_factor", amp.BadConfig, func() { started(amp.ScalerConfig{}).SetGrowthFactor(1) }},
		{"backoff_factor", amp.BadConfig, func() {
			started(amp.ScalerConfig{}).SetBackoffFactor(math.NaN())
		}},
		{"growth_interval", amp.BadConfig, func() {
			started(amp.ScalerConfig{}).SetGrowthInterval(0)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := failure(t, test.call); got != test.want {
				t.Errorf("kind %q, want %q", got, test.want)
			}
			if got := mistake(t, test.call); !slices.Contains(misuseTexts[test.want], got) {
				t.Errorf("text %q is not one of those for %q", got, test.want)
			}
		})
	}
}

// misuseTexts are the texts of TestMisuse's errors by their kind.
var misuseTexts = map[amp.Kind][]string{
	amp.NotInitialized: {"unscale: " + scaledNothing, "step: " + scaledNothing,
		"update: " + scaledNothing},
	amp.AlreadyUnscaled: {"unscale: gradients of this optimizer are already unscaled since the " +
		"last Update: call Update at the end of each iteration, or Reset where one is given up"},
	amp.UnscaleAfterStep: {"unscale: this optimizer has already stepped since the last Update: " +
		"call Unscale before Step"},
	amp.AlreadyStepped: {"step: this optimizer has already stepped since the last Update: call " +
		"Update once after all steps of an iteration"},
	amp.NoInfChecksUpdate: {"update: no gradient was checked since the last Update: call Step, " +
		"with an optimizer whose parameters have gradients, before it"},
	amp.NoInfChecksOptimizer: {"step: no gradient of this optimizer was checked: they came after " +
		"Unscale; call it behind Backward"},
	amp.Float16Gradient: {"unscale: the gradient of parameter 1 " + isFloat16,
		"step: the gradient of parameter 0 " + isFloat16},
	amp.SharedParameter: {"unscale: parameter 1 belongs to two optimizers and would be unscaled " +
		"twice: give it to one of them"},
	amp.BadLoss: {"scale: the loss is nil", "scale: loss 1 is nil",
		"scale: the loss is int64: only floating tensors have gradients"},
	amp.BadConfig: {"update: scale 0 " + outOfRange, "update: scale NaN " + outOfRange,
		"set: growth factor 1 is not a finite number above 1",
		"set: backoff factor NaN is not between 0 and 1",
		"set: growth interval 0 is not between 1 and 2147483647; to never grow, set NoGrowth"},
}

const (
	scaledNothing = "the scaler has scaled nothing yet: call scaler.Scale(loss).Backward() first"
	isFloat16     = "is float16, since the parameter itself is: keep parameters in float32 and let " +
		"Autocast cast them"
	outOfRange = "is not between 1.1754943508222875e-38 and 3.4028234663852886e+38"
)

func TestConstructorRefuses(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for name, cfg := range map[string]amp.ScalerConfig{
		"scale_negative":      {InitScale: -1},
		"scale_inf":           {InitScale: inf},
		"scale_nan":           {InitScale: nan},
		"scale_over_float32":  {InitScale: 1e39},
		"scale_inverse_inf":   {InitScale: 0x1p-130},
		"growth_1":            {GrowthFactor: 1},
		"growth_inf":          {GrowthFactor: inf},
		"growth_nan":          {GrowthFactor: nan},
		"backoff_1":           {BackoffFactor: 1},
		"backoff_negative":    {BackoffFactor: -0.5},
		"backoff_nan":         {BackoffFactor: nan},
		"interval_negative":   {GrowthInterval: -1},
		"interval_too_large":  {GrowthInterval: math.MaxInt32 + 1}, // a state dict could not hold it
		"min_negative":        {MinScale: -1},
		"min_inverse_inf":     {MinScale: 0x1p-140},
		"min_nan":             {MinScale: nan},
		"max_inf":             {MaxScale: inf},
		"max_nan":             {MaxScale: nan},
		"max_below_min":       {MinScale: 8, MaxScale: 4, InitScale: 8},
		"scale_above_max":     {MaxScale: 4},
		"hysteresis_negative": {Hysteresis: -1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := failure(t, func() { amp.NewGradScaler(cfg) }); got != amp.BadConfig {
				t.Errorf("kind %q, want %q", got, amp.BadConfig)
			}
		})
	}
}

// An error leaves gradients and stages as they were, so that the loop can go on after a correction.
func TestErrorsChangeNothing(t *testing.T) {
	p := param(8, 16)
	half := tensor.Ones(2).To(tensor.Float16).SetRequiresGrad(true)
	half.SetGrad(tensor.Ones(2).To(tensor.Float16))
	opt := counterOf(p, half)
	s := started(amp.ScalerConfig{InitScale: 8})
	if got := failure(t, func() { s.Unscale(opt) }); got != amp.Float16Gradient {
		t.Fatalf("kind %q, want %q", got, amp.Float16Gradient)
	}
	if got, want := p.Grad().Float32s(), []float32{8, 16}; !cmp.Equal(got, want) {
		t.Errorf("gradient after the error %v, want %v", got, want)
	}
	half.SetGrad(nil)
	s.Step(opt)
	if got, want := p.Grad().Float32s(), []float32{1, 2}; !cmp.Equal(got, want) {
		t.Errorf("gradient after the step %v, want %v", got, want)
	}
}

func TestStepResult(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	named := param(inf, nan).SetName("1.weight")
	tests := []struct {
		name      string
		opt       *counter
		reason    string
		parameter string
		infs      int
		nans      int
		text      string
	}{
		{"clean", counterOf(param(1, 2)), "", "", 0, 0, "stepped"},
		{"inf", counterOf(param(1, 2), param(inf, -inf), param(nan, 1)), amp.FoundInf,
			"parameter 1", 2, 1,
			"skipped: found inf: 2 inf and 1 NaN, first in parameter 1"},
		{"named", counterOf(param(), named), amp.FoundInf, "1.weight", 1, 1,
			"skipped: found inf: 1 inf and 1 NaN, first in 1.weight"},
		{"no_gradients", counterOf(param()), amp.NoGradients, "", 0, 0, "skipped: no gradients"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := started(amp.ScalerConfig{}).Step(test.opt)
			if r.Skipped() != (test.reason != "") || r.Reason() != test.reason {
				t.Errorf("skipped %v for %q, want reason %q", r.Skipped(), r.Reason(), test.reason)
			}
			if r.Parameter() != test.parameter || r.Infs() != test.infs || r.NaNs() != test.nans {
				t.Errorf("%d inf and %d NaN in %q, want %d and %d in %q", r.Infs(), r.NaNs(),
					r.Parameter(), test.infs, test.nans, test.parameter)
			}
			if r.String() != test.text {
				t.Errorf("text %q, want %q", r, test.text)
			}
			if called := test.opt.steps == 1; called == r.Skipped() {
				t.Errorf("optimizer called %d times, skipped %v", test.opt.steps, r.Skipped())
			}
		})
	}
}

// A finite gradient can become inf by the division; PyTorch steps with it (pytorch#99640).
func TestUnscaleOverflow(t *testing.T) {
	opt := counterOf(param(1e38, 1))
	s := started(amp.ScalerConfig{InitScale: 0x1p-20})
	if r := s.Step(opt); !r.Skipped() || r.Infs() != 1 {
		t.Errorf("%v, want a skipped step with 1 inf", r)
	}
	s.Update()
	if got, want := s.LossScale(), 0x1p-21; got != want {
		t.Errorf("scale %g, want %g", got, want)
	}
}

func TestScaleLimits(t *testing.T) {
	overflow := func(s *amp.GradScaler) {
		s.Scale(tensor.Ones())
		s.Step(counterOf(param(float32(math.NaN()), 1)))
		s.Update()
	}
	clean := func(s *amp.GradScaler) {
		s.Scale(tensor.Ones())
		s.Step(counterOf(param(1, 1)))
		s.Update()
	}
	tests := []struct {
		name   string
		cfg    amp.ScalerConfig
		events string // o: overflow, c: clean update
		want   []float64
	}{
		{"floor", amp.ScalerConfig{InitScale: 6, MinScale: 2}, "ooo", []float64{3, 2, 2}},
		{"floor_default", amp.ScalerConfig{InitScale: 0x1p-125}, "oo",
			[]float64{0x1p-126, 0x1p-126}},
		{"ceiling", amp.ScalerConfig{InitScale: 4, MaxScale: 12, GrowthInterval: 1}, "ccc",
			[]float64{8, 8, 8}},
		{"recovers", amp.ScalerConfig{InitScale: 0x1p-126, GrowthInterval: 1}, "oc",
			[]float64{0x1p-126, 0x1p-125}},
		{"no_growth", amp.ScalerConfig{InitScale: 4, GrowthInterval: 1, NoGrowth: true}, "cco",
			[]float64{4, 4, 2}},
		{"hysteresis", amp.ScalerConfig{InitScale: 8, Hysteresis: 2}, "ocooo",
			[]float64{8, 8, 8, 4, 2}},
		{"hysteresis_resets_growth", amp.ScalerConfig{
			InitScale: 8, Hysteresis: 2, GrowthInterval: 2}, "cocc", []float64{8, 8, 8, 16}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := amp.NewGradScaler(test.cfg)
			var got []float64
			for _, e := range test.events {
				if e == 'o' {
					overflow(s)
				} else {
					clean(s)
				}
				got = append(got, s.LossScale())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("scales (-want +got):\n%s", diff)
			}
		})
	}
}

func TestScaleDType(t *testing.T) {
	s := amp.NewGradScaler(amp.ScalerConfig{})
	scalar := s.Scale(tensor.Full(2).To(tensor.Float16))
	if scalar.DType() != tensor.Float32 || scalar.Item() != 131072 {
		t.Errorf("float16 scalar became %v %g, want float32 131072", scalar.DType(), scalar.Item())
	}
	vector := s.Scale(tensor.Ones(1).To(tensor.Float16))
	if vector.DType() != tensor.Float16 || !math.IsInf(vector.Item(), 1) {
		t.Errorf("float16 vector became %v %g, want float16 +Inf", vector.DType(), vector.Item())
	}
	double := s.Scale(tensor.New(0.1))
	if double.DType() != tensor.Float64 || double.Item() != 0.1*65536 {
		t.Errorf("float64 became %v %g, want float64 %g", double.DType(), double.Item(), 0.1*65536)
	}
}

func TestDisabled(t *testing.T) {
	p := param(float32(math.Inf(1)), 1)
	opt := counterOf(p)
	s := amp.NewGradScaler(amp.ScalerConfig{Disabled: true})
	loss := tensor.Ones()
	if s.Scale(loss) != loss {
		t.Error("Scale did not return its argument")
	}
	s.Unscale(opt)
	s.Unscale(opt)
	if r := s.Step(opt); r.Skipped() || opt.steps != 1 {
		t.Errorf("%v after %d calls of the optimizer, want one call", r, opt.steps)
	}
	s.Step(opt)
	s.Update()
	s.UpdateTo(3)
	if s.LossScale() != 1 || s.Enabled() || len(s.StateDict()) != 0 {
		t.Errorf("scale %g, enabled %v, state %v: want 1, false, empty",
			s.LossScale(), s.Enabled(), s.StateDict())
	}
	if err := s.LoadStateDict(nil); err != nil {
		t.Errorf("loading into a disabled scaler: %v", err)
	}
	if got := s.GrowthFactor(); got != 2 {
		t.Errorf("growth factor %g, want the configured 2", got)
	}
}

func TestLoadStateDict(t *testing.T) {
	good := amp.NewGradScaler(amp.ScalerConfig{}).StateDict()
	change := func(key string, v float64) map[string]float64 {
		d := amp.NewGradScaler(amp.ScalerConfig{}).StateDict()
		d[key] = v
		return d
	}
	missing := change("scale", 1)
	delete(missing, "scale")
	for name, test := range map[string]struct {
		state map[string]float64
		want  amp.Kind
	}{
		"empty":    {nil, amp.EmptyStateDict},
		"missing":  {missing, amp.BadState},
		"scale":    {change("scale", math.Inf(1)), amp.BadState},
		"growth":   {change("growth_factor", 0.5), amp.BadState},
		"backoff":  {change("backoff_factor", 2), amp.BadState},
		"interval": {change("growth_interval", 1.5), amp.BadState},
		"tracker":  {change("_growth_tracker", -1), amp.BadState},
	} {
		t.Run(name, func(t *testing.T) {
			s := amp.NewGradScaler(amp.ScalerConfig{})
			err := s.LoadStateDict(test.state)
			var e *amp.Error
			if !errors.As(err, &e) || e.Kind != test.want {
				t.Errorf("error %v, want kind %q", err, test.want)
			}
			if diff := cmp.Diff(good, s.StateDict()); diff != "" {
				t.Errorf("state changed (-before +after):\n%s", diff)
			}
		})
	}
	want := "load state dict: the state is empty: it was saved by a disabled scaler"
	off := amp.NewGradScaler(amp.ScalerConfig{Disabled: true})
	if err := amp.NewGradScaler(amp.ScalerConfig{}).LoadStateDict(off.StateDict()); err == nil ||
		err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
	never := amp.NewGradScaler(amp.ScalerConfig{NoGrowth: true})
	s := amp.NewGradScaler(amp.ScalerConfig{})
	if err := s.LoadStateDict(never.StateDict()); err != nil || s.GrowthInterval() != 0 {
		t.Errorf("interval %d, error %v: want 0, none", s.GrowthInterval(), err)
	}
}

// Skipping leaves momentum and Adam's step count alone: after a skip the optimizer goes on as if
// the step had never been.
func TestSkipTouchesNothing(t *testing.T) {
	run := func(withOverflow bool) []float64 {
		p := param()
		opt := optim.NewAdam([]*tensor.Tensor{p}, optim.AdamConfig{LR: 0.1, WeightDecay: 0.1})
		s := started(amp.ScalerConfig{InitScale: 1})
		for i := range 4 {
			if i == 2 {
				if !withOverflow {
					continue
				}
				p.SetGrad(tensor.FromFloat32([]float32{float32(math.NaN()), 1}, 2))
			} else {
				scale := float32(s.LossScale())
				p.SetGrad(tensor.FromFloat32([]float32{scale, float32(i) * scale}, 2))
			}
			s.Step(opt)
			s.Update()
		}
		return p.Float64s()
	}
	if diff := cmp.Diff(run(false), run(true)); diff != "" {
		t.Errorf("weights without and with a skipped step differ:\n%s", diff)
	}
}

func TestObserve(t *testing.T) {
	for name, disabled := range map[string]bool{"enabled": false, "disabled": true} {
		t.Run(name, func(t *testing.T) {
			s := amp.NewGradScaler(amp.ScalerConfig{InitScale: 4, GrowthInterval: 1,
				Disabled: disabled})
			var kinds []amp.EventKind
			var last amp.Event
			stop := s.Observe(func(e amp.Event) { kinds, last = append(kinds, e.Kind), e })
			opt := counterOf(param(1, 1))
			for i := range 2 {
				s.Scale(tensor.Ones())
				if i == 1 {
					s.Unscale(opt)
				}
				s.Step(opt)
				s.Update()
			}
			want := []amp.EventKind{
				amp.Scaled, amp.Unscaled, amp.Stepped, amp.Updated,
				amp.Scaled, amp.Unscaled, amp.Stepped, amp.Updated,
			}
			if diff := cmp.Diff(want, kinds); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			scale, next := 8.0, 16.0
			if disabled {
				scale, next = 1, 1
			}
			if last.Scale != scale || last.NewScale != next || last.FoundInf {
				t.Errorf("last event %+v, want scale %g then %g", last, scale, next)
			}
			stop()
			s.Scale(tensor.Ones())
			if len(kinds) != len(want) {
				t.Errorf("%d events after stop, want none", len(kinds)-len(want))
			}
		})
	}
}

func TestScalerString(t *testing.T) {
	for _, c := range []struct {
		config amp.ScalerConfig
		want   string
	}{
		{amp.ScalerConfig{}, "GradScaler(scale 2^16, ×2 every 2000 clean steps, ×0.5 at an overflow)"},
		{amp.ScalerConfig{InitScale: 8, NoGrowth: true},
			"GradScaler(scale 2^3, never grows, ×0.5 at an overflow)"},
		{amp.ScalerConfig{InitScale: 3e6, NoGrowth: true},
			"GradScaler(scale 3000000, never grows, ×0.5 at an overflow)"},
		{amp.ScalerConfig{InitScale: 1 << 20, NoGrowth: true},
			"GradScaler(scale 2^20, never grows, ×0.5 at an overflow)"},
		{amp.ScalerConfig{Disabled: true}, "GradScaler(disabled)"},
	} {
		if got := amp.NewGradScaler(c.config).String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
