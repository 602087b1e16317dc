//go:build amd64 || arm64

package rt_test

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"halfnote/repl/rt"
)

type callee struct{ n int }

func (c *callee) Add(k int) int { c.n += k; return c.n }

type adder interface {
	Add(k int) int
	fmt.Stringer
}

func (c *callee) String() string { return fmt.Sprint("callee ", c.n) }

// callArgs returns the addresses of values, and their types; a *any is the address of one.
func callArgs(values []any) (at [rt.MostArgs]unsafe.Pointer, types []reflect.Type) {
	for i, x := range values {
		v, isPointer := reflect.ValueOf(x), false
		if _, isPointer = x.(*any); !isPointer {
			v = reflect.New(v.Type())
			v.Elem().Set(reflect.ValueOf(x))
		}
		at[i] = v.UnsafePointer()
		types = append(types, v.Type().Elem())
	}
	return at, types
}

// direct calls f by a Caller.
func direct(t *testing.T, f any, values []any) any {
	t.Helper()
	args, types := callArgs(values)
	fn := reflect.ValueOf(f)
	c := rt.NewCaller(fn.Type(), types)
	if c == nil {
		t.Fatalf("%T cannot be called with %v", f, types)
	}
	if fn.Type().NumOut() == 0 {
		c.Call(rt.Closure(fn), &args, nil)
		return nil
	}
	result := reflect.New(fn.Type().Out(0))
	c.Call(rt.Closure(fn), &args, result.UnsafePointer())
	return result.Elem().Interface()
}

// grow uses up more of the stack than a goroutine begins with, and collects garbage.
func grow(n int) int {
	var room [1 << 10]byte
	if n == 0 {
		runtime.GC()
		return 0
	}
	return int(room[n]) + grow(n-1)
}

// TestCaller: a direct call gives what reflect's gives, also where the stack moves and garbage is
// collected during the call.
func TestCaller(t *testing.T) {
	c, err := &callee{7}, errors.New("an error")
	var empty any
	held := any(c)
	for _, call := range []struct {
		f    any
		args []any
	}{
		{func() int { return grow(20) + 3 }, nil},
		{func() {}, nil},
		{func(p *callee) *callee { return p }, []any{c}},
		{(*callee).Add, []any{&callee{1}, 2}},
		{func(a, b, c, d, e, f int) int { return a + 10*b + 100*c + 1e3*d + 1e4*e + 1e5*f },
			[]any{1, 2, 3, 4, 5, 6}},
		{func(a string, x float64, b []int, y float64, ok bool) string {
			grow(20)
			return fmt.Sprint(a, x, b, y, ok)
		}, []any{strings.Repeat("s", 3), 1.5, []int{1, 2}, -2.5, true}},
		{func(a, b any) any { return []any{a, b} }, []any{c, 5}},
		{func(a any) bool { grow(20); return a == nil }, []any{&empty}},
		{func(a any) any { return a }, []any{&held}},
		{func(a fmt.Stringer, w io.Writer) string { return a.String() },
			[]any{c, new(strings.Builder)}},
		{func(err error) error { return err }, []any{err}},
		{func(a any) any { grow(20); return a }, []any{strings.Repeat("t", 40)}},
		{func(n int, list ...int) []int { grow(20); return list }, []any{1, 2, 3}},
		{func(list ...any) string { return fmt.Sprint(list...) }, []any{1, "a", c, 2.5, []int{1}}},
		{func(list ...*callee) int { grow(20); return list[1].n }, []any{c, c}},
		{func(list ...string) string { return strings.Join(list, "-") }, []any{"a", "bc"}},
		{func(list ...float64) float64 { return list[0] - list[1] }, []any{5.0, 1.5}},
		{func(f func(int) int, n int) int { return f(n) }, []any{func(n int) int { return n * c.n }, 3}},
		{func(m map[string]int) int { return m["a"] }, []any{map[string]int{"a": 4}}},
		{func(a, b bool, c byte, d int8) bool { return a && !b && c == 200 && d == -3 },
			[]any{true, false, byte(200), int8(-3)}},
		{func(x float64) float64 { return 2 * x }, []any{1.25}},
	} {
		var in []reflect.Value
		for _, x := range call.args {
			if p, ok := x.(*any); ok {
				in = append(in, reflect.ValueOf(p).Elem())
			} else {
				in = append(in, reflect.ValueOf(x))
			}
		}
		got := direct(t, call.f, call.args)
		if reflect.TypeOf(call.f) == reflect.TypeOf((*callee).Add) {
			call.args[0].(*callee).n = 1
		}
		var want any
		if out := reflect.ValueOf(call.f).Call(in); len(out) > 0 {
			want = out[0].Interface()
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%T: %v, want %v", call.f, got, want)
		}
	}
}

// TestCallerOmits: a variadic parameter without arguments is nil, which it is not by reflect.
func TestCallerOmits(t *testing.T) {
	if is := direct(t, func(list ...int) bool { return list == nil }, nil); is != true {
		t.Error("not nil")
	}
}

// TestCallerRefuses: what takes reflect is left to it.
func TestCallerRefuses(t *testing.T) {
	type pair [2]int
	for _, call := range []struct {
		f    any
		args []any
	}{
		{func() (int, error) { return 0, nil }, nil},
		{func(pair) {}, []any{pair{}}},
		{func() pair { return pair{} }, nil},
		{func(float32) {}, []any{float32(1)}},
		{func(int) {}, []any{"text"}},
		{func(fmt.Stringer) {}, []any{5}},
		{func(int) {}, nil},
		{func(a, b, c, d []int) {}, []any{[]int{}, []int{}, []int{}, []int{}}},
		{func(...pair) {}, []any{pair{}}},
		{func(a, b, c, d float64) {}, []any{1.0, 2.0, 3.0, 4.0}},
		{func(a, b, c, d, e, f, g int) {}, []any{1, 2, 3, 4, 5, 6, 7}},
	} {
		var types []reflect.Type
		for _, x := range call.args {
			types = append(types, reflect.TypeOf(x))
		}
		if rt.NewCaller(reflect.TypeOf(call.f), types) != nil {
			t.Errorf("%T", call.f)
		}
	}
}

// TestMethodOfInterface: the method is found whatever the interface value holds.
func TestMethodOfInterface(t *testing.T) {
	var x adder
	add := rt.MethodOfInterface(reflect.TypeFor[adder](), 0)
	if fn, _ := add.Of(unsafe.Pointer(&x)); fn != nil {
		t.Error("a method of nil")
	}
	c := &callee{1}
	x = c
	fn, recv := add.Of(unsafe.Pointer(&x))
	caller := rt.NewCaller(add.Type, []reflect.Type{add.Type.In(0), reflect.TypeFor[int]()})
	k, sum := 5, 0
	caller.Call(fn, &[rt.MostArgs]unsafe.Pointer{unsafe.Pointer(&recv), unsafe.Pointer(&k)},
		unsafe.Pointer(&sum))
	if sum != 6 || c.n != 6 {
		t.Errorf("%d, %d", sum, c.n)
	}
}
