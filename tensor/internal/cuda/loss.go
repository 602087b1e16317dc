//go:build cuda

package cuda

import "halfnote/tensor/internal/device"

// This file implements device.Losses.

type lossArgs struct {
	X, One, Classes, Weight      array
	Smooth                       float64
	Samples, ClassesCount, Inner int64
	XBy                          [3]int64
	OneBy, ClassesBy             [2]int64
	WeightBy                     int64
	Team                         team
	_                            int32
}

var (
	nll     = newKernel[lossArgs]("loss", "loss_nll")
	nllGrad = newKernel[lossArgs]("loss", "loss_nll_grad")
)

// newLoss describes x [N, C, S], one [N, S] and the classes and their weight.
func newLoss(x, one, classes, weight *device.Array, smooth float64) lossArgs {
	a := lossArgs{X: arrayOf(x), One: arrayOf(one), Classes: arrayOf(classes), Weight: arrayOf(weight),
		Smooth: smooth, Samples: int64(one.Numel()), ClassesCount: int64(x.Shape[1]), Inner: int64(x.Shape[2])}
	for d := range a.XBy {
		a.XBy[d] = int64(x.Strides[d])
	}
	for d := range a.OneBy {
		a.OneBy[d], a.ClassesBy[d] = int64(one.Strides[d]), int64(classes.Strides[d])
	}
	if weight != nil {
		a.WeightBy = int64(weight.Strides[0])
	}
	return a
}

// NLL implements device.Losses. Its grid has a thread for each sample, or a team where smoothing goes
// over its classes.
func (b *Backend) NLL(out, x, classes, weight *device.Array, smooth float64) {
	args := newLoss(x, out, classes, weight, smooth)
	if args.Samples == 0 {
		return
	}
	g := b.linear(int(args.Samples), 1)
	if smooth != 0 {
		g = b.teams(&args)
	}
	nll.launch(b, g, args, out, x, classes, weight)
}

// NLLGrad implements device.Losses. Its grid has a team for each sample.
func (b *Backend) NLLGrad(out, g, classes, weight *device.Array, smooth float64) {
	args := newLoss(out, g, classes, weight, smooth)
	if out.Numel() > 0 {
		nllGrad.launch(b, b.teams(&args), args, out, g, classes, weight)
	}
}

// teams returns the grid with a team for each sample.
func (b *Backend) teams(a *lossArgs) grid {
	columns := a.XBy[2] == 1 && a.Inner >= teamColumns/2
	cut := newPartition(int(a.Samples), int(a.ClassesCount), columns).whole()
	a.Team = cut.team
	return b.grid(cut)
}
