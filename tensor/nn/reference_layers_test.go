package nn

import (
	"fmt"
	"strings"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// layerCase is a case of ops_more.json that is a layer: its inputs are x and the parameters, by
// their paths.
type layerCase struct {
	Op    string
	Attrs struct {
		NormFirst  bool `json:"norm_first"`
		Activation string
		Heads      int
	}
	Inputs     map[string]*reference.Tensor
	Output     *reference.Tensor
	GradOutput *reference.Tensor `json:"grad_output"`
	Grads      map[string]*reference.Tensor
}

// build returns the layer of the case, or nil.
func (c layerCase) build() Module {
	x := c.Inputs["x"]
	if x == nil {
		return nil
	}
	embed := x.Shape[len(x.Shape)-1]
	switch c.Op {
	case "encoder_layer":
		config := TransformerEncoderConfig{NormFirst: c.Attrs.NormFirst,
			FeedForward: c.Inputs["linear1.weight"].Shape[0]}
		if c.Attrs.Activation == "gelu" {
			config.Activation = NewGELU()
		}
		return NewTransformerEncoderLayer(embed, c.Attrs.Heads, config)
	case "multihead_attention_causal":
		return NewMultiheadAttention(embed, c.Attrs.Heads, MultiheadAttentionConfig{Causal: true})
	}
	return nil
}

// TestReferenceLayers gives PyTorch's weights to layers and expects its outputs and gradients.
func TestReferenceLayers(t *testing.T) {
	var file struct{ Cases []layerCase }
	reference.Load(t, "ops_more.json", &file)
	const relative64, absolute64 = 1e-10, 1e-12
	seen := map[string]bool{}
	for i, c := range file.Cases {
		m := c.build()
		if m == nil {
			continue
		}
		seen[c.Op] = true
		t.Run(fmt.Sprintf("%d_%s", i, c.Op), func(t *testing.T) {
			To(m, tensor.Float64)
			state := map[string]*tensor.Tensor{}
			for name, v := range c.Inputs {
				if name != "x" {
					state[strings.TrimPrefix(name, "m.")] = v.Tensor()
				}
			}
			if err := LoadStateDict(m, state); err != nil {
				t.Fatal(err)
			}
			x := c.Inputs["x"].Tensor().SetRequiresGrad(true)
			y := m.Forward(x)
			reference.Close(t, "output", y, c.Output, relative64, absolute64)
			y.Backward(tensor.BackwardConfig{Gradient: c.GradOutput.Tensor()})
			reference.Close(t, "gradient of x", x.Grad(), c.Grads["x"], relative64, absolute64)
			for name, p := range NamedParameters(m) {
				want := c.Grads[name]
				if want == nil {
					want = c.Grads["m."+name]
				}
				reference.Close(t, "gradient of "+name, p.Grad(), want, relative64, absolute64)
			}
		})
	}
	if len(seen) != 2 {
		t.Errorf("cases of %v only", seen)
	}
}
