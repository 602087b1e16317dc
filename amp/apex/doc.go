// Package apex trains as NVIDIA's apex did before PyTorch had automatic mixed precision: by
// optimization levels that are set once, for a whole program, instead of regions.
//
//	a := apex.Initialize([]nn.Module{net}, []optim.Optimizer{sgd}, apex.Config{OptLevel: apex.O2})
//	model, opt := a.Models[0], a.Optimizers[0]
//	for x, y := range train.Batches(128) {
//		opt.ZeroGrad()
//		loss := nn.CrossEntropy(model.Forward(x), y)
//		apex.ScaleLoss(loss, a.Optimizers, apex.ScaleLossConfig{}, func(scaled *tensor.Tensor) {
//			scaled.Backward()
//		})
//		nn.ClipGradNorm(apex.MasterParams(opt), 1) // unscaled by the end of the block
//		opt.Step()                                 // skipped when the block found an overflow
//	}
//
// It is here to compare with: [O2] and [O3] keep the model itself in float16, which native autocast
// gave up, and show why. [Levels] tells what each level costs in memory, and [Amp.Memory] what a
// program really uses. For work, use package amp.
//
// # Differences from apex
//
// Nothing is global: what Initialize returns holds all, and ScaleLoss finds it by the optimizers.
// O1 opens an autocast region around the model's Forward, by the policy of package amp, where apex
// patches functions for the whole process; a Model returns float32 at this level too, as the losses
// that apex patches would cast. Settings that apex warns of are errors. An optimizer's state dict
// holds its master weights, so that a resumed run is equal bit for bit.
package apex
