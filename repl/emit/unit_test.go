package emit_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/constant"
	"go/format"
	"go/token"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/traefik/yaegi/interp"

	"halfnote/repl/emit"
	"halfnote/repl/ir"
)

func Example() {
	intType := reflect.TypeFor[int]()
	x := &ir.Var{Name: "x", Typ: intType}
	double := &ir.Func{
		Name: "double", Params: []*ir.Var{x}, Typ: reflect.TypeFor[func(int) int](),
		Body: []ir.Stmt{&ir.Return{Results: []ir.Expr{
			&ir.Binary{Op: token.ADD, X: &ir.Local{Var: x}, Y: &ir.Local{Var: x}},
		}}},
	}
	result := new(int)
	entry := &ir.Func{Name: "entry", Typ: reflect.TypeFor[func()](), Body: []ir.Stmt{&ir.Assign{
		Lhs: &ir.Deref{X: &ir.Extern{
			Pkg: ir.SessionPkg, Name: "result", Typ: reflect.TypeFor[*int](),
			Value: reflect.ValueOf(result),
		}},
		Rhs: &ir.Call{Fun: &ir.FuncRef{Func: double}, Args: []ir.Expr{
			&ir.Const{Typ: intType, Val: constant.MakeInt64(21)},
		}},
	}}}
	p, err := emit.New().Unit(&ir.Unit{Name: "cell 1", Funcs: []*ir.Func{double}, Entry: entry})
	if err != nil {
		fmt.Println(err)
		return
	}
	format.Node(os.Stdout, token.NewFileSet(), &ast.File{Name: p.File.Name, Decls: p.File.Decls[1:2]})
	fmt.Println()

	i := interp.New(interp.Options{})
	i.Use(interp.Exports{emit.SessionPath + "/" + emit.SessionPath: p.Symbols})
	prog, err := i.CompileAST(p.File)
	if err != nil {
		fmt.Println(err)
		return
	}
	i.Execute(prog)
	fmt.Println(*result)
	// Output:
	// package main
	//
	// func double·1(x·2 int) int {
	// 	return x·2 + x·2
	// }
	//
	// 42
}

// variable is a session variable as core sees it.
func variable(p any) *ir.Deref {
	return &ir.Deref{X: &ir.Extern{
		Pkg: ir.SessionPkg, Name: "v", Typ: reflect.TypeOf(p), Value: reflect.ValueOf(p),
	}}
}

func entry(body ...ir.Stmt) *ir.Func {
	return &ir.Func{Name: "entry", Typ: reflect.TypeFor[func()](), Body: body}
}

// TestLaterUnits uses functions and variables of earlier units, as later cells do.
func TestLaterUnits(t *testing.T) {
	m := newMachine(t)
	n, s, f := new(int), new([]int), new(func(int) int)
	funcs := translate(t, m.FileSet(), m.types, nil, `package main
func inc(x int) int { return x + 1 }
func twice(f func(int) int, x int) int { return f(f(x)) }
`)
	inc, twice := &ir.FuncRef{Func: funcs[0]}, &ir.FuncRef{Func: funcs[1]}
	m.run(t, &ir.Unit{Funcs: funcs, Entry: entry(
		&ir.Assign{Lhs: variable(n), Rhs: &ir.Call{Fun: inc, Args: []ir.Expr{variable(n)}}},
		&ir.Assign{Lhs: variable(f), Rhs: inc},
	)})
	for range 3 {
		m.run(t, &ir.Unit{Entry: entry(
			&ir.Assign{Lhs: variable(n), Rhs: &ir.Call{
				Fun: twice, Args: []ir.Expr{variable(f), variable(n)},
			}},
			&ir.Assign{Lhs: variable(s), Rhs: &ir.Builtin{
				Op: "append", Typ: reflect.TypeFor[[]int](), Args: []ir.Expr{variable(s), variable(n)},
			}},
			&ir.Assign{
				Lhs: &ir.Index{X: variable(s), I: &ir.Zero{Typ: reflect.TypeFor[int]()}},
				Rhs: variable(n),
			},
		)})
	}
	if *n != 7 || fmt.Sprint(*s) != "[7 5 7]" || (*f)(1) != 2 {
		t.Errorf("got %d %v %d", *n, *s, (*f)(1))
	}
}

// TestPlace looks where a panic was.
func TestPlace(t *testing.T) {
	m := newMachine(t)
	src := `package main
import ("bytes"; "strings"; "strconv")
type node struct { next *node; v []int }
func f(n int) int {
	s := []int{1, 2}
	r := s[0] +
		s[n]
	return r
}
func g(p *node) int {
	x := 1
	x++
	return x + p.next.v[0]
}
func h(n int) string {
	a := strings.ToUpper("a")
	b := strings.Repeat(
		strings.ToLower(a), n)
	return a + b
}
func k(m map[string]int) {
	x := len(m)
	x++
	m["a"] = x
}
func l(n int) int {
	for i := 0; ; i++ {
		if 10 / (n - i) > 100 {
			break
		}
	}
	return 0
}
func ok() { strconv.Itoa(1) }
func c(f func(int) int) int {
	return 1 +
		f(2)
}
func low(s string) string {
	return strings.ToLower(s)
}
func o(n int) string {
	a := "A"
	return strings.Repeat(low(a), n)
}
func p(n int) string {
	a := []byte("A")
	return "b" + string(bytes.Repeat(append(a, low("B")...), n))
}
`
	funcs := map[string]*ir.Func{}
	list := translate(t, m.FileSet(), m.types, nil, src)
	m.run(t, &ir.Unit{Funcs: list})
	for _, f := range list {
		funcs[f.Name] = f
	}
	neg := &ir.Const{Typ: reflect.TypeFor[int](), Val: constant.MakeInt64(-1)}
	two := &ir.Const{Typ: reflect.TypeFor[int](), Val: constant.MakeInt64(2)}
	for _, c := range []struct {
		name string
		arg  ir.Expr
		line int
	}{
		{"f", two, 7}, {"g", &ir.Zero{Typ: funcs["g"].Typ.In(0)}, 13}, {"h", neg, 17},
		{"k", &ir.Zero{Typ: funcs["k"].Typ.In(0)}, 24}, {"l", two, 28},
		{"c", &ir.Zero{Typ: funcs["c"].Typ.In(0)}, 37},
		{"o", neg, 44}, {"p", neg, 48},
	} {
		m.place = 0
		p := m.compile(t, &ir.Unit{Entry: entry(&ir.ExprStmt{
			X: &ir.Call{Fun: &ir.FuncRef{Func: funcs[c.name]}, Args: []ir.Expr{c.arg}},
		})})
		if _, err := m.Execute(p); err == nil {
			t.Errorf("%s does not panic", c.name)
		}
		if got := m.FileSet().Position(token.Pos(m.place)); got.Line != c.line {
			t.Errorf("%s: the panic is at %v, want line %d", c.name, got, c.line)
		}
	}
}

// TestInterrupt stops loops that would not end.
func TestInterrupt(t *testing.T) {
	m := newMachine(t)
	list := translate(t, m.FileSet(), m.types, m.hosts, `package main
func out(args ...any) {}
func spin() { for {} }
func count() { for i := 0; ; i++ { if i < 0 { break } } }
func nest() { f := func() int { return 1 }; for f() == 1 {} }
func wait() { c := make(chan int); <-c }
func deep(n int) int { if n < 0 { return 0 }; return deep(n+1) + deep(n+1) }
func send() { c := make(chan int); c <- 1 }
func after() { out("alive") }
`)
	m.run(t, &ir.Unit{Funcs: list})
	for _, f := range list {
		if f.Name == "after" || f.Name == "deep" {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		_, err := m.ExecuteWithContext(ctx, m.compile(t, call(f)))
		ended := ctx.Err() == nil // by itself; a call that is cut off may end the loop without error
		cancel()
		if err == nil && ended {
			t.Errorf("%s ended by itself", f.Name)
		}
	}
	m.run(t, call(list[len(list)-1]))
	if got := m.out.String(); got != "alive\n" {
		t.Errorf("got %q", got)
	}
}

func TestRefuses(t *testing.T) {
	unknown := &ir.Func{Name: "f", Typ: reflect.TypeFor[func()]()}
	v := &ir.Var{Name: "v", Typ: reflect.TypeFor[int]()}
	for want, s := range map[string]ir.Stmt{
		"function f is not known":       &ir.ExprStmt{X: &ir.Call{Fun: &ir.FuncRef{Func: unknown}}},
		"variable v is not declared":    &ir.ExprStmt{X: &ir.Local{Var: v}},
		"label L is not that of a loop": &ir.Break{Label: "L"},
	} {
		_, err := emit.New().Unit(&ir.Unit{Entry: entry(s)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestPrintedCore prints what the cases are made of, which finds forms without a text.
func TestPrintedCore(t *testing.T) {
	for _, file := range caseFiles(t) {
		m := newMachine(t)
		unit := &ir.Unit{Funcs: m.translateCases(t, read(t, file))}
		if printed := ir.Sprint(unit); strings.Contains(printed, "*ir.") {
			t.Errorf("%s: core has a form without a text", file)
		}
	}
}
