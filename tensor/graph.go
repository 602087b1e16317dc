package tensor

import (
	"sync"
	"sync/atomic"
	"time"

	"halfnote/tensor/internal/cuda"
)

// A Graph does the work of a function again and again, such as that of a training step, and on a GPU
// without calling it: the work is recorded once, and from then on put into the GPU's queue whole (CUDA
// graphs). That saves the host's time for each op, which small networks mostly consist of.
//
//	d := tensor.BestDevice()
//	x, y := tensor.Zeros(64, 784).To(d), tensor.Zeros(64).To(tensor.Int64).To(d)
//	var loss *tensor.Tensor
//	step := tensor.NewGraph(d, func() {
//		opt.ZeroGrad()
//		amp.Autocast(func() { loss = nn.CrossEntropy(model.Forward(x), y) })
//		scaler.Scale(loss).Backward()
//		scaler.Step(opt)
//		scaler.Update()
//	})
//	for images, classes := range batches {
//		x.CopyFrom(images)
//		y.CopyFrom(classes)
//		step.Run()
//	}
//
// Each Run does what a call of the function does. The first ones do call it, so that what is made once
// gets made: gradients, the state of an optimizer, the loss scale. The third one calls it to record.
// From then on
//
//   - it is not called: what else than ops on the device's tensors it does, such as counting, printing
//     or taking a batch, is not done again, and numbers that it has given to ops stay what they were.
//     Learning rates and all other settings of optimizers and of a GradScaler are watched, who
//     observes it, and SetData and nn.To, of any tensor of a GPU: where one has changed, Run calls the
//     function, and the next one records anew. So a learning rate that changes at every step gains
//     little. Other settings are not, such as nn.Train, SetRequiresGrad and hooks: Reset the graph where
//     one changes. Goroutines that it starts are not recorded, but for functions of Inherit;
//   - it computes on the same tensors: what it reads is changed by CopyFrom, or by other ops in place,
//     so that all batches have one size (data.LoaderConfig.DropLast);
//     what it makes, the loss for instance, has new numbers after each Run, and is cloned by who wants
//     to keep them. Backward belongs to where the forward is, both in it or neither. Gradients that it
//     should not add to those of the Run before are removed in it, by ZeroGrad;
//   - its random numbers are new at each Run, the same that calls would draw.
//
// The function must not read numbers of the device nor copy more than one from the host, wait for it, use
// another stream or another GPU: that panics while it is recorded, and nothing of that Run is done. So do
// UpdateAfter and StepAfter, which read whether a step was skipped, OnCollapse and observers that are not
// late. What it makes is reserved for the graph until that is garbage, or Reset.
//
// On the CPU, with HALFNOTE_CUDA_SYNC=1 and inside of DetectNonFinite, Run is a call of the function, so
// that programs do the same on every device. So is it in the function of another Graph, which records
// both.
//
// Graphs are for one goroutine at a time.
type Graph struct {
	device Device
	f      func()
	busy   atomic.Bool
	calls  int        // of f that were not recorded
	work   *recording // or nil
}

// callsFirst is how many times a function is called before it is recorded: once to make what is kept
// from one run to the next, and once more as the second call may do other things than the first, and
// kernels are loaded where that can be waited for.
const callsFirst = 2

// NewGraph returns a graph that does f's work on a device.
func NewGraph(d Device, f func()) *Graph {
	checkFunction("graph", f != nil)
	if d.kind == cudaKind {
		d.gpu("graph")
	}
	return &Graph{device: d, f: f}
}

// Run does what a call of the function does. It panics with what the function panics with; of a run that
// was to be recorded nothing is done then.
func (g *Graph) Run() {
	g.given()
	if !g.busy.CompareAndSwap(false, true) {
		fail("graph", "Run is called while another Run of this graph is not over")
	}
	defer g.busy.Store(false)
	l := current()
	if g.device == CPU || l != nil && l.graph != nil {
		g.f()
		return
	}
	if g.work != nil && !g.work.holds(l) {
		g.forget()
	}
	switch {
	case g.calls < callsFirst || l != nil && l.detect:
		g.f()
		g.calls = min(g.calls+1, callsFirst)
		return
	case g.work != nil:
	case !g.record():
		g.f()
		return
	}
	g.work.launch()
}

// Reset gives back what the graph has recorded. The next runs call the function again, and then record
// what it does by then.
func (g *Graph) Reset() {
	g.given()
	g.forget()
	g.calls = 0
}

// forget has the function called once more, and then recorded.
func (g *Graph) forget() {
	g.calls = min(g.calls, callsFirst-1)
	if g.work != nil {
		g.work.graph.Release()
		g.work = nil
	}
}

// Recorded reports whether Run does without the function.
func (g *Graph) Recorded() bool {
	g.given()
	return g.work != nil
}

// String returns for instance graph of cuda:0, recorded.
func (g *Graph) String() string {
	text := "graph of " + g.device.String()
	if g.Recorded() {
		text += ", recorded"
	}
	return text
}

func (g *Graph) given() {
	if g == nil || g.f == nil {
		fail("graph", "the graph is nil; make one with tensor.NewGraph")
	}
}

// A recording is the work of a function, and what is to be done by the host for each run of it.
type recording struct {
	device Device
	graph  *cuda.Graph
	outer  *routed // the streams of the goroutine that records
	noGrad bool    // what Run was called in
	cast   CastState

	again  bool // the work was done before
	mu     sync.Mutex
	draws  []*graphDraws
	checks []doubt
	grads  map[*Tensor]*graphGrad
	wrote  map[*storage]*string // by which op
	same   []func() bool        // whether what was recorded still holds
	set    int64                // dataSet before: a function that sets data itself is called each time
	after  []func(done bool)
}

// graphDraws is what a graph draws from a generator. place has the seed and the offset at which a run
// begins.
type graphDraws struct {
	generator *Generator
	place     *Tensor
	blocks    uint64
}

// graphGrad is what a run does with the gradient of a tensor.
type graphGrad struct {
	asked       bool // for the one that was there before
	first, last *Tensor
}

// recordings counts the graphs that are being recorded.
var recordings atomic.Int64

// dataSet counts the tensors of GPUs that were given other elements by SetData, which nn.To does, too:
// a graph goes on with those that it was recorded with.
var dataSet atomic.Int64

// recordingOf returns the recording of this goroutine's ops on a device, or nil.
func recordingOf(d Device) *recording {
	if recordings.Load() == 0 {
		return nil
	}
	if l := current(); l != nil && l.graph != nil && l.graph.device == d {
		return l.graph
	}
	return nil
}

// record calls f to record it, or reports false where nothing is to be recorded.
func (g *Graph) record() bool {
	graph, err := g.device.gpu("graph").Record()
	failOn("graph", err)
	if graph == nil {
		return false
	}
	l, saved := enter()
	defer l.restore(&saved)
	r := &recording{device: g.device, graph: graph, outer: l.stream, noGrad: l.noGrad, cast: l.cast,
		set: dataSet.Load(), grads: map[*Tensor]*graphGrad{}, wrote: map[*storage]*string{}}
	l.graph, l.stream = r, &routed{g.device, graph.Stream(), l.stream}
	if l.cast != nil {
		l.cast = l.cast.Fresh() // kept casts would not be made again
	}
	recordings.Add(1)
	done := false
	defer func() {
		recordings.Add(-1)
		err := graph.End(done)
		if !done || err != nil {
			g.forget()
			for t, grad := range r.grads { // nothing is there of new ones
				t.extra.grad = grad.first
			}
			for _, f := range r.after {
				f(false)
			}
			if done {
				failOn("graph", err)
			}
			return
		}
		g.work = r
	}()
	g.f()
	for t, grad := range r.grads {
		grad.last = t.extra.grad.held() // SetGrad would end it
	}
	done = true
	return true
}

// holds reports whether calling the function would still do what was recorded.
func (r *recording) holds(l *local) bool {
	var now settings
	if l != nil {
		now = l.settings
	}
	if r.set != dataSet.Load() || now.noGrad != r.noGrad || now.detect || !alike(now.cast, r.cast) {
		return false
	}
	for _, same := range r.same {
		if !same() {
			return false
		}
	}
	for t, grad := range r.grads {
		if grad.asked && t.extra.grad != grad.first {
			return false
		}
	}
	return true
}

// alike reports whether two cast states, which may be nil, decide alike.
func alike(a, b CastState) bool {
	if a == nil || b == nil {
		return a == b
	}
	s, ok := a.(interface{ Alike(CastState) bool })
	return ok && s.Alike(b)
}

// launch does the work.
func (r *recording) launch() {
	const op = "graph"
	for _, d := range r.draws {
		at := d.generator.advance(d.blocks)
		values := [2]int64{int64(at.seed), int64(at.offset)}
		host := hostArray(values[:], Int64, []int{2})
		d.place.backend(op).FromHost(&d.place.arr, &host)
	}
	began := time.Now()
	failOn(op, r.graph.Launch(r.device.queue(op)))
	if p := profiling.Load(); p != nil {
		p.computed(op, time.Since(began), 0)
	}
	if r.again {
		for s, by := range r.wrote {
			s.version.Add(1)
			s.writer.Store(by)
		}
	}
	r.again = true
	for t, grad := range r.grads {
		t.extra.grad = grad.last
	}
	quietly(func() {
		WithCastState(nil, func() {
			for _, f := range r.after {
				f(true)
			}
			for _, d := range r.checks {
				doubt{found: d.found.Clone(), explain: d.explain}.note(false)
			}
		})
	})
}

// advance is the generator's for a draw in the graph, whose place is told by its number in a run.
func (r *recording) advance(g *Generator, blocks uint64) drawn {
	r.mu.Lock()
	defer r.mu.Unlock()
	var d *graphDraws
	for _, known := range r.draws {
		if known.generator == g {
			d = known
		}
	}
	if d == nil {
		d = &graphDraws{generator: g, place: r.outside(Int64, 2)}
		r.draws = append(r.draws, d)
	}
	at := drawn{offset: d.blocks, blocks: blocks, place: d.place}
	d.blocks += blocks
	return at
}

// outside returns a new tensor whose memory is not the graph's.
func (r *recording) outside(dtype DType, shape ...int) *Tensor {
	l, saved := enter()
	defer l.restore(&saved)
	l.graph, l.stream = nil, r.outer
	return empty("graph", r.device, dtype, shape)
}

// touch notes that the gradient of t is asked for, or replaced.
func (r *recording) touch(t *Tensor, asked bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.grads[t] == nil {
		r.grads[t] = &graphGrad{asked: asked, first: t.more().grad.held()}
	}
}

// check keeps a check, whose findings are another run's each time.
func (r *recording) check(d doubt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.checks = append(r.checks, d)
}

// note keeps that op has written s.
func (r *recording) note(s *storage, op *string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrote[s] = op
}

// whenRecorded implements many.Recorded.
func whenRecorded(same func() bool, after func(done bool)) any {
	if recordings.Load() == 0 {
		return nil
	}
	l := current()
	if l == nil || l.graph == nil {
		return nil
	}
	r := l.graph
	r.mu.Lock()
	defer r.mu.Unlock()
	if same != nil {
		r.same = append(r.same, same)
	}
	if after != nil {
		r.after = append(r.after, after)
	}
	return r
}
