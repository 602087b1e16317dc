//go:build cuda

package cuda

import (
	"halfnote/tensor/internal/cpu"
	"halfnote/tensor/internal/device"
)

type randomArgs struct {
	elements
	Seed, Counter uint64
	N, Again      uint64
	Low           int64
	Limit         uint64
	A, B          float64
	Least, Most   float64
	Scale         float64
	From          uint64
	Kind, Wide    int32
}

var (
	randoms  = family[randomArgs]{any: newKernels[randomArgs]("random", "random_any", device.Float64, device.Int64)}
	dropouts = newFamily[randomArgs]("random", "dropout", false, device.Float32, device.Float64)
)

// randomOf returns what kernels need of a draw.
func (b *Backend) randomOf(dtype device.DType, d device.Draw) randomArgs {
	args := randomArgs{Seed: d.Seed, Counter: d.Counter, N: d.N, Low: d.Low, A: d.A, B: d.B, Kind: int32(d.Kind)}
	if d.From != nil {
		b.use(d.From)
		args.From = address(d.From)
	}
	switch d.Kind {
	case device.Integers:
		if d.N > 0 {
			args.Again = -d.N % d.N
		}
	case device.Bernoulli:
		args.Limit = cpu.BernoulliLimit(d.A)
	case device.Uniform:
		args.B = d.B - d.A
		args.Least, args.Most = cpu.UniformBounds(dtype, d.A, d.B)
	}
	if dtype == device.Float64 {
		args.Wide = 1
	}
	return args
}

// Random implements device.RandomNumbers.
func (b *Backend) Random(out *device.Array, d device.Draw) {
	in := device.Float64
	if d.Kind == device.Integers {
		in = device.Int64
	}
	args := b.randomOf(out.DType, d)
	randoms.run(b, in, 1, func(e elements) randomArgs {
		args.elements = e
		return args
	}, out)
}

// Dropout implements device.RandomNumbers.
func (b *Backend) Dropout(out, x *device.Array, d device.Draw, scale float64) {
	in := device.Float32
	if out.DType == device.Float64 {
		in = device.Float64
	}
	args := b.randomOf(out.DType, d)
	args.Scale = scale
	dropouts.run(b, in, 1, func(e elements) randomArgs {
		args.elements = e
		return args
	}, out, x)
}
