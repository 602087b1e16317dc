package tensor_test

import (
	"maps"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

func init() {
	layer := func(shape ...int) func(x ...*T) *T {
		return func(x ...*T) *T {
			if len(x) == 1 {
				return tensor.LayerNorm(x[0], shape, nil, nil)
			}
			return tensor.LayerNorm(x[0], shape, x[1], x[2], 1e-3)
		}
	}
	group := func(groups int) func(x ...*T) *T {
		return func(x ...*T) *T { return tensor.GroupNorm(x[0], groups, x[1], x[2]) }
	}
	addOps(
		opRow{name: "layer_norm", f: layer(5), in: [][]int{{2, 3, 5}, {5}, {5}}, terms: 20,
			also: [][][]int{{{5}, {5}, {5}}, {{0, 5}, {5}, {5}}}},
		opRow{name: "layer_norm_wide", f: layer(3, 4), in: [][]int{{5, 3, 4}}, terms: 20},
		opRow{name: "rms_norm", in: [][]int{{2, 3, 5}, {5}}, terms: 20,
			f:    func(x ...*T) *T { return tensor.RMSNorm(x[0], []int{5}, x[1], 1e-3) },
			also: [][][]int{{{5}, {5}}, {{0, 5}, {5}}}},
		opRow{name: "group_norm", f: group(2), in: [][]int{{2, 4, 3}, {4}, {4}}, terms: 20,
			also: [][][]int{{{3, 4, 2, 2}, {4}, {4}}, {{0, 4, 3}, {4}, {4}}}},
		opRow{name: "instance_norm", in: [][]int{{2, 3, 4, 2}, {3}, {3}}, terms: 20,
			f: func(x ...*T) *T { return tensor.InstanceNorm(x[0], x[1], x[2]) }},
		opRow{name: "batch_norm_train", in: [][]int{{3, 2, 2, 2}, {2}, {2}}, terms: 20,
			f: func(x ...*T) *T {
				return tensor.BatchNorm(x[0], tensor.BatchNormConfig{Training: true,
					Weight: x[1], Bias: x[2]})
			},
			also: [][][]int{{{6, 3}, {3}, {3}}, {{1, 3, 4}, {3}, {3}}, {{0, 3, 4}, {3}, {3}}}},
		opRow{name: "batch_norm_eval", in: [][]int{{3, 2, 2, 2}, {2}, {2}}, terms: 20,
			f: func(x ...*T) *T {
				n := x[0].Size(1)
				return tensor.BatchNorm(x[0], tensor.BatchNormConfig{Weight: x[1], Bias: x[2],
					RunningMean: tensor.Full(0.25, n).To(x[0].DType()),
					RunningVar:  tensor.Full(1.5, n).To(x[0].DType())})
			},
			also: [][][]int{{{6, 3}, {3}, {3}}, {{1, 3}, {3}, {3}}, {{0, 3}, {3}, {3}}}},
		opRow{name: "batch_norm_plain", in: [][]int{{4, 3}}, terms: 20,
			f: func(x ...*T) *T {
				return tensor.BatchNorm(x[0], tensor.BatchNormConfig{})
			}},
	)
}

var poolNormOps = func() map[string]opFunc {
	all := maps.Clone(poolOps)
	all["layer_norm"] = func(x in, a attrs) *T {
		return tensor.LayerNorm(x["x"], a.ints("normalized_shape"), x["w"], x["b"], eps(a)...)
	}
	all["layer_norm_noaffine"] = all["layer_norm"]
	all["rms_norm"] = func(x in, a attrs) *T {
		shape := a.ints("normalized_shape")
		if shape == nil {
			shape = x["w"].Shape()
		}
		return tensor.RMSNorm(x["x"], shape, x["w"], eps(a)...)
	}
	all["group_norm"] = func(x in, a attrs) *T {
		return tensor.GroupNorm(x["x"], a.int("groups"), x["w"], x["b"], eps(a)...)
	}
	batch := func(training bool) opFunc {
		return func(x in, a attrs) *T {
			return tensor.BatchNorm(x["x"], tensor.BatchNormConfig{Training: training,
				Weight: x["w"], Bias: x["b"], Momentum: a.float("momentum"), Eps: a.float("eps"),
				RunningMean: x["running_mean"], RunningVar: x["running_var"]})
		}
	}
	all["batch_norm_train"], all["batch_norm_eval"] = batch(true), batch(false)
	return all
}()

// eps returns the case's eps, or none where it is missing or null.
func eps(a attrs) (given []float64) {
	var v *float64
	if a.get("eps", &v); v != nil {
		given = append(given, *v)
	}
	return given
}

// running are the running moments of a batch norm case: those that it starts with, which evaluation
// keeps, and those that training leaves.
type running struct {
	Mean       *reference.Tensor `json:"running_mean"`
	Var        *reference.Tensor `json:"running_var"`
	MeanBefore *reference.Tensor `json:"running_mean_before"`
	VarBefore  *reference.Tensor `json:"running_var_before"`
	MeanAfter  *reference.Tensor `json:"running_mean_after"`
	VarAfter   *reference.Tensor `json:"running_var_after"`
}

// begin gives x the moments, where the case has any.
func (r *running) begin(x in) {
	if r.MeanBefore != nil {
		x["running_mean"], x["running_var"] = r.MeanBefore.Tensor(), r.VarBefore.Tensor()
	} else if r.Mean != nil {
		x["running_mean"], x["running_var"] = r.Mean.Tensor(), r.Var.Tensor()
	}
}

// check compares the moments that x has after the op.
func (r *running) check(t *testing.T, x in) {
	mean, variance := r.MeanAfter, r.VarAfter
	if mean == nil {
		mean, variance = r.Mean, r.Var
	}
	if mean != nil {
		reference.Close(t, "running mean", x["running_mean"], mean, relative64, absolute64)
		reference.Close(t, "running variance", x["running_var"], variance, relative64, absolute64)
	}
}
