// Package simd computes on dense rows of float32 and 16-bit floats with the vector instructions of
// the processor. Each function has a plain Go twin, with the same name in lower case and Go behind
// it, and assembly for some of the [Path]s, which the generator in gen writes; accuracy.md has a
// table of how exact they are.
//
//	go generate ./tensor/internal/cpu/simd
//
// Rows may be of any length, lie at any address, and the output may be one of the inputs.
package simd

//go:generate go run ./gen
