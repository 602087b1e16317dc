package cpu

import "halfnote/tensor/internal/cpu/pool"

// This file implements the three products of a convolution.

// rowBlock is how many rows of tileN sums a workspace holds, and of pixelBlock packed elements.
const rowBlock = blockK

// rowsOf cuts rows into blocks for the workspace: large ones, so that a packed tile serves many
// rows, or small ones where there are few tiles to share out. Sums do not depend on it.
func rowsOf(rows, tiles int) (block, blocks int) {
	block = rowBlock
	if tiles < 16 {
		block = tileM
	}
	return block, (rows + block - 1) / block
}

// even rounds k up to the length that micro takes.
func even(k int) int { return k + k&1 }

// padded rounds rows up to whole panels.
func padded(rows int) int { return (rows + microM - 1) / microM * microM }

// A packing is a matrix packed for micro in blocks of rows, all columns of a block in one piece.
type packing[T float] struct {
	values []T
	rows   int // in a block
	k      int // even number of columns
}

// packRows packs a matrix of rows × k elements of m that begins at off.
func packRows[T float](m []T, off, rowStep, kStep, rows, k, block int) packing[T] {
	p := packing[T]{rows: padded(block), k: even(k)}
	blocks := (rows + block - 1) / block
	p.values = make([]T, blocks*p.rows*p.k)
	a := denseArray(m, []int{len(m)})
	for i := range blocks {
		n := min(block, rows-i*block)
		at := p.values[i*p.rows*p.k:]
		for k0 := 0; k0 < k; k0 += blockK {
			pack(at[padded(n)*k0:], &a, off+i*block*rowStep+k0*kStep, rowStep, kStep, n,
				min(blockK, k-k0), microM)
		}
	}
	return p
}

// block returns the panels of n rows of block i and the columns from k0 on.
func (p *packing[T]) block(i, n, k0 int) []T { return p.values[i*p.rows*p.k+padded(n)*k0:] }

// forward computes y: for each group the product of its weights and a tile of patches.
func (v *convolution[T]) forward(bias []T) {
	tiles := (v.pixels + tileN - 1) / tileN
	block, blocks := rowsOf(v.outC, tiles*v.Groups)
	weights := make([]packing[T], v.Groups)
	for g := range weights {
		weights[g] = packRows(v.w, g*v.outC*v.window, v.window, 1, v.outC, v.window, block)
	}
	pool.Run(tiles*v.Groups*blocks, func(i int) {
		at, g, t := i%blocks, i/blocks%v.Groups, i/blocks/v.Groups
		rows := min(block, v.outC-at*block)
		from := t * tileN
		n := min(tileN, v.pixels-from)
		free := spaces[T]()
		w := free.Get().(*workspace[T])
		defer free.Put(w)
		ld := (n + microN - 1) / microN * microN
		sums := w.c[:padded(rows)*ld]
		clear(sums)
		for k0 := 0; k0 < v.window; k0 += blockK {
			k := min(blockK, v.window-k0)
			v.packPatches(w.b[:], g, k0, k, from, n)
			panels(sums, ld, weights[g].block(at, rows, k0), w.b[:], padded(rows), ld, even(k))
		}
		for r := range rows {
			o := g*v.outC + at*block + r
			line := sums[r*ld : r*ld+n]
			if bias != nil {
				for j := range line {
					line[j] += bias[o]
				}
			}
			v.eachImage(o, from, line, func(y, part []T) { copy(y, part) })
		}
	})
}

// eachImage cuts a line over the pixels from p on where an image ends, and gives each part with
// the elements of channel o of y at the same pixels.
func (v *convolution[T]) eachImage(o, p int, line []T, f func(y, part []T)) {
	for len(line) > 0 {
		image, at := p/v.areaY, p%v.areaY
		n := min(len(line), v.areaY-at)
		f(v.y[(image*v.chansY+o)*v.areaY+at:][:n], line[:n])
		line = line[n:]
		p += n
	}
}

// packPatches packs the places k0 … k0+k-1 of the windows of group g at n pixels from p on.
func (v *convolution[T]) packPatches(dst []T, g, k0, k, p, n int) {
	var line [tileN + 1]T
	panel := microN * even(k)
	width := (n + microN - 1) / microN * microN
	line[n] = 0
	place := v.place(g, k0)
	for i := range k {
		v.patches(line[:n], place, p)
		spread(dst[i*microN:], line[:width], panel)
		v.next(&place)
	}
	if k&1 != 0 {
		clear(line[:width])
		spread(dst[k*microN:], line[:width], panel)
	}
}

// spread writes a line of columns into panels of microN of them.
func spread[T float](dst, line []T, panel int) {
	at := 0
	for j := 0; j+microN <= len(line); j += microN {
		src := (*[microN]T)(line[j:])
		*(*[microN]T)(dst[at:]) = *src
		at += panel
	}
}

// A place is an element of a window: its channel, counted through all groups, its row and column.
type place struct{ c, k, l int }

// place returns the i-th place of the windows of group g.
func (v *convolution[T]) place(g, i int) place {
	return place{g*v.inC + i/(v.kh*v.kw), i / v.kw % v.kh, i % v.kw}
}

// next moves to the place behind p.
func (v *convolution[T]) next(p *place) {
	if p.l++; p.l < v.kw {
		return
	}
	p.l = 0
	if p.k++; p.k < v.kh {
		return
	}
	p.k = 0
	p.c++
}

// columns returns the part of the pixels j … j+n-1 of a row of y whose windows have column l of
// the kernel inside of x, and the column of x that the first of them meets.
func (v *convolution[T]) columns(j, n, l int) (from, to, x int) {
	s := v.Stride[1]
	x = j*s - v.Padding[1] + l*v.Dilation[1]
	if x < 0 {
		from = min(n, (s-1-x)/s)
		x += from * s
	}
	to = from
	if x < v.wide {
		to = min(n, from+(v.wide-1-x)/s+1)
	}
	return from, to, x
}

// patches writes what place meets at the pixels from p on.
func (v *convolution[T]) patches(dst []T, at place, p int) {
	image, p := p/v.areaY, p%v.areaY
	i, j := p/v.ow, p%v.ow
	for len(dst) > 0 {
		n := min(v.ow-j, len(dst))
		line := dst[:n]
		row := i*v.Stride[0] - v.Padding[0] + at.k*v.Dilation[0]
		if row < 0 || row >= v.h {
			clear(line)
		} else {
			from, to, x := v.columns(j, n, at.l)
			src := v.x[(image*v.chansX+at.c)*v.areaX+row*v.wide:][:v.wide]
			clear(line[:from])
			clear(line[to:])
			if v.Stride[1] == 1 {
				copy(line[from:to], src[min(x, v.wide):])
			} else {
				for q := from; q < to; q++ {
					line[q] = src[x]
					x += v.Stride[1]
				}
			}
		}
		dst = dst[n:]
		j = 0
		if i++; i == v.oh {
			i = 0
			image++
		}
	}
}

// input computes x: the product of the transposed weights and a tile of y gives patches, which are
// added where they were taken from. A task owns whole channels of some images.
func (v *convolution[T]) input(bias []T) {
	area := v.kh * v.kw
	together := max(1, tileN/max(1, v.areaY)) // images
	batches := (v.images + together - 1) / together
	chans := max(1, rowBlock/max(1, area)) // channels of a task
	if batches*v.Groups < 16 {
		chans = 1
	}
	parts := (v.inC + chans - 1) / chans
	weights := make([]packing[T], v.Groups*parts)
	for i := range weights {
		g, c := i/parts, i%parts*chans
		weights[i] = packRows(v.w, g*v.outC*v.window+c*area, 1, v.window,
			min(chans, v.inC-c)*area, v.outC, rowBlock)
	}
	pool.Run(batches*len(weights), func(i int) {
		image, g := i/len(weights)*together, i%len(weights)/parts
		c := i % parts * chans
		images, n := min(together, v.images-image), min(chans, v.inC-c)
		if bias != nil {
			v.fillPlanes(image, images, g*v.inC+c, n, bias)
		}
		v.inputPart(&weights[i%len(weights)], g, c, n, image*v.areaY, images*v.areaY)
	})
}

// fillPlanes sets channels of images of x to their bias.
func (v *convolution[T]) fillPlanes(image, images, c, n int, bias []T) {
	for k := range images {
		for j := c; j < c+n; j++ {
			plane := v.x[((image+k)*v.chansX+j)*v.areaX:][:v.areaX]
			for q := range plane {
				plane[q] = bias[j]
			}
		}
	}
}

// inputPart adds to n channels of x from c on what the pixels of y from p on contribute.
func (v *convolution[T]) inputPart(weights *packing[T], g, c, n, p, pixels int) {
	free := spaces[T]()
	w := free.Get().(*workspace[T])
	defer free.Put(w)
	rows := n * v.kh * v.kw
	for end := p + pixels; p < end; p += tileN {
		cols := min(tileN, end-p)
		ld := (cols + microN - 1) / microN * microN
		for r0 := 0; r0 < rows; r0 += rowBlock {
			m := min(rowBlock, rows-r0)
			sums := w.c[:padded(m)*ld]
			clear(sums)
			for k0 := 0; k0 < v.outC; k0 += blockK {
				k := min(blockK, v.outC-k0)
				v.packOutputs(w.b[:], g*v.outC+k0, k, p, cols)
				panels(sums, ld, weights.block(r0/rowBlock, m, k0), w.b[:], padded(m), ld, even(k))
			}
			at := v.place(g, c*v.kh*v.kw+r0)
			for r := range m {
				v.addPatches(sums[r*ld:r*ld+cols], at, p)
				v.next(&at)
			}
		}
	}
}

// packOutputs packs k channels of y from o on, at n pixels from p on.
func (v *convolution[T]) packOutputs(dst []T, o, k, p, n int) {
	var line [tileN + 1]T
	panel := microN * even(k)
	width := (n + microN - 1) / microN * microN
	line[n] = 0
	for i := range k {
		v.eachImage(o+i, p, line[:n], func(y, part []T) { copy(part, y) })
		spread(dst[i*microN:], line[:width], panel)
	}
	if k&1 != 0 {
		clear(line[:width])
		spread(dst[k*microN:], line[:width], panel)
	}
}

// addPatches adds a line over the pixels from p on to the elements of x that place meets there.
func (v *convolution[T]) addPatches(line []T, at place, p int) {
	image, p := p/v.areaY, p%v.areaY
	i, j := p/v.ow, p%v.ow
	for len(line) > 0 {
		n := min(v.ow-j, len(line))
		row := i*v.Stride[0] - v.Padding[0] + at.k*v.Dilation[0]
		if row >= 0 && row < v.h {
			from, to, x := v.columns(j, n, at.l)
			dst := v.x[(image*v.chansX+at.c)*v.areaX+row*v.wide:][:v.wide]
			if v.Stride[1] == 1 {
				dst = dst[min(x, v.wide):]
				for q, value := range line[from:to] {
					dst[q] += value
				}
			} else {
				for _, value := range line[from:to] {
					dst[x] += value
					x += v.Stride[1]
				}
			}
		}
		line = line[n:]
		j = 0
		if i++; i == v.oh {
			i = 0
			image++
		}
	}
}

// The sums over pixels for the weight's gradient: pixelBlock of them are packed at a time, and
// shares of at least minShare are summed apart, at most maxShares of them and never more than
// shareRoom elements. All of it depends on the shapes alone, so that the sums do.
const (
	pixelBlock = 128
	minShare   = 16 * pixelBlock
	maxShares  = 16
	shareRoom  = 1 << 21
)

// weight computes w: the product of y and the transposed patches, in shares of the pixels that are
// then added up in order.
func (v *convolution[T]) weight() {
	size := v.chansY * v.window
	if size == 0 || v.pixels == 0 {
		return
	}
	shares := max(1, min(maxShares, v.pixels/minShare, shareRoom/size))
	share := ((v.pixels+shares-1)/shares + pixelBlock - 1) / pixelBlock * pixelBlock
	shares = (v.pixels + share - 1) / share
	parts := v.w
	if shares > 1 {
		parts = make([]T, shares*size)
	}
	blocksN := (v.window + tileN - 1) / tileN
	block, blocks := rowsOf(v.outC, shares*v.Groups*blocksN)
	pool.Run(shares*v.Groups*blocks*blocksN, func(i int) {
		col, i := i%blocksN*tileN, i/blocksN
		row, i := i%blocks*block, i/blocks
		g, s := i%v.Groups, i/v.Groups
		v.weightTile(parts[s*size:][:size], g, row, min(block, v.outC-row), col,
			min(tileN, v.window-col), s*share, min(share, v.pixels-s*share))
	})
	if shares == 1 {
		return
	}
	pool.Split(size, grainCheap/shares, func(lo, hi int) {
		copy(v.w[lo:hi], parts[lo:hi])
		for s := 1; s < shares; s++ {
			for j, value := range parts[s*size+lo : s*size+hi] {
				v.w[lo+j] += value
			}
		}
	})
}

// weightTile sums m rows and n columns of the weight matrix over the pixels from p on.
func (v *convolution[T]) weightTile(w []T, g, row, m, col, n, p, pixels int) {
	free := spaces[T]()
	space := free.Get().(*workspace[T])
	defer free.Put(space)
	ld := (n + microN - 1) / microN * microN
	sums := space.c[:padded(m)*ld]
	clear(sums)
	var line [pixelBlock]T
	for end := p + pixels; p < end; p += pixelBlock {
		k := min(pixelBlock, end-p)
		a, b := space.a[:padded(m)*even(k)], space.b[:ld*even(k)]
		if k&1 != 0 || m%microM != 0 || n%microN != 0 {
			clear(a)
			clear(b)
		}
		for r := range m {
			v.eachImage(g*v.outC+row+r, p, line[:k], func(y, part []T) { copy(part, y) })
			column(a, line[:k], r, microM)
		}
		at := v.place(g, col)
		for c := range n {
			v.patches(line[:k], at, p)
			column(b, line[:k], c, microN)
			v.next(&at)
		}
		panels(sums, ld, a, b, padded(m), ld, even(k))
	}
	for r := range m {
		copy(w[(g*v.outC+row+r)*v.window+col:][:n], sums[r*ld:])
	}
}

// column writes line number i into panels of width lines.
func column[T float](dst, line []T, i, width int) {
	dst = dst[i/width*width*even(len(line))+i%width:]
	for j, value := range line {
		dst[j*width] = value
	}
}
