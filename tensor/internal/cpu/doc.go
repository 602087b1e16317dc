// Package cpu computes the primitive ops of package device on all cores.
//
// An op walks its arrays in rows of elements that lie at equal distances (loop.go). Rows that are
// dense and already of the type computed in are used in place; the others go through small buffers
// of that type (elem.go). A row of float32 goes to a kernel of package simd where it has one
// (single.go says which), and so do 16-bit floats as they lie (short.go), or else as float32;
// float64, int64 and the rest are plain Go loops. Products of matrices, and the convolutions and
// attention made of them, go to package gemm; those of float64 and int64 stay here
// (matmul_plain.go).
//
// Large arrays are cut into pieces that package pool shares out (grain.go); the pieces do not
// depend on the number of workers, so results repeat bit for bit. Memory is package heap's.
//
// What is declared in a file of package device is computed in files of like names here, and tested
// through package tensor.
package cpu
