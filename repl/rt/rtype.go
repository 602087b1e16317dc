package rt

import (
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"unsafe"
)

// This file knows how Go lays out its type descriptors. reflect cannot make a type that contains
// itself, so such a type is made with stand-ins, which are replaced here. checkLayout proves that
// the layout is the expected one before the first patch.

type header struct {
	size, ptrBytes               uintptr
	hash                         uint32
	flags, align, fieldAlign, kd uint8
	equal, gcData                unsafe.Pointer
	str, ptrToThis               int32
}

type structType struct {
	header
	pkgPath unsafe.Pointer
	fields  []structField
}

type structField struct {
	_, typ unsafe.Pointer // the name, the type
	offset uintptr
}

// elemType is a pointer, slice or channel type.
type elemType struct {
	header
	elem unsafe.Pointer
}

type arrayType struct {
	header
	elem, slice unsafe.Pointer
}

type mapType struct {
	header
	key, elem unsafe.Pointer
}

// funcType is followed by the parameters and results.
type funcType struct {
	_    header
	_, _ uint16 // how many there are
}

// typePointer returns the descriptor that t, an interface value, holds.
func typePointer(t reflect.Type) unsafe.Pointer {
	return (*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1]
}

func structHeader(t reflect.Type) *structType { return (*structType)(typePointer(t)) }
func elemHeader(t reflect.Type) *elemType     { return (*elemType)(typePointer(t)) }
func arrayHeader(t reflect.Type) *arrayType   { return (*arrayType)(typePointer(t)) }
func mapHeader(t reflect.Type) *mapType       { return (*mapType)(typePointer(t)) }

// funcParams returns where the n parameters and results of t are.
func funcParams(t reflect.Type, n int) []*unsafe.Pointer {
	const align = unsafe.Sizeof(uintptr(0))
	first := (unsafe.Sizeof(funcType{}) + align - 1) &^ (align - 1)
	params := make([]*unsafe.Pointer, n)
	for i := range params {
		params[i] = (*unsafe.Pointer)(unsafe.Add(typePointer(t), first+uintptr(i)*align))
	}
	return params
}

func (b *builder) needPatches() {
	if err := layoutError(); err != nil {
		b.fail("a type that contains itself: %v", err)
	}
}

// layoutError tells why types cannot be patched under the Go version that built this program.
var layoutError = sync.OnceValue(func() (err error) {
	unknown := fmt.Errorf("%s lays out types in an unknown way", runtime.Version())
	defer func() {
		if recover() != nil {
			err = unknown
		}
	}()
	if !layoutKnown() {
		return unknown
	}
	return nil
})

// layoutKnown reads the descriptors of new types in each form that is patched.
func layoutKnown() bool {
	elem := reflect.StructOf([]reflect.StructField{
		{Name: "A", Type: reflect.TypeFor[string](), Tag: `halfnote:"layout"`},
		{Name: "B", Type: reflect.TypeFor[*int]()},
	})
	is := func(p unsafe.Pointer, t reflect.Type) bool { return p == typePointer(t) }
	h := structHeader(elem)
	if h.size != elem.Size() || int(h.kd)&31 != int(reflect.Struct) || len(h.fields) != 2 ||
		cap(h.fields) != 2 {
		return false
	}
	for i := range h.fields {
		f := elem.Field(i)
		if !is(h.fields[i].typ, f.Type) || h.fields[i].offset != f.Offset {
			return false
		}
	}
	for _, t := range []reflect.Type{
		reflect.SliceOf(elem), reflect.PointerTo(elem), reflect.ChanOf(reflect.BothDir, elem),
	} {
		if !is(elemHeader(t).elem, elem) {
			return false
		}
	}
	array := reflect.ArrayOf(3, elem)
	if !is(arrayHeader(array).elem, elem) || !is(arrayHeader(array).slice, reflect.SliceOf(elem)) {
		return false
	}
	table := reflect.MapOf(reflect.TypeFor[string](), elem)
	if !is(mapHeader(table).key, reflect.TypeFor[string]()) || !is(mapHeader(table).elem, elem) {
		return false
	}
	in := []reflect.Type{reflect.TypeFor[int](), elem}
	out := []reflect.Type{reflect.SliceOf(elem)}
	f := reflect.FuncOf(in, out, false)
	for i, p := range funcParams(f, 3) {
		if !is(*p, append(in, out...)[i]) {
			return false
		}
	}
	return true
}
