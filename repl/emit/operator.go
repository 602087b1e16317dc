package emit

import (
	"go/ast"
	"go/token"
	"reflect"

	"halfnote/repl/ir"
)

func (f *fn) unary(x *ir.Unary) ast.Expr {
	switch x.Op {
	case token.ADD:
		return f.expr(x.X)
	case token.NOT:
		return &ast.UnaryExpr{Op: token.NOT, OpPos: x.Pos(), X: f.cond(x.X)}
	}
	// The operand is a variable: yaegi folds symbols as constants.
	return &ast.UnaryExpr{Op: x.Op, OpPos: x.Pos(), X: f.variableOperand(x.X)}
}

// variableOperand emits x as an operand that yaegi does not take for a constant.
func (f *fn) variableOperand(x ir.Expr) ast.Expr {
	if isConst(x) {
		return f.temp(x.Type(), f.expr(x), x.Pos())
	}
	return f.expr(x)
}

func isConst(x ir.Expr) bool {
	switch x := x.(type) {
	case *ir.Const:
		return true
	case *ir.Zero:
		return zeroConst(x) != nil
	}
	return false
}

func (f *fn) binary(x *ir.Binary) ast.Expr {
	switch x.Op {
	case token.LAND, token.LOR:
		return f.logic(x)
	case token.SHL, token.SHR:
		return f.shift(x)
	case token.EQL, token.NEQ:
		if isNil(x.X) {
			x = &ir.Binary{At: x.At, Op: x.Op, X: x.Y, Y: x.X} // yaegi looks on the right
		}
		if isNil(x.Y) {
			return &ast.BinaryExpr{
				X: f.operand(x.X), Op: x.Op, OpPos: x.Pos(), Y: ident("nil", x.Pos()),
			}
		}
		if nilable(x.X.Type()) {
			return f.samePointer(x)
		}
	}
	first := x.X
	list := f.list([]ir.Expr{x.X, x.Y}, func(y ir.Expr) ast.Expr {
		if y == first && isConst(x.Y) {
			return f.variableOperand(y)
		}
		return f.expr(y)
	})
	return &ast.BinaryExpr{X: list[0], Op: x.Op, OpPos: x.Pos(), Y: list[1]}
}

// samePointer emits a comparison of pointers or channels as one of variables, for yaegi refuses
// operands whose types it knows in different ways:
//
//	&s[0] == &p[0] // mismatched types
func (f *fn) samePointer(x *ir.Binary) ast.Expr {
	left, right := unconverted(x.X), unconverted(x.Y)
	if l, r := left.Type(), right.Type(); l != r && l.AssignableTo(r) {
		left = &ir.Convert{At: x.At, Typ: r, X: left}
	} else if l != r {
		right = &ir.Convert{At: x.At, Typ: l, X: right}
	}
	list := f.list([]ir.Expr{left, right}, f.simple)
	return &ast.BinaryExpr{X: list[0], Op: x.Op, OpPos: x.Pos(), Y: list[1]}
}

// unconverted returns x without a conversion that gives a channel directions it does not have.
func unconverted(x ir.Expr) ir.Expr {
	if c, ok := x.(*ir.Convert); ok && !c.X.Type().ConvertibleTo(c.Typ) {
		return c.X
	}
	return x
}

func isNil(x ir.Expr) bool {
	z, ok := x.(*ir.Zero)
	return ok && nilable(z.Typ)
}

// shift emits a shift by an unsigned count. yaegi reads a negative count as a huge one, where Go
// panics:
//
//	n := -1; x << n // 0
func (f *fn) shift(x *ir.Binary) ast.Expr {
	list := f.list([]ir.Expr{x.X, x.Y}, func(y ir.Expr) ast.Expr {
		if y == x.X {
			return f.variableOperand(y)
		}
		return f.shiftCount(y, x.Type())
	})
	return &ast.BinaryExpr{X: list[0], Op: x.Op, OpPos: x.Pos(), Y: list[1]}
}

// shiftCount emits the count y of a shift of a t. yaegi computes a count in the type of the result:
//
//	n := uint8(255); uint64(1) << (n + 1) // 0
func (f *fn) shiftCount(y ir.Expr, t reflect.Type) ast.Expr {
	if c, ok := y.(*ir.Const); ok {
		return f.constant(&ir.Const{At: c.At, Typ: uintType, Val: c.Val})
	}
	if k := y.Type().Kind(); k < reflect.Int || k > reflect.Int64 {
		if isOperation(y) && y.Type() != t {
			return f.simple(y)
		}
		return f.expr(y)
	}
	n := f.simple(y)
	zero := f.constant(zeroConst(&ir.Zero{Typ: y.Type()}))
	f.add(&ast.IfStmt{
		Cond: &ast.BinaryExpr{X: n, Op: token.LSS, Y: zero},
		Body: &ast.BlockStmt{List: []ast.Stmt{
			&ast.ExprStmt{X: &ast.CallExpr{Fun: f.runtime("ShiftPanic", y.Pos())}},
		}},
	})
	return &ast.CallExpr{Fun: ident("uint", y.Pos()), Args: []ast.Expr{n}}
}

func isOperation(x ir.Expr) bool {
	switch x.(type) {
	case *ir.Unary, *ir.Binary:
		return true
	}
	return false
}

// logic emits && and ||. A right side that needs statements before it becomes an if.
func (f *fn) logic(x *ir.Binary) ast.Expr {
	left := f.cond(x.X)
	var right ast.Expr
	before := f.collect(func() { right = f.cond(x.Y) })
	if len(before) == 0 {
		return &ast.BinaryExpr{X: left, Op: x.Op, OpPos: x.Pos(), Y: right}
	}
	t := f.temp(boolType, left, x.Pos())
	var test ast.Expr = t
	if x.Op == token.LOR {
		test = &ast.UnaryExpr{Op: token.NOT, X: t}
	}
	f.add(&ast.IfStmt{If: x.Pos(), Cond: test,
		Body: &ast.BlockStmt{List: append(before, assign(t, right))}})
	return t
}

// cond emits a condition or an operand of && and ||. yaegi jumps from inside such an expression;
// where it jumps on false it does not store a dereferenced value, and it does not jump at all for
// assertions and conversions:
//
//	if *p && *q {}   // after a true *p, reads that one again
//	if x.(bool) {}   // always
func (f *fn) cond(x ir.Expr) ast.Expr {
	e := f.expr(x)
	switch x := x.(type) {
	case *ir.Binary, *ir.Local, *ir.Const, *ir.Zero:
		return e
	case *ir.Unary:
		if x.Op == token.NOT {
			return e
		}
	}
	if _, ok := e.(*ast.Ident); ok {
		return e
	}
	return &ast.BinaryExpr{X: e, Op: token.EQL, OpPos: x.Pos(), Y: ident("true", x.Pos())}
}

// convert emits Typ(x).
func (f *fn) convert(x *ir.Convert) ast.Expr {
	from, to := x.X.Type(), x.Typ
	if from == to {
		return f.expr(x.X)
	}
	// yaegi folds conversions of constants and gets some wrong; and it keeps function values by
	// the syntax they come from.
	operand := f.variableOperand(x.X)
	if to.Kind() == reflect.Func || from.Kind() == reflect.Func {
		operand = f.simple(x.X)
	}
	if !from.ConvertibleTo(to) {
		return f.unsafeConversion(x)
	}
	if to.Kind() == reflect.Float32 && isBigInt(from) {
		// reflect, and so yaegi, rounds twice: first to float64.
		name, wide := "Float32FromInt", reflect.TypeFor[int64]()
		if from.Kind() >= reflect.Uint {
			name, wide = "Float32FromUint", reflect.TypeFor[uint64]()
		}
		operand = &ast.CallExpr{Fun: f.runtime(name, x.Pos()), Args: []ast.Expr{
			f.temp(wide, f.conversion(wide, operand), x.Pos()),
		}}
		if to.Name() == "float32" && to.PkgPath() == "" {
			return operand
		}
	}
	return f.conversion(to, operand)
}

// unsafeConversion emits a conversion that reflect, and so yaegi, does not know: to or from
// unsafe.Pointer, or between a compiled struct with unexported fields and one of the program.
func (f *fn) unsafeConversion(x *ir.Convert) ast.Expr {
	converted := f.temp(anyType, &ast.CallExpr{Fun: f.runtime("Unsafe", x.Pos()), Args: []ast.Expr{
		f.simple(x.X), f.typeValue(x.Typ),
	}}, x.Pos())
	return f.temp(x.Typ, &ast.TypeAssertExpr{X: converted, Type: f.typ(x.Typ)}, x.Pos())
}

func (f *fn) conversion(t reflect.Type, x ast.Expr) ast.Expr {
	return &ast.CallExpr{Fun: f.typ(t), Args: []ast.Expr{x}}
}

func isBigInt(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Int, reflect.Int64, reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return true
	}
	return false
}

// interfaceToInterface reports whether x changes one interface type into another that is not
// interface{}; then nil must stay nil.
func interfaceToInterface(x *ir.Iface) bool {
	return x.X.Type().Kind() == reflect.Interface && x.Typ != anyType
}

// iface emits x as a variable of the interface type.
func (f *fn) iface(x *ir.Iface) ast.Expr {
	if x.X.Type() == x.Typ {
		return f.expr(x.X)
	}
	if !interfaceToInterface(x) {
		return f.temp(x.Typ, f.simple(x.X), x.Pos())
	}
	// From one interface type to another yaegi has only the assertion, which fails for nil.
	t := f.temp(x.Typ, nil, x.Pos())
	v := f.simple(x.X)
	f.add(&ast.IfStmt{
		Cond: &ast.BinaryExpr{X: v, Op: token.NEQ, Y: ast.NewIdent("nil")},
		Body: &ast.BlockStmt{List: []ast.Stmt{
			assign(t, &ast.TypeAssertExpr{X: v, Type: f.typ(x.Typ)}),
		}},
	})
	return t
}
