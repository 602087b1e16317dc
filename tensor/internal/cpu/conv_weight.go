package cpu

import (
	"math"
	"unsafe"

	"halfnote/tensor/internal/cpu/gemm"
	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// The gradient of a weight sums over the places of y: for each tap the product of the cells that it
// meets, a row for each channel of x, and of the panels of y, a column for each channel of y. Shares
// of the tiles are summed apart, at most maxShares of them and never more than shareRoom
// elements, and then added up in order. All of it depends on the shapes alone, so that sums do.
const (
	maxShares = 16
	shareWork = 1 << 18 // multiplications of a share, at least
	shareRoom = 1 << 21
	weightIn  = 64 // channels of x that are read at a time, at most
)

type weightGradient[T float] struct {
	*canvas[T]
	y       *device.Array // dense
	w       *kernel[T]
	groups  int
	in, out int
	block   int // channels of x in a piece
	pitchO  int // from channel to channel of x in the sums
	shares  int
	share   int // tiles, of all images
	chunk   int // sums of a piece, [taps, block, pitchO]
	parts   []T // [shares, blocks, groups, chunk]
	places  int // of a tile
	width   int // from channel to channel of y
}

// ConvWeight implements device.Backend.
func (b Backend) ConvWeight(w, x, y *device.Array, c *device.Conv) {
	v := newConvolution(x, w, y, c)
	if w.DType.ComputeIn() == device.Float64 {
		convWeight[float64](b, v)
		return
	}
	convWeight[float32](b, v)
}

func convWeight[T float](b Backend, v *convolution) {
	into(b, v.w, func(out []T) {
		clear(out)
		rows, cols := v.sweep(0), v.sweep(1)
		area := v.w.Shape[2] * v.w.Shape[3]
		g := &weightGradient[T]{y: source[T](v.y), groups: v.Groups, in: v.inC, out: v.outC,
			w: &kernel[T]{out, v.w.DType, v.w.Shape[3], v.outC * v.inC * area, v.inC * area, area}}
		taps, images := len(rows.taps)*len(cols.taps), v.x.Shape[0]
		work := images * rows.size * cols.size * taps
		if len(out) == 0 || work == 0 {
			return
		}
		g.block = min(g.in, weightIn)
		g.pitchO = gemm.Panels(g.out) * gemm.Panel
		g.canvas = newCanvas[T](source[T](v.x), &rows, &cols,
			min(convPlaces, convRoom/max(g.block, g.out)))
		if images%2 == 0 && g.out > directOut && g.y.DType == device.BFloat16 &&
			canPair[T](g.x, &rows, &cols) {
			g.pairImages()
			images /= 2
			work /= 2
		}
		g.sum(images, work*g.in*g.out*g.groups)
	})
}

// sum shares the tiles of all images out.
func (g *weightGradient[T]) sum(images, work int) {
	units := images * g.tiles()
	size := g.groups * g.in * len(g.offsets) * g.pitchO
	g.shares = max(1, min(maxShares, units, work/shareWork, shareRoom/size))
	g.share = (units + g.shares - 1) / g.shares
	g.shares = (units + g.share - 1) / g.share
	for g.block > 8 && g.shares*g.groups*((g.in+g.block-1)/g.block) < 8 {
		g.block = (g.block + 1) / 2
	}
	_, _, g.places = g.lines(0)
	g.width = gemm.Pitch(g.places)
	g.chunk = len(g.offsets) * g.block * g.pitchO
	blocks := (g.in + g.block - 1) / g.block
	each := g.groups * blocks // pieces of a share
	room := newRoom[T](1, g.shares*each*g.chunk)
	defer room.release()
	g.parts = room.take(g.shares * each * g.chunk)
	grain := max(1, g.shares*each*convWork/max(1, work))
	pool.Split(g.shares*each, grain, func(lo, hi int) { g.pieces(lo, hi, blocks, units) })
	total := g.parts[:each*g.chunk]
	pool.Split(len(total), max(1, grainCheap/g.shares), func(lo, hi int) {
		for s := 1; s < g.shares; s++ {
			axpy(total[lo:hi], total[lo:hi], g.parts[s*len(total)+lo:s*len(total)+hi], 1)
		}
	})
	for i := range each {
		ch := i / g.groups * g.block
		g.put(total[i*g.chunk:][:g.chunk], i%g.groups, ch, min(g.block, g.in-ch))
	}
}

// pieces sums some of the shares of the channels of x.
func (g *weightGradient[T]) pieces(lo, hi, blocks, units int) {
	channels := directOut // that are laid out before they are packed
	if g.partner != 0 {
		channels = gemm.Panel
	}
	room := newRoom[T](3, g.elements(g.block)+channels*g.width+g.places*g.pitchO)
	defer room.release()
	p := &weightPiece[T]{weightGradient: g, cells: room.take(g.elements(g.block)),
		outputs: room.take(channels * g.width), panels: room.take(g.places * g.pitchO)}
	clear(p.cells)
	clear(p.outputs)
	clear(p.panels)
	for i := lo; i < hi; i++ {
		p.group, p.ch = i%g.groups, i/g.groups%blocks*g.block
		p.n = min(g.block, g.in-p.ch)
		p.sums = g.parts[i*g.chunk:][:g.chunk]
		share := i / g.groups / blocks
		from, end := share*g.share, min(units, (share+1)*g.share)
		p.sum(from, end, false)
		if g.pitch != g.cols.size && !allFinite(p.sums) {
			p.sum(from, end, true) // a zero between the rows of y may have met an infinity
		}
	}
}

type weightPiece[T float] struct {
	*weightGradient[T]
	group, ch, n int // channels of x from ch on

	cells, outputs, panels []T
	sums                   []T // of the piece
}

// sum sums what some of the tiles contribute, each row of y by itself if apart.
func (p *weightPiece[T]) sum(from, end int, apart bool) {
	clear(p.sums)
	for unit := from; unit < end; unit++ {
		p.add(unit/p.tiles(), unit%p.tiles(), apart)
	}
}

// add adds what a tile contributes to the sums [taps, block, pitchO].
func (p *weightPiece[T]) add(image, tile int, apart bool) {
	from, lines, places := p.lines(tile)
	p.fill(p.cells, image, p.group*p.in+p.ch, p.n, from, lines)
	p.readOutputs(image, from, lines)
	if !apart {
		p.multiply(0, places)
		return
	}
	for r := range lines {
		p.multiply(r*p.pitch, p.cols.size)
	}
}

// readOutputs lays out lines of the channels of y as the canvas does, with zeros between rows: in
// panels, or one channel behind the other where there are few.
func (p *weightPiece[T]) readOutputs(image, from, lines int) {
	width := p.y.Shape[3]
	area := p.y.Shape[2] * width
	if p.partner != 0 {
		image *= 2
	}
	off := p.y.Offset + (image*p.y.Shape[1]+p.group*p.out)*area + from*width
	if p.out <= directOut {
		for o := range p.out {
			loadRows(p.outputs[o*p.width:], p.pitch, p.y, off+o*area, width, width, lines)
		}
		return
	}
	for o := 0; o < p.out; o += gemm.Panel {
		if p.partner != 0 {
			p.packPairs(p.panels[o*p.places:], off+o*area, lines, min(gemm.Panel, p.out-o))
			continue
		}
		for r := range lines {
			packBlock(p.panels[(o*p.places+r*p.pitch*gemm.Panel):], p.y, off+o*area+r*width, 1, area,
				width, min(gemm.Panel, p.out-o))
		}
	}
}

// packPairs packs lines of n channels of two neighbouring images of y, of the first from off on.
func (p *weightPiece[T]) packPairs(panel []T, off, lines, n int) {
	width := p.y.Shape[3]
	area := p.y.Shape[2] * width
	loadPairs(p.outputs, p.width, p.y, off, area, lines*width, n, p.y.Shape[1]*area)
	y := denseArray(p.outputs, nil) // whose pairs are moved as they are
	for r := range lines {
		packBlock(panel[r*p.pitch*gemm.Panel:], &y, r*width, 1, p.width, width, n)
	}
}

// multiply adds the products at n of the packed places, from place from on, to the sums.
func (p *weightPiece[T]) multiply(from, n int) {
	if p.out <= directOut {
		p.direct(from, n)
		return
	}
	for o := 0; o < p.out; o += gemm.Panel {
		for at := from; at < from+n; at += gemm.BlockK {
			k := min(gemm.BlockK, from+n-at)
			p.multiplyPanel(p.panels[o*p.places+at*gemm.Panel:], o, at, k)
		}
	}
}

// multiplyPanel does so for the channels of y in one panel. The rows of the left matrix are channels
// of x, or neighbouring taps where these are more.
func (p *weightPiece[T]) multiplyPanel(panel []T, o, from, k int) {
	width := min(gemm.Panel, p.out-o)
	cols := p.cols.taps
	if p.cols.split != 1 || len(cols) <= p.n {
		for t, off := range p.offsets {
			p.accumulate(p.sums[t*p.block*p.pitchO+o:], p.pitchO, p.cells[off+from:], p.channel, panel,
				p.n, width, k)
		}
		return
	}
	step := cols[min(1, len(cols)-1)].base - cols[0].base
	for t := 0; t < len(p.offsets); t += len(cols) {
		for c := range p.n {
			p.accumulate(p.sums[(t*p.block+c)*p.pitchO+o:], p.block*p.pitchO,
				p.cells[c*p.channel+p.offsets[t]+from:], step, panel, len(cols), width, k)
		}
	}
}

// accumulate is multiplyBlock for rows of cells, which may be pairs, and adds to c.
func (p *weightPiece[T]) accumulate(c []T, rowC int, cells []T, row int, panel []T, m, n, k int) {
	if p.partner == 0 {
		multiplyBlock(c, rowC, cells, row, 1, panel, m, n, k, true)
		return
	}
	simd.MultiplyPairs(m, n, k, unsafe.Pointer(&cells[0]), 4*row, 4, unsafe.Pointer(&panel[0]),
		4*gemm.Panel, unsafe.Pointer(&c[0]), 4*rowC, true, nil)
}

// direct does so without panels, for few channels of y.
func (p *weightPiece[T]) direct(from, n int) {
	for o := range p.out {
		y := p.outputs[o*p.width+from:][:n]
		for t, off := range p.offsets {
			for c := range p.n {
				p.sums[(t*p.block+c)*p.pitchO+o] += T(dot(y, p.cells[c*p.channel+off+from:][:n]))
			}
		}
	}
}

// put writes the sums of n channels of x from channel ch on to w.
func (g *weightGradient[T]) put(sums []T, group, ch, n int) {
	for i, r := range g.rows.taps {
		for j, l := range g.cols.taps {
			tap := sums[(i*len(g.cols.taps)+j)*g.block*g.pitchO:]
			for c := range n {
				to := g.w.values[group*g.w.group+(ch+c)*g.w.read+r.at*g.w.width+l.at:]
				for o, v := range tap[c*g.pitchO:][:g.out] {
					to[o*g.w.out] = v
				}
			}
		}
	}
}

// allFinite reports whether xs hold neither infinities nor NaN.
func allFinite[T float](xs []T) bool {
	if xs, ok := single(xs); ok {
		sum := simd.Sum(xs) // in float64, where sums of float32 stay finite
		return sum-sum == 0
	}
	for _, v := range xs {
		if math.IsInf(float64(v), 0) || v != v {
			return false
		}
	}
	return true
}
