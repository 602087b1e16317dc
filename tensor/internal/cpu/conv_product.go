package cpu

import (
	"halfnote/tensor/internal/cpu/gemm"
	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/device"
)

// A convolution and the gradient of its input are correlations: for each group the product of a
// matrix of weights, whose columns are the taps of all channels that are read, and of the patches
// that these taps meet, whose columns are places of a canvas. The matrix of patches never exists
// as a whole: it is read where it lies, see conv_wide.go, or one panel of it is packed at a time.

// A kernel is the elements of a weight with the distances between groups, written channels and read
// channels.
type kernel[T float] struct {
	values           []T
	dtype            device.DType // of the weight itself
	width            int
	group, out, read int
}

// line writes the weights of an output, those at some places of each channel that is read.
func (w *kernel[T]) line(dst []T, group, out int, places []int) {
	from := w.values[group*w.group+out*w.out:]
	for len(dst) > 0 {
		for j, p := range places {
			dst[j] = from[p]
		}
		if dst = dst[len(places):]; len(dst) > 0 {
			from = from[w.read:]
		}
	}
}

// The sizes of a tile and of a piece of parallel work. They depend on nothing but the shapes.
const (
	convPlaces = 1 << 10 // of a tile
	convRoom   = 1 << 18 // sums of a tile, and elements of its canvas
	convWork   = 1 << 19 // multiplications of a piece
	directOut  = 2       // up to so many channels are summed row by row, without panels
)

type correlation[T float] struct {
	*canvas[T]
	y       *device.Array
	groups  int
	in, out int   // channels of a group
	block   int   // channels that are read at a time
	where   []int // offsets of the taps of all of these
	weights []T   // [groups, out, weightPitch]
	pitchW  int
	bias    []T // of all channels of y, or none
}

// correlate computes the outputs of rows × cols of y from x, both dense.
func correlate[T float](y, x *device.Array, groups int, rows, cols *sweep, w *kernel[T], bias []T) {
	c := &correlation[T]{y: y, groups: groups, in: x.Shape[1] / groups, out: y.Shape[1] / groups,
		bias: bias}
	images := y.Shape[0]
	if images*rows.size*cols.size*c.out == 0 {
		return
	}
	paired := w.dtype == device.BFloat16 && fillVectors(c.out) && c.in%2 == 0 &&
		canPair[T](x, rows, cols)
	if paired {
		c.in /= 2
	}
	taps := len(rows.taps) * len(cols.taps)
	blocks := max(1, (c.in*taps+gemm.BlockK-1)/gemm.BlockK)
	c.block = max(1, (c.in+blocks-1)/blocks)
	c.canvas = newCanvas[T](x, rows, cols, min(convPlaces, convRoom/max(c.block, c.out)))
	if paired {
		c.pairChannels()
	}
	for i := range c.block {
		for _, off := range c.offsets {
			c.where = append(c.where, i*c.channel+off)
		}
	}
	if w, ok := any(w).(*kernel[float32]); ok && fillVectors(c.out) && c.steps() > 0 {
		c.wide(w)
		return
	}
	c.pack(w)
	c.split(c.pieces)
}

// steps returns the length of a sum.
func (c *correlation[T]) steps() int { return c.in * len(c.offsets) }

// split shares the tiles of all images and groups out.
func (c *correlation[T]) split(pieces func(lo, hi int)) {
	_, _, places := c.lines(0)
	grain := max(1, convWork/max(1, c.out*c.steps()*places))
	pool.Split(c.y.Shape[0]*c.groups*c.tiles(), grain, pieces)
}

// kernelPlaces returns where the taps are in a kernel of that width.
func (c *correlation[T]) kernelPlaces(width int) []int {
	places := make([]int, 0, len(c.offsets))
	for _, r := range c.rows.taps {
		for _, l := range c.cols.taps {
			places = append(places, r.at*width+l.at)
		}
	}
	return places
}

// pack copies the weights in the order of the taps.
func (c *correlation[T]) pack(w *kernel[T]) {
	k, places := c.steps(), c.kernelPlaces(w.width)
	c.pitchW = gemm.Pitch(k)
	c.weights = make([]T, c.groups*c.out*c.pitchW)
	pool.Split(c.groups*c.out, max(1, grainCheap/c.pitchW), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			w.line(c.weights[i*c.pitchW:][:k], i/c.out, i%c.out, places)
		}
	})
}

// pieces computes some of the tiles of all images and groups.
func (c *correlation[T]) pieces(lo, hi int) {
	taps, tiles := len(c.offsets), c.tiles()
	_, _, places := c.lines(0)
	width := gemm.Panels(places) * gemm.Panel
	room := newRoom[T](4, c.elements(c.block)+c.block*taps*gemm.Panel+c.out*width+width)
	defer room.release()
	cells := room.take(c.elements(c.block))
	clear(cells)
	panel := room.take(c.block * taps * gemm.Panel)
	sums, spare := room.take(c.out*width), room.take(width)
	for i := lo; i < hi; i++ {
		tile, g, image := i%tiles, i/tiles%c.groups, i/tiles/c.groups
		from, lines, places := c.lines(tile)
		if c.in*taps == 0 {
			clear(sums)
		}
		for ch := 0; ch < c.in && taps > 0; ch += c.block {
			n := min(c.block, c.in-ch)
			c.fill(cells, image, g*c.in+ch, n, from, lines)
			weights := c.weights[g*c.out*c.pitchW+ch*taps:]
			if c.out <= directOut {
				c.direct(sums, width, cells, weights, n, places, ch > 0)
			} else {
				c.multiply(sums, width, cells, panel, weights, n, places, ch > 0)
			}
		}
		for o := range c.out {
			line := sums[o*width:][:places]
			if c.bias != nil {
				unaryRow(device.AddP, line, line, float64(c.bias[g*c.out+o]))
			}
			c.store(line, c.pitch, spare, image, g*c.out+o, from, lines)
		}
	}
}

// multiply computes sums from the cells of n channels, a panel of places at a time.
func (c *correlation[T]) multiply(sums []T, width int, cells, panel, weights []T, n, places int,
	add bool) {
	for p := 0; p < places; p += gemm.Panel {
		packTaps(panel, cells[p:], c.where[:n*len(c.offsets)])
		multiplyBlock(sums[p:], width, weights, c.pitchW, 1, panel, c.out,
			min(gemm.Panel, places-p), n*len(c.offsets), add)
	}
}

// direct does the same for few outputs, by adding the cells of each tap.
func (c *correlation[T]) direct(sums []T, width int, cells, weights []T, n, places int, add bool) {
	for o := range c.out {
		line, w := sums[o*width:][:places], weights[o*c.pitchW:]
		if !add {
			clear(line)
		}
		for i := range n {
			at := cells[i*c.channel:]
			for t, off := range c.offsets {
				axpy(line, line, at[off:off+places], w[i*len(c.offsets)+t])
			}
		}
	}
}

// store rounds the sums of a channel of a tile, whose rows begin pitch apart, to y. spare is for
// as many.
func (c *correlation[T]) store(sums []T, pitch int, spare []T, image, o, from, lines int) {
	height, width := c.y.Shape[2], c.y.Shape[3]
	n, stepY := c.cols.size, c.rows.step*width
	off := c.y.Offset + (image*c.y.Shape[1]+o)*height*width + c.cols.first +
		(c.rows.first+from*c.rows.step)*width
	switch {
	case c.cols.step != 1 || n != stepY && c.y.DType != dtypeOf[T]():
		for r := range lines {
			store(c.y, off+r*stepY, c.cols.step, sums[r*pitch:][:n])
		}
	case c.y.DType == dtypeOf[T]():
		from := denseArray(sums, nil)
		loadRows(elems[T](c.y, off, 1, (lines-1)*stepY+n), stepY, &from, 0, pitch, n, lines)
	case n == pitch:
		store(c.y, off, 1, sums[:lines*n])
	default:
		from := denseArray(sums, nil)
		loadRows(spare, n, &from, 0, pitch, n, lines)
		store(c.y, off, 1, spare[:lines*n])
	}
}
