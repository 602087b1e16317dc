// Ranging over functions: break, continue, return, goto, labels and defer in the body.
package main

import (
	"fmt"
	"iter"
	"maps"
	"slices"
)

func count(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		defer fmt.Println("  end of count", n)
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func pairs(words ...string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i, w := range words {
			if !yield(i, w) {
				return
			}
		}
	}
}

func find(want int) (at string, ok bool) {
outer:
	for i := range count(3) {
		for j := range count(3) {
			switch {
			case i*10+j == want:
				return fmt.Sprint(i, j), true
			case j > i:
				continue outer
			case i == 2 && j == 1:
				break outer
			}
		}
	}
	return "none", false
}

func deferred() (out []int) {
	defer func() { out = append(out, 100) }()
	for i := range count(3) {
		defer func() { out = append(out, i) }()
		if i == 1 {
			defer func() { out = append(out, i*10) }()
		}
	}
	out = append(out, -1)
	return out
}

func named() (n int, err error) {
	for i := range count(5) {
		n += i
		if i == 3 {
			err = fmt.Errorf("at %d", i)
			return
		}
		if i == 4 {
			return n, nil
		}
	}
	return -1, nil
}

func nested() string {
	for i := range count(2) {
		for j := range pairs("a", "b") {
			for k := range 2 {
				if i == 1 && j == 1 && k == 1 {
					return fmt.Sprint(i, j, k)
				}
			}
		}
	}
	return ""
}

func jump() {
	n := 0
again:
	for i := range count(3) {
		n++
		if i == 1 && n < 4 {
			goto again
		}
	}
	fmt.Println("jumped", n)
}

func selects() {
	c := make(chan int, 3)
loop:
	for i := range count(4) {
		select {
		case c <- i:
			if i == 1 {
				continue loop
			}
		default:
			break loop
		}
	}
	fmt.Println(len(c))
}

func panics() {
	defer func() { fmt.Println("recovered", recover()) }()
	for i := range count(3) {
		if i == 1 {
			panic(fmt.Sprint("in body ", i))
		}
	}
}

func late() {
	defer func() { fmt.Println("late:", recover()) }()
	var keep func(int) bool
	for range func(yield func(int) bool) { keep = yield; yield(1) } {
	}
	keep(2)
}

func ignored() {
	defer func() { fmt.Println("ignored:", recover()) }()
	for i := range func(yield func(int) bool) { yield(1); yield(2) } {
		fmt.Println("body", i)
		break
	}
}

func closures() {
	var fs []func() int
	for i := range count(3) {
		i := i * 2
		fs = append(fs, func() int { i++; return i })
	}
	for _, f := range fs {
		fmt.Print(f(), f(), " ")
	}
	fmt.Println()
}

type tree[T any] struct {
	left, right *tree[T]
	value       T
}

func (t *tree[T]) all(yield func(T) bool) bool {
	return t == nil || t.left.all(yield) && yield(t.value) && t.right.all(yield)
}

func (t *tree[T]) All() iter.Seq[T] { return func(yield func(T) bool) { t.all(yield) } }

func assigned() {
	var k int
	var v string
	m := map[string]int{}
	for k, v = range pairs("x", "y", "z") {
		if v == "y" {
			break
		}
	}
	for m[v], v = range pairs("p", "q") {
	}
	fmt.Println(k, v, m)
}

func pull() {
	next, stop := iter.Pull(count(3))
	a, ok := next()
	b, _ := next()
	stop()
	_, after := next()
	fmt.Println(a, ok, b, after)
	next2, stop2 := iter.Pull2(pairs("only"))
	defer stop2()
	i, s, ok := next2()
	_, _, more := next2()
	fmt.Println(i, s, ok, more)
}

func main() {
	for _, n := range []int{11, 2, 21, 10} {
		fmt.Println(find(n))
	}
	fmt.Println(deferred())
	fmt.Println(named())
	fmt.Println(nested())
	jump()
	selects()
	panics()
	late()
	ignored()
	closures()
	t := &tree[string]{&tree[string]{nil, nil, "a"}, &tree[string]{nil, nil, "c"}, "b"}
	for s := range t.All() {
		fmt.Print(s, " ")
		if s == "b" {
			break
		}
	}
	fmt.Println(slices.Collect(t.All()))
	assigned()
	swallowed()
	again()
	inner()
	pull()
	for range count(2) {
		fmt.Println("twice")
	}
	fmt.Println(slices.Sorted(maps.Keys(map[int]bool{3: true, 1: true})))
}

func swallowed() {
	defer func() { fmt.Println("swallowed:", recover()) }()
	for range func(yield func() bool) {
		defer func() { fmt.Println("iterator:", recover()) }()
		yield()
	} {
		panic("body")
	}
}

func again() {
	defer func() { fmt.Println("again:", recover()) }()
	for i := range func(yield func(int) bool) {
		func() {
			defer func() { recover() }()
			yield(1)
		}()
		yield(2)
	} {
		if i == 1 {
			panic("first")
		}
		fmt.Println("never")
	}
}

func inner() {
	for i := range count(2) {
		n := 0
	retry:
		if n < i+1 {
			n++
			goto retry
		}
		for j := range count(3) {
			if j == 1 {
				goto next
			}
		}
		fmt.Println("never")
	next:
		fmt.Println("next", i, n)
	}
}
