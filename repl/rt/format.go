package rt

import (
	"cmp"
	"fmt"
	"go/types"
	"io"
	"reflect"
	"slices"
	"strings"
)

// This file implements fmt for values whose types only go/types knows. It walks what package fmt
// would walk by reflection, and leaves everything plain to package fmt.

// pair is a value in its storage type and its real type, nil when reflect knows that.
type pair struct {
	v        reflect.Value
	d        *Desc
	readOnly bool // reached through an unexported field: no methods are called
}

// of returns the pair of a part v of x, whose type is t.
func (x pair) of(v reflect.Value, t types.Type) pair {
	part := pair{v: v, readOnly: x.readOnly}
	if x.d.ts.NeedsBox(t) || types.IsInterface(t) && x.d.ts.Erased(t) {
		part.d = x.d.ts.Desc(t)
	}
	return part
}

// inner returns the pair of what the interface value x.v holds.
func (x pair) inner() pair {
	v := x.v.Elem()
	if v.CanInterface() {
		if b, ok := unbox(v.Interface()); ok {
			return pair{v: reflect.ValueOf(b.V), d: b.D, readOnly: x.readOnly}
		}
	}
	return pair{v: v, readOnly: x.readOnly}
}

// typeName returns the name of x's type as Go prints it.
func (x pair) typeName() string {
	if x.d != nil {
		return x.d.name
	}
	return x.v.Type().String()
}

// elem returns the type of x's elements.
func (x pair) elem() types.Type {
	return x.d.T.Underlying().(interface{ Elem() types.Type }).Elem()
}

// fields calls yield for each field of the struct x with the name the user wrote.
func (x pair) fields(yield func(name string, field pair) bool) {
	st := x.d.T.Underlying().(*types.Struct)
	for i := range st.NumFields() {
		f := st.Field(i)
		part := x.of(x.v.Field(i), f.Type())
		part.readOnly = part.readOnly || !f.Exported()
		if !yield(f.Name(), part) {
			return
		}
	}
}

// entries returns the pairs of a map in the order in which fmt prints them.
func (x pair) entries() (keys, values []pair) {
	raw := x.v.MapKeys()
	slices.SortStableFunc(raw, compareKeys)
	return x.pairs(raw)
}

// someEntries returns the first n of entries, or any n of a map that is too large to be sorted.
func (x pair) someEntries(n int) (keys, values []pair) {
	var raw []reflect.Value
	if x.v.Len() <= sortedKeys {
		raw = x.v.MapKeys()
	} else {
		for entries := x.v.MapRange(); len(raw) < n && entries.Next(); {
			raw = append(raw, entries.Key())
		}
	}
	slices.SortStableFunc(raw, compareKeys)
	return x.pairs(raw[:min(n, len(raw))])
}

// pairs returns the keys of a map, and the values they lead to.
func (x pair) pairs(raw []reflect.Value) (keys, values []pair) {
	m := x.d.T.Underlying().(*types.Map)
	for _, k := range raw {
		keys = append(keys, x.of(k, m.Key()))
		values = append(values, x.of(x.v.MapIndex(k), m.Elem()))
	}
	return keys, values
}

// compareKeys orders map keys as fmt does: nil first, NaN before numbers, composites part by part.
func compareKeys(a, b reflect.Value) int {
	switch a.Kind() {
	case reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return cmp.Compare(boolInt(!a.IsNil()), boolInt(!b.IsNil()))
		}
		x, y := reflect.ValueOf(Unbox(a.Interface())), reflect.ValueOf(Unbox(b.Interface()))
		if x.Type() != y.Type() {
			return strings.Compare(x.Type().String(), y.Type().String())
		}
		return compareKeys(x, y)
	case reflect.Bool:
		return cmp.Compare(boolInt(a.Bool()), boolInt(b.Bool()))
	case reflect.String:
		return strings.Compare(a.String(), b.String())
	case reflect.Float32, reflect.Float64:
		return cmp.Compare(a.Float(), b.Float())
	case reflect.Complex64, reflect.Complex128:
		x, y := a.Complex(), b.Complex()
		return cmp.Or(cmp.Compare(real(x), real(y)), cmp.Compare(imag(x), imag(y)))
	case reflect.Struct:
		for i := range a.NumField() {
			if c := compareKeys(a.Field(i), b.Field(i)); c != 0 {
				return c
			}
		}
	case reflect.Array:
		for i := range a.Len() {
			if c := compareKeys(a.Index(i), b.Index(i)); c != 0 {
				return c
			}
		}
	case reflect.Pointer, reflect.Chan, reflect.UnsafePointer:
		return cmp.Compare(a.Pointer(), b.Pointer())
	default:
		if a.CanInt() {
			return cmp.Compare(a.Int(), b.Int())
		}
		if a.CanUint() {
			return cmp.Compare(a.Uint(), b.Uint())
		}
	}
	return 0
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// printer prints one value with one verb.
type printer struct {
	fmt.State
	verb     rune
	plus     bool // %+v
	sharp    bool // %#v
	erroring bool // within %!d(…): no methods
}

func newPrinter(s fmt.State, verb rune) *printer {
	return &printer{
		State: s, verb: verb, plus: verb == 'v' && s.Flag('+'), sharp: verb == 'v' && s.Flag('#'),
	}
}

func formatBox(s fmt.State, verb rune, b Box) {
	newPrinter(s, verb).value(pair{v: reflect.ValueOf(b.V), d: b.D}, 0)
}

func (p *printer) text(s string) { io.WriteString(p, s) }

// leaf prints v as package fmt does.
func (p *printer) leaf(v any) {
	verb := p.verb
	if p.erroring {
		// Here %+v would no longer mean the sign.
		switch k := reflect.TypeOf(v).Kind(); {
		case k >= reflect.Int && k <= reflect.Uintptr:
			verb = 'd'
		case k >= reflect.Float32 && k <= reflect.Complex128:
			verb = 'g'
		}
	}
	fmt.Fprintf(p, fmt.FormatString(p, verb), v)
}

func (p *printer) value(x pair, depth int) {
	if !x.v.IsValid() {
		p.text("<nil>")
		return
	}
	if p.method(x) {
		return
	}
	switch x.v.Kind() {
	case reflect.Interface:
		switch {
		case !x.v.IsNil():
			p.value(x.inner(), depth+1)
		case p.sharp:
			p.text(x.typeName() + "(nil)")
		default:
			p.text("<nil>")
		}
		return
	case reflect.Pointer, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		p.pointer(x, depth)
		return
	}
	if x.d == nil {
		p.plain(x)
		return
	}
	switch x.v.Kind() {
	case reflect.Struct:
		p.structure(x, depth)
	case reflect.Map:
		p.mapping(x, depth)
	case reflect.Slice, reflect.Array:
		p.list(x, depth)
	default:
		if !takesVerb(x.v.Kind(), p.verb) {
			p.badVerb(x)
			return
		}
		p.leaf(x.v.Interface())
	}
}

// plain prints a value that reflect knows.
func (p *printer) plain(x pair) {
	if x.readOnly || p.erroring {
		p.leaf(readOnly(x.v))
		return
	}
	p.leaf(x.v.Interface())
}

// readOnly returns v as package reflect gives unexported fields, whose methods fmt does not call.
func readOnly(v reflect.Value) reflect.Value {
	holder := reflect.New(reflect.StructOf([]reflect.StructField{
		{Name: "v", PkgPath: "main", Type: v.Type()},
	})).Elem()
	field := holder.Field(0)
	reflect.NewAt(v.Type(), field.Addr().UnsafePointer()).Elem().Set(v)
	return field
}

// method lets x print itself by a method of its type, if it has one for the verb.
func (p *printer) method(x pair) bool {
	if x.readOnly || p.erroring {
		return false
	}
	if x.d == nil {
		return p.compiledMethod(x)
	}
	if types.IsInterface(x.d.T) {
		return false
	}
	recv := x.v.Interface()
	if f, ok := x.d.Method("Format").(func(any, fmt.State, rune)); ok {
		p.guard(x, "Format", func() { f(recv, p.State, p.verb) })
		return true
	}
	if p.sharp {
		f, ok := x.d.Method("GoString").(func(any) string)
		if ok {
			p.guard(x, "GoString", func() { fmt.Fprintf(p, fmt.FormatString(p, 's'), f(recv)) })
		}
		return ok
	}
	if !strings.ContainsRune("vsxXq", p.verb) {
		return false
	}
	for _, name := range []string{"Error", "String"} {
		if f, ok := x.d.Method(name).(func(any) string); ok {
			p.guard(x, name, func() { p.leaf(f(recv)) })
			return true
		}
	}
	return false
}

// compiledMethod prints a pointer or channel of a compiled type that has a method for it. Other
// kinds are left to package fmt altogether.
func (p *printer) compiledMethod(x pair) bool {
	switch x.v.Kind() {
	case reflect.Pointer, reflect.Chan, reflect.Func, reflect.UnsafePointer:
	default:
		return false
	}
	v := x.v.Interface()
	var ok bool
	switch v.(type) {
	case fmt.Formatter:
		ok = true
	case fmt.GoStringer:
		ok = p.sharp
	case error, fmt.Stringer:
		ok = !p.sharp && strings.ContainsRune("vsxXq", p.verb)
	}
	if ok {
		p.leaf(v)
	}
	return ok
}

// guard calls print and prints its panic as package fmt does.
func (p *printer) guard(x pair, method string, print func()) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if _, ok := r.(Exit); ok {
			panic(r)
		}
		if x.v.Kind() == reflect.Pointer && x.v.IsNil() {
			p.text("<nil>")
			return
		}
		p.text("%!" + string(p.verb) + "(PANIC=" + method + " method: " + Sprint(Rec(r)) + ")")
	}()
	print()
}

// takesVerb reports whether fmt prints basic values of kind k with the verb.
func takesVerb(k reflect.Kind, verb rune) bool {
	verbs := "vbgGxXfFeE"
	switch {
	case k == reflect.Bool:
		verbs = "vt"
	case k == reflect.String:
		verbs = "vsxXq"
	case k >= reflect.Int && k <= reflect.Uintptr:
		verbs = "vdboOxXcqU"
	}
	return strings.ContainsRune(verbs, verb)
}

// badVerb prints a value that the verb is not for: %!d(main.Color=red).
func (p *printer) badVerb(x pair) {
	p.text("%!" + string(p.verb) + "(" + x.typeName() + "=")
	v := &printer{State: p.State, verb: 'v', erroring: true}
	v.value(x, 0)
	p.text(")")
}

// separate writes what stands between the parts of a composite.
func (p *printer) separate(i int) {
	switch {
	case i == 0:
	case p.sharp:
		p.text(", ")
	default:
		p.text(" ")
	}
}

func (p *printer) structure(x pair, depth int) {
	if p.sharp {
		p.text(x.typeName())
	}
	p.text("{")
	i := 0
	for name, field := range x.fields {
		p.separate(i)
		i++
		if p.plus || p.sharp {
			p.text(name + ":")
		}
		if field.v.Kind() == reflect.Interface && !field.v.IsNil() {
			field = field.inner()
		}
		p.value(field, depth+1)
	}
	p.text("}")
}

func (p *printer) mapping(x pair, depth int) {
	end := "]"
	switch {
	case p.sharp && x.v.IsNil():
		p.text(x.typeName() + "(nil)")
		return
	case p.sharp:
		p.text(x.typeName() + "{")
		end = "}"
	default:
		p.text("map[")
	}
	keys, values := x.entries()
	for i := range keys {
		p.separate(i)
		p.value(keys[i], depth+1)
		p.text(":")
		p.value(values[i], depth+1)
	}
	p.text(end)
}

func (p *printer) list(x pair, depth int) {
	if x.v.Type().Elem().Kind() == reflect.Uint8 && strings.ContainsRune("sqxX", p.verb) {
		if x.v.Kind() == reflect.Array && !x.v.CanAddr() {
			copied := reflect.New(x.v.Type()).Elem()
			copied.Set(x.v)
			x.v = copied
		}
		p.leaf(x.v.Bytes())
		return
	}
	end := "]"
	switch {
	case p.sharp && x.v.Kind() == reflect.Slice && x.v.IsNil():
		p.text(x.typeName() + "(nil)")
		return
	case p.sharp:
		p.text(x.typeName() + "{")
		end = "}"
	default:
		p.text("[")
	}
	for i := range x.v.Len() {
		p.separate(i)
		p.value(x.of(x.v.Index(i), x.elem()), depth+1)
	}
	p.text(end)
}

// pointer prints a pointer as the value it points to at the top, else as an address.
func (p *printer) pointer(x pair, depth int) {
	if depth == 0 && x.v.Kind() == reflect.Pointer && !x.v.IsNil() && x.d != nil {
		switch x.v.Elem().Kind() {
		case reflect.Array, reflect.Slice, reflect.Struct, reflect.Map:
			p.text("&")
			p.value(x.of(x.v.Elem(), x.elem()), depth+1)
			return
		}
	}
	address := x.v.Pointer()
	switch {
	case p.sharp:
		target := "nil"
		if address != 0 {
			target = fmt.Sprintf("%#x", address)
		}
		p.text("(" + x.typeName() + ")(" + target + ")")
	case p.verb == 'v' && address == 0:
		w, _ := p.Width()
		if p.Flag('-') {
			w = -w
		}
		fmt.Fprintf(p, "%*s", w, "<nil>")
	case strings.ContainsRune("vpbodxX", p.verb):
		p.leaf(reflect.ValueOf(x.v.UnsafePointer()).Interface())
	default:
		p.badVerb(x)
	}
}
