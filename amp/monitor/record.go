package monitor

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"halfnote/amp"
	"halfnote/internal/own"
	"halfnote/tensor"
)

// Step is what one iteration of a training loop left behind.
type Step struct {
	Loss     float64 // the sum of all elements of the losses given to Scale; NaN when there was none
	Scale    float64 // the loss scale that the iteration ran with; 1 without a scaler
	FoundInf bool    // a gradient of any optimizer of the scaler was inf or NaN
	Skipped  bool    // so that a watched optimizer did not step
	GradNorm float64 // ‖g‖₂ over all gradients, unscaled and before clipping

	// Zero is the share of gradient elements that are exactly zero. Under autocast a parameter's
	// float32 gradient has come through float16, so what underflowed there is a zero here; so are
	// gradients that are zero by the mathematics (behind a ReLU, of an unused input).
	Zero float64

	// Subnormal is the share whose scaled value lies between zero and 2^-14 in magnitude, where
	// float16 has fewer than 11 bits left: the next to vanish if gradients or the scale go down.
	Subnormal float64
}

// Monitor records the steps of a training loop. Its methods may be called from any goroutine.
type Monitor struct {
	watched []amp.Optimizer // empty: all
	stop    func()

	mu    sync.Mutex
	steps []Step
	late  []lateStep // of the steps at the end, whose numbers are still on a GPU
	open  iteration
}

// iteration gathers what is known of the step that has not ended yet.
type iteration struct {
	losses   []*tensor.Tensor // detached
	elements float64
	zeros    float64
	small    float64 // zeros and subnormals
	squares  float64
	skipped  bool
	late     lateIteration
}

// Watch returns a monitor that records a [Step] at each Update of scaler, for the optimizers given
// or, when none is, for all that the scaler sees. A disabled scaler is recorded too, with scale 1.
// Without a scaler (nil), the loop calls [Monitor.Record].
func Watch(scaler *amp.GradScaler, optimizers ...amp.Optimizer) *Monitor {
	m := &Monitor{watched: optimizers, stop: func() {}}
	if scaler != nil {
		m.stop = scaler.ObserveLate(m.observe)
	}
	return m
}

// Stop ends the recording; what was recorded stays.
func (m *Monitor) Stop() { m.stop() }

// Record adds a step of a loop that has no scaler: call it between Backward and the optimizer's
// Step, with the loss or nil. It reads the gradients of the optimizers given to [Watch].
func (m *Monitor) Record(loss *tensor.Tensor) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.noteLoss(loss)
	for _, opt := range m.watched {
		m.measure(opt, 1, false)
	}
	m.close(1, false)
}

// History returns the steps so far, oldest first.
func (m *Monitor) History() []Step { return slices.Clone(m.snapshot()) }

// ZeroShare returns the mean over all steps of [Step.Zero], 0 before the first.
func (m *Monitor) ZeroShare() float64 { return summarize(m.snapshot()).zero }

// Version returns a number that changes with each step, for views that redraw.
func (m *Monitor) Version() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return uint64(len(m.steps))
}

// String returns the run in one line:
//
//	step 1440: loss 0.131, loss scale 2^17, 3 steps skipped, gradients 2.1% zero, 0.4% subnormal
func (m *Monitor) String() string {
	steps := m.snapshot()
	if len(steps) == 0 {
		return "no step yet"
	}
	s, last := summarize(steps), steps[len(steps)-1]
	scale := number(last.Scale)
	if e, ok := exponent(last.Scale); ok {
		scale = fmt.Sprintf("2^%d", e)
	}
	return fmt.Sprintf("step %d: loss %s, loss scale %s, %d steps skipped, "+
		"gradients %s zero, %s subnormal",
		len(steps), number(last.Loss), scale, s.skipped, percent(s.zero), percent(s.subnormal))
}

func (m *Monitor) observe(e amp.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.OnDevice != nil {
		m.observeLate(e)
		return
	}
	switch e.Kind {
	case amp.Scaled:
		m.noteLoss(e.Loss)
	case amp.Unscaled:
		m.measure(e.Optimizer, e.Scale, e.StillScaled)
	case amp.Stepped:
		if m.watches(e.Optimizer) && e.Result.Reason() == amp.FoundInf {
			m.open.skipped = true
		}
	case amp.Updated:
		m.close(e.Scale, e.FoundInf)
	case amp.Dropped:
		m.open = iteration{}
	}
}

func (m *Monitor) watches(opt amp.Optimizer) bool {
	return len(m.watched) == 0 || slices.Contains(m.watched, opt)
}

func (m *Monitor) noteLoss(loss *tensor.Tensor) {
	if loss == nil {
		return
	}
	loss = loss.Detach()
	if !m.repeat(func() { m.open.losses = append(m.open.losses, loss.Clone()) }) { // another loss each time
		m.open.losses = append(m.open.losses, loss)
	}
}

// measure reads the gradients of opt now, since ZeroGrad and clipping will change them. The scale
// is put back, unless it is still in them, for the question whether float16 held them in full.
func (m *Monitor) measure(opt amp.Optimizer, scale float64, still bool) {
	if !m.watches(opt) {
		return
	}
	var grads []*tensor.Tensor
	for _, p := range opt.Params() {
		if g := own.Grad(p); g != nil {
			grads = append(grads, g)
		}
	}
	back := scale
	if still {
		back = 1
	}
	for _, s := range tensor.Statistics(grads, back) {
		m.open.elements += float64(s.Total)
		m.open.small += float64(s.Zeros + s.Subnormals)
		m.open.squares += s.SumSquares / (scale * scale)
	}
	// Statistics counts as zero what float16 rounds to zero. Lifted out of its reach, all that is
	// left are the gradients that are zero already.
	for _, s := range tensor.Statistics(grads, 0x1p900) {
		m.open.zeros += float64(s.Zeros)
	}
}

// close makes the open iteration a step.
func (m *Monitor) close(scale float64, foundInf bool) {
	loss := math.NaN()
	for i, l := range m.open.losses {
		if i == 0 {
			loss = 0
		}
		for _, v := range l.Float64s() {
			loss += v
		}
	}
	o := &m.open
	elements := max(1, o.elements)
	m.steps = append(m.steps, Step{
		Loss: loss, Scale: scale, FoundInf: foundInf, Skipped: o.skipped,
		GradNorm: math.Sqrt(o.squares),
		Zero:     o.zeros / elements, Subnormal: (o.small - o.zeros) / elements,
	})
	m.open = iteration{}
}

// snapshot returns the steps so far without copying them: steps are only ever appended, and read from
// the GPU before they are given out.
func (m *Monitor) snapshot() []Step {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.readLate()
	return slices.Clip(m.steps)
}

// summary is a run in numbers.
type summary struct {
	skipped         int
	zero, subnormal float64 // means of the steps' shares
}

func summarize(steps []Step) (s summary) {
	for _, step := range steps {
		if step.Skipped {
			s.skipped++
		}
		s.zero += step.Zero
		s.subnormal += step.Subnormal
	}
	if n := float64(len(steps)); n > 0 {
		s.zero /= n
		s.subnormal /= n
	}
	return s
}
