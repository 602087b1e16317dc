package repl

import (
	"cmp"
	"context"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"os"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"halfnote/repl/check"
	"halfnote/repl/display"
	"halfnote/repl/lower"
	"halfnote/repl/rt"
	"halfnote/repl/std"
	"halfnote/repl/symbols"
)

// A Session runs cells. Its methods may be called by several goroutines; cells run one at a time.
type Session struct {
	mu      sync.Mutex // held while a cell runs
	machine *machine
	checker *check.Checker
	types   *rt.Types
	lowerer *lower.Lowerer
	count   int
	sources sync.Map // the text of each cell, by name; goroutines of cells read it, too

	inProgram atomic.Bool // a whole program runs, which ends with any of its goroutines
	stdin     *os.File    // what cells read as os.Stdin
	ownStdout bool
	captures  []*capture // of os.Stdout and os.Stderr, once a cell has named them
}

// Config has the options of a session.
type Config struct {
	// OwnStdout leaves os.Stdout and os.Stderr in cells what they are in the process, for a front
	// end whose outputs go there anyway. Else what is written to them goes to the cell's output.
	OwnStdout bool
	// Stdin is os.Stdin in cells; nil is the process's own. A read that waits there when a cell is
	// stopped ends if the file knows deadlines, as a terminal opened anew does.
	Stdin *os.File
}

// Result is what a cell that ran to its end leaves.
type Result struct {
	Count   int            // n of In [n]
	Bundle  display.Bundle // the value of the last expression, if Shown
	Shown   bool
	Notices []string // what the session did unasked, as in `+ import "strings"`
	Elapsed time.Duration
}

// New starts a session.
func New(cfg Config) *Session {
	ts := rt.NewTypes(storedType)
	m := newMachine(ts)
	ts.SetSymbols(tableSymbol)
	ts.SetWrap(func(iface reflect.Type, b rt.Box) (any, bool) {
		wrap, ok := symbols.Wrapper(iface)
		if !ok {
			return nil, false
		}
		return wrap(b), true
	})
	s := &Session{
		machine:   m,
		checker:   check.New(m.fileSet(), symbols.NewImporter(), symbols.ByName),
		types:     ts,
		stdin:     cmp.Or(cfg.Stdin, os.Stdin),
		ownStdout: cfg.OwnStdout,
	}
	maps.Copy(m.overrides["fmt"], scans(s.stdin))
	s.lowerer = lower.New(ts, s.symbol, s.library)
	ts.OnPanic(s.goroutinePanicked)
	return s
}

// symbol finds a compiled package's symbol.
func (s *Session) symbol(path, name string) (reflect.Value, bool) {
	switch {
	case path == "os" && name == "Stdin":
		return reflect.ValueOf(&s.stdin), true
	case path == "os" && !s.ownStdout && (name == "Stdout" || name == "Stderr"):
		return s.captured(strings.ToLower(name))
	}
	return tableSymbol(path, name)
}

// tableSymbol finds a symbol in the table of a compiled package.
func tableSymbol(path, name string) (reflect.Value, bool) {
	table, ok := symbols.Load(path)
	if !ok {
		return reflect.Value{}, false
	}
	v, ok := table.Symbols[name]
	return v, ok
}

// captured returns a pointer to the file that stands for os.Stdout or os.Stderr in cells.
func (s *Session) captured(name string) (reflect.Value, bool) {
	for _, c := range s.captures {
		if c.name == name {
			return reflect.ValueOf(&c.file), true
		}
	}
	c, err := newCapture(name)
	if err != nil {
		return reflect.Value{}, false
	}
	s.captures = append(s.captures, c)
	return reflect.ValueOf(&c.file), true
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
	v, ok := tableSymbol(path, name)
	if !ok || v.Kind() != reflect.Pointer || !v.IsNil() {
		return nil, false
	}
	return v.Type().Elem(), true
}

// Eval runs one cell; what it prints and shows goes to out. The error is an *Error. When ctx is
// cancelled the cell stops, keeping what it had changed.
func (s *Session) Eval(ctx context.Context, src string, out display.Output) (Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	start := time.Now()
	s.count++
	res := Result{Count: s.count}
	name := fmt.Sprintf("cell %d", s.count)
	s.sources.Store(name, src)
	if err := s.command(name, src); err != nil {
		return res, err
	}
	cell, ds := s.checker.Cell(name, src)
	if len(ds) > 0 {
		return res, &Error{Kind: KindCompile, Diagnostics: ds}
	}
	unit, program, err := s.prepare(cell)
	if err != nil {
		return res, err
	}
	s.checker.Commit(cell)
	for _, path := range cell.AutoImports {
		res.Notices = append(res.Notices, fmt.Sprintf("+ import %q", path))
	}
	for _, note := range cell.Notes {
		out.Stream("stderr", note+"\n")
	}
	// The cell's values show themselves by methods that may be the user's: that is a part of the run.
	shown := res
	err = s.execute(ctx, out, func() error {
		if err := cmp.Or(s.machine.execute(program), ctx.Err()); err != nil {
			return err
		}
		s.show(&shown, cell, unit.Results, out)
		return nil
	})
	if err != nil {
		s.checker.Revert(cell, unit.Defined)
	} else {
		res = shown
	}
	res.Elapsed = time.Since(start)
	return res, err
}

// goroutinePanicked is told of a panic that ended a goroutine of a cell or program. It ends a
// program, as in Go; a cell goes on, and shows it. os.Exit ends both.
func (s *Session) goroutinePanicked(v any) {
	p := &panicked{v, token.Pos(*s.types.Place())}
	if _, exits := v.(rt.Exit); exits || s.inProgram.Load() {
		s.machine.end(p)
		return
	}
	display.Current().Stream("stderr", "in a goroutine: "+Render(s.failed(p), false)+"\n")
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
	s.inProgram.Store(true)
	defer s.inProgram.Store(false)
	cell, ds := s.checker.Program(files)
	if len(ds) > 0 {
		return &Error{Kind: KindCompile, Diagnostics: ds}
	}
	_, program, err := s.prepare(cell)
	if err != nil {
		return err
	}
	return s.execute(ctx, out, func() error { return s.machine.execute(program) })
}

// prepare lowers a cell and loads it. After an error, an *Error, nothing of the session has
// changed, also when the fault is our own.
func (s *Session) prepare(cell *check.Cell) (unit *lower.Unit, p *program, err error) {
	result, forget := s.resultVar(cell)
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
	return unit, p, err
}

// execute lets work run code of the user with out as its output, and lets everything arrive there.
// The error is an *Error.
func (s *Session) execute(ctx context.Context, out display.Output, work func() error) error {
	if len(s.captures) > 0 {
		for _, c := range s.captures {
			c.attach(out)
		}
		in := &ordered{out, s.captures}
		defer in.drain()
		out = in
	}
	defer display.Finish(out)
	defer awaitInput(ctx, s.stdin)()
	if err := s.machine.run(ctx, work, out); err != nil {
		return s.failed(err)
	}
	return nil
}

// resultVar makes the variable _n for a cell whose last expression has one value, or one and an
// error; forget takes it back.
func (s *Session) resultVar(cell *check.Cell) (v *types.Var, forget func()) {
	forget = func() {}
	if cell.Result == nil {
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
	name := fmt.Sprintf("_%d", s.count)
	return s.checker.Define(name, types.Default(t)), func() { s.checker.Forget(name) }
}

func isError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// command refuses commands of IPython that the session does not have and that are no Go.
func (s *Session) command(name, src string) error {
	line := strings.TrimSpace(src)
	if line == "" || !strings.ContainsRune("%?", rune(line[0])) {
		return nil
	}
	at := s.machine.fileSet().AddFile(name, -1, len(src))
	at.SetLinesForContent([]byte(src))
	pos := at.Position(at.Pos(strings.Index(src, line[:1])))
	d := s.place(pos, "halfnote cannot run "+strings.Fields(line)[0]+" yet")
	return &Error{Kind: KindUnsupported, Diagnostics: []check.Diagnostic{d}}
}
