package rt

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"reflect"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unsafe"

	"halfnote/repl/display"
)

// This file holds what stands in for functions and methods that would end the process, and the
// table of all such methods.

// exit ends the cell or the program.
func exit(code int) { panic(Exit{code}) }

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

// instead returns what is used in place of a method. Loggers find the user's places if ts is not
// nil.
func (ts *Types) instead(t reflect.Type, name string) (f any, ok bool) {
	table := methods[t]
	if t == reflect.TypeFor[*log.Logger]() {
		table = ts.logMethods()
	}
	f, ok = table[name]
	return f, ok
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
	t, call := v.Type(), v.Call
	if t.IsVariadic() {
		call = v.CallSlice
	}
	var in, out []reflect.Type
	for i := 1; i < t.NumIn(); i++ {
		in = append(in, t.In(i))
	}
	for i := range t.NumOut() {
		out = append(out, t.Out(i))
	}
	return reflect.MakeFunc(reflect.FuncOf(in, out, t.IsVariadic()),
		func(args []reflect.Value) []reflect.Value {
			return call(append([]reflect.Value{first()}, args...))
		}).Interface()
}

// Fatal is the panic value of what Go calls a fatal error; nothing recovers it.
type Fatal string

func (f Fatal) Error() string { return "fatal error: " + string(f) }

// ends reports whether v is a panic value that ends the program: no deferred call runs, and none can
// recover it.
func ends(v any) bool {
	switch v.(type) {
	case Exit, Fatal:
		return true
	}
	return false
}

func unlock(m *sync.Mutex) {
	if m.TryLock() {
		m.Unlock()
		panic(Fatal("sync: unlock of unlocked mutex"))
	}
	m.Unlock()
}

// readers returns the field of m that counts its readers, less rwWriter while it is locked for
// writing, or nil where Go's type has none.
var readers = func() func(m *sync.RWMutex) *atomic.Int32 {
	f, ok := reflect.TypeFor[sync.RWMutex]().FieldByName("readerCount")
	if !ok || f.Type != reflect.TypeFor[atomic.Int32]() {
		return func(*sync.RWMutex) *atomic.Int32 { return nil }
	}
	return func(m *sync.RWMutex) *atomic.Int32 {
		return (*atomic.Int32)(unsafe.Add(unsafe.Pointer(m), f.Offset))
	}
}()

const rwWriter = 1 << 30

// LockerUnlock is l.Unlock().
func LockerUnlock(l sync.Locker) {
	switch l := l.(type) {
	case *sync.Mutex:
		unlock(l)
	case *sync.RWMutex:
		rwUnlock(l)
	default:
		l.Unlock()
	}
}

func rwUnlock(m *sync.RWMutex) {
	if n := readers(m); n != nil && n.Load() >= 0 {
		panic(Fatal("sync: Unlock of unlocked RWMutex"))
	}
	m.Unlock()
}

func rwRUnlock(m *sync.RWMutex) {
	if n := readers(m); n != nil && (n.Load() == 0 || n.Load() == -rwWriter) {
		panic(Fatal("sync: RUnlock of unlocked RWMutex"))
	}
	m.RUnlock()
}

// parseFlags is f.Parse, which ends the cell where it would end the process.
func parseFlags(f *flag.FlagSet, args []string) error {
	if f.ErrorHandling() != flag.ExitOnError {
		return f.Parse(args)
	}
	f.Init(f.Name(), flag.ContinueOnError)
	err := f.Parse(args)
	f.Init(f.Name(), flag.ExitOnError)
	switch err {
	case nil:
		return nil
	case flag.ErrHelp:
		panic(Exit{0})
	}
	panic(Exit{2})
}

// newFlagSet is flag.NewFlagSet, whose messages go to the cell.
func newFlagSet(name string, handling flag.ErrorHandling) *flag.FlagSet {
	f := flag.NewFlagSet(name, handling)
	f.SetOutput(display.Stderr())
	return f
}

// flagFunctions are package flag's functions and variables with a command line of the session's own:
// that of the process is halfnote's.
func (ts *Types) flagFunctions() map[string]any {
	line := newFlagSet((*ts.Args())[0], flag.ExitOnError)
	usage := func() {
		fmt.Fprintf(line.Output(), "Usage of %s:\n", (*ts.Args())[0])
		line.PrintDefaults()
	}
	line.Usage = func() { usage() }
	table := map[string]any{
		"CommandLine": &line, "Usage": &usage, "NewFlagSet": newFlagSet,
		"Parse": func() { _ = parseFlags(line, (*ts.Args())[1:]) },
	}
	t := reflect.TypeFor[*flag.FlagSet]()
	for i := range t.NumMethod() {
		m := t.Method(i)
		if table[m.Name] != nil {
			continue
		}
		typ := reflect.ValueOf(line).Method(i).Type()
		table[m.Name] = reflect.MakeFunc(typ, func(in []reflect.Value) []reflect.Value {
			return reflect.ValueOf(line).Method(i).Call(in)
		}).Interface()
	}
	return table
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
