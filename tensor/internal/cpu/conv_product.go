package cpu

import (
	"halfnote/tensor/internal/cpu/gemm"
	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/device"
)

// A convolution and the gradient of its input are correlations: for each group the product of a
// matrix of weights, whose columns are the taps of all channels that are read, and of the patches
// that these taps meet, whose columns are places of a canvas. The matrix of patches never exists
// as a whole: one panel of it is packed at a time.

// A kernel is the elements of a weight with the distances between groups, written channels and read
// channels.
type kernel[T float] struct {
	values           []T
	width            int
	group, out, read int
}

// The sizes of a tile and of a piece of parallel work. They depend on nothing but the shapes.
const (
	convPlaces = 1 << 10 // of a tile
	convRoom   = 1 << 18 // sums of a tile, and elements of its canvas
	convWork   = 1 << 20 // multiplications of a piece
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
	ending[T]
}

// An ending is an epilogue in the type that is computed in.
type ending[T float] struct {
	bias []T // of all channels, or none
	relu bool
}

func newEnding[T float](e device.Epilogue) ending[T] {
	return ending[T]{optional[T](e.Bias), e.ReLU}
}

// correlate computes the outputs of rows × cols of y from x, both dense.
func correlate[T float](y, x *device.Array, groups int, rows, cols *sweep, w *kernel[T],
	end ending[T]) {
	c := &correlation[T]{y: y, groups: groups, in: x.Shape[1] / groups, out: y.Shape[1] / groups,
		ending: end}
	images := y.Shape[0]
	if images*rows.size*cols.size*c.out == 0 {
		return
	}
	taps := len(rows.taps) * len(cols.taps)
	blocks := max(1, (c.in*taps+gemm.BlockK-1)/gemm.BlockK)
	c.block = max(1, (c.in+blocks-1)/blocks)
	c.canvas = newCanvas[T](x, rows, cols, min(convPlaces, convRoom/max(c.block, c.out)))
	for i := range c.block {
		for _, off := range c.offsets {
			c.where = append(c.where, i*c.channel+off)
		}
	}
	c.pack(w)
	tiles := c.tiles()
	_, _, places := c.lines(0)
	grain := max(1, convWork/max(1, c.out*c.in*taps*places))
	pool.Split(images*groups*tiles, grain, c.pieces)
}

// pack copies the weights in the order of the taps.
func (c *correlation[T]) pack(w *kernel[T]) {
	taps := len(c.offsets)
	c.pitchW = (c.in*taps+15)&^15 + 16
	c.weights = make([]T, c.groups*c.out*c.pitchW)
	places := make([]int, 0, taps)
	for _, r := range c.rows.taps {
		for _, l := range c.cols.taps {
			places = append(places, r.at*w.width+l.at)
		}
	}
	pool.Split(c.groups*c.out, max(1, grainCheap/c.pitchW), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			line := c.weights[i*c.pitchW:]
			for j := range c.in {
				from := w.values[i/c.out*w.group+i%c.out*w.out+j*w.read:]
				for _, p := range places {
					line[0] = from[p]
					line = line[1:]
				}
			}
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
	sums, line := room.take(c.out*width), room.take(width)
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
			c.store(sums[o*width:][:places], line, image, g*c.out+o, from, lines)
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

// store ends the sums of a channel of a tile and rounds them to y. line is room for as many.
func (c *correlation[T]) store(sums, line []T, image, o, from, lines int) {
	if c.bias != nil {
		unaryRow(device.AddP, sums, sums, float64(c.bias[o]))
	}
	if c.relu {
		unaryRow(device.ReLU, sums, sums, 0)
	}
	height, width := c.y.Shape[2], c.y.Shape[3]
	n, stepY := c.cols.size, c.rows.step*width
	off := c.y.Offset + (image*c.y.Shape[1]+o)*height*width + c.cols.first +
		(c.rows.first+from*c.rows.step)*width
	if c.cols.step != 1 {
		for r := range lines {
			store(c.y, off+r*stepY, c.cols.step, sums[r*c.pitch:][:n])
		}
		return
	}
	if c.y.DType == dtypeOf[T]() {
		copyRows(elems[T](c.y, off, 1, (lines-1)*stepY+n), sums, n, stepY, c.pitch)
		return
	}
	if n != stepY {
		for r := range lines {
			store(c.y, off+r*stepY, 1, sums[r*c.pitch:][:n])
		}
		return
	}
	copyRows(line, sums, n, n, c.pitch)
	store(c.y, off, 1, line[:lines*n])
}
