package ir_test

import (
	"go/constant"
	"go/token"
	"os"
	"reflect"

	"halfnote/repl/ir"
)

func ExampleFprint() {
	intType := reflect.TypeFor[int]()
	n := &ir.Var{Name: "n", Typ: intType}
	p := &ir.Var{Name: "p", Typ: reflect.TypeFor[*int]()}
	one := &ir.Const{Typ: intType, Val: constant.MakeInt64(1)}
	next := &ir.Func{Name: "next", Typ: reflect.TypeFor[func() int](), Body: []ir.Stmt{
		&ir.Assign{Lhs: &ir.Deref{X: &ir.Local{Var: p}}, Rhs: &ir.Binary{
			Op: token.ADD, X: &ir.Deref{X: &ir.Local{Var: p}}, Y: one,
		}},
		&ir.Return{Results: []ir.Expr{&ir.Deref{X: &ir.Local{Var: p}}}},
	}}
	counter := &ir.Func{
		Name: "counter", Params: []*ir.Var{n}, Typ: reflect.TypeFor[func(int) func() int](),
		Body: []ir.Stmt{
			&ir.Define{Var: p, Init: &ir.Builtin{Op: "new", Typ: p.Typ}},
			&ir.Assign{Lhs: &ir.Deref{X: &ir.Local{Var: p}}, Rhs: &ir.Local{Var: n}},
			&ir.Return{Results: []ir.Expr{&ir.Closure{Fn: next, Captures: []*ir.Var{p}}}},
		},
	}
	ir.Fprint(os.Stdout, &ir.Unit{Funcs: []*ir.Func{counter}})
	// Output:
	// func counter(n int) func() int {
	// 	var p *int = new(int)
	// 	*p = n
	// 	return func[p]() int {
	// 		*p = (*p + 1)
	// 		return *p
	// 	}
	// }
}
