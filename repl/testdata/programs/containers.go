package main

import (
	"cmp"
	"container/heap"
	"container/list"
	"container/ring"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sort"
)

type item struct {
	name string
	prio int
}

type queue []*item

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].prio < q[j].prio }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(*item)) }
func (q *queue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

type byName []item

func (b byName) Len() int           { return len(b) }
func (b byName) Less(i, j int) bool { return b[i].name < b[j].name }
func (b byName) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

func pairs[K cmp.Ordered, V any](m map[K]V) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

func main() {
	q := &queue{{"c", 3}, {"a", 1}, {"b", 2}}
	heap.Init(q)
	heap.Push(q, &item{"z", 0})
	(*q)[len(*q)-1].prio = 9
	heap.Fix(q, len(*q)-1)
	for q.Len() > 0 {
		it := heap.Pop(q).(*item)
		fmt.Print(it.name, it.prio, " ")
	}
	fmt.Println()
	l := list.New()
	e := l.PushBack(item{"x", 1})
	l.PushFront("front")
	l.InsertAfter(3, e)
	for e := l.Front(); e != nil; e = e.Next() {
		switch v := e.Value.(type) {
		case item:
			fmt.Print("item ", v.name, " ")
		default:
			fmt.Print(v, " ")
		}
	}
	fmt.Println(l.Len())
	r := ring.New(3)
	for i := range 3 {
		r.Value = i
		r = r.Next()
	}
	r.Do(func(v any) { fmt.Print(v, " ") })
	fmt.Println()
	items := []item{{"b", 2}, {"a", 2}, {"c", 1}}
	sort.Sort(sort.Reverse(byName(items)))
	fmt.Println(items)
	sort.SliceStable(items, func(i, j int) bool { return items[i].prio < items[j].prio })
	fmt.Println(items, sort.SearchInts([]int{1, 3, 5}, 4))
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(b.prio, a.prio), cmp.Compare(a.name, b.name))
	})
	fmt.Println(items, slices.IndexFunc(items, func(i item) bool { return i.name == "c" }))
	m := map[string]int{"x": 1, "y": 2, "z": 3}
	for k, v := range pairs(m) {
		fmt.Print(k, "=", v, " ")
	}
	fmt.Println()
	maps.DeleteFunc(m, func(k string, v int) bool { return v == 2 })
	fmt.Println(m, slices.Collect(maps.Values(map[int]string{1: "one"})))
	for c := range slices.Chunk([]int{1, 2, 3, 4, 5}, 2) {
		fmt.Print(c, " ")
	}
	fmt.Println(slices.Repeat([]int{1}, 3), slices.Concat([]int{1}, []int{2, 3}))
	i, found := sort.Find(3, func(i int) int { return cmp.Compare(2, i) })
	fmt.Println(i, found, slices.MinFunc(items, func(a, b item) int { return cmp.Compare(a.prio, b.prio) }))
	next, stop := iter.Pull2(pairs(m))
	k, v, ok := next()
	fmt.Println(k, v, ok)
	stop()
	fmt.Println(slices.EqualFunc(items, []string{"a", "b", "c"}, func(a item, b string) bool { return a.name == b }))
}
