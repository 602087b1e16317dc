//go:build cuda

package cuda

import (
	"slices"
	"testing"
	"unsafe"

	"halfnote/tensor/internal/device"
)

// TestCUDAGraphMemory: what a graph was given is kept when it is freed, what its ops got stays the
// graph's, and all comes back when the graph ends; its stream then serves the next one.
func TestCUDAGraphMemory(t *testing.T) {
	caching(t)
	b := ownStream(t)
	p := &b.gpu.pool
	given := alloc(t, b, 1<<20)
	array := func(m *block) *device.Array {
		return &device.Array{Data: unsafe.Pointer(m), DType: device.Float32, Shape: []int{1000}, Strides: []int{1}}
	}
	fill := func(b *Backend, m *block, v float64) { b.Fill(array(m), v) }
	r, err := b.gpu.Record()
	if err != nil {
		t.Fatal(err)
	}
	s := r.Stream()
	in := s.On("test").(*Backend)
	got := alloc(t, in, 4000)
	fill(in, got, 3)
	in.Copy(array(given), array(got))
	free(in, got)
	if again := alloc(t, in, 4000); again.address != got.address {
		t.Error("memory that was freed while a graph records is not used by its next op")
	} else {
		free(in, again)
	}
	if err := r.End(true); err != nil {
		t.Fatal(err)
	}
	free(b, given)
	if fresh := alloc(t, b, 1<<20); fresh.address == given.address {
		t.Error("memory that a graph writes to is given out")
	}
	p.release()
	for range 3 {
		if err := r.Launch(b.stream); err != nil {
			t.Fatal(err)
		}
	}
	var v [1]float32
	host := &device.Array{Data: unsafe.Pointer(&v), DType: device.Float32, Shape: []int{1}, Strides: []int{1}}
	given.freed = false // to look at what the graph wrote
	b.ToHost(host, &device.Array{Data: unsafe.Pointer(given), DType: device.Float32, Offset: 999, Shape: []int{1}, Strides: []int{1}})
	given.freed = true
	if v[0] != 3 {
		t.Errorf("the graph wrote %v, want 3", v[0])
	}
	r.Release()
	r.Release() // which does nothing
	p.mu.Lock()
	known, vacant := slices.Contains(p.streams, s), slices.Contains(p.vacant, s.handle)
	p.mu.Unlock()
	if known || !vacant {
		t.Error("the stream of a graph that has ended is kept, or not kept for the next one")
	}
	if again := alloc(t, b, 1<<20); again.address != given.address {
		t.Error("memory that a graph has written to does not come back")
	}
	next, err := b.gpu.Record()
	if err != nil {
		t.Fatal(err)
	}
	if next.Stream().handle != s.handle {
		t.Error("the next graph has a new stream")
	}
	fill(next.Stream().On("test").(*Backend), alloc(t, next.Stream().On("test").(*Backend), 4000), 1)
	if err := next.End(false); err != nil {
		t.Fatal(err)
	}
}
