package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sort"
	"strings"
)

type Shape interface {
	Area() float64
	Name() string
}

type Square struct{ side float64 }
type Circle struct{ R float64 }

func (s Square) Area() float64  { return s.side * s.side }
func (Square) Name() string     { return "square" }
func (c *Circle) Area() float64 { return math.Round(math.Pi * c.R * c.R) }
func (*Circle) Name() string    { return "circle" }

type Level int

const (
	Low Level = iota
	High
)

func (l Level) String() string { return [...]string{"low", "high"}[l] }

type MyErr struct{ Code int }

func (e *MyErr) Error() string { return fmt.Sprint("code ", e.Code) }

type Animal struct{ Sound string }

func (a *Animal) Speak() string { return a.Sound + "!" }

type Dog struct {
	*Animal
	Tags map[string]int
	priv []Level
}

type upper struct{ r io.Reader }

func (u upper) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	copy(p, strings.ToUpper(string(p[:n])))
	return n, err
}

type byLen []string

func (b byLen) Len() int           { return len(b) }
func (b byLen) Less(i, j int) bool { return len(b[i]) < len(b[j]) }
func (b byLen) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

func describe(x any) string {
	switch v := x.(type) {
	case nil:
		return "nil"
	case int, int64:
		return fmt.Sprintf("integer %v", v)
	case string:
		return "string " + v
	case Level:
		return "level " + v.String()
	case error:
		return "error " + v.Error()
	case Shape:
		return "shape " + v.Name()
	case []Level:
		return fmt.Sprint("levels ", len(v))
	case func() int:
		return fmt.Sprint("func ", v())
	default:
		return fmt.Sprintf("other %T", v)
	}
}

func get(code int) error {
	if code == 0 {
		return nil
	}
	return fmt.Errorf("get: %w", &MyErr{code})
}

func main() {
	shapes := []Shape{Square{2}, &Circle{1}}
	for _, s := range shapes {
		fmt.Println(s.Name(), s.Area())
	}
	fmt.Println(shapes[0] == Square{2}, shapes[0] == Square{3})
	if c, ok := shapes[1].(*Circle); ok {
		fmt.Println("circle", c.R)
	}
	_, ok := shapes[0].(*Circle)
	fmt.Println(ok)

	fmt.Println(Low, High, []Level{Low, High}, map[string]Level{"a": High}, &struct{ L Level }{High})
	fmt.Printf("%v %d %s %+v %T %q\n", High, High, High, struct{ X Level }{Low}, High, High)
	fmt.Printf("%v %+v %#v\n", Square{1.5}, Square{1.5}, Circle{2})
	d := Dog{&Animal{"woof"}, map[string]int{"a": 1}, []Level{Low}}
	fmt.Println(d.Speak(), d.Sound, len(d.Tags))
	d.Animal.Sound = "arf"
	speak := d.Speak
	d.Sound = "x"
	fmt.Println(speak())
	area := Square.Area
	fmt.Println(area(Square{3}), (*Circle).Name(nil))

	for _, x := range []any{nil, 1, int64(2), "s", High, io.EOF, Square{1}, []Level{Low}, func() int { return 7 }, 1.5, Square{}} {
		fmt.Println(describe(x))
	}
	err := get(3)
	var me *MyErr
	fmt.Println(err, errors.As(err, &me), me.Code, errors.Is(err, io.EOF), get(0) == nil)
	var e error = me
	_, same := e.(*MyErr)
	fmt.Println(same, errors.Is(err, e))

	b, _ := io.ReadAll(upper{strings.NewReader("shout")})
	fmt.Println(string(b))
	w := byLen{"ccc", "a", "bb"}
	sort.Sort(w)
	fmt.Println(w)
	fmt.Fprintln(os.Stdout, len(w), w[0])

	m := map[any]int{1: 1, "a": 2, High: 3, Square{1}: 4}
	fmt.Println(m[1], m["a"], m[High], m[Square{1}], m[Low], m[1.0])
	var s Shape
	fmt.Println(s == nil)
	defer func() { fmt.Println("recovered:", recover()) }()
	s.Area()
}
