package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"log"
	"maps"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"halfnote/internal/pending"
	"halfnote/repl/check"
	"halfnote/repl/display"
	"halfnote/repl/docs"
	"halfnote/repl/lower"
	"halfnote/repl/rt"
	"halfnote/repl/std"
	"halfnote/repl/symbols"
)

// A Session runs cells. Its methods may be called by several goroutines; cells run one at a time.
type Session struct {
	mu      sync.Mutex // held while a cell runs
	machine *machine

	// known guards what the session knows of cells: the checker, its importer and the lowerer. It
	// is not held while code of a cell runs, so that questions are answered then, too. Who holds
	// both locks has taken mu first.
	known    sync.Mutex
	checker  *check.Checker
	sketcher *check.Sketcher

	docs    *docs.Library
	types   *rt.Types
	lowerer *lower.Lowerer
	count   int
	silent  int      // silent cells so far
	sources sync.Map // the text of each cell, by name; goroutines of cells read it, too

	panicsEnd atomic.Bool // see Config; as long as a program runs it is set
	stdin     *input      // what cells read as os.Stdin
	ownStdout bool
	watching  atomic.Bool // see watchRest
	lastError *Error      // of the last cell that gave one
	history   *History
	forgetful bool       // the history has not taken the last cell
	captures  []*capture // of os.Stdout and os.Stderr: of the process, or once a cell has named them
}

// Config has the options of a session.
type Config struct {
	// OwnStdout leaves os.Stdout and os.Stderr in cells what they are in the process, for a front
	// end whose outputs go there anyway. Else what is written to them goes to the cell's output.
	OwnStdout bool
	// Stdin is os.Stdin in cells; nil is the process's own. A read that waits there when a cell is
	// stopped ends if the file knows deadlines, as a terminal opened anew does.
	Stdin *os.File
	// CaptureProcess sends to the cell's output what the process writes to its standard output and
	// error in any way, compiled code, C and children of it included; between cells to that of the
	// last one. Only one session of a process can have it. Where it cannot be done, such as in a
	// browser, nothing is captured.
	CaptureProcess bool
	// StderrLog becomes descriptor 2 of a captured process. It is opened to read and to append, and
	// keeps what the runtime says when it dies; it begins anew from time to time. If it is nil a
	// file without a name serves.
	StderrLog *os.File
	// Asks makes os.Stdin in cells ask the cell's output, if that is a [display.Asker], for a line
	// when a read of it waits. Stdin is not used then.
	Asks bool
	// PanicsEnd lets a panic that ends a goroutine of a cell end the cell that runs, or that runs
	// next, with it, as it ends a program. Else it is only told.
	PanicsEnd bool
	// History is told of every cell that is not silent; it may be nil.
	History *History
}

// Result is what a cell that ran to its end leaves.
type Result struct {
	Count   int            // n of In [n]
	Bundle  display.Bundle // the value of the last expression, if Shown
	Shown   bool
	Notices []string // what the session did unasked, as in `+ import "strings"`
	Elapsed time.Duration

	// What a command such as ?x asks of the front end, beyond the cell's output.
	Page      *display.Bundle // a text to read, which is no output of the cell
	NextInput string          // what the next cell begins with
	Quit      bool            // the session is to end
}

// New starts a session.
func New(cfg Config) *Session {
	ts := rt.NewTypes(storedType)
	ts.SetSymbols(symbols.Lookup)
	m := newMachine(ts)
	if log.Writer() == os.Stderr {
		log.SetOutput(display.Stderr())
	}
	s := &Session{
		machine:   m,
		checker:   check.New(m.fileSet(), symbols.NewImporter(), symbols.ByName),
		types:     ts,
		docs:      &docs.Library{},
		stdin:     newInput(cmp.Or(cfg.Stdin, os.Stdin), cfg.Asks),
		ownStdout: cfg.OwnStdout && !cfg.CaptureProcess,
		history:   cfg.History,
	}
	s.panicsEnd.Store(cfg.PanicsEnd)
	s.sketcher = check.NewSketcher(s.checker, symbols.NewImporter())
	if cfg.CaptureProcess {
		s.captureProcess(cfg.StderrLog)
	}
	maps.Copy(m.overrides["fmt"], s.stdin.scans())
	m.onStop = s.stdin.interrupt
	s.lowerer = lower.New(ts, s.symbol, s.library)
	ts.OnPanic(s.goroutinePanicked)
	return s
}

// symbol finds a compiled package's symbol.
func (s *Session) symbol(path, name string) (reflect.Value, bool) {
	switch {
	case path == "os" && name == "Stdin":
		return s.stdin.variable(), true
	case path == "os" && !s.ownStdout && (name == "Stdout" || name == "Stderr"):
		return s.captured(name)
	case path == "os" && name == "Args":
		return reflect.ValueOf(s.types.Args()), true
	}
	if v, ok := s.machine.overrides[path][name]; ok {
		return v, true
	}
	return symbols.Lookup(path, name)
}

// library checks halfnote's own source of a package of the standard library.
func (s *Session) library(path string) *check.Library {
	files, ok := std.Source(path)
	if !ok {
		return nil
	}
	lib, err := s.checker.Library(path, files)
	if err != nil {
		panic(err) // the source is ours, and tested
	}
	return lib
}

// storedType finds a compiled package's type.
func storedType(path, name string) (reflect.Type, bool) {
	v, ok := symbols.Lookup(path, name)
	if !ok || v.Kind() != reflect.Pointer || !v.IsNil() {
		return nil, false
	}
	return v.Type().Elem(), true
}

// EvalOptions says how a cell is run.
type EvalOptions struct {
	// Silent runs a cell that nobody has typed: it has no number, its value becomes no variable
	// _n, and the history does not hear of it. What it defines stays.
	Silent bool

	around func(run func() error) error // runs what has been compiled, where not nil
}

// Eval runs one cell; what it prints and shows goes to out. The error is an *Error. When ctx is
// cancelled the cell stops, keeping what it had changed.
func (s *Session) Eval(ctx context.Context, src string, out display.Output) (Result, error) {
	return s.EvalWith(ctx, src, out, EvalOptions{})
}

// EvalWith is Eval with options.
func (s *Session) EvalWith(ctx context.Context, src string, out display.Output, o EvalOptions) (
	Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	start := time.Now()
	if o.Silent {
		s.silent++
		res, err := s.eval(ctx, fmt.Sprintf("silent cell %d", s.silent), src, out, o)
		res.Elapsed = time.Since(start)
		return res, err
	}
	s.count++
	res, err := s.eval(ctx, fmt.Sprintf("cell %d", s.count), src, out, o)
	res.Elapsed = time.Since(start)
	s.remember(src, res, out)
	return res, err
}

// eval runs one cell of that name.
func (s *Session) eval(ctx context.Context, name, src string, out display.Output, o EvalOptions) (
	Result, error) {
	res := Result{Count: s.count}
	keep, base := !o.Silent, s.machine.fileSet().Base()
	s.sources.Store(name, src)
	defer func() {
		if !keep {
			s.forgetSource(name, base)
		}
	}()
	if c, ok := parseCommand(name, src); ok {
		c.out = out
		c.eval = func(code string, around func(run func() error) error) (Result, error) {
			o.around = around
			return s.evalGo(ctx, name, code, out, o, &keep)
		}
		err := s.command(c, &res)
		return res, err
	}
	return s.evalGo(ctx, name, src, out, o, &keep)
}

// evalGo runs a cell that is Go and notes its error for %tb.
func (s *Session) evalGo(ctx context.Context, name, src string, out display.Output, o EvalOptions,
	keep *bool) (Result, error) {
	res, err := s.run(ctx, name, src, out, o, keep)
	var e *Error
	if errors.As(err, &e) {
		s.lastError = e
	}
	return res, err
}

// run runs a cell that is Go; it sets keep if its text is to be kept.
func (s *Session) run(ctx context.Context, name, src string, out display.Output, o EvalOptions,
	keep *bool) (Result, error) {
	res := Result{Count: s.count}
	cell, unit, program, err := s.compile(ctx, name, src, o)
	if err != nil {
		return res, err
	}
	*keep = *keep || len(cell.Defs) > 0
	for _, path := range cell.AutoImports {
		res.Notices = append(res.Notices, fmt.Sprintf("+ import %q", path))
	}
	for _, note := range cell.Notes {
		out.Stream("stderr", note+"\n")
	}
	// The cell's values show themselves by methods that may be the user's: that is a part of the run.
	shown := res
	work := func() error { return cmp.Or(s.machine.execute(program), ctx.Err()) }
	err = s.execute(ctx, out, func() error {
		if o.around != nil {
			compiled := work
			work = func() error { return o.around(compiled) }
		}
		if err := work(); err != nil {
			return err
		}
		settle()
		s.show(&shown, cell, unit.Results, out)
		return nil
	})
	for _, value := range unit.Results {
		*value = nil // what is to live on has a name
	}
	if err == nil {
		return shown, nil
	}
	if !unit.Begun() { // it was stopped too soon: later cells need its methods
		_ = s.machine.execute(program) // nothing of it can fail
	}
	s.revert(cell, unit, o)
	return res, err
}

// forgetSource lets go of the text of a cell that no code can come from any more, and of its place
// in the file set, where it began at base.
func (s *Session) forgetSource(name string, base int) {
	s.sources.Delete(name)
	if file := s.machine.fileSet().File(token.Pos(base)); file != nil {
		s.machine.fileSet().RemoveFile(file)
	}
}

// remember tells the history of a cell.
func (s *Session) remember(src string, res Result, out display.Output) {
	if s.history == nil || strings.TrimSpace(src) == "" {
		return
	}
	text := ""
	if res.Shown {
		text = res.Bundle.Text()
	}
	err := s.history.Append(res.Count, src, text)
	if err != nil && !s.forgetful {
		out.Stream("stderr", err.Error()+"\n")
	}
	s.forgetful = err != nil
}

// goroutinePanicked is told of a panic that ended a goroutine of a cell or program. It ends a
// program, as in Go; a cell goes on, and shows it, unless Config.PanicsEnd says otherwise. os.Exit
// ends both. net/http goes on after the panic of a handler, without a word if the handler means to
// abort. It reports whether the program ends, or the cell by PanicsEnd.
func (s *Session) goroutinePanicked(v any) (ends bool) {
	p := s.machine.panicked(v)
	_, isServed := v.(rt.Served)
	if isServed && p.value == http.ErrAbortHandler {
		return false
	}
	if _, exits := v.(rt.Exit); exits || s.panicsEnd.Load() && !isServed {
		s.machine.end(p)
		return s.panicsEnd.Load()
	}
	if _, ok := v.(rt.Awaited); ok {
		if !s.mu.TryLock() {
			s.machine.end(p)
			return false
		}
		s.mu.Unlock()
	}
	display.Current().Stream("stderr", "in a goroutine: "+Render(s.failed(p), false)+"\n")
	return false
}

// A File is a Go source file of a program.
type File = check.File

// Program runs a whole program: package main in one or more files, from its initialisation to the
// end of main. It leaves no names in the session.
func (s *Session) Program(ctx context.Context, files []File, out display.Output) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range files {
		s.sources.Store(f.Name, f.Src)
	}
	*s.types.Args() = slices.Clone(os.Args)
	defer s.panicsEnd.Store(s.panicsEnd.Swap(true))
	program, err := s.compileProgram(files)
	if err != nil {
		return err
	}
	return s.execute(ctx, out, func() error {
		if err := s.machine.execute(program); err != nil {
			return err
		}
		settle()
		return nil
	})
}

// settle panics where a GPU has found mistakes in what code of the user has computed: they are told
// in its cell, not where a later one reads what came of them.
func settle() {
	if pending.Settle != nil {
		pending.Settle()
	}
}

// compile checks a cell and loads it, and makes its names known. The error is an *Error.
func (s *Session) compile(ctx context.Context, name, src string, o EvalOptions) (*check.Cell,
	*lower.Unit, *program, error) {
	s.known.Lock()
	defer s.known.Unlock()
	cell, err := s.check(ctx, name, src)
	if err != nil {
		return nil, nil, nil, err
	}
	unit, program, err := s.prepare(cell, o)
	if err != nil {
		return nil, nil, nil, err
	}
	s.checker.Commit(cell)
	return cell, unit, program, nil
}

// check checks a cell. Generic types can grow so that this takes for ever: when ctx is done the
// check is left to itself, and the session goes on without it. The error is an *Error.
func (s *Session) check(ctx context.Context, name, src string) (*check.Cell, error) {
	type checked struct {
		cell        *check.Cell
		diagnostics []check.Diagnostic
		panicked    any
	}
	checker, done := s.checker, make(chan checked, 1)
	go func() {
		var c checked
		defer func() {
			c.panicked = recover()
			done <- c
		}()
		c.cell, c.diagnostics = checker.Cell(name, src)
	}()
	select {
	case c := <-done:
		switch {
		case c.panicked != nil:
			panic(c.panicked)
		case len(c.diagnostics) > 0:
			return nil, &Error{Kind: KindCompile, Diagnostics: c.diagnostics}
		}
		return c.cell, nil
	case <-ctx.Done():
		s.checker = checker.Fork()
		s.sketcher = check.NewSketcher(s.checker, symbols.NewImporter())
		return nil, s.failed(ctx.Err())
	}
}

// revert takes back the names that the run of a cell did not come to define, and that of its value.
func (s *Session) revert(cell *check.Cell, unit *lower.Unit, o EvalOptions) {
	s.known.Lock()
	defer s.known.Unlock()
	if !o.Silent {
		s.checker.Forget(resultName(s.count))
	}
	s.checker.Revert(cell, unit.Defined)
	for _, v := range cell.Vars {
		live, _ := s.checker.Lookup(v.Name()).(*types.Var)
		s.lowerer.SetLive(v.Name(), live)
	}
}

// compileProgram checks a whole program and loads it. The error is an *Error.
func (s *Session) compileProgram(files []File) (*program, error) {
	s.known.Lock()
	defer s.known.Unlock()
	cell, ds := s.checker.Program(files)
	if len(ds) > 0 {
		return nil, &Error{Kind: KindCompile, Diagnostics: ds}
	}
	_, p, err := s.prepare(cell, EvalOptions{})
	return p, err
}

// prepare lowers a cell and loads it; the caller holds known. After an error, an *Error, nothing of
// the session has changed, also when the fault is our own.
func (s *Session) prepare(cell *check.Cell, o EvalOptions) (unit *lower.Unit, p *program,
	err error) {
	result, forget := s.resultVar(cell, o)
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error: %v", r)
		}
		if err == nil {
			return
		}
		forget()
		if unit != nil {
			unit.Undo()
		}
		err = s.unsupported(cell, err)
	}()
	if unit, err = s.lowerer.Unit(cell, result); err != nil {
		return nil, nil, err
	}
	p, err = s.machine.load(unit.Unit)
	s.machine.woken = s.machine.woken || err == nil && canWake(cell)
	return unit, p, err
}

// execute lets work run code of the user with out as its output, and lets everything arrive there.
// The error is an *Error.
func (s *Session) execute(ctx context.Context, out display.Output, work func() error) error {
	for _, c := range s.captures {
		c.attach(out)
		defer c.end()
	}
	out = inOrder(out, s.captures)
	defer display.Finish(out)
	defer s.stdin.serve(ctx, out, s.drain)()
	defer s.watchRest(out)
	err := s.machine.late() // of a goroutine of an earlier cell, after its end
	if err == nil || !s.panicsEnd.Load() {
		err = s.machine.run(ctx, work, out)
	}
	if s.panicsEnd.Load() {
		err = cmp.Or(err, s.machine.settled())
	}
	if err != nil {
		if pending.Forget != nil {
			pending.Forget()
		}
		return s.failed(err)
	}
	return nil
}

// resultVar makes the variable _n for a cell whose last expression has one value, or one and an
// error; forget takes it back.
func (s *Session) resultVar(cell *check.Cell, o EvalOptions) (v *types.Var, forget func()) {
	forget = func() {}
	if cell.Result == nil || o.Silent {
		return nil, forget
	}
	t := cell.Info.TypeOf(cell.Result.X)
	if tuple, ok := t.(*types.Tuple); ok {
		if tuple.Len() != 2 || !isError(tuple.At(1).Type()) {
			return nil, forget
		}
		t = tuple.At(0).Type()
	}
	if b, ok := t.(*types.Basic); t == nil || ok && b.Kind() == types.UntypedNil ||
		cell.Info.Types[cell.Result.X].IsVoid() {
		return nil, forget
	}
	name := resultName(s.count)
	return s.checker.Define(name, types.Default(t)), func() { s.checker.Forget(name) }
}

// resultName is the name of what cell n has shown.
func resultName(n int) string { return fmt.Sprintf("_%d", n) }

func isError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}
