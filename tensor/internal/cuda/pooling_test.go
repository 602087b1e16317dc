//go:build cuda

package cuda

import (
	"testing"

	"halfnote/tensor/internal/device"
)

// windows returns spans of so many elements, cut off where n ends.
func windows(n, kernel, stride, padding, dilation int) (spans []device.Span) {
	reach := dilation*(kernel-1) + 1
	for from := -padding; from+reach <= n+padding; from += stride {
		s := device.Span{From: from, To: min(from+reach, n), Step: dilation, Count: min(from+kernel, n+padding) - from}
		for s.From < 0 {
			s.From += dilation
		}
		spans = append(spans, s)
	}
	return spans
}

// adaptive returns the spans of adaptive pooling.
func adaptive(n, size int) (spans []device.Span) {
	for k := range size {
		from, to := k*n/size, ((k+1)*n+size-1)/size
		spans = append(spans, device.Span{From: from, To: to, Step: 1, Count: to - from})
	}
	return spans
}

var pooled = []struct {
	n, h, w    int
	rows, cols []device.Span
}{
	{3, 8, 6, windows(8, 2, 2, 0, 1), windows(6, 2, 2, 0, 1)},
	{2, 9, 7, windows(9, 3, 2, 1, 1), windows(7, 3, 2, 1, 1)},
	{5, 1, 12, windows(1, 1, 1, 0, 1), windows(12, 3, 1, 1, 2)},
	{2, 7, 7, adaptive(7, 1), adaptive(7, 1)},
	{2, 13, 11, adaptive(13, 3), adaptive(11, 4)},
	{1, 20, 300, windows(20, 2, 1, 0, 1), windows(300, 3, 1, 1, 1)},
	{0, 4, 4, windows(4, 2, 2, 0, 1), windows(4, 2, 2, 0, 1)},
}

func TestCUDAMaxPool(t *testing.T) {
	r := numbers(t.Name())
	layout := 0
	for _, d := range allDTypes {
		for i, c := range pooled {
			layout++
			x := random(t, r, d, layout, i%2 == 0, c.n, c.h, c.w)
			y := blank(t, d, layout/2, c.n, len(c.rows), len(c.cols))
			index := blank(t, device.Int64, layout/3, c.n, len(c.rows), len(c.cols))
			both(t, func(b device.Backend, gpu bool) { b.MaxPool(y.on(gpu), index.on(gpu), x.on(gpu), c.rows, c.cols) })
			y.agree(t, 0, 0, "max_pool %d", i)
			index.agree(t, 0, 0, "positions of max_pool %d", i)
			if d == device.Int64 || d == device.Bool {
				continue
			}
			g := random(t, r, d, layout/4, false, c.n, len(c.rows), len(c.cols))
			both(t, func(b device.Backend, gpu bool) {
				b.MaxPoolGrad(x.on(gpu), g.on(gpu), index.on(gpu), c.rows, c.cols)
			})
			x.agree(t, 0, 0, "gradient of max_pool %d", i)
		}
	}
}

func TestCUDAAvgPool(t *testing.T) {
	r := numbers(t.Name())
	layout := 0
	for _, d := range floatDTypes {
		for _, to := range floatDTypes {
			for i, c := range pooled {
				layout++
				x := random(t, r, d, layout, i%2 == 0, c.n, c.h, c.w)
				y := blank(t, to, layout/2, c.n, len(c.rows), len(c.cols))
				both(t, func(b device.Backend, gpu bool) { b.AvgPool(y.on(gpu), x.on(gpu), c.rows, c.cols) })
				y.terms = 1
				y.agree(t, 1, 1e-15, "avg_pool %d of %v", i, suffixes[d])
				g := random(t, r, to, layout/4, false, c.n, len(c.rows), len(c.cols))
				both(t, func(b device.Backend, gpu bool) { b.AvgPoolGrad(x.on(gpu), g.on(gpu), c.rows, c.cols) })
				x.agree(t, 0, 0, "gradient of avg_pool %d of %v", i, suffixes[to])
			}
		}
	}
}
