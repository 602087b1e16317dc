package emit

import (
	"go/ast"
	"go/constant"
	"go/token"
	"reflect"

	"halfnote/repl/ir"
)

// This file emits built-in functions and composite literals.

// builtin emits a built-in function; those without a value only where a statement takes them.
func (f *fn) builtin(x *ir.Builtin) ast.Expr {
	if args := f.spreadResults(nil, x.Args); len(args) != len(x.Args) {
		x = &ir.Builtin{At: x.At, Op: x.Op, Args: args, Spread: x.Spread, Typ: x.Typ}
	}
	switch x.Op {
	case "make":
		if t := x.Typ; t.Kind() == reflect.Chan && t.ChanDir() != reflect.BothDir {
			// reflect makes only channels for both directions.
			both := *x
			both.Typ = reflect.ChanOf(reflect.BothDir, t.Elem())
			return f.convert(&ir.Convert{At: x.At, Typ: t, X: &both})
		}
		args := f.list(x.Args, f.expr)
		return &ast.CallExpr{
			Fun: ident("make", x.Pos()), Args: append([]ast.Expr{f.typ(x.Typ)}, args...),
		}
	case "new":
		return &ast.CallExpr{
			Fun: ident("new", x.Pos()), Args: []ast.Expr{f.typ(x.Typ.Elem())},
		}
	case "append":
		return f.appendTo(x)
	case "min", "max":
		return f.minMax(x)
	case "clear":
		return &ast.CallExpr{Fun: f.runtime("Clear", x.Pos()), Args: f.list(x.Args, f.simple)}
	case "complex":
		return f.complexOf(x)
	case "real", "imag":
		// yaegi gives a float64 also for complex64.
		call := &ast.CallExpr{Fun: ident(x.Op, x.Pos()), Args: f.list(x.Args, f.wideComplex)}
		if x.Typ.Kind() == reflect.Float32 {
			t := f.temp(float64Type, call, x.Pos())
			return f.conversion(x.Typ, t)
		}
		return call
	}
	return &ast.CallExpr{Fun: ident(x.Op, x.Pos()), Args: f.list(x.Args, f.simple)}
}

func (f *fn) wideComplex(x ir.Expr) ast.Expr {
	e := f.variableOperand(x)
	if x.Type() == complex128Type {
		return e
	}
	return f.temp(complex128Type, f.conversion(complex128Type, e), x.Pos())
}

// complexOf emits complex(re, im), in float64 as yaegi always has it.
func (f *fn) complexOf(x *ir.Builtin) ast.Expr {
	args := f.list(x.Args, func(y ir.Expr) ast.Expr {
		e := f.variableOperand(y)
		if y.Type() == float64Type {
			return e
		}
		return f.temp(float64Type, f.conversion(float64Type, e), y.Pos())
	})
	call := &ast.CallExpr{Fun: ident("complex", x.Pos()), Args: args}
	if x.Typ == complex128Type {
		return call
	}
	t := f.temp(complex128Type, call, x.Pos())
	return f.conversion(x.Typ, t)
}

// appendTo emits append. yaegi takes a last argument that is a slice for a spread one:
//
//	append([][]int{}, []int{1}) // where the types print alike
//
// so elements that are slices or arrays are given as a slice of them.
func (f *fn) appendTo(x *ir.Builtin) ast.Expr {
	args, spread := x.Args, x.Spread
	if elem := x.Typ.Elem(); !spread && len(args) > 1 {
		switch elem.Kind() {
		case reflect.Slice, reflect.Array, reflect.Interface:
			args = []ir.Expr{args[0], &ir.Composite{
				At: x.At, Typ: reflect.SliceOf(elem), Elems: args[1:],
			}}
			spread = true
		}
	}
	call := &ast.CallExpr{Fun: ident("append", x.Pos()), Args: f.list(args, f.simple)}
	if spread {
		call.Ellipsis = 1
	}
	return call
}

// minMax emits min and max by comparisons, and by compiled functions where NaN and -0 matter: yaegi
// has neither.
func (f *fn) minMax(x *ir.Builtin) ast.Expr {
	args := f.list(x.Args, f.simple)
	if k := x.Typ.Kind(); k == reflect.Float32 || k == reflect.Float64 {
		return f.minMaxFloat(x, args)
	}
	best := f.temp(x.Typ, args[0], x.Pos())
	op := token.LSS
	if x.Op == "max" {
		op = token.GTR
	}
	for _, a := range args[1:] {
		f.add(&ast.IfStmt{
			If: x.Pos(), Cond: &ast.BinaryExpr{X: a, Op: op, Y: best},
			Body: &ast.BlockStmt{List: []ast.Stmt{assign(best, a)}},
		})
	}
	return best
}

func (f *fn) minMaxFloat(x *ir.Builtin, args []ast.Expr) ast.Expr {
	name := map[string]string{"min": "MinFloat", "max": "MaxFloat"}[x.Op]
	for i, a := range args {
		args[i] = f.temp(float64Type, f.conversion(float64Type, a), x.Pos())
	}
	best := f.temp(float64Type, &ast.CallExpr{Fun: f.runtime(name, x.Pos()), Args: args}, x.Pos())
	return f.conversion(x.Typ, best)
}

// composite emits Typ{…}. Elements are variables or constants, so that none keeps a reference.
func (f *fn) composite(x *ir.Composite) ast.Expr {
	if x.Typ.Kind() == reflect.Map {
		return f.mapOf(x)
	}
	lit := &ast.CompositeLit{Type: f.typ(x.Typ), Lbrace: x.Pos()}
	elems := f.list(x.Elems, f.elem)
	for i, e := range elems {
		switch {
		case x.Typ.Kind() == reflect.Struct:
			field := i
			if x.Keys != nil {
				field = constInt(x.Keys[i])
			}
			if x.Typ.Field(field).Name == "_" {
				continue
			}
			e = &ast.KeyValueExpr{Key: ident(x.Typ.Field(field).Name, x.Pos()), Value: e}
		case x.Keys != nil && x.Keys[i] != nil:
			e = &ast.KeyValueExpr{Key: f.expr(x.Keys[i]), Value: e}
		}
		lit.Elts = append(lit.Elts, e)
	}
	return lit
}

func (f *fn) elem(x ir.Expr) ast.Expr {
	if i, ok := x.(*ir.Iface); ok && !interfaceToInterface(i) {
		return f.iface(i)
	}
	return f.simple(x)
}

// mapOf emits a map by assignments: yaegi rejects a map literal with equal keys that are no
// constants.
func (f *fn) mapOf(x *ir.Composite) ast.Expr {
	m := f.temp(x.Typ, &ast.CallExpr{Fun: ident("make", x.Pos()), Args: []ast.Expr{f.typ(x.Typ)}},
		x.Pos())
	for i := range x.Elems {
		pair := f.list([]ir.Expr{x.Keys[i], x.Elems[i]}, f.elem)
		f.add(assign(&ast.IndexExpr{X: m, Index: pair[0]}, pair[1]))
	}
	return m
}

// constInt returns the int that a constant key is.
func constInt(x ir.Expr) int {
	c, ok := x.(*ir.Const)
	if !ok {
		fail("key %T is no constant", x)
	}
	n, _ := constant.Int64Val(constant.ToInt(c.Val))
	return int(n)
}
