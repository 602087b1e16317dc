package cpu

import (
	"unsafe"

	"halfnote/tensor/internal/cpu/gemm"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// A canvas is how the elements that a tile of outputs reads are laid out: in the type that is
// computed in, cut into phases, with zeros around them, one channel behind the other. The outputs
// are laid out in the same distances, with a few places without meaning at the end of each
// row: tap t of output place p then is element offsets[t]+p, and no patches need to be put together
// element by element.
//
// The zeros behind a row are also those in front of the next one. Of bfloat16, neighbouring channels
// or images may be laid out as one, in pairs of their elements; what counts them then counts pairs.
type canvas[T float] struct {
	rows, cols *sweep
	x          *device.Array // dense [N, C, H, W]
	image      int           // from image to image in x
	plane      int           // from channel to channel
	partner    int           // from an element to the other one of its pair, 0 without pairs
	tile       int           // rows of outputs, at most
	lead       int           // zeros in front of a plane
	pitch      int           // from row to row, of outputs too
	height     int           // rows of a plane
	channel    int           // elements of a channel
	offsets    []int         // by tap, row by row

	rowPhases, colPhases []int
}

// newCanvas lays out tiles of as many rows as make about the given number of places.
func newCanvas[T float](x *device.Array, rows, cols *sweep, places int) *canvas[T] {
	area := x.Shape[2] * x.Shape[3]
	c := &canvas[T]{x: x, rows: rows, cols: cols, image: x.Shape[1] * area, plane: area,
		rowPhases: rows.phases(), colPhases: cols.phases()}
	c.lead = max(0, -cols.lo)
	right := max(0, cols.hi+cols.size-cols.length())
	c.pitch = max(cols.length()+max(c.lead, right), cols.size)
	c.tile = max(1, min(rows.size, places/max(1, c.pitch)))
	c.height = c.tile + rows.hi - rows.lo
	plane := c.lead + c.height*c.pitch
	c.channel = len(c.rowPhases) * len(c.colPhases) * plane
	if c.channel%256 == 0 {
		c.channel += 16 // channels are read together, and must not meet in the cache
	}
	at := func(phases []int, phase int) int {
		for i, p := range phases {
			if p == phase {
				return i
			}
		}
		return -1
	}
	for _, r := range rows.taps {
		for _, l := range cols.taps {
			i := at(c.rowPhases, r.phase)*len(c.colPhases) + at(c.colPhases, l.phase)
			c.offsets = append(c.offsets, i*plane+c.lead+(r.base-rows.lo)*c.pitch+l.base)
		}
	}
	return c
}

// canPair reports whether pairs can be laid out and multiplied.
func canPair[T float](x *device.Array, rows, cols *sweep) bool {
	return x.DType == device.BFloat16 && dtypeOf[T]() == device.Float32 && simd.HasPairs() &&
		rows.split*cols.split == 1
}

// pairChannels lays neighbouring channels out as one.
func (c *canvas[T]) pairChannels() { c.partner, c.plane = c.plane, 2*c.plane }

// pairImages lays neighbouring images out as one.
func (c *canvas[T]) pairImages() { c.partner, c.image = c.image, 2*c.image }

// tiles returns the number of tiles.
func (c *canvas[T]) tiles() int { return (c.rows.size + c.tile - 1) / c.tile }

// lines returns the rows of outputs of a tile, and the number of places that they take.
func (c *canvas[T]) lines(tile int) (from, n, places int) {
	from = tile * c.tile
	n = min(c.tile, c.rows.size-from)
	return from, n, (n-1)*c.pitch + c.cols.size
}

// elements returns the elements of so many channels, with what a last panel reads behind them.
func (c *canvas[T]) elements(channels int) int { return channels*c.channel + gemm.Panel }

// fill writes n channels from ch on of an image, as n lines of outputs from line from on read them,
// to dst. What lies between the rows is left as it is: zeros.
func (c *canvas[T]) fill(dst []T, image, ch, n, from, lines int) {
	width := c.x.Shape[3]
	lines += c.rows.hi - c.rows.lo
	for i := range n {
		plane := c.x.Offset + image*c.image + (ch+i)*c.plane
		at := i*c.channel + c.lead
		for _, rp := range c.rowPhases {
			for _, cp := range c.colPhases {
				c.fillPlane(dst[at:], plane+cp, rp, width-cp, from+c.rows.lo, lines)
				at += c.lead + c.height*c.pitch
			}
		}
	}
}

// fillPlane writes lines of one phase of a plane, the first of which is number from.
func (c *canvas[T]) fillPlane(dst []T, off, phase, width, from, lines int) {
	split := c.cols.split
	n := max(0, (width+split-1)/split)
	row := func(r int) int { return (from+r)*c.rows.split + phase }
	first, end := 0, lines // those that are in the plane
	for ; first < end && row(first) < 0; first++ {
		clear(dst[first*c.pitch:][:n])
	}
	for ; end > first && row(end-1) >= c.rows.n; end-- {
		clear(dst[(end-1)*c.pitch:][:n])
	}
	if first == end {
		return
	}
	stepX := c.x.Shape[3]
	if c.partner != 0 {
		loadPairs(dst[first*c.pitch:], c.pitch, c.x, off+row(first)*stepX, stepX, n, end-first,
			c.partner)
		return
	}
	if split == 1 && c.rows.split == 1 {
		loadRows(dst[first*c.pitch:], c.pitch, c.x, off+row(first)*stepX, n, n, end-first)
		return
	}
	for r := first; r < end; r++ {
		load(dst[r*c.pitch:][:n], c.x, off+row(r)*stepX, split)
	}
}

// loadRows converts rows of n elements, which begin step apart from off on, to rows that begin
// pitch apart in dst, and leaves what is between these.
func loadRows[T float](dst []T, pitch int, x *device.Array, off, step, n, rows int) {
	if n == pitch && n == step {
		load(dst[:rows*n], x, off, 1)
		return
	}
	if dst, ok := single(dst); ok && isFloat(x) {
		size := x.DType.Size()
		simd.LoadRows(dst, pitch, gemm.Elem(x.DType), unsafe.Add(x.Data, off*size), step*size, n, rows)
		return
	}
	for r := range rows {
		load(dst[r*pitch:][:n], x, off+r*step, 1)
	}
}

// loadPairs is loadRows for pairs of bfloat16, which lie partner apart.
func loadPairs[T float](dst []T, pitch int, x *device.Array, off, step, n, rows, partner int) {
	to, _ := single(dst)
	simd.LoadPairRows(to, pitch, unsafe.Add(x.Data, 2*off), 2*step, n, rows, 2*partner)
}
