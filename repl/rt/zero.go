package rt

import (
	"math"
	"reflect"
)

// This file hides negative zeros from the interpreter, which passes none to a function, in NaNs
// with a mark. Go's own operations make no such NaN.

const (
	mark64 = 0x7ff9_6ad7_2000_0000 // as a float32 it is mark32, and the other way around
	mark32 = 0x7fcb_56b9
	sign64 = 1 << 63
)

// zeroFuncs are the names of the functions that hide negative zeros of a type and show them again.
var zeroFuncs = map[reflect.Type][2]string{
	reflect.TypeFor[float32]():    {"HideFloat32", "ShowFloat32"},
	reflect.TypeFor[float64]():    {"HideFloat64", "ShowFloat64"},
	reflect.TypeFor[complex64]():  {"HideComplex64", "ShowComplex64"},
	reflect.TypeFor[complex128](): {"HideComplex128", "ShowComplex128"},
}

// ZeroFuncs returns the names of the functions that hide negative zeros of type t and show them
// again, or "".
func ZeroFuncs(t reflect.Type) (hide, show string) {
	names := zeroFuncs[t]
	return names[0], names[1]
}

var zeroSymbols = map[string]any{
	"HideFloat64": hide, "ShowFloat64": show,
	"HideFloat32": func(x float32) float32 { return narrow(hide(float64(x))) },
	"ShowFloat32": func(x float32) float32 {
		if math.Float32bits(x) == mark32 {
			return float32(math.Copysign(0, -1))
		}
		return x
	},
	"HideComplex128": hideComplex, "ShowComplex128": showComplex,
	"HideComplex64": func(z complex64) complex64 {
		w := hideComplex(complex128(z))
		return complex(narrow(real(w)), float32(imag(w)))
	},
	"ShowComplex64": func(z complex64) complex64 { return complex64(showComplex(complex128(z))) },
}

// hide returns x, or the mark for -0.
func hide(x float64) float64 {
	if math.Float64bits(x) == sign64 {
		return math.Float64frombits(mark64)
	}
	return x
}

// show returns x, or -0 for the mark.
func show(x float64) float64 {
	if math.Float64bits(x) == mark64 {
		return math.Copysign(0, -1)
	}
	return x
}

// narrow returns x, or the mark, as a float32.
func narrow(x float64) float32 {
	if math.Float64bits(x) == mark64 {
		return math.Float32frombits(mark32)
	}
	return float32(x)
}

// hideComplex returns z, which is 0, with the mark in its real part if a part is -0. The mark has
// the sign of the real part.
func hideComplex(z complex128) complex128 {
	if !math.Signbit(real(z)) && !math.Signbit(imag(z)) {
		return z
	}
	return complex(math.Copysign(math.Float64frombits(mark64), real(z)), imag(z))
}

// showComplex returns z with 0, of the sign of the mark, in place of the mark.
func showComplex(z complex128) complex128 {
	if math.Float64bits(real(z))&^sign64 != mark64 {
		return z
	}
	return complex(math.Copysign(0, real(z)), imag(z))
}
