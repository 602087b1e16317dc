//go:build cuda

package cuda

import (
	"math/rand/v2"
	"testing"

	"halfnote/tensor/internal/device"
)

// indices returns random positions below n. Where shared is set, one vector of them serves whole rows.
func indices(t testing.TB, r *rand.Rand, layout, n int, shared bool, shape ...int) pair {
	t.Helper()
	own := append([]int{}, shape...)
	if shared && len(own) > 1 {
		own[len(own)-1] = 1
	}
	count := 1
	for _, s := range own {
		count *= s
	}
	values := make([]float64, count)
	for i := range values {
		values[i] = float64(r.IntN(max(n, 1)))
	}
	p := filled(t, device.Int64, layout, values, own...)
	if shared && len(own) > 1 {
		for _, a := range []*device.Array{p.host, p.gpu} {
			a.Strides = append([]int{}, a.Strides...)
			a.Strides[len(own)-1] = 0
			a.Shape = shape
		}
	}
	return p
}

// places are shapes of an array and of an index into it, along an axis.
var places = []struct {
	x, index []int
	axis     int
}{
	{[]int{5}, []int{9}, 0},
	{[]int{300}, []int{2600}, 0},
	{[]int{5, 8}, []int{70, 8}, 0},
	{[]int{50, 3}, []int{1100, 3}, 0},
	{[]int{4, 7}, []int{4, 40}, 1},
	{[]int{9, 300}, []int{40, 300}, 0},
	{[]int{3, 6, 16}, []int{2, 35, 16}, 1},
	{[]int{3, 5, 4}, []int{3, 2, 3}, 2},
	{[]int{40, 700}, []int{33, 600}, 0},
	{[]int{2, 3}, []int{0, 3}, 0},
}

func TestCUDAGather(t *testing.T) {
	r := numbers(t.Name())
	layout := 0
	for _, d := range allDTypes {
		for _, c := range places {
			for _, shared := range []bool{false, true} {
				layout++
				x := random(t, r, d, layout, d != device.Int64, c.x...)
				index := indices(t, r, layout/layouts, c.x[c.axis], shared && c.axis == 0, c.index...)
				out := blank(t, d, layout*shares(shared), c.index...)
				both(t, func(b device.Backend, gpu bool) { b.Gather(out.on(gpu), x.on(gpu), index.on(gpu), c.axis) })
				out.agree(t, 0, 0, "gather %v at %v along %d", c.x, c.index, c.axis)
			}
		}
	}
}

func shares(shared bool) int {
	if shared {
		return layouts // rows without gaps
	}
	return 1
}

func TestCUDAScatter(t *testing.T) {
	r := numbers(t.Name())
	layout := 0
	for _, d := range allDTypes {
		for _, from := range allDTypes {
			if from != d && (d != device.Float32 || from == device.Int64) {
				continue
			}
			for _, c := range places {
				for op := device.ScatterPut; op <= device.ScatterMin; op++ {
					layout++
					if from != d && op != device.ScatterAdd || c.index[0] > 1000 && int(op) != layout%7 {
						continue // one op of each is enough of what takes long
					}
					shared := layout%2 == 0 && c.axis == 0
					src := random(t, r, from, layout, true, c.index...)
					index := indices(t, r, layout/layouts, c.x[c.axis], shared, c.index...)
					out := random(t, r, d, layout/3, true, c.x...)
					both(t, func(b device.Backend, gpu bool) {
						b.Scatter(op, out.on(gpu), index.on(gpu), src.on(gpu), c.axis)
					})
					out.agree(t, 0, 0, "scatter %d of %v to %v at %v along %d", op, suffixes[from], c.x, c.index, c.axis)
				}
			}
		}
	}
}
