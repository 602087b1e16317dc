package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"testing"
	"text/template/parse"
)

type TB struct {
	testing.TB
	logs []string
}

func (t *TB) Log(a ...any) { t.logs = append(t.logs, fmt.Sprint(a...)) }
func helper(t testing.TB)  { t.Log("hi", 1) }

type W struct{ ast.Expr }
type RT struct{ reflect.Type }

func (r RT) Name() string { return "RT" + r.Type.Name() }

type own struct{ ast.Expr }

func (own) exprNode() {}

type PN struct {
	parse.Node
	x int
}
type PN2 struct{ *parse.TextNode }

func main() {
	t := &TB{}
	helper(t)
	fmt.Println(t.logs)
	var x any = t
	_, ok := x.(testing.TB)
	fmt.Println(ok)
	e, _ := parser.ParseExpr("a+b*c")
	w := &ast.BinaryExpr{X: W{e}, Op: token.ADD, Y: &W{e}}
	fmt.Println(w.X.(W).Expr == e, w.X.Pos())
	fmt.Println(reflect.TypeOf(w.X).NumMethod(), reflect.TypeOf(w.X).Method(0).Name)
	var rt reflect.Type = RT{reflect.TypeOf(1)}
	fmt.Println(rt.Name(), rt.Kind(), rt)
	fmt.Println(rt.(interface{ Size() uintptr }).Size())
	var o any = own{e}
	_, ok = o.(ast.Expr)
	fmt.Println(ok)
	_, ok = o.(interface{ exprNode() })
	fmt.Println(ok)
	_, ok = any(W{}).(interface{ exprNode() })
	fmt.Println(ok)
	var n parse.Node = PN{&parse.TextNode{Text: []byte("x")}, 1}
	fmt.Println(n.String(), n.Type(), n)
	n = PN2{&parse.TextNode{Text: []byte("y")}}
	fmt.Println(n.String(), n.Type())
}
