package main

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
)

type point struct{}

type method interface{ m() }

// Runtime errors are of Go's own types.
func main() {
	var x any = "s"
	var none *point
	var ints []int
	four, five, minus, zero := 4, 5, -1, 0
	text, array := "abc", [3]int{}
	for _, f := range []func(){
		func() { _ = x.(int) },
		func() { _ = x.(point) },
		func() { _ = x.(fmt.Stringer) },
		func() { _ = any(none).(method) },
		func() { _ = method(nil).(*point2) },
		func() { _ = any(nil).(error) },
		func() { _ = ints[four] },
		func() { _ = text[five] },
		func() { _ = array[minus] },
		func() { _ = array[uint64(1<<63)+uint64(four)] },
		func() { _ = ints[four:] },
		func() { _ = text[:five] },
		func() { _ = text[minus:] },
		func() { _ = array[:four] },
		func() { _ = array[2:four:3] },
		func() { _ = make([]int, 4, 9)[five:four:five] },
		func() { _ = make([]int, 4)[:five:four] },
		func() { _ = make([]int, 4)[:2:five] },
		func() { _ = [5]int(make([]int, four)) },
		func() { _ = make([]int, minus) },
		func() { _ = make(chan int, minus) },
		func() { _ = four / zero },
		func() { _ = four << minus },
		func() { _ = *none },
		func() { (map[any]int{})[ints] = 1 },
		func() { (map[int]int)(nil)[1] = 1 },
		func() { close((chan int)(nil)) },
		func() { panic(nil) },
	} {
		tell(f)
	}
}

type point2 struct{}

func (*point2) m() {}

func tell(f func()) {
	defer func() {
		err, ok := recover().(error)
		var failed *runtime.TypeAssertionError
		var any runtime.Error
		fmt.Printf("%T: %v\n", err, err)
		fmt.Println(ok, errors.As(err, &failed), errors.As(err, &any), reflect.TypeOf(err))
	}()
	f()
}
