//go:build cuda

package cuda

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestCUDADrivers: what is said about drivers and GPUs that cannot be used.
func TestCUDADrivers(t *testing.T) {
	if os.Getenv("HALFNOTE_DRIVER") != "" {
		fmt.Println("error:", Error())
		_, err := Open(3)
		fmt.Println("fourth:", err)
		return
	}
	for _, c := range []struct{ name, setup, want string }{
		{"none", "HALFNOTE_LIBCUDA=/nowhere/libcuda.so.1", "error: cuda: no NVIDIA driver"},
		{"no GPU", "HALFNOTE_STANDIN_DEVICES=0", "no CUDA-capable device is detected"},
		{"too old", "HALFNOTE_STANDIN_VERSION=12040", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
		{"older GPU", "HALFNOTE_STANDIN_CC=70", "has compute capability 7.0, kernels need 7.5 or more"},
		{"newer GPU", "HALFNOTE_STANDIN_CC=121", "error: <nil>"},
		{"few GPUs", "HALFNOTE_STANDIN_DEVICES=2", "fourth: cuda: there is no GPU 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestCUDADrivers$")
			cmd.Env = append(os.Environ(), "HALFNOTE_DRIVER=1", c.setup)
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), c.want) {
				t.Errorf("%v; no %q in\n%s", err, c.want, out)
			}
		})
	}
}

// TestCUDANilPointer: the stand-in leaves the faults of Go's own code to Go.
func TestCUDANilPointer(t *testing.T) {
	gpu(t)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	var p *field
	p.early = true
}
