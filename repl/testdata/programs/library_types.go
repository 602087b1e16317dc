package main

import (
	"database/sql"
	"errors"
	"fmt"
	"hash/maphash"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unique"
	"weak"
)

type T struct{ N int }

type config struct {
	name string
	cur  atomic.Pointer[T]
}

type embeds struct {
	atomic.Pointer[T]
	n int
}

type key struct {
	a string
	b int
}

type loader interface{ Load() *T }

func main() {
	var p atomic.Pointer[T]
	fmt.Println(p.Load() == nil)
	p.Store(&T{1})
	fmt.Println(p.Load().N)
	old := p.Swap(&T{2})
	fmt.Println(old.N, p.Load().N, p.CompareAndSwap(old, old), p.CompareAndSwap(p.Load(), old))
	c := &config{name: "c"}
	c.cur.Store(&T{5})
	fmt.Println(c.cur.Load().N)
	var e embeds
	e.Store(&T{6})
	fmt.Println(e.Load().N)
	var l loader = &e
	fmt.Println(l.Load().N)
	l = &c.cur
	fmt.Println(l.Load().N)
	load := p.Load
	fmt.Println(load().N)
	store := (*atomic.Pointer[T]).Store
	store(&p, &T{9})
	fmt.Println(p.Load().N)
	var ints atomic.Pointer[int]
	var wg sync.WaitGroup
	zero := 0
	ints.Store(&zero)
	for range 20 {
		wg.Go(func() {
			for {
				old := ints.Load()
				n := *old + 1
				if ints.CompareAndSwap(old, &n) {
					return
				}
			}
		})
	}
	wg.Wait()
	fmt.Println(*ints.Load())
	fmt.Printf("%T %T\n", &p, &ints)

	h1, h2, h3 := unique.Make("a"+fmt.Sprint(1)), unique.Make("a1"), unique.Make("b")
	fmt.Println(h1 == h2, h1 == h3, h1.Value())
	k1, k2 := unique.Make(key{"x", 1}), unique.Make(key{"x", 1})
	fmt.Println(k1 == k2, k1.Value().a, map[unique.Handle[key]]int{k1: 3}[k2])
	ha := unique.Make[any](3)
	fmt.Println(ha == unique.Make[any](3), ha.Value())
	fmt.Printf("%T\n", k1)

	x := &T{7}
	w := weak.Make(x)
	fmt.Println(w.Value().N, w == weak.Make(x), w == weak.Pointer[T]{})
	runtime.KeepAlive(x)
	ch := make(chan string, 1)
	func() {
		y := &T{8}
		runtime.AddCleanup(y, func(s string) { ch <- s }, "cleaned")
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		runtime.AddCleanup(x, func(*T) {}, x)
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		runtime.AddCleanup[T](nil, func(int) {}, 1)
	}()
	_ = ch

	fmt.Println(reflect.TypeFor[int](), reflect.TypeFor[error](), reflect.TypeFor[map[string][]byte]())
	n, ok := reflect.TypeAssert[int](reflect.ValueOf(3))
	fmt.Println(n, ok)
	s, ok := reflect.TypeAssert[string](reflect.ValueOf(3))
	fmt.Println(s, ok)

	seed := maphash.MakeSeed()
	fmt.Println(maphash.Comparable(seed, key{"a", 1}) == maphash.Comparable(seed, key{"a", 1}),
		maphash.Comparable(seed, key{"a", 1}) == maphash.Comparable(seed, key{"a", 2}))
	var mh maphash.Hash
	mh.SetSeed(seed)
	maphash.WriteComparable(&mh, 1.5)
	a := mh.Sum64()
	mh.Reset()
	maphash.WriteComparable(&mh, 1.5)
	fmt.Println(a == mh.Sum64())

	var nn sql.Null[int]
	fmt.Println(nn.Scan("12"), nn.V, nn.Valid)
	fmt.Println(nn.Scan("x"))
	var ns sql.Null[time.Duration]
	fmt.Println(ns.Scan(int64(3)), ns.V, ns)
	type pair struct{ a, b int }
	np := sql.Null[pair]{V: pair{1, 2}, Valid: true}
	fmt.Println(np.V.b, np.Valid)
	v, err := nn.Value()
	fmt.Println(v, err)
	var scanner sql.Scanner = &nn
	fmt.Println(scanner.Scan(nil), nn.Valid)

	_, ok = errors.AsType[*errT](fmt.Errorf("x %w", &errT{}))
	fmt.Println(ok)
}

type errT struct{}

func (*errT) Error() string { return "errT" }
