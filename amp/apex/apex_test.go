package apex_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/amp"
	"halfnote/amp/apex"
	"halfnote/tensor"
	"halfnote/tensor/dist"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// norm stands for a batch norm: it has running statistics, and computes in float32.
type norm struct {
	Weight *tensor.Tensor `nn:"weight"`
	Mean   *tensor.Tensor `nn:"running_mean"`
}

func (n *norm) Forward(x *tensor.Tensor) *tensor.Tensor {
	return x.To(tensor.Float32).Mul(n.Weight.To(tensor.Float32)).To(x.DType())
}

func (n *norm) RunningStats() (mean, variance *tensor.Tensor) { return n.Mean, n.Mean }

// watch notes the dtype that passes.
type watch struct{ seen tensor.DType }

func (w *watch) Forward(x *tensor.Tensor) *tensor.Tensor {
	w.seen = x.DType()
	return x
}

// setup is a small model under a level.
type setup struct {
	*apex.Amp
	linear *nn.Linear
	norm   *norm
	watch  *watch
	out    strings.Builder
}

func start(config apex.Config) *setup {
	s := &setup{linear: nn.NewLinear(2, 2), watch: &watch{},
		norm: &norm{tensor.Ones(2).SetRequiresGrad(true), tensor.Zeros(2)}}
	tensor.NoGrad(func() {
		s.linear.Weight.FillInPlace(1)
		s.linear.Bias.FillInPlace(0)
	})
	m := nn.NewSequential(s.linear, s.norm, s.watch)
	opt := optim.NewSGD(nn.Parameters(m), optim.SGDConfig{LR: 1})
	if config.Output == nil {
		config.Output = &s.out
	}
	s.Amp = apex.Initialize([]nn.Module{m}, []optim.Optimizer{opt}, config)
	return s
}

// step does a block on the sum of the outputs for ones, times by.
func (s *setup) block(config apex.ScaleLossConfig, by float64) {
	loss := s.Models[0].Forward(tensor.Ones(1, 2)).Sum().Mul(by)
	apex.ScaleLoss(loss, s.Optimizers, config, func(scaled *tensor.Tensor) { scaled.Backward() })
}

// TestLevels goes through a step at each level and compares the dtypes of all that takes part.
func TestLevels(t *testing.T) {
	const f32, f16 = tensor.Float32, tensor.Float16
	for _, test := range []struct {
		config                                    apex.Config
		weight, norm, buffer, inside, grad, owner tensor.DType
		scale                                     float64
	}{
		{apex.Config{OptLevel: apex.O0}, f32, f32, f32, f32, f32, f32, 1},
		{apex.Config{}, f32, f32, f32, f16, f32, f32, 65536},
		{apex.Config{OptLevel: apex.O2}, f16, f32, f32, f16, f16, f32, 65536},
		{apex.Config{OptLevel: apex.O3}, f16, f16, f16, f16, f16, f16, 1},
		{apex.Config{OptLevel: apex.O2, KeepBatchNormFP32: new(bool), LossScale: 128},
			f16, f16, f16, f16, f16, f32, 128},
		{apex.Config{OptLevel: apex.O2, MasterWeights: new(bool), CastModelType: tensor.BFloat16},
			tensor.BFloat16, f32, f32, tensor.BFloat16, tensor.BFloat16, tensor.BFloat16, 65536},
		{apex.Config{OptLevel: apex.O3, LossScale: apex.Dynamic, MaxLossScale: 1024},
			f16, f16, f16, f16, f16, f16, 1024},
		{apex.Config{OptLevel: apex.O2, Disabled: true}, f32, f32, f32, f32, f32, f32, 65536},
	} {
		t.Run(fmt.Sprintf("%+v", test.config.OptLevel), func(t *testing.T) {
			s := start(test.config)
			if got := s.LossScale(0); got != test.scale {
				t.Errorf("loss scale %g, want %g", got, test.scale)
			}
			out := s.Models[0].Forward(tensor.Ones(1, 2))
			if got := out.DType(); got != f32 {
				t.Errorf("the model returns %v, want float32", got)
			}
			s.block(apex.ScaleLossConfig{}, 0x1p-10)
			owner := apex.MasterParams(s.Optimizers[0])[0]
			for what, pair := range map[string][2]tensor.DType{
				"weight":       {s.linear.Weight.DType(), test.weight},
				"norm":         {s.norm.Weight.DType(), test.norm},
				"buffer":       {s.norm.Mean.DType(), test.buffer},
				"inside":       {s.watch.seen, test.inside},
				"gradient":     {s.linear.Weight.Grad().DType(), test.grad},
				"master":       {owner.DType(), test.owner},
				"its gradient": {owner.Grad().DType(), test.owner},
			} {
				if pair[0] != pair[1] {
					t.Errorf("%s is %v, want %v", what, pair[0], pair[1])
				}
			}
			if got := owner.Grad().Float32s()[0]; got != 0x1p-10 {
				t.Errorf("gradient behind the block %g, want it unscaled, 2^-10", got)
			}
			s.Optimizers[0].Step()
			if got := owner.Float32s()[0]; got != 1-0x1p-10 && test.weight != tensor.BFloat16 {
				t.Errorf("weight %v, want 1 - 2^-10", got)
			}
			if got := s.linear.Weight.DType(); got != test.weight {
				t.Errorf("behind the step the weight is %v, want %v", got, test.weight)
			}
		})
	}
}

// Master weights keep what float16 loses: 2^-13 is below half a unit of float16's last place at 1.
func TestMasterWeights(t *testing.T) {
	weights := func(config apex.Config) (model, master float32) {
		s := start(config)
		for range 8 {
			s.Optimizers[0].ZeroGrad()
			s.block(apex.ScaleLossConfig{}, 0x1p-13)
			s.Optimizers[0].Step()
		}
		return s.linear.Weight.Float32s()[0], apex.MasterParams(s.Optimizers[0])[0].Float32s()[0]
	}
	// The layer behind shrinks a little, too, so that the updates are not 8·2^-13 to the last bit.
	model, master := weights(apex.Config{OptLevel: apex.O2, LossScale: 8})
	if off := math.Abs(float64(master) - (1 - 0x1p-10)); model != 1-0x1p-10 || off > 1e-5 {
		t.Errorf("O2: weight %v, master %v: want 1 - 2^-10 and almost so", model, master)
	}
	if model, _ := weights(apex.Config{OptLevel: apex.O3, LossScale: 8}); model != 1 {
		t.Errorf("O3: weight %v, want 1: each update is rounded away", model)
	}
}

// An overflow halves the scale and skips the next step, with a message.
func TestOverflow(t *testing.T) {
	for _, level := range []apex.Level{apex.O1, apex.O2} {
		s := start(apex.Config{OptLevel: level})
		opt := s.Optimizers[0]
		s.block(apex.ScaleLossConfig{}, 1e6)
		opt.Step()
		want := "gradient overflow: step skipped, scale of loss 0 reduced to 32768\n"
		if got := s.out.String(); got != want || !opt.Skipped() || s.LossScale(0) != 32768 {
			t.Errorf("%s: message %q, skipped %v, scale %g: want %q, true, 32768", level, got,
				opt.Skipped(), s.LossScale(0), want)
		}
		if got := s.linear.Weight.Float32s()[0]; got != 1 {
			t.Errorf("%s: weight %v behind a skipped step, want 1", level, got)
		}
		opt.ZeroGrad()
		s.block(apex.ScaleLossConfig{}, 0.5)
		opt.Step()
		if got := s.linear.Weight.Float32s()[0]; got != 0.5 || opt.Skipped() {
			t.Errorf("%s: weight %v, skipped %v: want 0.5, false", level, got, opt.Skipped())
		}
	}
}

// A fixed scale skips nothing: the overflow goes into the weights.
func TestStaticScale(t *testing.T) {
	s := start(apex.Config{OptLevel: apex.O2, LossScale: 1024})
	s.block(apex.ScaleLossConfig{}, 1e6)
	s.Optimizers[0].Step()
	if got := s.linear.Weight.Float32s()[0]; !math.IsInf(float64(got), -1) || s.LossScale(0) != 1024 {
		t.Errorf("weight %v, scale %g: want -Inf, 1024", got, s.LossScale(0))
	}
}

// The scale doubles after 2000 steps in a row, up to the largest, and stays at or above the
// smallest.
func TestDynamicScale(t *testing.T) {
	s := start(apex.Config{MinLossScale: 16384, MaxLossScale: 131072})
	scales := []float64{}
	run := func(n int, by float64) {
		for range n {
			s.Optimizers[0].ZeroGrad()
			s.block(apex.ScaleLossConfig{}, by)
		}
		scales = append(scales, s.LossScale(0))
	}
	run(1999, 0x1p-4)
	run(1, 0x1p-4)
	run(2000, 0x1p-4)
	run(1, 1e9)
	run(4, 1e9)
	if want := []float64{65536, 131072, 131072, 65536, 16384}; !slices.Equal(scales, want) {
		t.Errorf("scales %v, want %v", scales, want)
	}
}

// Gradients of several batches are added up scaled and unscaled once, or unscaled each time: the
// same.
func TestAccumulation(t *testing.T) {
	for _, level := range []apex.Level{apex.O0, apex.O1, apex.O2, apex.O3} {
		for _, delay := range []bool{false, true} {
			s := start(apex.Config{OptLevel: level, LossScale: 64})
			for i := range 3 {
				s.block(apex.ScaleLossConfig{DelayUnscale: delay && i < 2}, 0.25)
				if i == 0 && delay {
					if got := s.linear.Weight.Grad().Float32s()[0]; got != 16 {
						t.Errorf("%s: gradient %v behind a delayed block, want it scaled, 16",
							level, got)
					}
				}
			}
			if got := apex.MasterParams(s.Optimizers[0])[0].Grad().Float32s()[0]; got != 0.75 {
				t.Errorf("%s, delayed %v: gradient %v, want 0.75", level, delay, got)
			}
			s.Optimizers[0].Step()
			if got := s.linear.Weight.Float32s()[0]; got != 0.25 {
				t.Errorf("%s, delayed %v: weight %v, want 0.25", level, delay, got)
			}
		}
	}
}

// Losses have scales of their own, and their gradients meet unscaled.
func TestSeveralLosses(t *testing.T) {
	for _, level := range []apex.Level{apex.O1, apex.O2} {
		s := start(apex.Config{OptLevel: level, NumLosses: 2, Quiet: true})
		s.block(apex.ScaleLossConfig{LossID: 1}, 1e6) // lowers its own scale alone
		s.Optimizers[0].Step()
		s.Optimizers[0].ZeroGrad()
		s.block(apex.ScaleLossConfig{}, 0.25)
		s.block(apex.ScaleLossConfig{LossID: 1}, 0.5)
		want := map[string]float64{
			"loss_scaler0.loss_scale": 65536, "loss_scaler0.unskipped": 1,
			"loss_scaler1.loss_scale": 32768, "loss_scaler1.unskipped": 1,
		}
		if diff := cmp.Diff(want, s.StateDict()); diff != "" {
			t.Errorf("%s: state (-want +got):\n%s", level, diff)
		}
		if got := apex.MasterParams(s.Optimizers[0])[0].Grad().Float32s()[0]; got != 0.75 {
			t.Errorf("%s: gradient %v, want 0.75", level, got)
		}
	}
}

// The decision on an overflow can be left to a later block.
func TestDelayOverflowCheck(t *testing.T) {
	s := start(apex.Config{Quiet: true})
	s.block(apex.ScaleLossConfig{DelayOverflowCheck: true}, 1e6)
	if got := s.LossScale(0); got != 65536 {
		t.Errorf("scale %g before the check, want 65536", got)
	}
	s.block(apex.ScaleLossConfig{}, 0.25)
	s.Optimizers[0].Step()
	if !s.Optimizers[0].Skipped() || s.LossScale(0) != 32768 {
		t.Errorf("skipped %v, scale %g: want true, 32768", s.Optimizers[0].Skipped(), s.LossScale(0))
	}
}

// A run that is saved and resumed goes on bit for bit, master weights included.
func TestResume(t *testing.T) {
	train := func(s *setup, steps int) {
		for i := range steps {
			s.Optimizers[0].ZeroGrad()
			s.block(apex.ScaleLossConfig{}, 0.001*float64(i+1))
			s.Optimizers[0].Step()
		}
	}
	config := apex.Config{OptLevel: apex.O2}
	whole, first, second := start(config), start(config), start(config)
	train(whole, 3)
	train(first, 3)
	if err := nn.LoadStateDict(second.Models[0], nn.StateDict(first.Models[0])); err != nil {
		t.Fatal(err)
	}
	if err := second.Optimizers[0].LoadStateDict(first.Optimizers[0].StateDict()); err != nil {
		t.Fatal(err)
	}
	if err := second.LoadStateDict(first.StateDict()); err != nil {
		t.Fatal(err)
	}
	train(whole, 3)
	train(second, 3)
	for i, p := range apex.MasterParams(whole.Optimizers[0]) {
		got := apex.MasterParams(second.Optimizers[0])[i].Float32s()
		if diff := cmp.Diff(p.Float32s(), got); diff != "" {
			t.Errorf("master %d (-whole +resumed):\n%s", i, diff)
		}
	}
	if diff := cmp.Diff(whole.linear.Weight.Float32s(), second.linear.Weight.Float32s()); diff != "" {
		t.Errorf("weight (-whole +resumed):\n%s", diff)
	}
	if diff := cmp.Diff(whole.StateDict(), second.StateDict()); diff != "" {
		t.Errorf("loss scale (-whole +resumed):\n%s", diff)
	}
	bad := first.Optimizers[0].StateDict()
	delete(bad, "0.master_weight")
	want := "apex: load state dict: 0.master_weight is missing"
	if err := second.Optimizers[0].LoadStateDict(bad); err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}

// A panic in a block leaves the gradients as they were.
func TestBlockPanics(t *testing.T) {
	for _, level := range []apex.Level{apex.O1, apex.O2} {
		s := start(apex.Config{OptLevel: level})
		s.block(apex.ScaleLossConfig{}, 0.5)
		func() {
			defer func() { _ = recover() }()
			loss := s.Models[0].Forward(tensor.Ones(1, 2)).Sum()
			apex.ScaleLoss(loss, s.Optimizers, apex.ScaleLossConfig{}, func(l *tensor.Tensor) {
				l.Backward()
				panic("behind Backward")
			})
		}()
		if got := apex.MasterParams(s.Optimizers[0])[0].Grad().Float32s()[0]; got != 0.5 {
			t.Errorf("%s: gradient %v, want 0.5", level, got)
		}
	}
}

// Frozen parameters are cast with the model.
func TestFrozen(t *testing.T) {
	frozen, free := nn.NewLinear(2, 2), nn.NewLinear(2, 2)
	nn.SetRequiresGrad(frozen, false)
	m := nn.NewSequential(frozen, free)
	a := apex.Initialize([]nn.Module{m},
		[]optim.Optimizer{optim.NewSGD(nn.Parameters(m), optim.SGDConfig{LR: 1})},
		apex.Config{OptLevel: apex.O3})
	if got := frozen.Weight; got.DType() != tensor.Float16 || got.RequiresGrad() || !got.IsFrozen() {
		t.Errorf("frozen weight is %v, requires a gradient %v, frozen %v: want float16, false, true",
			got.DType(), got.RequiresGrad(), got.IsFrozen())
	}
	a.Models[0].Forward(tensor.Ones(1, 2))
}

func TestMistakes(t *testing.T) {
	yes := true
	linear := nn.NewLinear(2, 2)
	half := nn.NewLinear(2, 2)
	nn.To(half, tensor.Float16)
	one, other := start(apex.Config{}), start(apex.Config{})
	initialize := func(c apex.Config) func() {
		return func() { apex.Initialize([]nn.Module{linear}, nil, c) }
	}
	scale := func(loss *tensor.Tensor, opts []*apex.Optimizer, c apex.ScaleLossConfig) func() {
		return func() { apex.ScaleLoss(loss, opts, c, func(*tensor.Tensor) {}) }
	}
	ones := tensor.Ones()
	for want, f := range map[string]func(){
		`apex: initialize: opt level "00" is none of O0, O1, O2, O3 (the letter O, not zero)`: initialize(
			apex.Config{OptLevel: "00"}),
		"apex: initialize: KeepBatchNormFP32 and MasterWeights have no meaning at O1, which leaves " +
			"the model in float32: leave them nil, or choose O2": initialize(
			apex.Config{MasterWeights: &yes}),
		"apex: initialize: CastModelType float16 at O1, where functions are cast and not the model: " +
			"choose O2 or O3": initialize(apex.Config{CastModelType: tensor.Float16}),
		"apex: initialize: PatchFunctions at O2: only O1 patches functions": initialize(
			apex.Config{OptLevel: apex.O2, PatchFunctions: &yes}),
		"apex: initialize: CastModelType int64: use float32, float16 or bfloat16": initialize(
			apex.Config{OptLevel: apex.O2, CastModelType: tensor.Int64}),
		"apex: initialize: MasterWeights with a model in float32: only 16-bit parameters have " +
			"masters": initialize(apex.Config{OptLevel: apex.O0, MasterWeights: &yes}),
		"apex: initialize: loss scale -2 is neither Dynamic nor a finite number above 0": initialize(
			apex.Config{LossScale: -2}),
		"apex: initialize: -1 losses: there is at least one": initialize(apex.Config{NumLosses: -1}),
		"apex: initialize: limits of the loss scale 8 and 4: need 0 ≤ MinLossScale ≤ MaxLossScale ≤ " +
			"3.4028234663852886e+38": initialize(apex.Config{MinLossScale: 8, MaxLossScale: 4}),
		"apex: initialize: model 0 is nil": func() {
			apex.Initialize([]nn.Module{nil}, nil, apex.Config{})
		},
		"apex: initialize: model 0 is initialized already": func() {
			apex.Initialize([]nn.Module{one.Models[0]}, nil, apex.Config{})
		},
		"apex: initialize: weight of model 0 is float16: models are given in float32, and cast " +
			"here": func() { apex.Initialize([]nn.Module{half}, nil, apex.Config{}) },
		"apex: scale loss: no optimizers: give those whose parameters the loss trains": scale(
			ones, nil, apex.ScaleLossConfig{}),
		"apex: scale loss: optimizers 0 and 1 come from two calls of Initialize": scale(ones,
			[]*apex.Optimizer{one.Optimizers[0], other.Optimizers[0]}, apex.ScaleLossConfig{}),
		"apex: scale loss: loss 1 of 1: set NumLosses for more, and count from 0": scale(ones,
			one.Optimizers, apex.ScaleLossConfig{LossID: 1}),
		"apex: scale loss: the loss is nil or not floating: only floating tensors have " +
			"gradients": scale(nil, one.Optimizers, apex.ScaleLossConfig{}),
		"apex: scale loss: parameter 0 of optimizer 0 has a gradient that is unscaled, to which " +
			"DelayUnscale would add scaled ones: call ZeroGrad before": func() {
			s := start(apex.Config{})
			s.block(apex.ScaleLossConfig{}, 1)
			s.block(apex.ScaleLossConfig{DelayUnscale: true}, 1)
		},
		"apex: step: the gradients are still scaled: the last ScaleLoss block before a step must " +
			"not set DelayUnscale": func() {
			s := start(apex.Config{})
			s.block(apex.ScaleLossConfig{DelayUnscale: true}, 1)
			s.Optimizers[0].Step()
		},
	} {
		func() {
			defer func() {
				e, ok := recover().(*amp.Error)
				if !ok || e.Error() != want {
					t.Errorf("%v, want %q", e, want)
				}
			}()
			f()
		}()
	}
	for _, state := range []map[string]float64{
		nil,
		{"loss_scaler0.loss_scale": 1},
		{"loss_scaler0.loss_scale": 1, "loss_scaler1.unskipped": 1},
		{"loss_scaler0.loss_scale": math.Inf(1), "loss_scaler0.unskipped": 1},
		{"loss_scaler0.loss_scale": 1, "loss_scaler0.unskipped": 0.5},
	} {
		var e *amp.Error
		if err := one.LoadStateDict(state); !errors.As(err, &e) || e.Kind != amp.BadState {
			t.Errorf("%v: error %v, want kind %q", state, err, amp.BadState)
		}
	}
}

// The table of costs is what a run keeps.
func TestMemory(t *testing.T) {
	const in, out = 16, 8
	for _, cost := range apex.Levels() {
		m := nn.NewLinear(in, out)
		a := apex.Initialize([]nn.Module{m},
			[]optim.Optimizer{optim.NewAdam(nn.Parameters(m), optim.AdamConfig{LR: 0.1, Eps: 1e-3})},
			apex.Config{OptLevel: cost.Level, Quiet: true})
		loss := a.Models[0].Forward(tensor.Ones(1, in)).Sum().Mul(1e-3)
		apex.ScaleLoss(loss, a.Optimizers, apex.ScaleLossConfig{}, func(l *tensor.Tensor) {
			l.Backward()
		})
		a.Optimizers[0].Step()
		const n = in*out + out
		want := apex.Memory{Weights: n * cost.Weight, Gradients: n * cost.Gradient,
			MasterWeights: n * cost.Master, MasterGradients: n * cost.MasterGradient,
			OptimizerState: n * cost.AdamState}
		if diff := cmp.Diff(want, a.Memory()); diff != "" {
			t.Errorf("%s (-table +run):\n%s", cost.Level, diff)
		}
		if got := a.Memory().Total(); got != n*(cost.Total()-cost.Cast) {
			t.Errorf("%s: %d bytes, want %d a weight", cost.Level, got, cost.Total()-cost.Cast)
		}
		if p := cost.Level.Properties(); p != a.Properties() {
			t.Errorf("%s: properties %+v, want the level's %+v", cost.Level, a.Properties(), p)
		}
	}
	table := apex.Levels()
	if !strings.HasPrefix(table.String(), "level  weight") ||
		strings.Count(table.Markdown(), "\n") != 3+2*len(table) {
		t.Errorf("tables:\n%s%s", table.String(), table.Markdown())
	}
}

// A Model is a module with the tensors and names of the one in it.
func TestModelNames(t *testing.T) {
	s := start(apex.Config{OptLevel: apex.O2})
	var names []string
	for name := range nn.NamedParameters(s.Models[0]) {
		names = append(names, name)
	}
	if want := []string{"0.weight", "0.bias", "1.weight"}; !slices.Equal(names, want) {
		t.Errorf("names %v, want %v", names, want)
	}
}

// TestBatchNorm trains a network with batch norms at the levels that cast the model: the layers
// stay in float32, and take float16, unless they are to be cast.
func TestBatchNorm(t *testing.T) {
	for _, keep := range []bool{true, false} {
		conv, norm2 := nn.NewConv2d(1, 2, 3), nn.NewBatchNorm2d(2)
		linear, norm1 := nn.NewLinear(8, 3), nn.NewBatchNorm1d(3)
		m := nn.NewSequential(conv, norm2, nn.NewReLU(), nn.NewFlatten(), linear, norm1)
		a := apex.Initialize([]nn.Module{m},
			[]optim.Optimizer{optim.NewSGD(nn.Parameters(m), optim.SGDConfig{LR: 0.1})},
			apex.Config{OptLevel: apex.O2, KeepBatchNormFP32: &keep, LossScale: 64})
		want := tensor.Float16
		if keep {
			want = tensor.Float32
		}
		for _, b := range []*tensor.Tensor{norm2.Weight, norm2.RunningVar, norm1.Bias,
			norm1.RunningMean} {
			if b.DType() != want {
				t.Errorf("kept %v: a tensor of a batch norm is %v, want %v", keep, b.DType(), want)
			}
		}
		if conv.Weight.DType() != tensor.Float16 || linear.Bias.DType() != tensor.Float16 {
			t.Errorf("other layers are %v and %v, want float16", conv.Weight.DType(),
				linear.Bias.DType())
		}
		before := norm2.RunningMean.Float32s()
		x := tensor.Randn(4, 1, 4, 4)
		loss := a.Models[0].Forward(x).Square().Mean()
		apex.ScaleLoss(loss, a.Optimizers, apex.ScaleLossConfig{}, func(l *tensor.Tensor) {
			l.Backward()
		})
		a.Optimizers[0].Step()
		if slices.Equal(before, norm2.RunningMean.Float32s()) {
			t.Errorf("kept %v: the running mean did not move", keep)
		}
		if got := norm2.Weight.DType(); got != want {
			t.Errorf("kept %v: behind a step the weight is %v, want %v", keep, got, want)
		}
	}
}

// A Model runs in replicas as any module: its level goes with it.
func TestDataParallel(t *testing.T) {
	s := start(apex.Config{OptLevel: apex.O2, LossScale: 64})
	p := dist.DataParallel(s.Models[0], tensor.CPU, tensor.CPU)
	loss := p.Forward(tensor.Ones(3, 2)).Sum()
	if got := loss.Item(); got != 12 {
		t.Errorf("sum of the outputs %g, want 12", got)
	}
	apex.ScaleLoss(loss, s.Optimizers, apex.ScaleLossConfig{}, func(l *tensor.Tensor) {
		l.Backward()
	})
	if got := apex.MasterParams(s.Optimizers[0])[0].Grad().Float32s()[0]; got != 3 {
		t.Errorf("gradient %g, want 3, one for each row", got)
	}
}
