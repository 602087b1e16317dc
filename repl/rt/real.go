package rt

import (
	"fmt"
	"go/token"
	"go/types"
	"hash/fnv"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// This file makes real types: what compiled code, and package reflect, know the program's types by
// when their values stand in interface values. A real type has the layout of the storage type, and
// the name, the fields' names and the exported methods that the user wrote:
//
//	type Celsius float64                 storage float64, real type main.Celsius
//	func (c Celsius) String() string     … with the method String
//
// Interface types of the program are stored as interface{}, so their real types have names but no
// methods; see reflect.go.

// A realBuilder makes the real types of one call of Types.real: first descriptors of the right size
// and name, then, when every type has one, what they are made of.
type realBuilder struct {
	ts    *Types
	fills []func()
	made  []*Desc
}

// real makes d's real type. The caller holds ts.mu, and d has a storage type.
func (ts *Types) real(d *Desc) (err error) {
	if d.real != nil {
		return nil
	}
	b := &realBuilder{ts: ts}
	defer func() {
		if r := recover(); r != nil {
			for _, m := range b.made {
				m.real = nil
			}
			err = fmt.Errorf("type %s: %v", d, r)
		}
	}()
	if err := layoutError(); err != nil && d.needsReal {
		return err
	}
	b.typ(d.T)
	for len(b.fills) > 0 {
		fill := b.fills[0]
		b.fills = b.fills[1:]
		fill()
	}
	for _, m := range b.made {
		m.word = typePointer(m.real)
		if m.needsReal { // the first is the one of halfnote's source, see SetSource
			ts.descriptors.LoadOrStore(m.word, m)
			if types.IsInterface(m.T) {
				interfaces.LoadOrStore(m.word, m)
			}
		}
	}
	return nil
}

// descriptors of real types are kept alive here: the garbage collector does not look for them in
// the first words of interface values.
var keptDescriptors struct {
	sync.Mutex
	list []any
}

func keepDescriptor(block any) {
	keptDescriptors.Lock()
	defer keptDescriptors.Unlock()
	keptDescriptors.list = append(keptDescriptors.list, block)
}

// typ returns t's real type, which may still wait to be filled.
func (b *realBuilder) typ(t types.Type) reflect.Type {
	d := b.ts.complete(t)
	if d.real != nil {
		return d.real
	}
	if d.err != nil {
		panic(d.err)
	}
	if !d.needsReal {
		return b.set(d, d.R)
	}
	switch t := d.T.(type) {
	case *types.Named:
		if own := b.ts.sourceType(t); own != nil {
			return b.set(d, b.typ(own))
		}
		return b.named(d, t)
	case *types.Interface:
		return b.describe(d, 0, nil)
	case *types.Struct:
		return b.structure(d, t)
	case *types.Pointer:
		return b.set(d, reflect.PointerTo(b.typ(t.Elem())))
	case *types.Slice:
		return b.set(d, reflect.SliceOf(b.typ(t.Elem())))
	case *types.Array:
		return b.set(d, reflect.ArrayOf(int(t.Len()), b.typ(t.Elem())))
	case *types.Map:
		return b.set(d, reflect.MapOf(b.typ(t.Key()), b.typ(t.Elem())))
	case *types.Chan:
		return b.set(d, reflect.ChanOf(chanDirs[t.Dir()], b.typ(t.Elem())))
	case *types.Signature:
		return b.set(d, b.function(t))
	}
	panic("it is no type of a value")
}

// set makes r the real type of d. Identical types of one program may come here twice, by way of a
// type that contains itself; the first stays.
func (b *realBuilder) set(d *Desc, r reflect.Type) reflect.Type {
	if d.real == nil {
		d.real = r
		b.made = append(b.made, d)
	}
	return d.real
}

// function returns the real type of functions with t's parameters and results.
func (b *realBuilder) function(t *types.Signature) reflect.Type {
	return reflect.FuncOf(b.tuple(nil, t.Params()), b.tuple(nil, t.Results()), t.Variadic())
}

func (b *realBuilder) tuple(list []reflect.Type, t *types.Tuple) []reflect.Type {
	for v := range t.Variables() {
		list = append(list, b.typ(v.Type()))
	}
	return list
}

// structure makes the real type of a struct type without a name.
func (b *realBuilder) structure(d *Desc, t *types.Struct) reflect.Type {
	plain := true
	for f := range t.Fields() {
		plain = plain && f.Exported() && !f.Embedded()
	}
	if !plain {
		return b.withMethods(d, func(r reflect.Type) { b.fillStruct(d, r, t) })
	}
	fields := make([]reflect.StructField, t.NumFields())
	for i := range fields {
		fields[i] = reflect.StructField{Name: t.Field(i).Name(), Type: b.typ(t.Field(i).Type()),
			Tag: reflect.StructTag(t.Tag(i))}
	}
	return b.set(d, reflect.StructOf(fields)) // compiled code may have this very type
}

// named makes the real type of a type of the program that has a name.
func (b *realBuilder) named(d *Desc, t *types.Named) reflect.Type {
	if types.IsInterface(t) {
		return b.describe(d, 0, nil)
	}
	return b.withMethods(d, func(r reflect.Type) {
		switch u := t.Underlying().(type) {
		case *types.Struct:
			b.fillStruct(d, r, u)
		case *types.Pointer:
			elemHeader(r).elem = typePointer(b.typ(u.Elem()))
		case *types.Slice:
			elemHeader(r).elem = typePointer(b.typ(u.Elem()))
		case *types.Chan:
			elemHeader(r).elem = typePointer(b.typ(u.Elem()))
		case *types.Array:
			elem := b.typ(u.Elem())
			arrayHeader(r).elem = typePointer(elem)
			arrayHeader(r).slice = typePointer(reflect.SliceOf(elem))
		case *types.Map:
			mapHeader(r).key = typePointer(b.typ(u.Key()))
			mapHeader(r).elem = typePointer(b.typ(u.Elem()))
		case *types.Signature:
			params := b.tuple(b.tuple(nil, u.Params()), u.Results())
			for i, p := range funcParams(r, len(params)) {
				*p = typePointer(params[i])
			}
		}
	})
}

func (b *realBuilder) fillStruct(d *Desc, r reflect.Type, t *types.Struct) {
	h := structHeader(r)
	h.pkgPath = encodeName(pathOf(d.T), "", false, false)
	fields := make([]structField, len(h.fields))
	for i, stored := range h.fields {
		f := t.Field(i)
		fields[i] = structField{
			name:   encodeName(f.Name(), t.Tag(i), f.Exported(), f.Embedded()),
			typ:    typePointer(b.typ(f.Type())),
			offset: stored.offset,
		}
	}
	// Until here those of the storage type stand there: reflect looks at them when it makes a map
	// whose elements are the struct itself.
	h.fields = fields
}

// withMethods makes descriptors with methods for d and for the pointer to it.
func (b *realBuilder) withMethods(d *Desc, fill func(r reflect.Type)) reflect.Type {
	params := 0
	if sig, ok := d.T.Underlying().(*types.Signature); ok {
		params = sig.Params().Len() + sig.Results().Len()
	}
	r := b.describe(d, params, b.ts.methodsOf(d.T))
	p := b.ts.complete(types.NewPointer(d.T))
	pointer := b.describe(p, 0, b.ts.methodsOf(p.T))
	elemHeader(pointer).elem = typePointer(r)
	(*header)(typePointer(r)).ptrToThis = offsetOf(typePointer(pointer))
	b.fills = append(b.fills, func() { fill(r) })
	return r
}

// A method that a descriptor lists. One that is not exported comes from an embedded field of a
// compiled type: see hidden.go.
type method struct {
	name   string
	sig    *types.Signature
	hidden *hiddenMethod
}

// methodsOf lists the methods of t that compiled code can ask for, in the order of descriptors.
func (ts *Types) methodsOf(t types.Type) (list []method) {
	if stubCount == 0 {
		return nil
	}
	set := types.NewMethodSet(t)
	for sel := range set.Methods() {
		hidden := ts.hiddenMethod(sel)
		if sel.Obj().Exported() || hidden != nil {
			list = append(list, method{sel.Obj().Name(), sel.Type().(*types.Signature), hidden})
		}
	}
	slices.SortStableFunc(list, func(a, b method) int {
		switch {
		case a.hidden == nil && b.hidden != nil:
			return -1
		case a.hidden != nil && b.hidden == nil:
			return +1
		}
		return strings.Compare(a.name, b.name)
	})
	return list
}

// describe makes the descriptor of d's real type from that of its storage type. What it is made of,
// beyond its layout and methods, is yet that of the storage.
func (b *realBuilder) describe(d *Desc, params int, methods []method) reflect.Type {
	base, ok := descriptorTypes[d.R.Kind()]
	if !ok {
		base = reflect.TypeFor[header]()
	}
	if d.R.Kind() == reflect.Interface {
		base = descriptorTypes[reflect.Interface]
	}
	block := reflect.New(reflect.StructOf([]reflect.StructField{
		{Name: "Base", Type: base},
		{Name: "Uncommon", Type: reflect.TypeFor[uncommon]()},
		{Name: "Params", Type: reflect.ArrayOf(params, reflect.TypeFor[unsafe.Pointer]())},
		{Name: "Methods", Type: reflect.ArrayOf(len(methods), reflect.TypeFor[methodEntry]())},
	}))
	block.Elem().Field(0).Set(reflect.NewAt(base, typePointer(d.R)).Elem())
	at := block.UnsafePointer()
	offset := func(field int) uintptr { return block.Elem().Type().Field(field).Offset }

	h := (*header)(at)
	h.str = offsetOf(encodeName(d.name, "", true, false))
	h.ptrToThis = 0
	h.flags = h.flags&^(flagExtraStar|flagNamed) | flagUncommon
	hash := fnv.New32a()
	fmt.Fprintf(hash, "%s#%d", d.name, d.id)
	h.hash = hash.Sum32()
	u := (*uncommon)(unsafe.Add(at, offset(1)))
	if named, ok := d.T.(*types.Named); ok {
		h.flags |= flagNamed
		if named.Obj().Pkg() != nil {
			u.pkgPath = offsetOf(encodeName(named.Obj().Pkg().Path(), "", false, false))
		}
	}
	u.count = uint16(len(methods))
	for _, m := range methods {
		if m.hidden == nil {
			u.exported++
		}
	}
	u.offset = uint32(offset(3) - offset(1))

	r := typeAt(at)
	b.set(d, r)
	keepDescriptor(block.Interface())
	if len(methods) > 0 {
		entries := unsafe.Slice((*methodEntry)(unsafe.Add(at, offset(3))), len(methods))
		d.slots = map[string]int{}
		b.fills = append(b.fills, func() { b.fillMethods(d, entries, methods) })
	}
	return r
}

func (b *realBuilder) fillMethods(d *Desc, entries []methodEntry, methods []method) {
	for i, m := range methods {
		slot := newStub()
		e := &entries[i]
		var t reflect.Type
		if h := m.hidden; h != nil {
			t = h.typ
			e.name = offsetOf(encodeHidden(m.name, h.pkg))
			slots[slot] = closureOf(h.function(d).Interface())
		} else {
			t = b.function(m.sig)
			e.name = offsetOf(encodeName(m.name, "", true, false))
			d.slots[m.name] = slot
		}
		e.typ = offsetOf(typePointer(t))
		e.byWord = offsetOf(stubAt(slot))
		e.byValue = e.byWord
		if !isDirect(d.real) {
			e.byValue = byValue(d, slot, t)
		}
	}
}

// byValue returns the offset of code that calls the method of type t in the slot, which takes a
// pointer to its receiver, with the receiver itself.
func byValue(d *Desc, slot int, t reflect.Type) int32 {
	byPointer := withReceiver(t, pointerType)
	f := reflect.MakeFunc(withReceiver(t, d.real), func(args []reflect.Value) []reflect.Value {
		recv := reflect.New(d.real)
		recv.Elem().Set(args[0])
		args[0] = reflect.ValueOf(recv.UnsafePointer())
		return call(functionAt(atomic.LoadPointer(&slots[slot]), byPointer), args)
	})
	valueSlot := newStub()
	slots[valueSlot] = closureOf(f.Interface())
	return offsetOf(stubAt(valueSlot))
}

// functionAt returns the closure as a function of type t.
func functionAt(closure unsafe.Pointer, t reflect.Type) reflect.Value {
	var f any = noCode
	(*words)(unsafe.Pointer(&f)).data = closure
	return reflect.ValueOf(relabel(f, typePointer(t)))
}

// pathOf returns the import path of the package that declares t's fields.
func pathOf(t types.Type) string {
	if named, ok := t.(*types.Named); ok && named.Obj().Pkg() != nil {
		return named.Obj().Pkg().Path()
	}
	if st, ok := t.Underlying().(*types.Struct); ok {
		for f := range st.Fields() {
			if !token.IsExported(f.Name()) && f.Pkg() != nil {
				return f.Pkg().Path()
			}
		}
	}
	return "main"
}

// HoldsPointer reports whether interface values hold values of d's type themselves, because they
// are pointers, and not pointers to them.
func (d *Desc) HoldsPointer() bool { return isDirect(d.R) }
