package amp_test

import (
	"iter"

	"halfnote/amp"
	"halfnote/amp/monitor"
	"halfnote/tensor"
	"halfnote/tensor/data"
	"halfnote/tensor/dist"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// The names that everything else leans on, with their types: what does not compile here breaks
// notebooks.
var (
	_ func(any, ...tensor.DType) *tensor.Tensor                                           = tensor.New
	_ func(...int) *tensor.Tensor                                                         = tensor.Zeros
	_ func(...int) *tensor.Tensor                                                         = tensor.Ones
	_ func(...int) *tensor.Tensor                                                         = tensor.Rand
	_ func(...int) *tensor.Tensor                                                         = tensor.Randn
	_ func(float64, ...int) *tensor.Tensor                                                = tensor.Full
	_ func(...float64) *tensor.Tensor                                                     = tensor.Arange
	_ func(int) *tensor.Tensor                                                            = tensor.Eye
	_ func(uint64)                                                                        = tensor.Seed
	_ tensor.Device                                                                       = tensor.CPU
	_ func(int) tensor.Device                                                             = tensor.CUDA
	_ func() bool                                                                         = tensor.CUDAAvailable
	_ func() error                                                                        = tensor.CUDAError
	_ func() tensor.Device                                                                = tensor.BestDevice
	_ func(func())                                                                        = tensor.NoGrad
	_ func(outputs, inputs []*tensor.Tensor, c ...tensor.GradConfig) []*tensor.Tensor     = tensor.Grad
	_ func(func(...*tensor.Tensor) *tensor.Tensor, ...*tensor.Tensor) error               = tensor.GradCheck
	_ func([]*tensor.Tensor, int) *tensor.Tensor                                          = tensor.Cat
	_ func([]*tensor.Tensor, int) *tensor.Tensor                                          = tensor.Stack
	_ func(condition, a, b *tensor.Tensor) *tensor.Tensor                                 = tensor.Where
	_                                                                                     = []tensor.DType{tensor.Float64, tensor.Float32, tensor.Float16, tensor.BFloat16, tensor.Int64, tensor.Bool}
	_                                                                                     = []tensor.Target{tensor.Float16, tensor.CPU}
	_ func(m any) []*tensor.Tensor                                                        = nn.Parameters
	_ func(m any) iter.Seq2[string, *tensor.Tensor]                                       = nn.NamedParameters
	_ func(m any, target tensor.Target)                                                   = nn.To
	_ func(m any, on bool)                                                                = nn.Train
	_ func(m any) map[string]*tensor.Tensor                                               = nn.StateDict
	_ func(m any, state map[string]*tensor.Tensor) error                                  = nn.LoadStateDict
	_ func(m any, input ...*tensor.Tensor) *nn.ModuleSummary                              = nn.Summary
	_ func(modules ...nn.Module) *nn.Sequential                                           = nn.NewSequential
	_ func(logits, target *tensor.Tensor, c ...nn.LossConfig) *tensor.Tensor              = nn.CrossEntropy
	_ func([]*tensor.Tensor, optim.SGDConfig) *optim.SGD                                  = optim.NewSGD
	_ func([]*tensor.Tensor, optim.AdamConfig) *optim.Adam                                = optim.NewAdam
	_ func([]*tensor.Tensor, optim.AdamWConfig) *optim.Adam                               = optim.NewAdamW
	_ func([]*tensor.Tensor, optim.RMSpropConfig) *optim.RMSprop                          = optim.NewRMSprop
	_ func([]*tensor.Tensor, optim.AdagradConfig) *optim.Adagrad                          = optim.NewAdagrad
	_ func(func())                                                                        = amp.Autocast
	_ func(amp.Config, func())                                                            = amp.AutocastWith
	_ func(f func(x *tensor.Tensor) *tensor.Tensor) func(x *tensor.Tensor) *tensor.Tensor = amp.Wrap
	_ func(amp.ScalerConfig) *amp.GradScaler                                              = amp.NewGradScaler
	_ func(*amp.GradScaler, ...amp.Optimizer) *monitor.Monitor                            = monitor.Watch
	_ func() (train, test *data.Dataset)                                                  = data.Digits
	_ func() (train, test *data.Dataset, err error)                                       = data.MNIST
	_ func(m nn.Module, devices ...tensor.Device) *dist.Parallel                          = dist.DataParallel
)

// The constructors of modules return pointers.
var _ = []nn.Module{nn.NewLinear(1, 1), nn.NewConv1d(1, 1, 1), nn.NewConv2d(1, 1, 1),
	nn.NewConvTranspose2d(1, 1, 1), nn.NewBatchNorm1d(1), nn.NewBatchNorm2d(1), nn.NewLayerNorm(1),
	nn.NewGroupNorm(1, 1), nn.NewRMSNorm(1), nn.NewEmbedding(1, 1), nn.NewDropout(0.5),
	nn.NewMaxPool2d(1), nn.NewAvgPool2d(1), nn.NewReLU(), nn.NewFlatten(), nn.NewSequential(),
	nn.NewMultiheadAttention(2, 1), nn.NewTransformerEncoderLayer(2, 1)}

var (
	_ = []optim.Optimizer{(*optim.SGD)(nil), (*optim.Adam)(nil), (*optim.RMSprop)(nil),
		(*optim.Adagrad)(nil)}
	_ = optim.SGDConfig{LR: 1, Momentum: 0, Dampening: 0, Nesterov: false, WeightDecay: 0,
		Maximize: false}
	_ = optim.AdamConfig{LR: 1, Betas: [2]float64{}, Eps: 0, AMSGrad: false, WeightDecay: 0,
		Maximize: false}
	_ = optim.RMSpropConfig{LR: 1, Alpha: 0, Eps: 0, Centered: false, Momentum: 0, WeightDecay: 0,
		Maximize: false}
	_ = optim.AdagradConfig{LR: 1, LRDecay: 0, Eps: 0, WeightDecay: 0, Maximize: false}
	_ = amp.Config{DType: tensor.BFloat16, Disabled: false, NoCache: false,
		Policy: amp.CPUPolicy(), Device: ""}
	_ = amp.ScalerConfig{InitScale: 1, GrowthFactor: 2, BackoffFactor: 0.5, GrowthInterval: 1,
		NoGrowth: false, Disabled: false, MinScale: 0, MaxScale: 0, Hysteresis: 1}
)

// The methods of values.
var (
	_ interface {
		Shape() []int
		DType() tensor.DType
		Device() tensor.Device
		To(tensor.Target) *tensor.Tensor
		Item() float64
		Float32s() []float32
		Float64s() []float64
		Int64s() []int64
		SetRequiresGrad(bool) *tensor.Tensor
		RequiresGrad() bool
		Grad() *tensor.Tensor
		Backward(...tensor.BackwardConfig)
		Detach() *tensor.Tensor
		Name() string
		Add(any) *tensor.Tensor
		Sub(any) *tensor.Tensor
		Mul(any) *tensor.Tensor
		Div(any) *tensor.Tensor
		Neg() *tensor.Tensor
		Pow(any) *tensor.Tensor
		MatMul(*tensor.Tensor) *tensor.Tensor
		T() *tensor.Tensor
		Transpose(a, b int) *tensor.Tensor
		Reshape(...int) *tensor.Tensor
		View(...int) *tensor.Tensor
		Slice(axis, from, to int, step ...int) *tensor.Tensor
		Index(...int) *tensor.Tensor
		Sum(...int) *tensor.Tensor
		Mean(...int) *tensor.Tensor
		Max(...int) *tensor.Tensor
		Min(...int) *tensor.Tensor
		Argmax(...int) *tensor.Tensor
		Exp() *tensor.Tensor
		Log() *tensor.Tensor
		Sqrt() *tensor.Tensor
		Tanh() *tensor.Tensor
		Sigmoid() *tensor.Tensor
		ReLU() *tensor.Tensor
		GELU(...string) *tensor.Tensor
		SiLU() *tensor.Tensor
		Softmax(int, ...tensor.DType) *tensor.Tensor
		LogSoftmax(int, ...tensor.DType) *tensor.Tensor
	} = (*tensor.Tensor)(nil)
	_ interface {
		Scale(*tensor.Tensor) *tensor.Tensor
		Unscale(amp.Optimizer)
		Step(amp.Optimizer) *amp.StepResult
		Update()
		LossScale() float64
		StateDict() map[string]float64
		LoadStateDict(map[string]float64) error
	} = (*amp.GradScaler)(nil)
	_ interface {
		Skipped() bool
		Reason() string
		Parameter() string
		Infs() int
		NaNs() int
	} = (*amp.StepResult)(nil)
	_ interface {
		History() []monitor.Step
		SVG() string
		PNG() []byte
		String() string
		Version() uint64
	} = (*monitor.Monitor)(nil)
	_ interface {
		Batches(int) iter.Seq2[*tensor.Tensor, *tensor.Tensor]
	} = (*data.Dataset)(nil)
)

// clipping: the norm before it is a tensor without dimensions.
var (
	_ = func(params []*tensor.Tensor) *tensor.Tensor { return nn.ClipGradNorm(params, 1) }
	_ = func(params []*tensor.Tensor) { nn.ClipGradValue(params, 1) }
	_ = func(m nn.Module, d *data.Dataset) float64 { return nn.Accuracy(m, d) }
)
