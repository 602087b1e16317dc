package emit_test

import (
	"reflect"
	"testing"

	"github.com/traefik/yaegi/interp"

	"halfnote/repl/ir"
)

const benchSource = `package main

import "strings"

func run(f func()) {}

func leaf(x int) int { return x }

func empty(n int) {
	for i := 0; i < n; i++ {
	}
}

func static(n int) {
	s := 0
	for i := 0; i < n; i++ {
		s = leaf(s)
	}
}

func closure(n int) {
	f := func(x int) int { return x }
	s := 0
	for i := 0; i < n; i++ {
		s = f(s)
	}
}

func method(n int) {
	b := new(strings.Builder)
	s := 0
	for i := 0; i < n; i++ {
		s = b.Len()
	}
	s++
}

func compiled(n int) {
	s := false
	for i := 0; i < n; i++ {
		s = strings.Contains("abc", "b")
	}
	if s {
		n++
	}
}

func index(n int) {
	a := []int{1, 2, 3, 4}
	s := 0
	for i := 0; i < n; i++ {
		s += a[i&3]
	}
}

func pointer(n int) {
	p := new(int)
	for i := 0; i < n; i++ {
		*p += i
	}
}

func marked(n int) {
	p := new(int)
	for i := 0; i < n; i++ {
		*p = 123456
	}
}

func field(n int) {
	type pt struct{ x, y int }
	p := &pt{}
	for i := 0; i < n; i++ {
		p.x = p.y + i
	}
}

func rangeSlice(n int) {
	a := make([]int, n)
	s := 0
	for _, v := range a {
		s += v
	}
}

func fibs(n int) {
	for i := 0; i < n; i++ {
		fib(10)
	}
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}
`

func BenchmarkOps(b *testing.B) {
	m := newMachine(b)
	funcs := translate(b, m.FileSet(), m.types, nil, benchSource)
	m.run(b, &ir.Unit{Funcs: funcs})
	for _, f := range funcs {
		if f.Name == "leaf" || f.Name == "fib" || f.Name == "run" {
			continue
		}
		b.Run(f.Name, func(b *testing.B) {
			n := new(int)
			entry := &ir.Func{Name: "entry", Typ: reflect.TypeFor[func()](), Body: []ir.Stmt{
				&ir.ExprStmt{X: &ir.Call{Fun: &ir.FuncRef{Func: f}, Args: []ir.Expr{
					&ir.Deref{X: &ir.Extern{Pkg: ir.SessionPkg, Name: "n", Typ: reflect.TypeFor[*int](),
						Value: reflect.ValueOf(n)}},
				}}},
			}}
			p := m.compile(b, &ir.Unit{Entry: entry})
			*n = b.N
			b.ResetTimer()
			if _, err := m.Execute(p); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkCompile compiles a function of 100 lines.
func BenchmarkCompile(b *testing.B) {
	m := newMachine(b)
	src := "package main\n\nfunc f(n int) int {\n\ts := 0\n"
	for range 20 {
		src += "\tfor i := 0; i < n; i++ {\n\t\ts += i * 2\n\t\tif s > 100 {\n\t\t\ts = s - 50\n\t\t}\n\t}\n"
	}
	src += "\treturn s\n}\n"
	var p *interp.Program
	for b.Loop() {
		b.StopTimer()
		funcs := translate(b, m.FileSet(), m.types, nil, src)
		b.StartTimer()
		p = m.compile(b, &ir.Unit{Funcs: funcs})
	}
	_ = p
}
