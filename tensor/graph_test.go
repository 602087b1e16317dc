package tensor_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/reference"
)

// graphOn returns a graph on the default device.
func graphOn(t *testing.T, f func()) *tensor.Graph {
	t.Helper()
	d, err := tensor.DefaultDevice()
	if err != nil {
		t.Fatal(err)
	}
	return tensor.NewGraph(d, f)
}

// TestGraphRuns: each run does what a call does, also with garbage between them, in another stream and
// after Reset, and the function is called three times.
func TestGraphRuns(t *testing.T) {
	d, _ := tensor.DefaultDevice()
	calls := 0
	x, total := tensor.Zeros(3000), tensor.Zeros(3000)
	var mean *tensor.Tensor
	g := graphOn(t, func() {
		calls++
		big := x.Mul(2).Add(1) // ends in the run
		total.AddInPlace(big)
		mean = big.Mul(tensor.New(0.5)).Mean()
	})
	other, sum := tensor.NewStream(d), 0.0
	for i := range 12 {
		x.FillInPlace(float64(i))
		before := total.Version()
		switch i {
		case 5:
			ready, done := tensor.NewEvent(), tensor.NewEvent()
			tensor.CurrentStream(d).Record(ready)
			other.Wait(ready)
			other.Do(g.Run)
			other.Record(done)
			tensor.CurrentStream(d).Wait(done)
		case 9:
			g.Reset()
			g.Run()
		default:
			g.Run()
		}
		runtime.GC()
		tensor.EmptyCache()
		for range 10 {
			tensor.Full(7, 3000) // where the graph's tensors were?
		}
		if got, want := mean.Item(), float64(2*i+1)/2; got != want {
			t.Errorf("run %d: the mean is %v, want %v", i, got, want)
		}
		if sum += float64(2*i + 1); total.Mean().Item() != sum {
			t.Errorf("run %d: the sum is %v, want %v", i, total.Mean(), sum)
		}
		if total.Version() != before+1 || total.WrittenBy() != "AddInPlace" {
			t.Errorf("run %d: the sum was written %d times, by %s", i, total.Version()-before, total.WrittenBy())
		}
	}
	want, text := 6, "graph of "+d.String()+", recorded"
	if reference.OnCPU() {
		want, text = 12, "graph of cpu"
	}
	if calls != want || g.String() != text {
		t.Errorf("the function was called %d times, want %d; %s", calls, want, g)
	}
}

// TestGraphDraws: the random numbers of runs are those of calls, from two generators, after Seed, and
// when Checkpoint draws them again.
func TestGraphDraws(t *testing.T) {
	draw := func(inGraph bool) string {
		tensor.Seed(5)
		own := tensor.NewGenerator(8)
		w := tensor.Ones(40).SetRequiresGrad(true)
		var a, b, c *tensor.Tensor
		f := func() {
			w.SetGrad(nil)
			a, b = tensor.Randn(5), own.Randint(0, 1000, 4)
			c = tensor.Checkpoint(func(x ...*tensor.Tensor) *tensor.Tensor { return x[0].Exp().Dropout(0.5).Exp() }, w)
			c.Sum().Backward()
		}
		run := f
		if inGraph {
			run = graphOn(t, f).Run
		}
		text := ""
		for i := range 6 {
			if i == 4 {
				tensor.Seed(77)
			}
			run()
			text += fmt.Sprintln(a.Float32s(), b.Int64s(), c.Float32s(), w.Grad().Float32s(), tensor.Rand(2).Float32s(), own)
		}
		return text
	}
	if called, run := draw(false), draw(true); called != run {
		t.Errorf("by calls:\n%s\nby a graph:\n%s", called, run)
	}
}

// TestGraphMistakes: what cannot be recorded is an error, after which all goes on.
func TestGraphMistakes(t *testing.T) {
	d, _ := tensor.DefaultDevice()
	if got := reference.Mistake(func() { tensor.NewGraph(d, nil) }); got != "graph: the function is nil" {
		t.Error(got)
	}
	if got := reference.Mistake((*tensor.Graph)(nil).Run); got != "graph: the graph is nil; make one with tensor.NewGraph" {
		t.Error(got)
	}
	var inner *tensor.Graph
	inner = graphOn(t, func() { inner.Run() })
	if got := reference.Mistake(inner.Run); got != "graph: Run is called while another Run of this graph is not over" {
		t.Error(got)
	}
	if reference.OnCPU() {
		return
	}
	x, host := tensor.Ones(4), tensor.Ones(4).To(tensor.CPU)
	event := tensor.NewEvent()
	for _, c := range []struct {
		what string
		f    func()
		want string
	}{
		{"read", func() { x.Mul(2).Sum().Item() }, "item: the program reads numbers of the GPU, which a Graph cannot record; do it before or after Run"},
		{"print", func() { _ = fmt.Sprint(x) }, "graph: copy: the program reads numbers of the GPU"},
		{"copy", func() { host.To(d) }, "to: 16 B are copied from the host, which a Graph cannot record"},
		{"wait", func() { tensor.Synchronize() }, "synchronize: it waits for the GPU, which a Graph cannot record"},
		{"stream wait", func() { tensor.CurrentStream(d).Synchronize() }, "synchronize: its work is recorded by a Graph and done later"},
		{"event", func() { tensor.CurrentStream(d).Record(event) }, "event: its work is recorded by a Graph and done later"},
		{"stream", func() { tensor.NewStream(d).Do(func() {}) }, "stream: a Graph records one stream"},
		{"train elsewhere", func() { host.SetRequiresGrad(true).Sum().Backward() },
			"graph: a Graph does the work of " + d.String() + " again, and not that of cpu, where a gradient is"},
		{"panic", func() { panic("mine") }, "mine"},
		{"op", func() { x.MatMul(tensor.Ones(3)) }, "matmul: "},
	} {
		t.Run(c.what, func(t *testing.T) {
			calls := 0
			var made *tensor.Tensor
			g := graphOn(t, func() {
				x.AddInPlace(1)
				made = x.Mul(3)
				if calls++; calls == 3 {
					c.f()
				}
			})
			g.Run()
			g.Run()
			before := x.Sum().Item()
			got := func() (text string) {
				defer func() { text = fmt.Sprint(recover()) }()
				g.Run()
				return ""
			}()
			if !strings.HasPrefix(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if after := x.Sum().Item(); after != before {
				t.Errorf("the failed run has changed the sum from %v to %v", before, after)
			}
			if got := reference.Mistake(func() { made.Add(1) }); !strings.HasPrefix(got, "add: a tensor of this op was never computed") {
				t.Error(got)
			}
			for range 3 { // which record anew
				g.Run()
			}
			if after := x.Sum().Item(); after != before+12 || made.Sum().Item() != 3*after {
				t.Errorf("after three runs the sum is %v, of three times as much %v; before it was %v", after, made.Sum(), before)
			}
		})
	}
}

// TestGraphReserves: memory that a graph uses is not used by others until it is gone.
func TestGraphReserves(t *testing.T) {
	if reference.OnCPU() {
		return // whose memory the garbage collector knows
	}
	const n = 1 << 20
	w := tensor.Zeros(n)
	var out *tensor.Tensor
	g := graphOn(t, func() { out = w.Add(1).Mul(2) })
	for range 3 {
		g.Run()
	}
	w.Free()
	out.Free()
	fresh := tensor.Full(5, n)
	g.Run() // writes what was freed
	if got := fresh.Mean().Item(); got != 5 {
		t.Errorf("a graph wrote to others' memory: %v", got)
	}
	tensor.EmptyCache()
	held := tensor.MemoryStats().Reserved
	g.Reset()
	reference.Collect() // what the function has made
	tensor.EmptyCache()
	if left := tensor.MemoryStats().Reserved; left > held-3*4*n {
		t.Errorf("%d bytes were reserved with the graph, %d are without it", held, left)
	}
}

// TestGraphOfOtherDevice: a graph records work of one device.
func TestGraphOfOtherDevice(t *testing.T) {
	calls := 0
	g := tensor.NewGraph(tensor.CPU, func() { calls++ })
	for range 5 {
		g.Run()
	}
	if calls != 5 || g.Recorded() {
		t.Errorf("5 runs on the CPU called the function %d times", calls)
	}
	if tensor.CUDAAvailable() {
		return
	}
	if got := reference.Mistake(func() { tensor.NewGraph(tensor.CUDA(0), func() {}) }); got != "graph: "+tensor.CUDAError().Error() {
		t.Error(got)
	}
}

// TestGraphsAtOnce: goroutines record and run graphs while others compute.
func TestGraphsAtOnce(t *testing.T) {
	var wg sync.WaitGroup
	for id := range 4 {
		wg.Go(func() {
			x := tensor.Full(float64(id), 100)
			var y *tensor.Tensor
			f := func() {
				done := make(chan struct{})
				with := tensor.Inherit()
				go with(func() {
					defer close(done)
					y = x.Mul(3).Add(1)
				})
				<-done
				x.AddInPlace(1)
			}
			run := f
			if id%2 == 0 {
				run = graphOn(t, f).Run
			}
			for i := range 6 {
				run()
				if got, want := y.Mean().Item(), float64(3*(id+i)+1); got != want {
					t.Errorf("goroutine %d, run %d: %v, want %v", id, i, got, want)
				}
			}
		})
	}
	wg.Wait()
}

// TestGraphChecks: positions out of range are told after the run that had them, as without a graph.
func TestGraphChecks(t *testing.T) {
	weight, ids := tensor.Ones(5, 2), tensor.New([]int64{0, 1, 4})
	g := graphOn(t, func() { tensor.Embedding(weight, ids).Mul(2) })
	for i := range 8 {
		ids.CopyFrom(tensor.New([]int64{int64(i), 1, 0}))
		got, want := reference.Mistake(g.Run), "no panic"
		if i >= 5 {
			want = fmt.Sprintf("embedding: id %d at [0] is no row of the weight of shape [5 2]", i)
		}
		if got != want {
			t.Errorf("run %d: %q, want %q", i, got, want)
		}
	}
}

// TestGraphOfOtherData: a graph does not go on with elements that SetData or nn.To has replaced.
func TestGraphOfOtherData(t *testing.T) {
	x, w := tensor.Ones(2), tensor.Ones(2)
	m := nn.NewLinear(2, 1)
	d := x.Device()
	var y, z *T
	g := tensor.NewGraph(d, func() { y, z = x.Mul(w), m.Forward(x) })
	for i := range 8 {
		switch i {
		case 4:
			w.SetData(tensor.Full(5, 2))
		case 6:
			nn.To(m, tensor.Float64)
			x.SetData(tensor.Ones(2).To(tensor.Float64))
		}
		g.Run()
		want := 1.0
		if i >= 4 {
			want = 5
		}
		if y.Index(0).Item() != want || z.Item() != m.Forward(x).Item() || z.DType() != m.Weight.DType() {
			t.Errorf("run %d: %v and %v", i, y, z)
		}
	}
}

// TestGraphThatSetsData: a function that gives a tensor other elements does that in each run.
func TestGraphThatSetsData(t *testing.T) {
	x := tensor.Zeros(2)
	g := tensor.NewGraph(x.Device(), func() { x.SetData(x.Add(1)) })
	for i := range 8 {
		if g.Run(); x.Index(0).Item() != float64(i+1) {
			t.Errorf("run %d: %v", i, x)
		}
	}
}

// TestGraphsAreCollected: what graphs reserve that are no more is found before it is much.
func TestGraphsAreCollected(t *testing.T) {
	if reference.OnCPU() {
		return // which reserves nothing for them
	}
	for range 60 {
		x := tensor.Zeros(1000)
		var y *T
		g := tensor.NewGraph(x.Device(), func() { y = x.Add(1).Mul(3) })
		for range 4 {
			g.Run()
		}
		if got := y.Index(0).Item(); got != 3 {
			t.Fatalf("got %v", got)
		}
	}
	reference.Collect()
	tensor.EmptyCache()
	if got := tensor.MemoryStats().Reserved; got > 80<<20 {
		t.Errorf("%d bytes are reserved", got)
	}
}
