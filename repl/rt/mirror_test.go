package rt_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"strings"
	"testing"
	"time"

	"halfnote/repl/rt"
)

// The standard library is type-checked from its source, once.
var (
	fset = token.NewFileSet()
	std  = importer.ForCompiler(fset, "source", nil)
)

// A mirror turns compiled values of the types in shapes_test.go into what a cell's would be.
type mirror struct {
	*rt.Types
	pkg  *types.Package
	inst map[string]types.Type // instances of generic types by name
}

func newMirror(t testing.TB) *mirror {
	t.Helper()
	file, err := parser.ParseFile(fset, "shapes_test.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	file.Name.Name = "main"
	conf := types.Config{Importer: std}
	info := &types.Info{Instances: map[*ast.Ident]types.Instance{}}
	pkg, err := conf.Check("main", fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatal(err)
	}
	m := &mirror{pkg: pkg, inst: map[string]types.Type{}, Types: rt.NewTypes(compiledType)}
	for _, inst := range info.Instances {
		m.inst[types.TypeString(inst.Type, func(*types.Package) string { return "" })] = inst.Type
	}
	for _, name := range pkg.Scope().Names() {
		tn, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || tn.Type().(*types.Named).TypeParams().Len() > 0 {
			continue
		}
		m.methods(tn.Type(), compiledShapes[name])
	}
	return m
}

func compiledType(path, name string) (reflect.Type, bool) {
	t, ok := map[string]reflect.Type{
		"time.Duration": reflect.TypeFor[time.Duration](), "fmt.State": reflect.TypeFor[fmt.State](),
		"fmt.Stringer": reflect.TypeFor[fmt.Stringer](),
	}[path+"."+name]
	return t, ok
}

// compiledShapes holds the compiled types by name.
var compiledShapes = func() map[string]reflect.Type {
	m := map[string]reflect.Type{}
	for _, v := range shapes() {
		for t := reflect.TypeOf(v); t.Kind() != reflect.Interface; t = t.Elem() {
			if t.Name() != "" {
				m[t.Name()] = t
			}
			if t.Kind() != reflect.Pointer && t.Kind() != reflect.Slice {
				break
			}
		}
	}
	return m
}()

// methods registers the methods of t and *t as calls of the compiled ones.
func (m *mirror) methods(t types.Type, compiled reflect.Type) {
	if compiled == nil {
		return
	}
	for _, c := range []struct {
		t types.Type
		r reflect.Type
	}{{t, compiled}, {types.NewPointer(t), reflect.PointerTo(compiled)}} {
		for i := range c.r.NumMethod() {
			method := c.r.Method(i)
			in := []reflect.Type{reflect.TypeFor[any]()}
			var out []reflect.Type
			for j := 1; j < method.Type.NumIn(); j++ {
				in = append(in, method.Type.In(j))
			}
			for j := range method.Type.NumOut() {
				out = append(out, method.Type.Out(j))
			}
			ft := reflect.FuncOf(in, out, false)
			f := reflect.MakeFunc(ft, func(args []reflect.Value) []reflect.Value {
				recv := reflect.New(c.r).Elem()
				m.fromStorage(recv, reflect.ValueOf(rt.Unbox(args[0].Interface())))
				return method.Func.Call(append([]reflect.Value{recv}, args[1:]...))
			})
			rt.Meth(m.Desc(c.t), method.Name, f.Interface())
		}
	}
}

// typeOf returns the cell's type for a compiled one.
func (m *mirror) typeOf(r reflect.Type) types.Type {
	if r.PkgPath() == reflect.TypeFor[point]().PkgPath() && r.Name() != "" {
		if strings.Contains(r.Name(), "[") {
			name, arg, _ := strings.Cut(r.Name(), "[")
			arg = strings.TrimSuffix(arg[strings.LastIndex(arg, ".")+1:], "]")
			return m.inst[name+"["+arg+"]"]
		}
		return m.pkg.Scope().Lookup(r.Name()).Type()
	}
	switch r {
	case reflect.TypeFor[error]():
		return types.Universe.Lookup("error").Type()
	case reflect.TypeFor[fmt.Stringer](), reflect.TypeFor[time.Duration]():
		for _, p := range m.pkg.Imports() {
			if p.Path() == r.PkgPath() {
				return p.Scope().Lookup(r.Name()).Type()
			}
		}
	}
	switch r.Kind() {
	case reflect.Slice:
		return types.NewSlice(m.typeOf(r.Elem()))
	case reflect.Array:
		return types.NewArray(m.typeOf(r.Elem()), int64(r.Len()))
	case reflect.Pointer:
		return types.NewPointer(m.typeOf(r.Elem()))
	case reflect.Map:
		return types.NewMap(m.typeOf(r.Key()), m.typeOf(r.Elem()))
	case reflect.Interface:
		return types.Universe.Lookup("any").Type()
	case reflect.Func:
		var params []*types.Var
		for i := range r.NumIn() {
			params = append(params, types.NewVar(0, nil, "", m.typeOf(r.In(i))))
		}
		return types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), nil, false)
	case reflect.Struct:
		var fields []*types.Var
		for i := range r.NumField() {
			f := r.Field(i)
			fields = append(fields, types.NewField(0, m.pkg, f.Name, m.typeOf(f.Type), f.Anonymous))
		}
		return types.NewStruct(fields, nil)
	}
	return types.Universe.Lookup(r.Kind().String()).Type()
}

// box returns the compiled value v as a cell's interface value.
func (m *mirror) box(t testing.TB, v any) any {
	t.Helper()
	if v == nil {
		return nil
	}
	typ := m.typeOf(reflect.TypeOf(v))
	r, err := m.Storage(typ)
	if err != nil {
		t.Fatal(err)
	}
	s := reflect.New(r).Elem()
	m.toStorage(t, s, readable(reflect.ValueOf(v)))
	if m.NeedsBox(typ) {
		return rt.B(m.Desc(typ), s.Interface())
	}
	return s.Interface()
}

// readable returns v as an addressable copy.
func readable(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

func field(v reflect.Value, i int) reflect.Value {
	f := v.Field(i)
	return reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()
}

func (m *mirror) toStorage(t testing.TB, dst, src reflect.Value) {
	switch src.Kind() {
	case reflect.Struct:
		for i := range src.NumField() {
			m.toStorage(t, dst.Field(i), field(src, i))
		}
	case reflect.Pointer:
		if !src.IsNil() {
			dst.Set(reflect.New(dst.Type().Elem()))
			m.toStorage(t, dst.Elem(), src.Elem())
		}
	case reflect.Slice:
		if !src.IsNil() {
			dst.Set(reflect.MakeSlice(dst.Type(), src.Len(), src.Len()))
			for i := range src.Len() {
				m.toStorage(t, dst.Index(i), src.Index(i))
			}
		}
	case reflect.Array:
		for i := range src.Len() {
			m.toStorage(t, dst.Index(i), src.Index(i))
		}
	case reflect.Map:
		if !src.IsNil() {
			dst.Set(reflect.MakeMap(dst.Type()))
			for iter := src.MapRange(); iter.Next(); {
				k, e := reflect.New(dst.Type().Key()).Elem(), reflect.New(dst.Type().Elem()).Elem()
				m.toStorage(t, k, readable(iter.Key()))
				m.toStorage(t, e, readable(iter.Value()))
				dst.SetMapIndex(k, e)
			}
		}
	case reflect.Interface:
		if src.IsNil() {
			return
		}
		v := m.box(t, src.Elem().Interface())
		if dst.Type() == reflect.TypeFor[fmt.Stringer]() {
			v = stringerBox{v.(rt.Box)}
		}
		dst.Set(reflect.ValueOf(v))
	case reflect.Func, reflect.Chan:
		if !src.IsNil() {
			dst.Set(reflect.MakeFunc(dst.Type(), func([]reflect.Value) []reflect.Value { return nil }))
		}
	default:
		dst.Set(src.Convert(dst.Type()))
	}
}

// fromStorage sets a receiver, whose parts are plain.
func (m *mirror) fromStorage(dst, src reflect.Value) {
	switch dst.Kind() {
	case reflect.Pointer:
		if !src.IsNil() {
			dst.Set(reflect.New(dst.Type().Elem()))
			m.fromStorage(dst.Elem(), src.Elem())
		}
	case reflect.Struct:
		for i := range dst.NumField() {
			if src.Field(i).CanConvert(field(dst, i).Type()) {
				m.fromStorage(field(dst, i), src.Field(i))
			}
		}
	default:
		dst.Set(src.Convert(dst.Type()))
	}
}

// stringerBox is what package symbols generates for fmt.Stringer.
type stringerBox struct{ rt.Box }

func (b stringerBox) String() string { return b.Method("String").(func(any) string)(b.Box) }
