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
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/traefik/yaegi/interp"

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
	emitter   *emit.Emitter
	overrides map[string]map[string]reflect.Value // what package rt does in its own way
	loaded    map[string]bool                     // compiled packages the interpreter knows
	types     *rt.Types
	ends      chan *panicked // what ends the running program from another goroutine of it
}

func newMachine(ts *rt.Types) *machine {
	debug.SetMaxStack(goStack)
	i := interp.New(interp.Options{Stdout: io.Discard, Stderr: io.Discard, Unrestricted: true})
	m := &machine{
		interp:    i,
		inside:    open(i),
		emitter:   emit.New(),
		overrides: ts.Overrides(),
		types:     ts,
		ends:      make(chan *panicked, 1),
		loaded:    map[string]bool{},
	}
	m.use(emit.RuntimePath, ts.Symbols())
	m.emitter.SetPlace(ts.Place())
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
type program = interp.Program

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
	if p, err = m.interp.CompileAST(emitted.File); err != nil {
		return nil, &refusal{err.Error()}
	}
	return p, nil
}

// panicked is a panic that ended a program.
type panicked struct {
	value any
	place token.Pos // where it began, if known
}

func (p *panicked) Error() string { return rt.PanicText(p.value) }

// grace is how long a stopped cell may take to end: a call into compiled code cannot be stopped.
const grace = 3 * time.Second

// run lets work run code of the user to its end, until ctx is done or a goroutine of the user's
// ends it, or until it has used up its stack. Its error is a *panicked or ctx's.
func (m *machine) run(ctx context.Context, work func() error, out display.Output) error {
	*m.types.Place() = int(token.NoPos)
	select {
	case <-m.ends: // of a goroutine of an earlier cell, after its end
	default:
	}
	stopped, ended := make(chan struct{}), make(chan error, 1)
	m.inside.begin(stopped)
	go func() {
		defer close(ended) // also when the cell ends its goroutine
		defer display.Bind(out)()
		defer m.types.BindStop(stopped)()
		ended <- m.guarded(work)
	}()
	watch := time.NewTicker(watchEvery)
	defer watch.Stop()
	others := stackBytes() // what is not this cell's, as far as that can be told
	for {
		select {
		case err := <-ended:
			return err
		case <-ctx.Done():
			m.halt(ended)
			return ctx.Err()
		case p := <-m.ends:
			m.halt(ended)
			return p
		case <-watch.C:
			all := stackBytes()
			others = min(others, all)
			if all-others > maxStack {
				place := token.Pos(*m.types.Place())
				m.halt(ended)
				return &panicked{errStack, place}
			}
		}
	}
}

// halt stops the running program and waits for its end.
func (m *machine) halt(ended chan error) {
	resume := m.inside.stop()
	defer resume()
	select {
	case <-ended:
	case <-time.After(grace):
	}
}

// end ends the running program as if it had panicked on its first goroutine.
func (m *machine) end(p *panicked) {
	select {
	case m.ends <- p:
	default: // it ends already
	}
}

// A cell may use maxStack of stack, some 800,000 interpreted calls; how much it has is looked at
// every few milliseconds. Stacks double, so what is more is a gigabyte, which goStack lets Go give before
// it would end the process.
const (
	maxStack   = 512 << 20
	goStack    = 2<<30 - 1
	watchEvery = 10 * time.Millisecond
)

const errStack = rt.Error("stack overflow: functions call each other without end")

// stackBytes returns how much memory the stacks of all goroutines take.
func stackBytes() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// guarded is work's error, or its panic.
func (m *machine) guarded(work func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &panicked{rt.Rec(r), token.Pos(*m.types.Place())}
		}
	}()
	return work()
}

// execute runs a program on the calling goroutine, from within run.
func (m *machine) execute(p *program) error {
	_, err := m.interp.Execute(p)
	var thrown interp.Panic
	if errors.As(err, &thrown) {
		return &panicked{rt.Rec(thrown.Value), token.Pos(*m.types.Place())}
	}
	return err
}

// internals are the fields of the interpreter by which it stops. Its own way to run code until a
// context is done races with the code that it stops, and leaves what earlier cells made stopped for
// good: it calls all code of earlier runs stale, closures that session variables hold too.
type internals struct {
	mutex      *sync.RWMutex
	id         *uint64        // the number of stops; code that began under another one ends
	done       *chan struct{} // ends operations on channels
	cancelChan *bool          // makes them end
}

// open finds the fields; they are those of yaegi v0.16.1, which go.mod asks for.
func open(i *interp.Interpreter) internals {
	return internals{
		mutex:      field[sync.RWMutex](i, "mutex"),
		id:         field[uint64](i, "id"),
		done:       field[chan struct{}](i, "done"),
		cancelChan: field[bool](i, "cancelChan"),
	}
}

func field[T any](i *interp.Interpreter, name string) *T {
	f := reflect.ValueOf(i).Elem().FieldByName(name)
	if !f.IsValid() || f.Type() != reflect.TypeFor[T]() {
		panic("repl: the interpreter is not yaegi v0.16.1: it has no field " + name)
	}
	return (*T)(unsafe.Pointer(f.UnsafeAddr()))
}

// begin prepares a run whose operations on channels end when stopped is closed.
func (in internals) begin(stopped chan struct{}) {
	in.mutex.Lock()
	defer in.mutex.Unlock()
	*in.done = stopped
	*in.cancelChan = true
}

// stop ends the run; resume lets what earlier cells made live on.
func (in internals) stop() (resume func()) {
	in.mutex.RLock()
	defer in.mutex.RUnlock()
	atomic.AddUint64(in.id, 1)
	close(*in.done)
	return func() { atomic.AddUint64(in.id, ^uint64(0)) }
}
