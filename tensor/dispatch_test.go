package tensor_test

import (
	"runtime"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// low casts every float32 argument of linear and matmul to float16, asks sum for float32, refuses
// log, and notes what it was asked.
type low struct{ asked []string }

func (s *low) Cast(op string, args []*T, dtype tensor.DType) ([]*T, tensor.DType) {
	s.asked = append(s.asked, op)
	switch op {
	case "log":
		panic(&tensor.Error{Op: op, Msg: "refused"})
	case "sum":
		if dtype == 0 {
			dtype = tensor.Float32
		}
	case "linear", "matmul":
		for i, a := range args {
			if a != nil && a.DType() == tensor.Float32 {
				args[i] = a.To(tensor.Float16)
			}
		}
	}
	return args, dtype
}

func (s *low) HasRule(op string) bool { return op == "sum" || op == "linear" || op == "matmul" }

func (s *low) Fresh() tensor.CastState { return s }

func TestCastState(t *testing.T) {
	x := tensor.Randn(2, 3)
	w := tensor.Randn(4, 3).SetRequiresGrad(true)
	s := &low{}
	var loss *T
	tensor.WithCastState(s, func() {
		equal(t, "current", tensor.CurrentCastState() == tensor.CastState(s), true)
		h := tensor.Linear(x, w, nil)
		equal(t, "linear", h.DType(), tensor.Float16)
		equal(t, "vector product", h.T().MatMul(x).DType(), tensor.Float16)
		equal(t, "sum", h.Sum().DType(), tensor.Float32)
		equal(t, "dtype given", h.SumAs(tensor.Float64).DType(), tensor.Float64)
		loss = tensor.CrossEntropy(h, tensor.New([]int{0, 1}))
	})
	equal(t, "asked", s.asked, []string{
		"linear", "matmul", "sum", "sum", "log_softmax", "nll_loss",
	})
	s.asked = nil
	tensor.WithCastState(s, func() { loss.Backward() })
	equal(t, "asked by backward", len(s.asked), 0)
	equal(t, "gradient", w.Grad().DType(), tensor.Float32)
	equal(t, "outside", tensor.Linear(x, w, nil).DType(), tensor.Float32)
}

func TestCastStateBelongsToTheGoroutine(t *testing.T) {
	s := &low{}
	tensor.WithCastState(s, func() {
		other := make(chan tensor.CastState)
		go func() { other <- tensor.CurrentCastState() }()
		equal(t, "another goroutine", <-other == nil, true)
		tensor.WithCastState(nil, func() {
			equal(t, "switched off", tensor.CurrentCastState() == nil, true)
		})
		equal(t, "on again", tensor.CurrentCastState() != nil, true)
	})
	equal(t, "a panic passes", reference.Mistake(func() {
		tensor.WithCastState(s, func() { tensor.Ones(1).Log() })
	}), "log: refused")
	equal(t, "after a panic", tensor.CurrentCastState() == nil, true)
	done := make(chan tensor.CastState)
	go func() {
		defer func() { done <- tensor.CurrentCastState() }()
		tensor.WithCastState(s, runtime.Goexit)
	}()
	equal(t, "after Goexit", <-done == nil, true)
}

// TestCastStateIsNotAsked: ops in place never ask, and an op built of others asks once.
func TestCastStateIsNotAsked(t *testing.T) {
	s := &low{}
	tensor.WithCastState(s, func() {
		x := tensor.Ones(2, 2)
		x.AddInPlace(1).MulInPlace(x).CopyFrom(tensor.Ones(1))
		x.To(tensor.Float16).Eq(1)
		tensor.MSELoss(x, x)
		x.Square()
		tensor.Stack([]*T{x, x}, 0)
		x.Addcmul(x, x, 2)
		x.Reshape(4).MatMul(x.Reshape(4))
		equal(t, "float64", reference.Mistake(func() { x.MatMul(x.To(tensor.Float64)) }),
			"matmul: dtypes float16 and float64 differ; convert one with To (autocast never casts "+
				"float64)")
	})
	equal(t, "asked", s.asked, []string{"mse_loss", "pow", "stack", "addcmul", "matmul", "matmul"})
}

// TestManyGoroutines: states of goroutines do not mix.
func TestManyGoroutines(t *testing.T) {
	done := make(chan bool)
	for range 100 {
		go func() {
			ok := true
			for i := range 50 {
				tensor.NoGrad(func() { ok = ok && !tensor.GradEnabled() })
				s := &low{}
				tensor.WithCastState(s, func() {
					runtime.Gosched()
					ok = ok && tensor.CurrentCastState() == tensor.CastState(s)
					ok = ok && tensor.Ones(64, 64).Add(i).Sum().Item() == float64(4096*(1+i))
				})
				ok = ok && tensor.CurrentCastState() == nil && tensor.GradEnabled()
			}
			done <- ok
		}()
	}
	for range 100 {
		if !<-done {
			t.Error("a goroutine saw another one's state")
		}
	}
}
