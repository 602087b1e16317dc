package repl

// This file implements what a cell that did not run to its end is answered with.

import (
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"unicode"

	"halfnote/repl/check"
	"halfnote/repl/lower"
	"halfnote/repl/rt"
	"halfnote/repl/symbols"
)

// The kinds of errors.
const (
	KindCompile     = "compile"     // the cell is not legal Go; nothing ran
	KindUnsupported = "unsupported" // halfnote cannot run it yet; nothing ran
	KindUnknown     = "unknown"     // it asked for help on what nothing is known of
	KindPanic       = "panic"       // it panicked; what it had changed stays
	KindInterrupt   = "interrupt"   // it was stopped; what it had changed stays
	KindExit        = "exit"        // it called os.Exit
)

// Error says why a cell, or a program, did not run to its end.
type Error struct {
	Kind        string
	Diagnostics []check.Diagnostic // one for a panic, where it began; none for a stop or an exit
	Value       any                // for a panic: what was passed to panic
	Frames      []Frame            // for a panic: the user's functions that it has left
	Code        int                // for os.Exit
	Background  bool               // for a stop: a call into compiled code has not ended
}

// Error returns the text as a person reads it, without colours.
func (e *Error) Error() string { return Render(e, false) }

// Name is the error's name for front ends that want one: "CompileError", "Panic", "Interrupted"…
// A panic with an error of a named type, such as "tensor.Error", has that name.
func (e *Error) Name() string {
	switch e.Kind {
	case KindCompile:
		return "CompileError"
	case KindUnsupported:
		return "Unsupported"
	case KindUnknown:
		return "Unknown"
	case KindPanic:
		return panicName(e.Value)
	case KindInterrupt:
		return "Interrupted"
	}
	return "Exit"
}

// panicName is the name of a panic with v.
func panicName(v any) string {
	err, ok := v.(error)
	if !ok {
		return "Panic"
	}
	switch err.(type) {
	case runtime.Error:
		return "RuntimeError"
	case rt.Fatal:
		return "FatalError"
	}
	name := strings.TrimPrefix(strings.TrimPrefix(fmt.Sprintf("%T", err), "*"), "main.")
	if ownType(reflect.TypeOf(err)) {
		return name
	}
	if !token.IsExported(name[strings.LastIndex(name, ".")+1:]) {
		return "Panic" // as of errors.New and fmt.Errorf
	}
	return name
}

// Message is the first diagnostic's text, or what stopped the cell.
func (e *Error) Message() string {
	switch {
	case e.Kind == KindInterrupt && e.Background:
		return "interrupted; " + errBackground.Error()
	case e.Kind == KindInterrupt:
		return "interrupted"
	case e.Kind == KindExit:
		return fmt.Sprintf("exit status %d", e.Code)
	case len(e.Diagnostics) > 0:
		return e.Diagnostics[0].Msg
	}
	return ""
}

// unsupported answers a cell that go/types accepts and that cannot be run.
func (s *Session) unsupported(cell *check.Cell, err error) error {
	var not *lower.Unsupported
	if errors.As(err, &not) {
		return &Error{Kind: KindUnsupported,
			Diagnostics: []check.Diagnostic{s.place(cell.Fset.Position(not.Pos), not.Error())}}
	}
	d := check.Diagnostic{
		Cell: cell.Name, Kind: KindUnsupported, Msg: "halfnote cannot run something in here yet",
		Help: "split it, to find the statement and to say it in another way",
	}
	if m := interpreterPlace.FindStringSubmatch(err.Error()); m != nil {
		line, _ := strconv.Atoi(m[2])
		col, _ := strconv.Atoi(m[3])
		d = s.place(token.Position{Filename: m[1], Line: line, Column: col},
			"halfnote cannot run this yet")
	}
	return &Error{Kind: KindUnsupported, Diagnostics: []check.Diagnostic{d}, Value: err}
}

// interpreterPlace finds the user's place in a message of the interpreter, which is about code that
// the user has not written.
var interpreterPlace = regexp.MustCompile(`^(.+?):(\d+):(\d+): `)

// place makes a diagnostic for a position in one of the session's cells.
func (s *Session) place(pos token.Position, msg string) check.Diagnostic {
	d := check.Diagnostic{Cell: pos.Filename, Line: pos.Line, Col: pos.Column, Len: 1,
		Kind: KindUnsupported, Msg: msg}
	text, _ := s.sources.Load(pos.Filename)
	src, _ := text.(string)
	lines := strings.Split(src, "\n")
	if pos.Line >= 1 && pos.Line <= len(lines) {
		d.Source = strings.TrimSuffix(lines[pos.Line-1], "\r")
		d.Len = wordLen(d.Source, pos.Column)
	}
	return d
}

// wordLen is the length of the word that begins at a column, at least 1.
func wordLen(line string, col int) int {
	if col < 1 || col > len(line) {
		return 1
	}
	n := strings.IndexFunc(line[col-1:], func(r rune) bool {
		return r != '_' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if n < 0 {
		n = len(line) - col + 1
	}
	return max(n, 1)
}

// failed turns what ended the interpreter into an *Error.
func (s *Session) failed(err error) error {
	var p *panicked
	if !errors.As(err, &p) {
		return &Error{Kind: KindInterrupt, Background: errors.Is(err, errBackground)}
	}
	if exit, ok := p.value.(rt.Exit); ok {
		return &Error{Kind: KindExit, Code: exit.Code, Value: exit}
	}
	d := check.Diagnostic{Msg: p.Error()}
	if len(p.frames) > 0 {
		f := p.frames[0]
		d = s.place(token.Position{Filename: f.Cell, Line: f.Line, Column: f.Col}, d.Msg)
	}
	d.Kind, d.Help = KindPanic, s.panicHelp(p.value, d)
	return &Error{Kind: KindPanic, Value: p.value, Frames: p.frames,
		Diagnostics: []check.Diagnostic{d}}
}

// receiver finds what the first method of a chain of calls is called on.
var receiver = regexp.MustCompile(`^([\pL_][\pL\pN_.]*)\.([\pL_][\pL\pN_]*)\(`)

// panicHelp is for a panic at d's place. It has none if a method of the user's that it asks panics.
func (s *Session) panicHelp(v any, d check.Diagnostic) string {
	defer func() { recover() }()
	err, ok := v.(error)
	if !ok {
		return ""
	}
	if help := strings.TrimPrefix(strings.TrimSpace(fileHelp(err)), "help: "); help != "" {
		return help
	}
	_, ofGo := err.(runtime.Error)
	if ofGo && strings.Contains(d.Msg, "out of memory: ") {
		return s.keptHelp()
	}
	dereference := ofGo && strings.Contains(d.Msg, "nil pointer")
	noTensor := strings.HasSuffix(d.Msg, ": argument 1 is nil") // an op called on nil
	if !dereference && !noTensor || d.Col < 1 || d.Col > len(d.Source) {
		return ""
	}
	chain := d.Source[d.Col-1:]
	m := receiver.FindStringSubmatch(chain)
	switch {
	case m == nil:
		return ""
	case m[2] == "Grad" && strings.HasPrefix(chain[len(m[0]):], ")."):
		return fmt.Sprintf("is %s.Grad() nil? A gradient is there when Backward has come to its "+
			"tensor, until ZeroGrad", m[1])
	case noTensor:
		return ""
	}
	known := s.checker.Lookup(m[1])
	_, imported := known.(*types.PkgName)
	if imported || known == nil && len(symbols.ByName(m[1])) > 0 {
		return "" // a function of a package
	}
	if known != nil && !nilable(known.Type()) {
		return fmt.Sprintf("a %s that is only declared, as %s may be, is empty",
			check.TypeText(known.Type()), m[1])
	}
	return fmt.Sprintf("is %s nil? It is where it was not made or set, or making it gave an error",
		m[1])
}

// keptHelp says how to let go of a value that was shown, if one takes memory.
func (s *Session) keptHelp() string {
	for _, obj := range s.checker.Live() {
		n, isResult := strings.CutPrefix(obj.Name(), "_")
		if _, err := strconv.Atoi(n); isResult && err == nil && nilable(obj.Type()) {
			return fmt.Sprintf("values that were shown are kept: %s = nil lets go of one", obj.Name())
		}
	}
	return ""
}

// nilable reports whether nil is a value of t.
func nilable(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return true
	}
	return false
}

// panicMessage is what is said of the panic with the value v. Errors that packages throw speak for
// themselves; what is passed to panic by hand is marked as Go does, and so are several panics.
func panicMessage(t *rt.Trace, v any) string {
	text := t.Text()
	_, ofRuntime := v.(runtime.Error)
	if _, ok := v.(error); ok && t.Before == nil && (ofRuntime || !ownType(reflect.TypeOf(v))) {
		return strings.TrimPrefix(text, "panic: ")
	}
	return text
}
