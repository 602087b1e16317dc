package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"sync"

	"halfnote/repl/check"
	"halfnote/repl/ir"
	"halfnote/repl/rt"
)

// A Symbols finds a compiled package's function, variable (as a pointer) or type (as a nil pointer
// to it).
type Symbols func(path, name string) (reflect.Value, bool)

// A Lowerer lowers the cells of one session, in order. What earlier cells declared stays callable.
type Lowerer struct {
	types   *rt.Types
	symbols Symbols
	runtime map[string]reflect.Value

	libraries Libraries
	sourcesMu sync.Mutex
	sources   map[string]*check.Library // those asked for, by import path; nil where there is none

	decls    map[*types.Func]*decl       // functions and methods of all cells
	live     map[string]*types.Func      // the newest function of each name
	liveVars map[string]*types.Var       // the newest variable of each name
	replaced map[*types.Func]*types.Func // a redefined function → the one that took its place
	insts    map[string]*instance        // lowered functions by key
	locals   map[string]*types.Named     // types that instances of functions declare, by key
	slots    map[*types.Var]*ir.Extern   // session variables
	helpers  map[string]*ir.Func         // assertions and calls through interfaces
	methods  map[*rt.Desc]bool           // types whose methods the run-time package knows
	externs  map[any]string              // the names of session values that core refers to
	ctxt     *types.Context
	serial   int
}

// A decl is a function's source and the type information it was checked with.
type decl struct {
	syntax *ast.FuncDecl
	info   *types.Info
}

// An instance is a function that has been lowered, with the functions that its body refers to.
type instance struct {
	fn   *ir.Func
	obj  *types.Func
	uses map[*types.Func]bool
}

// New returns a Lowerer for one session.
func New(ts *rt.Types, symbols Symbols, libraries Libraries) *Lowerer {
	l := &Lowerer{
		libraries: libraries,
		sources:   map[string]*check.Library{},
		types:     ts,
		symbols:   symbols,
		runtime:   ts.Symbols(),
		decls:     map[*types.Func]*decl{},
		live:      map[string]*types.Func{},
		liveVars:  map[string]*types.Var{},
		replaced:  map[*types.Func]*types.Func{},
		insts:     map[string]*instance{},
		locals:    map[string]*types.Named{},
		slots:     map[*types.Var]*ir.Extern{},
		helpers:   map[string]*ir.Func{},
		methods:   map[*rt.Desc]bool{},
		externs:   map[any]string{},
		ctxt:      types.NewContext(),
	}
	ts.SetSource(l.libraryType)
	return l
}

// A Unit is a lowered cell.
type Unit struct {
	*ir.Unit
	// Results point to the values of the cell's last expression, as interface values, in order.
	Results []*any
	// Undo takes back what lowering the cell changed in the session.
	Undo func()

	begun   *bool                // whether setup has run, if there is any
	defined map[*types.Var]*bool // which of the cell's variables have been defined by its run
}

// Begun reports whether a run of the cell has made the methods of its types known, and come to its
// statements. If not, another run of the code does the former alone.
func (u *Unit) Begun() bool {
	if u.begun == nil {
		return true
	}
	was := *u.begun
	*u.begun = true
	return was
}

// Defined reports whether the run of the cell has come to define v, one of its variables.
func (u *Unit) Defined(v *types.Var) bool {
	done := u.defined[v]
	return done == nil || *done
}

// unit is the state of lowering one cell.
type unit struct {
	*Lowerer
	cell  *check.Cell
	out   []*ir.Func
	queue []func()
	setup []ir.Stmt // what must happen before the cell's own statements: methods made known
	now   *instance // the function being lowered
	from  token.Pos // where the user's code has asked for the library's function being lowered

	result  *types.Var // the variable _n for the cell's result, if it has one
	lowered *Unit
}

// Unsupported is the error of a form that cannot be lowered.
type Unsupported struct {
	Pos  token.Pos
	What string
}

func (e *Unsupported) Error() string { return "halfnote cannot run " + e.What + " yet" }

// Unit lowers a checked cell. A result variable, _n, takes the first value of the cell's last
// expression. The error is an *Unsupported; after it nothing of the session has changed.
func (l *Lowerer) Unit(cell *check.Cell, result *types.Var) (lowered *Unit, err error) {
	u := &unit{Lowerer: l, cell: cell}
	before := l.snapshot()
	defer func() {
		if lowered != nil {
			return
		}
		l.restore(before)
		r := recover()
		unsupported, ok := r.(*Unsupported)
		if !ok {
			panic(r)
		}
		if !unsupported.Pos.IsValid() {
			unsupported.Pos = u.from
		}
		if !unsupported.Pos.IsValid() {
			unsupported.Pos = u.pos()
		}
		err = unsupported
	}()
	u.declare()
	lowered = u.entry(result)
	lowered.Undo = func() { l.restore(before) }
	return lowered, nil
}

// pos is the place of the cell's first declaration or statement.
func (u *unit) pos() token.Pos {
	for _, c := range u.cell.Chunks {
		if len(c.Decls) > 0 {
			return c.Decls[0].Pos()
		}
		if len(c.Stmts) > 0 {
			return c.Stmts[0].Pos()
		}
	}
	return token.NoPos
}

// drain lowers queued functions until none is left.
func (u *unit) drain() {
	for len(u.queue) > 0 {
		next := u.queue[0]
		u.queue = u.queue[1:]
		next()
	}
}

// name returns a name that is unique in the session and reads like base.
func (l *Lowerer) name(base string) string {
	l.serial++
	return fmt.Sprintf("%s_%d", base, l.serial)
}

// fail gives up on the cell: what is at pos cannot be run yet.
func fail(pos token.Pos, format string, args ...any) {
	panic(&Unsupported{pos, fmt.Sprintf(format, args...)})
}

// call makes a call of the run-time package's function name.
func (l *Lowerer) call(pos token.Pos, name string, args ...ir.Expr) *ir.Call {
	v, ok := l.runtime[name]
	if !ok {
		panic("lower: package rt has no function " + name)
	}
	return &ir.Call{
		At:   ir.At(pos),
		Fun:  &ir.Extern{At: ir.At(pos), Pkg: ir.RuntimePkg, Name: name, Typ: v.Type()},
		Args: args,
	}
}
