package emit

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"reflect"
	"unsafe"

	"halfnote/repl/ir"
)

// This file emits expressions. There are three ways to ask for one:
//
//	expr    an operand of a larger expression, of exactly the type that core says
//	value   what is assigned, passed, sent or returned: where the destination is an interface,
//	        a value of its own type, and nil where core has a zero pointer
//	simple  a variable or a constant, for places where yaegi keeps references or types

// expr emits x as an operand.
func (f *fn) expr(x ir.Expr) ast.Expr {
	switch x := x.(type) {
	case *ir.Const:
		if x.Typ.Kind() == reflect.UnsafePointer {
			address := &ir.Const{At: x.At, Typ: reflect.TypeFor[uintptr](), Val: x.Val}
			return f.unsafeConversion(&ir.Convert{At: x.At, Typ: x.Typ, X: address})
		}
		return f.constant(x)
	case *ir.Zero:
		return f.zero(x)
	case *ir.Local:
		return f.local(x.Var, x.Pos())
	case *ir.Extern:
		return f.extern(x)
	case *ir.FuncRef:
		return f.funcValue(x.Func, x.Pos())
	case *ir.Closure:
		return f.closure(f.name(cmp.Or(x.Fn.Name, "func")), x.Fn, x.Captures)
	case *ir.Call:
		return f.call(x)
	case *ir.Method:
		return f.methodValue(x)
	case *ir.Builtin:
		return f.builtin(x)
	case *ir.Field:
		return f.fieldOf(x)
	case *ir.Index:
		return f.index(x)
	case *ir.Slice:
		return f.slice(x)
	case *ir.Deref:
		return f.deref(x)
	case *ir.Addr:
		return f.addr(x)
	case *ir.Unary:
		return f.unary(x)
	case *ir.Binary:
		return f.binary(x)
	case *ir.Convert:
		return f.convert(x)
	case *ir.Iface:
		return f.iface(x)
	case *ir.Assert:
		return f.assert(x)
	case *ir.Recv:
		return f.recv(x)
	case *ir.Composite:
		return f.composite(x)
	}
	fail("expression %T", x)
	return nil
}

// value emits x for a destination that has x's type.
func (f *fn) value(x ir.Expr) ast.Expr {
	if i, ok := x.(*ir.Iface); ok && !interfaceToInterface(i) {
		// A destination of interface type takes over the type of what is computed into it:
		//
		//	var a interface{} = x + y // typed by a, not by x
		//	a = T{}                   // a becomes a T
		return f.simple(i.X)
	}
	return f.expr(x)
}

// nilOr emits x for a destination that has x's type and may be given nil, but for an interface type
// with methods: yaegi looks for the methods of nil.
//
//	r = nil // of type io.Reader: nil dereference
func (f *fn) nilOr(x ir.Expr) ast.Expr {
	if z, ok := x.(*ir.Zero); ok && nilable(z.Typ) && !hasMethods(z.Typ) {
		return ident("nil", z.Pos())
	}
	return f.value(x)
}

// simple emits x as a variable or a constant.
func (f *fn) simple(x ir.Expr) ast.Expr {
	switch x := x.(type) {
	case *ir.Local, *ir.Const:
		return f.expr(x)
	case *ir.Zero:
		return f.zero(x)
	}
	v := f.value(x)
	if id, ok := v.(*ast.Ident); ok {
		if _, call := x.(*ir.Call); call {
			return id // the result of a function that is written out
		}
	}
	return f.temp(x.Type(), v, x.Pos())
}

// temp declares a new variable of type t with the value init, or zero if that is nil.
func (f *fn) temp(t reflect.Type, init ast.Expr, pos token.Pos) *ast.Ident {
	name := f.name("t")
	f.add(f.variable(name, t, init, pos))
	return ident(name, pos)
}

// variable declares a variable with its type spelled out, so that yaegi does not infer one.
func (f *fn) variable(name string, t reflect.Type, init ast.Expr, pos token.Pos) ast.Stmt {
	if assignable(t, init) {
		f.slot(name, t, pos)
		return assign(ident(name, pos), init)
	}
	spec := &ast.ValueSpec{Names: []*ast.Ident{ident(name, pos)}, Type: f.typ(t)}
	if init != nil {
		spec.Values = []ast.Expr{init}
	}
	return &ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR, TokPos: pos, Specs: []ast.Spec{spec}}}
}

// assignable reports whether a variable of type t can as well be assigned init as be declared with
// it; see assign for what yaegi gets wrong.
func assignable(t reflect.Type, init ast.Expr) bool {
	if !slotted(t) {
		return false
	}
	switch x := init.(type) {
	case *ast.Ident:
		return x.Name != "nil"
	case *ast.BinaryExpr:
		return x.Op != token.LAND && x.Op != token.LOR
	case *ast.IndexExpr, *ast.SelectorExpr, *ast.StarExpr, *ast.CallExpr:
		return true
	}
	return false
}

// slotted reports whether variables of type t can be declared at the top of their function.
func slotted(t reflect.Type) bool {
	k := t.Kind()
	return k != reflect.Func && k != reflect.Interface && k != reflect.Chan
}

// list emits operands that are evaluated together. When one needs statements of its own before,
// those before it are put in variables first, so that the order stays.
func (f *fn) list(xs []ir.Expr, emit func(ir.Expr) ast.Expr) []ast.Expr {
	results := make([]ast.Expr, len(xs))
	kept := 0 // operands before this one are safe
	for i, x := range xs {
		if x == nil {
			continue
		}
		var result ast.Expr
		before := f.collect(func() { result = emit(x) })
		if len(before) > 0 {
			f.keep(xs[kept:i], results[kept:i])
			kept = i
			f.add(before...)
		}
		results[i] = result
	}
	return results
}

// keep puts what was emitted for the operands xs in variables.
func (f *fn) keep(xs []ir.Expr, emitted []ast.Expr) {
	for i, x := range xs {
		_, variable := emitted[i].(*ast.Ident)
		if x != nil && !variable && !stable(x) {
			emitted[i] = f.temp(valueType(x), emitted[i], x.Pos())
		}
	}
}

// valueType returns the type of what value made of x.
func valueType(x ir.Expr) reflect.Type {
	if i, ok := x.(*ir.Iface); ok && !interfaceToInterface(i) {
		return i.X.Type()
	}
	return x.Type()
}

// stable reports whether x has the same value before and after any other expression.
func stable(x ir.Expr) bool {
	switch x := x.(type) {
	case *ir.Const, *ir.Zero, *ir.Local, *ir.Extern, *ir.FuncRef, *ir.Closure:
		return true
	case *ir.Iface:
		return stable(x.X)
	}
	return false
}

func nilable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Chan, reflect.Func, reflect.Interface,
		reflect.UnsafePointer:
		return true
	}
	return false
}

func hasMethods(t reflect.Type) bool {
	return t.Kind() == reflect.Interface && t.NumMethod() > 0
}

func (f *fn) zero(x *ir.Zero) ast.Expr {
	if c := zeroConst(x); c != nil {
		return f.constant(c)
	}
	return f.temp(x.Typ, nil, x.Pos())
}

// zeroConst returns the zero value of a basic type.
func zeroConst(x *ir.Zero) *ir.Const {
	c := &ir.Const{At: x.At, Typ: x.Typ}
	switch k := x.Typ.Kind(); {
	case k == reflect.Bool:
		c.Val = constant.MakeBool(false)
	case k == reflect.String:
		c.Val = constant.MakeString("")
	case k >= reflect.Int && k <= reflect.Complex128:
		c.Val = constant.MakeInt64(0)
	default:
		return nil
	}
	return c
}

func (f *fn) extern(x *ir.Extern) ast.Expr {
	if x.Value.IsValid() {
		if x.Value.Kind() == reflect.Pointer && x.Value.IsNil() {
			fail("%s.%s is a nil pointer", x.Pkg, x.Name) // yaegi would take it for a type
		}
		var key any = x
		if x.Value.Kind() == reflect.Pointer {
			key = x.Value.UnsafePointer()
		}
		return f.symbol(valueKey{key, x.Typ}, x.Value, x.Pos())
	}
	if x.Pkg == "fmt" {
		// yaegi puts its own fmt.Print, Printf and Println in place of ours.
		switch x.Name {
		case "Print", "Printf", "Println":
			return f.runtime(x.Name, x.Pos())
		}
	}
	if x.Typ.Kind() == reflect.Pointer {
		return &ast.UnaryExpr{Op: token.AND, OpPos: x.Pos(), X: f.member(x.Pkg, x.Name, x.Pos())}
	}
	return f.member(x.Pkg, x.Name, x.Pos())
}

// valueKey tells apart the pointers to a struct and to its first field.
type valueKey struct {
	key any
	typ reflect.Type
}

// deref emits *x. A package's variable is put in a variable of its own, because yaegi takes the
// symbol for a constant and folds pkg.A + pkg.B when it compiles.
func (f *fn) deref(x *ir.Deref) ast.Expr {
	switch p := x.X.(type) {
	case *ir.Extern:
		if !p.Value.IsValid() {
			return f.temp(x.Type(), f.member(p.Pkg, p.Name, p.Pos()), x.Pos())
		}
	case *ir.Addr:
		return f.expr(p.X)
	}
	return &ast.StarExpr{Star: x.Pos(), X: f.expr(x.X)}
}

func (f *fn) fieldOf(x *ir.Field) ast.Expr {
	t := x.X.Type()
	owner := x.X
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	} else if d, ok := owner.(*ir.Deref); ok {
		if p, ok := d.X.(*ir.Extern); !ok || p.Value.IsValid() {
			owner = d.X // p.f reads through p
		}
	}
	return &ast.SelectorExpr{X: f.operand(owner), Sel: ident(t.Field(x.I).Name, x.Pos())}
}

// operand emits what is selected from, indexed or sliced: yaegi cannot select from every form, and
// takes the element of a pointer to an array for the array, where its type is compiled:
//
//	(*pkg.P)[0] // of type [2]int
func (f *fn) operand(x ir.Expr) ast.Expr {
	if t := x.Type(); t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Array {
		return f.simple(x)
	}
	switch x := x.(type) {
	case *ir.Deref:
		if v := f.global(x); v != nil {
			return v
		}
		return f.expr(x)
	case *ir.Local, *ir.Field, *ir.Index, *ir.Extern, *ir.Call:
		return f.expr(x)
	}
	return f.simple(x)
}

// global returns the session variable x as a symbol, or nil. It is only for what is indexed or
// sliced: elsewhere yaegi takes it for a constant.
func (f *fn) global(x *ir.Deref) ast.Expr {
	p, ok := x.X.(*ir.Extern)
	if !ok || !p.Value.IsValid() || p.Value.Type() != p.Typ {
		return nil
	}
	switch x.Type().Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return f.symbol(globalKey{p.Value.UnsafePointer(), p.Typ}, p.Value.Elem(), x.Pos())
	}
	return nil
}

// globalKey tells a variable from the pointer to it.
type globalKey struct {
	key unsafe.Pointer
	typ reflect.Type
}

// index emits x[i]. An array stays where it is while i is evaluated: this may be assigned to. Where
// yaegi knows a pointer to an array by reflect alone, it takes the elements for arrays, so that the
// pointer is followed:
//
//	type T [2]*T
//	func f(p *T) bool { return p[0] == p } // mismatched types [2]*T and *[2]*T
func (f *fn) index(x *ir.Index) ast.Expr {
	from := x.X
	if t := from.Type(); t.Kind() == reflect.Pointer && symbolic(t) {
		from = &ir.Deref{At: x.At, X: from}
	}
	switch from.(type) {
	case *ir.Deref, *ir.Field, *ir.Index:
		if from.Type().Kind() != reflect.Array {
			break
		}
		var i ast.Expr
		before := f.collect(func() { i = f.expr(x.I) })
		if len(before) > 0 {
			from = f.pinned(from)
			f.add(before...)
		}
		return &ast.IndexExpr{X: f.operand(from), Index: i}
	}
	list := f.list([]ir.Expr{from, x.I}, func(y ir.Expr) ast.Expr {
		if y == from {
			return f.operand(y)
		}
		return f.expr(y)
	})
	return &ast.IndexExpr{X: list[0], Index: list[1]}
}

// slice emits x[lo:hi:max]. Arrays are sliced through a pointer. Where yaegi knows their type by
// reflect alone, it takes the slice for the array, so a compiled function slices all of it before:
//
//	type T [1][]T
//	var s [][]T = p[:] // cannot use type [1][]T; p is a *T
func (f *fn) slice(x *ir.Slice) ast.Expr {
	array := x.X
	if d, ok := array.(*ir.Deref); ok && d.Type().Kind() == reflect.Array {
		array = d.X
	}
	list := f.list([]ir.Expr{array, x.Lo, x.Hi, x.Max}, func(y ir.Expr) ast.Expr {
		switch {
		case y == array && pointsToSymbol(y.Type()):
			all := &ast.CallExpr{Fun: f.runtime("Elements", x.Pos()), Args: []ast.Expr{f.simple(y)}}
			list := f.temp(anyType, all, x.Pos())
			return f.temp(x.Typ, &ast.TypeAssertExpr{X: list, Type: f.typ(x.Typ)}, x.Pos())
		case y == array:
			return f.operand(y)
		}
		return f.expr(y)
	})
	return &ast.SliceExpr{
		X: list[0], Low: list[1], High: list[2], Max: list[3], Slice3: x.Max != nil,
	}
}

// pointsToSymbol reports whether t is a pointer to a type that is a symbol of the session.
func pointsToSymbol(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer && (t.Elem().Name() != "" || recursive(t.Elem(), t.Elem(), nil))
}

// addr emits &x. yaegi rejects the address of an element of a pointer to array, and of an element
// of anything but a variable:
//
//	p := &pair[1] // cannot take address
func (f *fn) addr(x *ir.Addr) ast.Expr {
	and := func(y ast.Expr) ast.Expr {
		return &ast.UnaryExpr{Op: token.AND, OpPos: x.Pos(), X: y}
	}
	switch y := x.X.(type) {
	case *ir.Deref:
		p := f.simple(y.X)
		if f.maybeNil(y.X) {
			f.add(&ast.IfStmt{
				Cond: &ast.BinaryExpr{X: p, Op: token.EQL, Y: ast.NewIdent("nil")},
				Body: &ast.BlockStmt{List: []ast.Stmt{
					&ast.ExprStmt{X: &ast.CallExpr{Fun: f.runtime("NilPanic", x.Pos())}},
				}},
			})
		}
		return p
	case *ir.Field:
		return and(f.fieldOf(y))
	case *ir.Composite:
		if y.Typ.Kind() == reflect.Struct {
			return and(f.composite(y))
		}
		p := f.temp(x.Typ, newCall(f.typ(y.Typ)), x.Pos())
		f.add(assign(&ast.StarExpr{X: p}, f.simple(y)))
		return p
	case *ir.Index:
		base, t := y.X, y.X.Type()
		if d, ok := base.(*ir.Deref); ok && t.Kind() == reflect.Array {
			base, t = d.X, d.X.Type()
		}
		switch base.(type) {
		case *ir.Field, *ir.Index:
			if t.Kind() == reflect.Array {
				base = &ir.Addr{At: y.At, X: base, Typ: reflect.PointerTo(t)}
				t = base.Type()
			}
		}
		if t.Kind() == reflect.Pointer {
			base = &ir.Slice{At: y.At, X: base, Typ: reflect.SliceOf(t.Elem().Elem())}
		}
		list := f.list([]ir.Expr{base, y.I}, func(z ir.Expr) ast.Expr {
			if z == base {
				return f.simple(z)
			}
			return f.expr(z)
		})
		return and(&ast.IndexExpr{X: list[0], Index: list[1]})
	}
	fail("address of %T", x.X)
	return nil
}

func newCall(t ast.Expr) ast.Expr {
	return &ast.CallExpr{Fun: ast.NewIdent("new"), Args: []ast.Expr{t}}
}

func assign(lhs, rhs ast.Expr) ast.Stmt {
	return &ast.AssignStmt{Lhs: []ast.Expr{lhs}, Tok: token.ASSIGN, Rhs: []ast.Expr{rhs}}
}

// recv emits <-x into a variable. yaegi forgets the destination where it is not a local variable,
// and a received bool as a condition:
//
//	*p = <-c  // *p stays
//	if <-c {} // reads the value before
func (f *fn) recv(x *ir.Recv) ast.Expr {
	return f.temp(x.Type(), &ast.UnaryExpr{Op: token.ARROW, OpPos: x.Pos(), X: f.channel(x.X)},
		x.Pos())
}

// channel emits a channel as a variable whose type is spelled out: for one whose type is compiled
// yaegi does not know the type of elements, and sending to it crashes the compiler.
func (f *fn) channel(x ir.Expr) ast.Expr {
	t := x.Type()
	c := f.simple(x)
	if !symbolic(t) {
		return c
	}
	spelled := reflect.ChanOf(t.ChanDir(), t.Elem())
	return f.temp(spelled, f.conversion(spelled, c), x.Pos())
}

// assert emits x.(T). yaegi panics where the value comes straight from compiled code and is an
// empty struct.
func (f *fn) assert(x *ir.Assert) ast.Expr {
	operand := f.simple
	if _, ok := x.X.(*ir.Call); ok && x.Typ.Kind() != reflect.Interface &&
		(x.Typ.Kind() != reflect.Struct || x.Typ.NumField() > 0) {
		operand = f.expr
	}
	return &ast.TypeAssertExpr{X: operand(x.X), Type: f.typ(x.Typ)}
}
