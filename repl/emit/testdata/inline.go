package main

// Short functions, which emit writes out where they are called.

type meter struct{ n, calls int }

func grown(m *meter, d int) int {
	m.calls++
	m.n += d
	return m.n
}

func limited(m *meter, d int) int {
	if d < 0 {
		return -1
	}
	if d > 10 {
		m.n = 10
		return 10
	} else if d > 5 {
		m.n = 5
	}
	return grown(m, 1)
}

func resetMeter(m *meter, really bool) {
	if !really {
		return
	}
	m.n = 0
}

func larger(a, b int) int {
	if a > b {
		return a
	}
	return b
}

func count(n int) int {
	n++
	n *= 2
	return n
}

func minus(a, b int) int { return a - b }

func moved(m meter, d int) meter {
	m.n += d
	return m
}

func evenNumber(n int) bool {
	if n == 0 {
		return true
	}
	return oddNumber(n - 1)
}

func oddNumber(n int) bool {
	if n == 0 {
		return false
	}
	return evenNumber(n - 1)
}

func element(s []int, i int) int { return s[i] }

func turned(a, b int) (int, int) { return b, a }

func caseInlineNested() {
	x := 3
	y := 4
	out(larger(larger(x, 2), larger(y, larger(5, 1))), count(count(count(x))), x)
	x = minus(minus(y, x), minus(x, y))
	out(x, y, minus(turned(x, y)))
	z := minus(y, x)
	y = minus(x, y)
	out(z, y)
	for i := 0; i < 3; i++ {
		v := count(i)
		x += minus(v, i) * minus(i, v)
		out(v, x)
	}
}

func caseInlinePointers() {
	m := &meter{}
	out(grown(m, 1)+grown(m, 2)*grown(m, 3), m.calls)
	out(limited(m, -3), limited(m, 3), limited(m, 7), limited(m, 30), *m)
	resetMeter(m, false)
	out(m.n)
	resetMeter(m, true)
	out(m.n)
	a := [2]int{}
	a[grown(m, 1)] = grown(m, 5) + a[m.calls-m.calls]
	out(a, m.n)
	n := *m
	out(moved(n, 4), moved(moved(n, 1), 2), n)
}

func caseInlineMutual() {
	out(evenNumber(7), oddNumber(7), evenNumber(10))
	f := func(n int) bool { return evenNumber(n) && !oddNumber(n) }
	out(f(3), f(4))
}

func caseInlinePanics() {
	s := []int{1, 2, 3}
	i := 5
	try(func() { out(element(s, 1), element(s, i)) })
	m := &meter{}
	try(func() { out(minus(grown(m, 1), element(s, grown(m, 3)))) })
	out(m.n)
	var none *meter
	try(func() { resetMeter(none, false); out("fine"); resetMeter(none, true) })
}

func caseInlineConditions() {
	m := &meter{}
	if larger(grown(m, 1), 0) > 0 && grown(m, 1) == 2 || grown(m, 100) > 0 {
		out("yes", m.n)
	}
	for grown(m, 1) < 6 {
		out(m.n)
	}
	for i := larger(1, 2); larger(i, 3) < 5; i = minus(i, -1) {
		out(i)
	}
	switch minus(m.n, 1) {
	case 5:
		out("five")
	}
}
