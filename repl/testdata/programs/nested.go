package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// Types whose own methods fmt finds only inside other values.
type Op int

func (o Op) String() string { return [...]string{"add", "sub"}[o] }

type Fail struct{ Code int }

func (f Fail) Error() string { return fmt.Sprint("fail ", f.Code) }

type Tree struct {
	Left, Right *Tree
	Op          Op
}

type State func(*Machine) State

type Machine struct {
	in  []string
	out []string
}

func start(m *Machine) State {
	if len(m.in) == 0 {
		return nil
	}
	return word
}

func word(m *Machine) State {
	m.out = append(m.out, strings.ToUpper(m.in[0]))
	m.in = m.in[1:]
	return start
}

type Source struct {
	r   io.Reader
	all map[string]io.Reader
}

func (s *Source) reset() bool {
	s.r = nil
	s.all["a"] = nil
	rs := []io.Reader{nil, os.Stdin}
	rs[1] = nil
	return s.r == nil && s.all["a"] == nil && rs[0] == nil && rs[1] == nil
}

func apply(f func(int) int, n int) int {
	if n == 0 {
		return 0
	}
	return f(n - 1)
}

func walk(n int) int { return 1 + apply(walk, n) }

func main() {
	fmt.Println([]Op{0, 1}, [1]Op{1}, map[string]Op{"x": 1}, map[Op]string{0: "y"})
	fmt.Println(struct {
		O Op
		o Op
	}{1, 1}, []any{Op(1), Fail{2}})
	fmt.Printf("%v %+v %d %s\n", []Fail{{1}}, struct{ F Fail }{Fail{3}}, []Op{1}, &Tree{Op: 1})
	m := &Machine{in: []string{"a", "b"}}
	for s := start; s != nil; {
		next := s(m)
		if next == nil {
			break
		}
		s = func(m *Machine) State { return next(m) }
	}
	fmt.Println(m.out, m.in)
	s := Source{strings.NewReader("x"), map[string]io.Reader{}}
	fmt.Println(s.reset(), walk(5))
	subscribers := map[string]chan int{"a": make(chan int, 1)}
	for _, c := range subscribers {
		c <- 4
	}
	for name, c := range subscribers {
		fmt.Println(name, <-c)
	}
	var w io.Writer = os.Stdout
	w = nil
	fmt.Println(w == nil)
}
