// Shadowing, methods on many kinds of types, constants in types, errors, maps, strings and goroutines.
package main

import (
	"errors"
	"fmt"
	"os"
	"sort"
	"strings"
	"sync"
	"time"
)

type State int

const (
	Idle State = iota + 1
	Busy
	numStates = iota
)

func (s State) String() string {
	switch s {
	case Idle:
		return "idle"
	case Busy:
		return "busy"
	}
	return fmt.Sprintf("State(%d)", int(s))
}

type Matrix [2][2]float64

func (m Matrix) Mul(n Matrix) (r Matrix) {
	for i := range m {
		for j := range n[0] {
			for k := range n {
				r[i][j] += m[i][k] * n[k][j]
			}
		}
	}
	return
}

type Handler func(string) error

func (h Handler) Serve(s string) error { return h(s) }

type Server interface{ Serve(string) error }

type Chan chan int

func (c Chan) Drain() (n int) {
	for x := range c {
		n += x
	}
	return
}

type NotFound struct{ Name string }

func (e *NotFound) Error() string        { return e.Name + " not found" }
func (e *NotFound) Is(target error) bool { return target == os.ErrNotExist }

type Temporary interface{ Temporary() bool }
type netErr struct{ error }

func (netErr) Temporary() bool { return true }
func (n netErr) Unwrap() error { return n.error }

func find(name string) error {
	if name == "" {
		return fmt.Errorf("find: %w", &NotFound{"?"})
	}
	return nil
}

func nilErr() error {
	var e *NotFound
	return e
}

func multi() (n int, s string, err error) {
	defer func() {
		if err != nil {
			s = "deferred " + err.Error()
		}
	}()
	n, err = 1, errors.Join(errors.New("a"), errors.New("b"))
	return n + 1, "x", err
}

func variadic(prefix string, xs ...any) string {
	if xs == nil {
		return prefix + " nil"
	}
	return fmt.Sprint(prefix, len(xs), xs)
}

type Visitor interface {
	Visit(n int) Visitor
}
type depth int

func (d depth) Visit(n int) Visitor {
	if n == 0 {
		return nil
	}
	return d + 1
}

func shadows() {
	x := 1
	err := errors.New("outer")
	if x := x + 1; x > 1 {
		x, err := x*10, error(nil)
		fmt.Print(x, err, " ")
	}
	for x := x; x < 3; x++ {
		x := x * 100
		fmt.Print(x, " ")
	}
	switch x := any(x).(type) {
	case int:
		x++
		fmt.Print(x, " ")
	}
	func(x string) { fmt.Print(x, " ") }("param")
	type int string
	var len = func(s int) string { return string(s) + "!" }
	fmt.Println(x, err, len("shadowed"))
	const true = false
	var nil = "nil"
	fmt.Println(true, nil)
	a, b := 1, 2
	b, c := a, b
	fmt.Println(a, b, c)
	var fmt2 = fmt.Sprint
	{
		fmt := "f"
		_ = fmt
		print := fmt2
		_ = print(1)
	}
}

func mapsAndStrings() {
	m := map[string][]int{}
	m["a"] = append(m["a"], 1, 2)
	m["b"] = nil
	v, ok := m["b"]
	_, no := m["c"]
	fmt.Println(m, v == nil, ok, no, len(m["zzz"]))
	nested := map[string]map[string]int{"x": {"y": 1}}
	nested["x"]["z"]++
	nested["q"] = map[string]int{}
	nested["q"]["w"] -= 5
	fmt.Println(nested)
	type pt struct{ x, y int }
	grid := map[pt]string{{1, 2}: "a"}
	grid[pt{3, 4}] += "b"
	fmt.Println(grid[pt{1, 2}], grid[pt{3, 4}], len(grid))
	counts := map[rune]int{}
	for _, r := range "mississippi" {
		counts[r]++
	}
	keys := []string{}
	for k := range counts {
		keys = append(keys, string(k))
	}
	sort.Strings(keys)
	fmt.Println(keys, counts['s'])
	fm := map[string]func(int, int) int{
		"add": func(a, b int) int { return a + b },
		"sub": func(a, b int) int { return a - b },
	}
	fmt.Println(fm["add"](1, 2), fm["sub"](1, 2))
	pm := map[string]*pt{"p": {1, 2}}
	pm["p"].x = 9
	fmt.Println(*pm["p"])
	s := "héllo"
	fmt.Println(s[1], s[1:3], s[len(s)-1:], s > "hello", s+"!" == "héllo!", strings.Count(s, ""))
	b := []byte(s)
	b = append(b, " world"...)
	copy(b, "HE")
	fmt.Println(string(b), string(b[:0]) == "", strings.Repeat("=", 3))
	raw := `a\n"b"
c`
	fmt.Printf("%q %d %s\n", raw, len(raw), strings.ReplaceAll(raw, "\n", "|"))
	var sb strings.Builder
	for i := 3; i > 0; i-- {
		fmt.Fprintf(&sb, "%d...", i)
	}
	fmt.Println(sb.String())
}

func concurrent() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	total := 0
	for i := range 10 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			total += i
		}()
	}
	wg.Wait()
	jobs, results := make(chan int), make(chan [2]int, 3)
	for range 3 {
		go func() {
			for j := range jobs {
				results <- [2]int{j, j * j}
			}
		}()
	}
	go func() {
		for i := range 5 {
			jobs <- i
		}
		close(jobs)
	}()
	sum := 0
	for range 5 {
		r := <-results
		sum += r[1]
	}
	var once sync.Once
	for range 3 {
		once.Do(func() { total *= 2 })
	}
	timeout := time.After(time.Minute)
	tick := make(chan struct{})
	go func() { close(tick) }()
	select {
	case <-tick:
	case <-timeout:
		fmt.Println("timeout")
	}
	c := Chan(make(chan int, 3))
	c <- 1
	c <- 2
	close(c)
	gen := func(n int) <-chan int {
		out := make(chan int)
		go func() {
			defer close(out)
			for i := 2; i < n; i++ {
				out <- i
			}
		}()
		return out
	}
	filter := func(in <-chan int, p int) <-chan int {
		out := make(chan int)
		go func() {
			defer close(out)
			for x := range in {
				if x%p != 0 {
					out <- x
				}
			}
		}()
		return out
	}
	var primes []int
	ch := gen(30)
	for {
		p, ok := <-ch
		if !ok {
			break
		}
		primes = append(primes, p)
		ch = filter(ch, p)
	}
	fmt.Println(total, sum, c.Drain(), primes)
	var rw sync.RWMutex
	cond := sync.NewCond(&mu)
	ready := false
	go func() { mu.Lock(); ready = true; mu.Unlock(); cond.Broadcast() }()
	mu.Lock()
	for !ready {
		cond.Wait()
	}
	mu.Unlock()
	rw.RLock()
	rw.RUnlock()
	var smap sync.Map
	smap.Store(State(1), "one")
	got, _ := smap.Load(Idle)
	_, missing := smap.Load(1)
	fmt.Println(got, missing)
}

func main() {
	fmt.Println(Idle, Busy, State(7), numStates, []State{1, 2}, map[State]int{Busy: 1})
	fmt.Printf("%v %d %s %x %T %q\n", Idle, Idle, Busy, Busy, Idle, Busy)
	fmt.Println(Matrix{{1, 1}, {1, 0}}.Mul(Matrix{{1, 1}, {1, 0}}))
	var s Server = Handler(func(s string) error { return errors.New(s) })
	fmt.Println(s.Serve("served"))
	err := find("")
	var nf *NotFound
	fmt.Println(err, errors.As(err, &nf), nf.Name, errors.Is(err, os.ErrNotExist), errors.Unwrap(err) == error(nf))
	wrapped := fmt.Errorf("outer: %w", netErr{err})
	var tmp Temporary
	fmt.Println(errors.As(wrapped, &tmp) && tmp.Temporary(), errors.Is(wrapped, os.ErrNotExist), wrapped)
	fmt.Println(nilErr() == nil, nilErr() != nil)
	fmt.Println(multi())
	fmt.Println(variadic("a"), variadic("b", 1, "x", nil), variadic("c", []any{1, 2}...), variadic("d", nil...), variadic("e", []int{1}))
	var v Visitor = depth(0)
	for n := 3; v != nil; n-- {
		fmt.Print(v, " ")
		v = v.Visit(n)
	}
	fmt.Println()
	shadows()
	mapsAndStrings()
	concurrent()
}
