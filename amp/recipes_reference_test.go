package amp_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
	"halfnote/tensor/reference"
)

type recipeCase struct {
	Inputs  []reference.Tensor `json:"inputs"`
	Targets []reference.Tensor `json:"targets"`
	Init    []reference.Tensor `json:"init"` // weight, bias of each layer, of each model
	Config  struct {
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
			FlatIndex int   `json:"flat_index"`
		} `json:"inject_inf"`
	} `json:"config"`
	Steps []struct {
		Loss     reference.Number   `json:"loss"`
		Loss0    reference.Number   `json:"loss0"`
		Loss1    reference.Number   `json:"loss1"`
		Norm0    reference.Number   `json:"unscaled_norm_model0"`
		GradNorm reference.Number   `json:"grad_norm"`
		FoundInf json.RawMessage    `json:"found_inf"` // absent where no step is due; a list for two
		After    float64            `json:"scale_after"`
		Params   []reference.Number `json:"params"`
		Params0  []reference.Number `json:"params0"`
		Params1  []reference.Number `json:"params1"`
	} `json:"steps"`
}

// recipes are those of PyTorch's notes on mixed precision that have a test here.
var recipes = map[string]func(*testing.T, recipeCase){
	"typical":                    oneModel,
	"clip":                       oneModel,
	"accumulate":                 oneModel,
	"multi_model_loss_optimizer": twoModels,
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
	reference.CheckUncovered(t, "recipes_f64.json", names, func(name string) bool {
		_, ok := recipes[name]
		return ok
	})
}

func (c recipeCase) scaler() *amp.GradScaler {
	return amp.NewGradScaler(amp.ScalerConfig{InitScale: c.Config.Scaler.InitScale,
		GrowthInterval: c.Config.Scaler.GrowthInterval})
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

func oneModel(t *testing.T, c recipeCase) {
	params := trainable(c.Init)
	opt := optim.NewSGD(params, optim.SGDConfig{LR: c.Config.LR, Momentum: c.Config.Momentum})
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
			[]float64{loss.Item() * float64(every)}, []float64{float64(want.Loss)})
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
			var found bool
			parse(t, want.FoundInf, &found)
			if skipped != found {
				t.Errorf("step %d: skipped %v, want %v", i, skipped, found)
			}
		}
		if got := scaler.LossScale(); got != want.After {
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
		optim.NewSGD(models[0], optim.SGDConfig{LR: 0.02}),
		optim.NewAdam(models[1], optim.AdamConfig{LR: 0.01}),
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
		var grads []*tensor.Tensor
		for _, p := range models[0] {
			grads = append(grads, p.Grad())
		}
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
