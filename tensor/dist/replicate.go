package dist

import (
	"reflect"
	"unsafe"

	"halfnote/tensor"
	"halfnote/tensor/nn"
)

// Replicate returns a module for each device: first m itself, then copies of it. A copy has the
// parameters of m where it is on their device, and else recorded copies, through which the
// gradients come back to m's. It has buffers (see nn.Buffers) of its own, and shares what holds
// neither tensors nor modules, such as a random generator.
//
// It panics with a [*tensor.Error] when devices is empty or a parameter is not on the first of
// them.
func Replicate(m nn.Module, devices []tensor.Device) []nn.Module {
	return replicate("replicate", m, devices)
}

func replicate(op string, m nn.Module, devices []tensor.Device) []nn.Module {
	if len(devices) == 0 {
		fail(op, "no devices: at least one must be given")
	}
	if len(devices) == 1 {
		checkHome(op, m, devices[0])
	}
	all := []nn.Module{m}
	for _, device := range devices[1:] {
		c := copier{home: devices[0], device: device, done: map[place]reflect.Value{}}
		in := reflect.ValueOf(&m).Elem()
		all = append(all, c.copy(in).Interface().(nn.Module))
		if c.strayed { // else not, as the walk sets names that other replicas may read
			checkHome(op, m, devices[0])
		}
	}
	return all
}

// A copier copies a module for a device. Each pointer, slice and map is copied once, so that what
// is shared inside stays shared, and cycles end.
type copier struct {
	home    tensor.Device // of the parameters
	device  tensor.Device
	done    map[place]reflect.Value
	strayed bool // a parameter is not at home
}

// A place is what a pointer, slice or map refers to.
type place struct {
	at  unsafe.Pointer
	n   int
	typ reflect.Type
}

func placeOf(v reflect.Value) place {
	p := place{at: v.UnsafePointer(), typ: v.Type()}
	if v.Kind() == reflect.Slice {
		p.n = v.Len()
	}
	return p
}

var (
	tensorPointer = reflect.TypeFor[*tensor.Tensor]()
	moduleType    = reflect.TypeFor[nn.Module]()
	trainerType   = reflect.TypeFor[interface{ Train(bool) }]()
)

// isModule reports whether values of type t, or pointers to them, behave like modules.
func isModule(t reflect.Type) bool {
	for _, t := range []reflect.Type{t, reflect.PointerTo(t)} {
		if t.Implements(moduleType) || t.Implements(trainerType) {
			return true
		}
	}
	return false
}

// holds reports whether there is a tensor or a module in v: only then is it copied.
func holds(v reflect.Value) bool { return reach{}.tensor(v) }

// A reach is the places that were looked at.
type reach map[place]bool

// tensor reports whether a tensor or module is to be found from v on.
func (r reach) tensor(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		if v.IsNil() {
			return false
		}
		if v.Type() == tensorPointer {
			return true
		}
		key := placeOf(v)
		if r[key] {
			return false
		}
		r[key] = true
		return r.within(v)
	case reflect.Interface, reflect.Struct, reflect.Array:
		return r.within(v)
	}
	return false
}

func (r reach) within(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return !v.IsNil() && r.tensor(v.Elem())
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if r.tensor(v.MapIndex(key)) {
				return true
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if k := v.Index(i); !composite(k.Kind()) {
				return false
			} else if r.tensor(k) {
				return true
			}
		}
	case reflect.Struct:
		if isModule(v.Type()) {
			return true
		}
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("nn") != "-" && r.tensor(v.Field(i)) {
				return true
			}
		}
	}
	return false
}

// composite reports whether values of a kind can hold tensors.
func composite(k reflect.Kind) bool {
	switch k {
	case reflect.Interface, reflect.Pointer, reflect.Struct,
		reflect.Slice, reflect.Array, reflect.Map:
		return true
	}
	return false
}

// copy returns v for the copier's device: v itself where it holds nothing to copy. A slice then
// loses the room behind its end, so that replicas may append to theirs at once.
func (c *copier) copy(v reflect.Value) reflect.Value {
	if !holds(v) {
		if v.Kind() == reflect.Slice {
			return v.Slice3(0, v.Len(), v.Len())
		}
		return v
	}
	switch v.Kind() {
	case reflect.Interface:
		out := reflect.New(v.Type()).Elem()
		out.Set(c.copy(v.Elem()))
		return out
	case reflect.Struct, reflect.Array:
		out := reflect.New(v.Type()).Elem()
		c.fill(out, v)
		return out
	}
	key := placeOf(v)
	if out, ok := c.done[key]; ok {
		return out
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type() == tensorPointer {
			out := reflect.ValueOf(c.tensor(v.Interface().(*tensor.Tensor)))
			c.done[key] = out
			return out
		}
		out := reflect.New(v.Type().Elem())
		c.done[key] = out
		c.fill(out.Elem(), v.Elem())
		return out
	case reflect.Slice:
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		c.done[key] = out
		c.fill(out, v)
		return out
	}
	out := reflect.MakeMapWithSize(v.Type(), v.Len())
	c.done[key] = out
	for _, k := range v.MapKeys() {
		out.SetMapIndex(k, c.copy(v.MapIndex(k)))
	}
	return out
}

// fill copies the fields or elements of v into those of out, which can be set.
func (c *copier) fill(out, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if !v.CanAddr() { // a copy, to reach unexported fields
			addressable := reflect.New(v.Type()).Elem()
			addressable.Set(v)
			v = addressable
		}
		out.Set(v)
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("nn") != "-" {
				field := open(v.Field(i))
				open(out.Field(i)).Set(c.copy(field))
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			out.Index(i).Set(c.copy(v.Index(i)))
		}
	default:
		out.Set(c.copy(v))
	}
}

// open lifts reflect's guard on an unexported field.
func open(field reflect.Value) reflect.Value {
	return reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem()
}

// tensor returns what the replica has in the place of t. What a recorded op returned, such as an
// activation kept in a field, is no state and is shared.
func (c *copier) tensor(t *tensor.Tensor) *tensor.Tensor {
	switch {
	case t.RequiresGrad() || t.IsFrozen() || !t.IsLeaf():
		c.strayed = c.strayed || t.Device() != c.home
		moved := t.To(c.device)
		if moved != t {
			moved.SetName(t.Name())
		}
		return moved
	default:
		return t.Detach().Clone().To(c.device).SetName(t.Name())
	}
}
