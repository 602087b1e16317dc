package emit

import (
	"go/ast"
	"go/constant"
	"go/token"
	"reflect"

	"halfnote/repl/ir"
	"halfnote/repl/rt"
)

// This file passes negative zeros. yaegi does not copy an argument that reflect calls zero, as it
// calls -0:
//
//	func inverse(x float64) float64 { return 1 / x } // inverse(-z) is +Inf
//
// So -0 is passed as a number that nobody else has, a NaN with a mark, and put right at the
// beginning of the function. That costs a comparison here and there.

// coreArg emits an argument of a core function.
func (f *fn) coreArg(x ir.Expr) ast.Expr {
	emitted := f.arg(x)
	if hide, _ := rt.ZeroFuncs(x.Type()); hide == "" || !maybeZero(x) {
		return emitted
	}
	return f.hidden(f.temp(x.Type(), emitted, x.Pos()), x.Type())
}

// hidden lets the variable v, of type t, hold the mark if it is a negative zero.
func (f *fn) hidden(v *ast.Ident, t reflect.Type) ast.Expr {
	hide, _ := rt.ZeroFuncs(t)
	zero := f.constant(&ir.Const{Typ: t, Val: constant.MakeInt64(0)})
	f.add(f.mend(v, token.EQL, zero, hide))
	return v
}

// shown puts right the parameters of a core function.
func (f *fn) shown(params []*ir.Var) (list []ast.Stmt) {
	for _, p := range params {
		if p == nil {
			continue
		}
		if _, show := rt.ZeroFuncs(p.Typ); show != "" {
			v := f.local(p, token.NoPos)
			list = append(list, f.mend(v, token.NEQ, f.local(p, token.NoPos), show))
		}
	}
	return list
}

// mend emits if v op y { v = fun(v) }.
func (f *fn) mend(v *ast.Ident, op token.Token, y ast.Expr, fun string) ast.Stmt {
	call := &ast.CallExpr{Fun: f.runtime(fun, v.Pos()), Args: []ast.Expr{v}}
	return &ast.IfStmt{
		Cond: &ast.BinaryExpr{X: v, Op: op, Y: y},
		Body: &ast.BlockStmt{List: []ast.Stmt{assign(v, call)}},
	}
}

// maybeZero reports whether x may be a negative zero.
func maybeZero(x ir.Expr) bool {
	switch x := x.(type) {
	case *ir.Const, *ir.Zero:
		return false
	case *ir.Convert:
		return isFloat(x.X.Type())
	}
	return true
}

func isFloat(t reflect.Type) bool {
	return t.Kind() >= reflect.Float32 && t.Kind() <= reflect.Complex128
}
