// Package amp trains networks in mixed precision, with PyTorch's automatic mixed precision in Go:
// [Autocast] chooses a dtype for each op, and [GradScaler] keeps small gradients out of float16's
// reach of zero.
//
//	scaler := amp.NewGradScaler(amp.ScalerConfig{})
//	for x, y := range train.Batches(128) {
//		opt.ZeroGrad()
//		var loss *tensor.Tensor
//		amp.Autocast(func() { // forward and loss in float16 where that is safe
//			loss = nn.CrossEntropy(model.Forward(x), y)
//		})
//		scaler.Scale(loss).Backward() // outside of the region
//		scaler.Unscale(opt)           // only where gradients are read or clipped
//		nn.ClipGradNorm(nn.Parameters(model), 1)
//		scaler.Step(opt) // skipped when a gradient is inf or NaN
//		scaler.Update()
//	}
//
// Parameters stay float32. A fresh scaler often skips its first steps: it begins at 65536 and
// halves until the gradients fit.
//
// # Order of work
//
// Autocast looks each op up in a [Policy], which is a table of names, and casts its arguments; what
// is cast of a weight is kept until the outermost region ends. Backward follows the recorded casts
// back, so that each gradient is computed in the dtype of its forward. The scaler's four calls come
// in the order above; anything else panics with an [*Error] that names the rule.
//
// Regions nest: one inside another has the outer one's dtype and policy unless it says otherwise,
// and one that is Disabled computes as outside. They belong to a goroutine; [CaptureState] hands
// one to a worker, and [Wrap] makes a function that opens its own.
//
// What differs from PyTorch is said in the comments of [AutocastWith] and [GradScaler].
package amp
