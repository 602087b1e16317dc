package optim

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"halfnote/internal/many"
	"halfnote/tensor"
)

// EMA keeps exponential moving averages of a model's weights, which are often better than the last
// weights themselves. Averages of 16-bit weights are kept in float32.
type EMA struct {
	config   EMAConfig        `nn:"-"`
	params   []*tensor.Tensor `nn:"-"`
	averages []*tensor.Tensor `nn:"-"` // of params, then copies of the buffers
	updates  int
}

// EMAConfig holds the options of [NewEMA].
type EMAConfig struct {
	Decay float64 // d, the weight of what was before; zero means 0.999

	// Warmup lowers d at the first updates to (1 + t)/(10 + t), so that the first, bad weights are
	// soon forgotten.
	Warmup bool
	// BiasCorrection leaves out the weights of before the first update: the average is one of the
	// weights since then alone, each with the share that it would have in an endless run.
	BiasCorrection bool

	Buffers []*tensor.Tensor // tensors to copy at each update, such as running means: nn.Buffers
}

// NewEMA returns averages of params, which are copies of them at first. It panics with a
// [*tensor.Error] if params is empty, holds nil, a non-float or a result of an op, if Decay is not
// between 0 and 1, or if both Warmup and BiasCorrection are set.
func NewEMA(params []*tensor.Tensor, config EMAConfig) *EMA {
	config.Decay = cmp.Or(config.Decay, 0.999)
	config.Buffers = slices.Clone(config.Buffers)
	e := &EMA{config: config, params: slices.Clone(params)}
	fail := func(format string, args ...any) {
		panic(&tensor.Error{Op: "ema", Msg: fmt.Sprintf(format, args...)})
	}
	if err := fraction("Decay", config.Decay); err != nil {
		fail("%v", err)
	}
	if config.Warmup && config.BiasCorrection {
		fail("Warmup and BiasCorrection both move the decay: set one of them")
	}
	if len(params) == 0 {
		fail("no parameters to average")
	}
	for i, p := range e.live() {
		switch {
		case p == nil:
			fail("tensor %d is nil", i)
		case i < len(params) && !p.DType().IsFloat():
			fail("parameter %d is %v: must be a float dtype", i, p.DType())
		case !p.IsLeaf():
			fail("tensor %d is the result of an op: give a leaf (made by New, Zeros, Detach …)", i)
		}
	}
	apart(func() {
		for i, p := range e.live() {
			average := p.Detach().Clone()
			if i < len(params) && p.DType().Size() == 2 {
				average = average.To(tensor.Float32)
			}
			e.averages = append(e.averages, average)
		}
	})
	return e
}

// live returns the parameters and the buffers.
func (e *EMA) live() []*tensor.Tensor { return slices.Concat(e.params, e.config.Buffers) }

// Update takes the weights in: average ← d·average + (1-d)·weight, and copies the buffers. Call it
// after the optimizer's Step.
func (e *EMA) Update() {
	d := e.decay(e.updates + 1)
	by := many.Recorded(func() bool { return e.decay(e.updates+1) == d }, func(done bool) {
		if done {
			e.updates++
		}
	})
	if by == nil {
		e.updates++
	}
	apart(func() {
		for i, p := range e.live() {
			average := e.averages[i].To(p.Device()) // to which nn.To may have moved p
			e.averages[i] = average
			if i >= len(e.params) || d == 0 {
				average.CopyFrom(p)
				continue
			}
			lerp(average, p.Detach(), 1-d)
		}
	})
}

// decay is d at the n-th update.
func (e *EMA) decay(n int) float64 {
	d, t := e.config.Decay, float64(n)
	switch {
	case e.config.Warmup:
		return min(d, (1+t)/(10+t))
	case e.config.BiasCorrection:
		return d * (1 - math.Pow(d, t-1)) / (1 - math.Pow(d, t))
	}
	return d
}

// UpdateAfter is Update unless the optimizer's step was skipped:
//
//	ema.UpdateAfter(scaler.Step(opt))
func (e *EMA) UpdateAfter(result StepResult) {
	checkResult("ema", result)
	if !result.Skipped() {
		e.Update()
	}
}

// Updates returns how often the averages were updated.
func (e *EMA) Updates() int { return e.updates }

// Averages returns copies of the averages, in the order of the parameters.
func (e *EMA) Averages() []*tensor.Tensor {
	all := make([]*tensor.Tensor, len(e.params))
	for i := range all {
		all[i] = e.averages[i].Clone()
	}
	return all
}

// Apply calls f while the model has the averages for weights, to evaluate or to save them, and puts
// the weights and buffers back afterwards, also when f panics. What f changes of them is lost.
//
//	ema.Apply(func() { fmt.Println(nn.Accuracy(model, test)) })
func (e *EMA) Apply(f func()) {
	if f == nil {
		panic(&tensor.Error{Op: "ema", Msg: "the function of Apply is nil"})
	}
	live := e.live()
	saved := make([]*tensor.Tensor, len(live))
	for i, p := range live {
		saved[i] = p.Detach().Clone()
	}
	defer copyAll(live, saved)
	copyAll(live, e.averages)
	f()
}

// CopyTo overwrites the weights and buffers of the model with the averages, at the end of training.
func (e *EMA) CopyTo() { copyAll(e.live(), e.averages) }

func copyAll(to, from []*tensor.Tensor) {
	apart(func() {
		for i, t := range to {
			t.CopyFrom(from[i])
		}
	})
}

// apart calls f outside of autograd and autocast.
func apart(f func()) {
	tensor.NoGrad(func() { tensor.WithCastState(nil, f) })
}

// StateDict returns copies of the averages by number ("0", "1" …, buffers behind the parameters),
// and the number of updates ("updates").
func (e *EMA) StateDict() map[string]*tensor.Tensor {
	state := map[string]*tensor.Tensor{"updates": tensor.New(int64(e.updates))}
	for i, t := range e.averages {
		state[fmt.Sprint(i)] = t.Clone()
	}
	return state
}

// LoadStateDict takes what StateDict of an EMA of the same parameters and buffers returned. After
// an error nothing has changed.
func (e *EMA) LoadStateDict(state map[string]*tensor.Tensor) error {
	updates, err := loadCount(state, "updates")
	if err != nil {
		return fmt.Errorf("ema: load state dict: %w", err)
	}
	if want := len(e.averages) + 1; len(state) != want {
		return fmt.Errorf("ema: load state dict: %d tensors, want %d", len(state), want)
	}
	for i, average := range e.averages {
		switch t := state[fmt.Sprint(i)]; {
		case t == nil:
			return fmt.Errorf("ema: load state dict: %d is missing", i)
		case !slices.Equal(t.Shape(), average.Shape()):
			return fmt.Errorf("ema: load state dict: %d has shape %v, the tensor has %v",
				i, t.Shape(), average.Shape())
		case t.DType().IsFloat() && !average.DType().IsFloat():
			return fmt.Errorf("ema: load state dict: %d is %s, and the tensor %s",
				i, t.DType(), average.DType())
		}
	}
	for i := range e.averages {
		copyAll(e.averages[i:i+1], []*tensor.Tensor{state[fmt.Sprint(i)]})
	}
	e.updates = updates
	return nil
}

// String shows the options that are set and the number of updates:
// "EMA{Decay: 0.999, Warmup: true}, step 12".
func (e *EMA) String() string {
	text := fmt.Sprintf("EMA{Decay: %v", e.config.Decay)
	if e.config.Warmup {
		text += ", Warmup: true"
	}
	if e.config.BiasCorrection {
		text += ", BiasCorrection: true"
	}
	if n := len(e.config.Buffers); n > 0 {
		text += fmt.Sprintf(", Buffers: %d", n)
	}
	return fmt.Sprintf("%s}, step %d", text, e.updates)
}

// lerp moves mean by weight of the way to g. PyTorch's two forms differ in how they round; the way
// itself is not rounded to 16 bits.
func lerp(mean, g *tensor.Tensor, weight float64) {
	if g.DType().Size() == 2 {
		g = g.To(tensor.Float32)
	}
	way := g.Sub(mean)
	if weight >= 0.5 {
		mean.CopyFrom(g)
		weight -= 1
	}
	mean.AddScaledInPlace(way, weight)
}
