// Loops, labels, goto, switch, select and closures over loop variables.
package main

import (
	"fmt"
	"strings"
)

func loopVars() {
	var fs []func() int
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { i += 10; return i })
	}
	for i := range 3 {
		fs = append(fs, func() int { i *= 2; return i })
	}
	for i, s := range []string{"a", "bb"} {
		fs = append(fs, func() int { return i + len(s) })
	}
	for _, f := range fs {
		fmt.Print(f(), f(), " ")
	}
	var ps []*int
	for i := 0; i < 4; i++ {
		ps = append(ps, &i)
		i++
	}
	fmt.Println(*ps[0], *ps[1], ps[0] != ps[1])
	for i, stop := 0, false; !stop; i++ {
		defer func() { fmt.Print("d", i, stop, " ") }()
		stop = i == 2
	}
}

func labels() {
outer:
	for i := range 4 {
		for j := range 4 {
			switch {
			case j == 2:
				continue outer
			case i == 2:
				break outer
			case i == 1:
				break
			default:
				fmt.Print(i, j, " ")
			}
		}
	}
	i := 0
loop:
	if i < 3 {
		fmt.Print("g", i, " ")
		i++
		goto loop
	}
block:
	for {
		if i == 3 {
			break block
		}
		fmt.Print("never")
	}
sw:
	switch i {
	case 3:
		for {
			break sw
		}
		fmt.Print("never")
	}
	goto end
end:
	fmt.Println("end")
}

func switches(x any) string {
	switch v := x.(type) {
	case nil:
		return "nil"
	case int, int8:
		return fmt.Sprintf("int %v", v)
	case string:
		return "string " + v
	case []int:
		return fmt.Sprint("slice ", len(v))
	case error:
		return "error " + v.Error()
	case func() int:
		return fmt.Sprint("func ", v())
	case fmt.Stringer:
		return "stringer " + v.String()
	default:
		return fmt.Sprintf("%T", v)
	}
}

func fall(n int) (s string) {
	switch {
	case n > 3:
		s += "big "
		fallthrough
	case n == 2:
		s += "two "
		fallthrough
	default:
		s += "default "
	case n == 1:
		s += "one "
	}
	switch n {
	default:
		s += "other"
	case 1, 2:
		s += "few"
		if n == 2 {
			break
		}
		s += "!"
	}
	switch m := n * 2; m {
	case 2:
		s += " m2"
	case 4:
		s += " m4"
	}
	switch {
	}
	return s
}

func ranges() {
	for range 2 {
		fmt.Print("x")
	}
	for i := range uint8(3) {
		fmt.Printf("%T%d ", i, i)
	}
	const n = 2
	for i := range n {
		fmt.Print(i)
	}
	var np *[3]int
	for i := range np {
		fmt.Print(i)
	}
	for i, c := range "aé\xffz" {
		fmt.Print(i, c, " ")
	}
	c := make(chan string, 3)
	c <- "p"
	c <- "q"
	close(c)
	for s := range c {
		fmt.Print(s)
	}
	m := map[string]int{"a": 1, "b": 2, "c": 3}
	sum := 0
	for k, v := range m {
		if k == "a" {
			delete(m, "b")
			delete(m, "c")
			delete(m, "a")
		}
		sum += v
	}
	fmt.Println(len(m) < 3)
	var nilMap map[int]int
	for range nilMap {
		fmt.Print("never")
	}
	var s []int
	for i := range s {
		fmt.Print(i)
	}
	i := 5
	for i = range 3 {
	}
	var arr [4]int
	for i, arr[1] = range []int{7, 8, 9} {
	}
	fmt.Println(i, arr)
	type pt struct{ x, y int }
	pts := []pt{{1, 2}, {3, 4}}
	for _, p := range pts {
		p.x = 100
	}
	for i := range pts {
		pts[i].y *= 2
	}
	fmt.Println(pts)
	for i := range len(pts) {
		i *= 10
		fmt.Print(i, " ")
	}
	for i := 0; i < 6; i++ {
		if i%2 == 0 {
			continue
		}
		fmt.Print(i, " ")
	}
	fmt.Println()
}

func selects() {
	a, b := make(chan int), make(chan string, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 3 {
			a <- i
		}
		close(a)
	}()
	got := 0
	for a != nil {
		select {
		case v, ok := <-a:
			if !ok {
				a = nil
				break
			}
			got += v
		}
	}
	<-done
	select {
	case b <- "full":
	default:
		fmt.Println("never")
	}
	select {
	case b <- "too full":
		fmt.Println("never")
	default:
		fmt.Println("default", got)
	}
	var nilc chan int
	select {
	case <-nilc:
	case s := <-b:
		fmt.Println(s)
	}
	var arr [2]int
	c := make(chan int, 2)
	c <- 5
	c <- 6
	close(c)
	var ok bool
	select {
	case arr[1], ok = <-c:
	}
	fmt.Println(arr, ok, <-c, len(c))
	v, ok := <-c
	fmt.Println(v, ok)
	func() {
		defer func() { fmt.Println(recover()) }()
		select {
		case c <- 1:
		default:
		}
	}()
}

func closures() {
	counter := func() (func() int, func()) {
		n := 0
		return func() int { n++; return n }, func() { n = 0 }
	}
	next, reset := counter()
	next()
	next()
	fmt.Print(next(), " ")
	reset()
	fmt.Print(next(), " ")
	var fib func(int) int
	fib = func(n int) int {
		if n < 2 {
			return n
		}
		return fib(n-1) + fib(n-2)
	}
	fmt.Print(fib(15), " ")
	compose := func(fs ...func(int) int) func(int) int {
		return func(x int) int {
			for _, f := range fs {
				x = f(x)
			}
			return x
		}
	}
	fmt.Println(compose(func(x int) int { return x + 1 }, func(x int) int { return x * x })(4))
	x := 1
	{
		x := x + 1
		x++
		if x := x * 10; x > 20 {
			fmt.Print(x, " ")
		} else if y := x; y > 0 {
			fmt.Print(y)
		}
		fmt.Print(x, " ")
	}
	fmt.Println(x)
	func() {
		x := &x
		*x = 7
	}()
	fmt.Println(x, strings.Map(func(r rune) rune { return r + rune(x) }, "abc"))
}

func main() {
	loopVars()
	fmt.Println()
	labels()
	for _, x := range []any{nil, 1, int8(2), "s", []int{1}, fmt.Errorf("e"), func() int { return 4 },
		strings.NewReplacer, 2.5, map[string]int{}} {
		fmt.Println(switches(x))
	}
	for n := range 5 {
		fmt.Println(fall(n))
	}
	ranges()
	selects()
	closures()
}
