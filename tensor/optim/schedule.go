package optim

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"halfnote/tensor"
)

// A Curve is a learning rate over time: the rate at a step, counted from 0, of a group whose base
// rate is base. The configs of the schedules are curves, so that they can be nested, drawn and
// tried out without an optimizer; any type with this method is one.
type Curve interface {
	LR(base float64, step int) float64
}

// A StepResult tells whether an optimizer's step was left out. *amp.StepResult is one.
type StepResult interface{ Skipped() bool }

// Schedule sets the learning rates of an optimizer's groups along a [Curve].
//
// The base rate of a group is the one it has when the schedule is made; the schedule sets the rates
// for step 0 at once. Each rate is computed from the base rate and the number of steps alone, so
// that a resumed run has the same rates, bit for bit; a rate set by hand holds until the next step.
type Schedule struct {
	opt    Optimizer
	curves []Curve   // one for all groups, or one for each
	base   []float64 // of each group
	step   int
}

// NewSchedule returns a schedule of opt along curve, or with more than one curve along one for each
// group. It panics with a [*tensor.Error] if a curve's options are out of their range, or the
// number of curves is neither 1 nor that of the groups.
func NewSchedule(opt Optimizer, curves ...Curve) *Schedule {
	if opt == nil {
		failSchedule("the optimizer is nil")
	}
	s := &Schedule{opt: opt, curves: curves, base: opt.LRs()}
	if len(curves) != 1 && len(curves) != len(s.base) {
		failSchedule("%d curves for %d groups: give one for all or one for each",
			len(curves), len(s.base))
	}
	for _, c := range curves {
		if err := checkCurve(c); err != nil {
			failSchedule("%v", err)
		}
	}
	s.set(0)
	return s
}

// Step goes one step on and sets the optimizer's learning rates. Call it after the optimizer's own
// Step: each time, or once per epoch, whichever the curve counts.
func (s *Schedule) Step() {
	s.set(s.step + 1)
}

// set goes to a step.
func (s *Schedule) set(step int) {
	s.step = step
	s.opt.SetLRs(s.At(step)...)
	for i := range s.base {
		setMomentum(s.opt, i, s.curve(i), step)
	}
}

// StepAfter goes one step on unless the optimizer's step was skipped, so that the rates of a
// warm-up are not used up by steps that a GradScaler left out:
//
//	sched.StepAfter(scaler.Step(opt))
//
// It waits for the device where the result lies there.
func (s *Schedule) StepAfter(result StepResult) {
	checkResult("schedule", result)
	if !result.Skipped() {
		s.Step()
	}
}

// checkResult panics where StepAfter or UpdateAfter, called by op, got nil for a result.
func checkResult(op string, result StepResult) {
	if v := reflect.ValueOf(result); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		panic(&tensor.Error{Op: op,
			Msg: "the result of the step is nil: give what the scaler's Step returned"})
	}
}

// Steps returns how many steps were made.
func (s *Schedule) Steps() int { return s.step }

// LRs returns the learning rates of the groups as they are now.
func (s *Schedule) LRs() []float64 { return s.opt.LRs() }

// At returns what the learning rates of the groups are after so many steps.
func (s *Schedule) At(step int) []float64 {
	lrs := make([]float64, len(s.base))
	for i, base := range s.base {
		lrs[i] = s.curve(i).LR(base, step)
	}
	return lrs
}

func (s *Schedule) curve(group int) Curve {
	if len(s.curves) == 1 {
		return s.curves[0]
	}
	return s.curves[group]
}

// StateDict returns the number of steps ("step") and the groups' base rates ("base_lrs"). The
// curve is not in it: make the schedule with the same one.
func (s *Schedule) StateDict() map[string]*tensor.Tensor {
	return map[string]*tensor.Tensor{
		"step": tensor.New(int64(s.step)), "base_lrs": tensor.New(slices.Clone(s.base)),
	}
}

// LoadStateDict takes what StateDict returned and sets the optimizer's learning rates. After an
// error nothing has changed.
func (s *Schedule) LoadStateDict(state map[string]*tensor.Tensor) error {
	step, err := loadCount(state, "step")
	if err != nil {
		return fmt.Errorf("schedule: load state dict: %w", err)
	}
	base, err := loadRates(state, "base_lrs", len(s.base))
	if err != nil {
		return fmt.Errorf("schedule: load state dict: %w", err)
	}
	s.base = base
	s.set(step)
	return nil
}

// String shows the curve, the number of steps and the rates:
// "StepLR{StepSize: 3, Gamma: 0.1}, step 4: LR 0.05".
func (s *Schedule) String() string {
	var names []string
	for _, c := range s.curves {
		names = append(names, curveName(c))
	}
	return fmt.Sprintf("%s, step %d: LR %s", strings.Join(names, " + "), s.step, rates(s.LRs()))
}

// rates writes one number for equal rates, and otherwise all.
func rates(lrs []float64) string {
	if len(slices.Compact(slices.Clone(lrs))) == 1 {
		return fmt.Sprintf("%.6g", lrs[0])
	}
	return fmt.Sprintf("%.6g", lrs)
}

// curveName writes a curve's options that are not zero: "StepLR{StepSize: 3, Gamma: 0.1}".
func curveName(c Curve) string {
	v := reflect.Indirect(reflect.ValueOf(c))
	if v.Kind() != reflect.Struct {
		return v.Type().Name()
	}
	var options []string
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		if value.IsZero() || !field.IsExported() {
			continue
		}
		text := fmt.Sprint(value)
		switch inner := value.Interface().(type) {
		case Curve:
			text = curveName(inner)
		case []Curve:
			var names []string
			for _, c := range inner {
				names = append(names, curveName(c))
			}
			text = "[" + strings.Join(names, " ") + "]"
		}
		if value.Kind() == reflect.Func {
			text = "func"
		}
		options = append(options, field.Name+": "+text)
	}
	name := strings.TrimSuffix(v.Type().Name(), "Config")
	return name + "{" + strings.Join(options, ", ") + "}"
}

// checkCurve returns the first option of c that is out of its range.
func checkCurve(c Curve) error {
	if c == nil {
		return fmt.Errorf("the curve is nil")
	}
	if c, ok := c.(interface{ check() error }); ok {
		return c.check()
	}
	return nil
}

func failSchedule(format string, args ...any) {
	panic(&tensor.Error{Op: "schedule", Msg: fmt.Sprintf(format, args...)})
}

// loadCount returns a whole number from 0 out of a state dict.
func loadCount(state map[string]*tensor.Tensor, name string) (int, error) {
	t := state[name]
	if t == nil {
		return 0, fmt.Errorf("%s is missing", name)
	}
	if t.Numel() != 1 || t.Int64s()[0] < 0 || t.Float64s()[0] != float64(t.Int64s()[0]) {
		return 0, fmt.Errorf("%s is %v: must be one whole number from 0", name, t.Float64s())
	}
	return int(t.Int64s()[0]), nil
}

// loadRates returns n finite numbers that are not negative out of a state dict.
func loadRates(state map[string]*tensor.Tensor, name string, n int) ([]float64, error) {
	t := state[name]
	if t == nil {
		return nil, fmt.Errorf("%s is missing", name)
	}
	if t.Numel() != n {
		return nil, fmt.Errorf("%s has %d values for %d groups", name, t.Numel(), n)
	}
	lrs := t.Float64s()
	for _, lr := range lrs {
		if err := notNegative(name, lr); err != nil {
			return nil, err
		}
	}
	return lrs, nil
}
