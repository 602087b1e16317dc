package tensor_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"halfnote/tensor"
)

// program is a random sequence of writes in place to a base and its views, done twice: by in-place
// ops, and by ops that are not in place on a vector of the base's elements, from which each view's
// elements are gathered.
type program struct {
	random *rand.Rand
	log    []string

	views []*T    // the base and its views, written in place
	flat  *T      // the base's elements, made anew by each write
	at    [][]int // for each view, the places of its elements in flat
}

// addView makes a random view of a random view.
func (p *program) addView() {
	i := p.random.IntN(len(p.views))
	v := p.views[i]
	places := tensor.New(p.at[i]).Reshape(v.Shape()...)
	var f func(x *T) *T
	switch d := p.random.IntN(max(1, v.Dim())); {
	case v.Dim() == 0:
		f = func(x *T) *T { return x.Unsqueeze(0) }
	case p.random.IntN(4) == 0 && v.Dim() > 1:
		f = func(x *T) *T { return x.Transpose(d, 0) }
	case p.random.IntN(3) == 0:
		j := p.random.IntN(v.Size(d))
		f = func(x *T) *T { return x.Transpose(0, d).Index(j) }
	case p.random.IntN(2) == 0 && v.IsContiguous():
		f = func(x *T) *T { return x.Reshape(-1) }
	default:
		from := p.random.IntN(v.Size(d))
		to, step := from+1+p.random.IntN(v.Size(d)-from), 1+p.random.IntN(2)
		f = func(x *T) *T { return x.Slice(d, from, to, step) }
	}
	p.views = append(p.views, f(v))
	var at []int
	for _, k := range f(places).Int64s() {
		at = append(at, int(k))
	}
	p.at = append(p.at, at)
	p.log = append(p.log, fmt.Sprintf("view %d of %d, shape %v", len(p.views)-1, i, f(v).Shape()))
}

// read returns the elements of view i, by the way without writes.
func (p *program) read(i int) *T {
	return p.flat.Gather(0, tensor.New(p.at[i])).Reshape(p.views[i].Shape()...)
}

// write changes a random view by a random op with w, a number on the tape.
func (p *program) write(w *T) {
	i, j := p.random.IntN(len(p.views)), p.random.IntN(len(p.views))
	v := p.views[i]
	was := p.read(i)
	var now *T
	op := p.random.IntN(6)
	p.log = append(p.log, fmt.Sprintf("write %d to %d, with %d", op, i, j))
	switch op {
	case 0:
		v.MulInPlace(w)
		now = was.Mul(w)
	case 1:
		v.TanhInPlace()
		now = was.Tanh()
	case 2:
		mean := p.views[j].Clone().Mean()
		v.AddInPlace(mean)
		now = was.Add(p.read(j).Mean())
	case 3:
		v.FillInPlace(0.5)
		now = was.Mul(0).Add(0.5)
	case 4:
		v.CopyFrom(w.Exp())
		now = was.Mul(0).Add(w.Exp())
	default:
		v.AddcmulInPlace(v.Clone(), w, 0.25)
		now = was.Addcmul(was, w, 0.25)
	}
	keep := make([]float64, p.flat.Numel())
	for k := range keep {
		if !slices.Contains(p.at[i], k) {
			keep[k] = 1
		}
	}
	p.flat = p.flat.Mul(tensor.New(keep)).
		Add(tensor.ZerosLike(p.flat.Detach()).ScatterAdd(0, tensor.New(p.at[i]), now.Reshape(-1)))
}

// TestRandomWrites compares values and gradients of the two ways.
func TestRandomWrites(t *testing.T) {
	for seed := range uint64(300) {
		tensor.Seed(seed) // whatever tests were run before
		p := &program{random: rand.New(rand.NewPCG(seed, 1))}
		x, w := drawn(tensor.Float64, 2, 3, 2), drawn(tensor.Float64).SetRequiresGrad(true)
		x.SetRequiresGrad(seed%3 > 0)
		base := x.Clone()
		if seed%2 == 1 {
			base = base.Permute(2, 0, 1).Detach().Clone().Permute(1, 2, 0).Detach().CopyFrom(x)
		}
		places := tensor.Arange(12).To(tensor.Int64).Int64s()
		p.views, p.flat, p.at = []*T{base}, x.Reshape(-1), [][]int{make([]int, 12)}
		for k := range places {
			p.at[0][k] = int(places[k])
		}
		for range 12 {
			if p.random.IntN(2) == 0 {
				p.addView()
				continue
			}
			p.write(w)
		}
		p.write(w)
		got, want := tensor.New(0.0), tensor.New(0.0)
		for i, v := range p.views {
			got, want = got.Add(weighed(v)), want.Add(weighed(p.read(i)))
		}
		p.compare(t, seed, got, want, x, w)
	}
}

// weighed sums up the elements, each with a weight and squared.
func weighed(x *T) *T {
	weights := tensor.Arange(float64(x.Numel())).Add(1).Reshape(x.Shape()...)
	return x.Mul(x).Mul(weights).Sum()
}

func (p *program) compare(t *testing.T, seed uint64, got, want, x, w *T) {
	t.Helper()
	inputs := []*T{w}
	if x.RequiresGrad() {
		inputs = append(inputs, x)
	}
	config := tensor.GradConfig{Materialize: true}
	if !got.RequiresGrad() || !want.RequiresGrad() {
		if got.RequiresGrad() {
			t.Errorf("seed %d: the result requires a gradient", seed)
		}
		return
	}
	a, b := tensor.Grad([]*T{got}, inputs, config), tensor.Grad([]*T{want}, inputs, config)
	near(t, fmt.Sprintf("seed %d: value", seed), got.Float64s(), want.Float64s(), tensor.Float64, 1e4)
	for i := range a {
		near(t, fmt.Sprintf("seed %d: gradient %d", seed, i), a[i].Float64s(), b[i].Float64s(),
			tensor.Float64, max(1e4, 16*b[i].Abs().Max().Item()))
	}
	if t.Failed() {
		t.Fatalf("the program was %q", p.log)
	}
}
