package amp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/optim"
	"halfnote/tensor/reference"
)

type traceOp struct {
	Op            string             `json:"op"`
	Opt           int                `json:"opt"`
	What          string             `json:"what"`
	Value         json.RawMessage    `json:"value"`
	Result        json.RawMessage    `json:"result"`
	Error         string             `json:"error"`
	Grad          []reference.Number `json:"grad"`
	Weights       []reference.Number `json:"weights"`
	Stepped       bool               `json:"stepped"`
	Scale         reference.Number   `json:"scale"`
	GrowthTracker int                `json:"growth_tracker"`
}

type traceCase struct {
	Name string                      `json:"name"`
	Ctor map[string]reference.Number `json:"ctor"`
	Ops  []traceOp                   `json:"ops"`
}

// config returns the constructor's arguments and whether ours must refuse them: PyTorch accepts
// scales whose inverse overflows and any backoff factor below 1.
func (c traceCase) config(t *testing.T) (cfg amp.ScalerConfig, refused bool) {
	for key, v := range c.Ctor {
		v := float64(v)
		switch key {
		case "init_scale":
			cfg.InitScale = v
			refused = refused || !(v >= 0x1p-126 && v <= math.MaxFloat32)
		case "growth_factor":
			cfg.GrowthFactor = v
			refused = refused || !(v > 1)
		case "backoff_factor":
			cfg.BackoffFactor = v
			refused = refused || !(v > 0 && v < 1)
		case "growth_interval":
			cfg.GrowthInterval, cfg.NoGrowth = int(v), v == 0
		default:
			t.Fatalf("unknown constructor argument %q", key)
		}
	}
	return cfg, refused
}

// TestReferenceScalerTraces replays calls to PyTorch's GradScaler. Four cases expect our own
// results: the constructor refuses what leads to a scale of 0, an infinite inverse and a negative
// scale, and Step without any gradient is a skipped step in place of an error.
func TestReferenceScalerTraces(t *testing.T) {
	var file struct{ Cases []traceCase }
	reference.Load(t, "scaler_traces.json", &file)
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			cfg, refused := c.config(t)
			if refused {
				if got := failure(t, func() { amp.NewGradScaler(cfg) }); got != amp.BadConfig {
					t.Errorf("kind %q, want %q", got, amp.BadConfig)
				}
				return
			}
			r := newReplay(amp.NewGradScaler(cfg))
			for i, op := range c.Ops {
				t.Run(fmt.Sprintf("%d_%s", i, op.Op), func(t *testing.T) { r.run(t, op) })
			}
		})
	}
}

// replay is a scaler with the three SGD optimizers, learning rate 1, that the traces speak of.
type replay struct {
	scaler *amp.GradScaler
	params [3]*tensor.Tensor
	opts   [3]*optim.SGD
}

func newReplay(s *amp.GradScaler) *replay {
	r := &replay{scaler: s}
	for i := range r.params {
		r.params[i] = param()
		r.opts[i] = optim.NewSGD(r.params[i:i+1], optim.SGDConfig{LR: 1})
	}
	return r
}

func (r *replay) run(t *testing.T, op traceOp) {
	var loadErr error
	kind := failure(t, func() { loadErr = r.call(t, op) })
	var e *amp.Error
	if errors.As(loadErr, &e) {
		kind = e.Kind
	}
	want := amp.Kind(op.Error)
	if op.Op == "step" && want == amp.NoInfChecksOptimizer && r.params[op.Opt].Grad() == nil {
		want = "" // ours: a skipped step
	}
	if kind != want {
		t.Errorf("error kind %q, want %q", kind, want)
	}
	if got := r.scaler.LossScale(); got != float64(float32(op.Scale)) {
		t.Errorf("scale %g, want %g", got, float64(op.Scale))
	}
	if got := r.scaler.StateDict()["_growth_tracker"]; got != float64(op.GrowthTracker) {
		t.Errorf("growth tracker %g, want %d", got, op.GrowthTracker)
	}
}

func (r *replay) call(t *testing.T, op traceOp) error {
	s, p, opt := r.scaler, r.params[op.Opt], r.opts[op.Opt]
	switch op.Op {
	case "scale":
		var v, want reference.Number
		parse(t, op.Value, &v)
		parse(t, op.Result, &want)
		got := s.Scale(tensor.Full(float64(v))).Item()
		near(t, "result", "exact", []float64{got}, []float64{float64(float32(want))})
	case "grad":
		var v []reference.Number
		parse(t, op.Value, &v)
		if v == nil {
			p.SetGrad(nil)
			return nil
		}
		p.SetGrad(tensor.FromFloat64(floats(v), len(v)).To(tensor.Float32))
	case "unscale":
		s.Unscale(opt)
		if op.Error == "" {
			exactly(t, "gradient", p.Grad(), op.Grad)
		}
	case "step":
		before := p.Float64s()
		result := s.Step(opt)
		if result.Skipped() == op.Stepped {
			t.Errorf("%v, want stepped %v", result, op.Stepped)
		}
		if op.Weights != nil {
			exactly(t, "weights", p, op.Weights)
		} else if diff := cmp.Diff(before, p.Float64s()); diff != "" {
			t.Errorf("weights changed by a skipped step:\n%s", diff)
		}
	case "update":
		s.Update()
	case "update_new":
		var v reference.Number
		parse(t, op.Value, &v)
		s.UpdateTo(float64(v))
	case "set":
		var v reference.Number
		parse(t, op.Value, &v)
		switch op.What {
		case "growth_factor":
			s.SetGrowthFactor(float64(v))
		case "backoff_factor":
			s.SetBackoffFactor(float64(v))
		case "growth_interval":
			s.SetGrowthInterval(int(v))
		default:
			t.Fatalf("unknown setting %q", op.What)
		}
	case "state_dict":
		var want map[string]float64
		parse(t, op.Result, &want)
		want["scale"] = float64(float32(want["scale"]))
		if diff := cmp.Diff(want, s.StateDict()); diff != "" {
			t.Errorf("state dict (-want +got):\n%s", diff)
		}
	case "load":
		var v map[string]float64
		parse(t, op.Value, &v)
		return s.LoadStateDict(v)
	default:
		t.Fatalf("unknown call %q", op.Op)
	}
	return nil
}

func parse(t *testing.T, data json.RawMessage, v any) {
	t.Helper()
	if len(data) == 0 {
		return
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatal(err)
	}
}

// exactly compares float32 values.
func exactly(t *testing.T, what string, got *tensor.Tensor, want []reference.Number) {
	t.Helper()
	if got == nil || want == nil {
		if got != nil || want != nil {
			t.Errorf("%s %v, want %v", what, got, want)
		}
		return
	}
	rounded := make([]float64, len(want))
	for i, w := range want {
		rounded[i] = float64(float32(w))
	}
	near(t, what, "exact", got.Float64s(), rounded)
}
