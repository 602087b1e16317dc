// Package optim updates parameters from their gradients.
//
//	opt := optim.NewAdam(nn.Parameters(model), optim.AdamConfig{LR: 1e-3})
//	for x, y := range train.Batches(128) {
//		opt.ZeroGrad()
//		nn.CrossEntropy(model.Forward(x), y).Backward()
//		opt.Step()
//	}
//
// The optimizers are PyTorch's, with its options, its defaults and its order of operations, so that
// float32 rounds at the same places; a parameter without a gradient is left alone and its step does
// not count. One thing differs: zero in a config always means the field's documented default, so LR
// must be given, and AdamW's weight decay too.
//
// Parameters may come in groups with options of their own: see AddGroup and Group. With a
// GradScaler, call its Step with the optimizer instead of the optimizer's own.
//
// The state of a parameter has its dtype, as in PyTorch: in float16 an ε of 1e-8 and squares below
// 6e-8 vanish, and small updates are lost. Train float32 parameters under autocast instead.
//
// A [Schedule] moves the learning rates along a [Curve], a [Plateau] by a metric; both are stepped
// after the optimizer, and StepAfter leaves out steps that a GradScaler skipped. An [EMA] keeps an
// average of the weights. All of them have StateDict and LoadStateDict: a run saved in the middle
// and resumed is equal, bit for bit, to one that was not.
package optim
