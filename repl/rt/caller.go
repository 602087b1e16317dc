package rt

import (
	"reflect"
	"runtime"
	"slices"
	"unsafe"
)

// This file calls compiled functions without reflect, whose calls cost several times what a small
// op does. Go's convention (https://go.dev/s/regabi) numbers the registers of integers and pointers,
// and those of floats, in the order of the parameters, an interface value being two pointers, a
// slice a pointer and two integers. A function looks at those it has parameters for. So one type
// serves for all calls: words, then floats, as many as are ever passed.

// MostArgs is how many arguments a Caller passes, mostWords and mostFloats in how many registers:
// amd64 has 9 and 15, arm64 more.
const (
	MostArgs   = 6
	mostWords  = 9
	mostFloats = 3
)

// hasRegisters tells that the convention is the one described above.
const hasRegisters = runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64"

// A Caller calls functions of one type with arguments of certain types. It does not change.
type Caller struct {
	params []param
	rest   reflect.Type // of a call with arguments for a variadic parameter: its type
	fixed  int          // the number of arguments before those
	result form
}

// A param says how an argument is passed.
type param struct {
	form form
	typ  reflect.Type   // of the argument
	tab  unsafe.Pointer // if it becomes an interface value: the first word of that
}

// A form is how values of a type are passed.
type form uint8

const (
	nothing form = iota
	word
	byteWord
	pointerWord
	float
	stringWords
	interfaceWords
	sliceWords
	boxed        // becomes an interface value, which holds it
	boxedPointer // becomes an interface value, which is it
	unknown
)

func formOf(t reflect.Type) form {
	switch t.Kind() {
	case reflect.Int, reflect.Int64, reflect.Uint, reflect.Uint64, reflect.Uintptr:
		if t.Size() == unsafe.Sizeof(uintptr(0)) {
			return word
		}
	case reflect.Bool, reflect.Int8, reflect.Uint8:
		return byteWord
	case reflect.Float64:
		return float
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return pointerWord
	case reflect.String:
		return stringWords
	case reflect.Interface:
		return interfaceWords
	case reflect.Slice:
		return sliceWords
	}
	return unknown
}

// words is how many registers a form takes, and floats how many of the others.
func (f form) words() int {
	switch f {
	case nothing, float:
		return 0
	case stringWords, interfaceWords, boxed, boxedPointer:
		return 2
	case sliceWords:
		return 3
	}
	return 1
}

// NewCaller returns what calls functions of type t with arguments of the types args. A variadic
// function takes them one by one. It returns nil if there is a need for reflect.
func NewCaller(t reflect.Type, args []reflect.Type) *Caller {
	if !hasRegisters || t.NumOut() > 1 || len(args) > MostArgs {
		return nil
	}
	c := &Caller{fixed: t.NumIn()}
	if t.NumOut() == 1 {
		c.result = formOf(t.Out(0))
	}
	if t.IsVariadic() {
		c.fixed--
		c.rest = t.In(c.fixed)
	}
	if c.result == unknown || len(args) < c.fixed || len(args) > c.fixed && c.rest == nil {
		return nil
	}
	words, floats := 0, 0
	for i, arg := range args {
		to := c.rest
		if i < c.fixed {
			to = t.In(i)
		} else {
			to = to.Elem()
		}
		p, ok := newParam(arg, to)
		if !ok {
			return nil
		}
		c.params = append(c.params, p)
		if i < c.fixed {
			words += p.form.words()
			if p.form == float {
				floats++
			}
		}
	}
	if c.rest != nil {
		words += sliceWords.words()
		if rest := c.params[c.fixed:]; len(rest) > 0 && !canMake(formOf(c.rest.Elem())) {
			return nil
		}
	}
	if words > mostWords || floats > mostFloats {
		return nil
	}
	return c
}

// newParam returns how an argument of one type is passed as another, if it can be without reflect.
func newParam(from, to reflect.Type) (p param, ok bool) {
	p = param{form: formOf(from), typ: from}
	switch {
	case from == to:
		return p, p.form != unknown
	case to.Kind() != reflect.Interface || from.Kind() == reflect.Interface || !from.Implements(to):
		return p, false
	}
	v := reflect.New(to).Elem()
	v.Set(reflect.Zero(from))
	p.tab = *(*unsafe.Pointer)(v.Addr().UnsafePointer())
	p.form = boxed
	if isDirect(from) {
		p.form = boxedPointer
	}
	return p, from.Kind() == reflect.Pointer || !isDirect(from)
}

// canMake reports whether a Caller makes slices of elements of a form.
func canMake(f form) bool {
	return slices.Contains([]form{word, pointerWord, float, stringWords, interfaceWords}, f)
}

// registers are the arguments of a call. held keeps what the words point to.
type registers struct {
	words  [mostWords]uintptr
	floats [mostFloats]float64
	held   [MostArgs + 1]unsafe.Pointer
}

// Call calls fn, a closure, with the arguments at args. The result goes to where result points.
func (c *Caller) Call(fn unsafe.Pointer, args *[MostArgs]unsafe.Pointer, result unsafe.Pointer) {
	var r registers
	n, floats := 0, 0
	for i := range c.params {
		if i == c.fixed {
			break
		}
		p, from := &c.params[i], args[i]
		switch p.form {
		case pointerWord:
			r.held[i] = *(*unsafe.Pointer)(from)
			r.words[n] = uintptr(r.held[i])
			n++
		case word:
			r.words[n] = *(*uintptr)(from)
			n++
		case byteWord:
			r.words[n] = uintptr(*(*byte)(from))
			n++
		case float:
			r.floats[floats] = *(*float64)(from)
			floats++
		case stringWords:
			r.held[i] = *(*unsafe.Pointer)(from)
			r.words[n] = uintptr(r.held[i])
			r.words[n+1] = (*[2]uintptr)(from)[1]
			n += 2
		case sliceWords:
			n = r.slice(i, n, from)
		default:
			v := p.box(from)
			r.held[i] = v.data
			r.words[n] = uintptr(v.typ)
			r.words[n+1] = uintptr(v.data)
			n += 2
		}
	}
	if len(c.params) > c.fixed {
		list := c.list(args)
		r.slice(MostArgs, n, unsafe.Pointer(&list))
	}
	switch c.result {
	case nothing:
		invoke[struct{}](fn, &r)
	case word:
		*(*uintptr)(result) = invoke[uintptr](fn, &r)
	case byteWord:
		*(*byte)(result) = invoke[byte](fn, &r)
	case pointerWord:
		*(*unsafe.Pointer)(result) = invoke[unsafe.Pointer](fn, &r)
	case float:
		*(*float64)(result) = invoke[float64](fn, &r)
	case stringWords:
		*(*string)(result) = invoke[string](fn, &r)
	case interfaceWords:
		*(*words)(result) = invoke[words](fn, &r)
	case sliceWords:
		*(*[]byte)(result) = invoke[[]byte](fn, &r)
	}
	runtime.KeepAlive(&r)
}

// slice puts the slice at from into the words from n on, for argument i, and returns how many are taken
// then.
func (r *registers) slice(i, n int, from unsafe.Pointer) (after int) {
	r.held[i] = *(*unsafe.Pointer)(from)
	r.words[n] = uintptr(r.held[i])
	r.words[n+1] = (*[3]uintptr)(from)[1]
	r.words[n+2] = (*[3]uintptr)(from)[2]
	return n + 3
}

// box returns the argument at from as an interface value.
func (p *param) box(from unsafe.Pointer) words {
	switch p.form {
	case interfaceWords:
		return *(*words)(from)
	case boxedPointer:
		return words{p.tab, *(*unsafe.Pointer)(from)}
	}
	v := reflect.NewAt(p.typ, Noescape(from)).Elem().Interface() // a copy
	return words{p.tab, dataOf(v)}
}

// list returns the arguments of the variadic parameter as a slice, of elements that are laid out as
// its are.
func (c *Caller) list(args *[MostArgs]unsafe.Pointer) []byte {
	params, rest := c.params[c.fixed:], args[c.fixed:]
	switch formOf(c.rest.Elem()) {
	case word:
		return collect[uintptr](params, rest)
	case pointerWord:
		return collect[unsafe.Pointer](params, rest)
	case float:
		return collect[float64](params, rest)
	case stringWords:
		return collect[string](params, rest)
	}
	list := make([]words, len(params))
	for i := range params {
		list[i] = params[i].box(rest[i])
	}
	return *(*[]byte)(unsafe.Pointer(&list))
}

func collect[T any](params []param, from []unsafe.Pointer) []byte {
	list := make([]T, len(params))
	for i := range params {
		list[i] = *(*T)(from[i])
	}
	return *(*[]byte)(unsafe.Pointer(&list))
}

// invoke calls fn as a function with the result R.
func invoke[R any](fn unsafe.Pointer, r *registers) R {
	f := *(*func(a, b, c, d, e, f, g, h, i uintptr, x, y, z float64) R)(unsafe.Pointer(&fn))
	w, x := &r.words, &r.floats
	return f(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], x[0], x[1], x[2])
}

// Closure returns f, a function, as Call takes it.
func Closure(f reflect.Value) unsafe.Pointer { return dataOf(f.Interface()) }

// A Method is one of an interface type, called as a function with the receiver first.
type Method struct {
	Type reflect.Type // of the function, for NewCaller
	at   uintptr
}

// MethodOfInterface returns the i-th method of an interface type.
func MethodOfInterface(t reflect.Type, i int) Method {
	var v itabWords
	return Method{
		Type: withReceiver(t.Method(i).Type, pointerType),
		at:   unsafe.Offsetof(v.itab.methods) + uintptr(i)*unsafe.Sizeof(uintptr(0)),
	}
}

// Of returns the method of the interface value at p as Call takes it, and its receiver. The closure
// is nil if the value is.
func (m *Method) Of(p unsafe.Pointer) (closure, recv unsafe.Pointer) {
	v := (*itabWords)(p)
	if v.itab == nil {
		return nil, nil
	}
	return unsafe.Add(unsafe.Pointer(v.itab), m.at), v.data
}

// Noescape hides from the compiler where p leads to: what it is given to keeps nothing of it.
//
//go:nosplit
func Noescape(p unsafe.Pointer) unsafe.Pointer {
	x := uintptr(p)
	return *(*unsafe.Pointer)(unsafe.Pointer(&x))
}
