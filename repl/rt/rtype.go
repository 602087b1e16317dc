package rt

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"unsafe"
)

// This file knows how Go lays out its type descriptors (internal/abi in Go's source). reflect makes
// no type that contains itself, has a name or has methods; package rt makes those by writing their
// descriptors. layoutKnown proves that the layout is the expected one before the first is written.

type header struct {
	size, ptrBytes               uintptr
	hash                         uint32
	flags, align, fieldAlign, kd uint8
	equal, gcData                unsafe.Pointer
	str, ptrToThis               int32
}

// The flags of a header.
const (
	flagUncommon  = 1 << 0 // an uncommon follows
	flagExtraStar = 1 << 1 // str has a * too many
	flagNamed     = 1 << 2
	flagDirect    = 1 << 5 // an interface value holds the value itself, which is a pointer
)

type structType struct {
	header
	pkgPath unsafe.Pointer
	fields  []structField
}

type structField struct {
	name, typ unsafe.Pointer
	offset    uintptr
}

// elemType is a pointer, slice or channel type.
type elemType struct {
	header
	elem unsafe.Pointer
}

type chanType struct {
	_ elemType
	_ int // the direction
}

type arrayType struct {
	header
	elem, slice unsafe.Pointer
	len         uintptr
}

type mapType struct {
	header
	key, elem, group             unsafe.Pointer
	hasher                       unsafe.Pointer
	groupSize, slotSize, elemOff uintptr
	flags                        uint32
}

// funcType is followed by the parameters and results.
type funcType struct {
	_    header
	_, _ uint16 // how many there are
}

type interfaceType struct {
	_ header
	_ unsafe.Pointer              // the package's path
	_ []struct{ name, typ int32 } // the methods
}

// uncommon follows the descriptor of a type that has a name or methods.
type uncommon struct {
	pkgPath         int32
	count, exported uint16
	offset          uint32 // of the methods, from here
	_               uint32
}

type methodEntry struct {
	name, typ int32
	byWord    int32 // code that takes the receiver as the second word of an interface value
	byValue   int32 // code that takes the receiver as a parameter
}

// descriptorTypes has what the descriptors of a kind begin with; those left out are a header.
var descriptorTypes = map[reflect.Kind]reflect.Type{
	reflect.Struct:    reflect.TypeFor[structType](),
	reflect.Pointer:   reflect.TypeFor[elemType](),
	reflect.Slice:     reflect.TypeFor[elemType](),
	reflect.Chan:      reflect.TypeFor[chanType](),
	reflect.Array:     reflect.TypeFor[arrayType](),
	reflect.Map:       reflect.TypeFor[mapType](),
	reflect.Func:      reflect.TypeFor[funcType](),
	reflect.Interface: reflect.TypeFor[interfaceType](),
}

// typePointer returns the descriptor that t, an interface value, holds.
func typePointer(t reflect.Type) unsafe.Pointer {
	return (*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1]
}

// typeAt returns the type with the descriptor p.
func typeAt(p unsafe.Pointer) reflect.Type {
	t := reflect.TypeFor[int]()
	(*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1] = p
	return t
}

func structHeader(t reflect.Type) *structType { return (*structType)(typePointer(t)) }
func elemHeader(t reflect.Type) *elemType     { return (*elemType)(typePointer(t)) }
func arrayHeader(t reflect.Type) *arrayType   { return (*arrayType)(typePointer(t)) }
func mapHeader(t reflect.Type) *mapType       { return (*mapType)(typePointer(t)) }

// isDirect reports whether an interface value holds values of t themselves, not a pointer to them.
func isDirect(t reflect.Type) bool { return (*header)(typePointer(t)).flags&flagDirect != 0 }

// funcParams returns where the n parameters and results of t are.
func funcParams(t reflect.Type, n int) []*unsafe.Pointer {
	first := unsafe.Sizeof(funcType{})
	if (*header)(typePointer(t)).flags&flagUncommon != 0 {
		first += unsafe.Sizeof(uncommon{})
	}
	params := make([]*unsafe.Pointer, n)
	for i := range params {
		at := unsafe.Add(typePointer(t), first+uintptr(i)*unsafe.Sizeof(uintptr(0)))
		params[i] = (*unsafe.Pointer)(at)
	}
	return params
}

// Words are an interface value taken apart.
type words struct{ typ, data unsafe.Pointer }

// wordOf returns the descriptor of v's dynamic type, nil for nil.
func wordOf(v any) unsafe.Pointer { return (*words)(unsafe.Pointer(&v)).typ }

// dataOf returns what v holds: a pointer to the value, or the value if its type is direct.
func dataOf(v any) unsafe.Pointer { return (*words)(unsafe.Pointer(&v)).data }

// relabel returns v, not nil, as a value of the type with the descriptor typ, which has the same
// layout.
func relabel(v any, typ unsafe.Pointer) any {
	(*words)(unsafe.Pointer(&v)).typ = typ
	return v
}

// encodeName returns a name as descriptors hold it.
func encodeName(name, tag string, exported, embedded bool) unsafe.Pointer {
	var flags byte
	if exported {
		flags |= 1 << 0
	}
	if tag != "" {
		flags |= 1 << 1
	}
	if embedded {
		flags |= 1 << 3
	}
	b := appendCounted([]byte{flags}, name)
	if tag != "" {
		b = appendCounted(b, tag)
	}
	return unsafe.Pointer(unsafe.SliceData(b))
}

// encodeHidden returns the name of a method that is not exported, of the package with the path pkg.
func encodeHidden(name, pkg string) unsafe.Pointer {
	b := appendCounted([]byte{1 << 2}, name)
	path := offsetOf(encodeName(pkg, "", false, false))
	b = binary.NativeEndian.AppendUint32(b, uint32(path))
	return unsafe.Pointer(unsafe.SliceData(b))
}

func appendCounted(b []byte, s string) []byte {
	n := len(s)
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(append(b, byte(n)), s...)
}

// offsetOf returns the number by which descriptors outside of a program's own image refer to p, a
// name, a type or code. It keeps p alive.
//
//go:linkname offsetOf reflect.addReflectOff
func offsetOf(p unsafe.Pointer) int32

func (b *builder) needPatches() {
	if err := layoutError(); err != nil {
		b.fail("%v", err)
	}
}

// layoutError tells why types cannot be written under the Go version that built this program.
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
