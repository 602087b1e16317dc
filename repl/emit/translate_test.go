package emit_test

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"testing"

	"halfnote/repl/ir"
	"halfnote/repl/rt"
)

// The standard library is type-checked from its source, once.
var std = importer.ForCompiler(token.NewFileSet(), "source", nil)

// A translator turns Go that is as plain as core into core. Captured variables must be pointers.
type translator struct {
	fset  *token.FileSet
	info  *types.Info
	types *rt.Types
	funcs map[types.Object]*ir.Func
	vars  map[types.Object]*ir.Var
	hosts map[string]any // functions that the test gives, by name
	sig   *types.Signature
	pkg   *types.Package
	boxed map[types.Object]bool // variables that are pointers in core
}

func translate(t testing.TB, fset *token.FileSet, ts *rt.Types, hosts map[string]any,
	src string) []*ir.Func {
	t.Helper()
	file, err := parser.ParseFile(fset, "case.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	tr := &translator{
		fset: fset, types: ts, hosts: hosts,
		info: &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
			Uses:       map[*ast.Ident]types.Object{},
			Selections: map[*ast.SelectorExpr]*types.Selection{},
			Implicits:  map[ast.Node]types.Object{},
		},
		funcs: map[types.Object]*ir.Func{}, vars: map[types.Object]*ir.Var{},
	}
	conf := types.Config{Importer: std}
	if tr.pkg, err = conf.Check("main", fset, []*ast.File{file}, tr.info); err != nil {
		t.Fatal(err)
	}
	tr.findBoxed(file)
	var list []*ir.Func
	for _, d := range file.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && hosts[fd.Name.Name] == nil {
			obj := tr.info.Defs[fd.Name]
			f := &ir.Func{Name: fd.Name.Name, Pos: fd.Pos(), Typ: tr.storage(obj.Type())}
			tr.funcs[obj] = f
			list = append(list, f)
		}
	}
	for _, d := range file.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && hosts[fd.Name.Name] == nil {
			obj := tr.info.Defs[fd.Name]
			tr.body(tr.funcs[obj], obj.Type().(*types.Signature), fd.Body)
		}
	}
	return list
}

func (tr *translator) fail(n ast.Node, format string, args ...any) {
	panic(fmt.Sprintf("%s: %s", tr.fset.Position(n.Pos()), fmt.Sprintf(format, args...)))
}

func (tr *translator) storage(t types.Type) reflect.Type {
	r, err := tr.types.Storage(t)
	if err != nil {
		panic(err)
	}
	return r
}

func (tr *translator) body(f *ir.Func, sig *types.Signature, body *ast.BlockStmt) {
	before := tr.sig
	tr.sig = sig
	f.Variadic = sig.Variadic()
	for p := range sig.Params().Variables() {
		if p.Name() == "" || p.Name() == "_" {
			f.Params = append(f.Params, nil)
			continue
		}
		if !tr.boxed[p] {
			f.Params = append(f.Params, tr.declare(p))
			continue
		}
		v := &ir.Var{Name: p.Name(), Typ: tr.storage(p.Type())}
		f.Params = append(f.Params, v)
		f.Body = append(f.Body, tr.defined(p, &ir.Local{Var: v}, 0)...)
	}
	f.Body = append(f.Body, tr.stmts(body.List)...)
	tr.sig = before
}

func (tr *translator) declare(obj types.Object) *ir.Var {
	if obj == nil {
		return nil
	}
	v := &ir.Var{Name: obj.Name(), Typ: tr.storage(obj.Type())}
	if tr.boxed[obj] {
		v.Typ = reflect.PointerTo(v.Typ)
	}
	tr.vars[obj] = v
	return v
}

// findBoxed finds the variables that closures capture or whose address is taken.
func (tr *translator) findBoxed(file *ast.File) {
	tr.boxed = map[types.Object]bool{}
	var addressed func(e ast.Expr)
	addressed = func(e ast.Expr) {
		switch e := ast.Unparen(e).(type) {
		case *ast.Ident:
			if v, ok := tr.info.Uses[e].(*types.Var); ok {
				tr.boxed[v] = true
			}
		case *ast.SelectorExpr:
			if _, ok := tr.typeOf(e.X).Underlying().(*types.Pointer); !ok {
				addressed(e.X)
			}
		case *ast.IndexExpr:
			if _, ok := tr.typeOf(e.X).Underlying().(*types.Array); ok {
				addressed(e.X)
			}
		}
	}
	var fns []ast.Node
	ast.PreorderStack(file, nil, func(n ast.Node, stack []ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				addressed(n.X)
			}
		case *ast.SliceExpr:
			if _, ok := tr.typeOf(n.X).Underlying().(*types.Array); ok {
				addressed(n.X)
			}
		case *ast.SelectorExpr:
			if sel := tr.info.Selections[n]; sel != nil && sel.Kind() == types.MethodVal {
				recv := sel.Obj().(*types.Func).Signature().Recv().Type()
				_, toPointer := recv.(*types.Pointer)
				_, isPointer := sel.Recv().(*types.Pointer)
				if toPointer && !isPointer {
					addressed(n.X)
				}
			}
		case *ast.Ident:
			v, ok := tr.info.Uses[n].(*types.Var)
			if !ok {
				return true
			}
			fns = fns[:0]
			for _, s := range stack {
				if lit, ok := s.(*ast.FuncLit); ok {
					fns = append(fns, lit)
				}
			}
			for _, lit := range fns {
				if v.Pos() < lit.Pos() || v.Pos() > lit.End() {
					tr.boxed[v] = true
				}
			}
		}
		return true
	})
}

// defined declares obj with the value init.
func (tr *translator) defined(obj types.Object, init ir.Expr, at ir.At) []ir.Stmt {
	v := tr.declare(obj)
	if !tr.boxed[obj] {
		return []ir.Stmt{&ir.Define{At: at, Var: v, Init: init}}
	}
	made := &ir.Builtin{At: at, Op: "new", Typ: v.Typ}
	out := []ir.Stmt{&ir.Define{At: at, Var: v, Init: made}}
	box := &ir.Deref{At: at, X: &ir.Local{At: at, Var: v}}
	return append(out, &ir.Assign{At: at, Lhs: box, Rhs: init})
}

func (tr *translator) define(e ast.Expr) *ir.Var {
	id := e.(*ast.Ident)
	if id.Name == "_" {
		return nil
	}
	return tr.declare(tr.info.Defs[id])
}

func (tr *translator) typeOf(e ast.Expr) types.Type { return tr.info.TypeOf(e) }

// conv is e as a value of type t.
func (tr *translator) conv(e ast.Expr, t types.Type) ir.Expr {
	from := tr.typeOf(e)
	x := tr.expr(e)
	if b, ok := from.(*types.Basic); ok && b.Kind() == types.UntypedNil {
		return &ir.Zero{At: ir.At(e.Pos()), Typ: tr.storage(t)}
	}
	r := tr.storage(t)
	if r.Kind() == reflect.Interface && x.Type() != r {
		return &ir.Iface{At: ir.At(e.Pos()), Typ: r, X: x}
	}
	if x.Type() != r && x.Type() != nil {
		return &ir.Convert{At: ir.At(e.Pos()), Typ: r, X: x}
	}
	return x
}

func (tr *translator) stmts(list []ast.Stmt) []ir.Stmt {
	var out []ir.Stmt
	for _, s := range list {
		out = append(out, tr.stmt(s, "")...)
	}
	return out
}

func (tr *translator) stmt(s ast.Stmt, label string) []ir.Stmt {
	if s == nil {
		return nil
	}
	at := ir.At(s.Pos())
	one := func(s ir.Stmt) []ir.Stmt { return []ir.Stmt{s} }
	switch s := s.(type) {
	case *ast.EmptyStmt:
		return nil
	case *ast.ExprStmt:
		return one(&ir.ExprStmt{At: at, X: tr.expr(s.X)})
	case *ast.BlockStmt:
		return one(&ir.Block{At: at, Body: tr.stmts(s.List)})
	case *ast.AssignStmt:
		return tr.assign(s)
	case *ast.IncDecStmt:
		op := token.ADD
		if s.Tok == token.DEC {
			op = token.SUB
		}
		x := tr.expr(s.X)
		one := &ir.Const{At: at, Typ: x.Type(), Val: constant.MakeInt64(1)}
		return []ir.Stmt{&ir.Assign{At: at, Lhs: x, Rhs: &ir.Binary{At: at, Op: op, X: x, Y: one}}}
	case *ast.DeclStmt:
		return tr.decl(s.Decl.(*ast.GenDecl))
	case *ast.SendStmt:
		elem := tr.typeOf(s.Chan).Underlying().(*types.Chan).Elem()
		return one(&ir.Send{At: at, Chan: tr.expr(s.Chan), X: tr.conv(s.Value, elem)})
	case *ast.IfStmt:
		out := tr.stmt(s.Init, "")
		i := &ir.If{At: at, Cond: tr.expr(s.Cond), Then: tr.stmts(s.Body.List)}
		if s.Else != nil {
			i.Else = tr.stmt(s.Else, "")
		}
		return one(&ir.Block{At: at, Body: append(out, i)})
	case *ast.ForStmt:
		out := tr.stmt(s.Init, "")
		l := &ir.Loop{At: at, Label: label}
		if s.Cond != nil {
			l.Cond = tr.expr(s.Cond)
		}
		l.Body = tr.stmts(s.Body.List)
		l.Post = tr.stmt(s.Post, "")
		return one(&ir.Block{At: at, Body: append(out, l)})
	case *ast.RangeStmt:
		r := &ir.Range{At: at, Label: label, X: tr.expr(s.X)}
		r.Key = tr.rangeVar(s.Key, r)
		r.Value = tr.rangeVar(s.Value, r)
		r.Body = append(r.Body, tr.stmts(s.Body.List)...)
		return one(r)
	case *ast.SwitchStmt:
		init := tr.stmt(s.Init, "")
		sw := &ir.Switch{At: at, Label: label, Tag: tr.expr(s.Tag)}
		for _, c := range s.Body.List {
			cc := c.(*ast.CaseClause)
			clause := ir.Clause{Body: tr.stmts(cc.Body)}
			for _, e := range cc.List {
				n, _ := constant.Int64Val(tr.info.Types[e].Value)
				clause.Values = append(clause.Values, int(n))
			}
			sw.Clauses = append(sw.Clauses, clause)
		}
		return append(init, sw)
	case *ast.SelectStmt:
		sel := &ir.Select{At: at, Label: label}
		for _, c := range s.Body.List {
			sel.Clauses = append(sel.Clauses, tr.comm(c.(*ast.CommClause)))
		}
		return one(sel)
	case *ast.LabeledStmt:
		switch s.Stmt.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.SelectStmt:
			return tr.stmt(s.Stmt, s.Label.Name)
		}
		return append(one(&ir.Label{At: at, Name: s.Label.Name}), tr.stmt(s.Stmt, "")...)
	case *ast.BranchStmt:
		name := ""
		if s.Label != nil {
			name = s.Label.Name
		}
		switch s.Tok {
		case token.BREAK:
			return one(&ir.Break{At: at, Label: name})
		case token.CONTINUE:
			return one(&ir.Continue{At: at, Label: name})
		case token.GOTO:
			return one(&ir.Goto{At: at, Label: name})
		}
	case *ast.ReturnStmt:
		r := &ir.Return{At: at}
		if len(s.Results) == 1 && tr.sig.Results().Len() > 1 {
			r.Results = []ir.Expr{tr.expr(s.Results[0])}
			return one(r)
		}
		for i, e := range s.Results {
			r.Results = append(r.Results, tr.conv(e, tr.sig.Results().At(i).Type()))
		}
		return one(r)
	}
	tr.fail(s, "statement %T", s)
	return nil
}

// rangeVar declares a variable of r, with a copy in the body if it must be a pointer.
func (tr *translator) rangeVar(e ast.Expr, r *ir.Range) *ir.Var {
	if e == nil || e.(*ast.Ident).Name == "_" {
		return nil
	}
	obj := tr.info.Defs[e.(*ast.Ident)]
	if !tr.boxed[obj] {
		return tr.declare(obj)
	}
	v := &ir.Var{Name: "r", Typ: tr.storage(obj.Type())}
	r.Body = append(r.Body, tr.defined(obj, &ir.Local{At: r.At, Var: v}, r.At)...)
	return v
}

func (tr *translator) comm(c *ast.CommClause) ir.Comm {
	comm := ir.Comm{At: ir.At(c.Pos())}
	switch s := c.Comm.(type) {
	case nil:
	case *ast.SendStmt:
		comm.Chan = tr.expr(s.Chan)
		comm.Send = tr.conv(s.Value, tr.typeOf(s.Chan).Underlying().(*types.Chan).Elem())
	case *ast.ExprStmt:
		comm.Chan = tr.expr(s.X.(*ast.UnaryExpr).X)
	case *ast.AssignStmt:
		comm.Chan = tr.expr(s.Rhs[0].(*ast.UnaryExpr).X)
		comm.Value = tr.define(s.Lhs[0])
		if len(s.Lhs) > 1 {
			comm.Ok = tr.define(s.Lhs[1])
		}
	}
	comm.Body = tr.stmts(c.Body)
	return comm
}

func (tr *translator) decl(d *ast.GenDecl) []ir.Stmt {
	var out []ir.Stmt
	for _, spec := range d.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok || d.Tok == token.CONST {
			continue
		}
		for i, name := range v.Names {
			obj := tr.info.Defs[name]
			at := ir.At(name.Pos())
			var init ir.Expr = &ir.Zero{At: at, Typ: tr.storage(obj.Type())}
			if i < len(v.Values) {
				init = tr.conv(v.Values[i], obj.Type())
			}
			out = append(out, tr.defined(obj, init, at)...)
		}
	}
	return out
}

func (tr *translator) assign(s *ast.AssignStmt) []ir.Stmt {
	at := ir.At(s.Pos())
	switch {
	case len(s.Lhs) > 1 && len(s.Rhs) == 1 && s.Tok == token.DEFINE:
		x := tr.expr(s.Rhs[0])
		many := &ir.DefineMany{At: at, X: x}
		out := []ir.Stmt{many}
		for _, e := range s.Lhs {
			obj := tr.info.Defs[e.(*ast.Ident)]
			if !tr.boxed[obj] {
				many.Vars = append(many.Vars, tr.define(e))
				continue
			}
			v := &ir.Var{Name: "m", Typ: tr.storage(obj.Type())}
			many.Vars = append(many.Vars, v)
			out = append(out, tr.defined(obj, &ir.Local{At: at, Var: v}, at)...)
		}
		return out
	case len(s.Lhs) != 1 || len(s.Rhs) != 1:
		tr.fail(s, "assignment of several values")
	case s.Tok == token.DEFINE:
		obj := tr.info.Defs[s.Lhs[0].(*ast.Ident)]
		x := tr.conv(s.Rhs[0], obj.Type())
		return tr.defined(obj, x, at)
	case s.Tok == token.ASSIGN:
		if id, ok := s.Lhs[0].(*ast.Ident); ok && id.Name == "_" {
			return []ir.Stmt{&ir.ExprStmt{At: at, X: tr.expr(s.Rhs[0])}}
		}
		lhs := tr.expr(s.Lhs[0])
		return []ir.Stmt{&ir.Assign{At: at, Lhs: lhs, Rhs: tr.conv(s.Rhs[0], tr.typeOf(s.Lhs[0]))}}
	}
	op := s.Tok - token.ADD_ASSIGN + token.ADD
	x := tr.expr(s.Lhs[0])
	result := &ir.Binary{At: at, Op: op, X: x, Y: tr.expr(s.Rhs[0])}
	return []ir.Stmt{&ir.Assign{At: at, Lhs: x, Rhs: result}}
}

func (tr *translator) exprs(list []ast.Expr) []ir.Expr {
	var out []ir.Expr
	for _, e := range list {
		out = append(out, tr.expr(e))
	}
	return out
}

func (tr *translator) expr(e ast.Expr) ir.Expr {
	at := ir.At(e.Pos())
	tv := tr.info.Types[e]
	if tv.Value != nil {
		return &ir.Const{At: at, Typ: tr.storage(tv.Type), Val: tv.Value}
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return tr.expr(e.X)
	case *ast.Ident:
		return tr.ident(e)
	case *ast.FuncLit:
		f := &ir.Func{Name: "lit", Pos: e.Pos(), Typ: tr.storage(tv.Type)}
		tr.body(f, tv.Type.(*types.Signature), e.Body)
		return &ir.Closure{At: at, Fn: f, Captures: ir.Free(f)}
	case *ast.CompositeLit:
		return tr.composite(e)
	case *ast.SelectorExpr:
		return tr.selector(e)
	case *ast.IndexExpr:
		x := tr.expr(e.X)
		if m, ok := tr.typeOf(e.X).Underlying().(*types.Map); ok {
			return &ir.Index{At: at, X: x, I: tr.conv(e.Index, m.Key())}
		}
		return &ir.Index{At: at, X: x, I: tr.expr(e.Index)}
	case *ast.SliceExpr:
		s := &ir.Slice{At: at, X: tr.expr(e.X), Typ: tr.storage(tv.Type)}
		if _, ok := tr.typeOf(e.X).Underlying().(*types.Array); ok {
			s.X = &ir.Addr{At: at, X: s.X, Typ: reflect.PointerTo(s.X.Type())}
		}
		for i, x := range []ast.Expr{e.Low, e.High, e.Max} {
			if x != nil {
				*[]*ir.Expr{&s.Lo, &s.Hi, &s.Max}[i] = tr.expr(x)
			}
		}
		return s
	case *ast.StarExpr:
		return &ir.Deref{At: at, X: tr.expr(e.X)}
	case *ast.UnaryExpr:
		switch e.Op {
		case token.AND:
			return &ir.Addr{At: at, X: tr.expr(e.X), Typ: tr.storage(tv.Type)}
		case token.ARROW:
			return &ir.Recv{At: at, X: tr.expr(e.X)}
		}
		return &ir.Unary{At: at, Op: e.Op, X: tr.expr(e.X)}
	case *ast.BinaryExpr:
		if tr.info.Types[e.Y].IsNil() {
			return &ir.Binary{At: at, Op: e.Op, X: tr.expr(e.X), Y: tr.conv(e.Y, tr.typeOf(e.X))}
		}
		return &ir.Binary{At: at, Op: e.Op, X: tr.expr(e.X), Y: tr.expr(e.Y)}
	case *ast.TypeAssertExpr:
		return &ir.Assert{At: at, X: tr.expr(e.X), Typ: tr.storage(tr.typeOf(e.Type))}
	case *ast.CallExpr:
		return tr.call(e)
	}
	tr.fail(e, "expression %T", e)
	return nil
}

func (tr *translator) ident(e *ast.Ident) ir.Expr {
	at := ir.At(e.Pos())
	switch obj := tr.info.Uses[e].(type) {
	case *types.Nil:
		return &ir.Zero{At: at, Typ: reflect.TypeFor[any]()}
	case *types.Func:
		if h := tr.hosts[obj.Name()]; h != nil {
			return &ir.Extern{At: at, Pkg: ir.SessionPkg, Name: obj.Name(), Typ: reflect.TypeOf(h),
				Value: reflect.ValueOf(h)}
		}
		return &ir.FuncRef{At: at, Func: tr.funcs[obj]}
	case *types.Var:
		if v := tr.vars[obj]; v != nil {
			if tr.boxed[obj] {
				return &ir.Deref{At: at, X: &ir.Local{At: at, Var: v}}
			}
			return &ir.Local{At: at, Var: v}
		}
	}
	tr.fail(e, "identifier %s", e.Name)
	return nil
}

func (tr *translator) selector(e *ast.SelectorExpr) ir.Expr {
	at := ir.At(e.Pos())
	sel := tr.info.Selections[e]
	if sel == nil {
		obj := tr.info.Uses[e.Sel]
		path := obj.Pkg().Path()
		v := symbols[path+"."+obj.Name()]
		if !v.IsValid() {
			tr.fail(e, "no symbol")
		}
		x := &ir.Extern{At: at, Pkg: path, Name: obj.Name(), Typ: v.Type()}
		if _, ok := obj.(*types.Var); ok {
			x.Typ = reflect.PointerTo(v.Type())
			return &ir.Deref{At: at, X: x}
		}
		return x
	}
	x := tr.expr(e.X)
	if sel.Kind() == types.MethodVal {
		return &ir.Method{At: at, X: x, Name: e.Sel.Name, Typ: tr.storage(sel.Type())}
	}
	for _, i := range sel.Index() {
		x = &ir.Field{At: at, X: x, I: i}
	}
	return x
}

func (tr *translator) composite(e *ast.CompositeLit) ir.Expr {
	t := tr.typeOf(e)
	if p, ok := t.Underlying().(*types.Pointer); ok { // &T elided in a list
		return &ir.Addr{At: ir.At(e.Pos()), X: tr.compositeOf(e, p.Elem()), Typ: tr.storage(t)}
	}
	return tr.compositeOf(e, t)
}

func (tr *translator) compositeOf(e *ast.CompositeLit, t types.Type) ir.Expr {
	c := &ir.Composite{At: ir.At(e.Pos()), Typ: tr.storage(t)}
	for i, x := range e.Elts {
		kv, keyed := x.(*ast.KeyValueExpr)
		if keyed {
			x = kv.Value
		}
		switch u := t.Underlying().(type) {
		case *types.Struct:
			if keyed {
				for i = range u.NumFields() {
					if u.Field(i).Name() == kv.Key.(*ast.Ident).Name {
						break
					}
				}
				index := constant.MakeInt64(int64(i))
				c.Keys = append(c.Keys, &ir.Const{Typ: reflect.TypeFor[int](), Val: index})
			}
			c.Elems = append(c.Elems, tr.conv(x, u.Field(i).Type()))
		case *types.Map:
			c.Keys = append(c.Keys, tr.conv(kv.Key, u.Key()))
			c.Elems = append(c.Elems, tr.conv(x, u.Elem()))
		case interface{ Elem() types.Type }:
			if keyed {
				for len(c.Keys) < i {
					c.Keys = append(c.Keys, nil)
				}
				c.Keys = append(c.Keys, tr.expr(kv.Key))
			} else if c.Keys != nil {
				c.Keys = append(c.Keys, nil)
			}
			c.Elems = append(c.Elems, tr.conv(x, u.Elem()))
		}
	}
	return c
}

func (tr *translator) call(e *ast.CallExpr) ir.Expr {
	at := ir.At(e.Pos())
	tv := tr.info.Types[e.Fun]
	if tv.IsType() {
		if types.IsInterface(tv.Type) {
			return tr.conv(e.Args[0], tv.Type)
		}
		if tr.info.Types[e.Args[0]].IsNil() {
			return &ir.Zero{At: at, Typ: tr.storage(tv.Type)}
		}
		x := tr.expr(e.Args[0])
		if x.Type() == tr.storage(tv.Type) {
			return x
		}
		return &ir.Convert{At: at, Typ: tr.storage(tv.Type), X: x}
	}
	if tv.IsBuiltin() {
		return tr.builtin(e)
	}
	sig := tv.Type.Underlying().(*types.Signature)
	c := &ir.Call{At: at, Fun: tr.expr(e.Fun), Spread: e.Ellipsis.IsValid()}
	if len(e.Args) == 1 {
		if _, ok := tr.typeOf(e.Args[0]).(*types.Tuple); ok {
			c.Args = tr.exprs(e.Args)
			return c
		}
	}
	for i, a := range e.Args {
		t := sig.Params().At(min(i, sig.Params().Len()-1)).Type()
		if sig.Variadic() && i >= sig.Params().Len()-1 && !c.Spread {
			t = t.(*types.Slice).Elem()
		}
		c.Args = append(c.Args, tr.conv(a, t))
	}
	return c
}

func (tr *translator) builtin(e *ast.CallExpr) ir.Expr {
	at := ir.At(e.Pos())
	op := ast.Unparen(e.Fun).(*ast.Ident).Name
	b := &ir.Builtin{At: at, Op: op, Spread: e.Ellipsis.IsValid()}
	if t := tr.typeOf(e); t != nil && !tr.info.Types[e].IsVoid() {
		b.Typ = tr.storage(t)
	}
	args := e.Args
	switch op {
	case "make", "new":
		args = args[1:]
		if op == "new" {
			args = nil
		}
	case "append":
		b.Args = append(b.Args, tr.expr(args[0]))
		elem := tr.typeOf(args[0]).Underlying().(*types.Slice).Elem()
		for _, a := range args[1:] {
			if b.Spread {
				b.Args = append(b.Args, tr.expr(a))
				continue
			}
			b.Args = append(b.Args, tr.conv(a, elem))
		}
		return b
	case "panic":
		x := tr.conv(args[0], types.NewInterfaceType(nil, nil))
		f := &ir.Extern{At: at, Pkg: ir.RuntimePkg, Name: "Panic", Typ: reflect.TypeFor[func(any)]()}
		return &ir.Call{At: at, Fun: f, Args: []ir.Expr{x}}
	case "delete":
		m := tr.typeOf(args[0]).Underlying().(*types.Map)
		b.Args = []ir.Expr{tr.expr(args[0]), tr.conv(args[1], m.Key())}
		return b
	case "min", "max", "complex":
		for _, a := range args {
			x := tr.expr(a)
			if c, ok := x.(*ir.Const); ok && op != "complex" {
				c.Typ = b.Typ
			}
			b.Args = append(b.Args, x)
		}
		return b
	}
	b.Args = tr.exprs(args)
	return b
}
