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
	"unsafe"

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

// methods registers the methods of t and *t as calls of the compiled ones: real types have the
// layout of the compiled ones, so that a receiver is one as it is.
func (m *mirror) methods(t types.Type, compiled reflect.Type) {
	if compiled == nil || types.IsInterface(t) {
		return
	}
	value, pointer := m.Real(t), m.Real(types.NewPointer(t))
	all := reflect.PointerTo(compiled)
	for i := range all.NumMethod() {
		method := all.Method(i)
		_, ofValue := compiled.MethodByName(method.Name)
		rt.SetMethod(pointer, method.Name, method.Func.Interface())
		switch {
		case ofValue && value.HoldsPointer():
			own, _ := compiled.MethodByName(method.Name)
			rt.SetMethod(value, method.Name, own.Func.Interface())
		case ofValue:
			rt.SetMethod(value, method.Name, method.Func.Interface())
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

// real returns the compiled value v as a cell's interface value. What interface values inside it
// hold stays compiled.
func (m *mirror) real(t testing.TB, v any) any {
	t.Helper()
	if v == nil {
		return nil
	}
	d := m.Real(m.typeOf(reflect.TypeOf(v)))
	if d.Err() != nil {
		t.Fatal(d.Err())
	}
	return reflect.NewAt(d.Real(), pointerTo(v)).Elem().Interface()
}

// pointerTo returns a pointer to a copy of v.
func pointerTo(v any) unsafe.Pointer {
	c := reflect.New(reflect.TypeOf(v))
	c.Elem().Set(reflect.ValueOf(v))
	return c.UnsafePointer()
}
