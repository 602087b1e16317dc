package display

import (
	"crypto/rand"
	"strings"
	"sync"
	"time"

	"github.com/petermattis/goid"
)

const (
	// redrawEvery is the shortest time between two redraws: five a second look alive.
	redrawEvery = 200 * time.Millisecond
	// redrawShare is how many times its own length a redraw pauses before the next one, so that
	// drawing takes at most 2% of a loop's time.
	redrawShare = 50
	// lastDrawing is how long the end of a cell waits for the last pictures. A method that never
	// ends must not hold up the session.
	lastDrawing = 3 * time.Second
)

// live is a value that redraws until its cell ends.
type live struct {
	value   any
	binding *binding
	id      string
	version uint64
	stop    chan struct{}
	stopped chan struct{}

	mu    sync.Mutex
	shown Bundle // the last form that was whole
	over  bool   // nothing is shown any more
}

var lives = struct {
	sync.Mutex
	running []*live
}{}

// Live shows v now and shows it again, in the same place, when its method Version() uint64 returns
// another number: at most five times a second, and a last time when the cell ends, also by an
// interrupt or an error. A slow drawing is repeated less often, so that it takes at most 2% of the
// cell's time. While the cell runs, only the first picture form of v is drawn, and all forms at the
// end. A drawing that loses a form, because its method panics, is not shown: the one before stays.
//
// The redraws come from another goroutine, so Version and the methods that show v must be safe to
// call while the cell changes v. A value without Version is redrawn once, when the cell has ended.
// What goroutines change after that is not shown.
func Live(v any) {
	if b := currentBinding(); b != nil {
		startLive(v, b)
		return
	}
	Show(v)
}

func startLive(v any, b *binding) *live {
	l := &live{
		value: v, binding: b, id: rand.Text(), version: versionOf(v),
		stop: make(chan struct{}), stopped: make(chan struct{}),
	}
	start := time.Now()
	l.shown = of(v, true)
	b.out.Display(l.shown, l.id)
	cost := time.Since(start)

	lives.Lock()
	defer lives.Unlock()
	if finished(b) {
		l.finish()
		l.settle()
		return l
	}
	lives.running = append(lives.running, l)
	go l.redraw(cost)
	return l
}

// Settler is an [Output] that wants to know when a value with a display id has been shown for the
// last time.
type Settler interface {
	Settle(id string)
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
	endLives(func(l *live) bool { return l.binding.out == out })
}

// endLives draws the running live values that match for the last time.
func endLives(match func(*live) bool) {
	lives.Lock()
	var ending []*live
	rest := lives.running[:0]
	for _, l := range lives.running {
		if match(l) {
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
	}
	patience := time.NewTimer(lastDrawing)
	defer patience.Stop()
	for _, l := range ending {
		select {
		case <-l.stopped:
		case <-patience.C:
			patience.Reset(0) // for the others, too
		}
		l.settle()
	}
}

func finished(b *binding) bool {
	bindings.RLock()
	defer bindings.RUnlock()
	return b.finished
}

// redraw runs on its own goroutine until the value is drawn for the last time. cost is how long the
// last drawing took.
func (l *live) redraw(cost time.Duration) {
	defer bind(goid.Get(), l.binding)() // what the value's methods print belongs to the cell
	defer close(l.stopped)
	timer := time.NewTimer(pause(cost))
	defer timer.Stop()
	for {
		select {
		case <-l.stop:
			l.finish()
			return
		case <-timer.C:
		}
		start := time.Now()
		if v := versionOf(l.value); v != l.version {
			l.version = v
			l.update(of(l.value, true))
		}
		timer.Reset(pause(time.Since(start)))
	}
}

// update shows b unless it lacks what was shown before.
func (l *live) update(b Bundle) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over || lacks(b, l.shown) {
		return
	}
	l.shown = b
	l.binding.out.Update(b, l.id)
}

// finish shows the value in all its forms for the last time.
func (l *live) finish() {
	if e, ok := l.value.(interface{ end() }); ok {
		e.end()
	}
	l.update(of(l.value, false))
}

// settle lets nothing be shown any more.
func (l *live) settle() {
	l.mu.Lock()
	l.over = true
	l.mu.Unlock()
	if s, ok := As[Settler](l.binding.out); ok {
		s.Settle(l.id)
	}
}

// lacks reports whether a form of before is missing in b, where a picture may be in another format.
func lacks(b, before Bundle) bool {
	pictured := false
	for mime := range b.Data {
		pictured = pictured || strings.HasPrefix(mime, "image/")
	}
	for mime := range before.Data {
		if b.Data[mime] == nil && !(pictured && strings.HasPrefix(mime, "image/")) {
			return true
		}
	}
	return false
}

func pause(cost time.Duration) time.Duration {
	return max(redrawEvery, redrawShare*cost)
}

func versionOf(v any) (version uint64) {
	defer func() { recover() }() // a nil receiver, say: the value just stays as it was shown
	if m, ok := v.(interface{ Version() uint64 }); ok {
		return m.Version()
	}
	return 0
}
