package nn

import (
	"fmt"
	"math"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// clipping is clipping.json.
type clipping struct {
	NormCases []struct {
		Grads            []*reference.Tensor
		MaxNorm          float64           `json:"max_norm"`
		NormType         reference.Number  `json:"norm_type"`
		ErrorIfNonFinite bool              `json:"error_if_nonfinite"`
		TotalNorm        *reference.Number `json:"total_norm"`
		After            []*reference.Tensor
		Error            string
	} `json:"norm_cases"`
	ValueCases []struct {
		Grad      reference.Tensor
		ClipValue float64 `json:"clip_value"`
		After     reference.Tensor
	} `json:"value_cases"`
}

// Tolerances for float32, in which the file's gradients and norms are.
const relative, absolute = 1e-5, 1e-6

func TestReferenceClipGradNorm(t *testing.T) {
	var file clipping
	reference.Load(t, "clipping.json", &file)
	for i, c := range file.NormCases {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			params := make([]*tensor.Tensor, len(c.Grads))
			for i, g := range c.Grads {
				params[i] = tensor.Zeros().SetRequiresGrad(true)
				if g != nil {
					params[i] = tensor.Zeros(g.Shape...).To(reference.DType(g.DType)).Detach()
					params[i].SetRequiresGrad(true).SetGrad(g.Tensor())
				}
			}
			config := ClipGradNormConfig{Norm: float64(c.NormType), ErrorIfNonFinite: c.ErrorIfNonFinite}
			var norm float64
			clip := func() { norm = ClipGradNorm(params, c.MaxNorm, config).Item() }
			after := c.After
			if c.Error != "" {
				if msg := reference.Mistake(clip); msg == "" {
					t.Errorf("no error, want %s", c.Error)
				}
				after = c.Grads
			} else {
				clip()
				want := float64(*c.TotalNorm)
				if exact := exactNorm(c.Grads, float64(c.NormType)); !close64(exact, want, relative) {
					// PyTorch's squares left float32: the norm is ours, and so is what it makes.
					want = exact
					after = scaled(c.Grads, min(1, c.MaxNorm/(exact+1e-6)))
				}
				if !close64(norm, want, relative) {
					t.Errorf("norm: got %v, want %v", norm, want)
				}
			}
			for i, p := range params {
				if after[i] != nil {
					reference.Close(t, fmt.Sprint("gradient ", i), p.Grad(), after[i], relative, absolute)
				}
			}
		})
	}
}

// exactNorm is the p-norm of finite gradients by a way of its own: scaled by the largest.
func exactNorm(grads []*reference.Tensor, p float64) float64 {
	largest, sum := 0.0, 0.0
	for _, g := range grads {
		if g != nil {
			for _, v := range g.Float64s() {
				if math.IsNaN(v) {
					return v
				}
				largest = max(largest, math.Abs(v))
			}
		}
	}
	if largest == 0 || math.IsInf(p, 1) || math.IsInf(largest, 1) {
		return largest
	}
	for _, g := range grads {
		if g != nil {
			for _, v := range g.Float64s() {
				sum += math.Pow(math.Abs(v)/largest, p)
			}
		}
	}
	return largest * math.Pow(sum, 1/p)
}

// scaled returns the gradients times coefficient.
func scaled(grads []*reference.Tensor, coefficient float64) []*reference.Tensor {
	out := make([]*reference.Tensor, len(grads))
	for i, g := range grads {
		if g != nil {
			out[i] = &reference.Tensor{DType: g.DType, Shape: g.Shape}
			for _, v := range g.Data {
				out[i].Data = append(out[i].Data, v*reference.Value(coefficient))
			}
		}
	}
	return out
}

func TestReferenceClipGradValue(t *testing.T) {
	var file clipping
	reference.Load(t, "clipping.json", &file)
	for i, c := range file.ValueCases {
		p := tensor.Zeros(c.Grad.Shape...).To(reference.DType(c.Grad.DType)).Detach()
		p.SetRequiresGrad(true).SetGrad(c.Grad.Tensor())
		ClipGradValue([]*tensor.Tensor{p}, c.ClipValue)
		reference.Close(t, fmt.Sprintf("case %d", i), p.Grad(), &c.After, relative, absolute)
	}
}
