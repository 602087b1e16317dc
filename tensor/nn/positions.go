package nn

import (
	"fmt"
	"math"

	"halfnote/tensor"
)

// SinusoidalPositions adds to each position of a sequence [N, L, E] or [L, E] a pattern of sines
// and cosines that tells where it is, see https://arxiv.org/abs/1706.03762. It has no parameters.
type SinusoidalPositions struct {
	table *tensor.Tensor `nn:"-"` // [length, E]
}

// NewSinusoidalPositions returns patterns for sequences of up to length positions with embed
// features: sin(t/10000^(2i/E)) in feature 2i and the cosine in 2i+1. It panics with a
// [*tensor.Error] if a size is less than 1.
func NewSinusoidalPositions(length, embed int) *SinusoidalPositions {
	checkPositions("sinusoidal_positions", length, embed)
	table := make([]float32, length*embed)
	for t := range length {
		for i := range embed {
			angle := float64(t) / math.Pow(10000, float64(i-i%2)/float64(embed))
			table[t*embed+i] = float32(math.Sin(angle))
			if i%2 == 1 {
				table[t*embed+i] = float32(math.Cos(angle))
			}
		}
	}
	return &SinusoidalPositions{tensor.FromFloat32(table, length, embed)}
}

// Forward returns x with the patterns added, in x's dtype. It panics with a [*tensor.Error] if x
// is longer than the patterns.
func (p *SinusoidalPositions) Forward(x *tensor.Tensor) *tensor.Tensor {
	table := firstPositions("sinusoidal_positions", p.table, x)
	return ran(p, x.Add(table.To(x.DType()).To(x.Device())))
}

// String names the module and its sizes.
func (p *SinusoidalPositions) String() string {
	return fmt.Sprintf("SinusoidalPositions(%d, %d)", p.table.Size(0), p.table.Size(1))
}

// LearnedPositions adds to each position of a sequence [N, L, E] or [L, E] a vector that is
// trained.
type LearnedPositions struct {
	Weight *tensor.Tensor `nn:"weight"` // [length, E]
}

// NewLearnedPositions returns vectors for sequences of up to length positions with embed features
// in float32, drawn from the normal distribution with deviation 0.02. It panics with a
// [*tensor.Error] if a size is less than 1.
func NewLearnedPositions(length, embed int) *LearnedPositions {
	checkPositions("learned_positions", length, embed)
	weight := tensor.Randn(length, embed).MulInPlace(0.02)
	return &LearnedPositions{weight.SetRequiresGrad(true)}
}

// Forward returns x with the vectors added. It panics with a [*tensor.Error] if x is longer than
// there are vectors.
func (p *LearnedPositions) Forward(x *tensor.Tensor) *tensor.Tensor {
	return ran(p, x.Add(firstPositions("learned_positions", p.Weight, x)))
}

// String names the module and its sizes.
func (p *LearnedPositions) String() string {
	return fmt.Sprintf("LearnedPositions(%d, %d)", p.Weight.Size(0), p.Weight.Size(1))
}

func checkPositions(op string, length, embed int) {
	if length < 1 || embed < 1 {
		fail(op, "%d positions of %d features: both must be at least 1", length, embed)
	}
}

// firstPositions returns the rows of table [length, E] for the positions of x.
func firstPositions(op string, table, x *tensor.Tensor) *tensor.Tensor {
	given(op, x)
	if x.Dim() < 2 || x.Size(-1) != table.Size(1) || x.Size(-2) > table.Size(0) {
		fail(op, "input of shape %v: it is [N, L, %d] with L up to %d",
			x.Shape(), table.Size(1), table.Size(0))
	}
	return table.Narrow(0, 0, x.Size(-2))
}
