package amp_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/optim"
)

// This file holds one test for each rule of GradScaler that is easily got wrong.

var infinity = float32(math.Inf(1))

// iterate does an iteration with the gradients given: Step and Update.
func iterate(s *amp.GradScaler, grad ...float32) {
	s.Scale(tensor.Ones())
	s.Step(counterOf(param(grad...)))
	s.Update()
}

// Rule 1: Unscale multiplies by the inverse rounded to float32, it does not divide.
func TestRuleUnscaleMultiplies(t *testing.T) {
	const scale = 49 // 7·(1/49) and 7/49 differ in float32
	p := param(scale, 7)
	s := started(amp.ScalerConfig{InitScale: scale})
	s.Unscale(counterOf(p))
	inv := float32(1.0 / scale)
	want := []float32{scale * inv, 7 * inv}
	if got := p.Grad().Float32s(); !cmp.Equal(got, want) || want[1] == float32(7)/scale {
		t.Errorf("gradient %v, want %v, which division would not give", got, want)
	}
	double := tensor.New([]float64{1, 1}).SetRequiresGrad(true)
	double.SetGrad(tensor.New([]float64{scale, 1}))
	s.Reset()
	s.Unscale(counterOf(double))
	if got, want := double.Grad().Float64s()[0], scale*float64(inv); got != want {
		t.Errorf("float64 gradient %v, want %v: the inverse is float32 there too", got, want)
	}
}

// Rule 2: the check looks at scaled values; all gradients are unscaled even when an inf is found,
// those behind it too.
func TestRuleUnscalesWhenFound(t *testing.T) {
	first, second, third := param(8, 16), param(infinity, 8), param(24, 32)
	opt := counterOf(first, second, third)
	s := started(amp.ScalerConfig{InitScale: 8})
	s.Unscale(opt)
	for i, want := range [][]float32{{1, 2}, {infinity, 1}, {3, 4}} {
		if got := opt.params[i].Grad().Float32s(); !cmp.Equal(got, want) {
			t.Errorf("gradient %d: %v, want %v", i, got, want)
		}
	}
	// What becomes finite behind the check does not undo it.
	second.Grad().ClampInPlace(-1, 1)
	if !s.Step(opt).Skipped() || opt.steps != 0 {
		t.Error("stepped although an inf was found before clipping")
	}
}

// Rule 3: Update counts optimizers that were only unscaled, and backs off once for all.
func TestRuleOneBackoff(t *testing.T) {
	s := started(amp.ScalerConfig{InitScale: 64})
	a, b, c := counterOf(param(infinity, 1)), counterOf(param(infinity, 1)), counterOf(param(1, 1))
	s.Unscale(a) // and no Step
	s.Step(b)
	s.Step(c)
	s.Update()
	if s.LossScale() != 32 || a.steps+b.steps != 0 || c.steps != 1 {
		t.Errorf("scale %g, steps %d %d %d: want 32, 0 0 1",
			s.LossScale(), a.steps, b.steps, c.steps)
	}
	s.Scale(tensor.Ones())
	s.Unscale(a)
	s.Update()
	if s.LossScale() != 16 {
		t.Errorf("scale %g behind an Unscale without Step, want 16", s.LossScale())
	}
}

// Rule 4: the tracker is compared for equality, a new scale leaves it alone, and without growth it
// goes on counting.
func TestRuleTracker(t *testing.T) {
	s := amp.NewGradScaler(amp.ScalerConfig{InitScale: 8, GrowthInterval: 100})
	for range 3 {
		iterate(s, 1, 1)
	}
	s.SetGrowthInterval(2)
	for range 4 {
		iterate(s, 1, 1)
	}
	if s.LossScale() != 8 || s.GrowthTracker() != 7 {
		t.Errorf("scale %g, tracker %d: want 8, 7: the interval was passed", s.LossScale(),
			s.GrowthTracker())
	}
	s.Scale(tensor.Ones())
	s.Step(counterOf(param(infinity, 1)))
	s.UpdateTo(4)
	if s.LossScale() != 4 || s.GrowthTracker() != 7 {
		t.Errorf("scale %g, tracker %d: want 4, 7 as what was found is dropped", s.LossScale(),
			s.GrowthTracker())
	}
	iterate(s, infinity, 1)
	iterate(s, 1, 1)
	iterate(s, 1, 1)
	if s.LossScale() != 4 || s.GrowthTracker() != 0 {
		t.Errorf("scale %g, tracker %d: want 4, 0 two clean steps behind an overflow",
			s.LossScale(), s.GrowthTracker())
	}
	never := amp.NewGradScaler(amp.ScalerConfig{InitScale: 8, NoGrowth: true})
	for range 3 {
		iterate(never, 1, 1)
	}
	if never.LossScale() != 8 || never.GrowthTracker() != 3 {
		t.Errorf("without growth: scale %g, tracker %d, want 8, 3", never.LossScale(),
			never.GrowthTracker())
	}
}

// A growth past the largest float32 is not made, and the tracker starts again.
func TestRuleGrowthStaysFinite(t *testing.T) {
	s := amp.NewGradScaler(amp.ScalerConfig{InitScale: 0x1p127, GrowthInterval: 2})
	iterate(s, 1, 1)
	iterate(s, 1, 1)
	if s.LossScale() != 0x1p127 || s.GrowthTracker() != 0 {
		t.Errorf("scale %g, tracker %d: want 2^127, 0", s.LossScale(), s.GrowthTracker())
	}
}

// Rule 5: a skipped step advances nothing in the optimizer, and its result keeps a schedule from
// advancing.
func TestRuleSkipAdvancesNothing(t *testing.T) {
	p := param(infinity, 1)
	opt := optim.NewAdamW([]*tensor.Tensor{p}, optim.AdamWConfig{LR: 0.1, WeightDecay: 0.5})
	s := started(amp.ScalerConfig{})
	scheduled := 0
	if !s.Step(opt).Skipped() {
		scheduled++
	}
	s.Update()
	if got := p.Float32s(); got[0] != 1 || got[1] != 1 || scheduled != 0 {
		t.Errorf("weights %v, schedule at %d: want [1 1], 0", got, scheduled)
	}
	for key := range opt.StateDict() {
		if key == "0.step" || key == "0.exp_avg" {
			t.Errorf("the optimizer keeps %s after a skipped step", key)
		}
	}
}

// Rule 6: that the scale went down does not tell that this optimizer skipped.
func TestRuleScaleTellsNoSkip(t *testing.T) {
	s := started(amp.ScalerConfig{InitScale: 8})
	clean, bad := counterOf(param(1, 1)), counterOf(param(infinity, 1))
	results := []bool{s.Step(clean).Skipped(), s.Step(bad).Skipped()}
	before := s.LossScale()
	s.Update()
	if !(s.LossScale() < before) || !slices.Equal(results, []bool{false, true}) {
		t.Errorf("scale %g then %g, skipped %v: want a lower one, [false true]", before,
			s.LossScale(), results)
	}
	s.Scale(tensor.Ones())
	skipped := s.Step(bad).Skipped()
	s.UpdateTo(64)
	if !skipped || s.LossScale() != 64 {
		t.Errorf("skipped %v, scale %g: want true, 64, which is higher", skipped, s.LossScale())
	}
}

// Rule 7: a fresh scaler skips its first steps until the gradients fit.
func TestRuleFirstStepsSkip(t *testing.T) {
	w := tensor.Ones(1, 1).SetRequiresGrad(true)
	opt := optim.NewSGD([]*tensor.Tensor{w}, optim.SGDConfig{LR: 1e-4})
	s := amp.NewGradScaler(amp.ScalerConfig{})
	var skipped []bool
	for range 4 {
		opt.ZeroGrad()
		var loss *tensor.Tensor
		amp.Autocast(func() {
			loss = tensor.Linear(tensor.Full(2, 1, 1), w, nil).To(tensor.Float32).Mul(1.5).Sum()
		})
		s.Scale(loss).Backward()
		skipped = append(skipped, s.Step(opt).Skipped())
		s.Update()
	}
	// 65536·1.5 is more than float16 holds, 32768·1.5·2 too, and 16384·3 is not.
	if want := []bool{true, true, false, false}; !slices.Equal(skipped, want) {
		t.Errorf("skipped %v, want %v", skipped, want)
	}
}

// Rule 8: an optimizer whose parameters have no gradient is a skipped step in a loop of several.
func TestRuleNoGradients(t *testing.T) {
	s := started(amp.ScalerConfig{InitScale: 8, GrowthInterval: 1})
	with, without := counterOf(param(1, 1)), counterOf(param())
	for _, opt := range []*counter{without, with} {
		if r := s.Step(opt); r.Skipped() != (opt == without) {
			t.Errorf("%v", r)
		}
	}
	s.Update()
	if s.LossScale() != 16 {
		t.Errorf("scale %g, want 16: what one optimizer lacks does not count", s.LossScale())
	}
	s.Scale(tensor.Ones())
	s.Unscale(without)
	if r := s.Step(without); r.Reason() != amp.NoGradients {
		t.Errorf("behind Unscale: %v, want no gradients", r)
	}
	if got := failure(t, s.Update); got != amp.NoInfChecksUpdate {
		t.Errorf("Update without any check: kind %q, want %q", got, amp.NoInfChecksUpdate)
	}
	s.Step(with) // and the iteration can be ended
	s.Update()
}

// An optimizer must be one that can be recognized at the next call.
func TestBadOptimizers(t *testing.T) {
	for _, disabled := range []bool{false, true} {
		s := started(amp.ScalerConfig{Disabled: disabled})
		for _, opt := range []amp.Optimizer{nil, valueOptimizer{}} {
			for name, f := range map[string]func(){
				"unscale": func() { s.Unscale(opt) },
				"step":    func() { s.Step(opt) },
			} {
				if got := failure(t, f); got != amp.BadOptimizer {
					t.Errorf("%s of %T: kind %q, want %q", name, opt, got, amp.BadOptimizer)
				}
			}
		}
	}
}

// valueOptimizer is no pointer, and holds a slice, so that it equals nothing.
type valueOptimizer struct{ params []*tensor.Tensor }

func (valueOptimizer) Step()                      {}
func (v valueOptimizer) Params() []*tensor.Tensor { return v.params }

// Limits that are not float32 values are rounded as the scale is, so that it can sit at them.
func TestLimitsAreRounded(t *testing.T) {
	for _, cfg := range []amp.ScalerConfig{
		{InitScale: 0.7, MinScale: 0.7}, {InitScale: 0.1, MaxScale: 0.1},
	} {
		s := started(cfg)
		s.Step(counterOf(param(float32(math.NaN()), 1)))
		s.Update()
		if err := s.LoadStateDict(s.StateDict()); err != nil {
			t.Errorf("%+v: %v", cfg, err)
		}
		data, err := s.MarshalJSON()
		if err == nil {
			err = amp.NewGradScaler(amp.ScalerConfig{}).UnmarshalJSON(data)
		}
		if err != nil {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
}

// A step without gradients records nothing: the optimizer steps when they have come.
func TestNoGradientsYet(t *testing.T) {
	s := started(amp.ScalerConfig{InitScale: 8})
	p := param()
	opt := counterOf(p)
	if r := s.Step(opt); r.Reason() != amp.NoGradients {
		t.Fatalf("%v, want no gradients", r)
	}
	p.SetGrad(tensor.Full(8, 2))
	if r := s.Step(opt); r.Skipped() || opt.steps != 1 || p.Grad().Float32s()[0] != 1 {
		t.Errorf("%v, %d steps, gradient %v: want one step by 1", r, opt.steps, p.Grad())
	}
	s.Update()
}

// Rule 9: errors change nothing, and an iteration that is given up is ended by Reset.
func TestRuleErrorsAndReset(t *testing.T) {
	s := amp.NewGradScaler(amp.ScalerConfig{InitScale: 8, GrowthInterval: 2})
	iterate(s, 1, 1)
	p := param(8, 8)
	opt := counterOf(p)
	s.Scale(tensor.Ones())
	s.Unscale(opt)
	state := s.StateDict()
	if got := failure(t, func() { s.Unscale(opt) }); got != amp.AlreadyUnscaled {
		t.Errorf("kind %q, want %q", got, amp.AlreadyUnscaled)
	}
	if got := p.Grad().Float32s(); got[0] != 1 {
		t.Errorf("gradient %v, want it unscaled once", got)
	}
	// The batch is dropped by hand: without Reset the next Unscale fails.
	s.Reset()
	p.SetGrad(tensor.Full(16, 2))
	s.Unscale(opt)
	if got := p.Grad().Float32s(); got[0] != 2 {
		t.Errorf("gradient %v, want [2 2]", got)
	}
	if diff := cmp.Diff(state, s.StateDict()); diff != "" {
		t.Errorf("state changed by an error and Reset (-before +after):\n%s", diff)
	}
}

// The scale cannot leave the smallest one: kept, an error, or what the caller wants.
func TestCollapse(t *testing.T) {
	calls := 0
	cfg := amp.ScalerConfig{InitScale: 4, MinScale: 2, Hysteresis: 2,
		OnCollapse: func(s *amp.GradScaler) {
			calls++
			if s.LossScale() != 2 {
				t.Errorf("called at scale %g, want 2", s.LossScale())
			}
		}}
	s := amp.NewGradScaler(cfg)
	var got []int
	for range 4 {
		iterate(s, infinity, 1)
		got = append(got, calls)
	}
	if want := []int{0, 0, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("calls %v, want %v: the first waits, the second backs off", got, want)
	}

	s = amp.NewGradScaler(amp.ScalerConfig{InitScale: 2, MinScale: 2,
		OnCollapse: amp.PanicOnCollapse})
	want := "update: the gradients overflow at the smallest scale, 2: the loss or the weights are " +
		"inf or NaN by themselves; look at the first skipped step"
	if got := mistake(t, func() { iterate(s, infinity, 1) }); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	iterate(s, 1, 1) // the failed Update is complete

	s = amp.NewGradScaler(amp.ScalerConfig{InitScale: 2, MinScale: 2})
	iterate(s, infinity, 1)
	if s.LossScale() != 2 {
		t.Errorf("scale %g, want it kept at 2", s.LossScale())
	}
}

func TestScaleAll(t *testing.T) {
	losses := []*tensor.Tensor{tensor.Full(1), tensor.Full(2)}
	items := func(ts []*tensor.Tensor) (v []float64) {
		for _, t := range ts {
			v = append(v, t.Item())
		}
		return v
	}
	s := amp.NewGradScaler(amp.ScalerConfig{InitScale: 8})
	noted := 0
	s.Observe(func(amp.Event) { noted++ })
	if got := items(s.ScaleAll(losses)); !slices.Equal(got, []float64{8, 16}) || noted != 2 {
		t.Errorf("%v, %d noted: want [8 16], 2", got, noted)
	}
	lazy := s.ScaleSeq(slices.Values(losses))
	if noted != 2 {
		t.Error("ScaleSeq scales before it is asked")
	}
	s.Step(counterOf(param(1, 1)))
	s.UpdateTo(4)
	noted = 0
	for loss := range lazy {
		if got := loss.Item(); got != 4 {
			t.Errorf("first loss %g, want 4 by the scale of now", got)
		}
		break
	}
	if noted != 1 {
		t.Errorf("%d losses noted, want the one taken", noted)
	}

	fresh := amp.NewGradScaler(amp.ScalerConfig{})
	failure(t, func() { fresh.ScaleAll([]*tensor.Tensor{tensor.Ones(), nil}) })
	if got := failure(t, fresh.Update); got != amp.NotInitialized {
		t.Errorf("kind %q behind a ScaleAll that failed, want %q", got, amp.NotInitialized)
	}
	off := amp.NewGradScaler(amp.ScalerConfig{Disabled: true})
	if got := off.ScaleAll(losses); &got[0] != &losses[0] {
		t.Error("a disabled scaler does not return its argument")
	}
}

// Gradients in bfloat16 and float64 are unscaled in their own dtype.
func TestGradientDTypes(t *testing.T) {
	for _, dtype := range []tensor.DType{tensor.BFloat16, tensor.Float64, tensor.Float32} {
		p := tensor.Ones(2).To(dtype).SetRequiresGrad(true)
		p.SetGrad(tensor.FromFloat32([]float32{8, 12}, 2).To(dtype))
		s := started(amp.ScalerConfig{InitScale: 8})
		opt := counterOf(p)
		if r := s.Step(opt); r.Skipped() {
			t.Errorf("%v: %v", dtype, r)
		}
		if got := p.Grad(); got.DType() != dtype || !cmp.Equal(got.Float64s(), []float64{1, 1.5}) {
			t.Errorf("%v: gradient %v %v, want [1 1.5]", dtype, got.DType(), got.Float64s())
		}
		s.Update()
		p.SetGrad(tensor.FromFloat32([]float32{1, infinity}, 2).To(dtype))
		s.Scale(tensor.Ones())
		if r := s.Step(opt); !r.Skipped() || r.Infs() != 1 {
			t.Errorf("%v with inf: %v, want skipped", dtype, r)
		}
	}
}

// fused is plain gradient descent, LR 1, that unscales and skips by itself.
type fused struct {
	params []*tensor.Tensor
	calls  int
	scaled bool // whether the last call had to unscale
}

func (f *fused) Params() []*tensor.Tensor { return f.params }

func (f *fused) Step() { panic("Step of an optimizer that scales by itself") }

func (f *fused) StepScaled(scale, foundInf *tensor.Tensor) {
	f.calls++
	f.scaled = scale != nil
	inv := 1.0
	if f.scaled {
		inv = 1 / scale.Item()
	}
	if foundInf.Item() != 0 {
		return
	}
	tensor.NoGrad(func() {
		for _, p := range f.params {
			p.AddScaledInPlace(p.Grad(), -inv)
		}
	})
}

func TestSelfScaling(t *testing.T) {
	p := param(8, -8)
	opt := &fused{params: []*tensor.Tensor{p}}
	s := started(amp.ScalerConfig{InitScale: 8})
	if r := s.Step(opt); r.Skipped() || !opt.scaled {
		t.Errorf("%v, scale given %v: want stepped, true", r, opt.scaled)
	}
	if got := p.Float32s(); got[0] != 0 || got[1] != 2 {
		t.Errorf("weights %v, want [0 2]", got)
	}
	if got := p.Grad().Float32s(); got[0] != 8 {
		t.Errorf("gradient %v, want it still scaled", got)
	}
	s.Update()

	s.Scale(tensor.Ones())
	p.SetGrad(tensor.Full(8, 2))
	s.Unscale(opt)
	s.Step(opt)
	if got := p.Float32s(); got[0] != -1 || got[1] != 1 || opt.scaled {
		t.Errorf("behind Unscale: weights %v, scale given %v: want [-1 1], false", got, opt.scaled)
	}
	s.Update()

	s.Scale(tensor.Ones())
	p.SetGrad(tensor.FromFloat32([]float32{infinity, 1}, 2))
	r := s.Step(opt)
	if got := p.Float32s(); !r.Skipped() || opt.calls != 3 || got[1] != 1 {
		t.Errorf("%v after %d calls, weights %v: want skipped, 3, [-1 1]", r, opt.calls, got)
	}
	if got := failure(t, func() { s.Step(opt) }); got != amp.AlreadyStepped {
		t.Errorf("kind %q, want %q", got, amp.AlreadyStepped)
	}
	s.Update()
	if s.LossScale() != 4 {
		t.Errorf("scale %g, want 4", s.LossScale())
	}
}

// Gradients that stay scaled may be float16; Unscale refuses them for such an optimizer too.
func TestSelfScalingFloat16(t *testing.T) {
	p := tensor.Ones(2).To(tensor.Float16).SetRequiresGrad(true)
	p.SetGrad(tensor.FromFloat32([]float32{8, -8}, 2).To(tensor.Float16))
	opt := &fused{params: []*tensor.Tensor{p}}
	s := started(amp.ScalerConfig{InitScale: 8})
	if got := failure(t, func() { s.Unscale(opt) }); got != amp.Float16Gradient {
		t.Errorf("kind %q, want %q", got, amp.Float16Gradient)
	}
	if r := s.Step(opt); r.Skipped() || p.Float32s()[1] != 2 {
		t.Errorf("%v, weights %v: want stepped, [0 2]", r, p.Float32s())
	}
}

func TestScalerJSON(t *testing.T) {
	s := amp.NewGradScaler(amp.ScalerConfig{InitScale: 32, GrowthInterval: 3, MinScale: 2,
		MaxScale: 1024, Hysteresis: 2})
	iterate(s, infinity, 1)
	iterate(s, 1, 1)
	data, err := s.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	back := amp.NewGradScaler(amp.ScalerConfig{})
	if err := back.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	if got := failure(t, back.Update); got != amp.NotInitialized {
		t.Errorf("kind %q, want %q: a scaler that was read has scaled nothing", got,
			amp.NotInitialized)
	}
	for range 2 {
		for _, g := range []float32{1, infinity, infinity, 1} {
			iterate(s, g, 1)
			iterate(back, g, 1)
		}
	}
	if diff := cmp.Diff(s.StateDict(), back.StateDict()); diff != "" {
		t.Errorf("the two go different ways:\n%s", diff)
	}

	s.Scale(tensor.Ones())
	s.Unscale(counterOf(param(1, 1)))
	want := "marshal: an optimizer was unscaled or has stepped since the last Update: write the " +
		"scaler behind Update"
	if _, err := s.MarshalJSON(); err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
	for _, bad := range []string{`{`, `{}`, `{"scale": -1}`,
		`{"scale":8,"growth_factor":2,"backoff_factor":2,"growth_interval":3,"min_scale":1,` +
			`"max_scale":9,"hysteresis":1}`,
		`{"scale":8,"growth_factor":2,"backoff_factor":0.5,"growth_interval":3,"min_scale":1,` +
			`"max_scale":9,"hysteresis":1,"growth_tracker":-1}`} {
		before := back.StateDict()
		if err := back.UnmarshalJSON([]byte(bad)); err == nil {
			t.Errorf("%s: no error", bad)
		}
		if diff := cmp.Diff(before, back.StateDict()); diff != "" {
			t.Errorf("%s: the scaler changed:\n%s", bad, diff)
		}
	}
}

// The setters change what the next updates do.
func TestSetters(t *testing.T) {
	s := amp.NewGradScaler(amp.ScalerConfig{InitScale: 8})
	s.SetGrowthFactor(4)
	s.SetBackoffFactor(0.25)
	s.SetGrowthInterval(1)
	iterate(s, 1, 1)
	grown := s.LossScale()
	iterate(s, infinity, 1)
	if grown != 32 || s.LossScale() != 8 {
		t.Errorf("scale %g then %g, want 32 then 8", grown, s.LossScale())
	}
	if s.GrowthFactor() != 4 || s.BackoffFactor() != 0.25 || s.GrowthInterval() != 1 {
		t.Errorf("%g, %g, %d: want 4, 0.25, 1", s.GrowthFactor(), s.BackoffFactor(),
			s.GrowthInterval())
	}
}
