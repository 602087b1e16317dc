package main

import "fmt"

type T struct {
	m map[int]T
	a map[[2]string][1]T
	f func(T) T
	l []T
	n *T
	c chan map[string]U
}

type U struct {
	T
	M map[int]U
}

func main() {
	x := T{m: map[int]T{1: {}}, a: map[[2]string][1]T{{"a", "b"}: {}}}
	var a any = x
	fmt.Printf("%T %d %v\n", a, len(a.(T).m), a)
	a = U{T: x}
	fmt.Printf("%T %v\n", a, a.(U).a)
	a = x.m
	fmt.Printf("%T %v\n", a, a.(map[int]T)[1].m)
}
