// Package nn builds networks from modules, and has what surrounds them in a training loop: losses,
// clipping of gradients, accuracy, and the walk through a module's tensors.
//
//	model := nn.NewSequential(nn.NewLinear(64, 128), nn.NewReLU(), nn.NewLinear(128, 10))
//	loss := nn.CrossEntropy(model.Forward(x), y)
//	loss.Backward()
//	nn.ClipGradNorm(nn.Parameters(model), 1.0)
//
// A [Module] is any type with a Forward method. Nothing has to be registered: [Parameters],
// [StateDict], [Train] and [Summary] walk through the fields of any value, exported or not.
// A network of your own is a struct that holds layers and tensors:
//
//	type Net struct{ hidden, out *nn.Linear }
//
//	func (n *Net) Forward(x *tensor.Tensor) *tensor.Tensor {
//		return n.out.Forward(n.hidden.Forward(x).ReLU())
//	}
//
// Where PyTorch has ModuleList, ModuleDict and ParameterList, a field is a slice or a map:
//
//	type Deep struct {
//		layers []*nn.Linear         // layers.0.weight, layers.0.bias, layers.1.weight …
//		heads  map[string]nn.Module // heads.digits.weight …
//	}
//
// A tensor in a field that requires no gradient is a buffer ([Buffers]): it goes into the state
// dict and along with [To], and is not trained. [SetRequiresGrad] freezes parameters,
// [SplitParameters] makes groups of them for an optimizer.
//
// Names, defaults and initialisation are PyTorch's. Tensors are made in float32, on the CPU or where
// HALFNOTE_DEVICE says. Layers whose results differ in training and evaluation, dropout and batch
// norm, begin in training.
//
// [Summary] shows what a module holds, [Checkpoint] saves a whole run, so that one that is resumed
// goes on bit for bit.
//
// # Limits
//
// Forward takes one tensor and returns one; a layer with more, such as [MultiheadAttention] or
// [LSTMCell], has a method for it beside. Of recurrent networks there are the cells, and of the
// Transformer the encoder. Convolutions and pools are of one and two dimensions.
package nn
