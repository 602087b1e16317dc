package rt_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"reflect"
	"strings"
	"testing"
	"time"
)

// typesOf returns the registry and the package-level types of a source text.
func typesOf(t testing.TB, src string) (*mirror, map[string]types.Type) {
	t.Helper()
	file, err := parser.ParseFile(fset, "x.go", "package main\n"+src, 0)
	if err != nil {
		t.Fatal(err)
	}
	conf := types.Config{Importer: std}
	pkg, err := conf.Check("main", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := newMirror(t)
	m.pkg = pkg
	named := map[string]types.Type{}
	for _, name := range pkg.Scope().Names() {
		named[name] = pkg.Scope().Lookup(name).Type()
	}
	return m, named
}

func (m *mirror) storage(t testing.TB, typ types.Type) reflect.Type {
	t.Helper()
	r, err := m.Storage(typ)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestStorage(t *testing.T) {
	m, named := typesOf(t, `
import ("fmt"; "time")
var (
	a int
	b []string
	c map[string]any
	d time.Duration
	e error
	f fmt.Stringer
	g Shape
	h interface{ M() }
	i Color
	j func(Color, ...Shape) (Color, error)
	k [2]Color
	l chan<- Color
	m struct{}
	n *Empty
	o Duration
	p unsafe
)
type Shape interface{ Area() float64 }
type Color int
type Empty struct{}
type Duration time.Duration
type unsafe = uintptr
`)
	for name, want := range map[string]reflect.Type{
		"a": reflect.TypeFor[int](), "b": reflect.TypeFor[[]string](),
		"c": reflect.TypeFor[map[string]any](), "d": reflect.TypeFor[time.Duration](),
		"e": reflect.TypeFor[error](), "f": reflect.TypeFor[fmt.Stringer](),
		"g": reflect.TypeFor[any](), "h": reflect.TypeFor[any](), "i": reflect.TypeFor[int](),
		"j": reflect.TypeFor[func(int, ...any) (int, error)](), "k": reflect.TypeFor[[2]int](),
		"l": reflect.TypeFor[chan<- int](), "m": reflect.TypeFor[struct{}](),
		"n": reflect.TypeFor[*struct{}](), "o": reflect.TypeFor[int64](),
		"p": reflect.TypeFor[uintptr](),
	} {
		if got := m.storage(t, named[name]); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

func TestStructStorage(t *testing.T) {
	m, named := typesOf(t, "type A struct { X, y int; _ bool; X_y string }\n"+
		"type B struct { X, y int; _ bool; X_y string }\ntype C struct { A; *B }")
	a, b := m.storage(t, named["A"]), m.storage(t, named["B"])
	if a == b {
		t.Error("two types have the same storage")
	}
	if m.storage(t, named["A"]) != a || !a.ConvertibleTo(b) {
		t.Error("A has two storages or does not convert to B")
	}
	var names []string
	for i := range a.NumField() {
		names = append(names, a.Field(i).Name)
	}
	if got := strings.Join(names, " "); got != "X X_y_ _ X_y" {
		t.Errorf("fields are %s", got)
	}
	c := m.storage(t, named["C"])
	if c.Field(0).Type != a || c.Field(1).Type != reflect.PointerTo(b) || c.Field(0).Anonymous {
		t.Errorf("embedding gives %v", c)
	}
}

// TestRecursiveStorage follows each type into itself, and uses values of it while the collector
// runs.
func TestRecursiveStorage(t *testing.T) {
	m, named := typesOf(t, `
type Node struct {
	next *Node
	kids []Node
	byName map[string]*Node
	byValue map[string]Node
	f func(*Node) Node
	c chan Node
	pair [2]*Node
	other Other
	i interface{ M(*Node) }
}
type Other struct { back *Node; more []Other }
type Slice []Slice
type Map map[string]Map
type Func func(Func, int) Func
type Chan chan Chan
type Pointer *Pointer
type Array [2]*Array
type Mutual1 []Mutual2
type Mutual2 map[int]Mutual1
type Deep map[string][]struct{ d Deep }
type Mixed struct { s Slice; m Map; n *Mixed }
type Key map[*Key]bool
type List[T any] struct { v T; next *List[T] }
type Use struct { l List[int]; m List[string] }
type Value struct { m Loop }
type Loop map[string]Value
`)
	node := m.storage(t, named["Node"])
	field := func(r reflect.Type, i int) reflect.Type { return r.Field(i).Type }
	other := m.storage(t, named["Other"])
	for i, got := range []reflect.Type{
		field(node, 0).Elem(), field(node, 1).Elem(), field(node, 2).Elem().Elem(),
		field(node, 3).Elem(), field(node, 4).In(0).Elem(), field(node, 4).Out(0),
		field(node, 5).Elem(), field(node, 6).Elem().Elem(), field(other, 0).Elem(),
	} {
		if got != node {
			t.Errorf("field %d leads to %v", i, got)
		}
	}
	if field(node, 7) != other || field(other, 1).Elem() != other {
		t.Error("Other is not itself")
	}
	loops := map[string]reflect.Type{}
	for _, name := range []string{"Slice", "Map", "Chan", "Pointer"} {
		r := m.storage(t, named[name])
		loops[name] = r
		if r.Elem() != r {
			t.Errorf("%s: the element is %v", name, r.Elem())
		}
	}
	f := m.storage(t, named["Func"])
	if f.In(0) != f || f.Out(0) != f || f.In(1).Kind() != reflect.Int {
		t.Errorf("Func is %v", f)
	}
	array := m.storage(t, named["Array"])
	if array.Elem().Elem() != array {
		t.Errorf("Array is %v", array)
	}
	mutual := m.storage(t, named["Mutual1"])
	if mutual.Elem() != m.storage(t, named["Mutual2"]) || mutual.Elem().Elem() != mutual {
		t.Errorf("Mutual1 is %v", mutual)
	}
	deep := m.storage(t, named["Deep"])
	if field(deep.Elem().Elem(), 0) != deep {
		t.Errorf("Deep is %v", deep)
	}
	if k := m.storage(t, named["Key"]); k.Key().Elem() != k {
		t.Errorf("Key is %v", k)
	}
	if v := m.storage(t, named["Value"]); field(v, 0).Elem() != v {
		t.Errorf("Value is %v", v)
	}
	mixed := m.storage(t, named["Mixed"])
	if field(mixed, 0) != loops["Slice"] || field(mixed, 1) != loops["Map"] {
		t.Errorf("Mixed is %v", mixed)
	}
	use := m.storage(t, named["Use"])
	if l := field(use, 0); field(l, 1).Elem() != l || l == field(use, 1) {
		t.Errorf("List is %v", l)
	}

	head := reflect.Zero(reflect.PointerTo(node))
	for range 10_000 {
		n := reflect.New(node)
		n.Elem().Field(0).Set(head)
		kids := reflect.MakeSlice(field(node, 1), 1, 1)
		kids.Index(0).Field(0).Set(head)
		n.Elem().Field(1).Set(kids)
		table := reflect.MakeMap(field(node, 3))
		table.SetMapIndex(reflect.ValueOf("a"), kids.Index(0))
		n.Elem().Field(3).Set(table)
		head = n
	}
	count := 0
	for n := head; !n.IsNil(); n = n.Elem().Field(0) {
		v := n.Elem().Field(3).MapIndex(reflect.ValueOf("a"))
		if v.Field(0).Pointer() != n.Elem().Field(0).Pointer() {
			t.Fatal("a map value lost its pointer")
		}
		count++
	}
	if count != 10_000 {
		t.Errorf("the list has %d nodes", count)
	}
	call := reflect.MakeFunc(f, func(args []reflect.Value) []reflect.Value { return args[:1] })
	if got := call.Call([]reflect.Value{call, reflect.ValueOf(1)})[0]; got.IsNil() {
		t.Error("a recursive function lost its argument")
	}
}

func TestStorageRefuses(t *testing.T) {
	m, named := typesOf(t, "type G[T any] struct { x T }\nfunc f[T any](x T) {}\nvar ok G[int]")
	sig := named["f"].(*types.Signature)
	if _, err := m.Storage(sig.Params().At(0).Type()); err == nil ||
		!strings.Contains(err.Error(), "is not instantiated") {
		t.Errorf("got %v", err)
	}
	m.storage(t, named["ok"])
}

func TestNeedsReal(t *testing.T) {
	m, named := typesOf(t, `
import ("fmt"; "time")
type P struct{}
type I interface { M() }
type E error
var (
	yes1 P; yes2 *P; yes3 []P; yes4 map[string]*P; yes5 func(P); yes6 chan P; yes7 [1]P
	yes8 []I; yes9 struct{ x int }; yes10 []struct{ x int }; yes11 func() []I
	yes12 []interface{ M() }; yes13 map[P]int; yes14 []E
	no1 int; no2 []any; no3 error; no4 []error; no5 time.Duration; no6 []time.Duration; no7 I
	no8 struct{}; no9 map[string]fmt.Stringer; no10 func(any) error; no11 any; no12 []fmt.Stringer
)`)
	for name, typ := range named {
		if strings.HasPrefix(name, "yes") != m.NeedsReal(typ) && name[0] >= 'a' {
			t.Errorf("%s: NeedsReal(%s) is %v", name, typ, m.NeedsReal(typ))
		}
	}
}

func TestDescIsCanonical(t *testing.T) {
	m, named := typesOf(t, "type P struct{}\nvar a, b map[string]*P")
	if m.Desc(named["a"]) != m.Desc(named["b"]) {
		t.Error("identical types have two descriptors")
	}
	if m.Desc(named["P"]) == m.Desc(types.NewPointer(named["P"])) {
		t.Error("a type and its pointer share a descriptor")
	}
	if got := m.Desc(named["a"]).String(); got != "map[string]*main.P" {
		t.Errorf("got %s", got)
	}
}
