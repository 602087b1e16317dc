package lower

// This file implements functions that are handed to compiled code which calls them on goroutines of
// its own: what they print belongs to the cell, and their panics must not end the process.
//
//	wg.Go(f)              →   wg.Go(rt.Callback(f).(func()))
//	http.HandlerFunc(f)   →   rt.Callback(http.HandlerFunc(f)).(http.HandlerFunc)
//	cmd.Cancel = f        →   cmd.Cancel = rt.Callback(f).(func() error)

import (
	"go/ast"
	"go/types"

	"halfnote/repl/ir"
)

// callsElsewhere lists packages that call functions on goroutines of their own.
var callsElsewhere = map[string]bool{
	"context": true, "crypto/tls": true, "database/sql": true, "database/sql/driver": true, "net": true,
	"net/http": true, "net/http/cgi": true, "net/http/fcgi": true, "net/http/httptest": true,
	"net/http/httptrace": true, "net/http/httputil": true, "net/rpc": true, "os/exec": true,
	"runtime": true, "sync": true, "testing": true, "testing/synctest": true, "time": true,
}

// outward prepares e, a value of type t, for compiled code of pkg.
func (f *fn) outward(e ir.Expr, t types.Type, pkg *types.Package) ir.Expr {
	if _, nothing := e.(*ir.Zero); nothing || pkg == nil || !callsElsewhere[pkg.Path()] {
		return e
	}
	if _, ok := t.Underlying().(*types.Signature); !ok {
		return e
	}
	at := ir.At(e.Pos())
	return &ir.Assert{At: at, X: f.call(e.Pos(), "Callback", f.iface(e, anyStore)), Typ: e.Type()}
}

// toPlace is outward for a value that is assigned to x, which may be a compiled struct's field or a
// compiled package's variable.
func (f *fn) toPlace(e ir.Expr, x ast.Expr) ir.Expr {
	sel, ok := ast.Unparen(x).(*ast.SelectorExpr)
	if !ok {
		return e
	}
	return f.outward(e, f.typ(x), f.info.Uses[sel.Sel].Pkg())
}

// callee returns the compiled function or method that a call names, or nil.
func (f *fn) callee(x *ast.CallExpr) *types.Func {
	id := lastIdent(ast.Unparen(x.Fun))
	if id == nil {
		return nil
	}
	obj, ok := f.info.Uses[id].(*types.Func)
	if !ok || obj.Pkg() == nil || f.decls[obj.Origin()] != nil {
		return nil
	}
	return obj
}
