//go:build cuda

package cuda

import (
	flags "flag" // flag is a function here
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// TestMain has the tests run on the stand-in for the driver, or on a real one where
// HALFNOTE_TEST_GPU=1. Tensors have memory of their own there, so that what lies beyond one is not
// another's.
func TestMain(m *testing.M) {
	uncached.Store(os.Getenv("HALFNOTE_TEST_GPU") != "1")
	declared = slices.Clone(entries)
	if os.Getenv("HALFNOTE_TEST_GPU") != "1" && os.Getenv("HALFNOTE_LIBCUDA") == "" {
		build := exec.Command("bash", "../../../install/cuda.sh", "standin")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			fmt.Fprintln(os.Stderr, "the stand-in for the driver cannot be built:", err)
			os.Exit(1)
		}
		path, _ := filepath.Abs("build/standin/libcuda.so.1")
		os.Setenv("HALFNOTE_LIBCUDA", path)
	}
	flags.Parse()
	if err := results.begin(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	code := m.Run()
	if code == 0 {
		if err := results.end(); err != nil {
			fmt.Println(err)
			code = 1
		}
	}
	if results.Seed != 0 {
		fmt.Printf("HALFNOTE_SEED=%d has these numbers come again\n", results.Seed)
	}
	os.Exit(code)
}

// sources looks at what the tests' results depend on besides this package, so that go test does not
// take them from its cache when a kernel has changed.
var sources = sync.OnceFunc(func() {
	for _, pattern := range []string{"kernels/*", "standin/*", "standin/*/*"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			os.Stat(file)
		}
	}
})
