package tensor

import (
	"math"
	"reflect"
)

// New returns a tensor of the elements in data: a number, or slices or arrays of numbers nested to
// any depth, all of one length on each level. Without a dtype the elements keep Go's own type:
// float32 gives Float32, float64 Float64, Half Float16, BFloat BFloat16, bool Bool, and every
// integer Int64; where an []any mixes them, the type that ops on them have. It panics where lengths
// differ, an element is no number, or an integer is too large for Int64.
func New(data any, dtype ...DType) *Tensor {
	d := oneDType("new", dtype)
	switch v := data.(type) {
	case []float64:
		return FromFloat64(v, len(v)).orTo(d)
	case []float32:
		return FromFloat32(v, len(v)).orTo(d)
	case []int64:
		return FromInt64(v, len(v)).orTo(d)
	}
	r := reflect.ValueOf(data)
	shape := nestedShape(r)
	native, ok := elementDType(elementType(r))
	if !ok {
		fail("new", "%T holds no numbers", data)
	}
	n := checkShape("new", shape)
	if mixed(r.Type()) {
		flatten(r, shape, func(e reflect.Value) {
			d, ok := elementDType(e.Type())
			if !ok {
				fail("new", "a %s is no number", e.Type())
			}
			native = promote(native, d)
		})
	}
	switch native {
	case Int64, Bool:
		values := make([]int64, 0, n)
		flatten(r, shape, func(e reflect.Value) { values = append(values, integer(e)) })
		return FromInt64(values, shape...).orTo(native).orTo(d)
	default:
		values := make([]float64, 0, n)
		flatten(r, shape, func(e reflect.Value) { values = append(values, floatValue(e)) })
		if d == 0 {
			d = native
		}
		return FromFloat64(values, shape...).orTo(d)
	}
}

// orTo returns t converted to d, or t where d is 0.
func (t *Tensor) orTo(d DType) *Tensor {
	if d == 0 {
		return t
	}
	return t.toDType(d)
}

// nestedShape returns the lengths along the first elements.
func nestedShape(r reflect.Value) []int {
	shape := []int{}
	for {
		r = open(r)
		if !r.IsValid() || r.Kind() != reflect.Slice && r.Kind() != reflect.Array {
			return shape
		}
		shape = append(shape, r.Len())
		if r.Len() == 0 {
			return shape
		}
		r = r.Index(0)
	}
}

// open returns what an interface value holds.
func open(r reflect.Value) reflect.Value {
	for r.IsValid() && r.Kind() == reflect.Interface {
		r = r.Elem()
	}
	return r
}

// elementType returns the type of the innermost elements, or nil.
func elementType(r reflect.Value) reflect.Type {
	r = open(r)
	if !r.IsValid() {
		return nil
	}
	t := r.Type()
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		if r.IsValid() && r.Len() > 0 {
			r = open(r.Index(0))
			if !r.IsValid() {
				return nil
			}
			t = r.Type()
			continue
		}
		r, t = reflect.Value{}, t.Elem()
	}
	return t
}

// mixed reports whether elements in a t may have several types.
func mixed(t reflect.Type) bool {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		t = t.Elem()
	}
	return t.Kind() == reflect.Interface
}

var (
	halfType   = reflect.TypeFor[Half]()
	bfloatType = reflect.TypeFor[BFloat]()
)

func elementDType(t reflect.Type) (DType, bool) {
	switch {
	case t == nil:
		return 0, false
	case t == halfType:
		return Float16, true
	case t == bfloatType:
		return BFloat16, true
	}
	switch k := t.Kind(); {
	case k == reflect.Float64:
		return Float64, true
	case k == reflect.Float32:
		return Float32, true
	case k == reflect.Bool:
		return Bool, true
	case k >= reflect.Int && k <= reflect.Uint64:
		return Int64, true
	}
	return 0, false
}

// flatten visits the innermost elements in order and checks the lengths on the way.
func flatten(r reflect.Value, shape []int, visit func(reflect.Value)) {
	r = open(r)
	nested := r.IsValid() && (r.Kind() == reflect.Slice || r.Kind() == reflect.Array)
	switch {
	case len(shape) == 0 && !nested && r.IsValid():
		visit(r)
	case len(shape) == 0 || !nested:
		fail("new", "the nesting is not equally deep everywhere")
	case r.Len() != shape[0]:
		fail("new", "slices of lengths %d and %d on one level", shape[0], r.Len())
	default:
		for i := range r.Len() {
			flatten(r.Index(i), shape[1:], visit)
		}
	}
}

func integer(r reflect.Value) int64 {
	switch {
	case r.Kind() == reflect.Bool && r.Bool():
		return 1
	case r.Kind() == reflect.Bool:
		return 0
	case r.CanInt():
		return r.Int()
	case r.CanUint():
		if r.Uint() > math.MaxInt64 {
			fail("new", "%d is too large for int64; convert it to float64", r.Uint())
		}
		return int64(r.Uint())
	}
	return int64(floatValue(r))
}

func floatValue(r reflect.Value) float64 {
	switch {
	case r.Type() == halfType:
		return float64(Half(r.Uint()).Float32())
	case r.Type() == bfloatType:
		return float64(BFloat(r.Uint()).Float32())
	case r.CanFloat():
		return r.Float()
	case r.CanInt() || r.CanUint() || r.Kind() == reflect.Bool:
		return float64(integer(r))
	}
	fail("new", "a %s is no number", r.Type())
	return 0
}

// numberOf returns v as a number where it is one, and whether its Go type has whole numbers only.
func numberOf(v any) (number float64, whole, ok bool) {
	r := reflect.ValueOf(v)
	if !r.IsValid() {
		return 0, false, false
	}
	d, ok := elementDType(r.Type())
	if !ok {
		return 0, false, false
	}
	return floatValue(r), !d.IsFloat(), true
}

// fromSlice returns a tensor with a copy of data on the default device.
func fromSlice[S any](op string, data []S, dtype DType, shape []int) *Tensor {
	return copied(op, created(op), data, dtype, shape)
}

// int64s returns an Int64 tensor with a copy of data on d.
func (d Device) int64s(data []int64, shape ...int) *Tensor {
	return copied("from_int64", d, data, Int64, shape)
}

func copied[S any](op string, d Device, data []S, dtype DType, shape []int) *Tensor {
	if n := checkShape(op, shape); n != len(data) {
		fail(op, "%d elements do not fill shape %v, which has %d", len(data), shape, n)
	}
	out := empty(op, d, dtype, shape)
	if len(data) > 0 {
		src := hostArray(data, dtype, shape)
		out.backend(op).FromHost(&out.arr, &src)
	}
	return out
}

// FromFloat32 returns a Float32 tensor with a copy of data in row-major order.
func FromFloat32(data []float32, shape ...int) *Tensor {
	return fromSlice("from_float32", data, Float32, shape)
}

// FromFloat64 returns a Float64 tensor with a copy of data in row-major order.
func FromFloat64(data []float64, shape ...int) *Tensor {
	return fromSlice("from_float64", data, Float64, shape)
}

// FromInt64 returns an Int64 tensor with a copy of data in row-major order.
func FromInt64(data []int64, shape ...int) *Tensor {
	return fromSlice("from_int64", data, Int64, shape)
}

// FromBool returns a Bool tensor with a copy of data in row-major order.
func FromBool(data []bool, shape ...int) *Tensor {
	return fromSlice("from_bool", data, Bool, shape)
}

// FromHalf returns a Float16 tensor with a copy of data in row-major order.
func FromHalf(data []Half, shape ...int) *Tensor {
	return fromSlice("from_half", data, Float16, shape)
}

// FromBFloat returns a BFloat16 tensor with a copy of data in row-major order.
func FromBFloat(data []BFloat, shape ...int) *Tensor {
	return fromSlice("from_bfloat", data, BFloat16, shape)
}

// Zeros returns a Float32 tensor of zeros; without sizes it is a single number.
func Zeros(shape ...int) *Tensor { return zeros("zeros", created("zeros"), Float32, shape) }

// Ones returns a Float32 tensor of ones.
func Ones(shape ...int) *Tensor { return every("ones", 1, shape) }

// Full returns a Float32 tensor of which every element is v.
func Full(v float64, shape ...int) *Tensor { return every("full", v, shape) }

// every returns a new tensor whose elements are all v.
func every(op string, v float64, shape []int) *Tensor {
	out := empty(op, created(op), Float32, shape)
	out.backend(op).Fill(&out.arr, v)
	return out
}

// ZerosLike returns zeros in the shape, dtype and device of t.
func ZerosLike(t *Tensor) *Tensor {
	given("zeros_like", t)
	return zeros("zeros_like", t.Device(), t.DType(), t.arr.Shape)
}

// OnesLike returns ones in the shape, dtype and device of t.
func OnesLike(t *Tensor) *Tensor {
	given("ones_like", t)
	out := empty("ones_like", t.Device(), t.DType(), t.arr.Shape)
	out.backend("ones_like").Fill(&out.arr, 1)
	return out
}

// Arange returns the Float32 numbers 0, 1, … below bounds[0]; with two bounds those from the first
// up to the second, and with three in steps of the third.
func Arange(bounds ...float64) *Tensor {
	from, to, step := 0.0, 0.0, 1.0
	switch len(bounds) {
	case 1:
		to = bounds[0]
	case 2:
		from, to = bounds[0], bounds[1]
	case 3:
		from, to, step = bounds[0], bounds[1], bounds[2]
	default:
		fail("arange", "%d bounds given; it takes an end, or start and end, or start, end and step",
			len(bounds))
	}
	n := math.Ceil((to - from) / step)
	switch {
	case step == 0 || math.IsInf(n, 1) || math.IsNaN(n):
		fail("arange", "steps of %v from %v to %v never end", step, from, to)
	case n > math.MaxInt32:
		fail("arange", "%.0f steps of %v from %v to %v are too many", n, step, from, to)
	}
	values := make([]float32, max(0, int(n)))
	for i := range values {
		values[i] = float32(from + float64(i)*step)
	}
	return FromFloat32(values, len(values))
}

// Eye returns the n×n Float32 identity matrix.
func Eye(n int) *Tensor {
	out := Zeros(n, n)
	diagonal := out.alias(1)
	diagonal.arr.Shape[0], diagonal.arr.Strides[0] = n, n+1
	diagonal.FillInPlace(1)
	out.store.version.Store(0)
	return out
}
