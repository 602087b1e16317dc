package rt

import "reflect"

// This file answers for reflect.Value and reflect.Append where a value goes into a place of an
// interface type of the program, or is a value of one: see reflect.go.

// valueMethods are in place of the methods of reflect.Value.
var valueMethods = map[string]any{
	"Set":          valueSet,
	"SetMapIndex":  valueSetMapIndex,
	"MapIndex":     valueMapIndex,
	"Send":         valueSend,
	"TrySend":      valueTrySend,
	"Call":         valueCall,
	"CallSlice":    valueCallSlice,
	"Convert":      valueConvert,
	"CanConvert":   valueCanConvert,
	"NumMethod":    valueNumMethod,
	"Method":       valueMethod,
	"MethodByName": valueMethodByName,
}

// needFit panics in the words of package reflect if x does not fit a place of type t.
func needFit(context string, x reflect.Value, t reflect.Type) {
	if interfaceOf(t) != nil && x.IsValid() && !typeImplements(x.Type(), t) {
		panic(context + ": value of type " + x.Type().String() + " is not assignable to type " +
			t.String())
	}
}

func valueSet(v, x reflect.Value) {
	if v.CanSet() {
		needFit("reflect.Set", x, v.Type())
	}
	v.Set(x)
}

func valueSetMapIndex(v, key, elem reflect.Value) {
	if v.Kind() == reflect.Map {
		needFit("reflect.Value.SetMapIndex", key, v.Type().Key())
		needFit("reflect.Value.SetMapIndex", elem, v.Type().Elem())
	}
	v.SetMapIndex(key, elem)
}

func valueMapIndex(v, key reflect.Value) reflect.Value {
	if v.Kind() == reflect.Map {
		needFit("reflect.Value.MapIndex", key, v.Type().Key())
	}
	return v.MapIndex(key)
}

func valueSend(v, x reflect.Value) {
	if v.Kind() == reflect.Chan {
		needFit("reflect.Value.Send", x, v.Type().Elem())
	}
	v.Send(x)
}

func valueTrySend(v, x reflect.Value) bool {
	if v.Kind() == reflect.Chan {
		needFit("reflect.Value.Send", x, v.Type().Elem())
	}
	return v.TrySend(x)
}

func valueCall(v reflect.Value, in []reflect.Value) []reflect.Value {
	if v.Kind() == reflect.Func {
		needFits(v.Type(), in, true)
	}
	return v.Call(in)
}

func valueCallSlice(v reflect.Value, in []reflect.Value) []reflect.Value {
	if v.Kind() == reflect.Func {
		needFits(v.Type(), in, false)
	}
	return v.CallSlice(in)
}

// needFits panics if an argument does not fit its parameter in a function of type t; each of those
// that are more stands for an element of the variadic one if spread is set.
func needFits(t reflect.Type, in []reflect.Value, spread bool) {
	last := t.NumIn() - 1
	for i, x := range in {
		switch {
		case t.IsVariadic() && spread && i >= last:
			if p := t.In(last).Elem(); x.IsValid() && !typeAssignableTo(x.Type(), p) {
				panic("reflect: cannot use " + x.Type().String() + " as type " + p.String() +
					" in Call")
			}
		case i <= last && x.IsValid() && !typeAssignableTo(x.Type(), t.In(i)):
			name := "Call"
			if t.IsVariadic() && !spread {
				name = "CallSlice"
			}
			panic("reflect: " + name + " using " + x.Type().String() + " as type " + t.In(i).String())
		}
	}
}

func valueConvert(v reflect.Value, t reflect.Type) reflect.Value {
	if v.IsValid() && interfaceOf(t) != nil && !typeImplements(v.Type(), t) {
		panic("reflect.Value.Convert: value of type " + v.Type().String() +
			" cannot be converted to type " + t.String())
	}
	return v.Convert(t)
}

func valueCanConvert(v reflect.Value, t reflect.Type) bool {
	if v.IsValid() && interfaceOf(t) != nil {
		return typeImplements(v.Type(), t)
	}
	return v.CanConvert(t)
}

func valueNumMethod(v reflect.Value) int {
	if v.Kind() == reflect.Interface {
		return typeNumMethod(v.Type())
	}
	return v.NumMethod()
}

func valueMethod(v reflect.Value, i int) reflect.Value {
	if v.Kind() != reflect.Interface || interfaceOf(v.Type()) == nil {
		return v.Method(i)
	}
	if uint(i) >= uint(typeNumMethod(v.Type())) {
		panic("reflect: Method index out of range")
	}
	if v.IsNil() {
		panic("reflect: Method on nil interface value")
	}
	return v.Elem().MethodByName(typeMethod(v.Type(), i).Name)
}

func valueMethodByName(v reflect.Value, name string) reflect.Value {
	if v.Kind() != reflect.Interface || interfaceOf(v.Type()) == nil {
		return v.MethodByName(name)
	}
	m, ok := typeMethodByName(v.Type(), name)
	if !ok {
		return reflect.Value{}
	}
	return valueMethod(v, m.Index)
}

// reflectAppend is reflect.Append.
func reflectAppend(s reflect.Value, x ...reflect.Value) reflect.Value {
	if s.Kind() == reflect.Slice {
		for _, v := range x {
			needFit("reflect.Set", v, s.Type().Elem())
		}
	}
	return reflect.Append(s, x...)
}
