package tensor_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"halfnote/tensor"
)

// TestEmptyParts: products of parts without elements leave no pointers to behind a tensor's memory.
// Go's collector would take one for a pointer to what lies there, or end the process where no object
// can be.
func TestEmptyParts(t *testing.T) {
	var parts []*T
	for range 400 { // some are the last objects of their pages
		parts = append(parts, tensor.Zeros(0, 70).Slice(1, 10, 20))
	}
	weight := tensor.Ones(10, 3)
	var done atomic.Bool
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for !done.Load() {
				for _, x := range parts {
					x.MatMul(weight)
					x.T().MatMul(x)
					tensor.Linear(x, weight.T(), nil)
					tensor.Conv2d(x.Reshape(0, 10, 1, 1), weight.T().Reshape(3, 10, 1, 1), nil)
				}
			}
		})
	}
	for range 60 {
		runtime.GC()
	}
	done.Store(true)
	wg.Wait()
}
