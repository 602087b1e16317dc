package gemm

import (
	"fmt"
	"testing"
	"unsafe"

	"halfnote/tensor/internal/cpu/heap"
	"halfnote/tensor/internal/device"
)

// BenchmarkMultiply measures products by type, size m×n×k and form: n for a matrix that lies in
// rows and t for one in columns, a's first.
func BenchmarkMultiply(b *testing.B) {
	names := map[device.DType]string{device.Float32: "float32", device.BFloat16: "bfloat16",
		device.Float16: "float16"}
	for _, d := range types {
		for _, size := range [][3]int{{4, 4, 4}, {16, 16, 16}, {64, 64, 64}, {128, 128, 128},
			{256, 256, 256}, {1024, 1024, 1024}, {2048, 2048, 2048}, {128, 512, 784},
			{128, 256, 512}, {128, 10, 256}, {512, 784, 128}, {2048, 256, 256}, {1, 4096, 4096},
			{4096, 1, 4096}, {8, 4096, 1024}} {
			for _, form := range []string{"nn", "nt", "tn"} {
				m, n, k := size[0], size[1], size[2]
				b.Run(fmt.Sprintf("%s/%dx%dx%d/%s", names[d], m, n, k, form), func(b *testing.B) {
					matrix := func(rows, cols int, t bool) Matrix {
						buffer := heap.NewBuffer(rows * cols)
						clear(buffer.Floats)
						x := Matrix{unsafe.Pointer(&buffer.Floats[0]), d, cols, 1}
						if t {
							x.Row, x.Col = 1, rows
						}
						return x
					}
					p := Product{M: m, N: n, K: k, A: matrix(m, k, form[0] == 't'),
						B: matrix(k, n, form[1] == 't'), C: matrix(m, n, false)}
					for b.Loop() {
						Multiply(&p)
					}
					b.ReportMetric(2*float64(m)*float64(n)*float64(k)*float64(b.N)/
						float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
				})
			}
		}
	}
}
