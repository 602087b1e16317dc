//go:build cuda

package cuda

import "halfnote/tensor/internal/device"

type poolArgs struct {
	Y, X, Index                   array
	Total                         int64
	Height, Width, Rows, Cols     int32
	YStride, XStride, IndexStride [3]int64
	Table                         table
}

// Kernels for arrays of one type, for those of any types, and with a warp for each window.
var (
	maxPools     = newKernels[poolArgs]("pool", "max_pool", device.Float32, device.Float16, device.BFloat16)
	maxPoolsAny  = newKernels[poolArgs]("pool", "max_pool_any", device.Float32, device.Float64, device.Int64)
	maxPoolsWide = newKernels[poolArgs]("pool", "max_pool_wide", device.Float32, device.Float64, device.Int64)
	avgPools     = newKernels[poolArgs]("pool", "avg_pool", device.Float32, device.Float16, device.BFloat16)
	avgPoolsAny  = newKernels[poolArgs]("pool", "avg_pool_any", device.Float32, device.Float64)
	avgPoolsWide = newKernels[poolArgs]("pool", "avg_pool_wide", device.Float32, device.Float64)

	maxPoolGrads    = newKernels[poolArgs]("pool", "max_pool_grad", device.Float32, device.Float16, device.BFloat16)
	maxPoolGradsAny = newKernels[poolArgs]("pool", "max_pool_grad_any", device.Float32, device.Float64)
	avgPoolGrads    = newKernels[poolArgs]("pool", "avg_pool_grad", device.Float32, device.Float16, device.BFloat16)
	avgPoolGradsAny = newKernels[poolArgs]("pool", "avg_pool_grad_any", device.Float32, device.Float64)
)

// MaxPool implements device.Poolings.
func (b *Backend) MaxPool(y, index, x *device.Array, rows, cols []device.Span) {
	b.pool(maxPools, maxPoolsAny, maxPoolsWide, x.DType.ComputeIn(), y, x, index, rows, cols)
}

// AvgPool implements device.Poolings.
func (b *Backend) AvgPool(y, x *device.Array, rows, cols []device.Span) {
	b.pool(avgPools, avgPoolsAny, avgPoolsWide, fractionsIn(y.DType), y, x, nil, rows, cols)
}

// fractionsIn returns the type that an op with fractions computes in.
func fractionsIn(d device.DType) device.DType {
	if d == device.Float64 {
		return d
	}
	return device.Float32
}

// pool computes y, a thread for each element, or a warp where windows are large.
func (b *Backend) pool(same, mixed, wide kernelSet[poolArgs], by device.DType,
	y, x, index *device.Array, rows, cols []device.Span) {
	words := spanWords(nil, rows)
	words = spanWords(words, cols)
	args, release := b.poolArgs(y, x, index, y.Numel(), len(rows), len(cols), words)
	defer release()
	const large = 32 // elements
	if y.Numel() > 0 && mostPlaces(rows)*mostPlaces(cols) >= large {
		wide[by].launch(b, b.linear(32*y.Numel(), 1), args, y, x, index)
		return
	}
	pick(same, mixed, y, x, by).launch(b, b.linear(y.Numel(), 1), args, y, x, index)
}

// pick returns the kernel for arrays of one type, or else that for any, which computes in by.
func pick(same, mixed kernelSet[poolArgs], y, x *device.Array, by device.DType) *kernel[poolArgs] {
	if k := same[x.DType]; k != nil && y.DType == x.DType {
		return k
	}
	return mixed[by]
}

// MaxPoolGrad implements device.Poolings.
func (b *Backend) MaxPoolGrad(x, y, index *device.Array, rows, cols []device.Span) {
	b.poolGrad(maxPoolGrads, maxPoolGradsAny, x, y, index, rows, cols)
}

// AvgPoolGrad implements device.Poolings.
func (b *Backend) AvgPoolGrad(x, y *device.Array, rows, cols []device.Span) {
	b.poolGrad(avgPoolGrads, avgPoolGradsAny, x, y, nil, rows, cols)
}

// poolGrad computes x, a thread for each element.
func (b *Backend) poolGrad(same, mixed kernelSet[poolArgs], x, y, index *device.Array, rows, cols []device.Span) {
	words := spanWords(nil, rows)
	words = spanWords(words, cols)
	words = reachWords(words, rows, x.Shape[1])
	words = reachWords(words, cols, x.Shape[2])
	args, release := b.poolArgs(y, x, index, x.Numel(), len(rows), len(cols), words)
	defer release()
	pick(same, mixed, y, x, fractionsIn(x.DType)).launch(b, b.linear(x.Numel(), 1), args, y, x, index)
}

func (b *Backend) poolArgs(y, x, index *device.Array, total, rows, cols int, words []int32) (poolArgs, func()) {
	args := poolArgs{Y: arrayOf(y), X: arrayOf(x), Index: arrayOf(index), Total: int64(total),
		Height: int32(x.Shape[1]), Width: int32(x.Shape[2]), Rows: int32(rows), Cols: int32(cols),
		YStride: planeStrides(y), XStride: planeStrides(x), IndexStride: planeStrides(index)}
	release := func() {}
	if total > 0 {
		args.Table, release = b.table(words)
	}
	return args, release
}

func planeStrides(a *device.Array) (strides [3]int64) {
	if a != nil {
		for d, s := range a.Strides {
			strides[d] = int64(s)
		}
	}
	return strides
}

// spanWords appends spans as kernels read them.
func spanWords(words []int32, spans []device.Span) []int32 {
	for _, s := range spans {
		words = append(words, int32(s.From), int32(s.To), int32(s.Step), int32(s.Count))
	}
	return words
}

// reachWords appends, for each of n places, the first span that holds it and the one behind the last.
func reachWords(words []int32, spans []device.Span, n int) []int32 {
	from := len(words)
	words = append(words, make([]int32, 2*n)...)
	reach := words[from:]
	for k, s := range spans {
		for i := s.From; i < s.To; i += s.Step {
			if reach[2*i+1] == 0 {
				reach[2*i] = int32(k)
			}
			reach[2*i+1] = int32(k) + 1
		}
	}
	return words
}

// mostPlaces returns the most places that one of spans looks at.
func mostPlaces(spans []device.Span) int {
	most := 0
	for _, s := range spans {
		most = max(most, (s.To-s.From+s.Step-1)/s.Step)
	}
	return most
}
