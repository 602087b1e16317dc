package rt_test

import (
	"fmt"
	"time"
)

// The types of this file exist twice: compiled, and read from this source as a cell's types.

type color string

func (c color) String() string { return "color " + string(c) }

type level int

func (l *level) String() string { return fmt.Sprintf("level %d", *l) }

type point struct{ X, y int }

type shape struct {
	Name  string
	c     color
	C     color
	p     point
	P     *point
	any   any
	A     any
	list  []point
	Names []string
	m     map[color]int
	d     time.Duration
	D     time.Duration
	f     func(color) int
	_     int
	lv    *level
	Lv    *level
}

type failure struct{ code int }

func (f failure) Error() string { return fmt.Sprint("failure ", f.code) }

type panicky struct{ N int }

func (p *panicky) String() string { return fmt.Sprint(p.N) }

type loud struct{}

func (loud) String() string { panic("no") }

type goer struct{ n int }

func (g goer) GoString() string { return "goer!" }

type formatter struct{ n int }

func (f formatter) Format(s fmt.State, verb rune) { fmt.Fprintf(s, "<%c %d>", verb, f.n) }

type (
	raw     []byte
	pair    [2]color
	ints    []int
	table   map[point]color
	grid    [][]color
	wrapped struct {
		point
		*shape
		fmt.Stringer
	}
	flags       uint8
	ratio       float64
	truth       bool
	phase       complex128
	channel     chan color
	list[T any] struct {
		head T
		next *list[T]
	}
)

func shapes() []any {
	lv := level(3)
	full := shape{
		Name: "s", c: "r", C: "g", p: point{1, 2}, P: nil, any: color("x"), A: point{3, 4},
		list: []point{{5, 6}}, Names: []string{"a", "b"}, m: map[color]int{"b": 1, "a": 2},
		d: 5, D: 6, lv: nil, Lv: &lv, f: nil,
	}
	return []any{
		color("red"), lv, &lv, point{1, 2}, &point{1, 2}, (*point)(nil), shape{}, &shape{}, full,
		failure{7}, &failure{8}, panicky{1}, &panicky{2}, (*panicky)(nil), loud{}, []loud{{}},
		goer{1}, []goer{{2}}, formatter{3}, []formatter{{4}}, map[string]formatter{"a": {5}},
		raw("hi"), pair{"a", "b"}, ints{1, 2}, ints(nil), table{{2, 1}: "b", {1, 2}: "a"},
		table(nil), grid{{"a"}, nil}, wrapped{}, wrapped{point: point{1, 2}, Stringer: color("z")},
		flags(9), ratio(1.5), truth(true), phase(1 + 2i), channel(nil), []color{"a", "b"},
		map[string]point{"a": {1, 2}}, struct {
			A int
			b color
		}{1, "b"}, []any{color("q")}, list[int]{head: 1, next: nil}, list[color]{head: "h"},
		[]*point{nil}, map[color]*level{"a": nil}, []error{failure{1}, nil},
		struct{ E error }{failure{5}}, []fmt.Stringer{color("s"), nil}, [0]point{},
		[]raw{raw("ab")}, struct{ B raw }{raw("xy")}, funcs(nil), single{&lv}, byX{{1, 2}},
		many{1},
	}
}

type funcs func() string

func (f funcs) String() string { return f() + "!" }

type single struct{ lv *level }

func (s single) String() string { return fmt.Sprint("single ", int(*s.lv)) }

type byX []point

func (b byX) Len() int           { return len(b) }
func (b byX) Less(i, j int) bool { return b[i].X < b[j].X }
func (b byX) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type many struct{ n int }

func (m many) All(a int, b float64, c string, d [2]int, e []byte, f complex128, g float32,
	h func() int, i uint8, j map[string]int, k any, l ...string) (string, float64, error) {
	return fmt.Sprint(m.n, a, b, c, d, e, f, g, h(), i, j, k, l), b, failure{a}
}
