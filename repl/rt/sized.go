package rt

// This file implements compiled functions that make something as large as they are told: Go would
// end the process where the machine has not that much memory.

import (
	"image"
	"reflect"
	"strings"
)

// A size tells how many bytes are made for such arguments.
type size = func(args []reflect.Value) float64

// sizedMethods are those of compiled types, with the receiver as the first argument.
var sizedMethods = map[string]size{
	"*big.Int.Lsh":          each(2, 1./8),
	"*big.Int.SetBit":       each(2, 1./8),
	"*bytes.Buffer.Grow":    each(1, 1),
	"*rand.Rand.Perm":       each(1, 8),
	"*strings.Builder.Grow": each(1, 1),
	"reflect.Value.Grow":    elements(1),
}

// sizedFunctions are those of compiled packages.
var sizedFunctions = map[string]size{
	"bufio.NewReaderSize":     each(1, 1),
	"bufio.NewWriterSize":     each(1, 1),
	"bytes.Repeat":            times,
	"container/ring.New":      each(0, 32),
	"image.NewAlpha":          pixels(1),
	"image.NewAlpha16":        pixels(2),
	"image.NewCMYK":           pixels(4),
	"image.NewGray":           pixels(1),
	"image.NewGray16":         pixels(2),
	"image.NewNRGBA":          pixels(4),
	"image.NewNRGBA64":        pixels(8),
	"image.NewNYCbCrA":        pixels(2),
	"image.NewPaletted":       pixels(1),
	"image.NewRGBA":           pixels(4),
	"image.NewRGBA64":         pixels(8),
	"image.NewYCbCr":          pixels(1),
	"math/rand.Perm":          each(0, 8),
	"math/rand/v2.Perm":       each(0, 8),
	"reflect.MakeChan":        elements(1),
	"reflect.MakeMapWithSize": elements(1),
	"reflect.MakeSlice":       elements(2),
	"reflect.New":             whole,
	"reflect.Zero":            whole,
	"strings.Repeat":          times,

	"gonum.org/v1/gonum/mat.NewDense":    each(0, 8, 1),
	"gonum.org/v1/gonum/mat.NewCDense":   each(0, 16, 1),
	"gonum.org/v1/gonum/mat.NewSymDense": each(0, 8, 0),
	"gonum.org/v1/gonum/mat.NewTriDense": each(0, 8, 0),
	"gonum.org/v1/gonum/mat.NewVecDense": each(0, 8),
}

var floatType = reflect.TypeFor[float64]()

// each is for so many bytes, as often as the i-th argument says, and as the others say.
func each(i int, bytes float64, others ...int) size {
	return func(args []reflect.Value) float64 {
		n := bytes
		for _, i := range append(others, i) {
			n *= max(0, args[i].Convert(floatType).Float())
		}
		return n
	}
}

// times is for copies of the first argument.
func times(args []reflect.Value) float64 {
	return float64(args[0].Len()) * float64(args[1].Int())
}

// elements is for as many elements as the i-th argument says, of the first one, a type or a value.
func elements(i int) size {
	return func(args []reflect.Value) float64 {
		t := typeIn(args[0])
		if t == nil {
			return 0
		}
		bytes := 0.
		switch t.Kind() {
		case reflect.Map:
			bytes = float64(t.Key().Size()+t.Elem().Size()) + 1
		case reflect.Slice, reflect.Chan:
			bytes = float64(t.Elem().Size())
		}
		return bytes * float64(args[i].Int())
	}
}

// whole is for a value of the type that is the first argument.
func whole(args []reflect.Value) float64 {
	if t := typeIn(args[0]); t != nil {
		return float64(t.Size())
	}
	return 0
}

// typeIn returns the type that v holds, or that of the value that it holds.
func typeIn(v reflect.Value) reflect.Type {
	switch x := v.Interface().(type) {
	case reflect.Type:
		return x
	case reflect.Value:
		if x.IsValid() {
			return x.Type()
		}
	}
	return nil
}

// pixels is for a picture of the size that the first argument says.
func pixels(bytes float64) size {
	return func(args []reflect.Value) float64 {
		r := args[0].Interface().(image.Rectangle)
		return bytes * float64(r.Dx()) * float64(r.Dy())
	}
}

// withSize returns f with a look at the size first. What is more than any process can have is left
// to f, which says so.
func withSize(name string, size size, f reflect.Value) reflect.Value {
	name = strings.TrimPrefix(name[strings.LastIndexByte(name, '/')+1:], "*")
	return reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
		if bytes := size(args); bytes <= mostSize {
			affordable(name, bytes)
		}
		return call(f, args)
	})
}
