//go:build cuda

package cuda

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"halfnote/tensor/internal/device"
)

// A stepped is a parameter with what belongs to it.
type stepped struct {
	value, grad pair
	kept        []pair
	steps       *pair
}

func (s *stepped) on(gpu bool, step int) device.Parameter {
	p := device.Parameter{Value: s.value.on(gpu), Grad: s.grad.on(gpu), Step: step, First: step == 1}
	for i, k := range s.kept {
		if k.host != nil {
			p.Kept[i] = k.on(gpu)
		}
	}
	if s.steps != nil {
		p.Steps = s.steps.on(gpu)
	}
	return p
}

// steppedParams returns parameters of all types, also mixed, in all layouts, more than a launch takes.
// Of what is kept only those are there that used says.
func steppedParams(t *testing.T, r *rand.Rand, counted bool, used ...bool) (all []*stepped) {
	for i := range maxParams + 12 {
		d := floatDTypes[i%4]
		other := d
		if i%3 == 2 { // as float32 state of a 16-bit parameter
			other = floatDTypes[i/4%4]
		}
		shape := [][]int{{}, {7}, {3, 5}, {0, 3}, {2, 3, 4}, {301}}[i%6]
		if i%20 == 19 {
			shape = []int{2, stepPiece + 10*i + i%2}
		}
		layout := 0
		if i%5 > 2 {
			layout = i / 4
		}
		s := &stepped{value: random(t, r, d, layout, false, shape...), grad: random(t, r, other, layout, i%7 == 0, shape...)}
		for _, u := range used {
			var k pair
			if u {
				k = blank(t, other, layout+i%2, shape...)
			}
			s.kept = append(s.kept, k)
		}
		if counted {
			steps := blank(t, device.Int64, 0, 2)
			s.steps = &steps
		}
		all = append(all, s)
	}
	return all
}

// testSteps does five steps on both devices, of which the second is skipped where they are counted on
// the device.
func testSteps(t *testing.T, what string, used []bool,
	step func(b device.Backend, ps []device.Parameter, skip *device.Array)) {
	r := numbers(t.Name())
	for _, counted := range []bool{false, true} {
		all := steppedParams(t, r, counted, used...)
		for n := 1; n <= 5; n++ {
			skip := filled(t, device.Float32, 0, []float64{float64(n / 2 % 2 * (n % 2))})
			if n == 2 && counted {
				skip = filled(t, device.Float32, 0, []float64{1})
			}
			both(t, func(b device.Backend, gpu bool) {
				var ps []device.Parameter
				for _, s := range all {
					ps = append(ps, s.on(gpu, n))
				}
				if counted {
					step(b, ps, skip.on(gpu))
				} else {
					step(b, ps, nil)
				}
			})
			for i, s := range all {
				where := fmt.Sprintf("%s, step %d (counted %v) of parameter %d", what, n, counted, i)
				s.value.agree(t, 0, 0, "%s", where)
				for k, p := range s.kept {
					if p.host != nil {
						p.agree(t, 0, 0, "%s, kept %d", where, k)
					}
				}
				if counted {
					s.steps.agree(t, 0, 0, "%s, steps", where)
				}
			}
			if t.Failed() {
				return
			}
		}
	}
}

func TestCUDASGDStep(t *testing.T) {
	for _, s := range []device.SGD{
		{LR: 0.1}, {LR: 0.1, WeightDecay: 0.01, Maximize: true}, {LR: 0.1, Momentum: 0.9},
		{LR: 0.05, Momentum: 0.9, Dampening: 0.3, WeightDecay: 0.1},
		{LR: 0.1, Momentum: 0.8, Nesterov: true, WeightDecay: 0.01},
	} {
		testSteps(t, fmt.Sprintf("%+v", s), []bool{s.Momentum != 0}, func(b device.Backend, ps []device.Parameter, skip *device.Array) {
			b.SGDStep(ps, s, skip)
		})
	}
}

func TestCUDAAdamStep(t *testing.T) {
	for i, a := range []device.Adam{
		{LR: 0.1, Betas: [2]float64{0.9, 0.999}, Eps: 1e-8},
		{LR: 0.1, Betas: [2]float64{0.3, 0.9}, Eps: 1e-3, WeightDecay: 0.1, Maximize: true},
		{LR: 0.01, Betas: [2]float64{0.9, 0.99}, Eps: 1e-8, WeightDecay: 0.1, Decoupled: true},
	} {
		testSteps(t, fmt.Sprintf("%+v", a), []bool{true, true, i > 0}, func(b device.Backend, ps []device.Parameter, skip *device.Array) {
			b.AdamStep(ps, a, skip)
		})
	}
}

func TestCUDARMSpropStep(t *testing.T) {
	for i, s := range []device.RMSprop{
		{LR: 0.1, Keep: 0.99, Add: 0.01, Eps: 1e-8},
		{LR: 0.1, Keep: 1, Add: 1, Eps: 1e-10, Decay: 0.1, WeightDecay: 0.1, Maximize: true},
		{LR: 0.1, Keep: 0.9, Add: 0.1, Eps: 1e-8, Momentum: 0.9},
		{LR: 0.1, Keep: 0.9, Add: 0.1, Eps: 1e-2, Momentum: 0.9, WeightDecay: 0.1},
	} {
		testSteps(t, fmt.Sprintf("%+v", s), []bool{true, i > 1, s.Momentum != 0}, func(b device.Backend, ps []device.Parameter, skip *device.Array) {
			b.RMSpropStep(ps, s, skip)
		})
	}
}
