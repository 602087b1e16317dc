package amp_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/dist"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
	"halfnote/tensor/reference"
)

type recipeCase struct {
	Inputs  []reference.Tensor `json:"inputs"`
	Targets []reference.Tensor `json:"targets"`
	Init    []reference.Tensor `json:"init"` // weight, bias of each layer, of each model
	Config  struct {
		Optimizer  string   `json:"optimizer"`
		Opt0, Opt1 string   // as in "SGD lr .02"
		LR         float64  `json:"lr"`
		Momentum   float64  `json:"momentum"`
		MaxNorm    *float64 `json:"max_norm"`
		Accumulate *int     `json:"accumulate"`
		Scaler     struct {
			InitScale      float64 `json:"init_scale"`
			GrowthInterval int     `json:"growth_interval"`
		} `json:"scaler"`
		InjectInf *struct {
			At        []int `json:"at"`
			Model     int   `json:"model"`
			Param     int   `json:"param"`
			Rank      int   `json:"rank"`
			FlatIndex int   `json:"flat_index"`
		} `json:"inject_inf"`
		Lambda float64 `json:"lambda"`
	} `json:"config"`
	Steps []struct {
		Loss     json.RawMessage    `json:"loss"` // a list where there are several
		Loss0    reference.Number   `json:"loss0"`
		Loss1    reference.Number   `json:"loss1"`
		Norm0    reference.Number   `json:"unscaled_norm_model0"`
		GradNorm reference.Number   `json:"grad_norm"`
		FoundInf json.RawMessage    `json:"found_inf"` // absent where no step is due; a list for two
		After    float64            `json:"scale_after"`
		Params   []reference.Number `json:"params"`
		Params0  []reference.Number `json:"params0"`
		Params1  []reference.Number `json:"params1"`
		Penalty  reference.Number   `json:"penalty"`
		Unscaled []reference.Number `json:"unscaled_grads"`
		Critic   reference.Number   `json:"critic"`
		GP       reference.Number   `json:"gp"`
		Grads    []reference.Number `json:"grads"`
	} `json:"steps"`
}

// recipes are those of PyTorch's notes on mixed precision that have a test here.
var recipes = map[string]func(*testing.T, recipeCase){
	"typical":                    oneModel,
	"clip":                       oneModel,
	"accumulate":                 oneModel,
	"multi_model_loss_optimizer": twoModels,
	"gradient_penalty":           gradientPenalty,
	"wgan_gp_no_scaler":          wassersteinPenalty,
	"ddp_2_ranks":                twoRanks,
	"dataparallel_2_replicas":    twoReplicas,
}

// TestReferenceRecipes trains a tanh network on a mean squared error in float64, with a scaler and
// without autocast, and compares every step.
func TestReferenceRecipes(t *testing.T) {
	var file struct{ Cases []json.RawMessage }
	reference.Load(t, "recipes_f64.json", &file)
	var names []string
	for _, data := range file.Cases {
		var head struct{ Recipe string }
		parse(t, data, &head)
		names = append(names, head.Recipe)
		run, ok := recipes[head.Recipe]
		if !ok {
			continue
		}
		t.Run(head.Recipe, func(t *testing.T) {
			var c recipeCase
			parse(t, data, &c)
			run(t, c)
		})
	}
	reference.CheckCovered(t, "recipes_f64.json", names, func(name string) bool {
		_, ok := recipes[name]
		return ok
	})
}

func (c recipeCase) scaler() *amp.GradScaler {
	return amp.NewGradScaler(amp.ScalerConfig{InitScale: c.Config.Scaler.InitScale,
		GrowthInterval: c.Config.Scaler.GrowthInterval})
}

// optimizer makes the case's optimizer.
func (c recipeCase) optimizer(t *testing.T, params []*tensor.Tensor) optim.Optimizer {
	t.Helper()
	kwargs := map[string]any{"lr": c.Config.LR}
	if c.Config.Momentum != 0 {
		kwargs["momentum"] = c.Config.Momentum
	}
	return newOptimizer(t, c.Config.Optimizer, kwargs, params)
}

// described makes an optimizer from its name and learning rate, as in "SGD lr .02".
func described(t *testing.T, text string, params []*tensor.Tensor) optim.Optimizer {
	t.Helper()
	var name string
	var lr float64
	if _, err := fmt.Sscanf(text, "%s lr %g", &name, &lr); err != nil {
		t.Fatalf("optimizer %q: %v", text, err)
	}
	return newOptimizer(t, name, map[string]any{"lr": lr}, params)
}

// inject overwrites a gradient element with inf at the steps that ask for it.
func (c recipeCase) inject(step, model int, params []*tensor.Tensor) {
	in := c.Config.InjectInf
	if in != nil && in.Model == model && slices.Contains(in.At, step) {
		setElement(params[in.Param], in.FlatIndex, math.Inf(1))
	}
}

func trainable(init []reference.Tensor) (params []*tensor.Tensor) {
	for _, r := range init {
		params = append(params, r.Tensor().SetRequiresGrad(true))
	}
	return params
}

// tanhNet has a tanh between its layers.
func tanhNet(params []*tensor.Tensor, x *tensor.Tensor) *tensor.Tensor {
	for i := 0; i < len(params); i += 2 {
		if i > 0 {
			x = x.Tanh()
		}
		x = tensor.Linear(x, params[i], params[i+1])
	}
	return x
}

func flat(params []*tensor.Tensor) (out []float64) {
	for _, p := range params {
		out = append(out, p.Float64s()...)
	}
	return out
}

func gradsOf(params []*tensor.Tensor) (grads []*tensor.Tensor) {
	for _, p := range params {
		grads = append(grads, p.Grad())
	}
	return grads
}

// numbers reads one number or a list of them.
func numbers(t *testing.T, data json.RawMessage) []float64 {
	t.Helper()
	var list []reference.Number
	if len(data) > 0 && data[0] != '[' {
		list = make([]reference.Number, 1)
		parse(t, data, &list[0])
		return floats(list)
	}
	parse(t, data, &list)
	return floats(list)
}

// checkStep compares whether the step was skipped, where the file says so, and the scale behind it.
func (c recipeCase) checkStep(t *testing.T, i int, skipped bool, scaler *amp.GradScaler) {
	t.Helper()
	found := skipped
	parse(t, c.Steps[i].FoundInf, &found)
	if skipped != found {
		t.Errorf("step %d: skipped %v, want %v", i, skipped, found)
	}
	if got := scaler.LossScale(); got != c.Steps[i].After {
		t.Errorf("step %d: scale %g, want %g", i, got, c.Steps[i].After)
	}
}

func oneModel(t *testing.T, c recipeCase) {
	params := trainable(c.Init)
	opt := c.optimizer(t, params)
	scaler := c.scaler()
	every := 1
	if c.Config.Accumulate != nil {
		every = *c.Config.Accumulate
	}
	for i, want := range c.Steps {
		x, y := c.Inputs[i%len(c.Inputs)].Tensor(), c.Targets[i%len(c.Targets)].Tensor()
		loss := tensor.MSELoss(tanhNet(params, x), y)
		if every > 1 {
			loss = loss.Div(float64(every))
		}
		scaler.Scale(loss).Backward()
		near(t, fmt.Sprintf("step %d: loss", i), "f64",
			[]float64{loss.Item() * float64(every)}, numbers(t, want.Loss))
		if (i+1)%every == 0 {
			c.inject(i, 0, params)
			if c.Config.MaxNorm != nil {
				scaler.Unscale(opt)
				norm := nn.ClipGradNorm(params, *c.Config.MaxNorm).Item()
				near(t, fmt.Sprintf("step %d: grad norm", i), "f64",
					[]float64{norm}, []float64{float64(want.GradNorm)})
			}
			skipped := scaler.Step(opt).Skipped()
			scaler.Update()
			opt.ZeroGrad()
			c.checkStep(t, i, skipped, scaler)
		} else if got := scaler.LossScale(); got != want.After {
			t.Errorf("step %d: scale %g, want %g", i, got, want.After)
		}
		near(t, fmt.Sprintf("step %d: params", i), "f64", flat(params), floats(want.Params))
	}
}

// twoModels has two models whose outputs meet in two losses, and an optimizer for each model. One
// may skip while the other steps.
func twoModels(t *testing.T, c recipeCase) {
	half := len(c.Init) / 2
	models := [2][]*tensor.Tensor{trainable(c.Init[:half]), trainable(c.Init[half:])}
	opts := [2]optim.Optimizer{
		described(t, c.Config.Opt0, models[0]), described(t, c.Config.Opt1, models[1]),
	}
	scaler := c.scaler()
	for i, want := range c.Steps {
		x, y := c.Inputs[i%len(c.Inputs)].Tensor(), c.Targets[i%len(c.Targets)].Tensor()
		for _, opt := range opts {
			opt.ZeroGrad()
		}
		out0, out1 := tanhNet(models[0], x), tanhNet(models[1], x)
		loss0 := tensor.MSELoss(out0.Mul(2).Add(out1.Mul(3)), y)
		loss1 := tensor.MSELoss(out0.Mul(3).Sub(out1.Mul(5)), y)
		scaler.Scale(loss0).Add(scaler.Scale(loss1)).Backward()
		near(t, fmt.Sprintf("step %d: losses", i), "f64",
			[]float64{loss0.Item(), loss1.Item()},
			[]float64{float64(want.Loss0), float64(want.Loss1)})
		for m, params := range models {
			c.inject(i, m, params)
		}
		scaler.Unscale(opts[0])
		grads := gradsOf(models[0])
		near(t, fmt.Sprintf("step %d: norm", i), "f64",
			[]float64{tensor.NormFloat64(grads, 2)}, []float64{float64(want.Norm0)})
		skipped := []bool{scaler.Step(opts[0]).Skipped(), scaler.Step(opts[1]).Skipped()}
		scaler.Update()
		var found []bool
		parse(t, want.FoundInf, &found)
		if !slices.Equal(skipped, found) || scaler.LossScale() != want.After {
			t.Errorf("step %d: skipped %v, scale %g: want %v, %g",
				i, skipped, scaler.LossScale(), found, want.After)
		}
		near(t, fmt.Sprintf("step %d: params0", i), "f64", flat(models[0]), floats(want.Params0))
		near(t, fmt.Sprintf("step %d: params1", i), "f64", flat(models[1]), floats(want.Params1))
	}
}

// gradientPenalty adds the norm of the gradients to the loss. They are computed of the scaled loss,
// belong to no optimizer and are unscaled by recorded arithmetic.
func gradientPenalty(t *testing.T, c recipeCase) {
	params := trainable(c.Init)
	opt := c.optimizer(t, params)
	scaler := c.scaler()
	for i, want := range c.Steps {
		x, y := c.Inputs[i%len(c.Inputs)].Tensor(), c.Targets[i%len(c.Targets)].Tensor()
		opt.ZeroGrad()
		loss := tensor.MSELoss(tanhNet(params, x), y)
		grads := tensor.Grad([]*tensor.Tensor{scaler.Scale(loss)}, params,
			tensor.GradConfig{CreateGraph: true})
		for k, g := range grads {
			grads[k] = g.Mul(1 / scaler.LossScale())
		}
		penalty := normOf(grads)
		scaler.Scale(loss.Add(penalty)).Backward()
		scaler.Unscale(opt)
		unscaled := flat(gradsOf(params))
		skipped := scaler.Step(opt).Skipped()
		scaler.Update()

		near(t, fmt.Sprintf("step %d: loss", i), "f64",
			[]float64{loss.Item()}, numbers(t, want.Loss))
		near(t, fmt.Sprintf("step %d: unscaled grads", i), "f64", unscaled,
			floats(want.Unscaled))
		near(t, fmt.Sprintf("step %d: penalty", i), "f64",
			[]float64{penalty.Item()}, []float64{float64(want.Penalty)})
		c.checkStep(t, i, skipped, scaler)
		near(t, fmt.Sprintf("step %d: params", i), "f64", flat(params), floats(want.Params))
	}
}

// normOf returns the 2-norm of all elements together, recorded.
func normOf(ts []*tensor.Tensor) *tensor.Tensor {
	total := ts[0].Square().Sum()
	for _, t := range ts[1:] {
		total = total.Add(t.Square().Sum())
	}
	return total.Sqrt()
}

// wassersteinPenalty trains a critic whose gradient with respect to its input is pulled to norm 1.
func wassersteinPenalty(t *testing.T, c recipeCase) {
	params := trainable(c.Init)
	opt := c.optimizer(t, params)
	for i, want := range c.Steps {
		x := c.Inputs[i%len(c.Inputs)].Tensor().SetRequiresGrad(true)
		opt.ZeroGrad()
		out := tanhNet(params, x)
		critic := out.Mean()
		g := tensor.Grad([]*tensor.Tensor{out.Sum()}, []*tensor.Tensor{x},
			tensor.GradConfig{CreateGraph: true})[0]
		gp := g.Square().Sum(1).Sqrt().Sub(1).Square().Mean()
		critic.Add(gp.Mul(c.Config.Lambda)).Backward()

		near(t, fmt.Sprintf("step %d: critic and penalty", i), "f64",
			[]float64{critic.Item(), gp.Item()},
			[]float64{float64(want.Critic), float64(want.GP)})
		near(t, fmt.Sprintf("step %d: grads", i), "f64", flat(gradsOf(params)),
			floats(want.Grads))
		opt.Step()
		near(t, fmt.Sprintf("step %d: params", i), "f64", flat(params), floats(want.Params))
	}
}

// twoRanks trains two copies of the model on half of each batch, as processes do: the scaled
// gradients are averaged, so that an inf of one reaches both and both decide alike.
func twoRanks(t *testing.T, c recipeCase) {
	const ranks = 2
	var params [ranks][]*tensor.Tensor
	var opts [ranks]optim.Optimizer
	var scalers [ranks]*amp.GradScaler
	for r := range ranks {
		params[r], scalers[r] = trainable(c.Init), c.scaler()
		opts[r] = c.optimizer(t, params[r])
	}
	for i, want := range c.Steps {
		x, y := c.Inputs[i%len(c.Inputs)].Tensor(), c.Targets[i%len(c.Targets)].Tensor()
		rows := x.Size(0) / ranks
		var losses []float64
		for r := range ranks {
			opts[r].ZeroGrad()
			loss := tensor.MSELoss(tanhNet(params[r], x.Narrow(0, r*rows, rows)),
				y.Narrow(0, r*rows, rows))
			scalers[r].Scale(loss).Backward()
			losses = append(losses, loss.Item())
			if in := c.Config.InjectInf; in != nil && in.Rank == r && slices.Contains(in.At, i) {
				setElement(params[r][in.Param], in.FlatIndex, math.Inf(1))
			}
		}
		near(t, fmt.Sprintf("step %d: losses", i), "f64", losses, numbers(t, want.Loss))
		for k := range params[0] {
			mean := params[0][k].Grad().Add(params[1][k].Grad()).Div(ranks)
			for r := range ranks {
				params[r][k].SetGrad(mean.Clone())
			}
		}
		for r := range ranks {
			skipped := scalers[r].Step(opts[r]).Skipped()
			scalers[r].Update()
			c.checkStep(t, i, skipped, scalers[r])
			near(t, fmt.Sprintf("step %d: params of rank %d", i, r), "f64",
				flat(params[r]), floats(want.Params))
		}
	}
}

// net is tanhNet as a module.
type net struct{ params []*tensor.Tensor }

func (n net) Forward(x *tensor.Tensor) *tensor.Tensor { return tanhNet(n.params, x) }

// twoReplicas runs the model on half of each batch twice, at once, in one process: one loss, one
// scaler, one optimizer.
func twoReplicas(t *testing.T, c recipeCase) {
	params := trainable(c.Init)
	model := dist.DataParallel(net{params}, params[0].Device(), params[0].Device())
	opt := c.optimizer(t, params)
	scaler := c.scaler()
	for i, want := range c.Steps {
		x, y := c.Inputs[i%len(c.Inputs)].Tensor(), c.Targets[i%len(c.Targets)].Tensor()
		opt.ZeroGrad()
		loss := tensor.MSELoss(model.Forward(x), y)
		scaler.Scale(loss).Backward()
		c.inject(i, 0, params)
		skipped := scaler.Step(opt).Skipped()
		scaler.Update()
		near(t, fmt.Sprintf("step %d: loss", i), "f64",
			[]float64{loss.Item()}, numbers(t, want.Loss))
		c.checkStep(t, i, skipped, scaler)
		near(t, fmt.Sprintf("step %d: params", i), "f64", flat(params), floats(want.Params))
	}
}
