package main

type point struct {
	X, y int
}

type line struct {
	a, b point
	name string
	_    int
}

type node struct {
	val  int
	next *node
	kids []node
	m    map[string]*node
	f    func(*node) int
}

type empty struct{}

func caseStructs() {
	p := point{1, 2}
	q := p
	q.X = 9
	out(p.X, q.X, q.y)
	r := &p
	r.y = 7
	r.X += 10
	out(p.X, p.y, *r == p, p == q, p != q)
	l := line{a: p, name: "l"}
	l.b.X = 3
	m := l
	m.a.X = 100
	out(l.a.X, l.b.X, m.a.X, l.name, l.a == p)
	l.a = point{y: 5}
	out(l.a.X, l.a.y)
	l.a = m.a
	m.a.X = 1
	out(l.a.X)
	var z line
	out(z.name == "", z.a.X)
	s := []point{{1, 2}, {3, 4}}
	t := s[0]
	t.X = 50
	s[1].X = 60
	out(s[0].X, s[1].X, t.X, len(s))
	u := &s[0]
	u.X = 70
	out(s[0].X)
	mp := map[string]point{"a": {1, 2}}
	v := mp["a"]
	v.X = 8
	out(mp["a"].X, v.X, mp["b"].X)
	mp["b"] = v
	out(mp["b"].X, len(mp))
	pp := &point{y: 4}
	*pp = point{5, 6}
	out(pp.X, pp.y)
	pf := &l.b.y
	*pf = 33
	out(l.b.y)
	a := [2]point{{1, 2}, {3, 4}}
	b := a
	b[0].X = 99
	out(a[0].X, b[0].X, a == b)
	x := struct{ A, B int }{1, 2}
	x.A++
	out(x.A+x.B, x == struct{ A, B int }{2, 2})
	out(mk(3).X, mk(4).y)
}

func mk(n int) point { return point{n, n + 1} }

func caseSelfStruct() {
	p := point{1, 2}
	p = point{p.y, p.X}
	out(p.X, p.y)
	a := [2]int{1, 2}
	a = [2]int{a[1], a[0]}
	out(a)
	s := []int{1, 2}
	s = []int{s[1], s[0]}
	out(s)
	var e any = p
	_ = e
}

func caseList() {
	var head *node
	for i := 0; i < 5; i++ {
		head = &node{val: i, next: head}
	}
	s := 0
	for n := head; n != nil; n = n.next {
		s = s*10 + n.val
	}
	out(s)
	n := node{val: 3}
	n0 := n
	n.kids = append(n.kids, node{val: 4}, n0)
	n.kids[0].val += 10
	n.kids[1].kids = append(n.kids[1].kids, node{val: 9})
	n.m = map[string]*node{"a": &n.kids[0]}
	n.m["a"].val++
	n.f = func(p *node) int { return p.val * 2 }
	out(n.kids[0].val, n.kids[1].kids[0].val, n.f(&n), n.m["a"].f == nil, len(n.kids[0].kids))
	try(func() {
		var p *node
		out(p.val)
	})
	try(func() {
		var p *node
		p.val = 1
	})
	try(func() {
		p := &node{}
		out(p.f(p))
	})
}

func caseEmpty() {
	e := empty{}
	f := empty{}
	out(e == f)
	m := map[string]empty{"a": {}}
	_, ok := m["a"]
	_, no := m["b"]
	out(ok, no, len(m))
	c := make(chan struct{}, 1)
	c <- struct{}{}
	<-c
	out(len(c), cap(c))
	var a any = struct{}{}
	_, is := a.(struct{})
	out(is)
	set := map[int]struct{}{1: {}, 2: {}}
	delete(set, 1)
	out(len(set))
	s := []struct{}{{}, {}}
	out(len(s))
}

func caseSlices() {
	s := []int{1, 2, 3}
	t := s[:2]
	t = append(t, 9)
	out(s, t, len(t), cap(t))
	u := s[0:1:1]
	u = append(u, 5)
	out(s, u)
	var n []int
	out(n == nil, len(n), cap(n), n != nil)
	n = append(n, 1)
	n = append(n, 2, 3, 4)
	n = append(n, s...)
	out(n, n == nil)
	out(copy(s, []int{7, 8}), s, copy(s[1:], s), s)
	m := make([]string, 2, 5)
	m[1] = "x"
	out(len(m), cap(m), m[1], m[0] == "")
	g := [][]int{{1}, {2, 3}}
	g[0][0] = 10
	g = append(g, []int{4})
	g = append(g, g[1], nil)
	out(g, len(g), g[4] == nil)
	b := append([]byte("ab"), "cd"...)
	out(string(b))
	b = append(b, 'e')
	out(string(b))
	out(copy(b, "zz"))
	out(string(b))
	k := []string{2: "c", 0: "a"}
	out(len(k), k[0], k[1] == "", k[2])
	try(func() { out(s[5-z2()]) })
	try(func() {
		i := 5
		out(s[1:i])
	})
	try(func() {
		i := 5
		s[i] = 1
	})
	try(func() {
		i := -1
		out(make([]int, i))
	})
	clear(s)
	out(s)
	i := 1
	j := 2
	tmp := n[i]
	n[i] = n[j]
	n[j] = tmp
	out(n)
	var a any = []int{1}
	aa := []any{1, "x"}
	aa = append(aa, aa, a)
	aa = append(aa, nil)
	out(len(aa), aa[4] == nil)
	var ss []any
	ss = append(ss, aa...)
	out(len(ss))
	e := append([][2]int{}, [2]int{1, 2})
	out(e)
	p := &e[0][1]
	*p = 8
	out(e)
}

type tree []tree

func caseRecursive() {
	t := tree{nil, tree{nil}}
	t = append(t, tree{})
	t = append(t, t)
	out(len(t), len(t[1]), len(t[3]), t[0] == nil)
	t[0] = tree{nil, nil}
	out(len(t[0]))
	type m map[string]m
	x := m{"a": {"b": nil}}
	x["c"] = x["a"]
	out(len(x), len(x["a"]), x["c"]["b"] == nil)
}

func caseArrays() {
	a := [3]int{1, 2, 3}
	b := a
	b[0] = 9
	out(a, b, a == b, len(a))
	setArray(a)
	out(a)
	p := new([3]int)
	p[1] = 5
	out(p[1], len(p), *p, p[1:])
	q := &p[2]
	*q = 6
	out(p[2])
	for i, v := range p {
		out(i, v)
	}
	for i := range p {
		p[i] = i
	}
	var np *[3]int
	for i := range np {
		out(i)
	}
	s := 0
	for _, v := range a {
		a[2] = 10
		s += v
	}
	out(s, a)
	g := [2][2]int{{1, 2}, {3, 4}}
	g[1][0] = 8
	h := g
	h[0][0] = 77
	out(g, h)
	arr := new([2]struct{ v [2]int })
	arr[1].v[0] = 4
	r := &arr[1].v[0]
	*r++
	out(arr[1].v[0])
	try(func() {
		i := 3
		out(a3(i))
	})
	z := [...]string{3: "x"}
	out(len(z))
}

func a3(i int) int {
	x := [3]int{}
	return x[i]
}

func setArray(a [3]int) { a[0] = 100 }

func caseMaps() {
	m := map[string]int{"a": 1}
	m["b"] += 2
	m["a"]++
	out(m, len(m), m["zz"])
	for i := 0; i < 3; i++ {
		k := []string{"a", "x", "b"}[i]
		v, ok := m[k]
		out(v, ok)
	}
	delete(m, "a")
	delete(m, "nope")
	out(m)
	var n map[int]bool
	out(n[1], len(n), n == nil)
	try(func() {
		var x map[string]int
		x["a"] = 1
	})
	k := map[[2]int]string{{1, 2}: "p"}
	out(k[[2]int{1, 2}], k[[2]int{2, 1}] == "")
	a := map[any]int{1: 2, "a": 3, 1.5: 4}
	out(a[1], a["a"], a[1.5], a[2])
	var e any = "a"
	a[e] = 9
	out(a["a"], a[e])
	i := map[uint8][]int{3: {1}}
	i[3] = append(i[3], 2)
	i[4] = append(i[4], 5)
	out(i[3], i[4], len(i[5]))
	s := 0
	for k, v := range map[int]int{1: 10, 2: 20} {
		s += k * v
	}
	for k := range map[int]int{1: 10, 2: 20} {
		s += k
	}
	out(s)
	d := map[int]int{1: 1, 2: 2, 3: 3}
	for k := range d {
		delete(d, k)
	}
	out(len(d))
	clear(i)
	out(len(i))
	f := map[string]func(int) int{"d": func(x int) int { return 2 * x }}
	out(f["d"](4), f["e"] == nil)
	x := 0
	y := 0
	z := map[int]int{x: 1}
	z[y]++
	out(z[0])
	var fl map[float64]int = map[float64]int{0.5: 1}
	out(fl[0.5])
}

func casePointers() {
	p := new(int)
	*p = 5
	q := p
	*q += 2
	out(*p, p == q, p != nil)
	pp := &p
	**pp = 9
	out(*p)
	r := new(int)
	*pp = r
	out(*p, p == r)
	var n *int
	try(func() { out(*n) })
	try(func() {
		var x *int
		*x = 1
	})
	s := new([]int)
	*s = append(*s, 1, 2)
	(*s)[0] = 8
	out(*s, len(*s))
	e := &(*s)[1]
	*e = 4
	out(*s)
	m := new(map[string]int)
	*m = map[string]int{}
	(*m)["x"] = 1
	out(len(*m))
	f := new(func() int)
	*f = func() int { return 3 }
	out((*f)())
	c := new(any)
	*c = 4
	out(*c)
	*c = nil
	out(*c == nil)
	b := &[]int{1, 2}
	out(len(*b))
	g := &map[string]int{"a": 1}
	out((*g)["a"])
}

func caseAny() {
	var a any
	out(a == nil)
	a = 1
	x, ok := a.(int)
	out(x, ok)
	y, ok2 := a.(string)
	out(y == "", ok2)
	for i := 0; i < 3; i++ {
		var v any = []any{1, "s", nil}[i]
		n, is := v.(int)
		s, iss := v.(string)
		out(n, is, s, iss)
	}
	a = "s"
	out(a.(string) + "t")
	var f any = func(i int) int { return i + 1 }
	out(f.(func(int) int)(4))
	_, fok := f.(func())
	out(fok)
	var b uint8 = 3
	var c any = b + 4
	out(c, c.(uint8))
	var d any = -b
	out(d)
	var g any = 2.5
	g = 1 << 3
	out(g)
	var e any = []int{1}
	sl, ok3 := e.([]int)
	out(sl, ok3)
	list := []any{1, "a", nil, 2.5, true, []int{1}}
	for _, v := range list {
		out(v)
	}
	out(pass(3), pass(nil) == nil, pass("q"))
	z, err := two()
	out(z, err)
	var h any = a
	out(h)
}

func pass(x any) any { return x }

func two() (any, error) { return 1, nil }

func caseBlank() {
	type t struct {
		a int
		_ int
		b string
	}
	x := t{1, 2, "x"}
	y := t{1, 3, "x"}
	m := map[t]int{x: 1}
	m[y]++
	out(x == y, len(m), m[x])
}
