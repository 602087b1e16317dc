package repl

// This file is the only one that imports the interpreter. It loads core, runs it, stops it, and
// says where it panicked.

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"io"
	"maps"
	"reflect"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/traefik/yaegi/interp"

	"halfnote/internal/memory"
	"halfnote/repl/display"
	"halfnote/repl/emit"
	"halfnote/repl/ir"
	"halfnote/repl/rt"
	"halfnote/repl/symbols"
)

// A machine runs core: it emits what the interpreter compiles and keeps the interpreter.
type machine struct {
	interp    *interp.Interpreter
	inside    internals
	steps     *steps
	emitter   *emit.Emitter
	overrides map[string]map[string]reflect.Value // what package rt does in its own way
	loaded    map[string]bool                     // compiled packages the interpreter knows
	types     *rt.Types
	ends      chan *panicked // what ends the running program from another goroutine of it
	onStop    func()         // is called when a program has been stopped, to end its reads
	woken     bool           // something else may wake goroutines of cells when all wait
}

func newMachine(ts *rt.Types) *machine {
	debug.SetMaxStack(goStack)
	debug.SetMemoryLimit(int64(memory.Limit()))
	easeCollector()
	faults := &faults{types: ts}
	i := interp.New(interp.Options{Stdout: io.Discard, Stderr: faults, Unrestricted: true})
	nodes := openNodes(reflect.TypeOf(i).Elem(), reflect.TypeFor[interp.Program]())
	faults.nodes = nodes
	m := &machine{
		interp:    i,
		inside:    open(i),
		steps:     newSteps(nodes, ts),
		emitter:   emit.New(),
		overrides: ts.Overrides(),
		types:     ts,
		ends:      make(chan *panicked, 1),
		loaded:    map[string]bool{},
	}
	maps.Copy(m.overrides["runtime"], m.callers())
	m.inside.begin()
	m.use(emit.RuntimePath, ts.Symbols())
	m.emitter.SetPlace(ts.Place())
	m.emitter.SetMethods(ts.MethodFunc)
	ts.SetWhere(m.where)
	return m
}

func (m *machine) fileSet() *token.FileSet { return m.interp.FileSet() }

// use gives the interpreter symbols under an import path.
func (m *machine) use(path string, table map[string]reflect.Value) {
	// The interpreter wants a package's path and name; emitted imports give the name themselves.
	if err := m.interp.Use(interp.Exports{path + "/_": table}); err != nil {
		panic(err) // only a malformed path, which is ours
	}
}

// refusal is what the interpreter says of code that it does not compile.
type refusal struct{ msg string }

func (r *refusal) Error() string { return r.msg }

// A program is loaded code.
type program struct {
	*interp.Program
	local []string // names that it alone uses
}

// load compiles a unit; the program runs its entry.
func (m *machine) load(unit *ir.Unit) (p *program, err error) {
	defer func() {
		if r := recover(); r != nil { // the interpreter's compiler panics on what it cannot do
			err = &refusal{fmt.Sprint(r)}
		}
	}()
	emitted, err := m.emitter.Unit(unit)
	if err != nil {
		return nil, &refusal{err.Error()}
	}
	for _, path := range emitted.Imports {
		if !m.loaded[path] {
			table, _ := symbols.Load(path)
			all := maps.Clone(table.Symbols)
			maps.Copy(all, m.overrides[path])
			m.use(path, all)
			m.loaded[path] = true
		}
	}
	m.use(emit.SessionPath, emitted.Symbols)
	compiled, err := m.interp.CompileAST(emitted.File)
	if err != nil {
		m.inside.forget(emitted.Local)
		return nil, &refusal{err.Error()}
	}
	m.steps.remake(unsafe.Pointer(compiled))
	return &program{compiled, emitted.Local}, nil
}

// panicked is a panic that ended a program.
type panicked struct {
	value  any
	frames []Frame // the user's functions that it has left, if known
	text   string  // what is said of it, if more than the value tells
}

// panicked returns the panic with the recovered value r that the calling goroutine has recovered.
func (m *machine) panicked(r any) *panicked {
	t, v := m.types.TakeTrace(r), rt.Rec(r)
	return &panicked{v, m.frames(t), panicMessage(t, v)}
}

func (p *panicked) Error() string {
	if p.text != "" {
		return p.text
	}
	return rt.PanicText(p.value)
}

// grace is how long a stopped cell may take to end: a call into compiled code cannot be stopped.
const grace = 3 * time.Second

// run lets work run code of the user to its end, until ctx is done or a goroutine of the user's
// ends it, or until it has used up its stack. Its error is a *panicked or ctx's.
func (m *machine) run(ctx context.Context, work func() error, out display.Output) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	store(m.types.Place(), int(token.NoPos))
	usage := newUsage()
	stopped, begun, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(ended) // also when the cell ends its goroutine
		defer display.Bind(out)()
		defer m.types.Begin(stopped)()
		close(begun)
		m.guarded(work, ended)
	}()
	<-begun // until then m.types knows the goroutine of the run before
	watch := time.NewTicker(watchEvery)
	defer watch.Stop()
	returns, sleep := ended, &asleep{}
	for {
		select {
		case err, returned := <-returns:
			if returned {
				return err
			}
			returns = nil // runtime.Goexit; the goroutines that it has started go on
		case <-ctx.Done():
			return m.stopped(ctx, stopped, ended)
		case p := <-m.ends:
			m.halt(stopped, ended, false)
			return p
		case <-watch.C:
			if returns == nil && !m.types.RunsOn() {
				return &panicked{value: errGoexit}
			}
			if !m.woken && sleep.forEver(m.types) {
				t := m.here()
				m.halt(stopped, ended, false)
				return &panicked{value: errDeadlock, frames: m.frames(t)}
			}
			if err := usage.tooMuch(); err != nil {
				t := m.here()
				if err == errStack {
					t.Place = int(m.emitter.Recursion(token.Pos(t.Place)))
				}
				m.halt(stopped, ended, false)
				usage.free()
				return &panicked{value: err, frames: m.frames(t)}
			}
		}
	}
}

// here is where the running program is, if that is known.
func (m *machine) here() *rt.Trace { return &rt.Trace{Place: m.types.Here()} }

// stopped halts a program whose ctx is done, and returns the error that says so.
func (m *machine) stopped(ctx context.Context, stopped chan struct{}, ended chan error) error {
	if !m.halt(stopped, ended, true) {
		return errBackground
	}
	return ctx.Err()
}

// halt stops the running program and waits for its end. If clean is set deferred calls run. It
// reports whether the program has ended; if not, it is in a call into compiled code, and ends when
// this returns.
func (m *machine) halt(stopped chan struct{}, ended chan error, clean bool) (hasEnded bool) {
	pause, resume := m.inside.stopper()
	stop := m.types.Stop(stopped, pause, resume)
	close(stopped)
	if m.onStop != nil {
		m.onStop()
	}
	defer func() {
		stop.End()
		m.woken = m.woken || !hasEnded // the call may do something when it returns
	}()
	limit, soon := time.Now().Add(grace), time.Now().Add(moment)
	isOver := func() bool {
		select {
		case <-ended:
			hasEnded = true
		default:
		}
		return hasEnded
	}
	for clean {
		arrived := func() bool {
			_, first := stop.Waits()
			return (isOver() || first) && stop.Others() <= 0
		}
		until(soon, arrived)
		some := false
		until(limit, func() bool {
			some, _ = stop.Waits()
			return some || isOver()
		})
		if !some || time.Now().After(limit) {
			break
		}
		stop.Open()
		until(limit, func() bool { return !stop.IsOpen() })
	}
	stop.Finish()
	if clean {
		limit = time.Now().Add(moment)
	}
	until(limit, isOver)
	return hasEnded
}

// moment is how long a stop waits for what should end at once, but cannot be told from a call into
// compiled code: other goroutines, and deferred calls.
const moment = 50 * time.Millisecond

// until waits for done to hold, but not longer than to a time.
func until(limit time.Time, done func() bool) {
	for !done() && time.Now().Before(limit) {
		time.Sleep(time.Millisecond)
	}
}

// errBackground is the error of a program that was stopped and has not ended.
var errBackground = errors.New("a call into compiled code goes on in the background")

// end ends the running program as if it had panicked on its first goroutine.
func (m *machine) end(p *panicked) {
	select {
	case m.ends <- p:
	default: // it ends already
	}
}

// late returns what a goroutine was to end the program with while none ran, or nil.
func (m *machine) late() error {
	select {
	case p := <-m.ends:
		return p
	default:
		return nil
	}
}

// settled is late after panics that are on their way: a goroutine that panics has let others go on
// already by its deferred calls.
//
//	go func() { defer wg.Done(); panic(1) }()
func (m *machine) settled() error {
	until(time.Now().Add(moment), func() bool { return !m.types.Panicking() })
	return m.late()
}

const errGoexit = rt.Fatal("no goroutines (main called runtime.Goexit) - deadlock!")

// guarded sends work's error, or its panic, which may come from a call that runtime.Goexit runs.
func (m *machine) guarded(work func() error, ended chan<- error) {
	defer func() {
		if r := recover(); r != nil {
			ended <- m.panicked(r)
		}
	}()
	ended <- work()
}

// execute runs a program on the calling goroutine, from within run.
func (m *machine) execute(p *program) error {
	defer m.inside.forget(p.local)
	returned := false
	defer func() {
		if v := m.types.Uncaught(); v != nil && !returned {
			panic(v)
		}
	}()
	_, err := m.interp.Execute(p.Program)
	returned = true
	var thrown interp.Panic
	if errors.As(err, &thrown) {
		return m.panicked(thrown.Value)
	}
	return err
}

// internals are the fields of the interpreter by which it stops. Its own way to run code until a
// context is done races with the code that it stops, and leaves what earlier cells made stopped for
// good: it calls all code of earlier runs stale, closures that session variables hold too.
type internals struct {
	mutex      *sync.RWMutex
	id         *uint64        // the number of stops; code that began under another one ends
	done       *chan struct{} // what it gives ends operations on channels
	cancelChan *bool          // makes them end

	roots  reflect.Value // the syntax trees of all code, for the interpreter's debugger
	scopes reflect.Value // the names of each package, by its path
	binPkg *interp.Exports
}

// open finds the fields; they are those of yaegi v0.16.1, which go.mod asks for.
func open(i *interp.Interpreter) internals {
	return internals{
		mutex:      field[sync.RWMutex](i, "mutex"),
		id:         field[uint64](i, "id"),
		done:       field[chan struct{}](i, "done"),
		cancelChan: field[bool](i, "cancelChan"),
		roots:      hidden(reflect.ValueOf(i).Elem(), "roots", reflect.Slice),
		scopes:     hidden(reflect.ValueOf(i).Elem(), "scopes", reflect.Map),
		binPkg:     field[interp.Exports](i, "binPkg"),
	}
}

func field[T any](i *interp.Interpreter, name string) *T {
	t := reflect.TypeFor[T]()
	f := hidden(reflect.ValueOf(i).Elem(), name, t.Kind())
	if f.Type() != t {
		panic("repl: the interpreter is not yaegi v0.16.1: its field " + name + " is another")
	}
	return f.Addr().Interface().(*T)
}

// hidden returns a field that is not exported, as if it were.
func hidden(v reflect.Value, name string, kind reflect.Kind) reflect.Value {
	f := v.FieldByName(name)
	if f.Kind() != kind {
		panic("repl: the interpreter is not yaegi v0.16.1: it has no field " + name)
	}
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}

// forget lets go of what the interpreter keeps of code that has begun to run: its syntax, which
// with the names of local would live as long as the session, 10 KB of it for the smallest cell.
func (in internals) forget(local []string) {
	in.mutex.Lock()
	defer in.mutex.Unlock()
	in.roots.SetZero()
	for _, name := range local {
		delete((*in.binPkg)[emit.SessionPath], name)
	}
	for _, scope := range in.scopes.Seq2() {
		hidden(scope.Elem(), "child", reflect.Slice).SetZero()
		names := hidden(scope.Elem(), "sym", reflect.Map)
		for _, name := range local {
			names.SetMapIndex(reflect.ValueOf(name), reflect.Value{})
		}
	}
}

// begin lets operations on channels end when done gives something. It is the same channel for good:
// function literals keep that of the run that has made them.
func (in internals) begin() {
	in.mutex.Lock()
	defer in.mutex.Unlock()
	*in.done = make(chan struct{})
	*in.cancelChan = true
}

// stopper returns what ends all code that has begun to run, operations on channels that wait
// included, and what lets it, and what earlier cells made, live on.
func (in internals) stopper() (pause, resume func()) {
	in.mutex.RLock()
	done := *in.done
	in.mutex.RUnlock()
	var quit, gone chan struct{}
	pause = func() {
		atomic.AddUint64(in.id, 1)
		quit, gone = make(chan struct{}), make(chan struct{})
		go func(quit, gone chan struct{}) {
			defer close(gone)
			for {
				select {
				case done <- struct{}{}:
				case <-quit:
					return
				}
			}
		}(quit, gone)
	}
	resume = func() {
		close(quit)
		<-gone
		atomic.AddUint64(in.id, ^uint64(0))
	}
	return pause, resume
}
