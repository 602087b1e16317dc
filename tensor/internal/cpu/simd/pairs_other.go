//go:build !amd64

package simd

import "unsafe"

func kernelPairs(rows, cols, k int, a unsafe.Pointer, rowA, colA int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool) {
	panic("simd: no products of pairs")
}

func packPairs(dst *float32, src unsafe.Pointer, rowSrc, k int) bool { return false }

func interleave(dst []uint32, lo, hi []uint16) int { return 0 }
