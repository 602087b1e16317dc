package main

import (
	"errors"
	"fmt"
)

// Short functions and methods, package variables and named channels.

type line chan line

func (l line) next() line { return <-l }

type stack struct{ items []int }

func (s *stack) push(v int) { s.items = append(s.items, v) }
func (s *stack) top() int   { return s.items[len(s.items)-1] }
func (s stack) empty() bool { return len(s.items) == 0 }
func (s *stack) pop() (v int) {
	v = s.top()
	s.items = s.items[:len(s.items)-1]
	return
}

type shape interface{ area() float64 }

type square struct{ side float64 }

func (s square) area() float64 { return s.side * s.side }

func unit() shape { return square{1} }

func check(n int) error {
	if n < 0 {
		return errors.New("negative")
	}
	return nil
}

func clamp[T int | float64](x, low, high T) T {
	if x < low {
		return low
	}
	if x > high {
		return high
	}
	return x
}

var (
	table = []int{1, 2, 3}
	names = map[string]int{}
	grid  [2][2]int
)

func replace() int {
	table = []int{7, 8, 9}
	return 1
}

func cell(i, j int) *int { return &grid[i][j] }

func attempt(f func()) {
	defer func() { fmt.Println("recovered:", recover() != nil) }()
	f()
}

func main() {
	l := make(line, 1)
	l <- l
	fmt.Println(l.next() == l)

	s := &stack{}
	for i := range 4 {
		s.push(i * i)
		s.push(s.top() + s.pop())
	}
	sum := 0
	for !s.empty() {
		sum = sum*10 + s.pop()
	}
	fmt.Println(sum, s.empty(), len(s.items))
	attempt(func() { s.pop() })

	for i := -1; i < 2; i++ {
		fmt.Println(check(i), clamp(i, 0, 5), clamp(float64(i)/2, -0.25, 0.25), unit().area())
	}

	for i, v := range table {
		table[i] += v
		i++
		names[fmt.Sprint(i)] += v
	}
	table[replace()] = table[0] + replace()
	fmt.Println(table, names)
	*cell(1, 0) += 5
	*cell(0, 1) = *cell(1, 0) + 1
	grid[1][1]--
	fmt.Println(grid)

	var zero []int
	attempt(func() { zero[0]++ })
	var m map[string]int
	attempt(func() { m["a"] += 1 })
	var u uint8 = 255
	u++
	x := 1.0
	x /= 4
	n := -7
	n %= 4
	n <<= 3
	b := byte(6)
	b &^= 2
	fmt.Println(u, x, n, b)
}
