package optim

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// sgd returns an optimizer with a group for each rate.
func sgd(lrs ...float64) *SGD {
	opt := NewSGD([]*tensor.Tensor{param(1)}, SGDConfig{LR: lrs[0], Momentum: 0.9})
	for _, lr := range lrs[1:] {
		opt.AddGroup([]*tensor.Tensor{param(1)}, SGDConfig{LR: lr, Momentum: 0.9})
	}
	return opt
}

// argument finds a number or list of numbers by its keyword, or by its place, in the text of a
// scheduler's constructor.
func argument(t *testing.T, text, keyword string) (numbers []float64) {
	t.Helper()
	inner := text[strings.Index(text, "(")+1 : len(text)-1]
	if i := strings.Index(inner, keyword+"="); keyword != "" && i >= 0 {
		inner = inner[i+len(keyword)+1:]
		if end := strings.IndexAny(inner, ","); end >= 0 && inner[0] != '[' {
			inner = inner[:end]
		}
	}
	for _, n := range regexp.MustCompile(`[-+.0-9e]+`).FindAllString(inner, -1) {
		v, err := strconv.ParseFloat(n, 64)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		numbers = append(numbers, v)
	}
	return numbers
}

// curveOf reads the name of a case in lr_sched.json, the text of the constructor; what it leaves
// out is in the file's note.
func curveOf(t *testing.T, text, note string) Curve {
	t.Helper()
	kind, _, _ := strings.Cut(text, "(")
	switch kind {
	case "StepLR":
		return StepLRConfig{StepSize: int(argument(t, text, "step_size")[0]),
			Gamma: argument(t, text, "gamma")[0]}
	case "ExponentialLR":
		return ExponentialLRConfig{Gamma: argument(t, text, "gamma")[0]}
	case "CosineAnnealingLR":
		return CosineLRConfig{TMax: int(argument(t, text, "T_max")[0]),
			EtaMin: argument(t, text, "eta_min")[0]}
	case "LinearLR":
		var c LinearLRConfig
		_, options, _ := strings.Cut(note, "LinearLR is ")
		if _, err := fmt.Sscanf(options, "start %g, end %g, %d iters",
			&c.StartFactor, &c.EndFactor, &c.TotalIters); err != nil {
			t.Fatalf("%s: %v", note, err)
		}
		return c
	case "MultiStepLR":
		numbers := argument(t, text, "")
		c := MultiStepLRConfig{Gamma: numbers[len(numbers)-1]}
		for _, n := range numbers[:len(numbers)-1] {
			c.Milestones = append(c.Milestones, int(n))
		}
		return c
	}
	t.Fatalf("no curve for %s", text)
	return nil
}

func TestReferenceSchedules(t *testing.T) {
	var file struct {
		Note  string
		Cases []struct {
			Name   string
			BaseLR float64 `json:"base_lr"`
			LR     []float64
		}
	}
	reference.Load(t, "lr_sched.json", &file)
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			opt := sgd(c.BaseLR)
			s := NewSchedule(opt, curveOf(t, c.Name, file.Note))
			for step, want := range c.LR {
				if got := opt.LR(); math.Abs(got-want) > 1e-12*want+1e-15 {
					t.Errorf("step %d: LR %v, want %v", step, got, want)
				}
				s.Step()
			}
		})
	}
}

// moreSchedules are the cases of lr_more.json.
var moreSchedules = map[string]func(opt Optimizer) func(metric float64){
	"OneCycle": curved(OneCycleConfig{MaxLR: 0.5, TotalSteps: 14}),
	"OneCycle_linear3": curved(OneCycleConfig{MaxLR: 0.5, TotalSteps: 14, PctStart: 0.4,
		Linear: true, DivFactor: 10, FinalDivFactor: 100, ThreePhase: true}),
	"CosineWarmRestarts": curved(CosineWarmRestartsConfig{T0: 3, TMult: 2, EtaMin: 0.01}),
	"Polynomial":         curved(PolynomialLRConfig{TotalIters: 6, Power: 2}),
	"Linear":             curved(LinearLRConfig{StartFactor: 0.1, EndFactor: 0.8, TotalIters: 4}),
	"Plateau": func(opt Optimizer) func(float64) {
		return NewPlateau(opt, PlateauConfig{Factor: 0.5, Patience: 1, Cooldown: 1,
			MinLR: 0.05}).Step
	},
	"Plateau_max_abs": func(opt Optimizer) func(float64) {
		return NewPlateau(opt, PlateauConfig{Max: true, Absolute: true, Threshold: 0.01,
			Patience: 2}).Step
	},
}

func curved(c Curve) func(opt Optimizer) func(metric float64) {
	return func(opt Optimizer) func(float64) {
		s := NewSchedule(opt, c)
		return func(float64) { s.Step() }
	}
}

func TestReferenceMoreSchedules(t *testing.T) {
	var file struct {
		Cases []struct {
			Name    string
			BaseLR  float64 `json:"base_lr"`
			Metrics []float64
			LR      []float64
		}
	}
	reference.Load(t, "lr_more.json", &file)
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			opt := sgd(c.BaseLR)
			step := moreSchedules[c.Name](opt)
			for i, want := range c.LR {
				if got := opt.LR(); math.Abs(got-want) > 1e-12*want+1e-15 {
					t.Errorf("step %d: LR %v, want %v", i, got, want)
				}
				metric := 0.0
				if i < len(c.Metrics) {
					metric = c.Metrics[i]
				}
				step(metric)
			}
		})
	}
}

// TestCurves has values of PyTorch's documentation or formulas.
func TestCurves(t *testing.T) {
	tests := []struct {
		curve Curve
		want  []float64
	}{
		{StepLRConfig{StepSize: 2}, []float64{1, 1, 0.1, 0.1, 0.01}},
		{MultiStepLRConfig{Milestones: []int{1, 3}}, []float64{1, 0.1, 0.1, 0.01}},
		{CosineWarmRestartsConfig{T0: 2}, []float64{1, 0.5, 1, 0.5, 1}},
		{CosineWarmRestartsConfig{T0: 1, TMult: 2, EtaMin: 0.5},
			[]float64{1, 1, 0.75, 1, 0.926776695296637, 0.75, 0.573223304703363, 1}},
		{LinearLRConfig{}, []float64{1. / 3, 7. / 15, 0.6, 11. / 15, 13. / 15, 1, 1}},
		{PolynomialLRConfig{TotalIters: 4, Power: 2}, []float64{1, 0.5625, 0.25, 0.0625, 0, 0}},
		{LambdaLRConfig{Lambda: func(step int) float64 { return float64(step) }},
			[]float64{0, 1, 2}},
		{WarmupConfig{TotalIters: 4}, []float64{0.25, 0.4375, 0.625, 0.8125, 1, 1}},
		{WarmupConfig{TotalIters: 2, StartFactor: 0.5, Then: StepLRConfig{StepSize: 1}},
			[]float64{0.5, 0.75, 1, 0.1, 0.01}},
		{SequentialLRConfig{Milestones: []int{2, 3}, Curves: []Curve{
			ExponentialLRConfig{Gamma: 0.5}, LinearLRConfig{}, StepLRConfig{StepSize: 1}}},
			[]float64{1, 0.5, 1. / 3, 1, 0.1}},
		{ChainedLRConfig{Curves: []Curve{
			ExponentialLRConfig{Gamma: 0.5}, StepLRConfig{StepSize: 2}}},
			[]float64{1, 0.5, 0.025, 0.0125}},
		// PyTorch's OneCycleLR: ends of the phases at 0.3·10-1 = 2 and 9.
		{OneCycleConfig{TotalSteps: 10}, []float64{0.04, 0.52, 1, 0.9504846320134737,
			0.8117456539497631, 0.6112620219362892, 0.38874197806371078, 0.18825834605023689,
			0.04951936798652631, 4e-6, 4e-6}},
		{OneCycleConfig{TotalSteps: 10, Linear: true, DivFactor: 2, FinalDivFactor: 4, MaxLR: 2},
			[]float64{1, 1.5, 2, 1.75, 1.5, 1.25, 1, 0.75, 0.5, 0.25}},
		{OneCycleConfig{TotalSteps: 10, Linear: true, ThreePhase: true, DivFactor: 2,
			FinalDivFactor: 5, PctStart: 0.3}, []float64{0.5, 0.75, 1, 0.75, 0.5, 0.42, 0.34, 0.26,
			0.18, 0.1}},
	}
	for i, test := range tests {
		t.Run(fmt.Sprintf("%d_%T", i, test.curve), func(t *testing.T) {
			for step, want := range test.want {
				if got := test.curve.LR(1, step); math.Abs(got-want) > 1e-5 {
					t.Errorf("step %d: got %v, want %v", step, got, want)
				}
			}
		})
	}
}

// result is what a GradScaler's Step returns.
type result bool

func (r result) Skipped() bool { return bool(r) }

func TestStepAfter(t *testing.T) {
	opt := sgd(1)
	s := NewWarmup(opt, WarmupConfig{TotalIters: 4})
	var lrs []float64
	for _, skipped := range []bool{true, true, false, true, false} {
		s.StepAfter(result(skipped))
		lrs = append(lrs, opt.LR())
	}
	if diff := cmp.Diff([]float64{0.25, 0.25, 0.4375, 0.4375, 0.625}, lrs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s.Steps() != 2 {
		t.Errorf("%d steps, want 2", s.Steps())
	}
}

func TestScheduleGroups(t *testing.T) {
	opt := sgd(1, 0.5)
	s := NewExponentialLR(opt, ExponentialLRConfig{Gamma: 0.5})
	s.Step()
	if diff := cmp.Diff([]float64{0.5, 0.25}, opt.LRs()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s = NewSchedule(opt, PolynomialLRConfig{TotalIters: 2}, StepLRConfig{StepSize: 2})
	s.Step()
	if diff := cmp.Diff([]float64{0.25, 0.25}, s.LRs()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := "PolynomialLR{TotalIters: 2} + StepLR{StepSize: 2}, step 1: LR 0.25"
	if got := s.String(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if diff := cmp.Diff([]float64{0, 0.025}, s.At(2)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOneCycleMomentum(t *testing.T) {
	opt := sgd(1)
	adam := NewAdam([]*tensor.Tensor{param(1)}, AdamConfig{LR: 1})
	for _, opt := range []Optimizer{opt, adam} {
		s := NewOneCycle(opt, OneCycleConfig{TotalSteps: 10, Linear: true, CycleMomentum: true})
		s.Step()
		s.Step()
		s.Step()
	}
	want := 0.85 + 0.1/7
	for _, got := range []float64{opt.Group(0).Momentum, adam.Group(0).Betas[0]} {
		if math.Abs(got-want) > 1e-15 {
			t.Errorf("momentum %v, want %v", got, want)
		}
	}
	got := reference.Mistake(func() {
		opt := NewAdagrad([]*tensor.Tensor{param(1)}, AdagradConfig{LR: 1})
		NewOneCycle(opt, OneCycleConfig{TotalSteps: 10, CycleMomentum: true})
	})
	if want := "schedule: CycleMomentum: *optim.Adagrad has no momentum to move"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPlateau(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		name   string
		config PlateauConfig
		metric []float64
		want   []float64 // the rate after each
	}{
		{"patience", PlateauConfig{Patience: 1, Factor: 0.5}, []float64{2, 1, 1, 1, 1, 1},
			[]float64{1, 1, 1, 0.5, 0.5, 0.25}},
		{"no_patience", PlateauConfig{Patience: -1}, []float64{2, 2, 1.9999, 1.9},
			[]float64{1, 0.1, 0.01, 0.01}},
		{"default", PlateauConfig{}, make([]float64, 13),
			[]float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0.1, 0.1}},
		{"max", PlateauConfig{Max: true, Patience: -1, Threshold: 0.1},
			[]float64{1, 1.05, 1.2}, []float64{1, 0.1, 0.1}},
		{"absolute", PlateauConfig{Absolute: true, Patience: -1, Threshold: 0.5},
			[]float64{10, 9.6, 9.4}, []float64{1, 0.1, 0.1}},
		{"absolute_max", PlateauConfig{Absolute: true, Max: true, Patience: -1, Threshold: 0.5},
			[]float64{10, 10.4, 10.6}, []float64{1, 0.1, 0.1}},
		{"cooldown", PlateauConfig{Patience: -1, Cooldown: 2, Factor: 0.5},
			[]float64{1, 1, 1, 1, 1}, []float64{1, 0.5, 0.5, 0.5, 0.25}},
		{"min", PlateauConfig{Patience: -1, MinLR: 0.05}, []float64{1, 1, 1, 1},
			[]float64{1, 0.1, 0.05, 0.05}},
		{"nan", PlateauConfig{Patience: -1}, []float64{nan, 1, nan}, []float64{0.1, 0.1, 0.01}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			opt := sgd(1)
			p := NewPlateau(opt, test.config)
			for i, metric := range test.metric {
				p.Step(metric)
				if got := opt.LR(); math.Abs(got-test.want[i]) > 1e-15 {
					t.Errorf("step %d: LR %v, want %v", i, got, test.want[i])
				}
			}
		})
	}
}

// TestScheduleStateDict resumes in the middle, and goes on to the same rates, bit for bit.
func TestScheduleStateDict(t *testing.T) {
	curve := WarmupConfig{TotalIters: 3, Then: CosineLRConfig{TMax: 7, EtaMin: 0.01}}
	opt := sgd(0.3, 0.7)
	s := NewSchedule(opt, curve)
	for range 5 {
		s.Step()
	}
	opt2 := sgd(0.1, 0.1)
	s2 := NewSchedule(opt2, curve)
	if err := s2.LoadStateDict(s.StateDict()); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if diff := cmp.Diff(opt.LRs(), opt2.LRs()); diff != "" {
			t.Errorf("step %d (-want +got):\n%s", s.Steps(), diff)
		}
		s.Step()
		s2.Step()
	}

	plateau := NewPlateau(opt, PlateauConfig{Patience: 2})
	plateau.Step(1)
	plateau.Step(2)
	plateau2 := NewPlateau(opt2, PlateauConfig{Patience: 2})
	if err := plateau2.LoadStateDict(plateau.StateDict()); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		plateau.Step(1)
		plateau2.Step(1)
		if diff := cmp.Diff(opt.LRs(), opt2.LRs()); diff != "" {
			t.Errorf("plateau (-want +got):\n%s", diff)
		}
	}
	if diff := cmp.Diff(values(plateau.StateDict()), values(plateau2.StateDict())); diff != "" {
		t.Errorf("plateau (-want +got):\n%s", diff)
	}
}

func TestScheduleLoadErrors(t *testing.T) {
	opt := sgd(1)
	s, p := NewStepLR(opt, StepLRConfig{StepSize: 1}), NewPlateau(opt, PlateauConfig{})
	with := func(good map[string]*tensor.Tensor, name string, t *tensor.Tensor,
	) map[string]*tensor.Tensor {
		if good[name] = t; t == nil {
			delete(good, name)
		}
		return good
	}
	tests := []struct {
		want string
		err  error
	}{
		{"schedule: load state dict: step is missing",
			s.LoadStateDict(with(s.StateDict(), "step", nil))},
		{"schedule: load state dict: step is [1.5]: must be one whole number from 0",
			s.LoadStateDict(with(s.StateDict(), "step", tensor.New(1.5)))},
		{"schedule: load state dict: base_lrs has 2 values for 1 groups",
			s.LoadStateDict(with(s.StateDict(), "base_lrs", tensor.Ones(2)))},
		{"schedule: load state dict: base_lrs NaN: must be finite and not negative",
			s.LoadStateDict(with(s.StateDict(), "base_lrs", tensor.New([]float64{math.NaN()})))},
		{"plateau: load state dict: num_bad_epochs is [-1]: must be one whole number from 0",
			p.LoadStateDict(with(p.StateDict(), "num_bad_epochs", tensor.New(-1.0)))},
		{"plateau: load state dict: lrs is missing",
			p.LoadStateDict(with(p.StateDict(), "lrs", nil))},
		{"plateau: load state dict: best must be there and one number",
			p.LoadStateDict(with(p.StateDict(), "best", nil))},
	}
	for _, test := range tests {
		if test.err == nil || test.err.Error() != test.want {
			t.Errorf("got %v, want %s", test.err, test.want)
		}
	}
	if s.Steps() != 0 || opt.LR() != 1 {
		t.Errorf("a refused state moved the schedule to step %d, LR %v", s.Steps(), opt.LR())
	}
}

func TestScheduleErrors(t *testing.T) {
	make := func(c ...Curve) func() { return func() { NewSchedule(sgd(1), c...) } }
	tests := []struct {
		want string
		f    func()
	}{
		{"schedule: 0 curves for 1 groups: give one for all or one for each", make()},
		{"schedule: the curve is nil", make(nil)},
		{"schedule: StepSize 0: must be at least 1", make(StepLRConfig{})},
		{"schedule: Gamma -1: must be finite and not negative",
			make(StepLRConfig{StepSize: 1, Gamma: -1})},
		{"schedule: Gamma 0: must be given and above 0", make(ExponentialLRConfig{})},
		{"schedule: Milestones [3 2]: must rise from 0 or more",
			make(MultiStepLRConfig{Milestones: []int{3, 2}})},
		{"schedule: Milestones [2 2]: must rise from 0 or more",
			make(MultiStepLRConfig{Milestones: []int{2, 2}})},
		{"schedule: TMax 0: must be at least 1", make(CosineLRConfig{})},
		{"schedule: TMult -1: must be at least 1", make(CosineWarmRestartsConfig{T0: 1, TMult: -1})},
		{"schedule: no Lambda: it is a function of the step", make(LambdaLRConfig{})},
		{"schedule: TMax 0: must be at least 1",
			make(WarmupConfig{TotalIters: 1, Then: CosineLRConfig{}})},
		{"schedule: curve 1: TMax 0: must be at least 1",
			make(ChainedLRConfig{Curves: []Curve{StepLRConfig{StepSize: 1}, CosineLRConfig{}}})},
		{"schedule: 0 milestones between 2 curves: give one fewer than curves",
			make(SequentialLRConfig{Curves: []Curve{nil, nil}})},
		{"schedule: PctStart 2: must be above 0 and below 1",
			make(OneCycleConfig{TotalSteps: 10, PctStart: 2})},
		{"schedule: PctStart 0.3 of TotalSteps 3: leaves a part of the cycle without steps",
			make(OneCycleConfig{TotalSteps: 3})},
		{"schedule: PctStart 0.6 of TotalSteps 10: leaves a part of the cycle without steps",
			make(OneCycleConfig{TotalSteps: 10, ThreePhase: true, PctStart: 0.6})},
		{"sgd: LR -1: must be finite and not negative",
			make(LambdaLRConfig{Lambda: func(int) float64 { return -1 }})},
		{"sgd: 2 learning rates for 1 groups: give one for each",
			func() { sgd(1).SetLRs(1, 2) }},
		{"schedule: Factor 1: must be above 0 and below 1",
			func() { NewPlateau(sgd(1), PlateauConfig{Factor: 1}) }},
		{"schedule: Cooldown -1: must be at least 0",
			func() { NewPlateau(sgd(1), PlateauConfig{Cooldown: -1}) }},
		{"schedule: MinLR -1: must be finite and not negative",
			func() { NewPlateau(sgd(1), PlateauConfig{MinLR: -1}) }},
	}
	for _, test := range tests {
		if got := reference.Mistake(test.f); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
