//go:build cuda

package cuda

import (
	"os"
	"path/filepath"
	"testing"

	"halfnote/tensor/internal/device"
)

// TestCUDACublas has cuBLAS compute products of all sizes, or the library's stand-in.
func TestCUDACublas(t *testing.T) {
	if os.Getenv("HALFNOTE_TEST_GPU") != "1" && os.Getenv("HALFNOTE_CUBLAS") == "" {
		path := filepath.Join(filepath.Dir(os.Getenv("HALFNOTE_LIBCUDA")), "libcublas.so.13")
		t.Setenv("HALFNOTE_CUBLAS", path)
	}
	old := cublasFrom
	cublasFrom = 1
	defer func() { cublasFrom = old }()
	r := numbers(t.Name())
	for _, d := range allDTypes {
		for layout := range layouts * layouts {
			matmulCase(t, r, d, d, layout, device.Epilogue{}, 0, nil, nil, nil, 9, 16, 24)
			matmulCase(t, r, d, d, layout, device.Epilogue{}, d, nil, nil, nil, 1, 5, 7)
			matmulCase(t, r, d, d, layout, device.Epilogue{}, d, []int{3}, []int{3}, []int{1}, 5, 3, 8)
			matmulCase(t, r, d, d, layout, device.Epilogue{}, 0, []int{2, 3}, []int{2, 1}, []int{3}, 4, 3, 8)
			matmulCase(t, r, d, d, layout, device.Epilogue{}, d, nil, nil, nil, 3, 2, 0)
		}
	}
	for _, d := range []device.DType{device.Float16, device.BFloat16} {
		matmulCase(t, r, device.Float32, d, 0, device.Epilogue{Via: d}, 0, nil, nil, nil, 8, 9, 12)
		matmulCase(t, r, device.Float32, d, 0, device.Epilogue{Via: d}, d, nil, nil, nil, 8, 9, 12)
		matmulCase(t, r, device.Float32, d, 0, device.Epilogue{}, d, nil, nil, nil, 8, 9, 12)
		matmulCase(t, r, d, d, 0, device.Epilogue{}, device.Float32, nil, nil, nil, 8, 9, 12)
		g := &geometry{n: 2, in: 5, out: 9, x: [2]int{4, 6}, k: [2]int{1, 1}, y: [2]int{4, 6}}
		g.Stride, g.Dilation, g.Groups = [2]int{1, 1}, [2]int{1, 1}, 1
		g.compare(t, r, d, d, d, 0)
	}
	if blases[0].handle == nil {
		t.Error("cuBLAS was not used")
	}
}
