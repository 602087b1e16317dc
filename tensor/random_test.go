package tensor_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

func TestSeed(t *testing.T) {
	draw := func() []float32 {
		return append(tensor.Randn(5).Float32s(), tensor.Rand(3).Float32s()...)
	}
	tensor.Seed(3)
	first := draw()
	tensor.Seed(3)
	equal(t, "again", draw(), first)
	equal(t, "a generator of its own", tensor.NewGenerator(3).Randn(5).Float32s(), first[:5])
	tensor.Seed(4)
	if x := draw(); x[0] == first[0] {
		t.Error("two seeds draw the same")
	}
	tensor.Seed(3)
	tensor.Draw(func(r *rand.Rand) {
		equal(t, "shared", r.Uint64(), tensor.NewGenerator(3).Uint64())
	})
	equal(t, "place", tensor.DefaultGenerator().String(), "Generator(seed 3, offset 1)")
}

// TestRandomValues pins the numbers down, so that a seed means the same in all versions and on all
// devices. The words come from the published vectors of Philox for key and counter 0: 6627e8d5
// e169c58d bc57ac4c 9b00dbd8.
func TestRandomValues(t *testing.T) {
	words := []uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}
	g := func() *tensor.Generator { return tensor.NewGenerator(0) }
	var want []float32
	for _, w := range words {
		want = append(want, float32(w>>8)*0x1p-24)
	}
	equal(t, "rand", g().Rand(4).Float32s(), want)
	u := []float64{
		float64((uint64(words[1])<<32|uint64(words[0]))>>11) * 0x1p-53,
		float64((uint64(words[3])<<32|uint64(words[2]))>>11) * 0x1p-53,
	}
	equal(t, "float64", zeros(tensor.Float64, 2).UniformInPlace(0, 1, g()).Float64s(), u)
	radius := math.Sqrt(-2 * math.Log((float64(words[0])+1)*0x1p-32))
	angle := 2 * math.Pi * float64(words[1]) * 0x1p-32
	equal(t, "randn", g().Randn(2).Float32s(),
		[]float32{float32(radius * math.Cos(angle)), float32(radius * math.Sin(angle))})
	equal(t, "bernoulli", g().Bernoulli(0.7, 4).Float32s(), []float32{1, 0, 0, 1})
	equal(t, "randint", g().Randint(-5, 5, 2).Int64s(),
		[]int64{int64(10*u[0]) - 5, int64(10*u[1]) - 5})
	equal(t, "uint64", g().Uint64(), uint64(words[1])<<32|uint64(words[0]))
}

func zeros(d tensor.DType, shape ...int) *T { return tensor.Zeros(shape...).To(d) }

// TestRandomStreams: a draw goes on where the one before it ended, whatever its shape, strides and
// size, which decide how the work is shared out.
func TestRandomStreams(t *testing.T) {
	whole := tensor.NewGenerator(9).Randn(20000).Float32s()
	g := tensor.NewGenerator(9)
	var parts []float32
	for _, n := range []int{4, 8, 1000, 18988} {
		parts = append(parts, g.Randn(n).Float32s()...)
	}
	equal(t, "parts of whole blocks", parts, whole)
	equal(t, "shape", tensor.NewGenerator(9).Randn(100, 200).Float32s(), whole)
	g = tensor.NewGenerator(9)
	g.Rand(3)
	equal(t, "a part of a block is gone", g.Randn(4).Float32s(), whole[4:8])
	g.Randn()
	g.Randn(0)
	equal(t, "a number takes a block, nothing none", g.Randn(4).Float32s(), whole[12:16])

	for _, d := range floatTypes {
		for name, fill := range map[string]func(x *T, g *tensor.Generator) *T{
			"uniform":   func(x *T, g *tensor.Generator) *T { return x.UniformInPlace(-2, 3, g) },
			"normal":    func(x *T, g *tensor.Generator) *T { return x.NormalInPlace(1, 2, g) },
			"bernoulli": func(x *T, g *tensor.Generator) *T { return x.BernoulliInPlace(0.3, g) },
		} {
			for _, shape := range [][]int{{3, 5}, {130, 257}} {
				dense := fill(zeros(d, shape...), tensor.NewGenerator(2))
				turned := fill(zeros(d, shape[1], shape[0]).T(), tensor.NewGenerator(2))
				wide := zeros(d, shape[0], 2*shape[1])
				stepped := fill(wide.Slice(1, 1, 2*shape[1], 2), tensor.NewGenerator(2))
				equal(t, name+" transposed", turned.Float64s(), dense.Float64s())
				equal(t, name+" stepped", stepped.Float64s(), dense.Float64s())
				equal(t, name+" between", wide.Slice(1, 0, 2*shape[1], 2).Abs().Sum().Item(), 0.0)
			}
		}
	}
}

// TestRandomMoments compares mean, variance and fourth moment with those of the distributions. A
// mean of n numbers is off by more than five of its deviations once in two million draws.
func TestRandomMoments(t *testing.T) {
	const n = 1 << 17
	for _, d := range floatTypes {
		g := tensor.NewGenerator(11)
		for _, c := range []struct {
			name                   string
			x                      *T
			mean, variance, fourth float64
		}{
			{"uniform", zeros(d, n).UniformInPlace(-1, 3, g), 1, 16.0 / 12, 256.0 / 80},
			{"normal", zeros(d, n).NormalInPlace(-1, 0.5, g), -1, 0.25, 3.0 / 16},
			{"bernoulli", zeros(d, n).BernoulliInPlace(0.2, g), 0.2, 0.16,
				0.2*math.Pow(0.8, 4) + 0.8*math.Pow(0.2, 4)},
		} {
			var mean, variance float64
			values := c.x.Float64s()
			for _, v := range values {
				mean += v / n
				variance += (v - c.mean) * (v - c.mean) / n
			}
			// Rounding to 16 bits moves each number a little, evenly to both sides.
			off := 5 * math.Sqrt(c.variance/n)
			if math.Abs(mean-c.mean) > off {
				t.Errorf("%s %s: mean %v, want %v ± %v", d, c.name, mean, c.mean, off)
			}
			off = 5 * math.Sqrt((c.fourth-c.variance*c.variance)/n)
			if math.Abs(variance-c.variance) > off {
				t.Errorf("%s %s: variance %v, want %v ± %v", d, c.name, variance, c.variance, off)
			}
		}
	}
}

// chiSquare reports where counts of equally likely classes differ too much or too little: by more
// than five deviations of the statistic, whose mean is classes − 1 and variance twice that.
func chiSquare(t *testing.T, what string, counts []int) {
	t.Helper()
	total := 0
	for _, c := range counts {
		total += c
	}
	want, statistic := float64(total)/float64(len(counts)), 0.0
	for _, c := range counts {
		statistic += (float64(c) - want) * (float64(c) - want) / want
	}
	free := float64(len(counts) - 1)
	if math.Abs(statistic-free) > 5*math.Sqrt(2*free) {
		t.Errorf("%s: χ² is %.1f with %g degrees of freedom", what, statistic, free)
	}
}

func TestRandomChiSquare(t *testing.T) {
	const n, classes = 1 << 17, 64
	g := tensor.NewGenerator(5)
	count := func(classOf func(v float64) int, x *T) []int {
		counts := make([]int, classes)
		for _, v := range x.Float64s() {
			counts[classOf(v)]++
		}
		return counts
	}
	even := func(v float64) int { return int(v * classes) }
	chiSquare(t, "rand", count(even, g.Rand(n)))
	chiSquare(t, "float64", count(even, zeros(tensor.Float64, n).UniformInPlace(0, 1, g)))
	chiSquare(t, "randn", count(func(v float64) int {
		return int(classes * 0.5 * math.Erfc(-v/math.Sqrt2))
	}, g.Randn(n)))
	chiSquare(t, "float64 normal", count(func(v float64) int {
		return int(classes * 0.5 * math.Erfc(-v/math.Sqrt2))
	}, zeros(tensor.Float64, n).NormalInPlace(0, 1, g)))
	chiSquare(t, "randint", count(func(v float64) int { return int(v) + 7 },
		g.Randint(-7, classes-7, n)))
	low := count(func(v float64) int { return int(v*0x1p24) % classes }, g.Rand(n))
	chiSquare(t, "low bits of rand", low)

	// Pairs of neighbours: a grid of 8·8 cells.
	x := g.Rand(n).Float64s()
	pairs := make([]int, classes)
	for i := 0; i < n; i += 2 {
		pairs[int(8*x[i])*8+int(8*x[i+1])]++
	}
	chiSquare(t, "pairs", pairs)

	// All orders of four.
	orders := map[[4]int]int{}
	for range 24 * 1000 {
		orders[[4]int(g.Perm(4))]++
	}
	counts := make([]int, 0, 24)
	for _, c := range orders {
		counts = append(counts, c)
	}
	equal(t, "orders of four", len(counts), 24)
	chiSquare(t, "perm", counts)
}

// TestRandomCorrelation: neither neighbours, nor the two numbers of a Box–Muller pair, nor the
// streams of neighbouring seeds go together.
func TestRandomCorrelation(t *testing.T) {
	const n = 1 << 16
	correlate := func(what string, x, y []float64) {
		sum := 0.0
		for i := range y {
			sum += x[i] * y[i]
		}
		if got := sum / float64(len(y)); math.Abs(got) > 5/math.Sqrt(float64(len(y))) {
			t.Errorf("%s: correlation %v", what, got)
		}
	}
	x := tensor.NewGenerator(1).Randn(n).Float64s()
	for _, lag := range []int{1, 2, 3, 4, 7, 256, 4096} {
		correlate("lag", x, x[lag:])
	}
	for _, seed := range []uint64{0, 2, 3, 1 + 1<<32, 1 << 63} {
		correlate("seeds", x, tensor.NewGenerator(seed).Randn(n).Float64s())
	}
	squares := make([]float64, n)
	for i, v := range x {
		squares[i] = (v*v - 1) / math.Sqrt2
	}
	correlate("squares of pairs", squares, squares[1:])
}

// TestRandomBounds: what is drawn evenly stays in its bounds after rounding, in every dtype.
func TestRandomBounds(t *testing.T) {
	const n = 1 << 16
	for _, d := range floatTypes {
		for _, c := range [][2]float64{
			{0, 1}, {-1, 1}, {0.99, 1}, {1, 1 + 0x1p-6}, {-1e-7, 1e-7}, {0.1, 0.3},
			{-65504, 65504}, {60000, 65520}, {-3, -1.0 / 3},
		} {
			low, high := c[0], c[1]
			x := zeros(d, n).UniformInPlace(low, high, tensor.NewGenerator(1))
			values := x.Float64s()
			if least, most := slices.Min(values), slices.Max(values); least < low || most >= high {
				t.Errorf("%s from %v to %v: got %v to %v", d, low, high, least, most)
			}
		}
	}
	half := zeros(tensor.Float16, n).NormalInPlace(0, 1000, tensor.NewGenerator(1))
	equal(t, "normal in float16", half.AllFinite(), true)
	equal(t, "bernoulli 0", tensor.NewGenerator(1).Bernoulli(0, n).Sum().Item(), 0.0)
	equal(t, "bernoulli 1", tensor.NewGenerator(1).Bernoulli(1, n).Sum().Item(), float64(n))
	equal(t, "bools", zeros(tensor.Bool, n).BernoulliInPlace(0.5, tensor.NewGenerator(1)).Int64s(),
		tensor.NewGenerator(1).Bernoulli(0.5, n).Int64s())
	ends := tensor.NewGenerator(1).Randint(math.MinInt, math.MaxInt, n)
	if ends.Min().Item() > -0x1.ffp62 || ends.Max().Item() < 0x1.ffp62 {
		t.Error("the widest range of integers is not filled")
	}
	equal(t, "only one", tensor.Randint(3, 4, 5).Int64s(), []int64{3, 3, 3, 3, 3})
}

func TestPerm(t *testing.T) {
	p := tensor.NewGenerator(1).Perm(1000)
	sorted := slices.Sorted(slices.Values(p))
	for i, v := range sorted {
		if i != v {
			t.Fatalf("%d is missing", i)
		}
	}
	equal(t, "tensor", tensor.NewGenerator(1).Randperm(1000).Int64s()[:3],
		[]int64{int64(p[0]), int64(p[1]), int64(p[2])})
	equal(t, "none", tensor.Randperm(0).Shape(), []int{0})
	g := tensor.NewGenerator(1)
	g.Perm(5)
	equal(t, "place", g.String(), "Generator(seed 1, offset 3)")
}

func TestGeneratorState(t *testing.T) {
	g := tensor.NewGenerator(math.MaxUint64)
	g.Randn(101)
	state, twin := g.StateDict(), g.Clone()
	want := g.Randn(9).Float32s()
	equal(t, "clone", twin.Randn(9).Float32s(), want)
	back := tensor.NewGenerator(1)
	if err := back.LoadStateDict(state); err != nil {
		t.Fatal(err)
	}
	equal(t, "loaded", back.Randn(9).Float32s(), want)
	for _, c := range []struct {
		want   string
		change func(map[string]*T)
	}{
		{"seed is missing", func(s map[string]*T) { delete(s, "seed") }},
		{"seed is missing; offset is float64 of shape [], not one int64", func(s map[string]*T) {
			delete(s, "seed")
			s["offset"] = tensor.New(1.0)
		}},
		{"offset is int64 of shape [2], not one int64", func(s map[string]*T) {
			s["offset"] = tensor.New([]int{1, 2})
		}},
		{"key is not a generator's", func(s map[string]*T) { s["key"] = tensor.New(1) }},
	} {
		s, before := twin.StateDict(), twin.String()
		c.change(s)
		want := "generator: load state dict: " + c.want
		if err := twin.LoadStateDict(s); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		equal(t, "after an error", twin.String(), before)
	}
}

// TestGeneratorConcurrent: goroutines that share a generator get all of its numbers, each once.
func TestGeneratorConcurrent(t *testing.T) {
	g := tensor.NewGenerator(8)
	got := make([][]float32, 8)
	var wait sync.WaitGroup
	for i := range got {
		wait.Go(func() { got[i] = g.Rand(400).Float32s() })
	}
	wait.Wait()
	all := tensor.NewGenerator(8).Rand(3200).Float32s()
	equal(t, "numbers", slices.Sorted(slices.Values(slices.Concat(got...))),
		slices.Sorted(slices.Values(all)))
}

func TestRandomMistakes(t *testing.T) {
	g := tensor.NewGenerator(1)
	leaf := tensor.Zeros(2).SetRequiresGrad(true)
	const finite = ": both must be finite and the deviation at least 0"
	const bounds = ": finite bounds are needed, the first one the smaller"
	ints := tensor.New([]int{1})
	for want, f := range map[string]func(){
		"uniform: from 1 to 1" + bounds:   func() { g.Uniform(1, 1, 2) },
		"uniform: from 0 to NaN" + bounds: func() { g.Uniform(0, math.NaN()) },
		"UniformInPlace: from -1.7e+308 to 1.7e+308" + bounds: func() {
			tensor.Zeros(2).UniformInPlace(-1.7e308, 1.7e308)
		},
		"UniformInPlace: a tensor of int64; floating point is needed": func() {
			ints.UniformInPlace(0, 1)
		},
		"normal: mean 0 and deviation -1" + finite: func() { g.Normal(0, -1, 2) },
		"NormalInPlace: 2 optional arguments given; one is the most": func() {
			tensor.Zeros(1).NormalInPlace(0, 1, g, g)
		},
		"bernoulli: probability 1.5 is not from 0 to 1": func() { g.Bernoulli(1.5) },
		"bernoulli: probability NaN is not from 0 to 1": func() { g.Bernoulli(math.NaN()) },

		"randint: no integer is at least 3 and less than 3": func() { g.Randint(3, 3) },
		"randperm: shape [-1] has a negative size":          func() { g.Perm(-1) },
		"rand: shape [2 -1] has a negative size":            func() { tensor.Rand(2, -1) },
	} {
		equal(t, "message", reference.Mistake(f), want)
	}
	if msg := reference.Mistake(func() { leaf.UniformInPlace(0, 1) }); msg == "" {
		t.Error("a parameter was drawn in place outside of NoGrad")
	}
	before := g.String()
	reference.Mistake(func() { leaf.NormalInPlace(0, 1, g) })
	equal(t, "a refused draw takes nothing", g.String(), before)
	tensor.NoGrad(func() { leaf.NormalInPlace(0, 1, g) })
	equal(t, "version", leaf.Version(), uint64(1))
}

// TestRandomInPlaceRecorded: what is overwritten by random numbers gets no gradient.
func TestRandomInPlaceRecorded(t *testing.T) {
	x := tensor.Ones(2, 2).SetRequiresGrad(true)
	y := x.Mul(3)
	y.Index(0).NormalInPlace(0, 1)
	y.Sum().Backward()
	equal(t, "gradient", x.Grad().Float64s(), []float64{0, 0, 3, 3})
}
