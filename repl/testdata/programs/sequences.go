package main

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

func take(s iter.Seq[string], n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for x := range s {
			if n == 0 || !yield(x) {
				return
			}
			n--
		}
	}
}

type holder struct{ seq iter.Seq[string] }

func main() {
	for l := range strings.Lines("a\nb\nc") {
		fmt.Printf("%q\n", l)
	}
	f := strings.SplitSeq
	for p := range f("a,b", ",") {
		fmt.Println(p)
	}
	fs := []func(string, string) iter.Seq[string]{strings.SplitSeq, strings.SplitAfterSeq}
	for _, f := range fs {
		fmt.Println(slices.Collect(f("x.y", ".")))
	}
	h := holder{strings.FieldsSeq("u v w")}
	fmt.Println(slices.Collect(take(h.seq, 2)))
	m := map[string]func(string) iter.Seq[string]{"lines": strings.Lines}
	fmt.Println(len(slices.Collect(m["lines"]("a\nb"))))
	next, stop := iter.Pull(strings.SplitSeq("1 2", " "))
	defer stop()
	fmt.Println(next())
	var seq iter.Seq[string] = func(yield func(string) bool) { yield("own") }
	fmt.Println(slices.Collect(seq))
	fmt.Println(slices.Sorted(maps.Keys(map[string]int{"b": 1, "a": 2})))
	h.seq = seq
	h.seq = func(yield func(string) bool) {}
	fmt.Printf("%T\n", seq)
}
