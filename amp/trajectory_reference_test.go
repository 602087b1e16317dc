package amp_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
	"halfnote/tensor/reference"
)

type trajectory struct {
	Mode           string                       `json:"mode"`
	Optimizer      string                       `json:"optimizer"`
	Kwargs         map[string]any               `json:"kwargs"`
	InitScale      float64                      `json:"init_scale"`
	GrowthFactor   float64                      `json:"growth_factor"`
	BackoffFactor  float64                      `json:"backoff_factor"`
	GrowthInterval int                          `json:"growth_interval"`
	ClipMaxNorm    *float64                     `json:"clip_max_norm"`
	ParamNames     []string                     `json:"param_names"`
	Init           map[string]*reference.Tensor `json:"init"`
	Inputs         []reference.Tensor           `json:"inputs"`
	Targets        []reference.Tensor           `json:"targets"`
	Inject         []struct {
		Step      int              `json:"step"`
		Value     reference.Number `json:"value"`
		Param     string           `json:"param"`
		FlatIndex int              `json:"flat_index"`
	} `json:"inject"`
	Steps []struct {
		Loss            reference.Number     `json:"loss"`
		Scale           float64              `json:"scale"`
		GradNorm        *reference.Number    `json:"grad_norm"`
		FoundInf        bool                 `json:"found_inf"`
		NaturalOverflow bool                 `json:"natural_overflow"`
		ScaleAfter      float64              `json:"scale_after"`
		GrowthTracker   int                  `json:"growth_tracker"`
		Weights         [][]reference.Number `json:"weights"`
	} `json:"steps"`
}

// TestReferenceTrajectories trains the two-layer network of each mlp file and compares every step:
// the scaler's state exactly, losses and weights within the tolerance of the file's mode.
func TestReferenceTrajectories(t *testing.T) {
	for _, name := range trajectoryFiles(t) {
		t.Run(name, func(t *testing.T) {
			var tr trajectory
			reference.Load(t, name, &tr)
			region, ok := trajectoryRegions[tr.Mode]
			if !ok {
				t.Fatalf("mode %q is not known here", tr.Mode)
			}
			tr.run(t, region)
		})
	}
}

// trajectoryRegions are the autocast regions of the files' modes.
var trajectoryRegions = map[string]amp.Config{
	"f32":      {Disabled: true},
	"f16emu":   {DType: tensor.Float16},
	"bf16auto": {DType: tensor.BFloat16, Policy: amp.CPUPolicy()},
}

func (tr *trajectory) run(t *testing.T, region amp.Config) {
	named := map[string]*tensor.Tensor{}
	var params []*tensor.Tensor
	for _, name := range tr.ParamNames {
		p := tr.Init[name].Tensor().SetRequiresGrad(true).SetName(name)
		named[name], params = p, append(params, p)
	}
	opt := newOptimizer(t, tr.Optimizer, tr.Kwargs, params)
	scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: tr.InitScale,
		GrowthFactor: tr.GrowthFactor, BackoffFactor: tr.BackoffFactor,
		GrowthInterval: tr.GrowthInterval})

	for i, want := range tr.Steps {
		x := tr.Inputs[i%len(tr.Inputs)].Tensor()
		y := tr.Targets[i%len(tr.Targets)].Tensor()
		scale := scaler.LossScale()
		opt.ZeroGrad()
		var loss *tensor.Tensor
		amp.AutocastWith(region, func() {
			h := tensor.Linear(x, named["w1"], named["b1"]).ReLU()
			loss = nn.CrossEntropy(tensor.Linear(h, named["w2"], named["b2"]), y)
		})
		scaler.Scale(loss).Backward()
		overflow := slices.ContainsFunc(params, func(p *tensor.Tensor) bool {
			return slices.ContainsFunc(p.Grad().Float64s(), func(v float64) bool {
				return math.IsNaN(v) || math.IsInf(v, 0)
			})
		})
		for _, in := range tr.Inject {
			if in.Step == i {
				setElement(named[in.Param], in.FlatIndex, float64(in.Value))
			}
		}
		if tr.ClipMaxNorm != nil {
			scaler.Unscale(opt)
			norm := nn.ClipGradNorm(params, *tr.ClipMaxNorm).Item()
			near(t, fmt.Sprintf("step %d: grad norm", i), tr.Mode,
				[]float64{norm}, []float64{float64(*want.GradNorm)})
		}
		skipped := scaler.Step(opt).Skipped()
		scaler.Update()

		got := []any{scale, overflow, skipped, scaler.LossScale(),
			int(scaler.StateDict()["_growth_tracker"])}
		exact := []any{want.Scale, want.NaturalOverflow, want.FoundInf, want.ScaleAfter,
			want.GrowthTracker}
		if !slices.Equal(got, exact) {
			t.Fatalf("step %d: scale, overflow, found_inf, scale after, tracker: %v, want %v",
				i, got, exact)
		}
		near(t, fmt.Sprintf("step %d: loss", i), tr.Mode,
			[]float64{loss.Item()}, []float64{float64(want.Loss)})
		for k, w := range want.Weights {
			near(t, fmt.Sprintf("step %d: %s", i, tr.ParamNames[k]), tr.Mode,
				params[k].Float64s(), floats(w))
		}
	}
}

// newOptimizer makes an optimizer from PyTorch's keyword arguments. A name may have more behind it,
// as in adam_amsgrad_wd.
func newOptimizer(
	t *testing.T, name string, kwargs map[string]any, params []*tensor.Tensor,
) optim.Optimizer {
	t.Helper()
	used := map[string]bool{}
	number := func(key string) float64 {
		used[key] = true
		v, _ := kwargs[key].(float64)
		return v
	}
	flag := func(key string) bool {
		used[key] = true
		v, _ := kwargs[key].(bool)
		return v
	}
	var opt optim.Optimizer
	kind, _, _ := strings.Cut(strings.ToLower(name), "_")
	switch kind {
	case "sgd":
		opt = optim.NewSGD(params, optim.SGDConfig{LR: number("lr"), Momentum: number("momentum"),
			Dampening: number("dampening"), WeightDecay: number("weight_decay"),
			Nesterov: flag("nesterov"), Maximize: flag("maximize")})
	case "adam", "adamw":
		cfg := optim.AdamConfig{LR: number("lr"), Eps: number("eps"),
			WeightDecay: number("weight_decay"), AMSGrad: flag("amsgrad"),
			Maximize: flag("maximize"), DecoupledWeightDecay: kind == "adamw"}
		if betas, ok := kwargs["betas"].([]any); ok {
			used["betas"] = true
			cfg.Betas = [2]float64{betas[0].(float64), betas[1].(float64)}
		}
		if _, given := kwargs["weight_decay"]; !given && kind == "adamw" {
			cfg.WeightDecay = 0.01 // PyTorch's default for AdamW, which ours asks to be given
		}
		opt = optim.NewAdam(params, cfg)
	case "rmsprop":
		opt = optim.NewRMSprop(params, optim.RMSpropConfig{LR: number("lr"),
			Alpha: number("alpha"), Eps: number("eps"), WeightDecay: number("weight_decay"),
			Momentum: number("momentum"), Centered: flag("centered"), Maximize: flag("maximize")})
	case "adagrad":
		opt = optim.NewAdagrad(params, optim.AdagradConfig{LR: number("lr"),
			LRDecay: number("lr_decay"), WeightDecay: number("weight_decay"), Eps: number("eps"),
			InitialAccumulatorValue: number("initial_accumulator_value"),
			Maximize:                flag("maximize")})
	default:
		t.Fatalf("optimizer %q is not known here", name)
	}
	for key := range kwargs {
		if !used[key] {
			t.Fatalf("optimizer %s: option %q is not known here", name, key)
		}
	}
	return opt
}
