//go:build cuda

package cuda

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	"halfnote/tensor/internal/device"
)

// TestCUDAOrders: what kernels compute does not depend on the order in which the stand-in runs blocks,
// warps and threads.
func TestCUDAOrders(t *testing.T) {
	if os.Getenv("HALFNOTE_ORDERS") != "" {
		printResults(t)
		return
	}
	var want string
	for _, order := range []string{"forward", "reverse", "1", "2", "3"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestCUDAOrders$")
		cmd.Env = append(os.Environ(), "HALFNOTE_ORDERS=1", "HALFNOTE_STANDIN_ORDER="+order)
		out, err := cmd.CombinedOutput()
		got, _, ok := strings.Cut(string(out), "end of results\n")
		if err != nil || !ok {
			t.Fatalf("order %s: %v\n%s", order, err, out)
		}
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("order %s gives\n%s\nand the first gave\n%s", order, got, want)
		}
	}
}

// printResults prints the sums of the bits of what some ops compute.
func printResults(t *testing.T) {
	r := numbers(t.Name())
	b := gpu(t)
	print := func(what string, p pair) {
		sum := uint64(0)
		for _, v := range values(b, p.gpu) {
			sum = sum*31 + math.Float64bits(v)
		}
		fmt.Printf("%s %s %x\n", what, suffixes[p.gpu.DType], sum)
	}
	for _, d := range allDTypes[:5] {
		x, sums := random(t, r, d, 0, false, 3, 2500), blank(t, d, 0, 3, 1)
		b.Reduce(device.Sum, sums.gpu, x.gpu, 0)
		print("sum", sums)
		m, k, n := 33, 70, 40
		x, y, z := random(t, r, d, 0, false, m, k), random(t, r, d, 0, false, k, n), blank(t, d, 0, m, n)
		b.MatMul(z.gpu, x.gpu, y.gpu, device.Epilogue{})
		print("product", z)
		at, src := make([]float64, 300), random(t, r, d, 0, false, 300, 5)
		for i := range at {
			at[i] = float64(r.IntN(9))
		}
		to := filled(t, d, 0, make([]float64, 9*5), 9, 5)
		index := filled(t, device.Int64, 0, repeated(at, 5), 300, 5)
		b.Scatter(device.ScatterAdd, to.gpu, index.gpu, src.gpu, 0)
		print("scatter", to)
		if d == device.Int64 {
			continue
		}
		y = blank(t, d, 0, m, k)
		b.Softmax(true, y.gpu, x.gpu, 1)
		print("softmax", y)
	}
	fmt.Println("end of results")
}

// repeated returns v with each element n times.
func repeated(v []float64, n int) (all []float64) {
	for _, e := range v {
		for range n {
			all = append(all, e)
		}
	}
	return all
}
