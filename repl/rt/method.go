package rt

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// SetMethod makes f the method of that name of the type *T or T, which d describes. f's first
// parameter, a pointer, is the receiver as interface values hold it: a pointer to the value, or the
// value itself if it is a pointer.
func SetMethod(d *Desc, name string, f any) {
	t := typePointer(withReceiver(WithoutReceiver(reflect.TypeOf(f)), pointerType))
	d.methods.Store(name, relabel(f, t))
	if slot, ok := d.slots[name]; ok {
		atomic.StorePointer(&slots[slot], closureOf(relabel(d.ts.visiting(f), t)))
	}
}

// madeOf returns what reflect.MakeFunc has made f of, as it has those of the interpreter, so that f
// can be called without making the arguments anew; nil if it has not.
func madeOf(f any) func([]reflect.Value) []reflect.Value {
	closure := closureOf(f)
	at, code := makeFuncLayout()
	if *(*uintptr)(closure) != code {
		return nil
	}
	return *(*func([]reflect.Value) []reflect.Value)(unsafe.Add(closure, at))
}

// makeFuncLayout finds where a function of reflect.MakeFunc holds the one that it was made of, and
// what code it has; code is 0 where that cannot be found.
var makeFuncLayout = sync.OnceValues(func() (at, code uintptr) {
	within := func([]reflect.Value) []reflect.Value { return nil }
	f := closureOf(reflect.MakeFunc(reflect.TypeFor[func()](), within).Interface())
	for at = range 8 * unsafe.Sizeof(at) {
		if at%unsafe.Sizeof(at) == 0 && *(*unsafe.Pointer)(unsafe.Add(f, at)) == closureOf(within) {
			return at, *(*uintptr)(f)
		}
	}
	return 0, 0
})

// adaptors holds the functions that MethodOf makes for compiled types.
var adaptors sync.Map // adaptorKey → func

type adaptorKey struct {
	name string
	typ  reflect.Type   // of the method in core, without a receiver
	recv unsafe.Pointer // the descriptor of the receiver's type
}

// MethodOf returns the method of that name of v's dynamic type as a func(recv unsafe.Pointer,
// params…) results, where d describes the method's type without a receiver, and the receiver. A
// nil v panics as in Go.
func MethodOf(v any, name string, d *Desc) (method any, recv unsafe.Pointer) {
	if v == nil {
		panic(errNil)
	}
	recv = dataOf(v)
	if own := d.ts.descOf(v); own != nil {
		method, ok := own.methods.Load(name)
		if !ok {
			panic(Error("method " + own.name + "." + name + " has no code"))
		}
		return method, recv
	}
	key := adaptorKey{name, d.R, wordOf(v)}
	if f, ok := adaptors.Load(key); ok {
		return f, recv
	}
	f, _ := adaptors.LoadOrStore(key, adaptor(key))
	return f, recv
}

// adaptor makes a func(recv unsafe.Pointer, params…) results that calls the compiled method.
func adaptor(key adaptorKey) any {
	ft := withReceiver(key.typ, pointerType)
	return reflect.MakeFunc(ft, func(args []reflect.Value) []reflect.Value {
		var recv any
		*(*words)(unsafe.Pointer(&recv)) = words{key.recv, args[0].UnsafePointer()}
		method := (*Types)(nil).boundMethod(reflect.ValueOf(recv), key.name)
		for i, a := range args[1:] {
			args[i+1] = fit(a, method.Type().In(i))
		}
		results := call(method, args[1:])
		for i, r := range results {
			results[i] = fit(r, ft.Out(i))
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
		w := reflect.New(t).Elem()
		w.Set(v)
		return w
	}
	return v.Convert(t)
}

// Bound returns the compiled method of that name bound to x.
func (ts *Types) Bound(x any, name string) any {
	if x == nil {
		panic(errNil)
	}
	return ts.boundMethod(reflect.ValueOf(x), name).Interface()
}
