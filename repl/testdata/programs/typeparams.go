// Generics: constraints, inference, methods, recursive types, aliases, embedding and instances.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
)

type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~float32 | ~float64
}

type MyInt int

func (m MyInt) String() string { return "my" + strconv.Itoa(int(m)) }

func Sum[T Number](xs ...T) (s T) {
	for _, x := range xs {
		s += x
	}
	return s
}

func Map[T, U any](xs []T, f func(T) U) []U {
	out := make([]U, 0, len(xs))
	for _, x := range xs {
		out = append(out, f(x))
	}
	return out
}

func Filter[S ~[]E, E any](s S, keep func(E) bool) S {
	var out S
	for _, x := range s {
		if keep(x) {
			out = append(out, x)
		}
	}
	return out
}

func Reduce[T, A any](xs []T, a A, f func(A, T) A) A {
	for _, x := range xs {
		a = f(a, x)
	}
	return a
}

func Keys[M ~map[K]V, K cmp.Ordered, V any](m M) []K { return slices.Sorted(maps.Keys(m)) }

type Stack[T any] struct{ items []T }

func (s *Stack[T]) Push(xs ...T) *Stack[T] { s.items = append(s.items, xs...); return s }
func (s *Stack[T]) Pop() (x T, err error) {
	if len(s.items) == 0 {
		return x, errors.New("empty")
	}
	x, s.items = s.items[len(s.items)-1], s.items[:len(s.items)-1]
	return x, nil
}
func (s Stack[T]) Each() iter.Seq2[int, T] { return slices.All(s.items) }

type Pair[K comparable, V any] struct {
	Key K
	Val V
}

func (p Pair[K, V]) String() string                           { return fmt.Sprintf("<%v=%v>", p.Key, p.Val) }
func MakePair[K comparable, V any](k K, v V) Pair[K, V]       { return Pair[K, V]{k, v} }
func (p Pair[K, V]) Swap(f func(V) K, g func(K) V) Pair[K, V] { return Pair[K, V]{f(p.Val), g(p.Key)} }

type List[T any] struct {
	head *node[T]
	n    int
}
type node[T any] struct {
	v    T
	next *node[T]
}

func (l *List[T]) Add(v T) { l.head = &node[T]{v, l.head}; l.n++ }
func (l *List[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for n := l.head; n != nil && yield(n.v); n = n.next {
		}
	}
}

type Tree[K cmp.Ordered, V any] struct {
	root *branch[K, V]
}
type branch[K cmp.Ordered, V any] struct {
	Pair[K, V]
	kids [2]*branch[K, V]
}

func (t *Tree[K, V]) Put(k K, v V) {
	at := &t.root
	for *at != nil {
		switch c := cmp.Compare(k, (*at).Key); {
		case c == 0:
			(*at).Val = v
			return
		case c < 0:
			at = &(*at).kids[0]
		default:
			at = &(*at).kids[1]
		}
	}
	*at = &branch[K, V]{Pair: Pair[K, V]{k, v}}
}
func (b *branch[K, V]) walk(f func(Pair[K, V])) {
	if b != nil {
		b.kids[0].walk(f)
		f(b.Pair)
		b.kids[1].walk(f)
	}
}

type Set[T comparable] = map[T]struct{}
type Vec[T any] = []T
type IntPair[V any] = Pair[int, V]

type Shape interface{ Area() float64 }
type Sq float64

func (s Sq) Area() float64 { return float64(s * s) }

func Largest[S Shape](ss ...S) (best S) {
	for i, s := range ss {
		if i == 0 || s.Area() > best.Area() {
			best = s
		}
	}
	return
}

type Cloner[T any] interface {
	Clone() T
	comparable
}
type Doc struct{ s string }

func (d Doc) Clone() Doc { return Doc{d.s + "'"} }
func CloneIf[T Cloner[T]](a, b T) T {
	if a == b {
		return a.Clone()
	}
	return b
}

type Ptr[T any] interface {
	*T
	Set(string)
}
type Setting struct{ v string }

func (s *Setting) Set(v string) { s.v = v }
func Parse[T any, P Ptr[T]](ss []string) []T {
	out := make([]T, len(ss))
	for i, s := range ss {
		P(&out[i]).Set(s)
	}
	return out
}

type Opt[T any] func(*T)

func New[T any](opts ...Opt[T]) *T {
	t := new(T)
	for _, o := range opts {
		o(t)
	}
	return t
}

type Num[T Number] struct{ v T }

func (n Num[T]) Plus(m Num[T]) Num[T] { return Num[T]{n.v + m.v} }

type Embeds[T any] struct {
	Stack[T]
	name string
}

type Event[T any] struct{ subs []func(T) }

func (e *Event[T]) On(f func(T)) { e.subs = append(e.subs, f) }
func (e *Event[T]) Fire(v T) {
	for _, f := range e.subs {
		f(v)
	}
}

func Kind[T any](x T) string {
	switch any(x).(type) {
	case int:
		return "int"
	case string:
		return "string"
	case fmt.Stringer:
		return "stringer"
	case []T:
		return "slice of itself"
	}
	return fmt.Sprintf("%T", x)
}

func Zero[T any]() (z T) { return }
func Apply[T any](x T, fs ...func(T) T) T {
	for _, f := range fs {
		x = f(x)
	}
	return x
}
func Len[T ~string | ~[]byte](x T) int    { return len(x) }
func First[T ~string | ~[]byte](x T) byte { return x[0] }
func Conv[To, From Number](x From) To     { return To(x) }
func Ternary[T any](c bool, a, b T) T {
	if c {
		return a
	}
	return b
}
func Chan[T any](xs ...T) <-chan T {
	c := make(chan T, len(xs))
	for _, x := range xs {
		c <- x
	}
	close(c)
	return c
}
func Memo[K comparable, V any](f func(K) V) func(K) V {
	m := map[K]V{}
	return func(k K) V {
		v, ok := m[k]
		if !ok {
			v = f(k)
			m[k] = v
		}
		return v
	}
}

type A[T any] struct {
	b *B[T]
	v T
}
type B[T any] struct {
	a  *A[T]
	vs []A[T]
}

func Build[T any](v T) *A[T] { a := &A[T]{v: v}; a.b = &B[T]{a, []A[T]{{v: v}}}; return a }

func main() {
	fmt.Println(Sum(1, 2, 3), Sum(1.5, 2), Sum[MyInt](1, 2), Sum[float32]())
	fmt.Println(Map([]int{1, 2}, strconv.Itoa), Map([]string{"a"}, strings.ToUpper), Map([]int{1}, func(i int) MyInt { return MyInt(i) }))
	type Names []string
	ns := Filter(Names{"a", "bb", "ccc"}, func(s string) bool { return len(s) > 1 })
	fmt.Printf("%T %v\n", ns, ns)
	fmt.Println(Reduce([]int{1, 2, 3}, "", func(a string, i int) string { return a + strconv.Itoa(i) }))
	fmt.Println(Keys(map[string]int{"b": 1, "a": 2}))
	var s Stack[string]
	s.Push("a", "b").Push("c")
	x, err := s.Pop()
	fmt.Println(x, err, s)
	for i, v := range s.Each() {
		fmt.Print(i, v, " ")
	}
	_, err = new(Stack[int]).Pop()
	fmt.Println(err)
	p := MakePair("k", 1)
	fmt.Printf("%v %+v %T\n", p, Pair[MyInt, []int]{1, nil}, p)
	fmt.Println(p.Swap(strconv.Itoa, func(s string) int { return len(s) }), p == MakePair("k", 1))
	var l List[Pair[string, int]]
	l.Add(p)
	l.Add(MakePair("z", 2))
	fmt.Println(slices.Collect(l.All()), l.n)
	var t Tree[string, int]
	for i, w := range strings.Fields("the quick brown fox the lazy") {
		t.Put(w, i)
	}
	t.root.walk(func(p Pair[string, int]) { fmt.Print(p, " ") })
	fmt.Println(t.root.Key, t.root.Pair)
	set := Set[int]{1: {}, 2: {}}
	var v Vec[string] = Vec[string]{"x"}
	fmt.Println(len(set), v, IntPair[bool]{1, true})
	fmt.Println(Largest(Sq(2), Sq(3)), Largest[Shape](Sq(1)).Area())
	fmt.Println(CloneIf(Doc{"a"}, Doc{"a"}), CloneIf(Doc{"a"}, Doc{"b"}))
	fmt.Println(Parse[Setting]([]string{"p", "q"}))
	fmt.Println(*New(func(s *Setting) { s.v = "opt" }), *New[int]())
	fmt.Println(Num[int8]{100}.Plus(Num[int8]{100}), Num[float64]{1}.Plus(Num[float64]{.5}))
	e := Embeds[rune]{name: "e"}
	e.Push('a', 'b')
	fmt.Println(e, len(e.items))
	var ev Event[string]
	ev.On(func(s string) { fmt.Print("got ", s, " ") })
	ev.On(func(s string) { fmt.Println(len(s)) })
	ev.Fire("event")
	fmt.Println(Kind(1), Kind("s"), Kind(MyInt(2)), Kind([]int{}), Kind(p), Kind[any](nil), Kind[error](nil))
	fmt.Println(Zero[int](), Zero[*int]() == nil, Zero[Pair[int, string]](), Zero[[]int]() == nil, Zero[error]() == nil)
	fmt.Println(Apply(2, func(i int) int { return i * i }, func(i int) int { return i + 1 }), Len("héy"), First([]byte("x")))
	fmt.Println(Conv[int8](300.7), Conv[float64](MyInt(3)), Conv[MyInt](2.9), Ternary(true, "a", "b"), Ternary[any](false, 1, "x"))
	for x := range Chan(1, 2) {
		fmt.Print(x, " ")
	}
	calls := 0
	sq := Memo(func(i int) int { calls++; return i * i })
	fmt.Println(sq(3), sq(3), calls)
	a := Build("v")
	fmt.Println(a.b.a == a, a.b.vs[0].v)
	f := Map[string, int]
	fmt.Println(f([]string{"abc"}, func(s string) int { return len(s) }), sort.IsSorted(sort.IntSlice(f(nil, nil))))
	push := (*Stack[int]).Push
	var si Stack[int]
	push(&si, 4, 5)
	pop := si.Pop
	n, _ := pop()
	fmt.Println(n, si, slices.MaxFunc([]Pair[string, int]{{"a", 3}, {"b", 9}}, func(a, b Pair[string, int]) int { return cmp.Compare(a.Val, b.Val) }))
	fmt.Println(slices.SortedFunc(maps.Values(map[string]MyInt{"a": 3, "b": 1}), func(a, b MyInt) int { return int(a - b) }))
}
