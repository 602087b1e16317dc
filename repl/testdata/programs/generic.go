package main

import (
	"cmp"
	"fmt"
	"sort"
	"strings"
)

type Number interface {
	~int | ~int64 | ~float32 | ~float64
}

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

func Reduce[T, A any](xs []T, init A, f func(A, T) A) A {
	for _, x := range xs {
		init = f(init, x)
	}
	return init
}

type Stack[T any] struct{ items []T }

func (s *Stack[T]) Push(x T) { s.items = append(s.items, x) }
func (s *Stack[T]) Pop() (x T, ok bool) {
	if len(s.items) == 0 {
		return x, false
	}
	x = s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return x, true
}
func (s Stack[T]) Len() int { return len(s.items) }

type Pair[K comparable, V any] struct {
	Key K
	Val V
}

func (p Pair[K, V]) String() string { return fmt.Sprintf("%v=>%v", p.Key, p.Val) }

func Pairs[K cmp.Ordered, V any](m map[K]V) []Pair[K, V] {
	var out []Pair[K, V]
	for k, v := range m {
		out = append(out, Pair[K, V]{k, v})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Key < out[j].Key })
	return out
}

type List[T any] struct {
	head *elem[T]
	n    int
}

type elem[T any] struct {
	val  T
	next *elem[T]
}

func (l *List[T]) Add(v T) {
	l.head = &elem[T]{v, l.head}
	l.n++
}

func (l *List[T]) All() func(func(int, T) bool) {
	return func(yield func(int, T) bool) {
		i := 0
		for e := l.head; e != nil; e = e.next {
			if !yield(i, e.val) {
				return
			}
			i++
		}
	}
}

func MaxOf[T cmp.Ordered](a, b T) T {
	if a > b {
		return a
	}
	return b
}

type Celsius float64

type Tree[T any] struct {
	Left, Right *Tree[T]
	Val         T
}

func (t *Tree[T]) Walk(f func(T)) {
	if t == nil {
		return
	}
	t.Left.Walk(f)
	f(t.Val)
	t.Right.Walk(f)
}

func Insert[T any](t *Tree[T], v T, less func(a, b T) bool) *Tree[T] {
	if t == nil {
		return &Tree[T]{Val: v}
	}
	if less(v, t.Val) {
		t.Left = Insert(t.Left, v, less)
	} else {
		t.Right = Insert(t.Right, v, less)
	}
	return t
}

func Keys[M ~map[K]V, K comparable, V any](m M) int { return len(m) }

func Zero[T any]() T {
	var z T
	return z
}

func TypeName[T any](x T) string { return fmt.Sprintf("%T", x) }

type Set[T comparable] map[T]struct{}

func (s Set[T]) Add(v T)                 { s[v] = struct{}{} }
func (s Set[T]) Has(v T) bool            { _, ok := s[v]; return ok }
func Convert[To, From Number](f From) To { return To(f) }

func main() {
	fmt.Println(Sum(1, 2, 3), Sum(1.5, 2.5), Sum[Celsius](20, 1.5))
	fmt.Println(Map([]int{1, 2, 3}, func(i int) string { return strings.Repeat("*", i) }))
	fmt.Println(Reduce([]string{"a", "bb"}, 0, func(n int, s string) int { return n + len(s) }))
	var st Stack[string]
	st.Push("x")
	st.Push("y")
	v, ok := st.Pop()
	fmt.Println(v, ok, st.Len())
	si := Stack[int]{}
	_, ok = si.Pop()
	fmt.Println(ok)
	for _, p := range Pairs(map[string]int{"b": 2, "a": 1}) {
		fmt.Println(p, p.Key, p.Val)
	}
	var l List[float64]
	l.Add(1.5)
	l.Add(2.5)
	for i, v := range l.All() {
		fmt.Print(i, "=", v, " ")
	}
	fmt.Println(l.n)
	fmt.Println(MaxOf("a", "b"), MaxOf(3, 2))
	var t *Tree[string]
	for _, w := range strings.Fields("the quick brown fox") {
		t = Insert(t, w, func(a, b string) bool { return a < b })
	}
	t.Walk(func(s string) { fmt.Print(s, " ") })
	fmt.Println()
	fmt.Println(Keys(map[string]bool{"a": true}), Zero[int](), Zero[*int]() == nil, Zero[string]() == "")
	s := Set[int]{}
	s.Add(3)
	fmt.Println(s.Has(3), s.Has(4), len(s))
	fmt.Println(Convert[int](3.9), Convert[float64](int64(2)))
	fmt.Println(TypeName(3), TypeName("s"), TypeName([]float64{}))
	f := Sum[int]
	fmt.Println(f(4, 5))
}
