package lower

// This file implements the built-in functions.

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"

	"halfnote/repl/ir"
	"halfnote/repl/rt"
)

func (f *fn) builtinCall(x *ast.CallExpr, name string) ir.Expr {
	at := ir.At(x.Pos())
	if len(x.Args) == 1 {
		if tuple, ok := f.typ(x.Args[0]).(*types.Tuple); ok {
			return f.builtinOfTuple(x, name, tuple)
		}
	}
	switch name {
	case "print", "println":
		args := make([]ir.Expr, len(x.Args))
		for i, arg := range x.Args {
			args[i] = f.conv(arg, anyType)
		}
		return f.printCall(x.Pos(), name, args)
	case "panic":
		return f.call(x.Pos(), "Panic", f.conv(x.Args[0], anyType))
	case "recover":
		if f.me == nil { // in the body of a range over a function
			return &ir.Zero{At: at, Typ: anyStore}
		}
		return f.call(x.Pos(), "Recover", &ir.Local{At: at, Var: f.me})
	case "append":
		return f.appendCall(x)
	case "new":
		return f.newCall(x)
	case "make":
		return f.makeCall(x)
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
	return f.unsafeCall(x, name)
}

func (f *fn) printCall(pos token.Pos, name string, args []ir.Expr) ir.Expr {
	if name == "print" {
		return f.call(pos, "BuiltinPrint", args...)
	}
	return f.call(pos, "BuiltinPrintln", args...)
}

// builtinOfTuple lowers the call of a built-in function with the results of another call.
func (f *fn) builtinOfTuple(x *ast.CallExpr, name string, tuple *types.Tuple) ir.Expr {
	pos := x.Pos()
	args := make([]ir.Expr, tuple.Len())
	for i, local := range f.spread(x.Args[0], tuple) {
		to := tuple.At(i).Type()
		switch {
		case name == "print", name == "println":
			to = anyType
		case name == "append" && i > 0:
			to = coreOf(f.typ(x)).(*types.Slice).Elem()
		case name == "delete" && i == 1:
			to = coreOf(tuple.At(0).Type()).(*types.Map).Key()
		case name == "min", name == "max":
			to = f.typ(x)
		}
		args[i] = f.convert(local, tuple.At(i).Type(), to)
	}
	switch name {
	case "print", "println":
		return f.printCall(pos, name, args)
	case "delete":
		if args[1].Type() == anyStore {
			args[1] = f.call(pos, "Key", args[1])
		}
	case "copy":
		args[1] = f.bytes(args[1], args[0].Type())
	}
	e := &ir.Builtin{At: ir.At(pos), Op: name, Args: args}
	if t := f.typ(x); !isVoid(t) {
		e.Typ = f.storage(pos, t)
	}
	return e
}

// makeCall lowers make. Sizes are looked at when it runs, unless they are small constants.
func (f *fn) makeCall(x *ast.CallExpr) ir.Expr {
	pos := x.Pos()
	e := &ir.Builtin{At: ir.At(pos), Op: "make", Typ: f.storage(pos, f.typ(x))}
	bytes := int(e.Typ.Elem().Size())
	if e.Typ.Kind() == reflect.Map {
		bytes += int(e.Typ.Key().Size()) + 1
	}
	for i, arg := range x.Args[1:] {
		n := f.indexValue(arg)
		if c, ok := n.(*ir.Const); ok {
			length, _ := constant.Float64Val(constant.ToFloat(c.Val))
			if length*float64(bytes) <= rt.SmallSize {
				e.Args = append(e.Args, n)
				continue
			}
		}
		if n.Type() != intStore {
			n = &ir.Convert{At: ir.At(arg.Pos()), Typ: intStore, X: n}
		}
		size := number(arg.Pos(), bytes)
		switch {
		case e.Typ.Kind() != reflect.Slice:
			n = f.call(pos, "Hint", n, size)
		case i == 1:
			e.Args[0] = f.keep(e.Args[0])
			n = f.call(pos, "Cap", n, e.Args[0], size)
		case len(x.Args) == 2 || f.info.Types[x.Args[2]].Value != nil:
			n = f.call(pos, "Len", n, size)
		}
		e.Args = append(e.Args, n)
	}
	return e
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
	elem := f.typ(x).Underlying().(*types.Pointer).Elem()
	f.storage(x.Pos(), elem) // is not too large
	alloc := &ir.Builtin{At: at, Op: "new", Typ: ptr}
	if f.info.Types[x.Args[0]].IsType() {
		return alloc
	}
	result := returning(f.typ(x))
	fun := f.helper(x.Pos(), "new", []types.Type{elem}, result, func(p []ir.Expr) ir.Expr {
		local := f.temp(x.Pos(), "ptr", alloc)
		f.emit(&ir.Assign{At: at, Lhs: &ir.Deref{At: at, X: local}, Rhs: p[0]})
		return local
	})
	return &ir.Call{At: at, Fun: &ir.FuncRef{At: at, Func: fun},
		Args: []ir.Expr{f.conv(x.Args[0], elem)}}
}
