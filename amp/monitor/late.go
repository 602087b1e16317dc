package monitor

import (
	"math"

	"halfnote/amp"
	"halfnote/internal/many"
	"halfnote/internal/own"
	"halfnote/tensor"
)

// This file implements the recording of training on a GPU, which never waits for it: what a step leaves
// behind stays there until somebody looks, and is then read for all steps at once.

// lateStep is a step whose numbers are on a device.
type lateStep struct {
	at      int            // in the monitor's steps
	numbers *tensor.Tensor // of lateLen
	losses  bool           // there were some
}

// What the numbers of a step are, in float64.
const (
	lateLoss = iota
	lateScale
	lateFound
	lateSkipped
	lateStats                              // of the gradients, with the scale in them
	lateLifted = lateStats + many.StatsLen // of the gradients out of float16's reach
	lateLen    = lateLifted + many.StatsLen
)

// lateIteration gathers sums on a device, which are nil at first.
type lateIteration struct{ stats, lifted, skipped *tensor.Tensor }

func (m *Monitor) observeLate(e amp.Event) {
	on, l := e.OnDevice, &m.open.late
	tensor.NoGrad(func() {
		tensor.WithCastState(nil, func() {
			switch e.Kind {
			case amp.Unscaled:
				m.measureLate(e)
			case amp.Stepped:
				if m.watches(e.Optimizer) && on.FoundInf != nil {
					l.skipped = plus(l.skipped, number64(on.FoundInf))
				}
			case amp.Updated:
				m.closeLate(on)
				return
			case amp.Dropped:
				m.open = iteration{}
			}
			found := *l
			m.repeat(func() { m.open.late = found })
		})
	})
}

// number64 returns t as a float64 vector of one.
func number64(t *tensor.Tensor) *tensor.Tensor { return t.To(tensor.Float64).Reshape(1) }

// plus adds t to a sum that may be nil.
func plus(sum, t *tensor.Tensor) *tensor.Tensor {
	if sum == nil {
		return t
	}
	return sum.Add(t.To(sum.Device()))
}

// measureLate is measure for gradients on a device.
func (m *Monitor) measureLate(e amp.Event) {
	if !m.watches(e.Optimizer) {
		return
	}
	grads := map[tensor.Device][]*tensor.Tensor{}
	for _, p := range e.Optimizer.Params() {
		if g := own.Grad(p); g != nil {
			grads[g.Device()] = append(grads[g.Device()], g)
		}
	}
	l := &m.open.late
	for at, gs := range grads {
		var back any // what puts the scale back
		if !e.StillScaled {
			back = e.OnDevice.Scale.To(at)
		}
		l.stats = plus(l.stats, many.Stats(gs, 1, back).(*tensor.Tensor).Sum(0))
		l.lifted = plus(l.lifted, many.Stats(gs, 0x1p900, nil).(*tensor.Tensor).Sum(0))
	}
}

// closeLate makes the open iteration a step.
func (m *Monitor) closeLate(on *amp.EventTensors) {
	l, scale := &m.open.late, number64(on.Scale)
	none := tensor.ZerosLike(scale)
	rest := []*tensor.Tensor{scale, number64(on.FoundInf), plus(l.skipped, none)}
	for _, stats := range []*tensor.Tensor{l.stats, l.lifted} {
		if stats == nil {
			stats = tensor.ZerosLike(none.Expand(many.StatsLen))
		}
		rest = append(rest, stats.To(none.Device()))
	}
	if m.repeat(func() { m.addLate(none, rest) }) {
		m.open.late = lateIteration{}
	} else {
		m.addLate(none, rest)
	}
}

// repeat has f called after each run of the graph that records the goroutine's ops, and reports whether
// one does.
func (m *Monitor) repeat(f func()) (recorded bool) {
	return nil != many.Recorded(nil, func(done bool) {
		m.mu.Lock()
		defer m.mu.Unlock()
		if done {
			f()
		} else {
			m.open = iteration{}
		}
	})
}

// addLate adds a step whose numbers are read later: the losses of the open iteration, and the rest.
func (m *Monitor) addLate(none *tensor.Tensor, rest []*tensor.Tensor) {
	loss := none
	for _, t := range m.open.losses {
		loss = loss.Add(number64(t.SumAs(tensor.Float64)).To(loss.Device()))
	}
	numbers := tensor.Cat(append([]*tensor.Tensor{loss}, rest...), 0)
	m.late = append(m.late, lateStep{len(m.steps), numbers, len(m.open.losses) > 0})
	m.steps = append(m.steps, Step{})
	m.open = iteration{}
	const most = 4096 // steps, whose numbers take 512 bytes each
	if len(m.late) >= most {
		m.readLate()
	}
}

// readLate reads the numbers of all steps that are still on a device.
func (m *Monitor) readLate() {
	if len(m.late) == 0 {
		return
	}
	var all []*tensor.Tensor
	for _, s := range m.late {
		all = append(all, s.numbers.To(m.late[0].numbers.Device()))
	}
	var values []float64
	tensor.NoGrad(func() { tensor.WithCastState(nil, func() { values = tensor.Cat(all, 0).Float64s() }) })
	for i, s := range m.late {
		v := values[i*lateLen:][:lateLen]
		stats, scale := v[lateStats:], v[lateScale]
		elements, zeros := max(1, stats[many.StatsTotal]), v[lateLifted+many.StatsZeros]
		step := Step{
			Loss: v[lateLoss], Scale: scale, FoundInf: v[lateFound] != 0, Skipped: v[lateSkipped] != 0,
			GradNorm:  math.Sqrt(stats[many.StatsSumSquares] / (scale * scale)),
			Zero:      zeros / elements,
			Subnormal: (stats[many.StatsZeros] + stats[many.StatsSubnormals] - zeros) / elements,
		}
		if !s.losses {
			step.Loss = math.NaN()
		}
		m.steps[s.at] = step
	}
	m.late = nil
}
