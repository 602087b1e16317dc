package main

import "fmt"

// Array types that contain themselves.
type grid [][]row
type row [2]grid
type step [2]func(step) int
type links map[string][1]links

func main() {
	g := grid{make([]row, 3), make([]row, 2)}
	r := g[0][1]
	s := r[:]
	s[0] = g
	fmt.Println(len(g), len(g[0][0]), len(s), cap(s[1:]), len(r[0]), len([]grid(r[:1])[0][1]))
	steps := step{func(s step) int { return len(s[:]) }, func(s step) int { return s[0](s) + 10 }}
	list := steps[1:]
	fmt.Println(list[0](steps), len((&steps)[:]))
	for i, f := range steps[:] {
		fmt.Println(i, f(steps))
	}
	p := &links{"a": {links{"b": {}}}}
	one := (*p)["a"]
	fmt.Println(len(one[:]), len(one[:][0]["b"]))
	var none *row
	defer func() { fmt.Println(recover()) }()
	fmt.Println(len(none[:]))
}

type ring [2]*ring

// An array of pointers to such arrays is indexed through one of them.
func init() {
	var r ring
	p := &r
	p[0], p[1] = p, &ring{p, nil}
	fmt.Println(p[0] == p, r[0][0] == p, p[1][0][1] == r[1], len(p[1]))
	for i, next := range p {
		fmt.Println(i, next == p)
	}
	last := &p[1]
	*last = nil
	fmt.Println(r[1] == nil, len(p[:]))
	defer func() { fmt.Println(recover()) }()
	fmt.Println(r[1][0])
}
