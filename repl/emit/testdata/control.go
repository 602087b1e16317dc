package main

func caseLoops() {
	s := 0
	for i := 0; i < 5; i++ {
		if i == 1 {
			continue
		}
		if i == 4 {
			break
		}
		s = s*10 + i
	}
	out(s)
outer:
	for i := 0; i < 3; i++ {
		for j := 0; j < 3; j++ {
			if j == 1 {
				continue outer
			}
			if i == 2 {
				break outer
			}
			out(i, j)
		}
	}
	j := 9
	for i := 0; i < j; {
		i += 2
		j--
		out(i, j)
	}
	n := 0
	for {
		n++
		if n > 3 {
			break
		}
	}
	out(n)
	for n > 0 {
		n--
	}
	out(n)
next:
	for _, x := range []int{1, 2, 3} {
		for _, y := range []int{1, 2, 3} {
			if y == 2 {
				continue next
			}
			if x == 3 {
				break next
			}
			out(x, y)
		}
	}
	for i := range []int{1, 2, 3} {
		i *= 10
		out(i)
	}
	for range []int{1, 2} {
		out("r")
	}
	for i := 0; i < 3; i++ {
		v := i * 2
		var z int
		z += v
		out(z)
	}
	k := 0
	for k < 3 && k*k < 5 {
		k++
	}
	out(k)
}

func caseGoto() {
	i := 0
again:
	i++
	if i < 3 {
		goto again
	}
	out(i)
	if i == 3 {
		goto end
	}
	out("skipped")
end:
	out("end")
	for j := 0; j < 2; j++ {
		if j == 1 {
			goto done
		}
		out(j)
	}
done:
	out("done")
}

func caseSwitch() {
	for i := 0; i < 6; i++ {
		switch i {
		case 0:
			out("zero")
		case 1, 2:
			if i == 2 {
				break
			}
			out("one")
		case 3:
		case 4:
			continue
		default:
			out("other", i)
		}
		out("after", i)
	}
	switch f := 7; f {
	default:
		out("default first")
	case 7:
		out("seven")
	}
	switch z2() {
	}
loop:
	for i := 0; ; i++ {
		switch i {
		case 3:
			break loop
		case 1:
			continue loop
		}
		out(i)
	}
	switch 5 {
	case 4:
		out("no")
	}
	out(sw(1), sw(2), sw(9))
}

func sw(i int) string {
	switch i {
	case 1:
		return "a"
	case 2:
		return "b"
	}
	return "c"
}

func caseClosures() {
	var fs []func() int
	for i := 0; i < 3; i++ {
		p := new(int)
		*p = i
		fs = append(fs, func() int {
			*p += 10
			return *p
		})
	}
	for _, f := range fs {
		out(f(), f())
	}
	c := counter(5)
	d := counter(100)
	out(c(), c(), d(), c())
	fact := new(func(int) int)
	*fact = func(n int) int {
		if n < 2 {
			return 1
		}
		return n * (*fact)(n-1)
	}
	out((*fact)(6))
	add := func(x int) func(int) int {
		return func(y int) int { return x*10 + y }
	}
	out(add(1)(2), add(3)(4))
	out(apply(func(x int) int { return x + 1 }, 4), apply(double, 4))
	f := double
	out(f(3))
	f = add(2)
	out(f(3))
	g := f
	f = double
	out(f(1), g(1))
	var n func()
	out(n == nil, f != nil)
	try(n)
	h := compose(double, add(1))
	out(h(4))
	m := []func(int) int{double, f, g, add(9)}
	for i := range m {
		out(m[i](1))
	}
	st := struct{ f func(int) int }{double}
	out(st.f(5))
	st.f = add(7)
	out(st.f(5))
	q := st
	st.f = nil
	out(q.f(5), st.f == nil)
}

func counter(n int) func() int {
	p := new(int)
	*p = n
	return func() int {
		*p++
		return *p
	}
}

func double(x int) int { return 2 * x }

func apply(f func(int) int, x int) int { return f(x) }

func compose(f, g func(int) int) func(int) int {
	return func(x int) int { return f(g(x)) }
}

func caseArgsOrder() {
	fs := new([]func() int)
	mk := func(n int) func() int {
		f := func() int { return n }
		*fs = append(*fs, f)
		return f
	}
	call := func(f func() int, g func() int) int { return f()*10 + g() }
	for i := 0; i < 3; i++ {
		out(call(mk(i), mk(i+1)))
	}
	for _, f := range *fs {
		out(f())
	}
}

func caseVariadic() {
	out(sum(), sum(1), sum(1, 2, 3), sum([]int{4, 5}...))
	out(isNil(), isNil(1))
	f := sum
	out(f(1, 2), f(), f([]int{3}...))
	g := func(p string, xs ...any) int { return len(xs) }
	out(g("a"), g("a", 1, nil), g("a", []any{1, 2, 3}...), g("a", []any{1, 2}))
	out(anys(1, "x"), anys([]any{1, 2}), anys([]any{1, 2}...))
	out(join("a", "b", "c"))
}

func sum(xs ...int) int {
	s := 0
	for _, x := range xs {
		s += x
	}
	return s
}

func isNil(xs ...int) bool { return xs == nil }

func anys(xs ...any) int { return len(xs) }

func join(sep string, xs ...string) string {
	r := ""
	for i, x := range xs {
		if i > 0 {
			r += sep
		}
		r += x
	}
	return r
}

func caseResults() {
	a, b := pair(1)
	out(a, b)
	c, _ := pair(2)
	_, d := pair(3)
	out(c, d)
	out(take(pair(4)))
	e, f, g := three()
	out(e, f, g == nil)
	x, y := fwd(5)
	out(x, y)
	out(fib(15))
	s, n := lens("abc")
	out(s, n)
	out(pairSum(3, 4))
	for i := 0; i < 3; i++ {
		u, v := pair(i)
		out(u, v)
	}
	h := pair
	p, q := h(7)
	out(p, q)
	out(sub(10, 3), sub(sub(10, 3), sub(5, 4)))
	r := 5
	r = sub(r, sub(r, 1))
	out(r)
	r = r*r - r
	out(r)
	w := []int{1, 2, 3}
	w[0] = sub(w[1], w[2])
	w[1] = w[0] + w[2]*2
	w[2] = -w[2]
	out(w)
}

func sub(a, b int) int { return a - b }

func pair(n int) (int, string) { return n, "p" }

func take(n int, s string) string {
	if n == 4 {
		return s + "4"
	}
	return s
}

func three() (int, string, []int) { return 1, "x", nil }

func fwd(n int) (int, string) { return pair(n + 1) }

func lens(s string) (string, int) { return s + "!", len(s) }

func pairSum(a, b int) (int, int) { return a + b, a * b }

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func caseRecursion() {
	out(ack(2, 3), depth(2000), even(10), odd(7))
}

func ack(m, n int) int {
	if m == 0 {
		return n + 1
	}
	if n == 0 {
		return ack(m-1, 1)
	}
	return ack(m-1, ack(m, n-1))
}

func depth(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + depth(n-1)
}

func even(n int) bool { return n == 0 || odd(n-1) }

func odd(n int) bool { return n != 0 && even(n-1) }

func casePanics() {
	try(func() { panic("text") })
	try(func() { panic(42) })
	try(func() {
		var x any
		out(x.(int))
	})
	try(func() { deep(3) })
	out("after")
}

func deep(n int) {
	if n == 0 {
		panic("deep")
	}
	deep(n - 1)
}
