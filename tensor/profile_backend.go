package tensor

import (
	"slices"
	"time"
	"unsafe"

	"halfnote/tensor/internal/device"
)

// A timed backend computes as another one does, for one op, and notes in a profile how long that
// takes.
type timed struct {
	device.Backend
	profile *profile
	op      string
}

// done notes what began then and has written these arrays, of which some may be nil.
func (td *timed) done(began time.Time, written ...*device.Array) {
	took, bytes := time.Since(began), 0
	for _, a := range written {
		if a != nil {
			bytes += a.Numel() * a.DType.Size()
		}
	}
	td.profile.computed(td.op, took, bytes)
}

func (td *timed) Alloc(dtype device.DType, n int, zero bool) (unsafe.Pointer, error) {
	began := time.Now()
	defer func() {
		took, bytes := time.Since(began), n*dtype.Size()
		if zero { // which writes them all
			td.profile.computed(td.op, took, bytes)
			took = 0
		}
		td.profile.allocated(td.op, took, bytes)
	}()
	return td.Backend.Alloc(dtype, n, zero)
}

func (td *timed) Activate(f device.Activation, order int, out, x, g *device.Array, p, q float64) {
	defer td.done(time.Now(), out)
	td.Backend.Activate(f, order, out, x, g, p, q)
}

func (td *timed) Attend(out, lse, q, k, v *device.Array, a *device.Attention) {
	defer td.done(time.Now(), out, lse)
	td.Backend.Attend(out, lse, q, k, v, a)
}

func (td *timed) AttendGrad(dq, dk, dv, dmask, g, lse, q, k, v *device.Array, a *device.Attention) {
	defer td.done(time.Now(), dq, dk, dv, dmask)
	td.Backend.AttendGrad(dq, dk, dv, dmask, g, lse, q, k, v, a)
}

func (td *timed) Check(out, found, total, x, weight *device.Array, skip []int64, n int, back bool) {
	defer td.done(time.Now(), out, total)
	td.Backend.Check(out, found, total, x, weight, skip, n, back)
}

func (td *timed) Conv(y, x, w, bias *device.Array, c *device.Conv) {
	defer td.done(time.Now(), y)
	td.Backend.Conv(y, x, w, bias, c)
}

func (td *timed) ConvInput(x, y, w, bias *device.Array, c *device.Conv) {
	defer td.done(time.Now(), x)
	td.Backend.ConvInput(x, y, w, bias, c)
}

func (td *timed) ConvWeight(w, x, y *device.Array, c *device.Conv) {
	defer td.done(time.Now(), w)
	td.Backend.ConvWeight(w, x, y, c)
}

func (td *timed) Unary(op device.UnaryOp, out, x *device.Array, p float64) {
	defer td.done(time.Now(), out)
	td.Backend.Unary(op, out, x, p)
}

func (td *timed) Binary(op device.BinaryOp, out, a, b *device.Array) {
	defer td.done(time.Now(), out)
	td.Backend.Binary(op, out, a, b)
}

func (td *timed) Ternary(op device.TernaryOp, out, a, b, c *device.Array, p float64) {
	defer td.done(time.Now(), out)
	td.Backend.Ternary(op, out, a, b, c, p)
}

func (td *timed) Unscale(xs []*device.Array, counts, found *device.Array, inv float32,
	scale *device.Array) {
	defer td.done(time.Now(), append(slices.Clone(xs), counts)...)
	td.Backend.Unscale(xs, counts, found, inv, scale)
}

func (td *timed) Norm(out *device.Array, xs []*device.Array, p float64) {
	defer td.done(time.Now(), out)
	td.Backend.Norm(out, xs, p)
}

func (td *timed) Clip(xs []*device.Array, norm *device.Array, most float64) {
	defer td.done(time.Now(), xs...)
	td.Backend.Clip(xs, norm, most)
}

func (td *timed) Stats(out *device.Array, xs []*device.Array, scale float64, by *device.Array) {
	defer td.done(time.Now(), out)
	td.Backend.Stats(out, xs, scale, by)
}

func (td *timed) Adapt(scale, track *device.Array, found []*device.Array, s device.Scaling) {
	defer td.done(time.Now(), scale)
	td.Backend.Adapt(scale, track, found, s)
}

func (td *timed) Gather(out, x, index *device.Array, axis int) {
	defer td.done(time.Now(), out)
	td.Backend.Gather(out, x, index, axis)
}

func (td *timed) Scatter(op device.ScatterOp, out, index, src *device.Array, axis int) {
	defer td.done(time.Now(), src)
	td.Backend.Scatter(op, out, index, src, axis)
}

func (td *timed) NLL(out, x, classes, weight *device.Array, smooth float64) {
	defer td.done(time.Now(), out)
	td.Backend.NLL(out, x, classes, weight, smooth)
}

func (td *timed) NLLGrad(out, g, classes, weight *device.Array, smooth float64) {
	defer td.done(time.Now(), out)
	td.Backend.NLLGrad(out, g, classes, weight, smooth)
}

func (td *timed) FromHost(out, host *device.Array) {
	defer td.done(time.Now(), out)
	td.Backend.FromHost(out, host)
}

func (td *timed) Send(out, x *device.Array) bool {
	defer td.done(time.Now(), out)
	return td.Backend.Send(out, x)
}

func (td *timed) ToHost(host, x *device.Array) {
	defer td.done(time.Now(), host)
	td.Backend.ToHost(host, x)
}

func (td *timed) Fill(out *device.Array, v float64) {
	defer td.done(time.Now(), out)
	td.Backend.Fill(out, v)
}

func (td *timed) Copy(out, x *device.Array) {
	defer td.done(time.Now(), out)
	td.Backend.Copy(out, x)
}

func (td *timed) Normalize(y, x, mean, variance, weight, bias *device.Array, n device.Norm) {
	if n.Given {
		defer td.done(time.Now(), y)
	} else {
		defer td.done(time.Now(), y, mean, variance)
	}
	td.Backend.Normalize(y, x, mean, variance, weight, bias, n)
}

func (td *timed) NormalizeGrad(dx, dy, x, mean, variance, weight *device.Array, n device.Norm) {
	defer td.done(time.Now(), dx)
	td.Backend.NormalizeGrad(dx, dy, x, mean, variance, weight, n)
}

func (td *timed) NormalizeWeightGrad(dw, db, dy, x, mean, variance *device.Array, n device.Norm) {
	defer td.done(time.Now(), dw, db)
	td.Backend.NormalizeWeightGrad(dw, db, dy, x, mean, variance, n)
}

func (td *timed) SGDStep(ps []device.Parameter, s device.SGD, skip *device.Array) {
	defer td.done(time.Now(), stepped(ps)...)
	td.Backend.SGDStep(ps, s, skip)
}

func (td *timed) AdamStep(ps []device.Parameter, a device.Adam, skip *device.Array) {
	defer td.done(time.Now(), stepped(ps)...)
	td.Backend.AdamStep(ps, a, skip)
}

func (td *timed) RMSpropStep(ps []device.Parameter, r device.RMSprop, skip *device.Array) {
	defer td.done(time.Now(), stepped(ps)...)
	td.Backend.RMSpropStep(ps, r, skip)
}

// stepped returns what a step writes.
func stepped(ps []device.Parameter) (written []*device.Array) {
	for _, p := range ps {
		written = append(append(written, p.Value), p.Kept[:]...)
	}
	return written
}

func (td *timed) MaxPool(y, index, x *device.Array, rows, cols []device.Span) {
	defer td.done(time.Now(), y, index)
	td.Backend.MaxPool(y, index, x, rows, cols)
}

func (td *timed) MaxPoolGrad(x, y, index *device.Array, rows, cols []device.Span) {
	defer td.done(time.Now(), x)
	td.Backend.MaxPoolGrad(x, y, index, rows, cols)
}

func (td *timed) AvgPool(y, x *device.Array, rows, cols []device.Span) {
	defer td.done(time.Now(), y)
	td.Backend.AvgPool(y, x, rows, cols)
}

func (td *timed) AvgPoolGrad(x, y *device.Array, rows, cols []device.Span) {
	defer td.done(time.Now(), x)
	td.Backend.AvgPoolGrad(x, y, rows, cols)
}

func (td *timed) MatMul(out, a, b *device.Array, e device.Epilogue) {
	defer td.done(time.Now(), out)
	td.Backend.MatMul(out, a, b, e)
}

func (td *timed) Random(out *device.Array, d device.Draw) {
	defer td.done(time.Now(), out)
	td.Backend.Random(out, d)
}

func (td *timed) Dropout(out, x *device.Array, d device.Draw, scale float64) {
	defer td.done(time.Now(), out)
	td.Backend.Dropout(out, x, d, scale)
}

func (td *timed) Reduce(op device.ReduceOp, out, x *device.Array, p float64) {
	defer td.done(time.Now(), out)
	td.Backend.Reduce(op, out, x, p)
}

func (td *timed) Scan(out, a, b *device.Array, axis int, c device.ScanConfig) {
	defer td.done(time.Now(), out)
	td.Backend.Scan(out, a, b, axis, c)
}

func (td *timed) Argsort(out, x *device.Array, axis int, descending bool) {
	defer td.done(time.Now(), out)
	td.Backend.Argsort(out, x, axis, descending)
}

func (td *timed) Resample(out, x *device.Array, axis int, taps *device.Taps) {
	defer td.done(time.Now(), out)
	td.Backend.Resample(out, x, axis, taps)
}

func (td *timed) Softmax(log bool, out, x *device.Array, axis int) {
	defer td.done(time.Now(), out)
	td.Backend.Softmax(log, out, x, axis)
}

func (td *timed) SoftmaxGrad(log bool, out, y, g *device.Array, axis int) {
	defer td.done(time.Now(), out)
	td.Backend.SoftmaxGrad(log, out, y, g, axis)
}
