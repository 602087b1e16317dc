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
	d := func(name string) *rt.Desc { return m.Desc(named[name]) }
	p := rt.B(d("P"), struct{}{})
	q := rt.B(m.Desc(types.NewPointer(named["Q"])), new(int))
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
		{func() { rt.Bad(nil, m.Desc(named["any_"]), m.Desc(named["i"])) }, func() { _ = none.(int) }},
		{func() { rt.Bad("x", m.Desc(named["any_"]), m.Desc(named["i"])) }, func() { _ = text.(int) }},
		{func() { rt.Bad("x", nil, m.Desc(named["e"])) }, func() { _ = text.(error) }},
		{func() { rt.Bad(nil, nil, m.Desc(named["e"])) }, func() { _ = none.(error) }},
		{func() { rt.Bad("x", nil, m.Desc(named["r"])) }, func() { _ = text.(io.Reader) }},
	} {
		if got, want := panicText(c.got), panicText(c.want); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestTo(t *testing.T) {
	m, named := typesOf(t, assertTypes)
	m.SetWrap(func(iface reflect.Type, b rt.Box) (any, bool) {
		return stringerBox{b}, iface == reflect.TypeFor[fmt.Stringer]()
	})
	p := rt.B(m.Desc(named["P"]), struct{}{})
	rt.Meth(m.Desc(named["P"]), "String", func(any) string { return "p!" })
	s := m.Desc(named["s"])
	if got := fmt.Sprint(rt.To(p, s).(fmt.Stringer).String()); got != "p!" {
		t.Errorf("got %s", got)
	}
	if rt.N(rt.To(p, s)) != p || rt.To(nil, s) != nil || rt.To(time.Second, s) != time.Second {
		t.Error("To changes what it should keep")
	}
	want := "interface conversion: int is not fmt.Stringer: missing method String"
	if got := panicText(func() { rt.To(1, s) }); got != want {
		t.Errorf("got %s", got)
	}
	e := rt.B(m.Desc(named["E"]), struct{}{})
	if rt.To(e, m.Desc(named["e"])) != e || rt.ToErr(e) != e || rt.ToErr(nil) != nil {
		t.Error("an error is not itself")
	}
}

func TestEq(t *testing.T) {
	m, named := typesOf(t, `
type A struct { x int; _ int; y any }
type B struct { x int; _ int; y any }
type S []int
type F struct { s S }
`)
	a := func(name string, x, blank int, y any) any {
		d := m.Desc(named[name])
		v := reflect.New(d.R).Elem()
		v.Field(0).SetInt(int64(x))
		v.Field(1).SetInt(int64(blank))
		if y != nil {
			v.Field(2).Set(reflect.ValueOf(y))
		}
		return rt.B(d, v.Interface())
	}
	inner := a("A", 1, 2, nil)
	for _, c := range []struct {
		x, y any
		want bool
	}{
		{1, 1, true}, {1, int8(1), false}, {nil, nil, true}, {nil, 1, false}, {"a", "a", true},
		{a("A", 1, 2, nil), a("A", 1, 2, nil), true}, {a("A", 1, 2, nil), a("A", 1, 3, nil), true},
		{a("A", 1, 2, nil), a("A", 2, 2, nil), false}, {a("A", 1, 2, nil), a("B", 1, 2, nil), false},
		{a("A", 1, 2, inner), a("A", 1, 9, inner), true}, {a("A", 1, 2, 1), a("A", 1, 2, 1.0), false},
		{a("A", 1, 2, nil), 1, false},
	} {
		if got := rt.Eq(c.x, c.y); got != c.want {
			t.Errorf("%v == %v is %v", c.x, c.y, got)
		}
		if got := rt.Eq(c.y, c.x); got != c.want {
			t.Errorf("%v == %v is %v", c.y, c.x, got)
		}
	}
	s := rt.B(m.Desc(named["S"]), []int{1})
	want := "runtime error: comparing uncomparable type main.S"
	if got := panicText(func() { rt.Eq(s, s) }); got != want {
		t.Errorf("got %s", got)
	}
	if got := panicText(func() { rt.Key(s) }); got != "runtime error: hash of unhashable type main.S" {
		t.Errorf("got %s", got)
	}
	if rt.Key(inner) != inner || rt.Key(3) != 3 {
		t.Error("a key is not itself")
	}
}

func TestMethodOf(t *testing.T) {
	m, named := typesOf(t, `
type T struct{}
var write func([]byte) (int, error)
var printf func(string, ...any) string
`)
	d := m.Desc(named["T"])
	rt.Meth(d, "Write", func(recv any, p []byte) (int, error) { return len(p) * 10, nil })
	write := m.Desc(named["write"])
	type writer = func(any, []byte) (int, error)
	for v, want := range map[any]int{rt.B(d, struct{}{}): 20, io.Discard: 2} {
		if n, err := rt.MethodOf(v, "Write", write).(writer)(v, []byte("ab")); n != want || err != nil {
			t.Errorf("%T: got %d, %v", v, n, err)
		}
	}
	var buf bytes.Buffer
	rt.MethodOf(&buf, "Write", write).(writer)(&buf, []byte("x"))
	if buf.String() != "x" {
		t.Error("the receiver is another one")
	}
	want := "runtime error: invalid memory address or nil pointer dereference"
	if got := panicText(func() { rt.MethodOf(nil, "Write", write) }); got != want {
		t.Errorf("got %s", got)
	}
	bound := rt.Bound(&buf, "String").(func() string)
	if bound() != "x" {
		t.Error("a bound method is another one")
	}
}

func TestErrors(t *testing.T) {
	m, named := typesOf(t, `
type Code int
func (Code) Error() string { return "" }
type Wrap struct { err error }
func (Wrap) Error() string { return "" }
func (Wrap) Unwrap() error { return nil }
type List struct { s []int }
func (List) Error() string { return "" }
type Shape interface { error; Area() }
`)
	as := m.Overrides()["errors"]["As"].Interface().(func(error, any) bool)
	is := m.Overrides()["errors"]["Is"].Interface().(func(error, error) bool)
	code := func(n int) error { return rt.E(m.Desc(named["Code"]), n) }
	wrapDesc := m.Desc(named["Wrap"])
	rt.Meth(wrapDesc, "Unwrap", func(v any) error {
		err, _ := reflect.ValueOf(rt.Unbox(v)).Field(0).Interface().(error)
		return err
	})
	wrap := func(err error) error {
		v := reflect.New(wrapDesc.R).Elem()
		v.Field(0).Set(reflect.ValueOf(err))
		return rt.E(wrapDesc, v.Interface())
	}
	chain := fmt.Errorf("a: %w", wrap(errors.Join(io.EOF, code(7))))
	target := new(int)
	if !as(chain, rt.B(m.Desc(types.NewPointer(named["Code"])), target)) || *target != 7 {
		t.Errorf("As finds %d", *target)
	}
	if as(io.EOF, rt.B(m.Desc(types.NewPointer(named["Code"])), target)) {
		t.Error("As finds a code in EOF")
	}
	if !is(chain, io.EOF) || !is(chain, code(7)) || is(chain, code(8)) {
		t.Error("Is is wrong")
	}
	list := rt.E(m.Desc(named["List"]), reflect.Zero(m.Desc(named["List"]).R).Interface())
	if is(list, list) {
		t.Error("errors that cannot be compared are the same")
	}
	if !errors.Is(chain, code(7)) {
		t.Error("compiled code does not find the code")
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
		{func() { rt.Panic(nil) }, new(runtime.PanicNilError).Error()},
		{func() { rt.ShiftPanic() }, "runtime error: negative shift amount"},
	} {
		v := rt.Rec(catch(c.f))
		if got := rt.PanicText(v); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
		if _, ok := v.(runtime.Error); !ok && len(c.want) > 8 && c.want[:8] == "runtime " {
			t.Errorf("%s is no runtime.Error", c.want)
		}
	}
}
