// Package maphash is halfnote's source of the generic functions of Go's package hash/maphash.
package maphash

import "hash/maphash"

// Comparable returns the hash of v for a seed. Equal values have the same.
func Comparable[T comparable](seed maphash.Seed, v T) uint64 {
	return maphash.Comparable[any](seed, v)
}

// WriteComparable adds x to what h has hashed.
func WriteComparable[T comparable](h *maphash.Hash, x T) { maphash.WriteComparable[any](h, x) }
