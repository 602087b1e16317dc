package optim

import (
	"fmt"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// referenceCase is one case of optim_f64.json.
type referenceCase struct {
	Optimizer string
	Kwargs    map[string]any
	Params    []reference.Tensor
	Grads     [][]reference.Tensor       // [step][parameter]
	After     [][][]reference.Number     // [step][parameter][element]
	NoneGrad  *struct{ Step, Param int } `json:"none_grad_at"`
}

// makers make the optimizers that the file names.
var makers = map[string]func(t *testing.T, c *referenceCase, p []*tensor.Tensor) Optimizer{
	"SGD": func(t *testing.T, c *referenceCase, p []*tensor.Tensor) Optimizer {
		var config SGDConfig
		c.configure(t, map[string]any{
			"lr": &config.LR, "momentum": &config.Momentum, "dampening": &config.Dampening,
			"weight_decay": &config.WeightDecay, "nesterov": &config.Nesterov,
			"maximize": &config.Maximize,
		})
		return NewSGD(p, config)
	},
	"Adam": func(t *testing.T, c *referenceCase, p []*tensor.Tensor) Optimizer {
		return NewAdam(p, c.adamConfig(t))
	},
	"AdamW": func(t *testing.T, c *referenceCase, p []*tensor.Tensor) Optimizer {
		config := c.adamConfig(t)
		if _, given := c.Kwargs["weight_decay"]; !given {
			config.WeightDecay = 0.01 // PyTorch's default
		}
		return NewAdamW(p, config)
	},
	"RMSprop": func(t *testing.T, c *referenceCase, p []*tensor.Tensor) Optimizer {
		var config RMSpropConfig
		c.configure(t, map[string]any{
			"lr": &config.LR, "alpha": &config.Alpha, "eps": &config.Eps,
			"weight_decay": &config.WeightDecay, "momentum": &config.Momentum,
			"centered": &config.Centered, "maximize": &config.Maximize,
		})
		return NewRMSprop(p, config)
	},
	"Adagrad": func(t *testing.T, c *referenceCase, p []*tensor.Tensor) Optimizer {
		var config AdagradConfig
		c.configure(t, map[string]any{
			"lr": &config.LR, "lr_decay": &config.LRDecay, "weight_decay": &config.WeightDecay,
			"initial_accumulator_value": &config.InitialAccumulatorValue, "eps": &config.Eps,
			"maximize": &config.Maximize,
		})
		return NewAdagrad(p, config)
	},
}

func (c *referenceCase) adamConfig(t *testing.T) (config AdamConfig) {
	c.configure(t, map[string]any{
		"lr": &config.LR, "betas": &config.Betas, "eps": &config.Eps,
		"weight_decay": &config.WeightDecay, "amsgrad": &config.AMSGrad,
		"maximize": &config.Maximize,
	})
	return config
}

// configure sets the fields from the case's arguments, of which none may be left.
func (c *referenceCase) configure(t *testing.T, fields map[string]any) {
	t.Helper()
	for name, v := range c.Kwargs {
		switch field := fields[name].(type) {
		case *float64:
			*field = v.(float64)
		case *bool:
			*field = v.(bool)
		case *[2]float64:
			for i, beta := range v.([]any) {
				field[i] = beta.(float64)
			}
		default:
			t.Fatalf("%s has no option %s", c.Optimizer, name)
		}
	}
}

func TestReferenceOptimizers(t *testing.T) {
	const file = "optim_f64.json"
	var content struct{ Cases []referenceCase }
	reference.Load(t, file, &content)
	var kinds []string
	for i, c := range content.Cases {
		kinds = append(kinds, c.Optimizer)
		if makers[c.Optimizer] != nil {
			t.Run(fmt.Sprintf("%d_%s", i, c.Optimizer), c.check)
		}
	}
	reference.CheckCovered(t, file, kinds, func(kind string) bool { return makers[kind] != nil })
}

func (c *referenceCase) check(t *testing.T) {
	params := make([]*tensor.Tensor, len(c.Params))
	for i, p := range c.Params {
		params[i] = p.Tensor().SetRequiresGrad(true)
	}
	opt := makers[c.Optimizer](t, c, params)
	for step, grads := range c.Grads {
		opt.ZeroGrad()
		for i, g := range grads {
			if c.NoneGrad == nil || step != c.NoneGrad.Step || i != c.NoneGrad.Param {
				params[i].SetGrad(g.Tensor())
			}
		}
		opt.Step()
		for i, p := range params {
			want := reference.Tensor{DType: "f64", Shape: p.Shape()}
			for _, v := range c.After[step][i] {
				want.Data = append(want.Data, reference.Value(v))
			}
			reference.Close(t, fmt.Sprintf("%v: step %d, parameter %d", c.Kwargs, step, i),
				p, &want, 1e-10, 1e-12)
		}
	}
}
