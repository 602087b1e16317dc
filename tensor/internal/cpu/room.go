package cpu

import (
	"unsafe"

	"halfnote/tensor/internal/cpu/heap"
)

// This file has the memory that ops need while they compute.

// A room is memory for what an op packs and sums up. It is to be released.
type room[T number] struct {
	left   []T
	buffer *heap.Buffer
}

// newRoom returns a room for a number of slices of so many elements together.
func newRoom[T number](slices, elements int) room[T] {
	n := elements + slices*16
	b := heap.NewBuffer(n * int(unsafe.Sizeof(*new(T))) / 4)
	return room[T]{unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b.Floats))), n), b}
}

// take returns n elements with any contents, which begin where a cache line does.
func (r *room[T]) take(n int) []T {
	taken := r.left[:n:n]
	r.left = r.left[(n+15)&^15:]
	return taken
}

func (r room[T]) release() {
	if r.buffer != nil {
		r.buffer.Release()
	}
}

// A piece says how many float32 a slice should have.
type piece struct {
	slice *[]float32
	n     int
}

// carve takes all pieces from one room.
func carve(pieces ...piece) room[float32] {
	total := 0
	for _, p := range pieces {
		total += p.n
	}
	r := newRoom[float32](len(pieces), total)
	for _, p := range pieces {
		*p.slice = r.take(p.n)
	}
	return r
}
