package repl

// This file implements where a panic began and by which calls the program came there.

import (
	"cmp"
	"fmt"
	"go/token"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"halfnote/repl/display"
	"halfnote/repl/emit"
	"halfnote/repl/rt"
)

// A Frame is a function of the user's that a panic has left.
type Frame struct {
	Func string // as in "f", "(*T).M" and "f.func" for a literal in f; "" for a cell's statements
	// Cell, Line and Col are the place of the call, of the panic itself in the first Frame. Where
	// the function makes the call on several lines, Lines has these.
	Cell      string
	Line, Col int
	Lines     []int
	// Compiled are, for the first Frame, the compiled functions below it, innermost first.
	Compiled []string
}

// String says the place, and the function.
func (f Frame) String() string {
	place := fmt.Sprintf("%s:%d:%d", f.Cell, f.Line, f.Col)
	if n := len(f.Lines); n > 1 {
		lines := make([]string, n)
		for i, line := range f.Lines {
			lines[i] = fmt.Sprint(line)
		}
		place = fmt.Sprintf("%s, line %s or %s", f.Cell,
			strings.Join(lines[:n-1], ", "), lines[n-1])
	}
	if f.Func == "" {
		return place
	}
	return place + ", in " + f.Func
}

// frames returns the functions that the panic of t has left, innermost first, with their places.
func (m *machine) frames(t *rt.Trace) []Frame {
	var list []Frame
	last, part := -1, ""
	for i, name := range t.Calls {
		fn, ok := m.emitter.Function(name)
		if !ok {
			continue
		}
		if fn.Label == "" || !fn.Pos.IsValid() {
			if written := m.writtenOut(t, i, fn, last < 0); len(written) > 0 {
				list, last, part = append(list, written...), i, ""
			}
			continue
		}
		if part == fn.Label && last == i-1 && !fn.IsPart {
			part = ""
			continue // this part is told already
		}
		at := m.callPlaces(t, i, fn)
		switch {
		case last < 0:
			at = m.firstPlaces(t, i, fn, at)
		case len(at) == 1 && !at[0].IsValid():
			continue // the call of main or init, which nobody has written
		}
		list = append(list, m.expand(fn, at)...)
		last, part = i, ""
		if fn.IsPart {
			part = fn.Label
		}
	}
	if len(list) == 0 && t.Place > 0 {
		list = append(list, m.frame(&emit.Function{}, []token.Pos{token.Pos(t.Place)}))
	}
	if len(list) > 0 {
		list[0].Compiled = compiledCalls(t.PCs)
	}
	return list
}

// callPlaces returns where fn, the i-th function of t, may have called the one before.
func (m *machine) callPlaces(t *rt.Trace, i int, fn *emit.Function) []token.Pos {
	before := ""
	if i > 0 {
		before = t.Calls[i-1]
	}
	return fn.CallsOf(before)
}

// firstPlaces returns where the panic began, fn being the innermost function of the user's: at the
// place that was noted last, if that is of one of the functions that it has left so far. Else
// another goroutine, or a function that compiled code has called, has noted it, and the panic began
// where the function notes a place, or makes such a call.
func (m *machine) firstPlaces(t *rt.Trace, i int, fn *emit.Function, calls []token.Pos) []token.Pos {
	place := token.Pos(t.Place)
	for _, name := range t.Calls[:i+1] {
		if f, ok := m.emitter.Function(name); ok && f.Noted(place) {
			return []token.Pos{place}
		}
	}
	for _, places := range [][]token.Pos{fn.Notes, calls} {
		if len(places) == 1 {
			return places
		}
	}
	return []token.Pos{fn.Pos}
}

// writtenOut describes the functions of the user's that are written out in fn, the i-th function of t
// and not the user's, where the panic left it.
func (m *machine) writtenOut(t *rt.Trace, i int, fn *emit.Function, first bool) []Frame {
	at := m.callPlaces(t, i, fn)
	if place := token.Pos(t.Place); first && fn.Noted(place) {
		at = []token.Pos{place}
	}
	list, _ := m.chain(fn, at)
	return list
}

// expand describes fn with the places that a call may have been at, and the functions that are
// written out in it there.
func (m *machine) expand(fn *emit.Function, at []token.Pos) []Frame {
	list, at := m.chain(fn, at)
	return append(list, m.frame(fn, at))
}

// chain describes the functions that are written out in fn at the places, and returns where fn calls
// the outermost.
func (m *machine) chain(fn *emit.Function, at []token.Pos) (list []Frame, calls []token.Pos) {
	if len(at) == 1 {
		for _, w := range slices.Backward(fn.Chain(at[0])) {
			if w.Label != "" {
				list = append(list, m.frame(&emit.Function{Label: w.Label}, at))
			}
			at = []token.Pos{w.Pos}
		}
	}
	return list, at
}

// frame describes fn with the places that a call may have been at.
func (m *machine) frame(fn *emit.Function, at []token.Pos) Frame {
	if len(at) == 0 {
		at = []token.Pos{fn.Pos}
	}
	first := m.fileSet().Position(at[0])
	f := Frame{Func: fn.Label, Cell: first.Filename, Line: first.Line, Col: first.Column}
	if fn.Label == cellFunc {
		f.Func = ""
	}
	for _, pos := range at {
		f.Lines = append(f.Lines, m.fileSet().Position(pos).Line)
	}
	slices.Sort(f.Lines)
	f.Lines = slices.Compact(f.Lines)
	return f
}

// cellFunc is the label that lowering gives a cell's statements.
const cellFunc = "cell"

// compiledCalls names the compiled functions that the user's code had called, from the stack of the
// panic: those between the panic and the interpreter.
func compiledCalls(pcs []uintptr) []string {
	var list []string
	frames := runtime.CallersFrames(pcs)
	begun := false
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			list, begun = nil, true
		case !begun, f.Function == "":
		case strings.Contains(f.Function, "/yaegi/interp."):
			return list
		case ours(f.Function):
		default:
			dir, file := filepath.Split(f.File)
			list = append(list, fmt.Sprintf("%s, %s:%d", f.Function,
				path.Join(filepath.Base(dir), file), f.Line))
		}
	}
	return list
}

// ours reports whether a function only serves the run of the user's code.
func ours(name string) bool {
	return slices.ContainsFunc([]string{"runtime.", "reflect.", "internal/", "halfnote/repl/rt.",
		"halfnote/repl."}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// mostFrames is how many calls an error shows.
const mostFrames = 6

// renderTrace writes the calls that led to a panic.
func renderTrace(b *strings.Builder, frames []Frame, most int, color bool) {
	if len(frames) < 2 {
		return
	}
	var lines []string
	times := 1
	for _, f := range frames[1:] {
		line := f.String()
		if n := len(lines); n > 0 && lines[n-1] == line {
			times++
			continue
		}
		lines, times = append(repeated(lines, times), line), 1
	}
	lines = repeated(lines, times)
	for _, line := range lines[:min(most, len(lines))] {
		fmt.Fprintf(b, "\n%s %s", display.StyleFaint.Paint("called from", color), line)
	}
	if n := len(lines) - most; n > 0 {
		fmt.Fprintf(b, "\n… and %d more; %%tb shows all", n)
	}
}

// repeated says of the last line how often it stands there.
func repeated(lines []string, times int) []string {
	if n := len(lines); n > 0 && times > 1 {
		lines[n-1] += fmt.Sprintf(" (%d times)", times)
	}
	return lines
}

// Trace is the text of an error with all the calls that led to it, those of compiled code included.
func (e *Error) Trace(color bool) string {
	var b strings.Builder
	b.WriteString(e.render(color))
	if len(e.Frames) > 0 {
		for _, f := range e.Frames[0].Compiled {
			fmt.Fprintf(&b, "\n%s %s", display.StyleFaint.Paint("in", color), f)
		}
		renderTrace(&b, e.Frames, cmp.Or(len(e.Frames), 1), color)
	}
	return b.String()
}
