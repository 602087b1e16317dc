package display

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// recorder is an Output that keeps a line for each call.
type recorder struct {
	mu    sync.Mutex
	calls []string
	ids   map[string]int
}

func (r *recorder) add(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, fmt.Sprintf(format, args...))
}

func (r *recorder) number(id string) int {
	if id == "" {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ids == nil {
		r.ids = map[string]int{}
	}
	if r.ids[id] == 0 {
		r.ids[id] = len(r.ids) + 1
	}
	return r.ids[id]
}

func (r *recorder) Stream(name, text string) { r.add("%s %q", name, text) }

func (r *recorder) Display(b Bundle, id string) { r.add("display %d %s", r.number(id), b.Text()) }

func (r *recorder) Update(b Bundle, id string) { r.add("update %d %s", r.number(id), b.Text()) }

func (r *recorder) Clear(wait bool) { r.add("clear %v", wait) }

func TestOutputFollowsGoroutines(t *testing.T) {
	var outer, inner recorder
	release := Bind(&outer)
	fmt.Fprint(Stdout(), "a")
	releaseInner := Bind(&inner)
	Show(1)
	Clear(true)

	done := make(chan struct{})
	go Inherit(func() {
		defer close(done)
		fmt.Fprint(Stderr(), "from a goroutine")
	})()
	<-done
	releaseInner()
	releaseInner()
	Show("b")
	release()
	if _, ok := Current().(process); !ok {
		t.Errorf("after release: %T", Current())
	}
	if diff := cmp.Diff([]string{`stdout "a"`, `display 0 "b"`}, outer.calls); diff != "" {
		t.Errorf("outer (-want +got)\n%s", diff)
	}
	want := []string{"display 0 1", "clear true", `stderr "from a goroutine"`}
	if diff := cmp.Diff(want, inner.calls); diff != "" {
		t.Errorf("inner (-want +got)\n%s", diff)
	}
}

func TestInheritedGoroutineLeavesNoBinding(t *testing.T) {
	release := Bind(&recorder{})
	done := make(chan struct{})
	f := Inherit(func() {})
	release() // the cell has ended
	go func() {
		defer close(done)
		f()
		if _, ok := Current().(process); !ok {
			t.Errorf("still bound to %T", Current())
		}
	}()
	<-done
}

type counter struct {
	n    atomic.Uint64
	cost time.Duration
}

func (c *counter) Version() uint64 { return c.n.Load() }

func (c *counter) SVG() string {
	time.Sleep(c.cost)
	return "<svg/>"
}

func (c *counter) String() string { return fmt.Sprint(c.n.Load()) }

func TestLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out recorder
		release := Bind(&out)
		defer release()
		c := &counter{}
		Live(c)
		for range 100 { // one second of a loop that changes the value every 10 ms
			c.n.Add(1)
			time.Sleep(10 * time.Millisecond)
		}
		c.n.Add(1)
		Finish(&out)
		if n := len(out.calls); n < 6 || n > 7 {
			t.Errorf("%d drawings in a second: %q", n, out.calls)
		}
		if got := out.calls[0]; got != "display 1 0" {
			t.Errorf("first %q", got)
		}
		if got := out.calls[len(out.calls)-1]; got != "update 1 101" {
			t.Errorf("last %q", got)
		}
		before := len(out.calls)
		c.n.Add(1)
		time.Sleep(time.Second)
		Live(c)
		time.Sleep(time.Second)
		if diff := cmp.Diff([]string{"display 2 102", "update 2 102"}, out.calls[before:]); diff != "" {
			t.Errorf("after the end of the cell (-want +got)\n%s", diff)
		}
	})
}

func TestLiveTakesTwoPercent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out recorder
		defer Bind(&out)()
		c := &counter{cost: 50 * time.Millisecond}
		Live(c)
		start := time.Now()
		for time.Since(start) < 60*time.Second {
			c.n.Add(1)
			time.Sleep(10 * time.Millisecond)
		}
		Finish(&out)
		drawn := time.Duration(len(out.calls)-1) * c.cost
		if share := drawn.Seconds() / 60; share > 0.021 {
			t.Errorf("drawing took %.1f%% of the time", 100*share)
		}
	})
}

func TestLiveWithoutVersion(t *testing.T) {
	var out recorder
	defer Bind(&out)()
	p := &point{1, 2}
	Live(p)
	p.X = 3
	Finish(&out)
	want := []string{"display 1 &display.point{X: 1, Y: 2}", "update 1 &display.point{X: 3, Y: 2}"}
	if diff := cmp.Diff(want, out.calls); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// fragile is a value whose picture fails while broken is set.
type fragile struct {
	counter
	broken atomic.Bool
}

func (f *fragile) SVG() string {
	if f.broken.Load() {
		panic("no picture")
	}
	return "<svg/>"
}

func (f *fragile) String() string { return fmt.Sprint(f.n.Load()) }

// pictures is an Output that keeps the bundles.
type pictures struct {
	recorder
	bundles []Bundle
	settled int
}

func (p *pictures) Display(b Bundle, id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bundles = append(p.bundles, b)
}

func (p *pictures) Update(b Bundle, id string) { p.Display(b, id) }

func (p *pictures) Settle(id string) { p.settled++ }

func TestLiveKeepsTheLastGoodPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &pictures{}
		defer Bind(out)()
		f := &fragile{}
		Live(f)
		f.n.Add(1)
		time.Sleep(time.Second)
		f.broken.Store(true)
		f.n.Add(1)
		time.Sleep(time.Second)
		Finish(out)
		if len(out.bundles) != 2 {
			t.Fatalf("%d drawings", len(out.bundles))
		}
		want := map[string]any{MIMESVG: "<svg/>", MIMEText: "1"}
		if diff := cmp.Diff(want, out.bundles[1].Data); diff != "" {
			t.Errorf("last (-want +got)\n%s", diff)
		}
		if out.settled != 1 {
			t.Errorf("settled %d times", out.settled)
		}
	})
}

// TestFinishDoesNotWaitForEver: a drawing that never ends holds up neither the cell nor others.
func TestFinishDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &pictures{}
		defer Bind(out)()
		stuck, other := &counter{}, &counter{}
		Live(stuck)
		Live(other)
		stuck.cost = time.Hour
		start := time.Now()
		Finish(out)
		if took := time.Since(start); took != lastDrawing {
			t.Errorf("took %v", took)
		}
		if n := len(out.bundles); n != 3 { // two first drawings and the other's last
			t.Errorf("%d drawings", n)
		}
		time.Sleep(2 * time.Hour)
		if n := len(out.bundles); n != 3 {
			t.Errorf("%d drawings after the end", n)
		}
	})
}

// loud prints when it is drawn.
type loud struct{ counter }

func (*loud) SVG() string {
	fmt.Fprint(Stdout(), "drawing")
	return "<svg/>"
}

func TestLivePrintsUnderItsCell(t *testing.T) {
	var out recorder
	release := Bind(&out)
	Live(&loud{})
	release()
	Finish(&out)
	want := []string{`stdout "drawing"`, "display 1 0", `stdout "drawing"`, "update 1 0"}
	if diff := cmp.Diff(want, out.calls); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
