package tensor_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"github.com/x448/float16"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// A bits is a bit pattern in hex.
type bits uint32

func (b *bits) UnmarshalJSON(data []byte) error {
	v, err := strconv.ParseUint(string(data[1:len(data)-1]), 16, 32)
	*b = bits(v)
	return err
}

func isNaN16(h uint16) bool { return h&0x7c00 == 0x7c00 && h&0x3ff != 0 }

func isNaNB16(h uint16) bool { return h&0x7f80 == 0x7f80 && h&0x7f != 0 }

func toFloat16(f float32) uint16 { return uint16(tensor.ToHalf(f)) }

func toBFloat16(f float32) uint16 { return uint16(tensor.ToBFloat(f)) }

func fromFloat16(h uint16) float32 { return tensor.Half(h).Float32() }

func fromBFloat16(h uint16) float32 { return tensor.BFloat(h).Float32() }

// formats are the two 16-bit formats as the tests see them.
var formats = []struct {
	name  string
	dtype tensor.DType
	round func(float32) uint16
	widen func(uint16) float32
	isNaN func(uint16) bool
	nan   uint16 // what every NaN is replaced by before hashing
}{
	{"f16", tensor.Float16, toFloat16, fromFloat16, isNaN16, 0x7e00},
	{"bf16", tensor.BFloat16, toBFloat16, fromBFloat16, isNaNB16, 0x7fc0},
}

// TestHalfAllValues compares every float16 with an independent implementation, both ways, and
// every bfloat16 with its definition.
func TestHalfAllValues(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		want := float16.Frombits(h).Float32()
		got := fromFloat16(h)
		if math.Float32bits(got) != math.Float32bits(want) && !(got != got && want != want) {
			t.Fatalf("float16 %04x: %v, want %v", h, got, want)
		}
		if back := toFloat16(got); back != h && !(isNaN16(h) && isNaN16(back)) {
			t.Fatalf("float16 %04x came back as %04x", h, back)
		}
		if got := fromBFloat16(h); math.Float32bits(got) != uint32(h)<<16 {
			t.Fatalf("bfloat16 %04x: %v", h, got)
		} else if back := toBFloat16(got); back != h && !(isNaNB16(h) && isNaNB16(back)) {
			t.Fatalf("bfloat16 %04x came back as %04x", h, back)
		}
	}
}

// TestHalfNeighbours rounds the float32 values around every midpoint of two float16.
func TestHalfNeighbours(t *testing.T) {
	for i := range 0x7c00 {
		low := math.Float32bits(fromFloat16(uint16(i)))
		next := math.Float32bits(65536)
		if i < 0x7bff {
			next = math.Float32bits(fromFloat16(uint16(i + 1)))
		}
		middle := math.Float32frombits(low)/2 + math.Float32frombits(next)/2
		for d := -2; d <= 2; d++ {
			f := math.Float32frombits(uint32(int(math.Float32bits(middle)) + d))
			for _, f := range []float32{f, -f} {
				if got, want := toFloat16(f), float16.Fromfloat32(f).Bits(); got != want {
					t.Fatalf("%v: %04x, want %04x", f, got, want)
				}
			}
		}
	}
}

func TestHalfString(t *testing.T) {
	equal(t, "half", tensor.Half(1).String(), "5.9604645e-08")
	equal(t, "bfloat", tensor.ToBFloat(3.14159).String(), "3.140625")
}

type conversions struct {
	AllF16   widening                      `json:"all_f16_to_f32"`
	AllBF16  widening                      `json:"all_bf16_to_f32"`
	Samples  [][2]bits                     `json:"f16_to_f32_samples"`
	SamplesB [][2]bits                     `json:"bf16_to_f32_samples"`
	ToF16    [][2]bits                     `json:"f32_to_f16"`
	ToBF16   [][2]bits                     `json:"f32_to_bf16"`
	NaN32    struct{ F16, BF16 [][2]bits } `json:"nan_f32"`
	Sweep    struct {
		N        int
		Mul, Add uint64
		F16      string         `json:"f16_sha256"`
		BF16     string         `json:"bf16_sha256"`
		Counts   map[string]int `json:"f16_counts"`
		CountsB  map[string]int `json:"bf16_counts"`
	}
	Near struct {
		N      int
		F16    string         `json:"f16_sha256"`
		BF16   string         `json:"bf16_sha256"`
		Counts map[string]int `json:"f16_counts"`
	} `json:"sweep_near_f16"`
	Double struct{ Cases [][2]json.RawMessage } `json:"f64_to_f16_torch"`
}

type widening struct {
	SHA256    string
	NaNCount  int     `json:"nan_count"`
	FiniteSum float64 `json:"finite_sum_abs_f64"`
}

func TestReferenceConversions(t *testing.T) {
	var ref conversions
	reference.Load(t, "conversions.json", &ref)
	for i, f := range formats {
		all := []widening{ref.AllF16, ref.AllBF16}[i]
		t.Run(f.name+"/all", func(t *testing.T) { checkWidening(t, all, f.dtype) })
		for _, s := range [][][2]bits{ref.Samples, ref.SamplesB}[i] {
			got := math.Float32bits(f.widen(uint16(s[0])))
			if f.isNaN(uint16(s[0])) {
				got = 0x7fc00000
			}
			if got != uint32(s[1]) {
				t.Errorf("%s %04x: %08x, want %08x", f.name, s[0], got, s[1])
			}
		}
		for _, s := range [][][2]bits{ref.ToF16, ref.ToBF16}[i] {
			if got := f.round(math.Float32frombits(uint32(s[0]))); got != uint16(s[1]) {
				t.Errorf("%08x to %s: %04x, want %04x", s[0], f.name, got, s[1])
			}
		}
		for _, s := range [][][2]bits{ref.NaN32.F16, ref.NaN32.BF16}[i] {
			if got := f.round(math.Float32frombits(uint32(s[0]))); !f.isNaN(got) {
				t.Errorf("%08x to %s: %04x is no NaN", s[0], f.name, got)
			}
		}
		sweep := sweepValues(ref.Sweep.N, ref.Sweep.Mul, ref.Sweep.Add)
		sum := []string{ref.Sweep.F16, ref.Sweep.BF16}[i]
		counts := []map[string]int{ref.Sweep.Counts, ref.Sweep.CountsB}[i]
		t.Run(f.name+"/sweep", func(t *testing.T) { checkSweep(t, sweep, i, sum, counts) })
		near := nearValues(ref.Near.N, ref.Sweep.Mul, ref.Sweep.Add)
		sum = []string{ref.Near.F16, ref.Near.BF16}[i]
		counts = []map[string]int{ref.Near.Counts, nil}[i]
		t.Run(f.name+"/near", func(t *testing.T) { checkSweep(t, near, i, sum, counts) })
	}
	for _, c := range ref.Double.Cases {
		var v float64
		var want bits
		if json.Unmarshal(c[0], &v) != nil || json.Unmarshal(c[1], &want) != nil {
			t.Fatalf("case %s", c)
		}
		got := tensor.FromFloat64([]float64{v}, 1).To(tensor.Float16).Halves()[0]
		if got != tensor.Half(want) {
			t.Errorf("float64 %v to f16: %04x, want %04x", v, uint16(got), want)
		}
	}
}

// checkWidening hashes what all 65,536 patterns of a tensor become as float32.
func checkWidening(t *testing.T, want widening, dtype tensor.DType) {
	var x *tensor.Tensor
	if dtype == tensor.Float16 {
		all := make([]tensor.Half, 1<<16)
		for i := range all {
			all[i] = tensor.Half(i)
		}
		x = tensor.FromHalf(all, 1<<16)
	} else {
		all := make([]tensor.BFloat, 1<<16)
		for i := range all {
			all[i] = tensor.BFloat(i)
		}
		x = tensor.FromBFloat(all, 1<<16)
	}
	var data []byte
	nans, sum := 0, 0.0
	for _, v := range x.Float32s() {
		b := math.Float32bits(v)
		switch {
		case v != v:
			b = 0x7fc00000
			nans++
		case v-v == 0:
			sum += math.Abs(float64(v))
		}
		data = binary.LittleEndian.AppendUint32(data, b)
	}
	if got := hash(data); got != want.SHA256 {
		t.Errorf("sha256 %s, want %s", got, want.SHA256)
	}
	if nans != want.NaNCount || math.Abs(sum-want.FiniteSum) > 1e-12*want.FiniteSum {
		t.Errorf("%d NaNs and sum %v, want %d and %v", nans, sum, want.NaNCount, want.FiniteSum)
	}
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// sweepValues are the patterns of the file's rule: (i·mul + add) mod 2³².
func sweepValues(n int, mul, add uint64) []float32 {
	values := make([]float32, n)
	for i := range values {
		values[i] = math.Float32frombits(uint32(uint64(i)*mul + add))
	}
	return values
}

// nearValues spread the same patterns over the exponents around float16's range.
func nearValues(n int, mul, add uint64) []float32 {
	values := make([]float32, n)
	for i := range values {
		e := uint32(uint64(i)*mul + add)
		exponent := 100 + (e>>23&255)%46
		values[i] = math.Float32frombits(e>>31<<31 | exponent<<23 | e&0x7fffff)
	}
	return values
}

// checkSweep hashes what the values become in a tensor of format number i.
func checkSweep(t *testing.T, values []float32, i int, want string, counts map[string]int) {
	f := formats[i]
	x := tensor.FromFloat32(values, len(values)).To(f.dtype)
	var patterns []uint16
	if f.dtype == tensor.Float16 {
		for _, h := range x.Halves() {
			patterns = append(patterns, uint16(h))
		}
	} else {
		for _, v := range x.Float32s() {
			patterns = append(patterns, uint16(math.Float32bits(v)>>16))
		}
	}
	var data []byte
	got := map[string]int{}
	smallest := math.Abs(float64(f.widen(0x400)))
	if f.dtype == tensor.BFloat16 {
		smallest = math.Abs(float64(f.widen(0x80)))
	}
	for _, h := range patterns {
		switch v := float64(f.widen(h)); {
		case f.isNaN(h):
			h = f.nan
			got["nan"]++
		case math.IsInf(v, 0):
			got["inf"]++
		case v == 0:
			got["zero"]++
		case math.Abs(v) < smallest:
			got["subnormal"]++
		}
		data = binary.LittleEndian.AppendUint16(data, h)
	}
	if sum := hash(data); sum != want {
		t.Errorf("sha256 %s, want %s", sum, want)
	}
	for class, n := range counts {
		if got[class] != n {
			t.Errorf("%d results are %s, want %d", got[class], class, n)
		}
	}
}

func TestReferenceFloat16Arithmetic(t *testing.T) {
	var ref struct {
		A, B, Add, Sub, Mul, Div, ReLU, Neg, Abs, Max []bits
		Sqrt                                          []bits `json:"sqrt_abs_a"`
		Sums                                          struct {
			Ones4096  reference.Number `json:"ones_4096"`
			Tenth     reference.Number `json:"tenth_5000_f32acc"`
			Tenth16   reference.Number `json:"tenth_5000_f16"`
			Ones70000 reference.Number `json:"ones_70000_f16_sum"`
		}
	}
	reference.Load(t, "fp16_arith.json", &ref)
	halves := func(bs []bits) *T {
		hs := make([]tensor.Half, len(bs))
		for i, b := range bs {
			hs[i] = tensor.Half(b)
		}
		return tensor.FromHalf(hs, len(hs))
	}
	a, b := halves(ref.A), halves(ref.B)
	for _, c := range []struct {
		name string
		got  *T
		want []bits
	}{
		{"add", a.Add(b), ref.Add}, {"sub", a.Sub(b), ref.Sub}, {"mul", a.Mul(b), ref.Mul},
		{"div", a.Div(b), ref.Div}, {"relu", a.ReLU(), ref.ReLU}, {"neg", a.Neg(), ref.Neg},
		{"abs", a.Abs(), ref.Abs}, {"max", a.Maximum(b), ref.Max},
		{"sqrt", a.Abs().Sqrt(), ref.Sqrt},
	} {
		if c.got.DType() != tensor.Float16 {
			t.Errorf("%s: %s", c.name, c.got.DType())
		}
		for i, h := range c.got.Halves() {
			if isNaN16(uint16(h)) {
				h = 0x7e00
			}
			if h != tensor.Half(c.want[i]) {
				t.Errorf("%s(%04x, %04x): %04x, want %04x", c.name, ref.A[i], ref.B[i],
					uint16(h), c.want[i])
			}
		}
	}
	tenths := tensor.Full(0.1, 5000).To(tensor.Float16)
	for _, c := range []struct {
		name string
		got  *T
		want reference.Number
	}{
		{"ones", tensor.Ones(4096).To(tensor.Float16).Sum(), ref.Sums.Ones4096},
		{"tenths in float32", tenths.SumAs(tensor.Float32), ref.Sums.Tenth},
		{"tenths", tenths.Sum(), ref.Sums.Tenth16},
		{"overflow", tensor.Ones(70000).To(tensor.Float16).Sum(), ref.Sums.Ones70000},
	} {
		if got := c.got.Item(); got != float64(c.want) {
			t.Errorf("sum of %s: %v, want %v", c.name, got, float64(c.want))
		}
	}
}

func TestReferenceUnderflow(t *testing.T) {
	var ref struct {
		Values *reference.Tensor
		Rows   []struct {
			Scale                float64
			Zero, Subnormal, Inf int
			BF16Zero             int     `json:"bf16_zero"`
			RelativeError        float64 `json:"relerr_max_normal"`
		}
	}
	reference.Load(t, "underflow.json", &ref)
	x := ref.Values.Tensor()
	zeros := tensor.Statistics([]*T{x.Eq(0).To(tensor.Float32)}, 1)[0]
	already := zeros.Total - zeros.Zeros // inputs that are zero do not count
	for _, r := range ref.Rows {
		scaled := x.Mul(r.Scale)
		half := scaled.To(tensor.Float16)
		s := tensor.Statistics([]*T{x}, r.Scale)[0]
		if s.Zeros-already != r.Zero || s.Subnormals != r.Subnormal {
			t.Errorf("scale %v: %d zeros and %d subnormals, want %d and %d", r.Scale,
				s.Zeros-already, s.Subnormals, r.Zero, r.Subnormal)
		}
		if s := tensor.Statistics([]*T{half}, 1)[0]; s.Zeros-already != r.Zero ||
			s.Subnormals != r.Subnormal || s.Infs != r.Inf {
			t.Errorf("scale %v, in float16: %+v, want %+v", r.Scale, s, r)
		}
		if n := int(scaled.To(tensor.BFloat16).Eq(0).Sum().Item()) - already; n != r.BF16Zero {
			t.Errorf("scale %v: %d zeros in bfloat16, want %d", r.Scale, n, r.BF16Zero)
		}
		exact, rounded := scaled.Float64s(), half.Float64s()
		worst := 0.0
		for i, v := range exact {
			if a := math.Abs(rounded[i]); a >= 0x1p-14 && !math.IsInf(a, 0) {
				worst = max(worst, math.Abs(rounded[i]-v)/math.Abs(v))
			}
		}
		if math.Abs(worst-r.RelativeError) > 1e-6*r.RelativeError {
			t.Errorf("scale %v: relative error %v, want %v", r.Scale, worst, r.RelativeError)
		}
	}
}
