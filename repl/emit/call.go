package emit

import (
	"go/ast"
	"go/constant"
	"reflect"
	"slices"

	"halfnote/repl/ir"
	"halfnote/repl/rt"
)

// call emits a call; with several results it may stand only where a statement takes them.
func (f *fn) call(x *ir.Call) ast.Expr {
	callee := x.Fun
	args := f.spreadResults(&callee, x.Args)
	if callee != x.Fun {
		x = &ir.Call{At: x.At, Fun: callee, Args: args, Spread: x.Spread}
	}
	f.called(x)
	if x.Type() != nil {
		if result, ok := f.inline(x); ok {
			return result
		}
	}
	switch fun := x.Fun.(type) {
	case *ir.FuncRef:
		name, ok := f.funcs[fun.Func]
		if !ok {
			fail("function %s is not known", fun.Func.Name)
		}
		if fun.Func.Variadic && !x.Spread {
			args = pack(args, fun.Func.Typ, x.At)
		}
		call := &ast.CallExpr{Fun: ident(name, x.Pos()), Args: f.list(args, f.coreArg)}
		if !fun.Func.Pos.IsValid() {
			f.markCall(x, args, call.Args)
		}
		return call
	case *ir.Extern:
		return f.compiledCall(f.extern(fun), args, x)
	case *ir.Method:
		return f.methodCall(fun, args, x)
	}
	t := x.Fun.Type()
	if t.IsVariadic() && !x.Spread {
		args = pack(args, t, x.At)
	}
	list := f.list(append([]ir.Expr{x.Fun}, args...), func(y ir.Expr) ast.Expr {
		if y == x.Fun {
			// A function from a struct or from compiled code needs a variable of spelled type.
			return f.simple(y)
		}
		return f.arg(y)
	})
	call := &ast.CallExpr{Fun: list[0], Args: list[1:]}
	if t.IsVariadic() {
		call.Ellipsis = 1
	}
	return call
}

// callStmt emits a call whose results nobody takes.
func (f *fn) callStmt(x *ir.Call) {
	if _, ok := f.inline(x); !ok {
		f.add(&ast.ExprStmt{X: f.calledAlone(x)})
	}
}

func (f *fn) calledAlone(x *ir.Call) ast.Expr {
	fun, ok := x.Fun.(*ir.Extern)
	if !ok || fun.Pkg != "fmt" || fun.Value.IsValid() || x.Spread {
		return f.call(x)
	}
	name := rt.PrintName(fun.Name, len(x.Args))
	if name == "" || slices.ContainsFunc(x.Args, func(a ir.Expr) bool {
		several, _ := severalResults(a)
		return several != nil
	}) {
		return f.call(x)
	}
	f.called(x)
	return f.compiledCall(f.runtime(name, fun.Pos()), x.Args, x)
}

func (f *fn) compiledCall(callee ast.Expr, args []ir.Expr, x *ir.Call) ast.Expr {
	call := &ast.CallExpr{Fun: callee, Args: f.list(args, f.arg)}
	if x.Spread {
		call.Ellipsis = 1
	}
	f.markCall(x, args, call.Args)
	return call
}

// arg emits an argument.
func (f *fn) arg(x ir.Expr) ast.Expr {
	if i, ok := x.(*ir.Iface); ok && !interfaceToInterface(i) {
		if call, ok := i.X.(*ir.Call); ok && call.Type().Kind() != reflect.Func {
			return f.call(call)
		}
	}
	return f.value(x)
}

// spreadResults puts the results of an argument that is a call with several in variables: yaegi
// mixes up their places when it passes them on. What comes before is evaluated before, callee
// included.
func (f *fn) spreadResults(callee *ir.Expr, args []ir.Expr) []ir.Expr {
	for i, a := range args {
		call, wrap := severalResults(a)
		if call == nil {
			continue
		}
		if callee != nil {
			*callee = f.pinCallee(*callee)
		}
		spread := make([]ir.Expr, 0, len(args)+1)
		for _, before := range args[:i] {
			spread = append(spread, f.pin(before))
		}
		for _, r := range f.results(call) {
			spread = append(spread, wrap(r))
		}
		return append(spread, args[i+1:]...)
	}
	return args
}

// severalResults returns the call with several results that x is, perhaps with each of them as an
// interface value.
func severalResults(x ir.Expr) (call *ir.Call, wrap func(ir.Expr) ir.Expr) {
	wrap = func(r ir.Expr) ir.Expr { return r }
	if i, ok := x.(*ir.Iface); ok {
		x = i.X
		wrap = func(r ir.Expr) ir.Expr { return &ir.Iface{At: i.At, Typ: i.Typ, X: r} }
	}
	call, ok := x.(*ir.Call)
	if !ok || call.Fun.Type().NumOut() < 2 {
		return nil, nil
	}
	return call, wrap
}

// pinCallee puts a function value, or the receiver of a method, in a variable.
func (f *fn) pinCallee(fun ir.Expr) ir.Expr {
	switch fun := fun.(type) {
	case *ir.FuncRef, *ir.Extern:
		return fun
	case *ir.Method:
		if k := fun.X.Type().Kind(); k == reflect.Pointer || k == reflect.Interface {
			return &ir.Method{At: fun.At, X: f.pin(fun.X), Name: fun.Name, Typ: fun.Typ}
		}
		return fun
	}
	return f.pin(fun)
}

// results emits a call with several results and returns them as variables.
func (f *fn) results(call *ir.Call) []ir.Expr {
	var vars []*ir.Var
	var list []ir.Expr
	for _, t := range call.Results() {
		v := &ir.Var{Name: "r", Typ: t}
		vars = append(vars, v)
		list = append(list, &ir.Local{At: call.At, Var: v})
	}
	f.defineMany(&ir.DefineMany{At: call.At, Vars: vars, X: call})
	return list
}

// pack puts variadic arguments in the slice that they are passed as.
func pack(args []ir.Expr, t reflect.Type, at ir.At) []ir.Expr {
	fixed := t.NumIn() - 1
	slice := t.In(fixed)
	packed := append([]ir.Expr{}, args[:fixed]...)
	if len(args) == fixed {
		return append(packed, &ir.Zero{At: at, Typ: slice})
	}
	return append(packed, &ir.Composite{At: at, Typ: slice, Elems: args[fixed:]})
}

// methodCall emits a call of a compiled method. The method is called as a function with the
// receiver first: for x.M() yaegi makes a new method value each time, which costs more than the
// call.
func (f *fn) methodCall(m *ir.Method, args []ir.Expr, x *ir.Call) ast.Expr {
	recv, fun := f.methodFunc(m)
	if fun != nil {
		return f.compiledCall(fun, append([]ir.Expr{recv}, args...), x)
	}
	operands := append([]ir.Expr{m.X}, args...)
	list := f.list(operands, func(y ir.Expr) ast.Expr {
		if y == m.X {
			return f.simple(y)
		}
		return f.arg(y)
	})
	f.markCall(x, operands, list)
	sel := &ast.SelectorExpr{X: list[0], Sel: ident(m.Name, m.Pos())}
	call := &ast.CallExpr{Fun: sel, Args: list[1:]}
	if x.Spread {
		call.Ellipsis = 1
	}
	return call
}

// methodFunc returns m's receiver and the method as a function of it, or no function when the
// receiver is an interface.
func (f *fn) methodFunc(m *ir.Method) (ir.Expr, ast.Expr) {
	recv, t := m.X, m.X.Type()
	if t.Kind() == reflect.Interface {
		return recv, nil
	}
	method, ok := f.methods(t, m.Name)
	if !ok && t.Kind() != reflect.Pointer {
		t = reflect.PointerTo(t)
		method, ok = f.methods(t, m.Name)
		recv = &ir.Addr{At: m.At, X: m.X, Typ: t}
		if d, isDeref := m.X.(*ir.Deref); isDeref {
			recv = d.X
		}
	}
	if !ok {
		fail("type %s has no method %s", m.X.Type(), m.Name)
	}
	return recv, f.symbol(methodKey{t, m.Name}, method, m.Pos())
}

type methodKey struct {
	typ  reflect.Type
	name string
}

// methodValue emits a compiled method bound to its receiver of now. yaegi's own method values have
// the type of the method expression:
//
//	var f func(string) (int, error) = b.WriteString // cannot use type func(*strings.Builder, …
func (f *fn) methodValue(m *ir.Method) ast.Expr {
	recv, _ := f.methodFunc(m)
	bound := &ast.CallExpr{Fun: f.runtime("Bound", m.Pos()), Args: []ast.Expr{
		f.simple(recv),
		f.constant(&ir.Const{At: m.At, Typ: stringType, Val: constant.MakeString(m.Name)}),
	}}
	t := f.temp(anyType, bound, m.Pos())
	return f.temp(m.Typ, &ast.TypeAssertExpr{X: t, Type: f.typ(m.Typ)}, m.Pos())
}
