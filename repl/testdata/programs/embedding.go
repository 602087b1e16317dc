// Embedding, promoted methods, method values and expressions, struct and array values.
package main

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

type Animal interface {
	Name() string
	Sound() string
}

type Base struct{ name string }

func (b Base) Name() string     { return b.name }
func (b *Base) Rename(n string) { b.name = n }
func (b Base) Describe() string { return "I am " + b.Name() }

type Dog struct {
	Base
	age int
}

func (d Dog) Sound() string { return "woof" }

type Puppy struct {
	*Dog
	toy string
}

func (p Puppy) Sound() string { return "yip" + p.Dog.Sound() }

type Loud struct{ Animal }

func (l Loud) Sound() string { return strings.ToUpper(l.Animal.Sound()) }

type Logger struct {
	strings.Builder
	prefix string
}

func (l *Logger) Log(s string) { l.WriteString(l.prefix + s + ";") }

type Inner struct{ X, Y int }
type Mid struct {
	Inner
	X string
}
type Outer struct {
	*Mid
	Y float64
	error
}

type byLen []string

func (b byLen) Len() int           { return len(b) }
func (b byLen) Less(i, j int) bool { return len(b[i]) < len(b[j]) }
func (b byLen) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type rev struct{ sort.Interface }

func (r rev) Less(i, j int) bool { return r.Interface.Less(j, i) }

type Func func(int) int

func (f Func) Twice(n int) int { return f(f(n)) }

type List []int

func (l *List) Push(n int) { *l = append(*l, n) }
func (l List) Sum() (s int) {
	for _, n := range l {
		s += n
	}
	return
}

type Map map[string]List

func (m Map) Add(k string, n int) { l := m[k]; l.Push(n); m[k] = l }

type Point struct{ X, Y int }

func (p Point) Add(q Point) Point   { return Point{p.X + q.X, p.Y + q.Y} }
func (p *Point) Scale(k int) *Point { p.X *= k; p.Y *= k; return p }

func embedding() {
	d := Dog{Base{"rex"}, 3}
	p := Puppy{&d, "ball"}
	p.Rename("max")
	fmt.Println(d.Name(), p.Name(), p.name, p.Dog.Base.name, p.Describe(), p.Sound(), d.Sound())
	var a Animal = p
	l := Loud{a}
	fmt.Println(l.Name(), l.Sound(), Loud{l}.Sound(), Loud{Loud{&d}}.Name())
	var log Logger
	log.prefix = ">"
	log.Log("one")
	log.Log("two")
	fmt.Println(log.String(), log.Len())
	o := Outer{&Mid{Inner{1, 2}, "x"}, 3.5, errors.New("inside")}
	o.Inner.X = 9
	fmt.Println(o.X, o.Y, o.Mid.Y, o.Inner, o.Error())
	var err error = o
	fmt.Println(err)
	words := byLen{"ccc", "a", "bb"}
	sort.Sort(words)
	fmt.Println(words)
	sort.Sort(rev{words})
	fmt.Println(words)
	_, isAnimal := any(d.Base).(Animal)
	_, isNamer := any(d.Base).(interface{ Name() string })
	_, renamer := any(d).(interface{ Rename(string) })
	_, ptrRenamer := any(&d).(interface{ Rename(string) })
	fmt.Println(isAnimal, isNamer, renamer, ptrRenamer)
}

func methods() {
	p := Point{1, 2}
	add, scale := p.Add, p.Scale
	p.X = 100
	scale(2)
	fmt.Println(add(Point{1, 1}), p)
	f, g := Point.Add, (*Point).Scale
	fmt.Println(f(p, p), *g(&p, 2), p)
	h := (*Point).Add
	fmt.Println(h(&p, Point{}))
	fmt.Println(Func(func(n int) int { return n * 3 }).Twice(2))
	twice := Func.Twice
	fmt.Println(twice(func(n int) int { return n + 1 }, 5))
	var l List
	push := l.Push
	push(1)
	push(2)
	l.Push(3)
	fmt.Println(l, l.Sum(), List.Sum(l[1:]))
	m := Map{}
	m.Add("a", 1)
	m.Add("a", 2)
	fmt.Println(m, m["a"].Sum())
	var a Animal = Dog{Base{"fido"}, 1}
	name, sound := a.Name, Animal.Sound
	a = Loud{a}
	fmt.Println(name(), sound(a))
	fs := map[string]func() string{"n": a.Name, "s": a.Sound}
	fmt.Println(fs["n"](), fs["s"]())
	func(fs ...func(Point) Point) {
		q := Point{1, 1}
		for _, f := range fs {
			q = f(q)
		}
		fmt.Println(q)
	}(p.Add, add, Point{5, 5}.Add)
	pp := &p
	ppp := &pp
	(*ppp).Scale(1)
	(**ppp).X++
	fmt.Println((*ppp).X, pp.Add(**ppp))
	arr := [2]Point{{1, 2}, {3, 4}}
	arr[1].Scale(10)
	s := arr[:]
	s[0].Scale(5)
	ms := map[string]*Point{"a": {1, 1}}
	ms["a"].Scale(7).Scale(2)
	fmt.Println(arr, *ms["a"], *(&Point{2, 3}).Scale(2))
}

func values() {
	a := [3][2]int{{1, 2}, {3, 4}}
	b := a
	b[0][1] = 9
	c := &a
	c[2][0] = 7
	fmt.Println(a, b, a == b, a != [3][2]int{{1, 2}, {3, 4}, {7, 0}}, len(c))
	modify := func(x [3][2]int) [3][2]int { x[0][0] = 100; return x }
	fmt.Println(modify(a)[0], a[0])
	type key struct {
		p Point
		s string
		f any
	}
	m := map[key]int{{Point{1, 2}, "a", 1}: 1, {Point{1, 2}, "a", "1"}: 2}
	m[key{Point{1, 2}, "a", 1}] += 10
	fmt.Println(m[key{Point{1, 2}, "a", 1}], m[key{Point{1, 2}, "a", "1"}], len(m), m[key{}])
	ma := map[[2]string]bool{{"a", "b"}: true}
	fmt.Println(ma[[2]string{"a", "b"}], ma[[2]string{"b", "a"}])
	p, q := Point{1, 2}, Point{1, 2}
	fmt.Println(p == q, &p == &q, &p == &p, any(p) == any(q), any(&p) == any(&q), any(p) == any(1))
	anon := struct {
		X, Y int
	}{1, 2}
	fmt.Println(anon == struct{ X, Y int }(p), Point(anon) == p)
	type T struct {
		_ int
		a int
		_ string
	}
	fmt.Println(T{a: 1} == T{a: 1}, T{a: 1} == T{a: 2})
	var e1, e2 error = fmt.Errorf("x"), nil
	fmt.Println(e1 == e2, e2 == nil, e1 == e1)
	s := []Point{{1, 2}, {3, 4}}
	t := s
	t[0].X = 50
	s = append(s[:1], s[1:]...)
	for i, v := range s {
		v.X = -1
		s[i].Y++
	}
	fmt.Println(s, t)
	var grid [2][3]string
	for i := range grid {
		for j := range grid[i] {
			grid[i][j] = fmt.Sprint(i, j)
		}
	}
	row := grid[1]
	row[0] = "changed"
	fmt.Println(grid, row)
	x := []int{1, 2, 3, 4, 5}
	y := x[1:3]
	y = append(y, 99)
	z := x[1:3:3]
	z = append(z, 77)
	fmt.Println(x, y, z, len(y), cap(y), cap(z) >= 3, copy(x[2:], x), x, copy(x, []int{}))
	var np *Point
	func() {
		defer func() { fmt.Println(recover()) }()
		fmt.Println(np.Add(p))
	}()
	iface := []any{p, &p, nil, a, s[:0], "x", 1.5}
	for _, v := range iface {
		switch v := v.(type) {
		case Point:
			fmt.Print("point ", v.X, " ")
		case *Point:
			fmt.Print("pointer ", v.X, " ")
		case [3][2]int:
			fmt.Print("array ", v[0], " ")
		case []Point:
			fmt.Print("slice ", len(v), " ")
		case nil:
			fmt.Print("nil ")
		default:
			fmt.Printf("%T ", v)
		}
	}
	fmt.Println()
}

func main() {
	embedding()
	methods()
	values()
}
