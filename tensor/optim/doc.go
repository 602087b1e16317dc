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
// SGD, Adam and AdamW are here; schedules of the learning rate are not yet: use SetLR.
package optim
