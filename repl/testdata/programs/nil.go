package main

import "fmt"

type pair struct{ a, b int }

func (p *pair) quiet() string { return "called" }

type deep struct{ pair }

type outer struct {
	n     int
	inner *pair
}

func try(name string, f func()) {
	defer func() { fmt.Println(name, recover()) }()
	f()
}

// Each of these reads through a nil pointer.
func main() {
	var p *int
	var q *pair
	var o outer
	var pp **pair
	var array *[3]int
	ints := map[int]int{0: 5}
	pairs := map[string]pair{"kept": {1, 2}}
	try("map of ints", func() { ints[0] = *p })
	try("map, added", func() { ints[0] += *p })
	try("map of pairs", func() { pairs["kept"] = *q })
	try("map, a field", func() { ints[0] = q.b })
	try("map, a field of a field", func() { ints[0] = o.inner.a })
	try("map, an element", func() { ints[0] = array[1] })
	try("map, two at once", func() { ints[0], ints[1] = 1, *p })
	try("map, a literal", func() { pairs = map[string]pair{"new": *q} })
	fmt.Println(ints, pairs)
	try("address of *p", func() { fmt.Println(&*p) })
	try("address of (*q)", func() { q = &(*q) })
	try("address of **pp", func() { q = &**pp })
	try("address of a field", func() { p = &q.b })
	try("address of an element", func() { p = &array[0] })
	try("address of no value", func() { fmt.Println(q.quiet()) })
	try("method of *q", func() { fmt.Println((*q).quiet()) })
	try("method value of *q", func() { f := (*q).quiet; fmt.Println(f()) })
	var d *deep
	try("method of *d's field", func() { fmt.Println((*d).quiet()) })
	try("method of d's field", func() { fmt.Println(d.quiet()) })
	fmt.Println(p == nil, q == nil)
	q = &pair{1, 2}
	d = &deep{*q}
	fmt.Println((*q).quiet(), (*d).quiet(), *&q.b, &*q == q, (&*q).a)
}
