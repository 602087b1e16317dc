package nn

import (
	"strings"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// TestNilInput: a layer that gets nil says so, and which op found it.
func TestNilInput(t *testing.T) {
	for _, m := range everyLayer() {
		for _, training := range []bool{true, false} {
			Train(m, training)
			got := reference.Mistake(func() { m.Forward(nil) })
			if !strings.Contains(got, ": argument ") || !strings.HasSuffix(got, " is nil") {
				t.Errorf("%T: %s", m, got)
			}
		}
	}
}

func TestNilTensors(t *testing.T) {
	x := tensor.Ones(2, 4)
	for want, f := range map[string]func(){
		"cross_entropy: argument 2 is nil":                    func() { CrossEntropy(x, nil) },
		"mse_loss: argument 2 is nil":                         func() { MSELoss(x, nil) },
		"binary_cross_entropy_with_logits: argument 1 is nil": func() { BCEWithLogitsLoss(nil, x) },
		"multihead_attention: argument 2 is nil":              func() { NewMultiheadAttention(4, 2).Attend(x, nil, x) },
		"gru_cell: argument 2 is nil":                         func() { NewGRUCell(4, 2).Next(x, nil) },
		"clip_grad_norm: parameter 0 is nil":                  func() { ClipGradNorm([]*tensor.Tensor{nil}, 1) },
		"clip_grad_value: parameter 1 is nil":                 func() { ClipGradValue([]*tensor.Tensor{x, nil}, 1) },
		"kaiming_uniform: argument 1 is nil":                  func() { KaimingUniform(nil) },
		"xavier_normal: argument 1 is nil":                    func() { XavierNormal(nil) },
		"uniform: argument 1 is nil":                          func() { Uniform(nil, 0, 1) },
		"normal: argument 1 is nil":                           func() { Normal(nil, 0, 1) },
		"truncated_normal: argument 1 is nil":                 func() { TruncatedNormal(nil, 0, 1, -1, 1) },
		"constant: argument 1 is nil":                         func() { Constant(nil, 1) },
		"orthogonal: argument 1 is nil":                       func() { Orthogonal(nil) },
	} {
		if got := reference.Mistake(f); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
