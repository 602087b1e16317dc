package rt

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/petermattis/goid"
)

// Defers holds the deferred calls of one activation of a function, and its panic.
type Defers struct {
	calls   []deferred
	panic   *Trace // what is under way, or was recovered by the call that runs
	stopped bool   // the function was abandoned, or its calls run because of a stop
	ts      *Types
}

type deferred struct {
	f     func()
	calls Recovers
}

// Recovers tells what is known about a deferred function: whether it calls recover itself.
type Recovers = int

// What is deferred is code that makes the call; Value is a call of a function value, which the code
// itself calls.
const (
	Never Recovers = iota
	Perhaps
	Value
)

// A pending activation is about to run a deferred call which may recover. The function that is
// called takes it with Me.
type pending struct {
	d        *Defers
	forwards int // functions that only call another one
	value    bool
}

var pendings = struct {
	sync.Mutex
	byGoroutine map[int64]*pending
	some        atomic.Bool // whether there is one
}{byGoroutine: map[int64]*pending{}}

// Do runs body, the body of a function that defers, and then the calls it pushed, last first, also
// when it panics, the goroutine exits or the cell is stopped. A panic that no call recovers goes on.
// body returns true; it gives false where the interpreter has abandoned it. The goroutine ends then:
// what called the function must not go on.
func (ts *Types) Do(body func(*Defers) bool) {
	d := &Defers{ts: ts}
	returned, whole := false, false
	defer func() {
		d.caught(recover())
		if d.panicking() {
			ts.unwinding.Add(1)
			defer ts.unwinding.Add(-1)
		}
		d.stopped = returned && !whole
		bound := ts.stopped() != nil
		d.run()
		switch {
		case d.stopped && bound:
			runtime.Goexit()
		case d.stopped: // a goroutine of compiled code, which may not expect to end
			if s := ts.stop.Load(); s != nil {
				s.closed()
			}
		default:
			d.goOn()
		}
	}()
	whole = body(d)
	returned = true
}

// caught notes the panic value r, if there is one, as the one under way.
func (d *Defers) caught(r any) {
	if r != nil {
		t := d.ts.TakeTrace(r)
		if d.panic != nil {
			t.first().Before = d.panic
		}
		d.panic = t
	}
}

// panicking reports whether there is a panic that may be recovered.
func (d *Defers) panicking() bool {
	return d.panic != nil && !d.panic.exits && !d.panic.Recovered
}

// goOn lets what no call has recovered leave the activation.
func (d *Defers) goOn() {
	if d.panic != nil {
		d.ts.putTrace(d.panic)
	}
	if d.panicking() {
		panic(d.panic.Value)
	}
}

// Push defers f to the end of the activation d.
func Push(d *Defers, f func(), calls Recovers) {
	d.calls = append(d.calls, deferred{f, calls})
}

// run runs the deferred calls. A call that exits the goroutine leaves run early: the rest runs
// while it unwinds.
func (d *Defers) run() {
	if d.ends() {
		return // the program ends here; os.Exit runs nothing
	}
	finished := false
	leave := func() {}
	under := d.panic
	defer func() {
		leave()
		if finished {
			return
		}
		if d.panic == under { // a goroutine that ends does not panic any more
			d.panic = &Trace{exits: true, Before: under}
		}
		d.run()
		d.goOn()
	}()
	within := false // the window of a stop
	for len(d.calls) > 0 {
		stopped := d.ts.stopped()
		switch s := d.ts.stop.Load(); {
		case s == nil && over(stopped): // the run was given up; its deferred calls do not end with it
			d.ts.stops.Delete(goid.Get())
			d.stopped = true
		case s != nil && s.spares(stopped):
			d.ts.Hold()
		}
		d.ts.deferring.Add(1)
		if s := d.ts.stop.Load(); s != nil && !within && !s.spares(stopped) {
			d.ts.deferring.Add(-1)
			if leave, within = d.enter(s); !within {
				d.calls = nil
				break
			}
			d.ts.deferring.Add(1)
		}
		last := len(d.calls) - 1
		c := d.calls[last]
		d.calls = d.calls[:last]
		under = d.panic
		d.call(c)
		if d.ends() {
			break
		}
	}
	finished = true
}

// ends reports whether what is under way ends the program.
func (d *Defers) ends() bool { return d.panic != nil && ends(d.panic.Value) }

// enter waits until the calls may run although everything is being stopped, and reports whether they
// may. What they wait for themselves ends with the stop. leave is to be called after them.
func (d *Defers) enter(s *Stop) (leave func(), ok bool) {
	leave = func() {}
	stopped := d.ts.stopped()
	if stopped == s.over { // the goroutine is in the window
		return leave, !over(s.over)
	}
	d.stopped = true
	if !s.enter() {
		return leave, false
	}
	release := d.ts.BindStop(s.over)
	if stopped == nil {
		leave = release
	}
	return leave, true // a goroutine of the cell is in the window until it ends
}

// call runs one deferred call. Its panic interrupts the one that is under way.
func (d *Defers) call(c deferred) {
	defer d.ts.deferring.Add(-1)
	switch {
	case c.calls != Never:
		id := goid.Get()
		setPending(id, &pending{d: d, value: c.calls == Value})
		defer setPending(id, nil)
	default:
		Declines() // what is pending is of an outer call
	}
	defer func() { d.caught(recover()) }()
	if c.f == nil {
		panic(errNil)
	}
	c.f()
	if d.panic != nil && d.panic.Recovered {
		for d.panic != nil && !d.panic.exits {
			d.panic = d.panic.Before
		}
	}
}

func setPending(id int64, p *pending) {
	pendings.Lock()
	defer pendings.Unlock()
	if p == nil {
		delete(pendings.byGoroutine, id)
	} else {
		pendings.byGoroutine[id] = p
	}
	pendings.some.Store(len(pendings.byGoroutine) > 0)
}

// Me returns the activation whose deferred call the caller is, or nil. A function that calls
// recover asks first of all, before it calls anything else.
func Me() *Defers {
	id := goid.Get()
	pendings.Lock()
	defer pendings.Unlock()
	p := pendings.byGoroutine[id]
	delete(pendings.byGoroutine, id)
	if p == nil || p.value && interpreted() != 2+p.forwards {
		return nil
	}
	return p.d
}

// Forwards is called first of all by a function that only calls a function which recovers: it does
// not count as a caller. If the function is not known, others may stand in between.
func Forwards(known bool) {
	pendings.Lock()
	defer pendings.Unlock()
	if p := pendings.byGoroutine[goid.Get()]; p != nil {
		p.forwards++
		p.value = p.value && known
	}
}

// Declines is called by who knows that the function that is called next does not recover.
func Declines() {
	if pendings.some.Load() {
		setPending(goid.Get(), nil)
	}
}

// interpreted counts the interpreted functions between a deferred call and its caller.
func interpreted() (n int) {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		f, more := frames.Next()
		if !more || strings.HasSuffix(f.Function, ".(*Defers).call") {
			return n
		}
		if strings.HasSuffix(f.Function, "/interp.runCfg") {
			n++
		}
	}
}

// RecoverDeferred is a deferred call of recover itself, in a function whose Me is me and whose own
// activation is d: it counts as a call by that function, unless the function panics.
func RecoverDeferred(me, d *Defers) {
	if !d.panicking() {
		Recover(me)
	}
}

// Recover is recover() in a function whose Me is d.
func Recover(d *Defers) any {
	if d == nil || !d.panicking() || d.ends() {
		return nil
	}
	d.panic.Recovered = true
	return Rec(d.panic.Value)
}
