package tensor_test

import (
	"slices"
	"strings"
	"testing"

	"halfnote/amp"
	"halfnote/tensor"
)

// noted is a cast state that notes the ops that ask it, and knows all.
type noted map[string]bool

func (s noted) Cast(op string, args []*T, dtype tensor.DType) ([]*T, tensor.DType) {
	s[op] = true
	return args, dtype
}

func (s noted) HasRule(string) bool { return true }

func (s noted) Fresh() tensor.CastState { return s }

// noSuchOp are the ops of autocast's policy for CUDA that do not exist here, and those that stand
// for others under the same rule.
const noSuchOp = `
	conv3d conv_transpose3d conv_tbc grid_sampler nuclear_norm linalg_matrix_norm
	chain_matmul frobenius_norm linalg_vector_norm nll_loss2d`

// TestOpsAskPolicy: for each op of the policy a row of the table of ops asks by its name.
func TestOpsAskPolicy(t *testing.T) {
	asked := noted{}
	for _, r := range opTable {
		xs := r.inputs(r.in)
		tensor.WithCastState(asked, func() { r.f(xs...) })
	}
	for rule := amp.Low; rule <= amp.Refused; rule++ {
		for _, op := range amp.CUDAPolicy().Ops(rule) {
			absent := slices.Contains(strings.Fields(noSuchOp), op)
			if asked[op] == absent {
				t.Errorf("%s (%s): a row asks for it: %v, and it is listed as absent: %v", op, rule,
					asked[op], absent)
			}
		}
	}
	for _, op := range strings.Fields(noSuchOp) {
		if amp.CUDAPolicy().Rule(op) == amp.Untouched {
			t.Errorf("%s is not in the policy", op)
		}
	}
}
