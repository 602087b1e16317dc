package display

import (
	"crypto/rand"
	"sync"
	"time"
)

const (
	// redrawEvery is the shortest time between two redraws: five a second look alive.
	redrawEvery = 200 * time.Millisecond
	// redrawShare is how many times its own length a redraw pauses before the next one, so that
	// drawing takes at most 2% of a loop's time.
	redrawShare = 50
)

// live is a value that redraws until its cell ends.
type live struct {
	value   any
	out     Output
	id      string
	version uint64
	stop    chan struct{}
	stopped chan struct{}
}

var lives = struct {
	sync.Mutex
	running []*live
}{}

// Live shows v now and shows it again, in the same place, when its method Version() uint64 returns
// another number: at most five times a second, and a last time when the cell ends. A slow drawing
// is repeated less often, so that it takes at most 2% of the cell's time. While the cell runs, only
// the first picture form of v is drawn, and all forms at the end.
//
// The redraws come from another goroutine, so Version and the methods that show v must be safe to
// call while the cell changes v. A value without Version is redrawn once, when the cell has ended.
func Live(v any) {
	b := currentBinding()
	if b == nil {
		Show(v)
		return
	}
	l := &live{
		value: v, out: b.out, id: rand.Text(), version: versionOf(v),
		stop: make(chan struct{}), stopped: make(chan struct{}),
	}
	start := time.Now()
	b.out.Display(of(v, true), l.id)
	cost := time.Since(start)

	lives.Lock()
	defer lives.Unlock()
	if finished(b) {
		b.out.Update(Of(v), l.id)
		return
	}
	lives.running = append(lives.running, l)
	go l.redraw(cost)
}

// Finish ends the cell whose output is out: its live values are drawn for the last time, and
// nothing redraws any more when Finish returns. The session calls it however the cell ended.
func Finish(out Output) {
	bindings.Lock()
	for _, b := range bindings.byGoroutine {
		if b.out == out {
			b.finished = true
		}
	}
	bindings.Unlock()

	lives.Lock()
	var ending []*live
	rest := lives.running[:0]
	for _, l := range lives.running {
		if l.out == out {
			ending = append(ending, l)
			continue
		}
		rest = append(rest, l)
	}
	clear(lives.running[len(rest):])
	lives.running = rest
	lives.Unlock()

	for _, l := range ending {
		close(l.stop)
		<-l.stopped
		l.out.Update(Of(l.value), l.id)
	}
}

func finished(b *binding) bool {
	bindings.RLock()
	defer bindings.RUnlock()
	return b.finished
}

// redraw runs on its own goroutine until Finish stops it. cost is how long the last drawing took.
func (l *live) redraw(cost time.Duration) {
	defer close(l.stopped)
	timer := time.NewTimer(pause(cost))
	defer timer.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-timer.C:
		}
		start := time.Now()
		if v := versionOf(l.value); v != l.version {
			l.version = v
			l.out.Update(of(l.value, true), l.id)
		}
		timer.Reset(pause(time.Since(start)))
	}
}

func pause(cost time.Duration) time.Duration {
	return max(redrawEvery, redrawShare*cost)
}

func versionOf(v any) (version uint64) {
	defer func() { recover() }() // a nil receiver, say: the value just stays as it was shown
	switch m := v.(type) {
	case interface{ Version() uint64 }:
		return m.Version()
	case boxed:
		if method, ok := m.Method("Version").(func(any) uint64); ok {
			return method(v)
		}
	}
	return 0
}
