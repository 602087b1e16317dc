package rt

import (
	"go/types"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/tools/go/types/typeutil"
)

// Types holds the descriptors and storage types of one session. It is safe for concurrent use.
type Types struct {
	lookup func(path, name string) (reflect.Type, bool)
	source func(*types.Named) types.Type
	panics func(v any) (ends bool)
	place  int
	left   atomic.Int64 // the place at the end of the goroutine that ended last
	where  func() (file string, line int)
	stops  sync.Map // goroutine id → <-chan struct{}
	owned  sync.Map // ids of the goroutines whose panics are told
	stop   atomic.Pointer[Stop]

	run        atomic.Pointer[run]
	first      atomic.Int64 // the goroutine on which the present run began
	running    atomic.Int64 // goroutines of cells
	sleeping   atomic.Int64 // goroutines in time.Sleep, or not yet on their way
	held       atomic.Int64 // goroutines of cells that a stop can let live as they are
	guarded    atomic.Int64 // functions of Guard that run
	deferring  atomic.Int64 // deferred calls that run
	unwinding  atomic.Int64 // panics that deferred calls run for, or that are being told
	ending     atomic.Int64 // runs that are stopped and have not ended
	paused     atomic.Bool  // the interpreter abandons what runs
	maps       sync.RWMutex // of all maps of cells, where goroutines use some
	traces     traces
	goroutines sync.Map // goroutine id → *Goroutine
	args       []string // what os.Args is in cells

	symbol  func(path, name string) (reflect.Value, bool)
	learned map[*types.Package]bool          // packages that were searched for hidden types
	hidden  map[*types.TypeName]reflect.Type // types that compiled packages do not export

	mu    sync.Mutex
	descs typeutil.Map // types.Type → *Desc
	count int

	descriptors sync.Map // descriptor of a real type, unsafe.Pointer → *Desc
}

// Desc describes one type. Identical types share one Desc within a Types.
type Desc struct {
	T types.Type
	R reflect.Type // the storage type, nil when Types.Storage gives an error

	ts        *Types
	id        int
	err       error // why R is nil
	name      string
	needsReal bool // see Types.NeedsReal

	real    reflect.Type   // see real.go; nil until a value stands in an interface value
	word    unsafe.Pointer // real's descriptor
	slots   map[string]int // the stubs of real's methods
	methods sync.Map       // name → func(recv unsafe.Pointer, params…) results, see SetMethod
	impls   sync.Map       // for an interface type: dynamic type (its descriptor) → missing method
}

// NewTypes returns an empty registry. lookup gives the types that compiled packages declare.
func NewTypes(lookup func(path, name string) (reflect.Type, bool)) *Types {
	return &Types{lookup: lookup, learned: map[*types.Package]bool{},
		hidden: map[*types.TypeName]reflect.Type{}, args: []string{"halfnote"},
		traces: traces{byGoroutine: map[int64]*Trace{}}}
}

// Args returns the variable that os.Args is in cells and programs.
func (ts *Types) Args() *[]string { return &ts.args }

// SetSource sets what gives the type as which values of an instance of a compiled package's generic
// type are stored, if compiled code does not have it.
func (ts *Types) SetSource(source func(*types.Named) types.Type) { ts.source = source }

// sourceType is the type that SetSource's function gives, or nil.
func (ts *Types) sourceType(t *types.Named) types.Type {
	if t.TypeArgs().Len() == 0 || ts.source == nil {
		return nil
	}
	return ts.source(t)
}

// Place returns where emitted code notes its place, a token.Pos, before it does what may panic. It
// is right for the last panic that was not recovered.
func (ts *Types) Place() *int { return &ts.place }

// Here returns the place that was noted last, or 0 where it may be that of another goroutine than
// the first of the run.
func (ts *Types) Here() int {
	if place := ts.place; ts.Idle() && ts.left.Load() != int64(place) {
		return place
	}
	return 0
}

// Desc returns the descriptor of t.
func (ts *Types) Desc(t types.Type) *Desc {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.complete(t)
}

// Storage returns the type that values of type t are stored as: basic types and types of compiled
// packages as they are, program interfaces as interface{}, structs as struct types made for them
// alone, other named types as what they are defined as.
func (ts *Types) Storage(t types.Type) (reflect.Type, error) {
	d := ts.Desc(t)
	return d.R, d.err
}

// Real returns the descriptor of t with its real type: see [Desc.Real].
func (ts *Types) Real(t types.Type) *Desc {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	d := ts.complete(t)
	if d.err == nil {
		d.err = ts.real(d)
	}
	return d
}

// Real returns what compiled code knows values of d's type by: a type with its name, fields and
// exported methods. It is nil unless Types.Real was asked for d.
func (d *Desc) Real() reflect.Type { return d.real }

// Err tells why values of d's type cannot be stored.
func (d *Desc) Err() error { return d.err }

// NeedsReal reports whether values of type t have another real type than storage type, because
// reflect does not know t by its storage: t is a named type of the program or a struct type, or is
// made of one or of a program interface. Interface types are no dynamic types and need none.
func (ts *Types) NeedsReal(t types.Type) bool {
	return !types.IsInterface(t) && ts.needsReal(t)
}

func (ts *Types) needsReal(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return !ts.isCompiled(t)
	case *types.Struct:
		return t.NumFields() > 0
	case *types.Interface:
		return !t.Empty()
	case *types.Pointer:
		return ts.needsReal(t.Elem())
	case *types.Slice:
		return ts.needsReal(t.Elem())
	case *types.Array:
		return ts.needsReal(t.Elem())
	case *types.Chan:
		return ts.needsReal(t.Elem())
	case *types.Map:
		return ts.needsReal(t.Key()) || ts.needsReal(t.Elem())
	case *types.Signature:
		return ts.anyNeedsReal(t.Params()) || ts.anyNeedsReal(t.Results())
	}
	return false
}

func (ts *Types) anyNeedsReal(tuple *types.Tuple) bool {
	for v := range tuple.Variables() {
		if ts.needsReal(v.Type()) {
			return true
		}
	}
	return false
}

// Erased reports whether t is an interface type that is stored as interface{}.
func (ts *Types) Erased(t types.Type) bool {
	if !types.IsInterface(t) {
		return false
	}
	named, ok := types.Unalias(t).(*types.Named)
	return !ok || !ts.isCompiled(named)
}

// isCompiled reports whether a compiled package (or the universe, for error) declares t.
func (ts *Types) isCompiled(t *types.Named) bool {
	_, ok := ts.compiled(t)
	return ok
}

func (ts *Types) compiled(t *types.Named) (reflect.Type, bool) {
	obj := t.Obj()
	if obj.Pkg() == nil {
		return errorType, obj.Name() == "error"
	}
	if obj.Parent() != nil && obj.Parent() != obj.Pkg().Scope() {
		return nil, false
	}
	if t.TypeArgs().Len() > 0 {
		return ts.lookup(obj.Pkg().Path(), InstanceName(obj.Name(), t.TypeArgs().Types()))
	}
	if obj.Pkg().Path() == "main" {
		return nil, false
	}
	if !obj.Exported() {
		ts.learn(obj.Pkg())
		r, ok := ts.hidden[obj]
		return r, ok
	}
	return ts.lookup(obj.Pkg().Path(), obj.Name())
}

// SetSymbols lets ts find types that compiled packages do not export by the functions and variables
// (as pointers) that have them, as binary.LittleEndian has binary.littleEndian.
func (ts *Types) SetSymbols(symbol func(path, name string) (reflect.Value, bool)) {
	ts.symbol = symbol
}

// learn finds the hidden types of a compiled package.
func (ts *Types) learn(pkg *types.Package) {
	if ts.learned[pkg] || ts.symbol == nil {
		return
	}
	ts.learned[pkg] = true
	for _, name := range pkg.Scope().Names() {
		v, ok := ts.symbol(pkg.Path(), name)
		if !ok {
			continue
		}
		switch obj := pkg.Scope().Lookup(name).(type) {
		case *types.Var:
			ts.match(obj.Type(), v.Type().Elem())
		case *types.Func:
			ts.match(obj.Type(), v.Type())
		}
	}
}

// match notes the hidden types that t holds where r has their storage.
func (ts *Types) match(t types.Type, r reflect.Type) {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if obj := t.Obj(); obj.Pkg() != nil && !obj.Exported() && obj.Name() == r.Name() {
			ts.hidden[obj] = r
		}
	case *types.Pointer:
		if r.Kind() == reflect.Pointer {
			ts.match(t.Elem(), r.Elem())
		}
	case *types.Slice:
		if r.Kind() == reflect.Slice {
			ts.match(t.Elem(), r.Elem())
		}
	case *types.Signature:
		if r.Kind() == reflect.Func && r.NumOut() == t.Results().Len() {
			for i := range t.Results().Len() {
				ts.match(t.Results().At(i).Type(), r.Out(i))
			}
		}
	}
}

// String returns the type as reflect prints it: main.P, interface {}, struct { X int }.
func (d *Desc) String() string { return d.name }

var (
	errorType = reflect.TypeFor[error]()
	anyType   = reflect.TypeFor[any]()
)
