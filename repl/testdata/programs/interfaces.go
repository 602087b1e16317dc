package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strings"
)

type Shape interface {
	Area() float64
	Name() string
}
type priv interface{ hidden() }
type Emb interface {
	Shape
	fmt.Stringer
}
type Sq struct {
	S    float64 `json:"s" custom:"a,b"`
	name string
	Sub  Shape
	any
}

func (s Sq) Area() float64    { return s.S * s.S }
func (s Sq) Name() string     { return "sq" + s.name }
func (s *Sq) Scale(k float64) { s.S *= k }
func (s Sq) hidden()          {}
func (s Sq) Add(n ...int) (t int) {
	for _, x := range n {
		t += x
	}
	return
}

type ID int

func (i ID) String() string { return fmt.Sprint("#", int(i)) }

type Holder struct {
	Sh  Shape
	Shs []Shape
	M   map[string]Shape
	F   func(Shape) Shape
	P   *Shape
	Any any
	E   error
	Str fmt.Stringer
	In  interface{ Foo() }
}
type unexp struct{ A int }
type Outer struct {
	unexp
	*Sq
	ID
	B int `x:"y"`
}

func try(name string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Printf("%s: panic %T %v\n", name, r, r)
			var re interface{ RuntimeError() }
			if e, ok := r.(error); ok {
				fmt.Println(errors.As(e, &re))
			}
		}
	}()
	f()
}

func main() {
	sq := Sq{S: 2, name: "n"}
	t := reflect.TypeOf(sq)
	fmt.Println(t.NumField(), t.NumMethod(), t.PkgPath(), t.Name(), t.String(), t.Size(), t.Align(), t.Comparable())
	for i := range t.NumField() {
		f := t.Field(i)
		fmt.Println(f.Name, f.Type, f.Tag, f.PkgPath, f.Anonymous, f.IsExported(), f.Offset, f.Tag.Get("custom"))
	}
	st := reflect.TypeFor[Shape]()
	fmt.Println(st, st.Name(), st.Kind(), st.NumMethod(), st.Method(0).Name, st.Method(0).Type, st.PkgPath(), st.String())
	fmt.Println(t.Implements(st), reflect.PointerTo(t).Implements(st), reflect.TypeOf(1).Implements(st), st.Implements(st))
	fmt.Println(t.AssignableTo(st), t.ConvertibleTo(st), st.AssignableTo(t), st.ConvertibleTo(t), st.AssignableTo(reflect.TypeFor[any]()))
	fmt.Println(t.Implements(reflect.TypeFor[priv]()), reflect.TypeOf(ID(1)).Implements(reflect.TypeFor[fmt.Stringer]()), t.Implements(reflect.TypeFor[Emb]()))
	et := reflect.TypeFor[Emb]()
	for i := range et.NumMethod() {
		fmt.Println(et.Method(i).Name, et.Method(i).Type, et.Method(i).Index)
	}
	m, ok := et.MethodByName("String")
	fmt.Println(m.Name, ok)
	impl := t.Implements
	fmt.Println(impl(st))
	nm := reflect.Type.NumMethod
	fmt.Println(nm(st))
	fmt.Println(reflect.Type.Implements(t, st))
	type hasImpl interface{ Implements(reflect.Type) bool }
	fmt.Println(hasImpl(t).Implements(st))
	var anyT any = t
	fmt.Println(anyT.(hasImpl).Implements(st), anyT.(interface{ NumMethod() int }).NumMethod())
	anyT = st
	fmt.Println(anyT.(interface{ NumMethod() int }).NumMethod())
	// values
	h := Holder{Sh: sq, Shs: []Shape{sq, nil}}
	hv := reflect.ValueOf(&h).Elem()
	fmt.Println(hv.Field(0).NumMethod(), hv.Field(0).Kind(), hv.Field(0).Type(), hv.Field(0).Elem().Type())
	fmt.Println(hv.Field(0).Elem().Method(1).Call(nil)[0])
	try("callmethod", func() { fmt.Println(hv.Field(0).MethodByName("Area").Call(nil)[0]) })
	try("callmethod2", func() { fmt.Println(hv.Field(0).Method(0).Call(nil)[0]) })
	try("set1", func() { hv.Field(0).Set(reflect.ValueOf(&sq)); fmt.Println(h.Sh.Area()) })
	try("set2", func() { hv.Field(0).Set(reflect.ValueOf(3)); fmt.Println("set int") })
	try("set3", func() { hv.Field(5).Set(reflect.ValueOf(ID(3))); fmt.Println(h.Any) })
	try("set4", func() { hv.Field(7).Set(reflect.ValueOf(ID(3))); fmt.Println(h.Str) })
	try("set5", func() { hv.Field(7).Set(reflect.ValueOf(3)); fmt.Println(h.Str) })
	try("set6", func() { hv.Field(1).Set(reflect.Append(hv.Field(1), reflect.ValueOf(sq))); fmt.Println(len(h.Shs)) })
	try("set7", func() { hv.Field(1).Set(reflect.Append(hv.Field(1), reflect.ValueOf(4))); fmt.Println(len(h.Shs)) })
	try("set8", func() { hv.Field(1).Index(1).Set(reflect.ValueOf("x")); fmt.Println(len(h.Shs)) })
	h.M = map[string]Shape{}
	try("map1", func() {
		hv.Field(2).SetMapIndex(reflect.ValueOf("a"), reflect.ValueOf(sq))
		fmt.Println(h.M["a"].Name())
	})
	try("map2", func() { hv.Field(2).SetMapIndex(reflect.ValueOf("b"), reflect.ValueOf(3)); fmt.Println(len(h.M)) })
	h.F = func(s Shape) Shape { return s }
	try("fn1", func() { fmt.Println(hv.Field(3).Call([]reflect.Value{reflect.ValueOf(sq)})[0].Type()) })
	try("fn2", func() { fmt.Println(hv.Field(3).Call([]reflect.Value{reflect.ValueOf(3)})[0].Type()) })
	try("conv1", func() { fmt.Println(reflect.ValueOf(sq).Convert(st).Type()) })
	try("conv2", func() { fmt.Println(reflect.ValueOf(3).Convert(st).Type()) })
	try("canconv", func() { fmt.Println(reflect.ValueOf(3).CanConvert(st), reflect.ValueOf(sq).CanConvert(st)) })
	for _, js := range []string{`{"Sh":{"s":1}}`, `{"Sh":1}`, `{"Sh":null}`, `{"Shs":[1]}`, `{"M":{"a":2}}`, `{"P":3}`, `{"Any":{"a":[1]}}`, `{"E":1}`, `{"Str":1}`, `{"In":{}}`, `{"Sub":true}`} {
		h2 := Holder{}
		err := json.Unmarshal([]byte(js), &h2)
		fmt.Println(js, err, h2.Any, h2.Sh, h2.Shs, h2.M, h2.P == nil)
		err = json.NewDecoder(strings.NewReader(js)).Decode(&h2)
		fmt.Println(err)
	}
	var sh Shape
	fmt.Println(json.Unmarshal([]byte("1"), &sh), sh)
	sh = &sq
	fmt.Println(json.Unmarshal([]byte(`{"s":9}`), &sh), sh.Area())
	var in interface{ Area() float64 }
	fmt.Println(json.Unmarshal([]byte("1"), &in), in)
	o := Outer{unexp{1}, &sq, 3, 4}
	ov := reflect.ValueOf(o)
	for i := range ov.NumField() {
		f := ov.Type().Field(i)
		fmt.Println(f.Name, f.PkgPath, f.Anonymous, ov.Field(i).CanInterface(), ov.Field(i).CanSet(), f.Index, f.Type)
	}
	fmt.Println(ov.FieldByName("A").Int(), ov.FieldByName("S").Float(), ov.FieldByName("nope").IsValid())
	try("panicIface", func() { fmt.Println(ov.Field(0).Interface()) })
	try("setunexp", func() { reflect.ValueOf(&o).Elem().Field(0).Field(0).SetInt(5); fmt.Println(o.A) })
	try("setunexp2", func() { reflect.ValueOf(&sq).Elem().Field(1).SetString("x") })
	ms := reflect.TypeOf(o)
	for i := range ms.NumMethod() {
		fmt.Println(ms.Method(i).Name, ms.Method(i).Type)
	}
	fmt.Println(ov.MethodByName("Add").Call([]reflect.Value{reflect.ValueOf(1), reflect.ValueOf(2)})[0].Int())
	// New, MakeSlice...
	nv := reflect.New(t)
	nv.Elem().Field(0).SetFloat(7)
	fmt.Println(nv.Interface().(Shape).Area(), nv.Type(), nv.Interface().(*Sq).S)
	ms2 := reflect.MakeSlice(reflect.SliceOf(t), 2, 3)
	ms2.Index(0).Set(reflect.ValueOf(sq))
	fmt.Println(ms2.Interface().([]Sq)[0].Name(), ms2.Type())
	mm := reflect.MakeMap(reflect.MapOf(reflect.TypeOf(ID(1)), t))
	mm.SetMapIndex(reflect.ValueOf(ID(2)), reflect.ValueOf(sq))
	fmt.Println(mm.Interface().(map[ID]Sq)[2].Area(), mm.Type())
	mf := reflect.MakeFunc(reflect.TypeOf(func(ID, ...Sq) (Shape, error) { return nil, nil }), func(a []reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.ValueOf(sq).Convert(st), reflect.Zero(reflect.TypeFor[error]())}
	})
	r, err := mf.Interface().(func(ID, ...Sq) (Shape, error))(1, sq)
	fmt.Println(r.Area(), err, mf.Type())
	so := reflect.StructOf([]reflect.StructField{{Name: "A", Type: t, Tag: `q:"1"`}, {Name: "B", Type: reflect.TypeOf(ID(0))}})
	sv := reflect.New(so).Elem()
	sv.Field(1).SetInt(4)
	fmt.Printf("%v %+v %T\n", sv.Field(1), sv.Field(1).Interface(), sv.Interface())
	type stt = struct {
		A Sq `q:"1"`
		B ID
	}
	_, ok = sv.Interface().(stt)
	fmt.Println(ok, reflect.TypeFor[stt]() == so)
	ao := reflect.ArrayOf(2, t)
	fmt.Println(ao == reflect.TypeFor[[2]Sq](), reflect.SliceOf(t) == reflect.TypeFor[[]Sq](), reflect.PointerTo(t) == reflect.TypeFor[*Sq](), reflect.ChanOf(reflect.RecvDir, t) == reflect.TypeFor[<-chan Sq](), reflect.MapOf(t, t) == reflect.TypeOf(map[any]any(nil)), reflect.FuncOf([]reflect.Type{t}, nil, false) == reflect.TypeFor[func(Sq)]())
	fmt.Println(reflect.DeepEqual(h, h), reflect.DeepEqual([]Shape{sq}, []Shape{sq}), reflect.DeepEqual(sq, &sq), reflect.DeepEqual(map[ID]Shape{1: sq}, map[ID]Shape{1: sq}))
	xs := []Sq{{S: 3}, {S: 1}, {S: 2}}
	sw := reflect.Swapper(xs)
	sw(0, 2)
	fmt.Println(xs[0].S)
	sort.Slice(xs, func(i, j int) bool { return xs[i].S < xs[j].S })
	fmt.Println(xs[0].S, xs[2].S)
	v2, ok := reflect.TypeAssert[Sq](reflect.ValueOf(sq))
	fmt.Println(v2.S, ok)
	v3, ok := reflect.TypeAssert[Shape](reflect.ValueOf(sq))
	fmt.Println(v3 != nil, ok)
	v4, ok := reflect.TypeAssert[ID](reflect.ValueOf(sq))
	fmt.Println(v4, ok)
	v5, ok := reflect.TypeAssert[fmt.Stringer](reflect.ValueOf(ID(4)))
	fmt.Println(v5, ok)
	ch := make(chan ID, 1)
	ch <- 5
	i, rv, ok := reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(ch)}})
	fmt.Println(i, rv, ok)
	fmt.Println(reflect.Zero(t).Interface() == any(Sq{}), reflect.Zero(t).IsZero())
	fmt.Println(reflect.ValueOf(ID(3)).Convert(reflect.TypeOf(1.5)), reflect.ValueOf(3).Convert(reflect.TypeOf(ID(0))).Interface())
	type Sq2 Sq
	fmt.Println(t.ConvertibleTo(reflect.TypeFor[Sq2]()), reflect.ValueOf(sq).Convert(reflect.TypeFor[Sq2]()).Type())
	fmt.Println(reflect.TypeOf((*Shape)(nil)), reflect.TypeOf((*Shape)(nil)).Elem() == st, reflect.TypeOf([]Shape{}).Elem() == st, reflect.TypeFor[interface{ Foo() }](), reflect.TypeFor[interface{ Foo() }]().NumMethod())
	fmt.Printf("%T %T %T %T\n", h, h.F, h.M, &h.P)
	fmt.Printf("%T %T\n", (*interface{ Foo(Sq) ID })(nil), []interface{ foo() }{})
	for _, f := range reflect.VisibleFields(reflect.TypeOf(o)) {
		fmt.Println(f.Name, f.Index, f.Type, f.PkgPath)
	}
}
