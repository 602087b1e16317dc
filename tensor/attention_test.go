package tensor_test

import (
	"fmt"
	"math"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// attended computes attention by its definition, with ops that keep all scores.
func attended(q, k, v, mask *T, causal bool) *T {
	scores := q.MatMul(k.T()).Div(math.Sqrt(float64(q.Size(-1))))
	if causal {
		below := tensor.Ones(q.Size(-2), k.Size(-2)).Tril().Eq(0)
		scores = scores.MaskedFill(below, math.Inf(-1))
	}
	if mask != nil {
		scores = scores.Add(mask)
	}
	return scores.Softmax(-1).MatMul(v)
}

// TestAttentionBlocks compares sequences of several blocks of rows with the definition.
func TestAttentionBlocks(t *testing.T) {
	for _, d := range floatTypes {
		for _, causal := range []bool{false, true} {
			for _, masked := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/causal=%v/masked=%v", d, causal, masked), func(t *testing.T) {
					heads, length := reference.Fewer(3, 1), reference.Fewer(150, 70)
					keys, size := reference.Fewer(170, 73), 9
					in := []*T{tensor.Randn(heads, length, size), tensor.Randn(heads, keys, size),
						tensor.Randn(heads, keys, size), tensor.Randn(length, keys)}
					got, want := make([]*T, 4), make([]*T, 4)
					for i := range in {
						low := in[i].To(d)
						got[i] = low.Detach().SetRequiresGrad(true)
						want[i] = low.To(tensor.Float64).SetRequiresGrad(true)
					}
					c := tensor.AttentionConfig{Causal: causal}
					var mask *T
					if masked {
						c.Mask, mask = got[3], want[3]
					}
					y := tensor.ScaledDotProductAttention(got[0], got[1], got[2], c)
					z := attended(want[0], want[1], want[2], mask, causal)
					near(t, "result", y.Float64s(), z.Float64s(), d, 8)
					g := tensor.Randn(y.Shape()...).To(d)
					y.Backward(tensor.BackwardConfig{Gradient: g})
					z.Backward(tensor.BackwardConfig{Gradient: g.To(tensor.Float64)})
					for i := range in {
						if got[i].Grad() != nil {
							near(t, fmt.Sprintf("gradient %d", i), got[i].Grad().Float64s(),
								want[i].Grad().Float64s(), d, 64)
						}
					}
				})
			}
		}
	}
}

// TestAttentionClosedRows: a query that may attend to nothing gives zeros and has no gradient.
func TestAttentionClosedRows(t *testing.T) {
	q := tensor.Randn(2, 4).SetRequiresGrad(true)
	k, v := tensor.Randn(3, 4), tensor.Randn(3, 4)
	closed := math.Inf(-1)
	for name, mask := range map[string]*T{
		"bool":  tensor.New([][]bool{{false, false, false}, {true, true, true}}),
		"float": tensor.New([][]float32{{float32(closed), float32(closed), float32(closed)}, {0, 0, 0}}),
	} {
		q.SetGrad(nil)
		y := tensor.ScaledDotProductAttention(q, k, v, tensor.AttentionConfig{Mask: mask})
		equal(t, name, y.Index(0).Float32s(), make([]float32, 4))
		y.Sum().Backward()
		equal(t, name+": gradient", q.Grad().Index(0).Float32s(), make([]float32, 4))
		equal(t, name+": all finite", q.Grad().AllFinite(), true)
	}
}

// TestAttentionRounding: neither the scores nor the weights of halves are rounded to halves.
func TestAttentionRounding(t *testing.T) {
	// Scores of 512·256·2/√2 would be infinite, and infinities have no difference.
	q := tensor.Full(512, 1, 2).To(tensor.Float16)
	k := tensor.New([][]float32{{256, 256}, {256, 255.5}}, tensor.Float16)
	v := tensor.New([][]float32{{1}, {0}}, tensor.Float16)
	got := tensor.ScaledDotProductAttention(q, k, v).Item()
	equal(t, "large scores", got, 1.0)
	// 2048 equal weights of 1/2048 each add up.
	ones := tensor.Ones(4096, 1).To(tensor.Float16)
	equal(t, "small weights", tensor.ScaledDotProductAttention(ones.Slice(0, 0, 1), ones, ones).Item(),
		1.0)
}

// TestAttentionDropout: the weights that stay grow, so that sums keep their mean.
func TestAttentionDropout(t *testing.T) {
	tensor.Seed(11)
	q, v := tensor.Zeros(1, 1), tensor.Ones(20000, 1)
	y := tensor.ScaledDotProductAttention(q, tensor.Zeros(20000, 1), v,
		tensor.AttentionConfig{Dropout: 0.25})
	if got := y.Item(); math.Abs(got-1) > 0.02 {
		t.Errorf("mean %v, want about 1", got)
	}
	y = tensor.ScaledDotProductAttention(q, q, tensor.Ones(1, 1),
		tensor.AttentionConfig{Dropout: 1})
	equal(t, "all dropped", y.Item(), 0.0)
}

func TestAttentionMistakes(t *testing.T) {
	x := tensor.Ones(2, 4, 3)
	call := func(q, k, v *T, c tensor.AttentionConfig) func() {
		return func() { tensor.ScaledDotProductAttention(q, k, v, c) }
	}
	none := tensor.AttentionConfig{}
	const op = "scaled_dot_product_attention: "
	for want, f := range map[string]func(){
		op + "shapes [3], [3] and [3]; each is […, length, size]": call(tensor.Ones(3),
			tensor.Ones(3), tensor.Ones(3), none),
		op + "queries of shape [2 4 3] and keys of shape [2 4 2]: sizes 3 and 2 differ": call(x,
			tensor.Ones(2, 4, 2), x, none),
		op + "keys of shape [2 4 3] and values of shape [2 5 3]: 4 and 5 of them": call(x, x,
			tensor.Ones(2, 5, 3), none),
		op + "mask of int64; it is bool, or floating point to be added": call(x, x, x,
			tensor.AttentionConfig{Mask: tensor.New(1)}),
		op + "mask of shape [2 1 4 4] does not broadcast to [2 4 4], the shape of the scores": call(x,
			x, x, tensor.AttentionConfig{Mask: tensor.Ones(2, 1, 4, 4)}),
		op + "dropout of 1.5; it is a share from 0 to 1": call(x, x, x,
			tensor.AttentionConfig{Dropout: 1.5}),
		op + "dtypes float32 and float64 differ; convert one with To": call(x, x,
			x.To(tensor.Float64), none),
		op + "3 heads of queries cannot share 2 of keys: shapes [3 4 3] and [2 4 3]": call(
			tensor.Ones(3, 4, 3), x, x, none),
	} {
		equal(t, "message", reference.Mistake(f), want)
	}
}
