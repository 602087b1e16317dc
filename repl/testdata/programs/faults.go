// What fails at run time says so with a runtime.Error that has Go's text.
package main

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"sync"
	"unsafe"
)

// try runs f and prints what it panics with, and whether that is a runtime.Error.
func try(name string, f func()) {
	defer func() {
		r := recover()
		_, ofGo := r.(runtime.Error)
		fmt.Println(name, "→", r, ofGo)
	}()
	f()
}

type point struct{ x, y int }

type grid struct {
	cells [][]int
	pair  *[2]point
}

func (g *grid) at(i, j int) int { return g.cells[i][j] }

func zero[T any]() (t T) { return }

func indexes() {
	s, a, text := []int{1, 2, 3}, [3]int{1, 2, 3}, "abc"
	p, g := &a, &grid{cells: [][]int{{1}, {2, 3}}, pair: &[2]point{}}
	for _, i := range []int{-1, 3, 1 << 40} {
		try("slice", func() { _ = s[i] })
		try("array", func() { _ = a[i] })
		try("pointer", func() { p[i] = 1 })
		try("string", func() { _ = text[i] })
		try("field", func() { g.pair[i].y++ })
		try("address", func() { _ = &s[i] })
	}
	try("unsigned", func() { _ = s[uint64(len(s))<<62] })
	try("byte", func() { _ = s[byte(200+len(s))] })
	try("method", func() { g.at(1, 2) })
	try("method", func() { g.at(2, 0) })
	try("second", func() { _ = s[2] + s[len(s)+1] })
	try("first", func() { _ = s[len(s)+2] + s[0] })
	try("nested", func() { _ = s[s[s[2]-1]+s[1]] })
	try("condition", func() {
		for i := 0; s[i] > 0; i++ {
		}
	})
	try("and", func() {
		if n := len(s); n == 3 && s[n] == 0 {
			fmt.Println("no")
		}
	})
	try("assign", func() { s[3] = 1 })
	try("add", func() { s[len(s)] += 2 })
	try("swap", func() { s[0], s[4] = s[1], s[0] })
	try("closure", func() {
		i := 7
		func() { fmt.Println(s[i]) }()
	})
	try("range", func() {
		for i := range s {
			fmt.Println(s[i+1])
		}
	})
	try("empty", func() { _ = zero[[]string]()[0] })
}

func slices() {
	s, a, text := make([]int, 3, 5), [3]int{}, "abc"
	for _, b := range [][2]int{{0, 6}, {-1, 2}, {2, 1}, {4, 5}, {0, -1}, {6, 7}} {
		lo, hi := b[0], b[1]
		try("slice", func() { _ = s[lo:hi] })
		try("array", func() { _ = a[lo:hi] })
		try("string", func() { _ = text[lo:hi] })
		try("low", func() { _ = s[lo:] })
		try("high", func() { _ = text[:hi] })
		try("full", func() { _ = s[lo:hi:hi] })
		try("most", func() { _ = s[:lo:hi] })
		try("array", func() { _ = (&a)[lo : hi+1 : hi] })
	}
	try("to array", func() { _ = [4]int(s) })
	try("to pointer", func() { _ = (*[4]int)(s) })
}

func sizes() {
	n, huge := -1, uint64(1)<<63
	try("len", func() { _ = make([]int, n) })
	try("cap", func() { _ = make([]int, 0, n) })
	try("len over cap", func() { _ = make([]int, 3-n, 2) })
	try("cap under len", func() { _ = make([]int, 2, -n) })
	try("unsigned", func() { _ = make([]int, huge) })
	try("unsigned cap", func() { _ = make([]int, 1, huge) })
	try("bytes", func() { _ = make([]int, 1<<60-n) })
	try("chan", func() { _ = make(chan int, n) })
	try("map", func() { fmt.Println(len(make(map[int]int, n))) })
	try("append", func() { _ = append(make([]struct{}, 1<<63-1), struct{}{}) })
}

type node struct {
	next *node
	name string
}

type named interface{ Name() string }

func (n *node) Name() string { return n.name }

func others() {
	var n *node
	var m map[string]int
	var f func()
	var i named
	var c chan int
	var e any
	none, count := 0, -1
	try("field", func() { _ = n.name })
	try("chain", func() { _ = (&node{}).next.next })
	try("set", func() { n.name = "x" })
	try("method", func() { n.Name() })
	try("interface", func() { i.Name() })
	try("function", func() { f() })
	try("map", func() { m["a"] = 1 })
	try("map entry", func() { m["a"]++ })
	try("divide", func() { _ = 1 / none })
	try("remainder", func() { _ = int8(1) % int8(none) })
	try("shift", func() { _ = 1 << count })
	try("shift right", func() { _ = uint8(1) >> int8(count) })
	try("close nil", func() { close(c) })
	c = make(chan int)
	close(c)
	try("close", func() { close(c) })
	try("send", func() { c <- 1 })
	try("hash", func() { _ = map[any]int{[]int{}: 1} })
	try("look up", func() { _ = map[any]int{1: 1}[func() {}] })
	try("compare", func() { _ = any([]int{}) == any([]int{}) })
	try("compare struct", func() { _ = any(struct{ f func() }{}) == any(struct{ f func() }{}) })
	try("assert nil", func() { _ = e.(int) })
	try("assert", func() { e = "s"; _ = e.(int) })
	try("assert interface", func() { _ = e.(named) })
	try("panic nil", func() { panic(nil) })
	try("reflect's own", func() { reflect.ValueOf([]int{1}).Index(1) })
	try("reflect's own", func() { reflect.ValueOf(0).Len() })
}

func pointers() {
	bytes, n := []byte("hello"), -1
	var none *int32
	try("Slice", func() { fmt.Println(unsafe.Slice(&bytes[1], 3), cap(unsafe.Slice(&bytes[1], 3))) })
	try("Slice nil", func() { fmt.Println(unsafe.Slice(none, 0) == nil) })
	try("Slice nil", func() { _ = unsafe.Slice(none, 1) })
	try("Slice len", func() { _ = unsafe.Slice(&bytes[0], n) })
	try("Slice size", func() { _ = unsafe.Slice(new(int64), 1<<61-n) })
	try("String", func() { fmt.Println(unsafe.String(&bytes[1], 3)) })
	try("String nil", func() { fmt.Println(unsafe.String(nil, 0) == "") })
	try("String nil", func() { _ = unsafe.String(nil, 1) })
	try("String len", func() { _ = unsafe.String(&bytes[0], n) })
	try("Data", func() {
		fmt.Println(*unsafe.SliceData(bytes[1:]), *unsafe.StringData("abc"), *unsafe.SliceData([]point{{1, 2}}))
	})
	try("Add", func() { fmt.Println(*(*byte)(unsafe.Add(unsafe.Pointer(&bytes[0]), 4))) })
	fmt.Println(offset[int8]()(), offset[string]()(), unsafe.Sizeof(point{}), unsafe.Alignof(bytes))
}

type pair[T any] struct {
	first T
	point
}

func offset[T any]() func() uintptr {
	return func() uintptr { var p pair[T]; return unsafe.Offsetof(p.y) + unsafe.Offsetof(p.point) }
}

// places tells where it is, as far as the call itself goes.
func places() {
	_, file, line, ok := runtime.Caller(0)
	func() {
		_, _, inner, _ := runtime.Caller(0)
		fmt.Println(filepath.Base(file), inner-line, ok)
	}()
}

// workers fail on many goroutines at once.
func workers() {
	texts := make([]any, 20)
	var done sync.WaitGroup
	for n := range texts {
		done.Add(1)
		go func() {
			defer done.Done()
			defer func() { texts[n] = recover() }()
			sum, xs := 0, make([]int, n)
			for i := 0; i <= n; i++ {
				sum += xs[i]
			}
		}()
	}
	done.Wait()
	for n, text := range texts {
		want := fmt.Sprintf("runtime error: index out of range [%d] with length %d", n, n)
		if fmt.Sprint(text) != want {
			fmt.Println(text)
		}
	}
}

func main() {
	workers()
	indexes()
	slices()
	sizes()
	others()
	pointers()
	places()
}
