//go:build cuda

package cuda

// #include "driver.h"
// #cgo noescape hn_launch_graph
// #cgo nocallback hn_launch_graph
import "C"

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"gorgonia.org/cu"

	"halfnote/tensor/internal/cpu"
	"halfnote/tensor/internal/device"
)

// A Graph is work that was recorded in a stream of its own, to be done as often as wanted by one launch.
type Graph struct{ *recorded }

// A recorded is what a graph's stream knows of it: programs hold the Graph, which ends when they have
// lost it.
//
// The work knows its memory by address. What its ops get lies in the memory of the stream, which nothing
// else gets as long as the graph is there; what they are given stays reserved, also when it is freed.
type recorded struct {
	stream *stream
	exec   C.CUgraphExec

	mu       sync.Mutex
	state    graphState
	never    bool                // was launched, so that there is nothing in the stream's memory
	spoiled  error               // by an op that cannot be recorded, whose panic the program may have caught
	given    map[*block]struct{} // of other streams
	pinned   []unsafe.Pointer    // memory of the host that is copied from
	launched []*stream           // where the work was put
}

type graphState uint8

const (
	recording graphState = iota
	ready
	released
)

// Record begins a graph: what is put into its stream until End is not done, but recorded. It returns nil
// where each op is to be waited for.
func (g *GPU) Record() (*Graph, error) {
	if Synchronous {
		return nil, nil
	}
	s, err := g.graphStream()
	if err != nil {
		return nil, err
	}
	r := &Graph{&recorded{stream: s, never: true, given: map[*block]struct{}{}}}
	s.graph = r.recorded
	if err := failed(C.hn_begin(g.ctx(), s.c())); err != nil {
		r.release()
		return nil, explain(err)
	}
	runtime.SetFinalizer(r, func(r *Graph) { r.release() })
	return r, nil
}

// graphStream returns a stream for a graph, whose handle may be that of one that is no more.
func (g *GPU) graphStream() (s *stream, err error) {
	p := &g.pool
	p.mu.Lock()
	var handle cu.Stream
	n := len(p.vacant)
	if n > 0 {
		handle = p.vacant[n-1]
		p.vacant = p.vacant[:n-1]
	}
	p.mu.Unlock()
	if n > 0 {
		return g.streamOf(handle), nil
	}
	err = g.do(func() error {
		s, err = g.newStream()
		return err
	})
	return s, err
}

// Stream returns the stream that is recorded.
func (r *Graph) Stream() *Stream { return r.stream }

// End ends the recording. Where keep is false there is no graph then.
func (r *Graph) End(keep bool) error {
	var exec C.CUgraphExec
	err := failed(C.hn_end(r.stream.gpu.ctx(), r.stream.c(), &exec, C.int(flag(keep))))
	r.mu.Lock()
	r.state, r.exec = ready, exec
	if err == nil {
		err = r.spoiled
	}
	r.mu.Unlock()
	if !keep || err != nil {
		r.Release()
	}
	return explain(err)
}

// Launch puts the work into s.
func (r *Graph) Launch(s *Stream) error {
	defer runtime.KeepAlive(r)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.never = false
	if !slices.Contains(r.launched, s) {
		r.launched = append(r.launched, s)
	}
	return explain(failed(C.hn_launch_graph(s.gpu.ctx(), r.exec, s.c())))
}

// Release gives back what the graph holds. Tensors that it has computed stay as they are.
func (r *Graph) Release() {
	runtime.SetFinalizer(r, nil)
	r.release()
}

func (r *recorded) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state == released {
		return
	}
	r.state = released
	g := r.stream.gpu
	for _, s := range r.launched { // which use what is given back now
		C.hn_wait(g.ctx(), s.c())
	}
	if r.exec != nil {
		C.hn_graph_free(g.ctx(), r.exec)
	}
	for _, p := range r.pinned {
		C.hn_unpin(g.ctx(), p)
	}
	g.leaveCublas(r.stream)
	g.pool.endGraph(r)
	r.given, r.pinned, r.launched = nil, nil, nil
}

// recording reports whether what is put into s is recorded.
func (s *stream) recording() bool {
	r := s.graph
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state == recording
}

// check panics where memory of r's stream has never been computed, for an op of another stream.
func (r *recorded) check(b *Backend) {
	r.mu.Lock()
	state, never := r.state, r.never
	r.mu.Unlock()
	switch {
	case state == recording:
		b.fail("a tensor of this op is not computed yet: a Graph records what does it")
	case never:
		b.fail("a tensor of this op was never computed: the Graph that was to record what does it failed; " +
			"make it anew, and gradients by ZeroGrad and Backward")
	}
}

// use reserves memory of another stream.
func (r *recorded) use(m *block) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, had := r.given[m]; had {
		return
	}
	r.given[m] = struct{}{}
	p := &m.stream.gpu.pool
	p.mu.Lock()
	m.graphs++
	p.mu.Unlock()
}

// unrecorded ends an op that a graph cannot record.
func (b *Backend) unrecorded(does string) {
	if !b.stream.recording() {
		return
	}
	r, text := b.stream.graph, does+", which a Graph cannot record; do it before or after Run"
	r.mu.Lock()
	r.spoiled = fmt.Errorf("%s: %s", b.op, text)
	r.mu.Unlock()
	b.fail("%s", text)
}

// constant copies a dense array from the host's memory, again for every launch of the graph.
func (b *Backend) constant(out, host *device.Array) {
	var data unsafe.Pointer
	size := out.Numel() * out.DType.Size()
	b.check(failed(C.hn_pinned(b.gpu.ctx(), &data, C.size_t(size))), "has no pinned memory")
	r := b.stream.graph
	r.mu.Lock()
	r.pinned = append(r.pinned, data)
	r.mu.Unlock()
	cpu.Backend{}.Copy(&device.Array{Data: data, DType: out.DType, Shape: out.Shape, Strides: rowMajor(out.Shape)},
		spread(host, out.Shape))
	b.check(failed(C.hn_from_host(b.gpu.ctx(), C.CUdeviceptr(address(out)), data, C.size_t(size), b.stream.c())),
		"cannot copy from the host")
}
