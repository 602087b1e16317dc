// Package dist trains one model on several devices.
//
// [DataParallel] is the form for one process: each call of Forward splits the batch, runs a replica
// of the module on each part on a goroutine of its own, and joins the outputs; gradients add up in
// the parameters of the module itself, on the first device.
//
//	model := dist.DataParallel(net, tensor.CPU, tensor.CPU)
//	amp.Autocast(func() {
//		loss = nn.CrossEntropy(model.Forward(x), y) // the replicas are in the region, too
//	})
//	scaler.Scale(loss).Backward()
//	scaler.Step(opt) // of nn.Parameters(net)
//
// # Order of work
//
// Forward calls [Scatter], [Replicate], [ParallelApply] and [Gather], which can be called by
// themselves. Everything is recorded by autograd, so that Backward needs nothing of this package.
//
// # Limits
//
// A module takes and returns one tensor. Layers that draw random numbers, such as dropout, share
// their generator, whose numbers go to the replicas in the order in which these ask: with more than
// one replica a seed does not fix the run.
package dist
