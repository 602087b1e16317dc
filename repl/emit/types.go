package emit

import (
	"go/ast"
	"go/constant"
	"go/token"
	"reflect"
	"slices"
	"strconv"

	"halfnote/repl/ir"
)

// This file renders types and constants.

// typ returns t as an expression. Types that have a name outside of the universe, structs, and
// types that contain themselves are symbols of the session: yaegi's own type maker fails for blank
// fields, struct{}, embedding and mutual recursion, and a name would need its package's symbols.
func (e *Emitter) typ(t reflect.Type) ast.Expr {
	switch {
	case t == anyType:
		return &ast.InterfaceType{Methods: &ast.FieldList{}}
	case t == errorType:
		return ast.NewIdent("error")
	case universal(t):
		return ast.NewIdent(t.Kind().String())
	case symbolic(t):
		return e.typeSymbol(t)
	}
	switch t.Kind() {
	case reflect.Slice:
		return &ast.ArrayType{Elt: e.typ(t.Elem())}
	case reflect.Array:
		return &ast.ArrayType{
			Len: &ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(t.Len())}, Elt: e.typ(t.Elem()),
		}
	case reflect.Map:
		return &ast.MapType{Key: e.typ(t.Key()), Value: e.typ(t.Elem())}
	case reflect.Pointer:
		return &ast.StarExpr{X: e.typ(t.Elem())}
	case reflect.Chan:
		return &ast.ChanType{Dir: chanDirs[t.ChanDir()], Value: e.typ(t.Elem())}
	case reflect.Func:
		return e.funcType(t)
	}
	return e.typeSymbol(t)
}

// universal reports whether t is a basic type.
func universal(t reflect.Type) bool {
	return t.Name() != "" && t.PkgPath() == "" && t.Kind() != reflect.UnsafePointer
}

// symbolic reports whether t, if it is not a basic type, is named or contains itself.
func symbolic(t reflect.Type) bool {
	return !universal(t) && (t.Name() != "" || recursive(t, t, nil))
}

func (e *Emitter) funcType(t reflect.Type) ast.Expr {
	ft := &ast.FuncType{Params: &ast.FieldList{}}
	for i := range t.NumIn() {
		in := e.typ(t.In(i))
		if t.IsVariadic() && i == t.NumIn()-1 {
			in = &ast.Ellipsis{Elt: e.typ(t.In(i).Elem())}
		}
		ft.Params.List = append(ft.Params.List, &ast.Field{Type: in})
	}
	if t.NumOut() > 0 {
		ft.Results = &ast.FieldList{}
	}
	for i := range t.NumOut() {
		ft.Results.List = append(ft.Results.List, &ast.Field{Type: e.typ(t.Out(i))})
	}
	return ft
}

var chanDirs = map[reflect.ChanDir]ast.ChanDir{
	reflect.BothDir: ast.SEND | ast.RECV, reflect.SendDir: ast.SEND, reflect.RecvDir: ast.RECV,
}

// typeSymbol returns t as a symbol of the session: a nil pointer to it, which is how yaegi's tables
// hold types.
func (e *Emitter) typeSymbol(t reflect.Type) ast.Expr {
	name, ok := e.types[t]
	if !ok {
		name = e.name("T")
		e.types[t] = name
		e.symbols[name] = reflect.Zero(reflect.PointerTo(t))
	}
	return e.member(SessionPath, name, token.NoPos)
}

// recursive reports whether t, spelled out, would contain goal again.
func recursive(t, goal reflect.Type, path []reflect.Type) bool {
	parts := make([]reflect.Type, 0, 4)
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Pointer, reflect.Chan:
		parts = append(parts, t.Elem())
	case reflect.Map:
		parts = append(parts, t.Key(), t.Elem())
	case reflect.Func:
		for i := range t.NumIn() {
			parts = append(parts, t.In(i))
		}
		for i := range t.NumOut() {
			parts = append(parts, t.Out(i))
		}
	}
	for _, p := range parts {
		if p == goal {
			return true
		}
		if p.Name() != "" || slices.Contains(path, p) {
			continue
		}
		if recursive(p, goal, append(path, p)) {
			return true
		}
	}
	return false
}

// constKey identifies a constant: two types may print alike.
type constKey struct {
	typ reflect.Type
	val string
}

// constant returns a constant as a symbol of the session, of exactly its type. yaegi gets literals
// wrong in many ways, and where a type is compiled it forgets to convert them:
//
//	var x uint64 = 1 << 63         // constant overflows int64
//	float64(2.5)                   // 0
//	pkg.Counts[3], of map[int]int  // panics: the key is a constant.Value
func (e *Emitter) constant(c *ir.Const) ast.Expr {
	if c.Typ == boolType {
		return ident(strconv.FormatBool(constant.BoolVal(c.Val)), c.Pos())
	}
	key := constKey{c.Typ, c.Val.ExactString()}
	name, ok := e.consts[key]
	if !ok {
		name = e.name("K")
		e.consts[key] = name
		e.symbols[name] = constValue(c)
	}
	return e.member(SessionPath, name, c.Pos())
}

// constValue returns the value of c in its type.
func constValue(c *ir.Const) reflect.Value {
	v := reflect.New(c.Typ).Elem()
	switch {
	case v.Kind() == reflect.Bool:
		v.SetBool(constant.BoolVal(c.Val))
	case v.Kind() == reflect.String:
		v.SetString(constant.StringVal(c.Val))
	case v.CanInt():
		n, _ := constant.Int64Val(constant.ToInt(c.Val))
		v.SetInt(n)
	case v.CanUint():
		n, _ := constant.Uint64Val(constant.ToInt(c.Val))
		v.SetUint(n)
	case v.Kind() == reflect.Float32:
		x, _ := constant.Float32Val(constant.ToFloat(c.Val))
		v.SetFloat(float64(x))
	case v.CanFloat():
		x, _ := constant.Float64Val(constant.ToFloat(c.Val))
		v.SetFloat(x)
	case v.Kind() == reflect.Complex64:
		z := constant.ToComplex(c.Val)
		re, _ := constant.Float32Val(constant.Real(z))
		im, _ := constant.Float32Val(constant.Imag(z))
		v.SetComplex(complex(float64(re), float64(im)))
	case v.CanComplex():
		z := constant.ToComplex(c.Val)
		re, _ := constant.Float64Val(constant.Real(z))
		im, _ := constant.Float64Val(constant.Imag(z))
		v.SetComplex(complex(re, im))
	default:
		fail("constant of type %s", c.Typ)
	}
	// Not addressable, like the constant that it is.
	return reflect.ValueOf(v.Interface())
}

var (
	anyType        = reflect.TypeFor[any]()
	errorType      = reflect.TypeFor[error]()
	boolType       = reflect.TypeFor[bool]()
	intType        = reflect.TypeFor[int]()
	uintType       = reflect.TypeFor[uint]()
	float64Type    = reflect.TypeFor[float64]()
	complex128Type = reflect.TypeFor[complex128]()
	stringType     = reflect.TypeFor[string]()
)
