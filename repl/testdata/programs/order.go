// The order in which operands, arguments, index expressions and variables are evaluated.
package main

import "fmt"

var (
	a    = c + b
	b    = f("b", 2)
	c    = f("c", 3)
	_    = f("blank", 0)
	x, y = pair(z)
	z    = f("z", 7)
	fn   = func() int { return late }
	late = f("late", 9)
	used = fn()
	m    = map[int]int{f("k1", 1): f("v1", 10), f("k2", 2): f("v2", 20)}
)

func f(name string, n int) int { fmt.Print(name, " "); return n }

func pair(n int) (int, int) { fmt.Print("pair ", n, " "); return n, n + 1 }

func init() { fmt.Println("| init 1") }
func init() { fmt.Println("init 2", a, b, c, x, y, z, used, m) }

type T struct{ n int }

func (t T) add(n int) T     { fmt.Print("add", n, " "); return T{t.n + n} }
func (t *T) set(n int) *T   { fmt.Print("set", n, " "); t.n = n; return t }
func arr(name string) []int { fmt.Print(name, " "); return make([]int, 5) }
func ptr(name string) *T    { fmt.Print(name, " "); return &T{} }
func mp(name string) map[string]int {
	fmt.Print(name, " ")
	return map[string]int{}
}

func three() (int, string, error) { fmt.Print("three "); return 1, "s", nil }

func main() {
	arr("left")[f("index", 1)] = f("right", 2)
	fmt.Println()
	arr("a")[f("i", 0)], mp("m")["k"], ptr("p").n = f("1", 1), f("2", 2), f("3", 3)
	fmt.Println()
	arr("op")[f("index", 1)] += f("value", 3)
	fmt.Println()
	fmt.Println(f("x", 1)+f("y", 2)*f("z", 3), f("w", 0) == f("v", 0) && f("u", 1) == f("t", 2))
	fmt.Println(T{}.add(f("one", 1)).add(f("two", 2)).n)
	var t T
	fmt.Println(t.set(1).set(f("arg", 2)).n, t.n)
	i, s := 0, []int{1, 2, 3}
	i, s[i] = 2, 10
	fmt.Println(i, s)
	s[0], s[1], s[2] = s[2], s[0], s[1]
	fmt.Println(s)
	p := &t
	p, p.n = &T{5}, 8
	fmt.Println(p.n, t.n)
	mm := map[string][]int{"a": {1}}
	mm["a"], mm["b"] = mm["b"], mm["a"]
	fmt.Println(mm)
	n := 1
	inc := func() int { n++; return n }
	fmt.Println(inc(), n, inc(), n)
	arr2 := [3]int{inc(), inc(), inc()}
	fmt.Println(arr2, n)
	st := struct{ a, b int }{b: f("b", 1), a: f("a", 2)}
	fmt.Println(st)
	mk := map[string]int{"z": f("z", 1), "y": f("y", 2)}
	fmt.Println(len(mk))
	func(xs ...int) { fmt.Println(xs) }(f("1", 1), f("2", 2), n)
	defer func(n int) { fmt.Println("deferred", n, i) }(f("now", i))
	i = 99
	go func(int) {}(f("go", 1))
	fmt.Println()
	switch f("tag", 2) {
	case f("one", 1), f("two", 2), f("three", 3):
		fmt.Println("matched")
	}
	ch := make(chan int, 3)
	chans := func(name string) chan int { fmt.Print(name, " "); return ch }
	select {
	case chans("c1") <- f("v1", 1):
	case arr("dest")[f("i", 0)] = <-chans("c2"):
	}
	fmt.Println()
	k, v, e := three()
	fmt.Println(k, v, e)
	fmt.Println(three())
	var iface any = f("boxed", 4)
	if n, ok := iface.(int); ok && n == f("cmp", 4) || f("never", 0) == 1 {
		fmt.Println("ok")
	}
	for i, j := f("init", 0), 2; i < f("cond", j); i += f("post", 1) {
		fmt.Print("body ")
	}
	fmt.Println()
	xs := []int{1, 2, 3}
	for i, x := range xs {
		xs = append(xs, x*10)
		xs[0] = 100
		if i == 0 {
			xs[1] = 50
		}
		fmt.Print(x, " ")
	}
	fmt.Println(xs)
	ar := [3]int{1, 2, 3}
	for i, x := range ar {
		ar[2] = 9
		fmt.Print(i, x, " ")
	}
	for i, x := range &ar {
		ar[2] = 10
		fmt.Print(i, x, " ")
	}
	fmt.Println()
	get := func() *[3]int { fmt.Print("once "); return &ar }
	for i := range get() {
		fmt.Print(i)
	}
	fmt.Println(len(get()), cap(xs) >= 6)
}
