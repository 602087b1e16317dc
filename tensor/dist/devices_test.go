//go:build cuda

package dist_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"halfnote/amp"
	"halfnote/internal/many"
	"halfnote/tensor"
	"halfnote/tensor/dist"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// These tests are of several devices in one program: the CPU, and all GPUs there are. The stand-in has
// two with HALFNOTE_STANDIN_DEVICES=2.

// gpus returns all GPUs.
func gpus(t *testing.T) (all []tensor.Device) {
	t.Helper()
	found, err := tensor.CUDADevices()
	if err != nil {
		t.Fatal(err)
	}
	for i := range found {
		all = append(all, tensor.CUDA(i))
	}
	if os.Getenv("HALFNOTE_LIBCUDA") != "" && len(all) < 2 {
		t.Fatal("HALFNOTE_STANDIN_DEVICES=2 gives the stand-in the two GPUs that this test needs")
	}
	return all
}

// eachPair calls f for every two devices, also for one twice.
func eachPair(t *testing.T, f func(t *testing.T, from, to tensor.Device)) {
	all := append(gpus(t), tensor.CPU)
	for _, from := range all {
		for _, to := range all {
			t.Run(fmt.Sprintf("%s/%s", from, to), func(t *testing.T) { f(t, from, to) })
		}
	}
}

// TestCUDADevicesCopy: tensors of all dtypes and layouts arrive as they were, what happens to one
// afterwards does not happen to the other, and gradients come back to where the tensor was.
func TestCUDADevicesCopy(t *testing.T) {
	eachPair(t, func(t *testing.T, from, to tensor.Device) {
		for _, d := range []tensor.DType{tensor.Float64, tensor.Float32, tensor.Float16, tensor.BFloat16, tensor.Int64, tensor.Bool} {
			for _, shape := range [][]int{{}, {7}, {3, 5}, {1, 0}, {3, 40_001}} {
				want := tensor.Randint(0, 100, shape...).To(d)
				x := want.To(from).Clone()
				views := []*tensor.Tensor{x}
				if x.Dim() == 2 {
					views = append(views, x.T(), x.Narrow(0, 1, x.Size(0)-1))
				}
				for _, v := range views {
					got := v.To(to)
					if got.Device() != to || !slices.Equal(got.Float64s(), v.Float64s()) {
						t.Errorf("%v of %v: %v", shape, d, got)
					}
				}
				got := x.To(to).Clone()
				before := x.To(to)
				x.ZeroInPlace()
				if from != to && !before.Equal(got) {
					t.Errorf("%v of %v was changed after its copy", shape, d)
				}
				x.CopyFrom(got)
				if !slices.Equal(x.Float64s(), want.Float64s()) {
					t.Errorf("%v of %v comes back as %v", shape, d, x)
				}
			}
		}
		x := tensor.Randn(3, 4).To(from).SetRequiresGrad(true)
		x.To(to).Square().Sum().To(from).Backward()
		if x.Grad().Device() != from || !slices.Equal(x.Grad().Float32s(), x.Mul(2).Float32s()) {
			t.Errorf("the gradient is %v", x.Grad())
		}
	})
}

// TestCUDADevicesOrder: each device goes on with what the other has computed, and memory that a copy
// reads or writes is nobody else's meanwhile.
func TestCUDADevicesOrder(t *testing.T) {
	eachPair(t, func(t *testing.T, a, b tensor.Device) {
		x, want := tensor.Zeros(9000).To(a), 0.0
		for i := range 40 {
			y := x.Add(float64(i)).To(b)
			z := y.Mul(0.5)
			y.Free()
			tensor.Full(math.NaN(), 9000).To(b).Free() // in the memory that y had
			x = z.To(a)
			if a != b {
				z.Free()
			}
			tensor.Full(math.NaN(), 9000).To(a).Free()
			want = float64(float32(want+float64(i)) / 2)
		}
		for _, v := range x.Float64s() {
			if v != want {
				t.Fatalf("%v, want %v", v, want)
			}
		}
	})
}

// TestCUDADevicesStreams: a copy is in order with the streams that its goroutine has on both devices, and
// with another's after Record there and Wait here; the memory of what was copied waits for the copy.
func TestCUDADevicesStreams(t *testing.T) {
	eachPair(t, func(t *testing.T, a, b tensor.Device) {
		sa, sb := tensor.NewStream(a), tensor.NewStream(b)
		if a == b {
			sb = sa
		}
		base, there := tensor.Ones(5000).To(a), tensor.Ones(5000).To(b)
		tensor.Synchronize(a)
		tensor.Synchronize(b)
		for i := range 10 {
			var x, y, z *tensor.Tensor
			sa.Do(func() {
				x = base.Mul(float64(i)).Add(1)
				sb.Do(func() { y = x.To(b).Add(there) })
			})
			done := tensor.NewEvent()
			sa.Record(done)
			tensor.CurrentStream(a).Wait(done)
			z = x.To(b).Mul(2) // in the first streams, while x is sa's
			if a != b {
				x.Free()
			}
			sa.Do(func() { base.Mul(math.NaN()).Free() }) // in the memory that x had
			sb.Synchronize()
			for name, c := range map[string]struct {
				got  *tensor.Tensor
				want float64
			}{"in its streams": {y, float64(i) + 2}, "in others": {z, 2 * (float64(i) + 1)}} {
				if v := c.got.Float64s(); slices.Min(v) != c.want || slices.Max(v) != c.want {
					t.Fatalf("%s: %v to %v, want %v", name, slices.Min(v), slices.Max(v), c.want)
				}
			}
		}
	})
}

// TestCUDADevicesTogether: goroutines with streams of their own compute on all devices and send each
// other what they have.
func TestCUDADevicesTogether(t *testing.T) {
	all := append(gpus(t), tensor.CPU)
	var wait sync.WaitGroup
	for i := range 12 {
		wait.Go(func() {
			for k := range 10 {
				a, b := all[(i+k)%len(all)], all[(i+2*k+1)%len(all)]
				tensor.NewStream(a).Do(func() {
					tensor.NewStream(b).Do(func() {
						x := tensor.Full(float64(i), 300).To(a)
						got := x.Add(float64(k)).To(b).Mul(2).To(a).Sub(x)
						if v := got.Float64s(); v[0] != float64(i+2*k) || v[299] != v[0] {
							t.Errorf("%v, want %d", v[0], i+2*k)
						}
					})
				})
			}
		})
	}
	wait.Wait()
}

// TestCUDADevicesMixed: an op that gets tensors of two devices says which, and all goes on.
func TestCUDADevicesMixed(t *testing.T) {
	type T = tensor.Tensor
	eachPair(t, func(t *testing.T, a, b tensor.Device) {
		if a == b {
			return
		}
		x, y := tensor.Randn(4, 4).To(a), tensor.Randn(4, 4).To(b)
		here, there := tensor.Arange(4).To(tensor.Int64).To(a), tensor.Arange(4).To(tensor.Int64).To(b)
		column := tensor.Zeros(4, 1).To(tensor.Int64).To(b)
		images, filters := tensor.Randn(1, 2, 4, 4).To(a), tensor.Randn(3, 2, 3, 3).To(b)
		same := filters.To(a)
		for name, f := range map[string]func(){
			"add":             func() { x.Add(y) },
			"add in place":    func() { x.AddInPlace(y) },
			"pow":             func() { x.Pow(y) },
			"less":            func() { x.Lt(y) },
			"maximum":         func() { x.Maximum(y) },
			"matmul":          func() { x.MatMul(y) },
			"bmm":             func() { x.Unsqueeze(0).BMM(y.Unsqueeze(0)) },
			"outer":           func() { x.Index(0).Outer(y.Index(0)) },
			"einsum":          func() { tensor.Einsum("ij,jk->ik", x, y) },
			"linear":          func() { tensor.Linear(x, x, y.Index(0)) },
			"where":           func() { tensor.Where(x.Gt(0), x, y) },
			"where condition": func() { tensor.Where(y.Gt(0), x, x) },
			"cat":             func() { tensor.Cat([]*T{x, y}, 0) },
			"stack":           func() { tensor.Stack([]*T{x, y}, 0) },
			"take":            func() { x.Take(there) },
			"take second":     func() { x.Take(0, there) },
			"gather":          func() { x.Gather(1, column) },
			"index_select":    func() { x.IndexSelect(0, there) },
			"take mask":       func() { x.IndexPutInPlace([]any{y.Gt(0)}, 1, false) },
			"index_put":       func() { x.IndexPutInPlace([]any{here}, y, false) },
			"scatter_add":     func() { x.ScatterAdd(1, column, x) },
			"index_add":       func() { x.IndexAdd(0, here, y) },
			"masked_fill":     func() { x.MaskedFill(y.Gt(0), 1) },
			"lerp":            func() { x.Lerp(y, 0.5) },
			"addcmul":         func() { x.Addcmul(x, y, 1) },
			"embedding":       func() { tensor.Embedding(x, there) },
			"conv2d":          func() { tensor.Conv2d(images, filters, nil) },
			"conv2d bias":     func() { tensor.Conv2d(images, same, tensor.Randn(3).To(b)) },
			"layer_norm":      func() { tensor.LayerNorm(x, []int{4}, y.Index(0), nil) },
			"batch_norm":      func() { tensor.BatchNorm(x, tensor.BatchNormConfig{Weight: y.Index(0), Training: true}) },
			"cross_entropy":   func() { tensor.CrossEntropy(x, there) },
			"mse":             func() { tensor.MSELoss(x, y) },
			"attention":       func() { tensor.ScaledDotProductAttention(x, x, y) },
			"attention keys":  func() { tensor.ScaledDotProductAttention(x, y, y) },
			"sgd":             func() { x.SGDInPlace(y, nil, tensor.SGDStep{LR: 1}) },
			"norm":            func() { x.Add(y.Norm(2)) },
		} {
			if b == tensor.CPU && strings.HasPrefix(name, "take") {
				continue // where positions may lie for every device
			}
			err := caught(f)
			var of *tensor.Error
			want := fmt.Sprintf("devices %s and %s differ; move one with To", a, b)
			other := fmt.Sprintf("devices %s and %s differ; move one with To", b, a)
			if !errors.As(err, &of) || !strings.HasSuffix(err.Error(), want) && !strings.HasSuffix(err.Error(), other) {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
		if got := x.Sub(x).Sum().Item() + y.Sub(y).Sum().Item(); got != 0 {
			t.Errorf("afterwards nothing is %v", got)
		}
	})
}

// TestCUDADevicesNone: what asks for a GPU that is not there is told how they are numbered.
func TestCUDADevicesNone(t *testing.T) {
	n := len(gpus(t))
	for _, i := range []int{-1, n, 7, 1000} {
		d := tensor.CUDA(i)
		want := fmt.Sprintf("there is no GPU %d: they are numbered 0 to %d", i, n-1)
		for name, f := range map[string]func(){
			"to":          func() { tensor.Ones(2).To(tensor.CPU).To(d) },
			"to from GPU": func() { tensor.Ones(2).To(tensor.CUDA(0)).To(d) },
			"nn.To":       func() { nn.To(nn.NewLinear(2, 2), d) },
			"memory":      func() { tensor.MemoryStats(d) },
			"peak":        func() { tensor.ResetPeakMemoryStats(d) },
			"empty cache": func() { tensor.EmptyCache(d) },
			"synchronize": func() { tensor.Synchronize(d) },
			"stream":      func() { tensor.NewStream(d) },
			"current":     func() { tensor.CurrentStream(d) },
			"parallel":    func() { dist.Scatter(tensor.Ones(4, 2), []tensor.Device{tensor.CUDA(0), d}) },
		} {
			if err := caught(f); err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
	}
}

// TestCUDADevicesMemory: each device counts its own memory, and gives back its own.
func TestCUDADevicesMemory(t *testing.T) {
	const bytes = 8 << 20
	all := append(gpus(t), tensor.CPU)
	for _, d := range all {
		others := map[tensor.Device]tensor.MemoryUse{}
		x := tensor.Ones(1).To(d)
		tensor.EmptyCache(d)
		tensor.ResetPeakMemoryStats(d)
		for _, o := range all {
			others[o] = tensor.MemoryStats(o)
		}
		big := x.Expand(bytes / 4).Clone()
		before, now := others[d], tensor.MemoryStats(d)
		if now.Device != d || now.Allocated < before.Allocated+bytes || now.Peak < bytes || now.Reserved < bytes ||
			now.Allocations <= before.Allocations {
			t.Errorf("%s: %+v after %+v", d, now, before)
		}
		big.Free()
		if then := tensor.MemoryStats(d); then.InUse > now.InUse-bytes || then.Peak != now.Peak {
			t.Errorf("%s: %+v after Free, before it %+v", d, then, now)
		}
		for _, o := range all {
			if o != d {
				tensor.EmptyCache(o)
			}
		}
		kept := tensor.MemoryStats(d).Reserved
		if d != tensor.CPU && kept < bytes {
			t.Errorf("%s: the others' EmptyCache leaves %d bytes", d, kept)
		}
		tensor.EmptyCache(d)
		if left := tensor.MemoryStats(d).Reserved; d != tensor.CPU && left > kept-bytes {
			t.Errorf("%s: EmptyCache leaves %d bytes of %d", d, left, kept)
		}
		for _, o := range all {
			if now := tensor.MemoryStats(o); o != d && (now.Allocated != others[o].Allocated || now.Peak != others[o].Peak) {
				t.Errorf("%s counts what %s does: %+v after %+v", o, d, now, others[o])
			}
		}
	}
}

// TestCUDADevicesRandom: random numbers do not depend on where they are drawn, nor on the order of devices.
func TestCUDADevicesRandom(t *testing.T) {
	draw := func(devices ...tensor.Device) (all [][]float64) {
		g := tensor.NewGenerator(7)
		for i := range 6 {
			d := devices[i%len(devices)]
			x := tensor.Zeros(333).To(d)
			all = append(all, x.UniformInPlace(-1, 1, g).Float64s(), x.NormalInPlace(2, 3, g).Float64s(),
				x.BernoulliInPlace(0.3, g).Float64s(), nn.NewDropout(0.5, g).Forward(tensor.Ones(100).To(d)).Float64s())
		}
		return all
	}
	want := draw(tensor.CPU)
	all := append(gpus(t), tensor.CPU)
	for _, devices := range [][]tensor.Device{all[:1], all[len(all)-2 : len(all)-1], all} {
		for i, v := range draw(devices...) {
			if !slices.Equal(v, want[i]) {
				t.Errorf("draw %d on %v gives others", i, devices)
			}
		}
	}
}

// A split network has its first layer on one device and its second on another.
type split struct {
	first, second *nn.Linear
	at            tensor.Device // of the second
}

func (s *split) Forward(x *tensor.Tensor) *tensor.Tensor {
	return s.second.Forward(s.first.Forward(x).Tanh().To(s.at))
}

// trained trains a network of linear layers from fixed numbers in float16, with steps that overflow,
// and returns the losses, the scales and all parameters.
func trained(t *testing.T, opt func(ps []*tensor.Tensor) optim.Optimizer,
	network func(first, second *nn.Linear) nn.Module, at tensor.Device) (losses, scales, params []float64) {
	g := tensor.NewGenerator(3)
	numbers := func(shape ...int) *tensor.Tensor {
		return tensor.Zeros(shape...).To(tensor.CPU).NormalInPlace(0, 0.5, g)
	}
	first, second := nn.NewLinear(6, 12), nn.NewLinear(12, 3)
	for _, p := range append(nn.Parameters(first), nn.Parameters(second)...) {
		p.SetData(numbers(p.Shape()...))
	}
	m := network(first, second)
	o := opt(nn.Parameters(m))
	scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 256, GrowthInterval: 3})
	for step := range 8 {
		x, want := numbers(5, 6).To(at), numbers(5, 3)
		o.ZeroGrad()
		var loss *tensor.Tensor
		amp.Autocast(func() {
			out := m.Forward(x)
			loss = nn.MSELoss(out, want.To(out.Device()))
		})
		factor := 1.0
		if step == 2 || step == 5 {
			factor = 1e38
		}
		scaler.Scale(loss.Mul(factor)).Backward()
		scaler.Unscale(o)
		norm := nn.ClipGradNorm(nn.Parameters(m), 0.5)
		if r := scaler.Step(o); r.Skipped() != (factor > 1) || factor == 1 && math.IsInf(norm.Item(), 0) {
			t.Errorf("step %d: %v, norm %v", step, r, norm.Item())
		}
		scaler.Update()
		losses, scales = append(losses, loss.Item()), append(scales, scaler.LossScale())
	}
	for _, p := range append(nn.Parameters(first), nn.Parameters(second)...) {
		params = append(params, p.Float64s()...)
	}
	return losses, scales, params
}

// similar lets numbers differ by what roundings to float16 may change in 8 steps.
func similar(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 5e-3*(1+math.Abs(y)) })
}

// TestCUDADevicesTrain: networks whose parameters are on several devices, and replicas on several, learn
// with one optimizer and one GradScaler what one does on the CPU.
func TestCUDADevicesTrain(t *testing.T) {
	all := gpus(t)
	a, b := all[0], all[len(all)-1]
	whole := func(at tensor.Device) func(first, second *nn.Linear) nn.Module {
		return func(first, second *nn.Linear) nn.Module {
			m := nn.NewSequential(first, nn.NewTanh(), second)
			nn.To(m, at)
			return m
		}
	}
	for name, opt := range map[string]func(ps []*tensor.Tensor) optim.Optimizer{
		"sgd": func(ps []*tensor.Tensor) optim.Optimizer {
			return optim.NewSGD(ps, optim.SGDConfig{LR: 0.1, Momentum: 0.9})
		},
		"adamw": func(ps []*tensor.Tensor) optim.Optimizer {
			return optim.NewAdamW(ps, optim.AdamWConfig{LR: 0.01, WeightDecay: 0.1, Eps: 1e-3})
		},
		"rmsprop": func(ps []*tensor.Tensor) optim.Optimizer {
			return optim.NewRMSprop(ps, optim.RMSpropConfig{LR: 0.01, Eps: 1e-2})
		},
	} {
		losses, scales, params := trained(t, opt, whole(tensor.CPU), tensor.CPU)
		for _, test := range []struct {
			name    string
			network func(first, second *nn.Linear) nn.Module
			at      tensor.Device // of the inputs
		}{
			{"one", whole(b), b},
			{"split", func(first, second *nn.Linear) nn.Module {
				nn.To(first, a)
				nn.To(second, b)
				return &split{first, second, b}
			}, a},
			{"split with the CPU", func(first, second *nn.Linear) nn.Module {
				nn.To(first, b)
				nn.To(second, tensor.CPU)
				return &split{first, second, tensor.CPU}
			}, b},
			{"parallel", func(first, second *nn.Linear) nn.Module {
				return dist.DataParallel(whole(a)(first, second), a, b)
			}, a},
			{"parallel from the other", func(first, second *nn.Linear) nn.Module {
				return dist.DataParallel(whole(b)(first, second), b, a, b)
			}, tensor.CPU},
		} {
			t.Run(name+"/"+test.name, func(t *testing.T) {
				gotLosses, gotScales, gotParams := trained(t, opt, test.network, test.at)
				if !slices.Equal(gotScales, scales) {
					t.Errorf("scales %v, want %v", gotScales, scales)
				}
				if !similar(gotLosses, losses) {
					t.Errorf("losses %v, want %v", gotLosses, losses)
				}
				if !similar(gotParams, params) {
					t.Errorf("parameters %v, want %v", gotParams, params)
				}
			})
		}
	}
}

// TestCUDADevicesDoNotWait: training on several GPUs waits for none of them until a value is read.
func TestCUDADevicesDoNotWait(t *testing.T) {
	all := gpus(t)
	a, b := all[0], all[len(all)-1]
	for name, network := range map[string]func(first, second *nn.Linear) nn.Module{
		"split": func(first, second *nn.Linear) nn.Module {
			nn.To(second, b)
			return &split{first, second, b}
		},
		"parallel": func(first, second *nn.Linear) nn.Module {
			nn.To(second, a)
			return dist.DataParallel(nn.NewSequential(first, nn.NewTanh(), second), a, b)
		},
	} {
		t.Run(name, func(t *testing.T) {
			first, second := nn.NewLinear(6, 12), nn.NewLinear(12, 3)
			nn.To(first, a)
			m := network(first, second)
			params := nn.Parameters(m)
			opt := optim.NewAdamW(params, optim.AdamWConfig{LR: 0.01})
			scaler := amp.NewGradScaler(amp.ScalerConfig{})
			x, y := tensor.Randn(4, 6).To(a), tensor.Randn(4, 3).To(a)
			before := first.Weight.Float32s()
			step := func() {
				opt.ZeroGrad()
				var loss *tensor.Tensor
				amp.Autocast(func() { loss = nn.MSELoss(m.Forward(x).To(a), y) })
				scaler.Scale(loss).Backward()
				scaler.Unscale(opt)
				nn.ClipGradNorm(params, 1)
				scaler.Step(opt)
				scaler.Update()
			}
			step() // where what is kept is made
			many.OnWait(func() { t.Errorf("waits:\n%s", debug.Stack()) })
			for range 4 {
				step()
			}
			many.OnWait(nil)
			if slices.Equal(first.Weight.Float32s(), before) {
				t.Error("nothing was learnt")
			}
		})
	}
}
