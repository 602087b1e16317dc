package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

type point struct{ x, y int }

func (p *point) move(dx int) *point { p.x += dx; return p }
func (p point) plus(q point) point  { return point{p.x + q.x, p.y + q.y} }

type grid [2][3]int

type color int

const (
	red color = iota + 1
	_
	blue
)

const big = 1 << 40

var (
	a = b + 1
	b = f()
	c = "pkg"
)

func f() int { return len(c) }

func init() { fmt.Println("init", a, b, c) }

func multi() (int, string, error)        { return 1, "two", nil }
func take(n int, s any, e error) string  { return fmt.Sprint(n, s, e) }
func variadic(pre string, xs ...int) int { return len(pre) + len(xs) }

func classify(n int) string {
	switch {
	case n < 0:
		return "negative"
	case n == 0:
		return "zero"
	}
	switch n % 4 {
	case 1, 3:
		return "odd"
	case 2:
		fallthrough
	case 0:
		return "even"
	}
	return "?"
}

func fall(n int) (s string) {
	switch n {
	case 1:
		s += "1"
		fallthrough
	default:
		s += "d"
	case 2:
		s += "2"
		if n == 2 {
			break
		}
		s += "no"
	}
	return
}

func main() {
	x, y := 1, 2
	x, y = y, x
	s := []int{1, 2, 3, 4}
	i := 0
	i, s[i] = 2, 9
	fmt.Println(x, y, i, s)
	s[0], s[1] = s[1], s[0]
	fmt.Println(s, s[1:3], s[:2:2], len(s[1:]), cap(s[:2:2]))
	fmt.Println(take(multi()), variadic("ab"), variadic("ab", 1, 2), variadic("", s...))

	p := point{1, 2}
	q := &p
	q.move(2).move(3)
	fmt.Println(p, q.plus(point{y: 10}), *q == point{6, 2})
	pp := &q
	(*pp).y++
	(**pp).x--
	fmt.Println(p)
	pts := map[string]*point{"a": {1, 1}}
	pts["a"].x++
	pts["a"].move(5)
	fmt.Println(*pts["a"])
	arr := [...]string{2: "c", 0: "a"}
	fmt.Println(len(arr), arr, arr[1] == "")
	var g grid
	g[1][2] = 5
	h := g
	h[1][2]++
	fmt.Println(g, h, g == h, g != grid{})
	anon := []struct {
		name string
		n    int
	}{{"a", 1}, {"b", 2}}
	for _, e := range anon {
		fmt.Print(e.name, e.n, " ")
	}
	fmt.Println(red, blue, big)

	for _, n := range []int{-1, 0, 1, 2, 4} {
		fmt.Print(classify(n), " ")
	}
	fmt.Println(fall(1), fall(2), fall(3))

	var u8 uint8 = 250
	u8 += 10
	var i8 int8 = -128
	i8--
	var f32 float32 = 16777216
	f32++
	n := 7
	n <<= 2
	n |= 1
	n &^= 4
	n ^= 3
	fmt.Println(u8, i8, f32, n, -7/2, -7%3, 7>>1, ^5, 1<<u8)
	z := complex(1, 2)
	z *= z
	fmt.Println(z, real(z), imag(z), 0.1+0.2, 1e100, float32(0.1))
	fmt.Println(min(3, 1, 2), max(2.5, 1), min("b", "a"))
	str := "héllo"
	fmt.Println(len(str), str[1], str[1:3], []byte(str)[0], []rune(str)[1], string([]rune{104, 233}), strings.ToUpper(str))
	str += "!"
	fmt.Println(str, str < "i", strconv.Itoa(65), string(rune(65)))
	mm := map[string][]int{}
	mm["a"] = append(mm["a"], 1, 2)
	mm["b"] = nil
	v, ok := mm["zz"]
	fmt.Println(mm, v == nil, ok, len(mm))
	delete(mm, "a")
	clear(mm)
	fmt.Println(len(mm))
	cp := make([]int, 2)
	fmt.Println(copy(cp, s), cp, append([]byte("ab"), "cd"...))

	ch := make(chan int)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for v := range ch {
			fmt.Print("got ", v, " ")
		}
	}()
	for i := range 3 {
		ch <- i
	}
	close(ch)
	<-done
	fmt.Println()
	var wg sync.WaitGroup
	var mu sync.Mutex
	sum := 0
	for i := range 10 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			sum += i
		}()
	}
	wg.Wait()
	fmt.Println(sum)
	timeout := time.After(time.Minute)
	results := make(chan string, 1)
	results <- "ready"
outer:
	for {
		select {
		case r := <-results:
			fmt.Println(r)
			break outer
		case <-timeout:
			fmt.Println("timeout")
			break outer
		}
	}
	select {
	case v, ok := <-ch:
		fmt.Println(v, ok)
	default:
		fmt.Println("default")
	}
	fn := func(n int) func() int { return func() int { n++; return n } }
	c1, c2 := fn(1), fn(10)
	fmt.Println(c1(), c1(), c2())
	var fib func(int) int
	fib = func(n int) int {
		if n < 2 {
			return n
		}
		return fib(n-1) + fib(n-2)
	}
	fmt.Println(fib(15))
	if n := len(os.Args); n > 100 {
		fmt.Println("many")
	} else if m := n * 0; m == 0 {
		fmt.Println("else if", m)
	}
	var iface interface{ String() string } = time.Duration(1500) * time.Millisecond
	fmt.Println(iface.String(), iface)
	ptr := new(int)
	*ptr += 3
	fmt.Println(*ptr, *new(string) == "")
	type local struct{ A, B any }
	l := local{1, "x"}
	fmt.Println(l, l == local{1, "x"}, l == local{1, "y"})
	fmt.Printf("%v %+v %T\n", l, l, l)
}
