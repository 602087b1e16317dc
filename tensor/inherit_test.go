package tensor_test

import (
	"strings"
	"sync"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// on runs f on another goroutine and waits for it.
func on(f func()) {
	var wait sync.WaitGroup
	wait.Go(f)
	wait.Wait()
}

func TestInherit(t *testing.T) {
	state := &recorder{}
	tensor.NoGrad(func() {
		tensor.WithCastState(state, func() {
			tensor.DetectNonFinite(func() {
				with := tensor.Inherit()
				on(func() {
					if !tensor.GradEnabled() || tensor.CurrentCastState() != nil {
						t.Error("a new goroutine has a state")
					}
					with(func() {
						if tensor.GradEnabled() || tensor.CurrentCastState() != tensor.CastState(state) {
							t.Error("the state was not handed on")
						}
						got := reference.Mistake(func() { tensor.Zeros(1).Log() })
						if !strings.HasPrefix(got, "log: forward: ") {
							t.Errorf("%q: the search for what is not finite was not handed on", got)
						}
					})
					if !tensor.GradEnabled() || tensor.CurrentCastState() != nil {
						t.Error("the state stays")
					}
				})
			})
		})
	})
	outside := tensor.Inherit()
	tensor.NoGrad(func() {
		outside(func() {
			if !tensor.GradEnabled() {
				t.Error("NoGrad holds in the state of outside")
			}
		})
	})
}

// recorder is a cast state that changes nothing.
type recorder struct{}

func (*recorder) Cast(
	_ string, args []*tensor.Tensor, dtype tensor.DType,
) ([]*tensor.Tensor, tensor.DType) {
	return args, dtype
}

func (*recorder) HasRule(string) bool { return false }

func (r *recorder) Fresh() tensor.CastState { return r }
