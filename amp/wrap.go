package amp

import "halfnote/tensor"

// This file implements the decorator forms of autocast: functions whose body is a region. They are
// not generic, so that interpreted cells can call them; any other function fits into WrapFunc as a
// closure.

// Wrap returns f with its body in an [Autocast] region, each call in one of its own, on whatever
// goroutine it runs:
//
//	forward := amp.Wrap(model.Forward)
func Wrap(f func(x *tensor.Tensor) *tensor.Tensor) func(x *tensor.Tensor) *tensor.Tensor {
	return WrapWith(Config{}, f)
}

// WrapWith returns f with its body in an [AutocastWith] region described by cfg. A cfg that no
// region accepts panics at the first call.
func WrapWith(
	cfg Config, f func(x *tensor.Tensor) *tensor.Tensor,
) func(x *tensor.Tensor) *tensor.Tensor {
	checkFunction("wrap", f != nil)
	return func(x *tensor.Tensor) (y *tensor.Tensor) {
		AutocastWith(cfg, func() { y = f(x) })
		return y
	}
}

// Wrap2 is [Wrap] for a function of two tensors, such as a loss:
//
//	loss := amp.Wrap2(func(x, y *tensor.Tensor) *tensor.Tensor {
//		return nn.CrossEntropy(model.Forward(x), y)
//	})
func Wrap2(f func(a, b *tensor.Tensor) *tensor.Tensor) func(a, b *tensor.Tensor) *tensor.Tensor {
	checkFunction("wrap", f != nil)
	return func(a, b *tensor.Tensor) (y *tensor.Tensor) {
		Autocast(func() { y = f(a, b) })
		return y
	}
}

// WrapFunc is [Wrap] for a function without arguments and results.
func WrapFunc(f func()) func() {
	checkFunction("wrap", f != nil)
	return func() { Autocast(f) }
}
