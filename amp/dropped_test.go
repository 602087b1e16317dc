package amp_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
	"halfnote/tensor/reference"
)

// This file tests that memory which ends early is nobody's: what a program has got hold of, on
// whatever way, keeps its elements while other tensors come and go.

// stored are the tensors that a test has put away, with what they held then.
type stored struct {
	names  []string
	ts     []*tensor.Tensor
	values [][]float64
}

func (s *stored) put(name string, x *tensor.Tensor) {
	s.names, s.ts = append(s.names, name), append(s.ts, x)
	s.values = append(s.values, x.Float64s())
}

// check compares the tensors with what they held, after others have taken all that is free.
func (s *stored) check(t *testing.T) {
	t.Helper()
	var shapes [][]int
	for _, x := range s.ts {
		shapes = append(shapes, x.Shape())
	}
	takeFree(shapes...)
	for i, x := range s.ts {
		if !slices.EqualFunc(x.Float64s(), s.values[i], same) {
			t.Errorf("%s has changed", s.names[i])
		}
	}
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// takeFree makes tensors of NaNs that take the memory which is free, and returns them.
func takeFree(shapes ...[]int) (all []*tensor.Tensor) {
	shapes = append(shapes, []int{64, 64}, []int{64, 128}, []int{64, 192}, []int{64, 256})
	for _, shape := range shapes {
		for _, d := range []tensor.DType{tensor.Float32, tensor.Float16} {
			for range 3 {
				x := tensor.Zeros(shape...).To(d)
				all = append(all, x.FillInPlace(math.NaN()))
			}
		}
	}
	return all
}

// A spy is a module of a program's own that puts away what it sees.
type spy struct {
	stored
	layer nn.Module
}

func (s *spy) Forward(x *tensor.Tensor) *tensor.Tensor {
	s.put("argument", x)
	y := s.layer.Forward(x)
	s.put("result", y)
	s.put("view", y.T())
	s.put("detached", y.Detach())
	y.RegisterHook(func(g *tensor.Tensor) *tensor.Tensor {
		s.put("hook", g)
		return nil
	})
	return y.RetainGrad()
}

// A spyingLinear embeds a layer of the library.
type spyingLinear struct {
	stored
	*nn.Linear
}

func (s *spyingLinear) Forward(x *tensor.Tensor) *tensor.Tensor {
	s.put("argument of an embedded layer", x)
	y := s.Linear.Forward(x)
	s.put("result of an embedded layer", y)
	return y
}

// spyingFunction is an op of a program's own.
type spyingFunction struct{ stored }

func (s *spyingFunction) Forward(x *tensor.Tensor) *tensor.Tensor {
	f := tensor.Function{
		Forward: func(ctx *tensor.Context, in ...*tensor.Tensor) []*tensor.Tensor {
			y := in[0].Mul(2)
			ctx.Save(in[0], y)
			return []*tensor.Tensor{y}
		},
		Backward: func(ctx *tensor.Context, g ...*tensor.Tensor) []*tensor.Tensor {
			s.put("gradient of an output", g[0])
			for _, x := range ctx.Saved() {
				s.put("saved", x)
			}
			back := g[0].Mul(2)
			s.put("gradient of an input", back)
			return []*tensor.Tensor{back}
		},
	}
	return f.Apply(x)[0]
}

// TestKeptOnEveryPath: values and gradients that a program has seen, in modules, hooks, Functions,
// Grad and views, stay as they are.
func TestKeptOnEveryPath(t *testing.T) {
	for _, d := range []tensor.DType{tensor.Float32, tensor.Float16} {
		t.Run(d.String(), func(t *testing.T) {
			first, last := &spy{layer: nn.NewReLU()}, &spy{layer: nn.NewFlatten()}
			embedded, function := &spyingLinear{Linear: nn.NewLinear(64, 64)}, &spyingFunction{}
			activation := &spy{layer: nn.NewGELU()}
			model := nn.NewSequential(nn.NewFlatten(), nn.NewLinear(64, 128), nn.NewTanh(), first,
				nn.NewLinear(128, 64), nn.NewReLU(), embedded, nn.NewSiLU(), function,
				nn.NewSequential(nn.NewLayerNorm(64), nn.NewTransformerEncoderLayer(64, 2,
					nn.TransformerEncoderConfig{FeedForward: 128, Activation: activation}),
					nn.NewReLU()), last, nn.NewLinear(64, 64), nn.NewReLU(), nn.NewFlatten())
			all := &stored{}
			x := tensor.Randn(64, 64)
			params := nn.Parameters(model)
			var accumulated []*tensor.Tensor // changed in place until the step
			for i, p := range params {
				p.RegisterHook(func(g *tensor.Tensor) *tensor.Tensor {
					all.put(fmt.Sprintf("hook of %d", i), g)
					return nil
				})
				if i%2 == 0 {
					p.RegisterPostAccumulateGradHook(func(p *tensor.Tensor) {
						accumulated = append(accumulated, p.Grad())
					})
				}
			}
			opt := optim.NewSGD(params, optim.SGDConfig{LR: 1e-3, Momentum: 0.9})
			scaler := amp.NewGradScaler(amp.ScalerConfig{Disabled: d != tensor.Float16})
			own := tensor.Randn(params[0].Shape()...)
			all.put("input", x)
			all.put("gradient that was set", own)
			for step := range 3 {
				opt.ZeroGrad()
				var y *tensor.Tensor
				amp.AutocastWith(amp.Config{DType: d, Disabled: d != tensor.Float16}, func() {
					y = model.Forward(x)
				})
				held := takeFree()
				all.put("output", y)
				all.put("view of the output", y.Narrow(0, 3, 32))
				scaler.Scale(y.Square().Mean()).Backward()
				takeFree()
				scaler.Unscale(opt)
				nn.ClipGradNorm(params, 1)
				scaler.Step(opt)
				scaler.Update()
				for i, g := range accumulated {
					all.put(fmt.Sprintf("gradient %d of a hook", i), g)
				}
				accumulated = nil
				if step == 1 {
					params[0].SetGrad(own)
				}
				g := params[1].Grad()
				all.put("gradient", g)
				all.put("view of a gradient", params[2].Grad().T())
				params[3].SetGrad(params[3].Grad())
				all.put("gradient that was its own", params[3].Grad())
				_ = held
			}
			opt.ZeroGrad()
			for _, s := range []*stored{all, &first.stored, &last.stored, &embedded.stored,
				&function.stored, &activation.stored} {
				s.check(t)
			}
		})
	}
}

// droppingLayers are those whose values between each other end early, each with an input's shape,
// large enough that memory is used again also where values are of 16 bits.
var droppingLayers = []struct {
	layer func() nn.Module
	shape []int
}{
	{func() nn.Module { return nn.NewLinear(64, 64) }, []int{8, 16, 64}},
	{func() nn.Module { return nn.NewConv1d(8, 8, 3) }, []int{20, 8, 64}},
	{func() nn.Module { return nn.NewConv2d(8, 8, 3) }, []int{6, 8, 16, 16}},
	{func() nn.Module { return nn.NewConvTranspose1d(8, 8, 3) }, []int{20, 8, 64}},
	{func() nn.Module { return nn.NewConvTranspose2d(8, 8, 3) }, []int{6, 8, 16, 16}},
	{func() nn.Module { return nn.NewMultiheadAttention(64, 4) }, []int{8, 16, 64}},
	{func() nn.Module { return nn.NewTransformerEncoderLayer(64, 4) }, []int{8, 16, 64}},
	{func() nn.Module {
		return nn.NewTransformerEncoder(2, 64, 4, nn.TransformerEncoderConfig{FeedForward: 64,
			NormFirst: true, FinalNorm: true, Dropout: 0.1, Causal: true})
	}, []int{8, 16, 64}},
	{func() nn.Module { return nn.NewLayerNorm(64) }, []int{128, 64}},
	{func() nn.Module { return nn.NewRMSNorm(64) }, []int{128, 64}},
	{func() nn.Module { return nn.NewGroupNorm(2, 8) }, []int{20, 8, 64}},
	{func() nn.Module { return nn.NewBatchNorm1d(64) }, []int{128, 64}},
	{func() nn.Module { return nn.NewBatchNorm2d(8) }, []int{6, 8, 16, 16}},
	{func() nn.Module { return nn.NewDropout(0.5) }, []int{128, 64}},
	{func() nn.Module { return nn.NewDropout(0) }, []int{128, 64}},
	{func() nn.Module { return nn.NewDropout2d(0.5) }, []int{6, 8, 16, 16}},
	{func() nn.Module { return nn.NewFlatten() }, []int{6, 8, 16, 16}},
	{func() nn.Module { return nn.NewMaxPool1d(2) }, []int{20, 8, 64}},
	{func() nn.Module { return nn.NewMaxPool2d(2) }, []int{6, 8, 16, 16}},
	{func() nn.Module { return nn.NewAvgPool1d(2) }, []int{20, 8, 64}},
	{func() nn.Module { return nn.NewAvgPool2d(2) }, []int{6, 8, 16, 16}},
	{func() nn.Module { return nn.NewAdaptiveAvgPool1d(8) }, []int{20, 8, 64}},
	{func() nn.Module { return nn.NewAdaptiveAvgPool2d(8) }, []int{6, 8, 16, 16}},
	{func() nn.Module { return nn.NewAdaptiveMaxPool1d(8) }, []int{20, 8, 64}},
	{func() nn.Module { return nn.NewAdaptiveMaxPool2d(8) }, []int{6, 8, 16, 16}},
	{func() nn.Module { return nn.NewReLU() }, []int{128, 64}},
	{func() nn.Module { return nn.NewSigmoid() }, []int{128, 64}},
	{func() nn.Module { return nn.NewTanh() }, []int{128, 64}},
	{func() nn.Module { return nn.NewGELU() }, []int{128, 64}},
	{func() nn.Module { return nn.NewSiLU() }, []int{128, 64}},
	{func() nn.Module { return nn.NewSoftmax(-1) }, []int{128, 64}},
	{func() nn.Module { return nn.NewLogSoftmax(-1) }, []int{128, 64}},
	{func() nn.Module { return nn.NewLeakyReLU() }, []int{128, 64}},
	{func() nn.Module { return nn.NewELU() }, []int{128, 64}},
	{func() nn.Module { return nn.NewPReLU() }, []int{128, 64}},
	{func() nn.Module { return nn.NewMish() }, []int{128, 64}},
	{func() nn.Module { return nn.NewHardtanh() }, []int{128, 64}},
	{func() nn.Module { return nn.NewSoftplus() }, []int{128, 64}},
	{func() nn.Module { return nn.NewIdentity() }, []int{128, 64}},
	{func() nn.Module { return nn.NewSinusoidalPositions(16, 64) }, []int{8, 16, 64}},
	{func() nn.Module { return nn.NewLearnedPositions(16, 64) }, []int{8, 16, 64}},
	{func() nn.Module {
		return nn.NewSequential(nn.NewReLU(), nn.NewMaxPool2d(2), nn.NewConv2d(8, 8, 3))
	}, []int{6, 8, 16, 16}},
}

// TestDroppingLayers: droppingLayers has each layer of package nn that takes and gives values.
func TestDroppingLayers(t *testing.T) {
	has := map[string]bool{"Embedding": true, // takes integers
		"RNNCell": true, "GRUCell": true, "LSTMCell": true} // whose states are the program's
	for _, c := range droppingLayers {
		has[strings.TrimPrefix(fmt.Sprintf("%T", c.layer()), "*nn.")] = true
	}
	files, err := filepath.Glob(filepath.Join("..", "tensor", "nn", "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	forward := regexp.MustCompile(`(?m)^func \(\w+ \*([A-Z]\w*)\) Forward\(\w+ \*tensor\.Tensor\)`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range forward.FindAllStringSubmatch(string(src), -1) {
			if !has[m[1]] {
				t.Errorf("droppingLayers lacks %s", m[1])
			}
		}
	}
}

// plain calls a layer as a program of its own may, so that nothing ends early.
type plain struct{ nn.Module }

// TestDroppedLayers: a layer between two others gives the gradients that it gives where nothing
// ends early, with one Backward, two, one of second order, and in a checkpoint.
func TestDroppedLayers(t *testing.T) {
	ways := map[string]func(m nn.Module, x *tensor.Tensor, params []*tensor.Tensor){
		"once": func(m nn.Module, x *tensor.Tensor, _ []*tensor.Tensor) {
			y := m.Forward(x)
			takeFree(x.Shape(), y.Shape())
			y.Square().Mean().Backward()
		},
		"twice": func(m nn.Module, x *tensor.Tensor, _ []*tensor.Tensor) {
			loss := m.Forward(x).Square().Mean()
			loss.Backward(tensor.BackwardConfig{RetainGraph: true})
			takeFree(x.Shape())
			loss.Backward()
		},
		"second order": func(m nn.Module, x *tensor.Tensor, params []*tensor.Tensor) {
			loss := m.Forward(x).Square().Mean()
			grads := tensor.Grad([]*tensor.Tensor{loss}, params,
				tensor.GradConfig{CreateGraph: true, Materialize: true})
			takeFree(x.Shape())
			sum := tensor.New(0)
			for _, g := range grads {
				sum = sum.Add(g.Square().Sum())
			}
			sum.Backward(tensor.BackwardConfig{RetainGraph: true})
			loss.Backward()
		},
		"checkpoint": func(m nn.Module, x *tensor.Tensor, _ []*tensor.Tensor) {
			f := func(in ...*tensor.Tensor) *tensor.Tensor { return m.Forward(in[0]) }
			y := tensor.Checkpoint(f, x)
			takeFree(x.Shape(), y.Shape())
			y.Square().Mean().Backward()
		},
	}
	for _, c := range droppingLayers {
		for _, d := range []tensor.DType{tensor.Float32, tensor.Float16} {
			for way, step := range ways {
				if !reference.OnCPU() && (way != "once" || d != tensor.Float16) {
					continue // which the stand-in has no time for
				}
				layer := c.layer()
				t.Run(fmt.Sprintf("%v/%s/%s", layer, d, way), func(t *testing.T) {
					x := tensor.Randn(c.shape...).SetRequiresGrad(true)
					gradients := func(parts ...nn.Module) (all [][]float64) {
						tensor.Seed(7)
						all = append(all, nil)
						model := nn.NewSequential(parts...)
						params := append(nn.Parameters(layer), x)
						nn.ZeroGrad(layer)
						x.SetGrad(nil)
						amp.AutocastWith(amp.Config{DType: d, Disabled: d != tensor.Float16}, func() {
							step(model, x, params)
						})
						takeFree(c.shape)
						for _, p := range params {
							if g := p.Grad(); g != nil {
								all = append(all, g.Float64s())
							}
						}
						return all
					}
					want := gradients(plain{nn.NewTanh()}, plain{layer}, plain{nn.NewReLU()},
						plain{nn.NewFlatten()})
					got := gradients(nn.NewTanh(), layer, nn.NewReLU(), nn.NewFlatten())
					if len(got) < 2 || !slices.EqualFunc(got, want, func(a, b []float64) bool {
						return slices.EqualFunc(a, b, same)
					}) {
						t.Errorf("the gradients of %d tensors differ", len(got))
					}
				})
			}
		}
	}
}

// TestMemoryLevel: from the second training step on, which has the optimizer's state, no step takes
// more memory than the one before. On a GPU small tensors wait for a collection: in a step that ends
// before one does, they may need a segment more.
func TestMemoryLevel(t *testing.T) {
	models := map[string]struct {
		model nn.Module
		shape []int
	}{
		"mlp": {nn.NewSequential(nn.NewLinear(256, 256), nn.NewReLU(), nn.NewLinear(256, 256),
			nn.NewGELU(), nn.NewLayerNorm(256), nn.NewLinear(256, 10)), []int{64, 256}},
		"cnn": {nn.NewSequential(nn.NewConv2d(3, 16, 3), nn.NewReLU(), nn.NewMaxPool2d(2),
			nn.NewConv2d(16, 32, 3), nn.NewReLU(), nn.NewMaxPool2d(2), nn.NewFlatten(),
			nn.NewLinear(32*6*6, 10)), []int{16, 3, 32, 32}},
		"transformer": {nn.NewSequential(nn.NewTransformerEncoder(2, 64, 4,
			nn.TransformerEncoderConfig{FeedForward: 128}), nn.NewFlatten(),
			nn.NewLinear(32*64, 10)), []int{16, 32, 64}},
	}
	for name, c := range models {
		for _, d := range []tensor.DType{tensor.Float32, tensor.BFloat16, tensor.Float16}[reference.Fewer(0, 2):] {
			t.Run(fmt.Sprintf("%s/%s", name, d), func(t *testing.T) {
				x, y := tensor.Randn(c.shape...), tensor.Zeros(c.shape[0]).To(tensor.Int64)
				params := nn.Parameters(c.model)
				opt := optim.NewAdam(params, optim.AdamConfig{LR: 1e-3})
				scaler := amp.NewGradScaler(amp.ScalerConfig{Disabled: d != tensor.Float16})
				step := func() tensor.MemoryUse {
					opt.ZeroGrad()
					var loss *tensor.Tensor
					amp.AutocastWith(amp.Config{DType: d, Disabled: d == tensor.Float32}, func() {
						loss = nn.CrossEntropy(c.model.Forward(x), y)
					})
					scaler.Scale(loss).Backward()
					scaler.Unscale(opt)
					nn.ClipGradNorm(params, 1)
					scaler.Step(opt)
					scaler.Update()
					if !reference.OnCPU() {
						loss.Item() // ends the check of y
						reference.Collect()
					}
					return tensor.MemoryStats()
				}
				step()
				before := step()
				if !reference.OnCPU() {
					before.Reserved += 2 << 20
				}
				for i := range reference.Fewer(20, 4) {
					if after := step(); after.InUse > before.InUse || after.Reserved > before.Reserved {
						t.Fatalf("step %d left %d bytes in use and %d reserved, the second %d and %d",
							i+3, after.InUse, after.Reserved, before.InUse, before.Reserved)
					}
				}
				opt.ZeroGrad()
			})
		}
	}
}

// TestDroppedInCheckpoint: a function that asks for gradients inside of a checkpoint goes through
// nodes whose kept values the first call's nodes still need.
func TestDroppedInCheckpoint(t *testing.T) {
	model := nn.NewSequential(nn.NewLinear(64, 64), nn.NewTanh(), nn.NewLinear(64, 64), nn.NewSiLU())
	x := tensor.Randn(64, 64).SetRequiresGrad(true)
	f := func(in ...*tensor.Tensor) *tensor.Tensor {
		y := model.Forward(in[0])
		slope := tensor.Grad([]*tensor.Tensor{y.Square().Mean()}, in,
			tensor.GradConfig{RetainGraph: true})[0]
		takeFree()
		return y.Mul(slope)
	}
	gradients := func(y *tensor.Tensor) (all [][]float64) {
		takeFree()
		y.Square().Mean().Backward()
		for _, p := range append(nn.Parameters(model), x) {
			all = append(all, p.Grad().Float64s())
			p.SetGrad(nil)
		}
		return all
	}
	want, got := gradients(f(x)), gradients(tensor.Checkpoint(f, x))
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("gradient %d differs", i)
		}
	}
}

// TestDroppedAtOnce: goroutines that train models with common weights get the gradients that each
// gets alone.
func TestDroppedAtOnce(t *testing.T) {
	shared := nn.NewLinear(64, 64)
	var models []nn.Module
	var inputs []*tensor.Tensor
	for range 4 {
		models = append(models, nn.NewSequential(nn.NewLinear(64, 64), nn.NewTanh(), shared,
			nn.NewTransformerEncoderLayer(64, 2), nn.NewReLU(), nn.NewLinear(64, 64)))
		inputs = append(inputs, tensor.Randn(8, 8, 64).SetRequiresGrad(true))
	}
	run := func(i int) []float64 {
		var y *tensor.Tensor
		amp.Autocast(func() { y = models[i].Forward(inputs[i]) })
		y.To(tensor.Float32).Square().Mean().Backward()
		g := inputs[i].Grad().Float64s()
		inputs[i].SetGrad(nil)
		return g
	}
	var want [][]float64
	for i := range models {
		want = append(want, run(i))
	}
	var all sync.WaitGroup
	for i := range models {
		all.Go(func() {
			for range reference.Fewer(30, 3) {
				if !slices.Equal(run(i), want[i]) {
					t.Errorf("the gradient of input %d differs", i)
				}
			}
		})
	}
	all.Wait()
}

// TestSetDataKept: what SetData makes a gradient or a weight of is the program's all the same.
func TestSetDataKept(t *testing.T) {
	all := &stored{}
	p := tensor.Randn(64, 64).SetRequiresGrad(true)
	p.Square().Sum().Backward()
	own := tensor.Randn(64, 64)
	p.Grad().SetData(own)
	p.SetGrad(nil)
	all.put("what became a gradient", own)

	p.Square().Sum().Backward()
	g, w := p.Grad(), tensor.Randn(64, 64).SetRequiresGrad(true)
	b := tensor.Randn(64).SetRequiresGrad(true)
	y := tensor.Linear(tensor.Randn(8, 64).SetRequiresGrad(true), w, b).Sum()
	w.SetData(g)
	tensor.Grad([]*tensor.Tensor{y}, []*tensor.Tensor{b}) // ends what y has kept of w as it was
	p.SetGrad(nil)
	all.put("gradient that became a weight", w)
	all.check(t)
}

// A witness is a cast state that puts away what it is asked about, and what another one makes of it.
type witness struct {
	*stored
	inner tensor.CastState // or nil
}

func (w witness) Cast(
	op string, args []*tensor.Tensor, d tensor.DType,
) ([]*tensor.Tensor, tensor.DType) {
	if w.inner != nil {
		args, d = w.inner.Cast(op, args, d)
	}
	for i, x := range args {
		if x != nil {
			w.put(fmt.Sprintf("argument %d of %s", i, op), x)
		}
	}
	return args, d
}

func (w witness) HasRule(op string) bool { return w.inner != nil && w.inner.HasRule(op) }

func (w witness) Fresh() tensor.CastState { return w }

// TestCastStateKept: a cast state of the program's own may put away what ops compute of.
func TestCastStateKept(t *testing.T) {
	model := nn.NewSequential(nn.NewLinear(64, 64), nn.NewTanh(), nn.NewLayerNorm(64),
		nn.NewTransformerEncoderLayer(64, 4), nn.NewLinear(64, 64))
	x, target := tensor.Randn(2, 64, 64), tensor.Zeros(2, 64).To(tensor.Int64)
	for _, disabled := range []bool{true, false} {
		w := witness{stored: &stored{}}
		amp.AutocastWith(amp.Config{Disabled: disabled}, func() {
			w.inner = tensor.CurrentCastState()
			tensor.WithCastState(w, func() {
				y := model.Forward(x)
				nn.CrossEntropy(y.Transpose(1, 2), target).Backward()
			})
		})
		w.check(t)
	}
}
