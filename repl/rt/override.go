package rt

import (
	"errors"
	"fmt"
	"go/types"
	"io"
	"log"
	"log/slog"
	"os"
	"reflect"

	"halfnote/repl/display"
)

// Overrides returns what stands in for symbols of the standard library, by import path and name:
// functions that print go to the cell, and some know interface types of the program or do not end
// the process.
func (ts *Types) Overrides() map[string]map[string]reflect.Value {
	table := map[string]map[string]any{
		"fmt": {
			"Print": Print, "Printf": Printf, "Println": Println,
			"Fprint": Fprint, "Fprintf": Fprintf, "Fprintln": Fprintln,
		},
		"encoding/json": {"Unmarshal": unmarshalJSON},
		"errors":        {"As": ts.errorsAs},
		"os":            {"Exit": exit},
		"syscall":       {"Exit": exit},
		"log":           withDefault(ts.logMethods(), log.Default),
		"log/slog":      withDefault(slogMethods(), slog.Default),
		"reflect":       {"Append": reflectAppend},
		"flag":          ts.flagFunctions(),
		"runtime":       {"Breakpoint": func() { panic(Fatal("breakpoint without a debugger")) }},
		"runtime/debug": debugFunctions(),
		"time":          {"Sleep": ts.sleep},
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

// Print is fmt.Print to the cell of the calling goroutine.
func Print(args ...any) (int, error) { return fmt.Fprint(display.Stdout(), args...) }

// Println is fmt.Println to the cell of the calling goroutine.
func Println(args ...any) (int, error) { return fmt.Fprintln(display.Stdout(), args...) }

// Printf is fmt.Printf to the cell of the calling goroutine.
func Printf(format string, args ...any) (int, error) {
	return fmt.Fprintf(display.Stdout(), format, args...)
}

// Fprint is fmt.Fprint; the process's standard streams are those of the cell.
func Fprint(w io.Writer, args ...any) (int, error) { return fmt.Fprint(cellWriter(w), args...) }

// Fprintln is fmt.Fprintln; the process's standard streams are those of the cell.
func Fprintln(w io.Writer, args ...any) (int, error) { return fmt.Fprintln(cellWriter(w), args...) }

// Fprintf is fmt.Fprintf; the process's standard streams are those of the cell.
func Fprintf(w io.Writer, format string, args ...any) (int, error) {
	return fmt.Fprintf(cellWriter(w), format, args...)
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

// errorsAs is errors.As for targets of interface types of the program too, whose methods package
// errors does not know.
func (ts *Types) errorsAs(err error, target any) bool {
	d := ts.descOf(target)
	if d == nil {
		return errors.As(err, target)
	}
	p, ok := d.T.Underlying().(*types.Pointer)
	if !ok || !ts.Erased(p.Elem()) || reflect.ValueOf(target).IsNil() {
		return errors.As(err, target)
	}
	want := ts.Real(p.Elem())
	return walkErrors(err, func(e error) bool {
		if Impl(e, want) {
			*(*any)(dataOf(target)) = e
			return true
		}
		as, ok := e.(interface{ As(any) bool })
		return ok && as.As(target)
	})
}

// walkErrors calls visit for err and all errors that it wraps, until one returns true.
func walkErrors(err error, visit func(error) bool) bool {
	for err != nil {
		if visit(err) {
			return true
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
