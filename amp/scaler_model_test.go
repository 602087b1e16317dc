package amp_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfnote/amp"
	"halfnote/tensor"
)

// This file holds the scaler against a small model of the rules, by random calls in any order.

// scalerModel is the rules in the fewest words: PyTorch's, with the differences that the comment of
// GradScaler lists.
type scalerModel struct {
	scale             float32
	growth, backoff   float64
	interval, tracker int
	low, high         float32
	hysteresis, row   int
	disabled, begun   bool

	grads   [3][]float32 // of each optimizer's own parameter; nil: none
	shared  []float32    // of the parameter that optimizers 1 and 2 share
	owner   int          // who unscaled it, or -1
	stage   [3]int
	checked [3]bool
	found   [3]bool
	steps   [3]int
}

// gradients returns where optimizer k's are.
func (m *scalerModel) gradients(k int) [][]float32 {
	all := [][]float32{m.grads[k]}
	if k > 0 {
		all = append(all, m.shared)
	}
	return slices.DeleteFunc(all, func(g []float32) bool { return g == nil })
}

func (m *scalerModel) check(k int) amp.Kind {
	if k > 0 && m.shared != nil && m.owner >= 0 && m.owner != k {
		return amp.SharedParameter
	}
	m.checked[k], m.found[k] = false, false
	inverse := float32(1 / float64(m.scale))
	for _, g := range m.gradients(k) {
		m.checked[k] = true
		for i, v := range g {
			g[i] = v * inverse
			m.found[k] = m.found[k] || g[i]-g[i] != 0 // inf or NaN
		}
	}
	if k > 0 && m.shared != nil {
		m.owner = k
	}
	m.stage[k] = 1
	return ""
}

func (m *scalerModel) unscale(k int) amp.Kind {
	switch {
	case m.disabled:
		return ""
	case !m.begun:
		return amp.NotInitialized
	case m.stage[k] == 1:
		return amp.AlreadyUnscaled
	case m.stage[k] == 2:
		return amp.UnscaleAfterStep
	}
	return m.check(k)
}

func (m *scalerModel) step(k int) amp.Kind {
	begun := m.stage[k]
	switch {
	case m.disabled:
		m.steps[k]++
		return ""
	case !m.begun:
		return amp.NotInitialized
	case begun == 2:
		return amp.AlreadyStepped
	case begun == 0:
		if kind := m.check(k); kind != "" {
			return kind
		}
	}
	if !m.checked[k] {
		m.stage[k] = begun
		if len(m.gradients(k)) > 0 {
			return amp.NoInfChecksOptimizer
		}
		return ""
	}
	if !m.found[k] {
		m.steps[k]++
	}
	m.stage[k] = 2
	return ""
}

func (m *scalerModel) update() amp.Kind {
	switch {
	case m.disabled:
		return ""
	case !m.begun:
		return amp.NotInitialized
	case !slices.Contains(m.checked[:], true):
		return amp.NoInfChecksUpdate
	case slices.Contains(m.found[:], true):
		m.tracker = 0
		if m.row++; m.row >= m.hysteresis {
			m.scale = max(m.low, float32(float64(m.scale)*m.backoff))
		}
	default:
		m.row = 0
		if m.tracker++; m.tracker == m.interval {
			m.tracker = 0
			if grown := float32(float64(m.scale) * m.growth); grown <= m.high {
				m.scale = grown
			}
		}
	}
	m.reset()
	return ""
}

func (m *scalerModel) reset() {
	m.stage, m.checked, m.found, m.owner = [3]int{}, [3]bool{}, [3]bool{}, -1
}

// pair is the model, the scaler, and the parameters of the latter's optimizers.
type pair struct {
	*scalerModel
	scaler *amp.GradScaler
	params [4]*tensor.Tensor // the last is shared
	opts   [3]*counter
}

func pick[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

func newPair(r *rand.Rand) *pair {
	cfg := amp.ScalerConfig{InitScale: pick(r, 65536, 1, 3.7, 1e-30, 0x1p-126, 3e38),
		GrowthFactor: pick(r, 2, 1.0001, 1e6), BackoffFactor: pick(r, 0.5, 0.1, 0.999),
		GrowthInterval: pick(r, 1, 2, 3), Hysteresis: pick(r, 1, 1, 2, 3),
		Disabled: r.IntN(10) == 0}
	m := &scalerModel{scale: float32(cfg.InitScale), growth: cfg.GrowthFactor,
		backoff: cfg.BackoffFactor, interval: cfg.GrowthInterval, low: 0x1p-126,
		high: math.MaxFloat32, hysteresis: cfg.Hysteresis, disabled: cfg.Disabled, owner: -1}
	if r.IntN(3) == 0 {
		cfg.MinScale, cfg.MaxScale = cfg.InitScale/3, min(cfg.InitScale*5, math.MaxFloat32)
		cfg.MinScale = max(cfg.MinScale, 0x1p-126)
		m.low, m.high = float32(cfg.MinScale), float32(cfg.MaxScale)
	}
	if r.IntN(6) == 0 {
		cfg.NoGrowth, m.interval = true, 0
	}
	p := &pair{scalerModel: m, scaler: amp.NewGradScaler(cfg)}
	for i := range p.params {
		p.params[i] = param()
	}
	p.opts = [3]*counter{counterOf(p.params[0]), counterOf(p.params[1], p.params[3]),
		counterOf(p.params[3], p.params[2])}
	return p
}

// call makes one random call and returns its name, and what the scaler and the model say of it.
func (p *pair) call(t *testing.T, r *rand.Rand) (name string, got, want amp.Kind) {
	k := r.IntN(3)
	switch n := r.IntN(32); {
	case n < 4:
		v := pick(r, 1.0, -2.5, 0)
		factor := 1.0
		if !p.disabled {
			p.begun, factor = true, float64(p.scale)
		}
		loss := tensor.Full(v)
		if out := p.scaler.Scale(loss).Item(); out != float64(float32(v*factor)) {
			t.Errorf("Scale(%g) = %g, want %g", v, out, v*factor)
		}
		return "scale", "", ""
	case n < 12:
		i := r.IntN(4)
		var g []float32
		if r.IntN(5) > 0 {
			g = []float32{pick(r, 1, -3.5, float32(math.NaN()), 0x1p120),
				pick(r, 0.1, 8, float32(math.Inf(-1)), p.scale, p.scale)}
		}
		p.params[i].SetGrad(nil)
		if g != nil {
			p.params[i].SetGrad(tensor.FromFloat32(slices.Clone(g), 2))
		}
		if i == 3 {
			p.shared = g
		} else {
			p.grads[i] = g
		}
		return fmt.Sprint("grad ", i), "", ""
	case n < 16:
		got = failure(t, func() { p.scaler.Unscale(p.opts[k]) })
		return fmt.Sprint("unscale ", k), got, p.unscale(k)
	case n < 22:
		got = failure(t, func() { p.scaler.Step(p.opts[k]) })
		return fmt.Sprint("step ", k), got, p.step(k)
	case n < 28:
		return "update", failure(t, p.scaler.Update), p.update()
	case n == 28:
		to := float32(pick(r, 0.5, 1e20)) * p.scale
		got = failure(t, func() { p.scaler.UpdateTo(float64(to)) })
		switch {
		case p.disabled:
		case !p.begun:
			want = amp.NotInitialized
		case !(to >= p.low && to <= p.high):
			want = amp.BadConfig
		default:
			p.scale = to
			p.reset()
		}
		return "update to", got, want
	case n == 29:
		p.scaler.Reset()
		p.reset()
		return "reset", "", ""
	case n == 30:
		interval := 1 + r.IntN(3)
		p.scaler.SetGrowthInterval(interval)
		p.interval = interval
		return "set", "", ""
	}
	p.save(t)
	return "save", "", ""
}

// save writes the scaler and reads it again, where no iteration is begun.
func (p *pair) save(t *testing.T) {
	if p.disabled {
		if err := p.scaler.LoadStateDict(p.scaler.StateDict()); err != nil {
			t.Error(err)
		}
		return
	}
	if p.stage != [3]int{} {
		return
	}
	data, err := json.Marshal(p.scaler)
	if err == nil {
		err = json.Unmarshal(data, p.scaler)
	}
	if err != nil {
		t.Error(err)
	}
	p.begun = false
}

func TestScalerModel(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := newPair(r)
		var calls []string
		for range 80 {
			name, got, want := p.call(t, r)
			calls = append(calls, name)
			if got != want {
				t.Fatalf("seed %d, %v: kind %q, want %q", seed, calls, got, want)
			}
			p.compare(t, seed, calls)
		}
	}
}

func (p *pair) compare(t *testing.T, seed uint64, calls []string) {
	t.Helper()
	scale := float64(p.scale)
	if p.disabled {
		scale = 1
	}
	if got := p.scaler.LossScale(); got != scale || p.scaler.GrowthTracker() != p.tracker {
		t.Fatalf("seed %d, %v: scale %g, tracker %d: want %g, %d", seed, calls, got,
			p.scaler.GrowthTracker(), scale, p.tracker)
	}
	for k, opt := range p.opts {
		if opt.steps != p.steps[k] {
			t.Fatalf("seed %d, %v: optimizer %d stepped %d times, want %d", seed, calls, k,
				opt.steps, p.steps[k])
		}
	}
	for i, want := range [][]float32{p.grads[0], p.grads[1], p.grads[2], p.shared} {
		if want == nil {
			continue
		}
		for j, got := range p.params[i].Grad().Float32s() {
			if got != want[j] && (got == got || want[j] == want[j]) {
				t.Fatalf("seed %d, %v: gradient %d is %v, want %v", seed, calls, i,
					p.params[i].Grad(), want)
			}
		}
	}
}
