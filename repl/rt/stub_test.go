package rt_test

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"halfnote/repl/rt"
)

// TestStubArguments: parameters and results of each kind, more than there are registers for, come
// through.
func TestStubArguments(t *testing.T) {
	m := newMirror(t)
	x := m.real(t, many{1})
	all := x.(interface {
		All(a int, b float64, c string, d [2]int, e []byte, f complex128, g float32, h func() int,
			i uint8, j map[string]int, k any, l ...string) (string, float64, error)
	}).All
	three := func() int { return 3 }
	for _, f := range []any{all, reflect.ValueOf(x).Method(0).Interface()} {
		args := []any{2, 2.5, "c", [2]int{4, 5}, []byte("e"), 6 + 7i, float32(1.25), three, uint8(8),
			map[string]int{"j": 9}, point{1, 2}, "l", "m"}
		var in []reflect.Value
		for _, a := range args {
			in = append(in, reflect.ValueOf(a))
		}
		out := reflect.ValueOf(f).Call(in)
		got := fmt.Sprint(out[0], out[1], out[2])
		want := "1 2 2.5c[4 5] [101] (6+7i) 1.25 3 8 map[j:9] {1 2} [l m] 2.5 failure 2"
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestStubCode: the code behind a stub may do what changes stacks under it.
func TestStubCode(t *testing.T) {
	m := newMirror(t)
	red := m.real(t, color("red")).(fmt.Stringer)
	set := func(code func(c *color) string) {
		rt.SetMethod(m.Real(m.typeOf(reflect.TypeFor[color]())), "String", code)
	}
	wait := make(chan string)
	set(func(c *color) string {
		runtime.Gosched()
		return string(*c) + <-wait
	})
	got := make(chan string)
	for range 3 {
		go func() { got <- red.String() }()
	}
	for _, s := range []string{"a", "b", "c"} {
		wait <- s
		runtime.GC()
		if g := <-got; g != "red"+s {
			t.Errorf("after another goroutine: got %q", g)
		}
	}

	set(func(c *color) string { return string(*c) + deep(10_000) })
	if g := red.String(); g != "red0" {
		t.Errorf("on a stack that grows: got %q", g)
	}

	set(func(c *color) string { panic("in " + string(*c)) })
	func() {
		defer func() {
			if r := recover(); fmt.Sprint(r) != "in red" {
				t.Errorf("recovered %v", r)
			}
		}()
		_ = red.String()
	}()

	set(func(c *color) string { return fmt.Sprint(recover()) + string(*c) })
	func() {
		defer red.String()
		panic("recovered by the method")
	}()

	set(func(c *color) string {
		buf := make([]byte, 1<<16)
		return string(buf[:runtime.Stack(buf, false)])
	})
	if g := red.String(); !strings.Contains(g, "TestStubCode") {
		t.Errorf("the caller is not on the stack:\n%s", g)
	}
}

// deep returns what it gets to by calling itself n times.
func deep(n int) string {
	if n == 0 {
		return "0"
	}
	return deep(n - 1)
}
