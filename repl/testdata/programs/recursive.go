// Functions that call each other, recursive types, method sets, closures in package variables.
package main

import (
	"fmt"
	"strings"
)

var handlers = map[string]func(...string) string{
	"echo": func(a ...string) string { return strings.Join(a, " ") },
	"help": help,
}

func help(...string) string { return fmt.Sprint(scale, " commands") }

var total, names = count("a", "b", "c")

func count(xs ...string) (int, []string) { return len(xs), xs }

var table = [...]struct {
	name string
	f    func(float64) float64
}{
	{"double", func(x float64) float64 { return x * scale }},
	{"self", func(x float64) float64 { return x }},
}

var scale = initScale()

func initScale() float64 { return 2 }

type Expr interface{ Eval(env Env) float64 }
type Env map[string]float64
type (
	Num   float64
	Var   string
	BinOp struct {
		op   byte
		l, r Expr
	}
	Call struct {
		f    func(...float64) float64
		args []Expr
	}
	Let struct {
		Var
		Val, In Expr
	}
)

func (n Num) Eval(Env) float64     { return float64(n) }
func (v Var) Eval(env Env) float64 { return env[string(v)] }
func (b BinOp) Eval(env Env) float64 {
	l, r := b.l.Eval(env), b.r.Eval(env)
	switch b.op {
	case '+':
		return l + r
	case '*':
		return l * r
	default:
		panic("unknown operator " + string(b.op))
	}
}
func (c *Call) Eval(env Env) float64 {
	var args []float64
	for _, a := range c.args {
		args = append(args, a.Eval(env))
	}
	return c.f(args...)
}
func (l Let) Eval(env Env) float64 {
	inner := Env{}
	for k, v := range env {
		inner[k] = v
	}
	inner[string(l.Var)] = l.Val.Eval(env)
	return l.In.Eval(inner)
}

type Node struct {
	Name     string
	Children []*Node
	Parent   *Node
	Attrs    map[string]*Node
	Visit    func(*Node) *Node
}

type T0 []T0
type T1 map[string]T1
type T2 func(T2) int
type T3 chan T3
type T4 *T4
type T5 struct {
	T6
	next *T5
}
type T6 struct{ back *T5 }
type T8 interface{ Next() T8 }

func (n *Node) Next() T8 {
	if len(n.Children) == 0 {
		return nil
	}
	return n.Children[0]
}

func (n *Node) Add(name string) *Node {
	c := &Node{Name: name, Parent: n}
	n.Children = append(n.Children, c)
	return c
}

func (n *Node) Walk(depth int, f func(*Node, int)) {
	f(n, depth)
	for _, c := range n.Children {
		c.Walk(depth+1, f)
	}
}

func even(n int) bool { return n == 0 || odd(n-1) }
func odd(n int) bool  { return n != 0 && even(n-1) }

type Machine struct {
	state func(*Machine) stateFn
	log   []string
}
type stateFn func(*Machine) stateFn

func start(m *Machine) stateFn  { m.log = append(m.log, "start"); return middle }
func middle(m *Machine) stateFn { m.log = append(m.log, "middle"); return end }
func end(m *Machine) stateFn    { m.log = append(m.log, "end"); return nil }

func hanoi(n int, a, b, c string, move func(string, string)) {
	if n > 0 {
		hanoi(n-1, a, c, b, move)
		move(a, b)
		hanoi(n-1, c, b, a, move)
	}
}

func permute(xs []int, yield func([]int)) {
	if len(xs) < 2 {
		yield(xs)
		return
	}
	for i := range xs {
		rest := append(append([]int{}, xs[:i]...), xs[i+1:]...)
		permute(rest, func(p []int) { yield(append([]int{xs[i]}, p...)) })
	}
}

func main() {
	fmt.Println(handlers["echo"]("a", "b"), handlers["help"](), total, names)
	for _, t := range table {
		fmt.Print(t.name, t.f(4), " ")
	}
	fmt.Println()
	e := Let{"x", BinOp{'+', Num(1), Num(2)}, BinOp{'*', Var("x"), &Call{func(xs ...float64) float64 {
		s := 0.0
		for _, x := range xs {
			s += x
		}
		return s
	}, []Expr{Var("x"), Num(4), Var("y")}}}}
	fmt.Println(e.Eval(Env{"y": 0.5}))
	func() {
		defer func() { fmt.Println(recover()) }()
		BinOp{'?', Num(1), Num(1)}.Eval(nil)
	}()
	root := &Node{Name: "root"}
	root.Add("a").Add("b").Add("c")
	root.Add("d").Parent.Attrs = map[string]*Node{"self": root}
	root.Visit = func(n *Node) *Node { return n.Children[1] }
	root.Walk(0, func(n *Node, d int) { fmt.Print(strings.Repeat(" ", d), n.Name, "|") })
	fmt.Println(root.Attrs["self"].Visit(root).Name)
	n := 0
	for x := T8(root); x != nil && n < 10; x = x.Next() {
		n++
		if x.(*Node).Children == nil {
			break
		}
	}
	fmt.Println(n)
	t0 := T0{nil, T0{}, T0{T0{}}}
	t1 := T1{"a": T1{"b": nil}}
	var t2 T2 = func(f T2) int { return 7 }
	t3 := make(T3, 1)
	t3 <- t3
	var t4 T4
	t4 = T4(&t4)
	t5 := &T5{}
	t5.back, t5.next = t5, t5
	fmt.Println(len(t0), len(t0[2]), len(t1["a"]), t2(t2), <-t3 == t3, *t4 == t4, t5.next.back.next == t5)
	fmt.Println(even(10), odd(7), even(3))
	m := &Machine{}
	for f := stateFn(start); f != nil; {
		f = f(m)
	}
	fmt.Println(m.log)
	moves := 0
	hanoi(4, "a", "b", "c", func(string, string) { moves++ })
	var perms [][]int
	permute([]int{1, 2, 3}, func(p []int) { perms = append(perms, p) })
	fmt.Println(moves, perms)
}
