package rt_test

import (
	"bytes"
	"errors"
	"fmt"
	"go/types"
	"io"
	"reflect"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"halfnote/repl/rt"
)

// panicText returns the text of what f panics with.
func panicText(f func()) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = rt.PanicText(r)
		}
	}()
	f()
	return ""
}

const assertTypes = `
import ("fmt"; "io"; "time")
type P struct{}
func (P) String() string { return "" }
type Q int
func (*Q) Area(int) float64 { return 0 }
type Shape interface { Area(int) float64 }
type Lener interface { Len() int }
type Stringer fmt.Stringer
type E struct{}
func (E) Error() string { return "" }
type unexported interface { secret() }
var (
	any_ any
	s fmt.Stringer
	r io.Reader
	d time.Duration
	i int
	e error
	ps []P
)
`

func TestAssertions(t *testing.T) {
	m, named := typesOf(t, assertTypes)
	d := func(name string) *rt.Desc { return m.Real(named[name]) }
	p := rt.B(d("P"), struct{}{})
	q := rt.B(m.Real(types.NewPointer(named["Q"])), new(int))
	e := rt.B(d("E"), struct{}{})

	for _, c := range []struct {
		v    any
		d    string
		want bool
	}{
		{p, "P", true}, {p, "Q", false}, {p, "i", false}, {1, "i", true}, {"", "i", false},
		{nil, "P", false}, {time.Second, "d", true}, {int64(1), "d", false}, {e, "E", true},
	} {
		if got := rt.Is(c.v, d(c.d)); got != c.want {
			t.Errorf("Is(%T, %s) = %v", c.v, c.d, got)
		}
	}
	for _, c := range []struct {
		v    any
		d    string
		want bool
	}{
		{p, "s", true}, {p, "Stringer", true}, {p, "Shape", false}, {q, "Shape", true},
		{e, "e", true}, {p, "e", false}, {time.Second, "s", true}, {1, "s", false}, {nil, "s", false},
		{&bytes.Buffer{}, "Lener", true}, {&bytes.Buffer{}, "Shape", false},
		{&bytes.Buffer{}, "r", true}, {bytes.Buffer{}, "r", false}, {1, "unexported", false},
		{errors.New(""), "e", true}, {p, "any_", true}, {1, "any_", true},
	} {
		for range 2 { // the second answer is a stored one
			if got := rt.Impl(c.v, d(c.d)); got != c.want {
				t.Errorf("Impl(%T, %s) = %v", c.v, c.d, got)
			}
		}
	}
	cases := rt.NewCases(d("P"), nil, d("Shape"), d("i"), d("e"), d("s"))
	for _, c := range []struct {
		v    any
		want int
	}{{p, 0}, {nil, 1}, {q, 2}, {1, 3}, {e, 4}, {io.EOF, 4}, {time.Second, 5}, {"x", -1}} {
		for range 2 {
			if got := rt.Case(c.v, cases); got != c.want {
				t.Errorf("Case(%T) = %d, want %d", c.v, got, c.want)
			}
		}
	}
	for _, c := range []struct {
		v            any
		static, want string
		text         string
	}{
		{nil, "any_", "i", "interface conversion: interface {} is nil, not int"},
		{"", "any_", "i", "interface conversion: interface {} is string, not int"},
		{p, "s", "Q", "interface conversion: fmt.Stringer is main.P, not main.Q"},
		{p, "any_", "Shape", "interface conversion: main.P is not main.Shape: missing method Area"},
		{1, "any_", "e", "interface conversion: int is not error: missing method Error"},
		{nil, "any_", "e", "interface conversion: interface is nil, not error"},
		{p, "any_", "ps", "interface conversion: interface {} is main.P, not []main.P"},
	} {
		got := panicText(func() { rt.Bad(c.v, d(c.static), d(c.want)) })
		if got != c.text {
			t.Errorf("got %s, want %s", got, c.text)
		}
	}
}

// TestAssertionTexts compares with a compiled program's.
func TestAssertionTexts(t *testing.T) {
	m, named := typesOf(t, assertTypes)
	var none any
	var text any = "x"
	for _, c := range []struct {
		got, want func()
	}{
		{func() { rt.Bad(nil, m.Real(named["any_"]), m.Real(named["i"])) }, func() { _ = none.(int) }},
		{func() { rt.Bad("x", m.Real(named["any_"]), m.Real(named["i"])) }, func() { _ = text.(int) }},
		{func() { rt.Bad("x", nil, m.Real(named["e"])) }, func() { _ = text.(error) }},
		{func() { rt.Bad(nil, nil, m.Real(named["e"])) }, func() { _ = none.(error) }},
		{func() { rt.Bad("x", nil, m.Real(named["r"])) }, func() { _ = text.(io.Reader) }},
	} {
		if got, want := panicText(c.got), panicText(c.want); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestEq(t *testing.T) {
	m, named := typesOf(t, `
type A struct { x int; y any }
type B struct { x int; y any }
type S []int
type Blank struct { x, _ int }
`)
	a := func(name string, x int, y any) any {
		d := m.Real(named[name])
		v := reflect.New(d.R).Elem()
		v.Field(0).SetInt(int64(x))
		if y != nil {
			v.Field(1).Set(reflect.ValueOf(y))
		}
		return rt.B(d, v.Interface())
	}
	inner := a("A", 1, nil)
	for _, c := range []struct {
		x, y any
		want bool
	}{
		{1, 1, true}, {1, int8(1), false}, {nil, nil, true}, {nil, 1, false}, {"a", "a", true},
		{a("A", 1, nil), a("A", 1, nil), true}, {a("A", 1, nil), a("A", 2, nil), false},
		{a("A", 1, nil), a("B", 1, nil), false}, {a("A", 1, inner), a("A", 1, inner), true},
		{a("A", 1, 1), a("A", 1, 1.0), false}, {a("A", 1, nil), 1, false},
	} {
		if got := rt.Eq(c.x, c.y); got != c.want {
			t.Errorf("%v == %v is %v", c.x, c.y, got)
		}
		if got := rt.Eq(c.y, c.x); got != c.want {
			t.Errorf("%v == %v is %v", c.y, c.x, got)
		}
	}
	blank := m.Real(named["Blank"])
	one, two := reflect.New(blank.R), reflect.New(blank.R)
	for i, p := range []reflect.Value{one, two} { // the field _ differs, and does not count
		*(*[2]int)(p.UnsafePointer()) = [2]int{7, i}
	}
	x, y := rt.B(blank, one.Elem().Interface()), rt.B(blank, two.Elem().Interface())
	if !rt.Eq(x, y) || len(map[any]int{x: 1, y: 2}) != 1 {
		t.Error("blank fields count")
	}
	s := rt.B(m.Real(named["S"]), []int{1})
	want := "runtime error: comparing uncomparable type main.S"
	if got := panicText(func() { rt.Eq(s, s) }); got != want {
		t.Errorf("got %s", got)
	}
	want = "runtime error: hash of unhashable type main.S"
	if got := panicText(func() { _ = map[any]int{s: 1} }); got != want {
		t.Errorf("got %s", got)
	}
}

func TestMethodOf(t *testing.T) {
	m, named := typesOf(t, `
type T struct{}
func (T) Write([]byte) (int, error) { return 0, nil }
var write func([]byte) (int, error)
`)
	d := m.Real(named["T"])
	rt.SetMethod(d, "Write",
		func(recv unsafe.Pointer, p []byte) (int, error) { return len(p) * 10, nil })
	write := m.Real(named["write"])
	call := func(v any, text string) (int, error) {
		f, recv := rt.MethodOf(v, "Write", write)
		return f.(func(unsafe.Pointer, []byte) (int, error))(recv, []byte(text))
	}
	for v, want := range map[any]int{rt.B(d, struct{}{}): 20, io.Discard: 2} {
		if n, err := call(v, "ab"); n != want || err != nil {
			t.Errorf("%T: got %d, %v", v, n, err)
		}
		if n, err := v.(io.Writer).Write([]byte("ab")); n != want || err != nil {
			t.Errorf("%T as an io.Writer: got %d, %v", v, n, err)
		}
	}
	var buf bytes.Buffer
	if call(&buf, "x"); buf.String() != "x" {
		t.Error("the receiver is another one")
	}
	want := "runtime error: invalid memory address or nil pointer dereference"
	if got := panicText(func() { rt.MethodOf(nil, "Write", write) }); got != want {
		t.Errorf("got %s", got)
	}
	bound := new(rt.Types).Bound(&buf, "String").(func() string)
	if bound() != "x" {
		t.Error("a bound method is another one")
	}
}

// TestErrorsAs looks for interface types of the program, whose methods only go/types knows.
func TestErrorsAs(t *testing.T) {
	m, named := typesOf(t, `
type Code int
func (Code) Error() string { return "" }
func (Code) Area() {}
type Shape interface { error; Area() }
`)
	as := m.Overrides()["errors"]["As"].Interface().(func(error, any) bool)
	code := m.Real(named["Code"])
	rt.SetMethod(code, "Error", func(p unsafe.Pointer) string { return "code" })
	chain := errors.Join(io.EOF, fmt.Errorf("a: %w", rt.B(code, 7).(error)))
	target := new(any)
	shape := rt.B(m.Real(types.NewPointer(named["Shape"])), target)
	if as(io.EOF, shape) || *target != nil {
		t.Error("EOF is a Shape")
	}
	if !as(chain, shape) || *target != rt.B(code, 7) {
		t.Errorf("As finds %v", *target)
	}
}

func TestRec(t *testing.T) {
	divide := func(a, b int) int { return a / b }
	catch := func(f func()) (v any) {
		defer func() { v = recover() }()
		f()
		return nil
	}
	nilText := "runtime error: invalid memory address or nil pointer dereference"
	for _, c := range []struct {
		f    func()
		want string
	}{
		{func() { divide(1, 0) }, "runtime error: integer divide by zero"},
		{func() { reflect.ValueOf([]int{1}).Index(3) }, "runtime error: index out of range"},
		{func() { reflect.ValueOf("a").Slice(2, 1) }, "runtime error: slice bounds out of range"},
		{func() { reflect.ValueOf([]int{}).Slice(2, 1) }, "runtime error: slice bounds out of range"},
		{func() { reflect.ValueOf((*int)(nil)).Elem().Int() }, nilText},
		{func() { reflect.ValueOf((func())(nil)).Call(nil) }, nilText},
		{func() { reflect.MakeSlice(reflect.TypeFor[[]int](), -1, 1) },
			"runtime error: makeslice: len out of range"},
		{func() { reflect.ValueOf([]int{1}).Convert(reflect.TypeFor[[2]int]()) },
			"runtime error: cannot convert slice with length 1 to array or pointer to array with length 2"},
		{func() { panic("text") }, "text"},
		{func() { panic(fmt.Errorf("e")) }, "e"},
		{func() { new(rt.Types).Panic(nil) }, new(runtime.PanicNilError).Error()},
		{func() { rt.ShiftPanic() }, "runtime error: negative shift amount"},
	} {
		v := rt.Fault(catch(c.f), func() error { return nil })
		if got := rt.PanicText(v); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
		if _, ok := v.(runtime.Error); !ok && len(c.want) > 8 && c.want[:8] == "runtime " {
			t.Errorf("%s is no runtime.Error", c.want)
		}
	}
}
