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
// Names, defaults and initialisation are PyTorch's. Tensors are made in float32 on the CPU.
// Convolutions, normalisation, dropout, embeddings and attention are not here yet.
package nn
