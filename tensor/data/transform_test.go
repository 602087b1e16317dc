package data

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// source is a generator with a fixed seed.
func source() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// onlyX applies a transform to x.
func onlyX(f Transform, x *tensor.Tensor) *tensor.Tensor {
	x, _ = f(x, tensor.Zeros(x.Size(0)), source())
	return x
}

func TestNormalize(t *testing.T) {
	x := tensor.New([][]float32{{1, 2}, {3, 4}})
	same(t, "scalar", onlyX(Normalize(1, 2), x), tensor.New([][]float32{{0, 0.5}, {1, 1.5}}))
	columns := NormalizeChannels([]float64{1, 2}, []float64{2, 4})
	same(t, "columns", onlyX(columns, x), tensor.New([][]float32{{0, 0}, {1, 0.5}}))
	same(t, "int64", onlyX(Normalize(1, 2), x.To(tensor.Int64)),
		tensor.New([][]float32{{0, 0.5}, {1, 1.5}}))
	pictures := x.Reshape(1, 2, 1, 2)
	same(t, "channels", onlyX(columns, pictures),
		tensor.New([][][][]float32{{{{0, 0.5}}, {{0.25, 0.5}}}}))
	// 2049 and its half are no float16 numbers, (2048 - 2049) / 2 is one.
	half := tensor.New([]float32{2048}, tensor.Float16)
	same(t, "float16", onlyX(Normalize(2049, 2), half), tensor.New([]float32{-0.5}, tensor.Float16))
}

func TestShapes(t *testing.T) {
	x := tensor.Arange(12).Reshape(2, 2, 3)
	same(t, "flatten", onlyX(Flatten(), x), x.Reshape(2, 6))
	same(t, "reshape", onlyX(Reshape(1, 3, -1), x), x.Reshape(2, 1, 3, 2))
	same(t, "dtype", onlyX(ToDType(tensor.BFloat16), x), x.To(tensor.BFloat16))
	same(t, "compose", onlyX(Compose(Normalize(0, 2), Flatten()), x), x.Div(2).Reshape(2, 6))
	same(t, "nothing", onlyX(Compose(), x), x)
}

func TestOneHot(t *testing.T) {
	_, y := OneHot(3)(tensor.Zeros(2), tensor.New([]int64{2, 0}), nil)
	same(t, "labels", y, tensor.New([][]float32{{0, 0, 1}, {1, 0, 0}}))
	_, y = OneHot(2)(tensor.Zeros(2), tensor.New([][]int64{{1, 0}, {0, 1}}), nil)
	same(t, "rows", y, tensor.New([][][]float32{{{0, 1}, {1, 0}}, {{1, 0}, {0, 1}}}))
}

func TestRandomFlip(t *testing.T) {
	x := tensor.Arange(12).Reshape(2, 1, 2, 3)
	same(t, "never", onlyX(RandomFlip(0), x), x)
	want := tensor.New([]float32{2, 1, 0, 5, 4, 3, 8, 7, 6, 11, 10, 9}).Reshape(2, 1, 2, 3)
	for _, dtype := range []tensor.DType{tensor.Float32, tensor.Float16, tensor.BFloat16,
		tensor.Int64} {
		same(t, dtype.String(), onlyX(RandomFlip(1), x.To(dtype)), want.To(dtype))
	}
	many := tensor.Arange(2).Reshape(1, 1, 2).Expand(1000, 1, 2)
	flipped := 0
	for _, v := range onlyX(RandomFlip(0.3), many).Slice(2, 0, 1).Int64s() {
		flipped += int(v)
	}
	if flipped < 250 || flipped > 350 {
		t.Errorf("%d of 1000 are flipped with probability 0.3", flipped)
	}
}

// TestRandomCrop meets every place, and only those that there are.
func TestRandomCrop(t *testing.T) {
	x := tensor.New([][]float32{{1, 2}, {3, 4}}).Reshape(1, 2, 2).Expand(500, 2, 2)
	seen := map[string]int{}
	for _, sample := range samples(onlyX(RandomShift(1), x)) {
		seen[sample]++
	}
	for _, want := range []string{"[1 2 3 4]", "[0 1 0 3]", "[2 0 4 0]", "[0 0 1 2]", "[3 4 0 0]",
		"[0 0 0 1]", "[0 0 2 0]", "[0 3 0 0]", "[4 0 0 0]"} {
		if seen[want] < 25 {
			t.Errorf("%s comes %d times in 500", want, seen[want])
		}
		delete(seen, want)
	}
	if len(seen) > 0 {
		t.Errorf("there are also %v", seen)
	}
	cut := onlyX(RandomCrop(1, 2, 0), x)
	for _, sample := range samples(cut) {
		seen[sample]++
	}
	if seen["[1 2]"]+seen["[3 4]"] != 500 || seen["[1 2]"] < 200 || seen["[3 4]"] < 200 {
		t.Errorf("rows cut out: %v", seen)
	}
}

// samples prints the elements of each sample.
func samples(x *tensor.Tensor) (texts []string) {
	for i := range x.Size(0) {
		texts = append(texts, fmt.Sprint(x.Index(i).Int64s()))
	}
	return texts
}

func TestNoise(t *testing.T) {
	noise := onlyX(Noise(0.5), tensor.Zeros(101, 99)).Float64s()
	mean, std := meanStd(slices.Values([][]float64{noise}))
	if math.Abs(mean) > 0.02 || math.Abs(std-0.5) > 0.02 {
		t.Errorf("noise has mean %v and deviation %v, want 0 and 0.5", mean, std)
	}
	if x := onlyX(Noise(1), tensor.Zeros(3).To(tensor.Float16)); x.DType() != tensor.Float16 {
		t.Errorf("noise on float16 gives %s", x.DType())
	}
	first, again := onlyX(Noise(1), tensor.Zeros(5)), onlyX(Noise(1), tensor.Zeros(5))
	if !slices.Equal(first.Float32s(), again.Float32s()) {
		t.Errorf("equal generators give %v and %v", first, again)
	}
}

func TestTransformMistakes(t *testing.T) {
	x, y := tensor.Zeros(2, 3), tensor.New([]int64{0, 5})
	apply := func(f Transform) func() { return func() { f(x, y, source()) } }
	tests := []struct {
		f    func()
		want string
	}{
		{func() { Normalize(0, 0) }, "normalize: deviation 0 of channel 0: must be above 0"},
		{func() { NormalizeChannels([]float64{1}, nil) },
			"normalize: 1 means and 0 deviations; give one of each a channel"},
		{apply(NormalizeChannels([]float64{1, 2}, []float64{1, 1})),
			"normalize: x of shape [2 3] has not 2 channels, as there are means"},
		{apply(Reshape(4)), "reshape: samples of shape [3] have 3 elements, which do not fill [4]"},
		{apply(OneHot(3)), "one_hot: label 5 of sample 1 is not from 0 to 2"},
		{apply(OneHot(0)), "one_hot: labels of dtype int64 and 0 classes; labels are int64, and " +
			"there is at least one class"},
		{func() { RandomFlip(-1) }, "random_flip: probability -1: must be from 0 to 1"},
		{apply(RandomFlip(1)),
			"random_flip: x of shape [2 3] holds no pictures [n, …, height, width]; Reshape it " +
				"before"},
		{apply(Compose(Reshape(1, 3), RandomCrop(3, 3, 0))),
			"random_crop: 3×3 pixels of pictures 1×3 with 0 more at each edge: too many, or too few"},
		{func() { Noise(math.NaN()) }, "noise: deviation NaN: must not be below 0"},
		{apply(Compose(ToDType(tensor.Int64), Noise(1))),
			"noise: x of dtype int64; make it floating with ToDType before"},
		{apply(Compose(Flatten(), nil)), "transform: transform 2 of 2 is nil"},
		{apply(Compose(func(x, y *tensor.Tensor, _ *rand.Rand) (*tensor.Tensor, *tensor.Tensor) {
			return x.Slice(0, 0, 1), y
		})), "transform: its results of shapes [1 3] and [2] have not the same number of samples"},
		{apply(Compose(func(x, y *tensor.Tensor, _ *rand.Rand) (*tensor.Tensor, *tensor.Tensor) {
			return x, nil
		})), "transform: its result has an x or y that is nil"},
	}
	for _, test := range tests {
		if got := reference.Mistake(test.f); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
