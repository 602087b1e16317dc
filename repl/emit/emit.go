package emit

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"halfnote/repl/ir"
	"halfnote/repl/rt"
)

// An Emitter turns the units of one session into programs, in the order in which they run.
type Emitter struct {
	funcs   map[*ir.Func]string
	types   map[reflect.Type]string
	consts  map[constKey]string
	shorts  map[*ir.Func]bool // see inline
	traced  sync.Map          // the name of a function → its *Function
	count   int               // of names, which are unique in the session
	place   *place            // see SetPlace
	methods func(t reflect.Type, name string) (reflect.Value, bool)
	unit    *unit
	symbols map[string]reflect.Value // those of the current unit
}

// A Program is what yaegi compiles and runs: Execute runs the entry of the unit.
type Program struct {
	File *ast.File
	// Imports are the paths of the compiled packages whose symbols the program uses.
	Imports []string
	// Symbols are the types and values that the program adds to SessionPath. Later programs use
	// the types again.
	Symbols map[string]reflect.Value
	// Local are the names of imports, symbols and declarations that only the program itself
	// uses; once it has begun to run nothing asks for them.
	Local []string
}

// The paths under which the session gives Symbols and those of the run-time package to Use; a key
// of interp.Exports is path/name.
const (
	SessionPath = ir.SessionPkg
	RuntimePath = ir.RuntimePkg
)

// New returns an Emitter for a new session.
func New() *Emitter {
	return &Emitter{
		funcs:  map[*ir.Func]string{},
		types:  map[reflect.Type]string{},
		consts: map[constKey]string{},
		shorts: map[*ir.Func]bool{},

		methods: (*rt.Types)(nil).MethodFunc,
	}
}

// SetMethods sets what finds the compiled methods of a type, with the receiver first.
func (e *Emitter) SetMethods(find func(reflect.Type, string) (reflect.Value, bool)) {
	e.methods = find
}

// unit is what one call of Unit collects.
type unit struct {
	decls   []ast.Decl
	imports map[string]string // path → name
	refs    map[*ir.Func]string
	values  map[any]string // externs of the session by what they are
	boxes   map[*ir.Var]bool
}

// unsupported is what emitting panics with.
type unsupported struct{ msg string }

func fail(format string, args ...any) { panic(unsupported{fmt.Sprintf(format, args...)}) }

// Unit returns u as a program. Functions of earlier units may be used in it.
func (e *Emitter) Unit(u *ir.Unit) (p *Program, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case unsupported:
			err = fmt.Errorf("emit: %s", r.msg)
		default:
			panic(r)
		}
	}()
	e.unit = &unit{
		imports: map[string]string{}, refs: map[*ir.Func]string{}, values: map[any]string{},
		boxes: map[*ir.Var]bool{},
	}
	e.symbols = map[string]reflect.Value{}
	for _, f := range u.Funcs {
		e.funcs[f] = e.name(f.Name)
	}
	for _, f := range u.Funcs {
		e.function(e.funcs[f], f)
	}
	if u.Entry != nil {
		// yaegi runs functions named init when it executes a program, and main again each time
		// once there is one.
		e.function(entryName, u.Entry)
	}
	return &Program{
		File: e.file(), Imports: e.paths(), Symbols: e.symbols, Local: e.local(u),
	}, nil
}

// entryName is that of the function that a program runs.
const entryName = "init"

// local returns the names of the imports, of the values and of the makers of closures.
func (e *Emitter) local(u *ir.Unit) []string {
	names := slices.Collect(maps.Values(e.unit.imports)) // one may be ".", which names nothing
	names = slices.AppendSeq(names, maps.Values(e.unit.values))
	lasting := map[string]bool{}
	for _, f := range u.Funcs {
		lasting[e.funcs[f]] = true
	}
	for _, d := range e.unit.decls {
		if f, ok := d.(*ast.FuncDecl); ok && !lasting[f.Name.Name] {
			names = append(names, f.Name.Name)
		}
	}
	return names
}

// name returns a new name that resembles s.
func (e *Emitter) name(s string) string {
	e.count++
	return s + "·" + strconv.Itoa(e.count)
}

// file puts the declarations together. The file has no position: yaegi files the names of imports
// under the name of their file, and finds them from nodes of other files only if that is empty.
func (e *Emitter) file() *ast.File {
	file := &ast.File{Name: ast.NewIdent("main")}
	for _, path := range e.importPaths() {
		file.Decls = append(file.Decls, &ast.GenDecl{Tok: token.IMPORT, Specs: []ast.Spec{
			&ast.ImportSpec{
				Name: ast.NewIdent(e.unit.imports[path]),
				Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(path)},
			},
		}})
	}
	file.Decls = append(file.Decls, e.unit.decls...)
	return file
}

func (e *Emitter) importPaths() []string {
	return slices.Sorted(maps.Keys(e.unit.imports))
}

func (e *Emitter) paths() []string {
	return slices.DeleteFunc(e.importPaths(), func(path string) bool {
		return path == SessionPath || path == RuntimePath
	})
}

// member returns path's symbol of that name. The symbols of the session and of the run-time package
// are imported without a package name: for a selector yaegi gives each call of the function around
// it a variable, and each use an instruction that does nothing.
func (e *Emitter) member(path, name string, pos token.Pos) ast.Expr {
	if path == SessionPath || path == RuntimePath {
		e.unit.imports[path] = "."
		return ident(name, pos)
	}
	pkg, ok := e.unit.imports[path]
	if !ok {
		pkg = e.name("pkg")
		e.unit.imports[path] = pkg
	}
	return &ast.SelectorExpr{X: ident(pkg, pos), Sel: ident(name, pos)}
}

// runtime returns a function or type of the run-time package.
func (e *Emitter) runtime(name string, pos token.Pos) ast.Expr {
	return e.member(RuntimePath, name, pos)
}

// symbol returns a session symbol that stands for v, known to the unit as key.
func (e *Emitter) symbol(key any, v reflect.Value, pos token.Pos) ast.Expr {
	name, ok := e.unit.values[key]
	if !ok {
		name = e.name("V")
		e.unit.values[key] = name
		e.symbols[name] = v
	}
	return e.member(SessionPath, name, pos)
}

// fn is the state of emitting one function or closure body.
type fn struct {
	*Emitter
	names map[*ir.Var]string
	out   []ast.Stmt // the block that is being emitted
	slots []ast.Stmt // declarations at the top, see slot
	loops []loop

	once     bool       // the function runs once
	within   []*ir.Func // the functions around the current place, also by being written out
	depth    int        // how many of them are written out, see inline
	inlined  int        // the number of their statements
	traced   *Function
	chain    []Written // the calls that the current place is written out for
	marked   token.Pos // the last place that is noted, by the last of
	markedAt int       // the first so many statements of out
}

// function declares f under the given name.
func (e *Emitter) function(name string, f *ir.Func) {
	body := &fn{
		Emitter: e, names: map[*ir.Var]string{}, once: name == entryName, within: []*ir.Func{f},
		traced: e.trace(name, f),
	}
	e.unit.findBoxes(f.Body)
	decl := &ast.FuncDecl{Name: ident(name, f.Pos), Type: body.signature(f)}
	decl.Body = body.body(f.Body)
	decl.Body.List = append(body.shown(f.Params), decl.Body.List...)
	e.unit.decls = append(e.unit.decls, decl)
}

// signature declares f's parameters. A top-level function takes a variadic parameter as the slice
// that it is: yaegi appends the arguments one by one, and mistakes a []any for the slice itself.
func (f *fn) signature(fun *ir.Func) *ast.FuncType {
	params := &ast.FieldList{}
	for i, v := range fun.Params {
		t := fun.Typ.In(i)
		var name string
		if v != nil {
			name = f.declare(v)
		} else {
			name = f.name("_")
		}
		params.List = append(params.List, field(name, f.typ(t)))
	}
	results := &ast.FieldList{}
	for i := range fun.Typ.NumOut() {
		results.List = append(results.List, &ast.Field{Type: f.typ(fun.Typ.Out(i))})
	}
	t := &ast.FuncType{Params: params}
	if len(results.List) > 0 {
		t.Results = results
	}
	return t
}

func field(name string, t ast.Expr) *ast.Field {
	return &ast.Field{Names: []*ast.Ident{ast.NewIdent(name)}, Type: t}
}

// declare gives v a name.
func (f *fn) declare(v *ir.Var) string {
	name := f.name(v.Name)
	f.names[v] = name
	return name
}

func (f *fn) local(v *ir.Var, pos token.Pos) *ast.Ident {
	name, ok := f.names[v]
	if !ok {
		fail("variable %s is not declared", v.Name)
	}
	return ident(name, pos)
}

// closure declares a factory that makes fun from the values of its captures, and calls it. yaegi's
// function literals share the variables of the enclosing function:
//
//	for i := 0; i < 3; i++ { fs = append(fs, func() int { return i }) } // all give 3
//
// and a call of one of them puts back what was in the place of a later one. In a factory a literal
// is alone. maker is the factory's name.
func (f *fn) closure(maker string, fun *ir.Func, captures []*ir.Var) ast.Expr {
	inner := &fn{Emitter: f.Emitter, names: map[*ir.Var]string{}, within: f.within,
		traced: f.trace(maker+".func", fun)}
	params := &ast.FieldList{}
	var args []ast.Expr
	for _, v := range captures {
		params.List = append(params.List, field(inner.declare(v), f.typ(v.Typ)))
		args = append(args, f.coreArg(&ir.Local{At: ir.At(fun.Pos), Var: v}))
	}
	lit := &ast.FuncLit{Type: inner.signature(fun)}
	if last := lit.Type.Params.List; fun.Variadic {
		slice := fun.Typ.In(fun.Typ.NumIn() - 1)
		last[len(last)-1].Type = &ast.Ellipsis{Elt: f.typ(slice.Elem())}
	}
	f.unit.findBoxes(fun.Body)
	lit.Body = inner.body(fun.Body)
	f.unit.decls = append(f.unit.decls, &ast.FuncDecl{
		Name: ident(maker, fun.Pos),
		Type: &ast.FuncType{
			Params:  params,
			Results: &ast.FieldList{List: []*ast.Field{{Type: f.typ(fun.Typ)}}},
		},
		Body: &ast.BlockStmt{List: append(inner.shown(captures),
			&ast.ReturnStmt{Results: []ast.Expr{lit}})},
	})
	return &ast.CallExpr{Fun: ident(maker, fun.Pos), Args: args}
}

// funcValue returns a top-level function as a value. yaegi stores its own syntax node where a
// declared function is used as a value, which compiled code and type assertions see; a literal is a
// function. A short function is written out in it, which saves a call.
func (f *fn) funcValue(fun *ir.Func, pos token.Pos) ast.Expr {
	maker, ok := f.unit.refs[fun]
	if ok {
		return &ast.CallExpr{Fun: ident(maker, pos)}
	}
	literal := fun
	if size(fun.Body) > shortFunc {
		literal = forward(fun, ir.At(pos))
	}
	maker = f.name(fun.Name)
	f.unit.refs[fun] = maker // its body may use it as a value
	return f.closure(maker, literal, nil)
}

// shortFunc is how many statements a function has at most that is written out as a value.
const shortFunc = 20

// size counts the statements of list.
func size(list []ir.Stmt) int {
	n := len(list)
	ir.Blocks(list, func(body []ir.Stmt) { n += size(body) })
	return n
}

// forward returns a function that calls fun.
func forward(fun *ir.Func, at ir.At) *ir.Func {
	params := make([]*ir.Var, len(fun.Params))
	call := &ir.Call{At: at, Fun: &ir.FuncRef{At: at, Func: fun}, Spread: fun.Variadic}
	for i := range params {
		params[i] = &ir.Var{Name: "p", Typ: fun.Typ.In(i)}
		call.Args = append(call.Args, &ir.Local{At: at, Var: params[i]})
	}
	var body []ir.Stmt
	if note := forwards(fun); note != nil {
		body = append(body, note)
	}
	if fun.Typ.NumOut() > 0 {
		body = append(body, &ir.Return{At: at, Results: []ir.Expr{call}})
	} else {
		body = append(body, &ir.ExprStmt{At: at, X: call})
	}
	return &ir.Func{
		Name: fun.Name, Params: params, Variadic: fun.Variadic, Typ: fun.Typ, Body: body,
		Pos: at.Pos(),
	}
}

// forwards is what a function that only calls fun says first, if fun calls recover.
func forwards(fun *ir.Func) ir.Stmt {
	if len(fun.Body) == 0 {
		return nil
	}
	first, ok := fun.Body[0].(*ir.Define)
	if !ok {
		return nil
	}
	call, ok := first.Init.(*ir.Call)
	if !ok || !isRuntime(call.Fun, "Me") {
		return nil
	}
	return &ir.ExprStmt{At: call.At, X: &ir.Call{At: call.At, Fun: &ir.Extern{
		At: call.At, Pkg: ir.RuntimePkg, Name: "Forwards", Typ: reflect.TypeFor[func(bool)](),
	}, Args: []ir.Expr{&ir.Const{At: call.At, Typ: boolType, Val: constant.MakeBool(true)}}}}
}

// body emits the body of a function.
func (f *fn) body(list []ir.Stmt) *ast.BlockStmt {
	body := f.block(list)
	if len(f.slots) > 0 {
		start := f.name("start")
		top := append([]ast.Stmt{
			&ast.BranchStmt{Tok: token.GOTO, Label: ident(start, token.NoPos)},
		}, f.slots...)
		body.List = append(append(top, label(start, token.NoPos)), body.List...)
	}
	return body
}

// slot declares a variable at the top of the function, in code that is jumped over: each call of a
// function has all its variables with their zero values, and a declaration that runs only makes
// another one, which takes longer than what most of them are set to.
func (f *fn) slot(name string, t reflect.Type, pos token.Pos) {
	spec := &ast.ValueSpec{Names: []*ast.Ident{ident(name, pos)}, Type: f.typ(t)}
	f.slots = append(f.slots, &ast.DeclStmt{
		Decl: &ast.GenDecl{Tok: token.VAR, TokPos: pos, Specs: []ast.Spec{spec}},
	})
}

// block emits list as a block of its own.
func (f *fn) block(list []ir.Stmt) *ast.BlockStmt {
	return &ast.BlockStmt{List: f.collect(func() {
		for _, s := range list {
			f.stmt(s)
		}
	})}
}

// collect returns the statements that emit adds to the current block, without adding them.
func (f *fn) collect(emit func()) []ast.Stmt {
	out, marked, markedAt := f.out, f.marked, f.markedAt
	f.out, f.marked, f.markedAt = nil, token.NoPos, 0
	emit()
	list := f.out
	f.out, f.marked, f.markedAt = out, marked, markedAt
	return list
}

func (f *fn) add(s ...ast.Stmt) { f.out = append(f.out, s...) }

func ident(name string, pos token.Pos) *ast.Ident { return &ast.Ident{Name: name, NamePos: pos} }
