package lower

// This file implements the order of evaluation where Go's specification leaves it open and compiled
// programs rely on it: calls, receives, && and || come first, from left to right, and what they may
// change is read after them. Built-in functions are called in their turn.
//
//	x + f()            →   t := f(); *x + t             x is a variable that f may change
//	len(*s) + f()      →   len(*s) + f()
//	s[i], y = g(), i   →   t := g(); s[i], y = t, i

import (
	"go/token"
	"reflect"
	"slices"

	"halfnote/repl/ir"
)

// emit adds statements to the block that is being lowered.
func (f *fn) emit(list ...ir.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ir.Define:
			f.callsFirst(&s.Init)
		case *ir.DefineMany:
			f.callsFirst(&s.X)
		case *ir.Assign:
			if place := operands(s.Lhs); place != nil {
				f.callsFirst(append(place, &s.Rhs)...)
			} else {
				f.callsFirst(&s.Rhs)
			}
		case *ir.ExprStmt:
			f.callsFirst(&s.X)
		case *ir.Send:
			f.callsFirst(&s.Chan, &s.X)
		case *ir.If:
			f.callsFirst(&s.Cond)
		case *ir.Switch:
			f.callsFirst(&s.Tag)
		case *ir.Range:
			f.callsFirst(&s.X)
		case *ir.Return:
			f.callsFirst(pointers(s.Results)...)
		}
		f.out = append(f.out, s)
	}
}

// callsFirst evaluates calls of the operands xs into variables, if what stands before one of them
// reads something that the call may change.
func (f *fn) callsFirst(xs ...*ir.Expr) {
	w := &callOrder{last: -1}
	for _, x := range xs {
		w.look(*x)
	}
	if w.last < 0 {
		return
	}
	for _, x := range xs {
		w.hoist(f, x)
	}
}

// callOrder looks at expressions in the order of their evaluation.
type callOrder struct {
	reads bool // something that a call may change has been read
	count int  // calls that have been completed
	last  int  // the last of them that comes after a read, or -1
	done  int  // calls that have been evaluated into variables
}

func (w *callOrder) look(x ir.Expr) {
	before := w.reads
	if first := conditional(x); first != nil {
		w.look(*first)
	} else {
		for _, o := range operands(x) {
			if *o != nil {
				w.look(*o)
			}
		}
	}
	switch {
	case isCall(x):
		if before {
			w.last = w.count
		}
		w.count++
		w.reads = before
	case isBuiltin(x):
		w.count++
		w.reads = before
	case isRead(x):
		w.reads = true
	}
}

// hoist evaluates the calls of x into variables, up to the last one that must be.
func (w *callOrder) hoist(f *fn, x *ir.Expr) {
	if *x == nil || w.done > w.last {
		return
	}
	if first := conditional(*x); first != nil {
		w.hoist(f, first)
	} else {
		for _, o := range operands(*x) {
			w.hoist(f, o)
		}
	}
	if !isCall(*x) && !isBuiltin(*x) {
		return
	}
	if w.done <= w.last && (*x).Type() != nil {
		*x = f.temp((*x).Pos(), "call", *x)
	}
	w.done++
}

// conditional returns the operand of && or || that is always evaluated, or nil.
func conditional(x ir.Expr) *ir.Expr {
	if b, ok := x.(*ir.Binary); ok && (b.Op == token.LAND || b.Op == token.LOR) {
		return &b.X
	}
	return nil
}

// isCall reports whether x is evaluated before what is only read.
func isCall(x ir.Expr) bool {
	switch x := x.(type) {
	case *ir.Call:
		fun, ok := x.Fun.(*ir.Extern)
		return !ok || fun.Pkg != ir.RuntimePkg || fun.Name == "Recover"
	case *ir.Recv:
		return true
	case *ir.Builtin:
		return x.Op == "append" || x.Op == "copy"
	case *ir.Binary:
		return x.Op == token.LAND || x.Op == token.LOR
	}
	return false
}

// isBuiltin reports whether x is a built-in function that takes its turn among the calls.
func isBuiltin(x ir.Expr) bool {
	switch x := x.(type) {
	case *ir.Builtin:
		return x.Typ != nil
	case *ir.Call:
		fun, ok := x.Fun.(*ir.Extern)
		return ok && fun.Pkg == ir.RuntimePkg && (fun.Name == "MinFloat" || fun.Name == "MaxFloat")
	}
	return false
}

// hasCall reports whether a call is evaluated for x.
func hasCall(x *ir.Expr) bool {
	return *x != nil && (isCall(*x) || slices.ContainsFunc(operands(*x), hasCall))
}

// isRead reports whether x reads memory that a call may change.
func isRead(x ir.Expr) bool {
	switch x := x.(type) {
	case *ir.Deref:
		return true
	case *ir.Field:
		return x.X.Type().Kind() == reflect.Pointer
	case *ir.Index:
		k := x.X.Type().Kind()
		return k == reflect.Slice || k == reflect.Pointer || k == reflect.Map
	}
	return false
}

// operands are those of x, to be replaced, in the order of their evaluation.
func operands(x ir.Expr) []*ir.Expr {
	switch x := x.(type) {
	case *ir.Call:
		return append([]*ir.Expr{&x.Fun}, pointers(x.Args)...)
	case *ir.Method:
		return []*ir.Expr{&x.X}
	case *ir.Builtin:
		return pointers(x.Args)
	case *ir.Field:
		return []*ir.Expr{&x.X}
	case *ir.Index:
		return []*ir.Expr{&x.X, &x.I}
	case *ir.Slice:
		return []*ir.Expr{&x.X, &x.Lo, &x.Hi, &x.Max}
	case *ir.Deref:
		return []*ir.Expr{&x.X}
	case *ir.Unary:
		return []*ir.Expr{&x.X}
	case *ir.Binary:
		return []*ir.Expr{&x.X, &x.Y}
	case *ir.Convert:
		return []*ir.Expr{&x.X}
	case *ir.Iface:
		return []*ir.Expr{&x.X}
	case *ir.Assert:
		return []*ir.Expr{&x.X}
	case *ir.Recv:
		return []*ir.Expr{&x.X}
	case *ir.Composite:
		return append(pointers(x.Keys), pointers(x.Elems)...)
	case *ir.Addr:
		return operands(x.X)
	}
	return nil
}

func pointers(xs []ir.Expr) []*ir.Expr {
	list := make([]*ir.Expr, len(xs))
	for i := range xs {
		list[i] = &xs[i]
	}
	return list
}
