package rt

import (
	"fmt"
	"go/types"
	"reflect"
	"strconv"
	"unsafe"
)

// A builder makes the storage types of one call of Types.Storage. A struct type that contains
// itself is made in two steps: first with fields of the right layout only, then, when every type
// it needs exists, with its real fields patched in.
type builder struct {
	ts      *Types
	made    []*Desc
	patches []func()
}

// cannotStore is what a builder panics with.
type cannotStore struct{ msg string }

func (b *builder) fail(format string, args ...any) {
	panic(cannotStore{fmt.Sprintf(format, args...)})
}

// complete returns t's descriptor with its storage type. The caller holds ts.mu.
func (ts *Types) complete(t types.Type) *Desc {
	d := ts.desc(t)
	if d.R != nil || d.err != nil {
		return d
	}
	b := &builder{ts: ts}
	if err := b.run(d); err != nil {
		for _, m := range b.made {
			m.R = nil
		}
		d.R, d.err = nil, err
	}
	return d
}

// desc returns t's descriptor, its storage type perhaps not made yet.
func (ts *Types) desc(t types.Type) *Desc {
	t = types.Unalias(t)
	if d, ok := ts.descs.At(t).(*Desc); ok {
		return d
	}
	ts.count++
	d := &Desc{T: t, ts: ts, id: ts.count, name: typeString(t), needsReal: ts.needsReal(t)}
	ts.descs.Set(t, d)
	return d
}

func (b *builder) run(d *Desc) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case cannotStore:
			err = fmt.Errorf("type %s: %s", d, r.msg)
		default:
			err = fmt.Errorf("type %s: %v", d, r) // reflect refuses it
		}
	}()
	b.exact(d.T)
	for len(b.patches) > 0 {
		patch := b.patches[0]
		b.patches = b.patches[1:]
		patch()
	}
	return nil
}

// exact returns t's storage type. Types in it may still wait for their patches.
func (b *builder) exact(t types.Type) reflect.Type {
	d := b.ts.desc(t)
	switch {
	case d.R != nil:
		return d.R
	case d.err != nil:
		b.fail("%v", d.err)
	}
	if r := b.make(d); d.R == nil {
		b.set(d, r)
	}
	return d.R
}

func (b *builder) set(d *Desc, r reflect.Type) {
	d.R = r
	b.made = append(b.made, d)
}

func (b *builder) make(d *Desc) reflect.Type {
	switch t := d.T.(type) {
	case *types.Basic:
		return b.basic(t)
	case *types.Named:
		if r, ok := b.ts.compiled(t); ok {
			return r
		}
		if own := b.ts.sourceType(t); own != nil {
			return b.exact(own)
		}
		switch u := t.Underlying().(type) {
		case *types.Interface:
			return anyType
		case *types.Struct:
			return b.structOf(d, u)
		}
		if b.reaches(t, t, false) {
			return b.shell(d, t.Underlying())
		}
		return b.exact(t.Underlying())
	case *types.Interface:
		return anyType
	case *types.Struct:
		return b.structOf(d, t)
	case *types.Pointer:
		return reflect.PointerTo(b.exact(t.Elem()))
	case *types.Slice:
		return reflect.SliceOf(b.exact(t.Elem()))
	case *types.Array:
		return reflect.ArrayOf(int(t.Len()), b.exact(t.Elem()))
	case *types.Map:
		return reflect.MapOf(b.exact(t.Key()), b.exact(t.Elem()))
	case *types.Chan:
		return reflect.ChanOf(chanDirs[t.Dir()], b.exact(t.Elem()))
	case *types.Signature:
		return reflect.FuncOf(b.tuple(t.Params()), b.tuple(t.Results()), t.Variadic())
	case *types.TypeParam:
		b.fail("the type parameter %s is not instantiated", t)
	}
	b.fail("%s is no type of a value", d.T)
	return nil
}

func (b *builder) tuple(t *types.Tuple) []reflect.Type {
	list := make([]reflect.Type, 0, t.Len())
	for v := range t.Variables() {
		list = append(list, b.exact(v.Type()))
	}
	return list
}

func (b *builder) basic(t *types.Basic) reflect.Type {
	if t.Info()&types.IsUntyped != 0 {
		t, _ = types.Default(t).(*types.Basic)
	}
	r, ok := basicTypes[t.Kind()]
	if !ok {
		b.fail("%s is no type of a value", t)
	}
	return r
}

// structOf makes a struct type of its own: the tag of its first field tells it from all others.
func (b *builder) structOf(d *Desc, t *types.Struct) reflect.Type {
	if t.NumFields() == 0 {
		return reflect.TypeFor[struct{}]()
	}
	recursive := b.reaches(d.T, d.T, true)
	if recursive {
		b.needPatches()
	}
	names := fieldNames(t)
	fields := make([]reflect.StructField, t.NumFields())
	for i := range fields {
		typ := b.layout
		if !recursive {
			typ = b.exact
		}
		fields[i] = reflect.StructField{Name: names[i], Type: typ(t.Field(i).Type())}
	}
	fields[0].Tag = b.unique(d)
	r := reflect.StructOf(fields)
	b.passBlank(r, t)
	if !recursive {
		return r
	}
	b.set(d, r)
	b.patches = append(b.patches, func() {
		for i := range fields {
			structHeader(r).fields[i].typ = typePointer(b.exact(t.Field(i).Type()))
		}
	})
	return r
}

// passBlank makes the fields named _ of the struct type r, whose storage names are others, not count
// when values are compared and hashed.
func (b *builder) passBlank(r reflect.Type, t *types.Struct) {
	h := structHeader(r)
	var counts []int
	for i := range t.NumFields() {
		if t.Field(i).Name() != "_" {
			counts = append(counts, i)
		}
	}
	if len(counts) == t.NumFields() {
		return
	}
	b.needPatches()
	for i := range t.NumFields() {
		if t.Field(i).Name() == "_" {
			h.fields[i].name = encodeName("_", "", false, false)
		}
	}
	if h.equal == nil {
		return
	}
	equal := func(p, q unsafe.Pointer) bool {
		for _, i := range counts {
			f := &h.fields[i]
			same := *(*func(p, q unsafe.Pointer) bool)(unsafe.Pointer(&(*header)(f.typ).equal))
			if !same(unsafe.Add(p, f.offset), unsafe.Add(q, f.offset)) {
				return false
			}
		}
		return true
	}
	h.equal = *(*unsafe.Pointer)(unsafe.Pointer(&equal))
}

func (b *builder) unique(d *Desc) reflect.StructTag {
	return reflect.StructTag(fmt.Sprintf(`halfnote:"%p#%d"`, b.ts, d.id))
}

// fieldNames gives every field an exported name, so that emitted and compiled code can reach it.
func fieldNames(t *types.Struct) []string {
	names := make([]string, t.NumFields())
	used := map[string]bool{}
	for f := range t.Fields() {
		used[f.Name()] = f.Exported()
	}
	for i := range names {
		f := t.Field(i)
		names[i] = f.Name()
		if f.Exported() {
			continue
		}
		name := "X_" + f.Name()
		if f.Name() == "_" {
			name = "X_" + strconv.Itoa(i)
		}
		for used[name] {
			name += "_"
		}
		used[name] = true
		names[i] = name
	}
	return names
}

// shell makes the type of a named type that contains itself without a struct between, such as
// type T []T: a type that nothing else shares, with its elements patched in.
func (b *builder) shell(d *Desc, u types.Type) reflect.Type {
	b.needPatches()
	unique := reflect.StructOf([]reflect.StructField{
		{Name: "U", Type: reflect.TypeFor[int](), Tag: b.unique(d)},
	})
	uniqueElem := func(t types.Type) reflect.Type {
		return reflect.StructOf([]reflect.StructField{
			{Name: "U", Type: b.layout(t), Tag: b.unique(d)},
		})
	}
	var r reflect.Type
	var patch func()
	switch u := u.(type) {
	case *types.Slice:
		r = reflect.SliceOf(unique)
		patch = func() { elemHeader(r).elem = typePointer(b.exact(u.Elem())) }
	case *types.Pointer:
		r = reflect.PointerTo(unique)
		patch = func() { elemHeader(r).elem = typePointer(b.exact(u.Elem())) }
	case *types.Chan:
		r = reflect.ChanOf(chanDirs[u.Dir()], unique)
		patch = func() { elemHeader(r).elem = typePointer(b.exact(u.Elem())) }
	case *types.Array:
		r = reflect.ArrayOf(int(u.Len()), uniqueElem(u.Elem()))
		patch = func() {
			elem := b.exact(u.Elem())
			arrayHeader(r).elem = typePointer(elem)
			arrayHeader(r).slice = typePointer(reflect.SliceOf(elem))
		}
	case *types.Map:
		r = reflect.MapOf(b.layout(u.Key()), uniqueElem(u.Elem()))
		patch = func() {
			mapHeader(r).key = typePointer(b.exact(u.Key()))
			mapHeader(r).elem = typePointer(b.exact(u.Elem()))
		}
	case *types.Signature:
		r = b.funcShell(u, unique)
		patch = func() {
			params := append(b.tuple(u.Params()), b.tuple(u.Results())...)
			for i, p := range funcParams(r, len(params)) {
				*p = typePointer(params[i])
			}
		}
	default:
		b.fail("%s contains itself", d)
	}
	b.set(d, r)
	b.patches = append(b.patches, patch)
	return r
}

func (b *builder) funcShell(t *types.Signature, unique reflect.Type) reflect.Type {
	var in, out []reflect.Type
	for v := range t.Params().Variables() {
		in = append(in, b.layout(v.Type()))
	}
	for v := range t.Results().Variables() {
		out = append(out, b.layout(v.Type()))
	}
	switch {
	case len(out) > 0:
		out[0] = unique
	case t.Variadic() && len(in) == 1:
		in[0] = reflect.SliceOf(unique)
	default:
		in[0] = unique
	}
	return reflect.FuncOf(in, out, t.Variadic())
}

// layout returns a type with the layout of t's storage type that needs none of the types t points
// to.
func (b *builder) layout(t types.Type) reflect.Type {
	if d := b.ts.desc(t); d.R != nil {
		return d.R
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if r, ok := b.ts.compiled(t); ok {
			return r
		}
		if own := b.ts.sourceType(t); own != nil {
			return b.layout(own)
		}
		return b.layout(t.Underlying())
	case *types.Pointer:
		return reflect.TypeFor[*byte]()
	case *types.Slice:
		return reflect.TypeFor[[]byte]()
	case *types.Map:
		return reflect.TypeFor[map[int]byte]()
	case *types.Chan:
		return reflect.TypeFor[chan byte]()
	case *types.Signature:
		return reflect.TypeFor[func()]()
	case *types.Array:
		return reflect.ArrayOf(int(t.Len()), b.layout(t.Elem()))
	case *types.Struct:
		fields := make([]reflect.StructField, t.NumFields())
		for i := range fields {
			fields[i] = reflect.StructField{
				Name: "F" + strconv.Itoa(i), Type: b.layout(t.Field(i).Type()),
			}
		}
		return reflect.StructOf(fields)
	}
	return b.exact(t)
}

// reaches reports whether target is among the types that t is made of, those of structs included
// if throughStructs is set.
func (b *builder) reaches(t, target types.Type, throughStructs bool) bool {
	goal := b.ts.desc(target)
	seen := map[*Desc]bool{}
	var walk func(t types.Type) bool
	visit := func(t types.Type) bool {
		d := b.ts.desc(t)
		if d == goal {
			return true
		}
		if seen[d] {
			return false
		}
		seen[d] = true
		return walk(d.T)
	}
	tuple := func(t *types.Tuple) bool {
		for v := range t.Variables() {
			if visit(v.Type()) {
				return true
			}
		}
		return false
	}
	walk = func(t types.Type) bool {
		switch t := t.(type) {
		case *types.Named:
			if own := b.ts.sourceType(t); own != nil {
				return visit(own)
			}
			return !b.ts.isCompiled(t) && walk(t.Underlying())
		case *types.Struct:
			for f := range t.Fields() {
				if throughStructs && visit(f.Type()) {
					return true
				}
			}
		case *types.Map:
			return visit(t.Key()) || visit(t.Elem())
		case *types.Signature:
			return tuple(t.Params()) || tuple(t.Results())
		case interface{ Elem() types.Type }: // pointer, slice, array, channel
			return visit(t.Elem())
		}
		return false
	}
	return walk(t)
}

var chanDirs = map[types.ChanDir]reflect.ChanDir{
	types.SendRecv: reflect.BothDir,
	types.SendOnly: reflect.SendDir,
	types.RecvOnly: reflect.RecvDir,
}

var basicTypes = map[types.BasicKind]reflect.Type{
	types.Bool:          reflect.TypeFor[bool](),
	types.Int:           reflect.TypeFor[int](),
	types.Int8:          reflect.TypeFor[int8](),
	types.Int16:         reflect.TypeFor[int16](),
	types.Int32:         reflect.TypeFor[int32](),
	types.Int64:         reflect.TypeFor[int64](),
	types.Uint:          reflect.TypeFor[uint](),
	types.Uint8:         reflect.TypeFor[uint8](),
	types.Uint16:        reflect.TypeFor[uint16](),
	types.Uint32:        reflect.TypeFor[uint32](),
	types.Uint64:        reflect.TypeFor[uint64](),
	types.Uintptr:       reflect.TypeFor[uintptr](),
	types.Float32:       reflect.TypeFor[float32](),
	types.Float64:       reflect.TypeFor[float64](),
	types.Complex64:     reflect.TypeFor[complex64](),
	types.Complex128:    reflect.TypeFor[complex128](),
	types.String:        reflect.TypeFor[string](),
	types.UnsafePointer: reflect.TypeFor[unsafe.Pointer](),
}
