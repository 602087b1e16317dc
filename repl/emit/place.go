package emit

import (
	"go/ast"
	"go/token"
	"reflect"
	"slices"
	"unsafe"

	"halfnote/repl/ir"
)

// This file lets emitted code note where it is before it does what may panic. yaegi knows only in
// which function it panics:
//
//	func f() {
//		x := 1
//		_ = a[x] // "panic: main.f" at the first line
//	}
//
// One note costs some nanoseconds. The place is one for the session: where goroutines run at the
// same time, a place outside of the function that panicked is that of another one.

// SetPlace makes emitted code note its place, a token.Pos, in p.
func (e *Emitter) SetPlace(p *int) { e.place = (*place)(unsafe.Slice(p, 1)) }

// mark notes the place pos.
func (f *fn) mark(pos token.Pos) {
	if f.place == nil || !pos.IsValid() {
		return
	}
	if pos == f.marked && len(f.out) == f.markedAt {
		return // noted by the statement before
	}
	note := f.symbol(f.place, reflect.ValueOf(f.place).Elem(), pos)
	f.add(assign(note, f.symbol(place{int(pos)}, reflect.ValueOf(place{int(pos)}), pos)))
	f.marked, f.markedAt = pos, len(f.out)
	f.traced.Notes = append(f.traced.Notes, pos)
	f.at(pos)
}

// A place is a token.Pos. yaegi assigns one compiled value to another in one step, but for basic
// types, which it takes for constants.
type place [1]int

// NotedPlace returns the place that a value of emitted code stands for, if it is a note of one.
func NotedPlace(v reflect.Value) (pos int, ok bool) {
	if !v.IsValid() || v.Type() != reflect.TypeFor[place]() {
		return 0, false
	}
	return int(v.Index(0).Int()), true
}

// markFor notes the place of what may panic in s itself, apart from calls of compiled code and of
// functions without a place, which are marked one by one. The functions of the user note their own.
func (f *fn) markFor(s ir.Stmt) {
	var pos token.Pos
	switch s := s.(type) {
	case *ir.Define:
		pos = f.risk(s.Init)
	case *ir.DefineMany:
		pos = f.risk(s.X)
	case *ir.Assign:
		pos = f.risk(s.Lhs, s.Rhs)
		if x, ok := s.Lhs.(*ir.Index); ok && x.X.Type().Kind() == reflect.Map && !pos.IsValid() &&
			f.maybeNil(x.X) {
			pos = s.Pos()
		}
	case *ir.ExprStmt:
		pos = f.risk(s.X)
	case *ir.Send:
		pos = s.Pos()
	case *ir.If:
		pos = f.risk(s.Cond)
	case *ir.Range:
		pos = f.risk(s.X)
	case *ir.Switch:
		pos = f.risk(s.Tag)
	case *ir.Return:
		pos = f.risk(s.Results...)
	}
	f.mark(pos)
}

// risk returns the place of something that may panic in the expressions xs, in the order of their
// evaluation; the last where there are several, or NoPos.
func (f *fn) risk(xs ...ir.Expr) token.Pos {
	for _, x := range slices.Backward(xs) {
		if x == nil {
			continue
		}
		if f.risky(x) {
			return x.Pos()
		}
		if pos := f.risk(ir.Operands(x)...); pos.IsValid() {
			return pos
		}
	}
	return token.NoPos
}

func (f *fn) risky(x ir.Expr) bool {
	switch x := x.(type) {
	case *ir.Index:
		switch x.X.Type().Kind() {
		case reflect.Map:
			return x.X.Type().Key().Kind() == reflect.Interface
		case reflect.Array:
			return !isConst(x.I)
		}
		return true
	case *ir.Deref:
		return f.maybeNil(x.X)
	case *ir.Field:
		return x.X.Type().Kind() == reflect.Pointer && f.maybeNil(x.X)
	case *ir.Slice:
		return true
	case *ir.Convert:
		return x.X.Type().Kind() == reflect.Slice && x.Typ.Kind() != reflect.Slice &&
			x.Typ.Kind() != reflect.String
	case *ir.Binary:
		switch x.Op {
		case token.QUO, token.REM:
			return x.X.Type().Kind() <= reflect.Uintptr && !isConst(x.Y)
		case token.SHL, token.SHR:
			return x.Y.Type().Kind() <= reflect.Int64 && !isConst(x.Y)
		}
	case *ir.Builtin:
		return x.Op == "close" || x.Op == "make" && len(x.Args) > 0 && !isConst(x.Args[0])
	case *ir.Call:
		switch x.Fun.(type) {
		case *ir.FuncRef, *ir.Extern, *ir.Method:
			return false
		}
		return true
	}
	return false
}

// maybeNil reports whether the pointer or map x can be nil. Variables that are pointers for the sake
// of closures are not.
func (f *fn) maybeNil(x ir.Expr) bool {
	switch x := x.(type) {
	case *ir.Extern, *ir.Addr:
		return false
	case *ir.Local:
		return !f.unit.boxes[x.Var]
	}
	return true
}

// quiet are the functions of the run-time package that do not panic, or only with what runs in
// them.
var quiet = map[string]bool{
	"B": true, "Unbox": true, "Is": true, "Has": true, "Impl": true, "Case": true, "Push": true,
	"Me": true, "Recover": true, "DecodeRune": true, "SetMethod": true, "Do": true,
}

// markCall notes the place of a call of a function that notes none itself, after its operands where
// these run code of the user, which notes places of its own.
func (f *fn) markCall(x *ir.Call, operands []ir.Expr, emitted []ast.Expr) {
	if e, ok := x.Fun.(*ir.Extern); ok && e.Pkg == ir.RuntimePkg && quiet[e.Name] {
		return
	}
	panics := isRuntime(x.Fun, "Panic")
	for i, o := range slices.Backward(operands) {
		if panics || runsCode(o) {
			f.keep(operands[:i+1], emitted[:i+1])
			break
		}
	}
	f.mark(x.Pos())
}

// isRuntime reports whether fun is the function of the run-time package of that name.
func isRuntime(fun ir.Expr, name string) bool {
	e, ok := fun.(*ir.Extern)
	return ok && e.Pkg == ir.RuntimePkg && e.Name == name
}

// runsCode reports whether code of the user may run when x is evaluated: that of a function, of a
// method behind an interface, or of a function that compiled code is given.
func runsCode(x ir.Expr) bool {
	if x == nil {
		return false
	}
	if call, ok := x.(*ir.Call); ok {
		switch fun := call.Fun.(type) {
		case *ir.FuncRef:
			return true
		case *ir.Method:
			if fun.X.Type().Kind() == reflect.Interface {
				return true
			}
		case *ir.Extern:
		default:
			return true
		}
		if slices.ContainsFunc(call.Args, func(a ir.Expr) bool {
			return a != nil && a.Type() != nil && a.Type().Kind() == reflect.Func
		}) {
			return true
		}
	}
	return slices.ContainsFunc(ir.Operands(x), runsCode)
}

// made reports whether x makes a pointer or a map.
func made(x ir.Expr) bool {
	switch x := x.(type) {
	case *ir.Builtin:
		return x.Op == "new" || x.Op == "make" && x.Typ.Kind() == reflect.Map
	case *ir.Composite:
		return x.Typ.Kind() == reflect.Map
	}
	return false
}

// findBoxes finds the variables of body that are pointers made by new, or maps made by make or from
// a literal, and never assigned to.
func (u *unit) findBoxes(body []ir.Stmt) {
	for _, s := range body {
		switch s := s.(type) {
		case *ir.Define:
			if _, known := u.boxes[s.Var]; !known && made(s.Init) {
				u.boxes[s.Var] = true
			}
		case *ir.Assign:
			if l, ok := s.Lhs.(*ir.Local); ok {
				u.boxes[l.Var] = false
			}
		}
	}
	ir.Blocks(body, u.findBoxes)
}
