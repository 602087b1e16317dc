package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sort"
	"strings"
	"sync"
	"text/template"
)

type Pan struct{ n int }

func (p Pan) String() string {
	var a []int
	return fmt.Sprint(a[p.n])
}

type PanE struct{ v any }

func (p PanE) Error() string { panic(p.v) }

type PanF int

func (p PanF) Format(s fmt.State, v rune) { var m map[string]int; m["a"] = int(p) }

type PanG int

func (PanG) GoString() string { panic(errors.New("gostr")) }

type PanN struct{ p *int }

func (p *PanN) String() string { return fmt.Sprint(*p.p) }

type PanJ struct{ X any }

func (p PanJ) MarshalJSON() ([]byte, error) { return nil, fmt.Errorf("bad %v", p.X) }

type PanJ2 int

func (p PanJ2) MarshalJSON() ([]byte, error) { panic("json boom") }

type Rec struct{}

func (Rec) String() (s string) {
	defer func() { s = fmt.Sprint("recovered: ", recover()) }()
	var x any = 3
	return x.(string)
}

type Wr struct{ n int }

func (w *Wr) Write(p []byte) (int, error) {
	w.n++
	if w.n > 1 {
		panic(fmt.Sprintf("write %d", w.n))
	}
	return len(p), nil
}

type S []int

func (s S) Len() int { return len(s) }
func (s S) Less(i, j int) bool {
	if s[i] == 3 {
		panic(errors.New("three"))
	}
	return s[i] < s[j]
}
func (s S) Swap(i, j int) { s[i], s[j] = s[j], s[i] }

type GCer struct{ p *[100]int }

func (g GCer) String() string {
	runtime.GC()
	b := make([]*[100]int, 100)
	for i := range b {
		b[i] = new([100]int)
		b[i][0] = i
	}
	runtime.GC()
	g.p[0]++
	return fmt.Sprint(g.p[0], b[99][0])
}
func (g *GCer) Big(a [50]int, s string, m map[string]*GCer) ([50]int, string, map[string]*GCer) {
	runtime.GC()
	a[0]++
	m[s] = g
	runtime.GC()
	return a, s + "x", m
}

func try(n string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Printf("%s: %T %v\n", n, r, r)
		}
	}()
	f()
}

func main() {
	fmt.Println(Pan{3}, []any{Pan{2}, 1}, map[string]Pan{"a": {1}})
	fmt.Printf("%v %s %d %x\n", Pan{1}, Pan{1}, Pan{1}, Pan{1})
	fmt.Println(PanE{"str"}, PanE{errors.New("e")}, PanE{nil}, &PanE{3.5})
	fmt.Printf("%v %+v %#v %s %T\n", PanF(1), PanF(2), PanG(1), []PanG{1}, PanG(1))
	fmt.Println((*PanN)(nil), &PanN{}, PanN{} == PanN{})
	_, err := json.Marshal([]any{PanJ{3}})
	fmt.Println(err)
	var me *json.MarshalerError
	fmt.Println(errors.As(err, &me), me.Type)
	try("json", func() { json.Marshal(PanJ2(1)) })
	fmt.Println(Rec{})
	try("write", func() { w := &Wr{}; fmt.Fprintln(w, 1); io.Copy(w, strings.NewReader("abc")) })
	try("sort", func() { sort.Sort(S{5, 4, 3, 2}) })
	err = template.Must(template.New("a").Parse("{{.}}")).Execute(os.Stdout, Pan{3})
	fmt.Println(err)
	err = template.Must(template.New("a").Parse("{{.String}}")).Execute(os.Stdout, Pan{3})
	fmt.Println(err)
	g := GCer{new([100]int)}
	for range 2 {
		fmt.Println(g, &g)
	}
	var bi interface {
		Big(a [50]int, s string, m map[string]*GCer) ([50]int, string, map[string]*GCer)
	} = &g
	a, s, m := bi.Big([50]int{7}, "q", map[string]*GCer{})
	fmt.Println(a[0], s, m["q"] == &g)
	var wg sync.WaitGroup
	var mu sync.Mutex
	out := []string{}
	for i := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			x := fmt.Sprint(GCer{new([100]int)}, i)
			mu.Lock()
			out = append(out, x)
			mu.Unlock()
		}()
	}
	wg.Wait()
	sort.Strings(out)
	fmt.Println(out[0], len(out))
	var once sync.Once
	try("once", func() { once.Do(func() { _ = fmt.Sprint(PanE{1}); panic(Pan{4}) }) })
	var e error = PanE{1}
	try("iswrap", func() { fmt.Println(errors.Is(fmt.Errorf("%w", e), io.EOF)) })
	try("hash", func() { m := map[any]int{}; m[[]S{}] = 1 })
	try("hash2", func() { m := map[any]int{}; m[struct{ s S }{}] = 1 })
	try("hash4", func() { m := map[fmt.Stringer]int{}; m[fn(nil)] = 1 })
	try("eq", func() { var a, b any = S{}, S{}; fmt.Println(a == b) })
	try("eq2", func() { var a, b any = st{nil, 1}, st{nil, 1}; fmt.Println(a == b) })
	try("eq3", func() { a, b := st2{S{}}, st2{S{}}; fmt.Println(a == b) })
	try("eq4", func() { a, b := st2{S{}}, st2{1}; fmt.Println(a == b) })
	try("eq5", func() { var a, b fmt.Stringer = fn(nil), fn(nil); fmt.Println(a == b) })
	try("conv1", func() { var a any = S{}; _ = a.(fmt.Stringer) })
	try("conv2", func() { var a any = S{}; _ = a.([]int) })
	try("conv3", func() { var a sort.Interface = S{}; _ = a.(interface{ Foo() }) })
	try("conv4", func() { var a any; _ = a.(S) })
	try("conv5", func() { var a fmt.Stringer; _ = a.(*PanN) })
	try("conv6", func() { var a fmt.Stringer = Pan{}; _ = a.(*PanN) })
	try("conv7", func() { var a any = PanN{}; _ = a.(fmt.Stringer) })
	try("conv8", func() { var a my = Pan{}; _ = a.(interface{ String() int }) })
	try("conv9", func() { var a interface{ String() string } = Pan{}; _ = a.(error) })
	try("conv10", func() { var a any = map[S2][]*Pan{}; _ = a.(map[string][]*Pan) })
	try("conv11", func() { var a error = io.EOF; _ = a.(my) })
	try("conv12", func() { var a error; _ = a.(my) })
	try("conv13", func() { var a my; _ = a.(error) })
	try("nilcall", func() { var a my; a.String() })
}

type my interface{ String() string }
type S2 string
type fn func()

func (fn) String() string { return "fn" }

type st struct {
	m map[string]int
	n int
}
type st2 struct{ a any }
