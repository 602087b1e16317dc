package rt

import (
	"errors"
	"fmt"
	"go/types"
	"io"
	"log"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"halfnote/repl/display"
)

// Overrides returns what stands in for symbols of the standard library, by import path and name:
// functions that print go to the cell, know the types of boxes, or would end the process.
func (ts *Types) Overrides() map[string]map[string]reflect.Value {
	table := map[string]map[string]any{
		"fmt": {
			"Print": Print, "Printf": Printf, "Println": Println,
			"Sprint": Sprint, "Sprintf": Sprintf, "Sprintln": Sprintln,
			"Fprint": Fprint, "Fprintf": Fprintf, "Fprintln": Fprintln, "Errorf": Errorf,
			"Append": Append, "Appendf": Appendf, "Appendln": Appendln,
		},
		"errors":  {"As": errorsAs, "Is": errorsIs},
		"reflect": {"DeepEqual": DeepEqual},
		"os":      {"Exit": func(code int) { panic(Exit{code}) }},
		"log":     logger(log.New(display.Stderr(), "", log.LstdFlags)),
		"time": {
			"AfterFunc": func(d time.Duration, f func()) *time.Timer {
				return time.AfterFunc(d, ts.Guard(f))
			},
			"Sleep": ts.sleep,
		},
		"halfnote/repl/display": {
			"Input": ts.asks(display.Input), "Password": ts.asks(display.Password),
		},
	}
	values := map[string]map[string]reflect.Value{}
	for path, functions := range table {
		values[path] = map[string]reflect.Value{}
		for name, f := range functions {
			values[path][name] = reflect.ValueOf(f)
		}
	}
	return values
}

// logger returns package log's functions for l in place of its default logger: it writes to the
// cell.
func logger(l *log.Logger) map[string]any {
	return map[string]any{
		"Default": func() *log.Logger { return l },
		"Print":   l.Print, "Printf": l.Printf, "Println": l.Println,
		"Panic": l.Panic, "Panicf": l.Panicf, "Panicln": l.Panicln,
		"Fatal":   func(args ...any) { l.Print(args...); panic(Exit{1}) },
		"Fatalf":  func(format string, args ...any) { l.Printf(format, args...); panic(Exit{1}) },
		"Fatalln": func(args ...any) { l.Println(args...); panic(Exit{1}) },
		"Flags":   l.Flags, "SetFlags": l.SetFlags, "Prefix": l.Prefix, "SetPrefix": l.SetPrefix,
		"Writer": l.Writer, "SetOutput": l.SetOutput, "Output": l.Output,
	}
}

// Print is fmt.Print to the cell of the calling goroutine.
func Print(args ...any) (int, error) { return fmt.Fprint(display.Stdout(), spaced(args)...) }

// Println is fmt.Println to the cell of the calling goroutine.
func Println(args ...any) (int, error) { return fmt.Fprintln(display.Stdout(), known(args)...) }

// Printf is fmt.Printf to the cell of the calling goroutine.
func Printf(format string, args ...any) (int, error) {
	return Fprintf(display.Stdout(), format, args...)
}

// Sprint is fmt.Sprint.
func Sprint(args ...any) string { return fmt.Sprint(spaced(args)...) }

// Sprintln is fmt.Sprintln.
func Sprintln(args ...any) string { return fmt.Sprintln(known(args)...) }

// Sprintf is fmt.Sprintf.
func Sprintf(format string, args ...any) string {
	format, args = typed(format, args)
	return fmt.Sprintf(format, args...)
}

// Fprint is fmt.Fprint; the process's standard streams are those of the cell.
func Fprint(w io.Writer, args ...any) (int, error) {
	return fmt.Fprint(cellWriter(w), spaced(args)...)
}

// Fprintln is fmt.Fprintln; the process's standard streams are those of the cell.
func Fprintln(w io.Writer, args ...any) (int, error) {
	return fmt.Fprintln(cellWriter(w), known(args)...)
}

// Fprintf is fmt.Fprintf; the process's standard streams are those of the cell.
func Fprintf(w io.Writer, format string, args ...any) (int, error) {
	format, args = typed(format, args)
	return fmt.Fprintf(cellWriter(w), format, args...)
}

// Errorf is fmt.Errorf.
func Errorf(format string, args ...any) error {
	format, args = typed(format, args)
	return fmt.Errorf(format, args...)
}

// Append is fmt.Append.
func Append(b []byte, args ...any) []byte { return fmt.Append(b, spaced(args)...) }

// Appendln is fmt.Appendln.
func Appendln(b []byte, args ...any) []byte { return fmt.Appendln(b, known(args)...) }

// Appendf is fmt.Appendf.
func Appendf(b []byte, format string, args ...any) []byte {
	format, args = typed(format, args)
	return fmt.Appendf(b, format, args...)
}

func cellWriter(w io.Writer) io.Writer {
	switch w {
	case os.Stdout:
		return display.Stdout()
	case os.Stderr:
		return display.Stderr()
	}
	return w
}

// mixed is a value that reflect knows, which may hold boxes: package fmt would print those as if
// each stood alone, pointers as what they point to.
type mixed struct{ v reflect.Value }

func (m mixed) Format(s fmt.State, verb rune) {
	newPrinter(s, verb).mixed(m.v, 0)
}

// known returns args with those that may hold boxes prepared for package fmt.
func known(args []any) []any {
	var copied []any
	for i, a := range args {
		if v := reflect.ValueOf(a); v.IsValid() && holdsBoxes(v, 0) {
			if copied == nil {
				copied = append(copied, args...)
			}
			copied[i] = mixed{v}
		}
	}
	if copied == nil {
		return args
	}
	return copied
}

// spaced is known for Print, which puts no space beside a string.
func spaced(args []any) []any {
	args = known(args)
	copied := false
	for i, a := range args {
		b, ok := unbox(a)
		if !ok || reflect.ValueOf(b.V).Kind() != reflect.String {
			continue
		}
		if !copied {
			args, copied = slices.Clone(args), true
		}
		args[i] = fmt.Sprint(a)
	}
	return args
}

// holdsBoxes reports whether a box is an element of the slice, array or map v.
func holdsBoxes(v reflect.Value, depth int) bool {
	if v.Kind() == reflect.Interface && !v.IsNil() {
		if _, ok := v.Interface().(boxed); ok {
			return true
		}
		v = v.Elem()
	}
	if depth > 10 {
		return false
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		if !mayHoldBoxes(v.Type().Elem()) {
			return false
		}
		for i := range v.Len() {
			if holdsBoxes(v.Index(i), depth+1) {
				return true
			}
		}
	case reflect.Map:
		if !mayHoldBoxes(v.Type().Elem()) && !mayHoldBoxes(v.Type().Key()) {
			return false
		}
		for iter := v.MapRange(); iter.Next(); {
			if holdsBoxes(iter.Key(), depth+1) || holdsBoxes(iter.Value(), depth+1) {
				return true
			}
		}
	}
	return false
}

func mayHoldBoxes(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Slice, reflect.Array, reflect.Map:
		return mayHoldBoxes(t.Elem())
	}
	return false
}

// mixed prints a value that reflect knows, down to the boxes in it.
func (p *printer) mixed(v reflect.Value, depth int) {
	if v.Kind() == reflect.Interface {
		if v.IsNil() {
			p.value(pair{v: v}, depth)
			return
		}
		if b, ok := unbox(v.Interface()); ok {
			p.value(pair{v: reflect.ValueOf(b.V), d: b.D}, depth)
			return
		}
		p.mixed(v.Elem(), depth)
		return
	}
	if !holdsBoxes(v, 0) || v.Type().NumMethod() > 0 {
		p.value(pair{v: v}, depth)
		return
	}
	open, end := "[", "]"
	if v.Kind() == reflect.Map {
		open = "map["
	}
	if p.sharp {
		open, end = v.Type().String()+"{", "}"
	}
	p.text(open)
	if v.Kind() == reflect.Map {
		keys := v.MapKeys()
		slices.SortStableFunc(keys, compareKeys)
		for i, k := range keys {
			p.separate(i)
			p.mixed(k, depth+1)
			p.text(":")
			p.mixed(v.MapIndex(k), depth+1)
		}
	} else {
		for i := range v.Len() {
			p.separate(i)
			p.mixed(v.Index(i), depth+1)
		}
	}
	p.text(end)
}

// typed returns format and args for package fmt, with the verbs %T and %p, which never ask the
// value, answered for boxes.
func typed(format string, args []any) (string, []any) {
	out := known(args)
	if !strings.ContainsAny(format, "Tp") {
		return format, out
	}
	out = slices.Clone(out)
	text := []byte(format)
	next := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			continue
		}
		for i++; i < len(text) && strings.IndexByte("+-# 0123456789.*[]", text[i]) >= 0; i++ {
			switch text[i] {
			case '*':
				next++
			case '[':
				n := 0
				for i++; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
					n = n*10 + int(text[i]-'0')
				}
				next = n - 1
			}
		}
		if i >= len(text) || text[i] == '%' {
			continue
		}
		if next >= 0 && next < len(args) {
			b, isBox := unbox(args[next])
			switch {
			case text[i] != 'T' && text[i] != 'p':
			case !isBox:
				out[next] = args[next]
			case text[i] == 'T':
				text[i] = 's'
				out[next] = b.D.name
			default:
				out[next] = b.V
			}
		}
		next++
	}
	return string(text), out
}

// walkErrors calls visit for err and all errors that it wraps, until one returns true.
func walkErrors(err error, visit func(error) bool) bool {
	for err != nil {
		if visit(err) {
			return true
		}
		if b, ok := unbox(err); ok {
			if f, ok := b.Method("Unwrap").(func(any) []error); ok {
				for _, e := range f(b) {
					if walkErrors(e, visit) {
						return true
					}
				}
				return false
			}
		}
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			err = e.Unwrap()
		case interface{ Unwrap() []error }:
			for _, inner := range e.Unwrap() {
				if walkErrors(inner, visit) {
					return true
				}
			}
			return false
		default:
			return false
		}
	}
	return false
}

// errorsAs is errors.As for targets of compiled types and of the program's own.
func errorsAs(err error, target any) bool {
	b, ok := unbox(target)
	if !ok {
		return errors.As(err, target)
	}
	p, ok := b.D.T.Underlying().(*types.Pointer)
	dst := reflect.ValueOf(b.V)
	if !ok || dst.IsNil() {
		panic("errors: target must be a non-nil pointer")
	}
	want := b.D.ts.Desc(p.Elem())
	return walkErrors(err, func(e error) bool {
		switch {
		case types.IsInterface(want.T) && Impl(e, want):
			dst.Elem().Set(reflect.ValueOf(N(e)))
			return true
		case !types.IsInterface(want.T) && Is(e, want):
			dst.Elem().Set(reflect.ValueOf(Unbox(e)))
			return true
		}
		own, ok := unbox(e)
		if !ok {
			return false
		}
		as, ok := own.Method("As").(func(any, any) bool)
		return ok && as(own, target)
	})
}

// errorsIs is errors.Is; comparing errors whose types of the program are not comparable does not
// panic.
func errorsIs(err, target error) bool {
	b, ok := unbox(target)
	if !ok {
		return errors.Is(err, target)
	}
	comparable := types.Comparable(b.D.T)
	return walkErrors(err, func(e error) bool {
		if comparable && Eq(e, target) {
			return true
		}
		if own, ok := unbox(e); ok {
			is, ok := own.Method("Is").(func(any, error) bool)
			return ok && is(own, target)
		}
		is, ok := e.(interface{ Is(error) bool })
		return ok && is.Is(target)
	})
}
