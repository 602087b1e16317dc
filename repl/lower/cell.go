package lower

// This file implements what is special about a cell. Its variables are session variables: pointers
// that core refers to by name. Its statements become one function, its last expression the cell's
// result, kept as interface values and, for later cells, as the variable _n.
//
//	x := f()        *session.x_1 = f(); *session.defined_1 = true
//	x + 1      →    *session.result_2 = interface{}(*session.x_1 + 1)

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"reflect"

	"halfnote/repl/ir"
	"halfnote/repl/rt"
)

// declare makes the cell's functions and variables known.
func (u *unit) declare() {
	for _, v := range u.cell.Vars {
		u.slot(v)
	}
	for _, chunk := range u.cell.Chunks {
		for _, d := range chunk.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			obj, ok := u.cell.Info.Defs[fd.Name].(*types.Func)
			if !ok {
				continue
			}
			u.decls[obj] = &decl{fd, u.cell.Info}
			if fd.Recv == nil && fd.Name.Name != "init" && fd.Name.Name != "_" {
				u.redefine(obj)
			}
		}
	}
}

// redefine lets obj take the place of an earlier function of the same name and type, for the
// functions that call it too: they are lowered again when they are used next.
func (u *unit) redefine(obj *types.Func) {
	old := u.live[obj.Name()]
	u.live[obj.Name()] = obj
	if old == nil || obj.Signature().TypeParams().Len() > 0 ||
		!types.Identical(old.Type(), obj.Type()) {
		return
	}
	u.replaced[old] = obj
	stale := map[*types.Func]bool{old: true}
	for changed := true; changed; {
		changed = false
		for _, inst := range u.insts {
			if stale[inst.obj] {
				continue
			}
			for used := range inst.uses {
				if stale[used] {
					stale[inst.obj], changed = true, true
					break
				}
			}
		}
	}
	for key, inst := range u.insts {
		if stale[inst.obj] {
			delete(u.insts, key)
		}
	}
	for d := range u.methods {
		if u.usesStale(d, stale) {
			delete(u.methods, d)
			u.reveal(d.T)
		}
	}
}

// usesStale reports whether a method of d is among the functions that must be lowered again.
func (u *unit) usesStale(d *rt.Desc, stale map[*types.Func]bool) bool {
	for sel := range types.NewMethodSet(types.NewPointer(d.T)).Methods() {
		if stale[sel.Obj().(*types.Func).Origin()] {
			return true
		}
	}
	return false
}

// slot makes v a session variable. If there is one of that name and type, that is it: functions of
// earlier cells that use the name see the new value.
func (u *unit) slot(v *types.Var) {
	if !u.cell.IsProgram {
		old := u.liveVars[v.Name()]
		u.liveVars[v.Name()] = v
		if old != nil && types.Identical(old.Type(), v.Type()) {
			u.slots[v] = u.slots[old]
			return
		}
	}
	ptr := reflect.New(u.storage(v.Pos(), v.Type()))
	u.slots[v] = u.extern(v.Pos(), v.Name(), ptr)
}

// SetLive says which variable a name means when the cell that was to define it anew has not come to
// that; nil means that it is no variable.
func (l *Lowerer) SetLive(name string, v *types.Var) {
	if v == nil {
		delete(l.liveVars, name)
		return
	}
	l.liveVars[name] = v
}

// Value returns the present value of a session variable, as one that an interface holds.
func (l *Lowerer) Value(v *types.Var) (value any, ok bool) {
	slot := l.slots[v]
	if slot == nil {
		return nil, false
	}
	stored := slot.Value.Elem().Interface()
	if l.types.NeedsReal(v.Type()) {
		return rt.B(l.types.Real(v.Type()), stored), true
	}
	return stored, true
}

// entry lowers the cell's statements into the function that runs it.
func (u *unit) entry(result *types.Var) *Unit {
	lowered := &Unit{Unit: &ir.Unit{Name: u.cell.Name}, defined: map[*types.Var]*bool{}}
	if !u.cell.IsProgram {
		for _, v := range u.cell.Vars {
			lowered.defined[v] = new(bool)
		}
	}
	if result != nil {
		u.slot(result)
	}
	u.result, u.lowered = result, lowered
	body := &ast.BlockStmt{}
	for _, chunk := range u.cell.Chunks {
		body.List = append(body.List, chunk.Stmts...)
	}
	entry := &ir.Func{Name: u.name("cell"), Typ: thunkType, Pos: u.pos()}
	if !u.cell.IsProgram {
		entry.Label = cellLabel
	}
	u.now = &instance{uses: map[*types.Func]bool{}}
	f := &fn{unit: u, info: u.cell.Info, vars: map[*types.Var]*ir.Var{}, part: cellLabel}
	nodes := make([]ast.Node, len(body.List))
	for i, s := range body.List {
		nodes[i] = s
	}
	f.shared = shared(f.info, nodes...)
	f.labels, f.gotos = map[string]string{}, gotoLabels(body)
	f.give = func(pos token.Pos, _ []ir.Expr) { f.emit(&ir.Return{At: ir.At(pos)}) }
	statements := f.in(func() {
		if hasDefer(body) {
			f.deferring(nil, u.pos(), func(g *fn) { g.chunks() })
		} else {
			f.chunks()
		}
	})
	u.drain()
	entry.Body = append(u.begin(), statements...)
	lowered.Entry = entry
	lowered.Funcs = u.out
	return lowered
}

// begin returns what comes before the cell's statements: setup, if there is any, and the note that it
// has run.
func (u *unit) begin() []ir.Stmt {
	if len(u.setup) == 0 {
		return nil
	}
	begun := new(bool)
	u.lowered.begun = begun
	flag := &ir.Deref{X: u.extern(u.pos(), "begun", reflect.ValueOf(begun))}
	return append(u.setup,
		&ir.If{Cond: flag, Then: []ir.Stmt{&ir.Return{}}},
		&ir.Assign{Lhs: flag, Rhs: boolean(u.pos(), true)})
}

// chunks lowers the parts of the cell in the order in which they run.
func (f *fn) chunks() {
	for _, chunk := range f.cell.Chunks {
		for _, init := range chunk.InitOrder {
			f.initialize(init)
		}
		for _, d := range chunk.Decls {
			f.runInit(d)
		}
		f.stmts(chunk.Stmts)
	}
	if main := f.cell.Main; main != nil {
		f.emit(&ir.ExprStmt{X: &ir.Call{Fun: f.ref(main.Pos(), main, nil)}})
	}
}

// initialize lowers the initialisation of package-level variables.
func (f *fn) initialize(init *types.Initializer) {
	f.shared = maps.Clone(f.shared)
	maps.Copy(f.shared, shared(f.info, init.Rhs))
	pos := init.Rhs.Pos()
	if len(init.Lhs) == 1 {
		v := init.Lhs[0]
		if v.Name() == "_" {
			f.emit(&ir.ExprStmt{At: ir.At(pos), X: f.conv(init.Rhs, v.Type())})
			return
		}
		f.define(v, f.conv(init.Rhs, v.Type()), pos)
		return
	}
	tuple := f.tupleType(ast.Unparen(init.Rhs))
	for i, value := range f.spread(init.Rhs, tuple) {
		if v := init.Lhs[i]; v.Name() != "_" {
			f.define(v, f.convert(value, tuple.At(i).Type(), v.Type()), pos)
		}
	}
}

// runInit calls d if it is a function init of a program.
func (f *fn) runInit(d ast.Decl) {
	fd, ok := d.(*ast.FuncDecl)
	if !ok || fd.Recv != nil || fd.Name.Name != "init" {
		return
	}
	obj := f.info.Defs[fd.Name].(*types.Func)
	f.emit(&ir.ExprStmt{X: &ir.Call{Fun: f.ref(fd.Pos(), obj, nil)}})
}

// isResult reports whether x is the cell's last expression.
func (f *fn) isResult(x ast.Expr) bool {
	return f.cell.Result != nil && f.cell.Result.X == x
}

// cellResult keeps the values of the cell's last expression.
func (f *fn) cellResult(x ast.Expr) {
	pos := x.Pos()
	t := f.typ(x)
	if isVoid(t) {
		f.emit(&ir.ExprStmt{At: ir.At(pos), X: f.expr(x)})
		return
	}
	if tuple, ok := t.(*types.Tuple); ok {
		for i, value := range f.spread(x, tuple) {
			if i == 0 && f.result != nil {
				f.define(f.result, value, pos)
			}
			f.keepResult(value, tuple.At(i).Type())
		}
		return
	}
	if isNil(t) {
		f.keepResult(&ir.Zero{At: ir.At(pos), Typ: anyStore}, anyType)
		return
	}
	t = defaultType(t)
	value := f.conv(x, t)
	if f.result != nil {
		f.define(f.result, value, pos)
		value = f.use(f.result, pos)
	}
	f.keepResult(value, t)
}

// keepResult stores a value of type t where the session finds it.
func (f *fn) keepResult(value ir.Expr, t types.Type) {
	pos := value.Pos()
	box := new(any)
	f.lowered.Results = append(f.lowered.Results, box)
	at := ir.At(pos)
	slot := &ir.Deref{At: at, X: f.extern(pos, "result", reflect.ValueOf(box))}
	f.emit(&ir.Assign{At: at, Lhs: slot, Rhs: f.erase(value, t)})
}

// A snapshot is what a cell that cannot be lowered must leave as it was.
type snapshot struct {
	live     map[string]*types.Func
	liveVars map[string]*types.Var
	replaced map[*types.Func]*types.Func
	insts    map[string]*instance
	methods  map[*rt.Desc]bool
	helpers  map[string]*ir.Func
}

func (l *Lowerer) snapshot() snapshot {
	return snapshot{maps.Clone(l.live), maps.Clone(l.liveVars), maps.Clone(l.replaced),
		maps.Clone(l.insts), maps.Clone(l.methods), maps.Clone(l.helpers)}
}

func (l *Lowerer) restore(s snapshot) {
	l.live, l.liveVars, l.replaced, l.insts = s.live, s.liveVars, s.replaced, s.insts
	l.methods, l.helpers = s.methods, s.helpers
}
