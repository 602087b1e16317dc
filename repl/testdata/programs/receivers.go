package main

import (
	"encoding/json"
	"fmt"
	"runtime"
)

type T struct{ a int }

func (t T) M() string { return fmt.Sprint(t.a) }

type G[X any] struct{ x X }

func (g G[X]) M() string { return fmt.Sprint(g.x) }

type E struct{ *T }
type E2 struct{ T }
type N int

func (n N) M() string { return fmt.Sprint(int(n)) }

type PT struct{ p *int }

func (p PT) M() string { return "pt" }

type Mer interface{ M() string }
type MT map[string]int

func (m MT) M() string { return "m" }

func try(f func() string) {
	defer func() {
		r := recover()
		_, ok := r.(runtime.Error)
		fmt.Printf("%v %v\n", r, ok)
	}()
	fmt.Println(f())
}

type Self struct {
	*Self
	I Mer
}

func main() {
	for _, m := range []Mer{(*T)(nil), (*G[int])(nil), (*G[T])(nil), (*E)(nil), E{}, &E{}, (*E2)(nil), (*N)(nil), (*PT)(nil), (*MT)(nil), MT(nil)} {
		try(m.M)
		try(func() string { return m.M() })
	}
	var p *T
	try(func() string { return p.M() })
	try(func() string { return (*p).M() })
	try(func() string { f := p.M; return f() })
	try(func() string { return (*T).M(p) })
	try(func() string { f := (*T).M; return f(p) })
	try(func() string { f := Mer.M; return f(p) })
	try(func() string { f := (*G[int]).M; return f(nil) })
	try(func() string { f := (*E).M; return f(nil) })
	s := Self{}
	s.Self = &s
	fmt.Println(json.Unmarshal([]byte(`{"I":[1]}`), &s), s.I)
}
