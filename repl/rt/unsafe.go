package rt

// This file implements the functions of package unsafe.

import (
	"math/bits"
	"reflect"
	"unsafe"
)

// UnsafeAdd is unsafe.Add.
func UnsafeAdd(p unsafe.Pointer, n int) unsafe.Pointer { return unsafe.Add(p, n) }

// UnsafeString is unsafe.String.
func UnsafeString(p *byte, n int) string { return unsafe.String(p, n) }

// StringData is unsafe.StringData.
func StringData(s string) *byte { return unsafe.StringData(s) }

// SliceData is unsafe.SliceData of any slice.
func SliceData(slice any) any {
	v := reflect.ValueOf(slice)
	return reflect.NewAt(v.Type().Elem(), v.UnsafePointer()).Interface()
}

// UnsafeSlice is unsafe.Slice of any pointer.
func UnsafeSlice(ptr any, n int) any {
	v := reflect.ValueOf(ptr)
	elem, p := v.Type().Elem(), v.UnsafePointer()
	over, size := bits.Mul64(uint64(elem.Size()), uint64(n))
	switch {
	case n < 0, p != nil && (over > 0 || size > -uint64(uintptr(p))):
		panic(Error("unsafe.Slice: len out of range"))
	case p == nil && n > 0:
		panic(Error("unsafe.Slice: ptr is nil and len is not zero"))
	}
	slice := reflect.New(reflect.SliceOf(elem))
	if p != nil {
		*(*sliceHeader)(slice.UnsafePointer()) = sliceHeader{p, n, n}
	}
	return slice.Elem().Interface()
}

type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}
