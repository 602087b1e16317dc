package main

import "fmt"

type node struct {
	v    int
	next *node
}

func (n *node) all() func(func(int) bool) {
	return func(yield func(int) bool) {
		for ; n != nil; n = n.next {
			if !yield(n.v) {
				return
			}
		}
	}
}

func pairs(n int) func(func(int, string) bool) {
	return func(yield func(int, string) bool) {
		for i := range n {
			if !yield(i, fmt.Sprint("v", i)) {
				fmt.Println("stopped at", i)
				return
			}
		}
		fmt.Println("ran out")
	}
}

func find(n int) (int, string) {
	for i, s := range pairs(10) {
		for j := range 3 {
			if i*j == n {
				return i, s
			}
		}
	}
	return -1, ""
}

func named(n int) (found bool) {
	defer func() { fmt.Println("found", found) }()
	for i := range pairs(3) {
		if i == n {
			found = true
			return
		}
	}
	return
}

func nested() {
outer:
	for i := range pairs(4) {
		for j := range pairs(4) {
			switch {
			case j == 1 && i == 0:
				continue outer
			case i == 1:
				break outer
			case j == 3:
				break
			}
			fmt.Println(i, j)
		}
	}
}

func deferInBody() {
	for i := range pairs(2) {
		defer fmt.Println("deferred", i)
	}
	fmt.Println("end of body")
}

func main() {
	var fs []func() int
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { i += 10; return i })
	}
	for _, f := range fs {
		fmt.Print(f(), " ", f(), " ")
	}
	fmt.Println()

	var ps []*int
	for i := 0; i < 6; i++ {
		if i%2 == 0 {
			continue
		}
		ps = append(ps, &i)
		i++
	}
	for _, p := range ps {
		fmt.Print(*p, " ")
	}
	fmt.Println()

	for i, r := range "héé!" {
		fmt.Print(i, ":", string(r), " ")
	}
	fmt.Println()
	for i := range "ab\xffc" {
		fmt.Print(i, " ")
	}
	fmt.Println()

	for i := range uint8(3) {
		fmt.Printf("%T%d ", i, i)
	}
	fmt.Println()

	a := [3]int{1, 2, 3}
	sum := 0
	for i, v := range a {
		a[2] = 10
		sum += v * (i + 1)
	}
	fmt.Println(sum, a)
	for i, v := range &a {
		a[2] = 20
		sum += v * (i + 1)
	}
	fmt.Println(sum)
	s := []int{1, 2, 3}
	for i := range s {
		s = append(s, i)
	}
	fmt.Println(s)

	m := map[string]int{"a": 1, "b": 2, "c": 3}
	total := 0
	for k, v := range m {
		delete(m, k)
		total += v
	}
	fmt.Println(total, len(m))

	ch := make(chan int, 3)
	for i := range 3 {
		ch <- i * i
	}
	close(ch)
	for v := range ch {
		fmt.Print(v, " ")
	}
	fmt.Println()

	list := &node{1, &node{2, &node{3, nil}}}
	for v := range list.all() {
		if v == 3 {
			break
		}
		fmt.Print(v, " ")
	}
	fmt.Println()
	fmt.Println(find(6))
	fmt.Println(find(100))
	fmt.Println(named(1), named(9))
	nested()
	deferInBody()

	var x int
	var y string
	for x, y = range pairs(2) {
	}
	fmt.Println(x, y)
	n := 0
	for range 4 {
		n++
	}
	fmt.Println(n)
loop:
	for {
		switch n {
		case 0:
			break loop
		default:
			n--
		}
	}
	i := 0
again:
	i++
	if i < 3 {
		goto again
	}
	fmt.Println(n, i)
}
