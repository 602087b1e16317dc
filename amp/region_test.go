package amp_test

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/reference"
)

func TestState(t *testing.T) {
	check := func(where, want string) {
		t.Helper()
		if got := amp.CaptureState().String(); got != want {
			t.Errorf("%s: %q, want %q", where, got, want)
		}
	}
	check("outside", "autocast off")
	if got := amp.CurrentDType(); got != tensor.Float16 {
		t.Errorf("dtype outside %v, want float16, the default", got)
	}
	cfg := amp.Config{DType: tensor.BFloat16, Policy: amp.CPUPolicy(), NoCache: true}
	amp.AutocastWith(cfg, func() {
		check("region", "autocast to bfloat16, cpu policy, no cache")
		amp.AutocastWith(amp.Config{Disabled: true, DType: tensor.Float16}, func() {
			check("disabled", "autocast off")
			if got := amp.CurrentDType(); got != tensor.Float16 {
				t.Errorf("dtype of the disabled region %v, want the one noted, float16", got)
			}
			amp.Autocast(func() { check("in disabled", "autocast to float16, cpu policy, no cache") })
		})
		amp.AutocastWith(amp.Config{Cache: true}, func() {
			check("cache again", "autocast to bfloat16, cpu policy")
			amp.Autocast(func() { check("inherited", "autocast to bfloat16, cpu policy") })
		})
		check("region again", "autocast to bfloat16, cpu policy, no cache")
	})
	check("outside again", "autocast off")
}

// A worker's goroutine has no state of its own, and gets all of the one it is given.
func TestStateWith(t *testing.T) {
	var without, with, after string
	cfg := amp.Config{DType: tensor.BFloat16, Policy: amp.CPUPolicy()}
	amp.AutocastWith(cfg, func() {
		state := amp.CaptureState()
		var wait sync.WaitGroup
		wait.Go(func() {
			without = amp.CaptureState().String()
			state.With(func() { with = lowDType().String() })
			after = amp.CaptureState().String()
		})
		wait.Wait()
	})
	if without != "autocast off" || with != "bfloat16" || after != "autocast off" {
		t.Errorf("worker: %q, with the state %q, then %q: want off, bfloat16, off",
			without, with, after)
	}
	amp.Autocast(func() {
		amp.State{}.With(func() {
			if amp.Enabled() {
				t.Error("the state of outside leaves the region on")
			}
		})
	})
}

// A state that outlives its region works on, and keeps no casts.
func TestStateOutlivesRegion(t *testing.T) {
	var state amp.State
	amp.Autocast(func() { state = amp.CaptureState() })
	w := weight(2, 2)
	state.With(func() {
		if got := lowDType(); got != tensor.Float16 {
			t.Errorf("matmul gives %v, want float16", got)
		}
		if keeps(w) {
			t.Error("casts are kept behind the end of the region")
		}
	})
}

func TestRegionDevice(t *testing.T) {
	onCPU := func() tensor.DType {
		x := tensor.Ones(2, 2).To(tensor.CPU)
		return x.MatMul(x).DType()
	}
	amp.AutocastWith(amp.Config{Device: "cuda"}, func() {
		if got, want := amp.Enabled(), tensor.CUDAAvailable(); got != want {
			t.Errorf("cuda region: enabled %v, want %v as there is a GPU or not", got, want)
		}
		if got := onCPU(); got != tensor.Float32 {
			t.Errorf("cuda region: matmul on the CPU gives %v, want float32", got)
		}
		amp.AutocastWith(amp.Config{Device: "cpu", DType: tensor.BFloat16}, func() {
			if got := onCPU(); got != tensor.BFloat16 {
				t.Errorf("cpu region in it: matmul gives %v, want bfloat16", got)
			}
		})
	})
	amp.AutocastWith(amp.Config{DType: tensor.BFloat16}, func() {
		amp.AutocastWith(amp.Config{Device: "cuda", Disabled: true}, func() {
			if got := onCPU(); got != tensor.BFloat16 {
				t.Errorf("in a disabled cuda region: matmul gives %v, want bfloat16", got)
			}
		})
		amp.AutocastWith(amp.Config{Device: "cpu", Disabled: true}, func() {
			if got := onCPU(); got != tensor.Float32 {
				t.Errorf("in a disabled cpu region: matmul gives %v, want float32", got)
			}
		})
	})
}

func TestRegionErrors(t *testing.T) {
	for _, test := range []struct {
		cfg  amp.Config
		want string
	}{
		{amp.Config{Device: "tpu"},
			`autocast: device "tpu" is not known: use "cpu", "cuda", or "" for both`},
		{amp.Config{Cache: true, NoCache: true},
			"autocast: Cache and NoCache are both set: choose one"},
		{amp.Config{DType: tensor.Float32},
			"autocast: dtype float32 is not a 16-bit format: use float16 or bfloat16, " +
				"or set Disabled to compute without casts"},
		{amp.Config{DType: tensor.Int64, Disabled: true},
			"autocast: dtype int64 is not a 16-bit format: use float16 or bfloat16, " +
				"or set Disabled to compute without casts"},
		{amp.Config{DType: tensor.Float32, Disabled: true}, "no panic"},
	} {
		if got := mistake(t, func() { amp.AutocastWith(test.cfg, func() {}) }); got != test.want {
			t.Errorf("%+v: %q, want %q", test.cfg, got, test.want)
		}
	}
}

// TestNilFunctions: what is to run in a region must be there.
func TestNilFunctions(t *testing.T) {
	for want, fs := range map[string][]func(){
		"autocast: the function is nil": {
			func() { amp.Autocast(nil) },
			func() { amp.AutocastWith(amp.Config{Disabled: true}, nil) },
		},
		"wrap: the function is nil": {
			func() { amp.Wrap(nil) }, func() { amp.WrapWith(amp.Config{}, nil) },
			func() { amp.Wrap2(nil) }, func() { amp.WrapFunc(nil) },
		},
		"custom_fwd: the function is nil": {func() { amp.CustomFwd(nil) }},
		"custom_bwd: the function is nil": {func() { amp.CustomBwd(nil) }},
	} {
		for _, f := range fs {
			if got := mistake(t, f); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	}
}

// mistake returns the text of the *amp.Error that f panics with.
func mistake(t *testing.T, f func()) (text string) {
	t.Helper()
	defer func() {
		switch e := recover().(type) {
		case nil:
			text = "no panic"
		case *amp.Error:
			text = e.Error()
		default:
			t.Fatalf("panic with %v (%T), not an *amp.Error", e, e)
		}
	}()
	f()
	return ""
}

func TestWrap(t *testing.T) {
	x := tensor.Ones(2, 2)
	mm := func(a, b *tensor.Tensor) *tensor.Tensor { return a.MatMul(b) }
	square := func(a *tensor.Tensor) *tensor.Tensor { return a.MatMul(a) }
	var inside tensor.DType
	amp.WrapFunc(func() { inside = lowDType() })()
	for name, got := range map[string]tensor.DType{
		"Wrap":     amp.Wrap(square)(x).DType(),
		"Wrap2":    amp.Wrap2(mm)(x, x).DType(),
		"WrapFunc": inside,
	} {
		if got != tensor.Float16 {
			t.Errorf("%s: %v, want float16", name, got)
		}
	}
	wrapped := amp.WrapWith(amp.Config{DType: tensor.BFloat16}, square)
	if got := wrapped(x).DType(); got != tensor.BFloat16 {
		t.Errorf("WrapWith: %v, want bfloat16", got)
	}
	// What Wrap gives is for any goroutine: each call is a region of the one that calls.
	var other tensor.DType
	var wait sync.WaitGroup
	wait.Go(func() { other = wrapped(x).DType() })
	wait.Wait()
	if other != tensor.BFloat16 {
		t.Errorf("on another goroutine: %v, want bfloat16", other)
	}
}

// Each op's gradient is computed in its forward's dtype, whatever the state when Backward is
// called: 1e-8 is below float16's range and not below that of the other two formats.
func TestBackwardDType(t *testing.T) {
	grad := func(forward, backward amp.Config) float64 {
		w := tensor.Ones(1, 1).SetRequiresGrad(true)
		var loss *tensor.Tensor
		amp.AutocastWith(forward, func() {
			loss = tensor.Linear(tensor.Ones(1, 1), w, nil).To(tensor.Float32).Mul(1e-8).Sum()
		})
		amp.AutocastWith(backward, func() { loss.Backward() })
		if got := w.Grad().DType(); got != tensor.Float32 {
			t.Errorf("the gradient is %v, want the weight's float32", got)
		}
		return w.Grad().Item()
	}
	f16, bf16 := amp.Config{DType: tensor.Float16}, amp.Config{DType: tensor.BFloat16}
	off := amp.Config{Disabled: true}
	for _, backward := range []amp.Config{f16, bf16, off} {
		if got := grad(f16, backward); got != 0 {
			t.Errorf("float16 forward, backward in %+v: %g, want 0", backward, got)
		}
		if got := grad(bf16, backward); got < 0.99e-8 || got > 1.01e-8 {
			t.Errorf("bfloat16 forward, backward in %+v: %g, want 1e-8", backward, got)
		}
		if got := grad(off, backward); got != float64(float32(1e-8)) {
			t.Errorf("float32 forward, backward in %+v: %g, want 1e-8", backward, got)
		}
	}
}

// A bfloat16 tensor in a float16 region: the low and the float32 ops cast it, promotion refuses it.
func TestOtherHalf(t *testing.T) {
	other := tensor.Ones(2, 2).To(tensor.BFloat16)
	half, single := tensor.Ones(2, 2).To(tensor.Float16), tensor.Ones(2, 2)
	amp.Autocast(func() {
		for name, test := range map[string]struct {
			got  *tensor.Tensor
			want tensor.DType
		}{
			"low":      {other.MatMul(half), tensor.Float16},
			"low_both": {other.MatMul(other), tensor.Float16},
			"float32":  {other.Exp(), tensor.Float32},
			"by_dtype": {other.Sum(), tensor.Float32},
			"kept":     {other.ReLU(), tensor.BFloat16},
			"native":   {other.Add(half), tensor.Float32},
		} {
			if got := test.got.DType(); got != test.want {
				t.Errorf("%s: %v, want %v", name, got, test.want)
			}
		}
		ask := func(a, b *tensor.Tensor) func() {
			return func() { tensor.CurrentCastState().Cast("dot", []*tensor.Tensor{a, b}, 0) }
		}
		for _, pair := range [][2]*tensor.Tensor{{half, other}, {single, other}} {
			want := "dot: argument 1 is bfloat16 in a float16 region: promotion between the two is " +
				"not defined; cast it with To"
			if got := mistake(t, ask(pair[0], pair[1])); got != want {
				t.Errorf("promotion: %q, want %q", got, want)
			}
		}
	})
}

// An outside float16 tensor is not cast up in a disabled region.
func TestDisabledDoesNotCastUp(t *testing.T) {
	half, single := tensor.Ones(2, 2).To(tensor.Float16), tensor.Ones(2, 2)
	amp.AutocastWith(amp.Config{Disabled: true}, func() {
		defer func() {
			e, ok := recover().(*tensor.Error)
			if !ok || !strings.Contains(e.Error(), "float16 and float32 differ") {
				t.Errorf("%v, want an error about float16 and float32", e)
			}
		}()
		half.MatMul(single)
	})
}

// An explicit dtype wins over the policy, and integers pass.
func TestExplicitDType(t *testing.T) {
	half, ints := tensor.Ones(2, 2).To(tensor.Float16), tensor.New([]int{1, 2})
	amp.Autocast(func() {
		for name, test := range map[string]struct{ got, want tensor.DType }{
			"softmax_float16": {half.Softmax(-1, tensor.Float16).DType(), tensor.Float16},
			"softmax":         {half.Softmax(-1).DType(), tensor.Float32},
			"sum_float64":     {half.SumAs(tensor.Float64).DType(), tensor.Float64},
			"sum_ints":        {ints.Sum().DType(), tensor.Int64},
			"sum_bools":       {ints.To(tensor.Bool).Sum().DType(), tensor.Int64},
			"add_ints":        {ints.Add(ints).DType(), tensor.Int64},
		} {
			if test.got != test.want {
				t.Errorf("%s: %v, want %v", name, test.got, test.want)
			}
		}
	})
}

func TestClearCache(t *testing.T) {
	amp.ClearCache() // outside of all regions there is nothing to clear
	w := weight(2, 2)
	amp.Autocast(func() {
		kept := casts(w)
		amp.Autocast(amp.ClearCache)
		if casts(w) == kept {
			t.Error("the cast is still kept")
		}
		if !keeps(w) {
			t.Error("nothing is kept behind ClearCache")
		}
	})
	amp.AutocastWith(amp.Config{NoCache: true}, func() {
		amp.AutocastWith(amp.Config{Cache: true}, func() {
			if !keeps(w) {
				t.Error("Cache does not end NoCache")
			}
		})
		if keeps(w) {
			t.Error("NoCache is not back")
		}
	})
}

// A weight that is frozen and thawed in a region gets its gradient: the cast from before belongs to
// the leaf that it was.
func TestCacheThawed(t *testing.T) {
	w, x := weight(2, 2), tensor.Ones(3, 2)
	amp.Autocast(func() {
		before := casts(w)
		w.SetRequiresGrad(false)
		if frozen := casts(w); frozen == before || frozen.RequiresGrad() {
			t.Error("a frozen weight's cast is the one from before, with a gradient")
		}
		w.SetRequiresGrad(true)
		loss := tensor.Linear(x, w, nil).Sum()
		if tensor.Grad([]*tensor.Tensor{loss}, []*tensor.Tensor{w})[0] == nil {
			t.Error("no gradient")
		}
		if !keeps(w) {
			t.Error("the cast of the thawed weight is not kept")
		}
	})
}

// The casts and the regions of many goroutines are garbage once these are done.
func TestRegionsLeaveNothing(t *testing.T) {
	const goroutines = 8
	regions := reference.Fewer(1000, 50)
	w := weight(64, 64)
	work := func() {
		var wait sync.WaitGroup
		for range goroutines {
			wait.Go(func() {
				x := tensor.Ones(1, 64)
				for i := range regions {
					amp.AutocastWith(amp.Config{DType: []tensor.DType{
						tensor.Float16, tensor.BFloat16}[i%2]}, func() {
						own := tensor.Ones(8, 64).SetRequiresGrad(true)
						tensor.Linear(tensor.Linear(x, w, nil), own, nil)
					})
				}
			})
		}
		wait.Wait()
	}
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc) - tensor.MemoryStats().Reserved // which is used again
	}
	work()
	// A leak of 16 bytes for each region would show, every time. Buffers that the products of so
	// many goroutines use at once are kept, and come to no more from some time on.
	var before, after int64
	for range 12 {
		before = heap()
		work()
		if after = heap(); after <= before+int64(goroutines*regions*16) {
			break
		}
	}
	if after > before+int64(goroutines*regions*16) {
		t.Errorf("the heap grew from %d to %d bytes over %d regions",
			before, after, goroutines*regions)
	}
	if amp.Enabled() {
		t.Error("a region is open")
	}
}

// TestCPUPolicy holds the CPU list against its description: what it lowers, and what it leaves.
func TestCPUPolicy(t *testing.T) {
	p := amp.CPUPolicy()
	for rule, ops := range map[amp.Rule]string{
		amp.Low:     "linear matmul mm bmm addmm baddbmm conv2d conv_transpose2d prelu",
		amp.Float32: "mse_loss binary_cross_entropy prod trace fft_rfft linalg_inv avg_pool3d ctc_loss",
		amp.Promote: "cat stack index_copy",
		amp.Untouched: "mv addmv addr dot exp log pow softmax log_softmax sum layer_norm norm " +
			"cumsum gelu",
	} {
		for _, op := range strings.Fields(ops) {
			if got := p.Rule(op); got != rule {
				t.Errorf("%s: %v, want %v", op, got, rule)
			}
		}
	}
	if refused := p.Ops(amp.Refused); len(refused) != 0 {
		t.Errorf("%v are refused, want none", refused)
	}
	if !slices.IsSorted(p.Ops(amp.Low)) {
		t.Error("Ops is not sorted")
	}
	half := tensor.Ones(2, 2).To(tensor.Float16)
	amp.AutocastWith(amp.Config{Policy: p}, func() {
		if got := half.Exp().Sum().DType(); got != tensor.Float16 {
			t.Errorf("exp and sum give %v, want float16", got)
		}
		both := tensor.Cat([]*tensor.Tensor{half, tensor.Ones(2, 2)}, 0)
		if got := both.DType(); got != tensor.Float32 {
			t.Errorf("cat of float16 and float32 gives %v, want float32", got)
		}
	})
}

// TestRareOps: ops of the lists that the reference file has no rows for.
func TestRareOps(t *testing.T) {
	type binary = func(a, b *tensor.Tensor) *tensor.Tensor
	single, half := tensor.Full(0.5, 3, 3), tensor.Full(0.5, 3, 3).To(tensor.Float16)
	nearest := func(a, _ *tensor.Tensor) *tensor.Tensor {
		return a.Unsqueeze(0).Interpolate(tensor.InterpolateConfig{Mode: "nearest-exact",
			Scale: []float64{2}})
	}
	for name, test := range map[string]struct {
		f    binary
		want [3]tensor.DType // of float32 and float32, float16 and float16, float16 and float32
	}{
		"nearest-exact": {nearest, [3]tensor.DType{tensor.Float32, tensor.Float32, tensor.Float32}},
		"dist": {func(a, b *tensor.Tensor) *tensor.Tensor { return a.Dist(b, 2) },
			[3]tensor.DType{tensor.Float32, tensor.Float32, tensor.Float32}},
		"cdist": {func(a, b *tensor.Tensor) *tensor.Tensor { return tensor.CDist(a, b, 2) },
			[3]tensor.DType{tensor.Float32, tensor.Float32, tensor.Float32}},
		"pdist": {func(a, _ *tensor.Tensor) *tensor.Tensor { return a.PDist(2) },
			[3]tensor.DType{tensor.Float32, tensor.Float32, tensor.Float32}},
		"renorm": {func(a, _ *tensor.Tensor) *tensor.Tensor { return a.Renorm(2, 0, 1) },
			[3]tensor.DType{tensor.Float32, tensor.Float32, tensor.Float32}},
		"vecdot": {func(a, b *tensor.Tensor) *tensor.Tensor { return a.Vecdot(b, 0) },
			[3]tensor.DType{tensor.Float16, tensor.Float16, tensor.Float16}},
		"cross": {func(a, b *tensor.Tensor) *tensor.Tensor { return a.Cross(b, 0) },
			[3]tensor.DType{tensor.Float32, tensor.Float16, tensor.Float32}},
		"bilinear": {func(a, b *tensor.Tensor) *tensor.Tensor {
			return tensor.Bilinear(a, b, a.Reshape(1, 3, 3), nil)
		}, [3]tensor.DType{tensor.Float32, tensor.Float16, tensor.Float32}},
	} {
		for i, in := range [3][2]*tensor.Tensor{{single, single}, {half, half}, {half, single}} {
			var got tensor.DType
			amp.Autocast(func() { got = test.f(in[0], in[1]).DType() })
			if got != test.want[i] {
				t.Errorf("%s of %v and %v gives %v, want %v", name, in[0].DType(), in[1].DType(),
					got, test.want[i])
			}
		}
	}
}

// TestCPUPolicyCrossEntropy: the CPU policy names the whole of cross entropy, so that its
// log_softmax is computed in float32, too, although log_softmax by itself is not.
func TestCPUPolicyCrossEntropy(t *testing.T) {
	logits := tensor.FromFloat32([]float32{0.1, 2, -3, 0.7, 0.3, 5}, 2, 3).To(tensor.BFloat16)
	weight := tensor.FromFloat32([]float32{0.3, 0.5, 2}, 3)
	for name, target := range map[string]*tensor.Tensor{
		"classes":       tensor.FromInt64([]int64{2, 0}, 2),
		"probabilities": tensor.FromFloat32([]float32{0.1, 0.2, 0.7, 0.3, 0.3, 0.4}, 2, 3),
	} {
		loss := func(x, w *tensor.Tensor) *tensor.Tensor {
			return tensor.CrossEntropy(x, target, tensor.LossConfig{Weight: w})
		}
		want := loss(logits.To(tensor.Float32), weight)
		region := amp.Config{DType: tensor.BFloat16, Policy: amp.CPUPolicy()}
		amp.AutocastWith(region, func() {
			got := loss(logits, weight.To(tensor.Float32))
			if got.DType() != tensor.Float32 || got.Item() != want.Item() {
				t.Errorf("%s: loss %v (%v), want %v", name, got.Item(), got.DType(), want.Item())
			}
			if got := logits.LogSoftmax(1).DType(); got != tensor.BFloat16 {
				t.Errorf("log_softmax gives %v, want bfloat16", got)
			}
		})
	}
}
