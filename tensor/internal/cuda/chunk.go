//go:build cuda

package cuda

import (
	"math/bits"
)

// A chunk is a part of a segment, the memory that came with one call of the driver. Chunks are split
// for what needs less, and joined again when both halves are idle.
type chunk struct {
	address    uint64
	size       int
	prev, next *chunk // its neighbours in the segment
	bins       *bins  // where it belongs
	idle       bool
	at         int // in its bin, while it is idle
}

const (
	unit = 512 // bytes of which chunks have a multiple, as vectors want addresses of multiples

	// As PyTorch's allocator has it: small memory comes from segments of its own, so that it does not
	// cut up what large memory is made of, and what is left of a segment is kept for more of the kind.
	small        = 1 << 20
	smallSegment = 2 << 20
	mediumLimit  = 10 << 20
	largeSegment = 20 << 20
	largeUnit    = 2 << 20
)

// bins hold the idle chunks of one stream, small or large, in lists by size: eight lists between a
// power of two and the next.
type bins struct {
	stream *stream
	rest   int // bytes that are worth to be split off
	lists  [256][]*chunk
	used   [4]uint64 // which lists have chunks, by bit
}

// bin numbers the list for chunks of that size.
func bin(size int) int {
	u := uint(size / unit)
	if u < 8 {
		return int(u)
	}
	e := bits.Len(u) - 4
	return e*8 + int(u>>e)
}

// put adds an idle chunk.
func (b *bins) put(c *chunk) {
	i := bin(c.size)
	c.idle, c.at = true, len(b.lists[i])
	b.lists[i] = append(b.lists[i], c)
	b.used[i/64] |= 1 << (i % 64)
}

// remove takes a chunk out of its list.
func (b *bins) remove(c *chunk) {
	i := bin(c.size)
	list := b.lists[i]
	last := len(list) - 1
	list[c.at] = list[last]
	list[c.at].at = c.at
	list[last] = nil
	b.lists[i] = list[:last]
	if last == 0 {
		b.used[i/64] &^= 1 << (i % 64)
	}
	c.idle = false
}

// find takes the least chunk of those with room for size, as far as looking for it is cheap, and leaves
// what is too much of it. It returns nil where there is none.
func (b *bins) find(size int) *chunk {
	const looks = 32
	var best *chunk
	first := bin(size)
	list := b.lists[first]
	for i := len(list) - 1; i >= max(0, len(list)-looks); i-- { // the last ones were used last
		if c := list[i]; c.size >= size && (best == nil || c.size < best.size) {
			if best = c; c.size == size {
				break
			}
		}
	}
	if best == nil {
		i := b.after(first)
		if i < 0 {
			return nil
		}
		list := b.lists[i]
		best = list[len(list)-1]
		for j := len(list) - 1; j >= max(0, len(list)-looks); j-- {
			if list[j].size < best.size {
				best = list[j]
			}
		}
	}
	b.remove(best)
	b.split(best, size)
	return best
}

// after returns the first list after the i-th that has chunks, or -1.
func (b *bins) after(i int) int {
	i++
	for w := i / 64; w < len(b.used); w++ {
		word := b.used[w]
		if w == i/64 {
			word &= ^uint64(0) << (i % 64)
		}
		if word != 0 {
			return w*64 + bits.TrailingZeros64(word)
		}
	}
	return -1
}

// split cuts what c has more than size off, where that is worth it.
func (b *bins) split(c *chunk, size int) {
	if c.size-size < b.rest {
		return
	}
	rest := &chunk{address: c.address + uint64(size), size: c.size - size, prev: c, next: c.next, bins: b}
	if c.next != nil {
		c.next.prev = rest
	}
	c.next, c.size = rest, size
	b.put(rest)
}

// give takes back a chunk, and joins it with idle neighbours.
func (b *bins) give(c *chunk) {
	if n := c.next; n != nil && n.idle {
		b.remove(n)
		c.size += n.size
		if c.next = n.next; c.next != nil {
			c.next.prev = c
		}
	}
	if p := c.prev; p != nil && p.idle {
		b.remove(p)
		p.size += c.size
		if p.next = c.next; p.next != nil {
			p.next.prev = p
		}
		c = p
	}
	b.put(c)
}

// whole takes all chunks that are whole segments.
func (b *bins) whole() []*chunk {
	var all []*chunk
	for i := range b.lists {
		for j := len(b.lists[i]) - 1; j >= 0; j-- {
			if c := b.lists[i][j]; c.prev == nil && c.next == nil {
				b.remove(c)
				all = append(all, c)
			}
		}
	}
	return all
}

// segmentFor returns the size of the segment from which that much is taken.
func segmentFor(size int) int {
	switch {
	case size <= small:
		return smallSegment
	case size < mediumLimit:
		return largeSegment
	}
	return (size + largeUnit - 1) / largeUnit * largeUnit
}
