package repl

// This file is the only one that imports the interpreter. It loads core, runs it, stops it, and
// says where it panicked.

import (
	"context"
	"fmt"
	"go/token"
	"io"
	"maps"
	"reflect"
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
	emitter   *emit.Emitter
	overrides map[string]map[string]reflect.Value // what package rt does in its own way
	loaded    map[string]bool                     // compiled packages the interpreter knows
	types     *rt.Types
}

func newMachine(ts *rt.Types) *machine {
	m := &machine{
		interp: interp.New(interp.Options{
			Stdout: io.Discard, Stderr: io.Discard, Unrestricted: true}),
		emitter:   emit.New(),
		overrides: ts.Overrides(),
		types:     ts,
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

// A program is loaded code and, while it runs, what becomes of it.
type program struct {
	machine *machine
	code    *interp.Program
	out     display.Output
	panic   any
	place   int           // where it was when it ended
	stopped chan struct{} // closed when it is to end
	ended   chan struct{} // closed when it has ended
}

// load compiles a unit. The unit's entry is called by the program's enter, on the goroutine that
// the interpreter makes for it.
func (m *machine) load(unit *ir.Unit) (p *program, err error) {
	defer func() {
		if r := recover(); r != nil { // the interpreter's compiler panics on what it cannot do
			err = &refusal{fmt.Sprint(r)}
		}
	}()
	p = &program{machine: m, stopped: make(chan struct{}), ended: make(chan struct{})}
	enter := reflect.ValueOf(p.enter)
	start := &ir.Func{Name: "start", Typ: unit.Entry.Typ, Body: []ir.Stmt{&ir.ExprStmt{X: &ir.Call{
		Fun:  &ir.Extern{Pkg: ir.SessionPkg, Name: "enter", Typ: enter.Type(), Value: enter},
		Args: []ir.Expr{&ir.FuncRef{Func: unit.Entry}}}}}}
	emitted, err := m.emitter.Unit(&ir.Unit{Name: unit.Name, Entry: start,
		Funcs: append(unit.Funcs, unit.Entry)})
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
	if p.code, err = m.interp.CompileAST(emitted.File); err != nil {
		return nil, &refusal{err.Error()}
	}
	return p, nil
}

// enter runs the entry of a unit with the cell's output, and notes how it ended.
func (p *program) enter(entry func()) {
	defer close(p.ended)
	defer display.Bind(p.out)()
	defer p.machine.types.BindStop(p.stopped)()
	defer func() {
		p.panic, p.place = recover(), *p.machine.types.Place()
	}()
	entry()
}

// grace is how long a stopped cell may take to end: a call into compiled code cannot be stopped.
const grace = 3 * time.Second

// panicked is a panic that ended a program.
type panicked struct {
	value any
	place token.Pos // where it began, if known
}

func (p *panicked) Error() string { return rt.PanicText(p.value) }

// run runs a loaded program to its end, or until ctx is done. Its error is a *panicked or ctx's.
func (m *machine) run(ctx context.Context, p *program, out display.Output) error {
	p.out = out
	*m.types.Place() = int(token.NoPos)
	generation := m.generation()
	_, err := m.interp.ExecuteWithContext(ctx, p.code)
	select {
	case <-p.ended:
	default:
		if ctx.Err() == nil {
			return &panicked{value: err} // it did not even begin
		}
		close(p.stopped)
		select {
		case <-p.ended:
		case <-time.After(grace):
		}
	}
	if ctx.Err() != nil {
		// The interpreter stops by calling all code of earlier cells stale, closures that session
		// variables hold too. They live on.
		*m.generationField() = generation
		return ctx.Err()
	}
	if p.panic != nil {
		return &panicked{rt.Rec(p.panic), token.Pos(p.place)}
	}
	return nil
}

// generation is the interpreter's count of stops: code that began under another one ends.
func (m *machine) generation() uint64 { return *m.generationField() }

func (m *machine) generationField() *uint64 {
	id := reflect.ValueOf(m.interp).Elem().FieldByName("id")
	return (*uint64)(unsafe.Pointer(id.UnsafeAddr()))
}
