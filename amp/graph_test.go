package amp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"halfnote/amp"
	"halfnote/amp/bench/steps"
	"halfnote/amp/monitor"
	"halfnote/internal/many"
	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// TestGraph: a graph trains as calls of its function do, to the last bit, with random numbers, overflows,
// a learning rate and a growth interval that change on the way, and what watches the training.
func TestGraph(t *testing.T) {
	dev, err := tensor.DefaultDevice()
	if err != nil {
		t.Fatal(err)
	}
	type training struct {
		losses, scales    []float64
		weights, averages []float32
		steps             []monitor.Step
		updates, recorded int
	}
	train := func(inGraph bool) (r training) {
		tensor.Seed(3)
		model := nn.NewSequential(nn.NewLinear(6, 8), nn.NewReLU(), nn.NewDropout(0.2), nn.NewLinear(8, 3))
		params := nn.Parameters(model)
		opt := optim.NewAdam(params, optim.AdamConfig{LR: 0.02})
		schedule := optim.NewStepLR(opt, optim.StepLRConfig{StepSize: 5, Gamma: 0.5})
		ema := optim.NewEMA(params, optim.EMAConfig{Decay: 0.9})
		scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 1024, GrowthInterval: 2})
		watch := monitor.Watch(scaler)
		x, factor := tensor.Zeros(4, 6), tensor.Ones()
		y := tensor.Zeros(4).To(tensor.Int64)
		var loss *tensor.Tensor
		step := func() {
			opt.ZeroGrad()
			amp.Autocast(func() { loss = nn.CrossEntropy(model.Forward(x), y) })
			scaler.Scale(loss.Mul(factor)).Backward()
			scaler.Unscale(opt)
			nn.ClipGradNorm(params, 1)
			scaler.Step(opt)
			scaler.Update()
			ema.Update()
		}
		graph := tensor.NewGraph(dev, step)
		for i := range 14 {
			x.CopyFrom(tensor.Randn(4, 6))
			y.CopyFrom(tensor.Randint(0, 3, 4))
			factor.FillInPlace(1)
			if i == 4 || i == 9 {
				factor.FillInPlace(1e38)
			}
			if i == 11 {
				scaler.SetGrowthInterval(1)
			}
			if inGraph {
				graph.Run()
			} else {
				step()
			}
			schedule.Step()
			r.losses = append(r.losses, loss.Item())
			if i%3 == 0 || i > 10 {
				r.scales = append(r.scales, scaler.LossScale())
			}
			if graph.Recorded() {
				r.recorded++
			}
		}
		for _, p := range params {
			r.weights = append(r.weights, p.Float32s()...)
		}
		ema.Apply(func() {
			for _, p := range params {
				r.averages = append(r.averages, p.Float32s()...)
			}
		})
		r.steps, r.updates = watch.History(), ema.Updates()
		return r
	}
	called, run := train(false), train(true)
	for _, c := range []struct {
		what string
		a, b any
	}{
		{"losses", called.losses, run.losses},
		{"scales", called.scales, run.scales},
		{"weights", called.weights, run.weights},
		{"averages", called.averages, run.averages},
		{"steps", called.steps, run.steps},
		{"updates", called.updates, run.updates},
	} {
		if a, b := fmt.Sprint(c.a), fmt.Sprint(c.b); a != b { // NaNs are equal so
			t.Errorf("%s by calls:\n%s\nby a graph:\n%s", c.what, a, b)
		}
	}
	skipped := 0
	for _, s := range run.steps {
		if s.Skipped {
			skipped++
		}
	}
	if skipped != 2 || slices.Min(run.scales) == slices.Max(run.scales) {
		t.Errorf("%d steps were skipped, want 2; scales %v", skipped, run.scales)
	}
	if dev != tensor.CPU && run.recorded != 10 {
		t.Errorf("%d runs were recorded ones, want 10", run.recorded)
	}
}

// TestGraphOfAPart: what a graph leaves to be done by calls of the scaler.
func TestGraphOfAPart(t *testing.T) {
	dev, err := tensor.DefaultDevice()
	if err != nil {
		t.Fatal(err)
	}
	train := func(part string, inGraph bool) string {
		w := tensor.New([]float64{1, -2, 3}).SetRequiresGrad(true)
		opt := optim.NewSGD([]*tensor.Tensor{w}, optim.SGDConfig{LR: 0.1, Momentum: 0.9})
		scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 8, GrowthInterval: 3})
		x := tensor.Zeros(3)
		calls := []struct {
			name string
			f    func()
		}{
			{"zero", opt.ZeroGrad},
			{"backward", func() { scaler.Scale(w.Mul(x).Sum().Square()).Backward() }},
			{"unscale", func() { scaler.Unscale(opt) }},
			{"clip", func() { nn.ClipGradNorm(opt.Params(), 5) }},
			{"step", func() { scaler.Step(opt) }},
			{"update", scaler.Update},
		}
		run := func(names string) {
			for _, c := range calls {
				if strings.Contains(names, c.name) {
					c.f()
				}
			}
		}
		graph := tensor.NewGraph(dev, func() { run(part) })
		before, after, _ := strings.Cut("zero backward unscale clip step update", part)
		text := ""
		for i := range 9 {
			x.CopyFrom(tensor.Full(1 / float64(i+1)).Expand(3))
			if i == 5 {
				x.FillInPlace(1e30)
			}
			run(before)
			if inGraph {
				graph.Run()
			} else {
				run(part)
			}
			run(after)
			text += fmt.Sprintln(w.Float32s(), scaler.LossScale(), scaler.GrowthTracker())
		}
		return text
	}
	for _, part := range []string{"zero backward", "zero backward unscale", "zero backward unscale clip step",
		"backward unscale clip step update", "unscale clip step update"} {
		if called, run := train(part, false), train(part, true); called != run {
			t.Errorf("%s by calls:\n%sin a graph:\n%s", part, called, run)
		}
	}
	if dev == tensor.CPU {
		return
	}
	for _, part := range []string{"update", "step update"} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.Contains(text, "Unscale, Step and Update belong into its function together") {
					t.Errorf("%s alone in a graph: %s", part, text)
				}
			}()
			train(part, true)
		}()
	}
}

// TestGraphsOfNetworks: runs of each network's step wait for nothing, and train it as calls do.
func TestGraphsOfNetworks(t *testing.T) {
	dev, err := tensor.DefaultDevice()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range steps.Networks {
		train := func(inGraph bool) (weights string) {
			tensor.Seed(9)
			network := steps.Tiny(name)
			params := nn.Parameters(network.Model)
			opt := optim.NewSGD(params, optim.SGDConfig{LR: 0.01, Momentum: 0.9})
			scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 1024, GrowthInterval: 2})
			step := func() {
				opt.ZeroGrad()
				var loss *tensor.Tensor
				amp.Autocast(func() { loss = network.Loss() })
				scaler.Scale(loss).Backward()
				scaler.Unscale(opt)
				nn.ClipGradNorm(params, 1)
				scaler.Step(opt)
				scaler.Update()
			}
			run := step
			if inGraph {
				run = tensor.NewGraph(dev, step).Run
			}
			waits := 0
			for i := range 7 {
				if i == 3 {
					many.OnWait(func() { waits++ })
				}
				run()
			}
			many.OnWait(nil)
			if waits > 0 {
				t.Errorf("%s: 4 steps wait %d times", name, waits)
			}
			for _, p := range params {
				weights += fmt.Sprint(p.Float32s())
			}
			return weights + fmt.Sprint(scaler.LossScale())
		}
		if called, run := train(false), train(true); called != run {
			t.Errorf("%s by calls:\n%s\nby a graph:\n%s", name, called, run)
		}
	}
}

// TestGraphFails: after a recording that fails training goes on as if it had not been begun.
func TestGraphFails(t *testing.T) {
	dev, err := tensor.DefaultDevice()
	if err != nil {
		t.Fatal(err)
	}
	train := func(fail int) string {
		w := tensor.New([]float64{1, -2, 3}).SetRequiresGrad(true)
		opt := optim.NewSGD([]*tensor.Tensor{w}, optim.SGDConfig{LR: 0.1, Momentum: 0.9})
		scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 8, GrowthInterval: 3})
		watch := monitor.Watch(scaler)
		at, wrong := 0, false
		check := func() {
			if at++; wrong && at == fail {
				panic("wrong")
			}
		}
		graph := tensor.NewGraph(dev, func() {
			at = 0
			check()
			opt.ZeroGrad()
			check()
			scaler.Scale(w.Square().Sum()).Backward()
			check()
			scaler.Unscale(opt)
			check()
			scaler.Step(opt)
			check()
			scaler.Update()
			check()
		})
		text := ""
		for i := range 7 {
			if wrong = i == 2 && fail > 0 && dev != tensor.CPU; wrong {
				func() {
					defer func() {
						if recover() == nil {
							t.Errorf("no panic at %d", fail)
						}
					}()
					graph.Run()
				}()
				wrong = false
				text += fmt.Sprintln("failed", w.Grad().Float32s(), scaler.LossScale())
			}
			graph.Run()
			text += fmt.Sprintln(w.Float32s(), w.Grad().Float32s(), scaler.LossScale(), scaler.GrowthTracker(), watch)
		}
		return text
	}
	want := train(0)
	for fail := 1; fail <= 6; fail++ {
		got := train(fail)
		lines := slices.DeleteFunc(strings.SplitAfter(got, "\n"), func(line string) bool { return strings.HasPrefix(line, "failed") })
		if got := strings.Join(lines, ""); got != want {
			t.Errorf("after a failure at %d:\n%s\nwithout:\n%s", fail, got, want)
		}
	}
}

// TestGraphNotices: what changes between runs, and what watches them, has its effect on the next one.
func TestGraphNotices(t *testing.T) {
	dev, err := tensor.DefaultDevice()
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{"state", "watch", "group", "detect", "cast", "part"} {
		train := func(inGraph bool) string {
			w, v := tensor.New([]float32{1, -2, 3}).SetRequiresGrad(true), tensor.Ones(3).SetRequiresGrad(true)
			opt := optim.NewSGD([]*tensor.Tensor{w}, optim.SGDConfig{LR: 0.1, Momentum: 0.9})
			scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 8, GrowthInterval: 3})
			watch := monitor.Watch(scaler)
			x := tensor.Ones(3)
			backward := func() {
				loss := w.Mul(v).MatMul(x)
				scaler.Scale(loss.Square()).Backward()
			}
			step := func() {
				scaler.Step(opt)
				scaler.Update()
				opt.ZeroGrad()
			}
			f := func() {
				backward()
				if change != "part" {
					step()
				}
			}
			run := f
			if inGraph {
				run = tensor.NewGraph(dev, f).Run
			}
			text := ""
			for i := range 10 {
				x.FillInPlace(1 + float64(i)/8)
				switch {
				case change == "part":
					run()
					run() // two losses a step
					step()
				case i != 5:
					run()
				case change == "state":
					if err := opt.LoadStateDict(opt.StateDict()); err != nil {
						t.Error(err)
					}
					run()
				case change == "watch":
					watch = monitor.Watch(scaler)
					run()
				case change == "group":
					opt.AddGroup([]*tensor.Tensor{v}, optim.SGDConfig{LR: 0.01})
					run()
				case change == "detect":
					tensor.DetectNonFinite(run)
				case change == "cast":
					amp.AutocastWith(amp.Config{DType: tensor.BFloat16}, run)
				}
				text += fmt.Sprintln(w.Float32s(), v.Float32s(), scaler.LossScale(), watch.History())
			}
			return text
		}
		if called, run := train(false), train(true); called != run {
			t.Errorf("%s: by calls:\n%s\nby a graph:\n%s", change, called, run)
		}
	}
}
