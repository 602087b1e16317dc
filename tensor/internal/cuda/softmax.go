//go:build cuda

package cuda

import "halfnote/tensor/internal/device"

// This file implements device.Softmaxes.

type softmaxArgs struct {
	Out, X, G array
	Count     int64
	By        [3]int64
	Team      team
	Log       int32
	Vectors   int32
	_         int32
	Rows      walk
}

var (
	softmaxes    = newTypedKernels[softmaxArgs]("softmax", "softmax")
	softmaxGrads = newTypedKernels[softmaxArgs]("softmax", "softmax_grad")
)

// Softmax implements device.Softmaxes.
func (b *Backend) Softmax(log bool, out, x *device.Array, axis int) {
	b.lines(softmaxes.of(out, x), log, out, x, nil, axis)
}

// SoftmaxGrad implements device.Softmaxes.
func (b *Backend) SoftmaxGrad(log bool, out, y, g *device.Array, axis int) {
	b.lines(softmaxGrads.of(out, y, g), log, out, y, g, axis)
}

// lines launches k with a team for each row along axis.
func (b *Backend) lines(k *kernel[softmaxArgs], log bool, out, x, g *device.Array, axis int) {
	if out.Numel() == 0 {
		return
	}
	n := out.Shape[axis]
	args := softmaxArgs{Out: arrayOf(out), X: arrayOf(x), G: arrayOf(g), Count: int64(n)}
	if log {
		args.Log = 1
	}
	rows := func(d int) bool { return d != axis }
	all := []*device.Array{out, x}
	if g != nil {
		all = append(all, g)
	}
	for i, a := range all {
		args.By[i] = int64(a.Strides[axis])
		all[i] = only(a, rows)
	}
	args.Rows = newWalk(all...)
	args.Vectors = 1
	for i, a := range []*device.Array{out, x, g} {
		if a != nil && (args.By[i] != 1 || !packs(a, n) || !args.Rows.packs(i, a)) {
			args.Vectors = 0
		}
	}
	cut := newPartition(int(args.Rows.Total), n, args.Rows.columns(1)).whole()
	args.Team = cut.team
	in := b.grid(cut)
	const few, long = 256, 4096
	if cut.team == blockTeam && cut.rows < few && n >= long {
		in.Threads[0] = 1024 // which the kernels are compiled for
	}
	k.launch(b, in, args, out, x, g)
}
