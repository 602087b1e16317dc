package tensor_test

import (
	"math"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// TestDropout: what is kept is divided by 1 − p and all else 0, in the gradient likewise.
func TestDropout(t *testing.T) {
	const p = 0.4
	for _, d := range floatTypes {
		for _, shape := range [][]int{{}, {3, 5}, {130, 257}} {
			x := tensor.NewGenerator(1).Normal(0, 1, shape...).To(d).SetRequiresGrad(true)
			y := x.Dropout(p, tensor.NewGenerator(2))
			equal(t, "dtype", y.DType(), d)
			mask := tensor.NewGenerator(2).Bernoulli(1-p, shape...)
			want := x.DropoutMask(mask, p)
			near(t, d.String(), y.Float64s(), want.Float64s(), d, 0)
			once := x.Detach().To(tensor.Float64).Mul(mask).Div(1 - p).To(d)
			near(t, d.String()+" from float64", y.Float64s(), once.Float64s(), d, 8)

			y.Backward(tensor.BackwardConfig{Gradient: tensor.OnesLike(y), RetainGraph: true})
			got := x.Grad().Float64s()
			for i, m := range mask.Float64s() {
				if (got[i] != 0) != (m != 0) {
					t.Fatalf("%s: gradient %v where the mask is %v", d, got[i], m)
				}
			}
		}
	}
}

func TestDropoutEdges(t *testing.T) {
	x := tensor.New([]float64{1, -2, math.Inf(1), math.NaN()}).SetRequiresGrad(true)
	equal(t, "p = 0", x.Dropout(0).Float64s(), x.Float64s())
	y := x.Dropout(1)
	equal(t, "p = 1", y.Float64s(), []float64{0, 0, math.NaN(), math.NaN()})
	y.Sum().Backward()
	equal(t, "gradient for p = 1", x.Grad().Float64s(), []float64{0, 0, 0, 0})

	// As much is drawn for every p, so that what comes after does not depend on it.
	g := tensor.NewGenerator(1)
	for _, p := range []float64{0, 0.5, 1} {
		x.Dropout(p, g)
	}
	equal(t, "drawn", g.String(), "Generator(seed 1, offset 3)")
	tensor.Seed(1)
	first := tensor.Ones(100).Dropout(0.5).Float32s()
	tensor.Seed(1)
	equal(t, "default generator", tensor.Ones(100).Dropout(0.5, nil).Float32s(), first)

	const n = 1 << 16
	kept := tensor.Ones(n).Dropout(0.3, tensor.NewGenerator(3)).Gt(0).Sum().Item()
	if off := 5 * math.Sqrt(0.3*0.7*n); math.Abs(kept-0.7*n) > off {
		t.Errorf("%v of %d are kept, want %v ± %v", kept, n, 0.7*n, off)
	}
}

func TestDropout2d(t *testing.T) {
	x := tensor.NewGenerator(1).Uniform(1, 2, 8, 16, 3, 3).To(tensor.Float16).SetRequiresGrad(true)
	y := x.Dropout2d(0.5, tensor.NewGenerator(4))
	equal(t, "dtype", y.DType(), tensor.Float16)
	kept := 0
	values, from := y.Float32s(), x.Float32s()
	for c := range 8 * 16 {
		on := values[9*c] != 0
		if on {
			kept++
		}
		for i := 9 * c; i < 9*c+9; i++ {
			if on && values[i] != 2*from[i] || !on && values[i] != 0 {
				t.Fatalf("channel %d: %v of %v", c, values[i], from[i])
			}
		}
	}
	if kept < 36 || kept > 92 { // five deviations
		t.Errorf("%d of 128 channels are kept", kept)
	}
	y.Sum().Backward()
	equal(t, "gradient", x.Grad().Sum().Item(), float64(18*kept))
}

func TestDropoutMistakes(t *testing.T) {
	for want, f := range map[string]func(){
		"dropout: a tensor of int64; floating point is needed": func() {
			tensor.New([]int{1}).Dropout(0.5)
		},
		"dropout: probability -0.1 is not from 0 to 1": func() { tensor.Zeros(1).Dropout(-0.1) },
		"dropout: the mask's shape [3 2] does not broadcast to [2]": func() {
			tensor.Zeros(2).DropoutMask(tensor.Zeros(3, 2), 0.5)
		},
		"dropout2d: shape [3]: at least two dimensions [N, C, ...] are needed": func() {
			tensor.Zeros(3).Dropout2d(0.5)
		},
		"dropout2d: probability 2 is not from 0 to 1": func() { tensor.Zeros(3, 3).Dropout2d(2) },
	} {
		equal(t, "message", reference.Mistake(f), want)
	}
}
