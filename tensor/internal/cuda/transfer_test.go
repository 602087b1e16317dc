//go:build cuda

package cuda

import (
	"fmt"
	"sync"
	"testing"
	"unsafe"

	"halfnote/tensor/internal/device"
)

// TestCUDATransfer: arrays of many pieces come back as they went, converted, strided and broadcast.
func TestCUDATransfer(t *testing.T) {
	b := gpu(t)
	for _, n := range []int{1, 1000, largePiece/4 + 1, 3 * largePiece / 4} {
		host := make([]float64, 2*n)
		for i := range host {
			host[i] = float64(i % 1000)
		}
		for _, strided := range []bool{false, true} {
			x := &device.Array{Data: unsafe.Pointer(&host[0]), DType: device.Float64, Shape: []int{n}, Strides: []int{1}}
			if strided {
				x.Offset, x.Strides = 1, []int{2}
			}
			out := b.dense(device.Float32, n)
			b.FromHost(out, x)
			back := make([]float64, 2*n)
			to := &device.Array{Data: unsafe.Pointer(&back[0]), DType: device.Float64, Shape: []int{n}, Strides: x.Strides, Offset: x.Offset}
			b.ToHost(to, out)
			for i := x.Offset; i < x.Offset+n*x.Strides[0]; i += x.Strides[0] {
				if back[i] != host[i] {
					t.Fatalf("element %d of %d is %v, want %v (strided %v)", i, n, back[i], host[i], strided)
				}
			}
			b.release(out)
		}
	}
}

// TestCUDATransferTogether: more goroutines copy than there are pieces of pinned memory.
func TestCUDATransferTogether(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 3 * largePieces {
		wg.Go(func() {
			b := ownStream(t)
			r := numbers(fmt.Sprint(t.Name(), i))
			for range 5 {
				v := make([]float64, 1+r.IntN(30_000))
				for j := range v {
					v[j] = r.Float64()
				}
				x := &device.Array{Data: unsafe.Pointer(&v[0]), DType: device.Float64, Shape: []int{len(v)}, Strides: []int{1}}
				out := b.dense(device.Float64, len(v))
				b.FromHost(out, x)
				for j, got := range values(b, out) {
					if got != v[j] {
						t.Errorf("element %d is %v, want %v", j, got, v[j])
						return
					}
				}
				b.release(out)
			}
		})
	}
	wg.Wait()
}
