package rt

import (
	"reflect"
	"sync"
)

// adaptors holds the functions that MethodOf makes for compiled types.
var adaptors sync.Map // adaptorKey → func

type adaptorKey struct {
	name string
	typ  reflect.Type
}

// MethodOf returns the method of that name of v's dynamic type as a func(recv any, params…)
// results, where d describes the method's type without a receiver. v is passed as recv. A nil v
// panics as in Go.
func MethodOf(v any, name string, d *Desc) any {
	switch b := v.(type) {
	case Box:
		return b.D.mustMethod(name)
	case ErrBox:
		return b.D.mustMethod(name)
	case boxed:
		return b.Unwrapped().D.mustMethod(name)
	case nil:
		panic(nilError)
	}
	key := adaptorKey{name, d.R}
	if f, ok := adaptors.Load(key); ok {
		return f
	}
	f, _ := adaptors.LoadOrStore(key, adaptor(name, d.R))
	return f
}

func (d *Desc) mustMethod(name string) any {
	f := d.Method(name)
	if f == nil {
		panic(Error("method " + d.name + "." + name + " has no code"))
	}
	return f
}

// adaptor makes a func(recv any, params…) results that calls the compiled method of that name.
func adaptor(name string, typ reflect.Type) any {
	in := []reflect.Type{anyType}
	for i := range typ.NumIn() {
		in = append(in, typ.In(i))
	}
	var out []reflect.Type
	for i := range typ.NumOut() {
		out = append(out, typ.Out(i))
	}
	ft := reflect.FuncOf(in, out, typ.IsVariadic())
	return reflect.MakeFunc(ft, func(args []reflect.Value) []reflect.Value {
		method := args[0].Elem().MethodByName(name)
		for i, a := range args[1:] {
			args[i+1] = fit(a, method.Type().In(i))
		}
		var results []reflect.Value
		if typ.IsVariadic() {
			results = method.CallSlice(args[1:])
		} else {
			results = method.Call(args[1:])
		}
		for i, r := range results {
			results[i] = fit(r, out[i])
		}
		return results
	}).Interface()
}

// fit converts between a compiled type and the storage type that stands for it.
func fit(v reflect.Value, t reflect.Type) reflect.Value {
	if v.Type() == t {
		return v
	}
	if t.Kind() == reflect.Interface {
		if v.Kind() == reflect.Interface && v.IsNil() {
			return reflect.Zero(t)
		}
		if v.Kind() == reflect.Interface {
			v = v.Elem()
		}
		if t == anyType {
			v = reflect.ValueOf(N(v.Interface()))
		}
		w := reflect.New(t).Elem()
		w.Set(v)
		return w
	}
	return v.Convert(t)
}

// Bound returns the compiled method of that name bound to x.
func Bound(x any, name string) any {
	if x == nil {
		panic(nilError)
	}
	return reflect.ValueOf(x).MethodByName(name).Interface()
}
