package rt

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/types"
	"io"
	"log"
	"log/slog"
	"os"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

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
		"runtime": {
			"Breakpoint": func() { panic(Fatal("breakpoint without a debugger")) },
			"Goexit":     ts.goexit,
		},
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
	if ts.symbol == nil {
		return values
	}
	if f, ok := ts.symbol("halfnote/tensor", "NewGraph"); ok {
		values["halfnote/tensor"] = map[string]reflect.Value{"NewGraph": ts.whole(f)}
	}
	for function, size := range sizedFunctions {
		dot := strings.LastIndexByte(function, '.')
		path, name := function[:dot], function[dot+1:]
		if f, ok := ts.symbol(path, name); ok {
			if values[path] == nil {
				values[path] = map[string]reflect.Value{}
			}
			values[path][name] = withSize(function, size, f)
		}
	}
	return values
}

// methods are used in place of the methods of compiled types; the receiver comes first.
var methods = map[reflect.Type]map[string]any{
	reflect.TypeFor[*slog.Logger]():  slogMethods(),
	reflect.TypeFor[*flag.FlagSet](): {"Parse": parseFlags},
	reflect.TypeFor[*sync.Mutex]():   {"Unlock": unlock},
	reflect.TypeFor[*sync.RWMutex](): {"Unlock": rwUnlock, "RUnlock": rwRUnlock},
	reflect.TypeOf(errorType):        typeMethods, // of reflect.Type, whose values are of this type
	reflect.TypeFor[reflect.Value](): valueMethods,
	reflect.TypeFor[*json.Decoder](): {"Decode": decodeJSON},
}

// MethodFunc returns the method of t of that name as a function with the receiver first.
func (ts *Types) MethodFunc(t reflect.Type, name string) (reflect.Value, bool) {
	if f, ok := ts.instead(t, name); ok {
		return reflect.ValueOf(f), true
	}
	m, ok := t.MethodByName(name)
	return m.Func, ok
}

// instead returns what is used in place of a method. If ts is not nil loggers find the user's
// places, and goroutines of wait groups are known.
func (ts *Types) instead(t reflect.Type, name string) (f any, ok bool) {
	table := methods[t]
	switch {
	case t == reflect.TypeFor[*log.Logger]():
		table = ts.logMethods()
	case t == reflect.TypeFor[*sync.WaitGroup]() && ts != nil:
		table = map[string]any{"Go": ts.groupGo}
	}
	if f, ok = table[name]; ok {
		return f, true
	}
	method := t.String() + "." + name
	if size, ok := sizedMethods[method]; ok {
		m, _ := t.MethodByName(name)
		return withSize(method, size, m.Func).Interface(), true
	}
	return nil, false
}

// boundMethod returns the method of that name of x.
func (ts *Types) boundMethod(x reflect.Value, name string) reflect.Value {
	f, ok := ts.instead(x.Type(), name)
	if !ok {
		return x.MethodByName(name)
	}
	return reflect.ValueOf(bind(f, func() reflect.Value { return x }))
}

// bind returns the function f as one that has its first argument already.
func bind(f any, first func() reflect.Value) any {
	v := reflect.ValueOf(f)
	return reflect.MakeFunc(WithoutReceiver(v.Type()),
		func(args []reflect.Value) []reflect.Value {
			return call(v, append([]reflect.Value{first()}, args...))
		}).Interface()
}

// debugFunctions are functions of package runtime/debug that halfnote's own limits depend on.
func debugFunctions() map[string]any {
	limits := map[string]*atomic.Int64{"stack": {}, "threads": {}}
	limits["stack"].Store(1e9) // Go's defaults
	limits["threads"].Store(10000)
	set := func(limit string) func(int) int {
		return func(n int) int { return int(limits[limit].Swap(int64(n))) }
	}
	return map[string]any{
		"SetMaxStack": set("stack"), "SetMaxThreads": set("threads"),
		"PrintStack": func() { _, _ = display.Stderr().Write(debug.Stack()) },
	}
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
