package lower

// This file implements the built-in functions.

import (
	"go/ast"
	"go/constant"
	"go/types"
	"reflect"
	"runtime"

	"halfnote/repl/ir"
	"halfnote/repl/rt"
)

func (f *fn) builtinCall(x *ast.CallExpr, name string) ir.Expr {
	at := ir.At(x.Pos())
	if len(x.Args) == 1 {
		if _, ok := f.typ(x.Args[0]).(*types.Tuple); ok {
			e := &ir.Builtin{At: at, Op: name, Args: []ir.Expr{f.expr(x.Args[0])}}
			if t := f.typ(x); !isVoid(t) {
				e.Typ = f.storage(x.Pos(), t)
			}
			return e
		}
	}
	switch name {
	case "print", "println":
		args := make([]ir.Expr, len(x.Args))
		for i, arg := range x.Args {
			args[i] = f.conv(arg, anyType)
		}
		if name == "print" {
			return f.call(x.Pos(), "BuiltinPrint", args...)
		}
		return f.call(x.Pos(), "BuiltinPrintln", args...)
	case "panic":
		return f.call(x.Pos(), "Panic", f.conv(x.Args[0], anyType))
	case "recover":
		return f.call(x.Pos(), "Recover", &ir.Local{At: at, Var: f.me})
	case "append":
		return f.appendCall(x)
	case "new":
		return f.newCall(x)
	case "make":
		e := &ir.Builtin{At: at, Op: name, Typ: f.storage(x.Pos(), f.typ(x))}
		for _, arg := range x.Args[1:] {
			e.Args = append(e.Args, f.size(arg, e.Typ))
		}
		return e
	case "delete":
		m := f.typ(x.Args[0]).Underlying().(*types.Map)
		return &ir.Builtin{At: at, Op: name,
			Args: []ir.Expr{f.expr(x.Args[0]), f.mapKey(x.Args[1], m)}}
	case "copy":
		e := &ir.Builtin{At: at, Op: name, Typ: intStore,
			Args: []ir.Expr{f.expr(x.Args[0]), f.expr(x.Args[1])}}
		e.Args[1] = f.bytes(e.Args[1], e.Args[0].Type())
		return e
	case "len", "cap":
		if p, ok := coreOf(f.typ(x.Args[0])).(*types.Pointer); ok {
			return f.arrayLen(x, p)
		}
		return &ir.Builtin{At: at, Op: name, Typ: intStore, Args: []ir.Expr{f.operand(x.Args[0])}}
	case "min", "max", "complex", "real", "imag", "close", "clear":
		e := &ir.Builtin{At: at, Op: name}
		if t := f.typ(x); !isVoid(t) {
			e.Typ = f.storage(x.Pos(), t)
		}
		for _, arg := range x.Args {
			if name == "min" || name == "max" {
				e.Args = append(e.Args, f.conv(arg, f.typ(x)))
			} else {
				e.Args = append(e.Args, f.operand(arg))
			}
		}
		return e
	}
	if n, ok := f.sizeof(x, name); ok {
		return f.constant(x.Pos(), constant.MakeInt64(n), types.Typ[types.Uintptr])
	}
	fail(x.Pos(), "the built-in function %s", name)
	return nil
}

// size lowers a length, capacity or hint in a make of type t. What may be too much for the machine is
// looked at when it runs.
func (f *fn) size(x ast.Expr, t reflect.Type) ir.Expr {
	n := f.indexValue(x)
	bytes := int(t.Elem().Size())
	if t.Kind() == reflect.Map {
		bytes += int(t.Key().Size()) + 1
	}
	if c, ok := n.(*ir.Const); ok {
		length, _ := constant.Float64Val(constant.ToFloat(c.Val))
		if length*float64(bytes) <= rt.SmallSize {
			return n
		}
	}
	if n.Type() != intStore {
		n = &ir.Convert{At: ir.At(x.Pos()), Typ: intStore, X: n}
	}
	return f.call(x.Pos(), "Size", n, number(x.Pos(), bytes))
}

// sizeof computes the functions of package unsafe that ask for sizes, which are no constants where
// type parameters are involved.
func (f *fn) sizeof(x *ast.CallExpr, name string) (int64, bool) {
	sizes := types.SizesFor("gc", runtime.GOARCH)
	switch name {
	case "Sizeof":
		return sizes.Sizeof(defaultType(f.typ(x.Args[0]))), true
	case "Alignof":
		return sizes.Alignof(defaultType(f.typ(x.Args[0]))), true
	}
	return 0, false
}

// arrayLen lowers the length of what a pointer to an array points to, which may be nil.
func (f *fn) arrayLen(x *ast.CallExpr, p *types.Pointer) ir.Expr {
	pos := x.Pos()
	n := coreOf(p.Elem()).(*types.Array).Len()
	fun := f.helper(pos, "len", []types.Type{p}, returning(types.Typ[types.Int]),
		func([]ir.Expr) ir.Expr { return number(pos, int(n)) })
	return &ir.Call{At: ir.At(pos), Fun: &ir.FuncRef{At: ir.At(pos), Func: fun},
		Args: []ir.Expr{f.expr(x.Args[0])}}
}

// operand lowers an argument of a built-in function; an untyped constant gets its default type.
func (f *fn) operand(x ast.Expr) ir.Expr { return f.conv(x, defaultType(f.typ(x))) }

func isVoid(t types.Type) bool {
	if t == nil {
		return true
	}
	tuple, ok := t.(*types.Tuple)
	return ok && tuple.Len() == 0
}

func (f *fn) appendCall(x *ast.CallExpr) ir.Expr {
	t := f.typ(x)
	e := &ir.Builtin{At: ir.At(x.Pos()), Op: "append", Typ: f.storage(x.Pos(), t),
		Spread: x.Ellipsis.IsValid(), Args: []ir.Expr{f.conv(x.Args[0], t)}}
	if e.Spread {
		e.Args = append(e.Args, f.bytes(f.expr(x.Args[1]), e.Typ))
		return e
	}
	elem := coreOf(t).(*types.Slice).Elem()
	for _, arg := range x.Args[1:] {
		e.Args = append(e.Args, f.conv(arg, elem))
	}
	return e
}

// bytes converts a string that is appended or copied to a byte slice.
func (f *fn) bytes(e ir.Expr, slice reflect.Type) ir.Expr {
	if e.Type().Kind() == reflect.String {
		return &ir.Convert{At: ir.At(e.Pos()), Typ: slice, X: e}
	}
	return e
}

// newCall lowers new(T), and new(x) by a function that sets the new variable.
func (f *fn) newCall(x *ast.CallExpr) ir.Expr {
	at := ir.At(x.Pos())
	ptr := f.storage(x.Pos(), f.typ(x))
	alloc := &ir.Builtin{At: at, Op: "new", Typ: ptr}
	if f.info.Types[x.Args[0]].IsType() {
		return alloc
	}
	elem := f.typ(x).Underlying().(*types.Pointer).Elem()
	result := returning(f.typ(x))
	fun := f.helper(x.Pos(), "new", []types.Type{elem}, result, func(p []ir.Expr) ir.Expr {
		local := f.temp(x.Pos(), "ptr", alloc)
		f.emit(&ir.Assign{At: at, Lhs: &ir.Deref{At: at, X: local}, Rhs: p[0]})
		return local
	})
	return &ir.Call{At: at, Fun: &ir.FuncRef{At: at, Func: fun},
		Args: []ir.Expr{f.conv(x.Args[0], elem)}}
}
