package cpu

import (
	"math"
	"unsafe"

	"halfnote/tensor/internal/cpu/gemm"
	"halfnote/tensor/internal/cpu/heap"
	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// Where the channels of y fill vectors they are the columns of the product: the weights are packed
// once, and the rows of the left-hand matrix are the places of the canvas, which are read where they
// lie. So nothing else is packed, and the gaps between rows are left out. The sums, a row for each
// place, are then turned over into the planes of y.
type wideCorrelation struct {
	*correlation[float32]
	panels []float32 // the weights of 32 channels of y each: a row for each step of the sum
	bytes  []int     // where, in bytes
	atOnce bool      // tiles of y are dense float32
}

// stripPlaces are turned over at a time, while their sums are in the first-level cache.
const stripPlaces = 128

// fillVectors reports whether so many channels leave few lanes of vectors empty.
func fillVectors(channels int) bool { return 4*channels >= 3*((channels+15)&^15) }

// wide computes y where its channels fill vectors and there is something to sum.
func (c *correlation[T]) wide(w *kernel[float32]) {
	v := &wideCorrelation{correlation: any(c).(*correlation[float32]),
		atOnce: c.y.DType == device.Float32 && c.rows.step == 1 && c.cols.step == 1}
	for _, off := range v.where {
		v.bytes = append(v.bytes, 4*off)
	}
	if v.bias == nil {
		v.bias = make([]float32, v.y.Shape[1])
		for i := range v.bias {
			v.bias[i] = float32(math.Copysign(0, -1)) // which changes nothing
		}
	}
	buffer := heap.NewBuffer(v.groups * gemm.Panels(v.out) * gemm.Panel * v.steps())
	defer buffer.Release()
	v.panels = buffer.Floats
	v.packPanels(w)
	v.split(v.tiled)
}

// packPanels packs the weights.
func (v *wideCorrelation) packPanels(w *kernel[float32]) {
	k, panels, places := v.steps(), gemm.Panels(v.out), v.kernelPlaces(w.width)
	pool.Split(v.groups*panels, max(1, grainCheap/(gemm.Panel*k)), func(lo, hi int) {
		pitch := gemm.Pitch(k)
		room := newRoom[float32](1, gemm.Panel*pitch)
		defer room.release()
		lines := room.take(gemm.Panel * pitch)
		for i := lo; i < hi; i++ {
			first := i % panels * gemm.Panel
			n := min(gemm.Panel, v.out-first)
			for j := range n {
				line := lines[j*pitch:][:k]
				if v.partner != 0 {
					w.pairs(line, i/panels, first+j, places)
				} else {
					w.line(line, i/panels, first+j, places)
				}
			}
			simd.PackColumns(&v.panels[i*gemm.Panel*k], simd.Pair, unsafe.Pointer(&lines[0]), 4*pitch,
				k, n) // moves elements as they are
		}
	})
}

// pairs is line for pairs of channels, whose weights are bfloat16.
func (w *kernel[T]) pairs(dst []float32, group, out int, places []int) {
	from := w.values[group*w.group+out*w.out:]
	for len(dst) > 0 {
		for j, p := range places {
			lo, hi := math.Float32bits(float32(from[p])), math.Float32bits(float32(from[w.read+p]))
			dst[j] = math.Float32frombits(hi | lo>>16)
		}
		if dst = dst[len(places):]; len(dst) > 0 {
			from = from[2*w.read:]
		}
	}
}

// A wideTile is what a worker computes tiles in.
type wideTile struct {
	*wideCorrelation
	places             int // of a tile, at most
	cells, sums, lines []float32
}

// tiled computes some of the tiles of all images and groups.
func (v *wideCorrelation) tiled(lo, hi int) {
	t := &wideTile{wideCorrelation: v, places: (v.tile*v.cols.size + 15) &^ 15}
	room := carve(piece{&t.cells, v.elements(v.block)},
		piece{&t.sums, gemm.Panels(v.out) * gemm.Panel * t.places},
		piece{&t.lines, min(v.out, gemm.Panel) * t.places})
	defer room.release()
	clear(t.cells)
	for i := lo; i < hi; i++ {
		tile, g, image := i%v.tiles(), i/v.tiles()%v.groups, i/v.tiles()/v.groups
		from, lines, _ := v.lines(tile)
		for ch := 0; ch < v.in; ch += v.block {
			n := min(v.block, v.in-ch)
			v.fill(t.cells, image, g*v.in+ch, n, from, lines)
			for o := 0; o < v.out; o += gemm.Panel {
				t.add(g, o, ch, n, image, from, lines)
			}
		}
	}
}

// add adds what n channels from channel ch on contribute to a panel of channels of y, those from o on,
// and writes these to y if the channels are the last.
func (t *wideTile) add(g, o, ch, n, image, from, lines int) {
	size, steps := t.cols.size, n*len(t.offsets)
	width, last := min(gemm.Panel, t.out-o), ch+n == t.in
	panel := unsafe.Pointer(unsafe.SliceData(
		t.panels[((g*gemm.Panels(t.out)+o/gemm.Panel)*t.steps()+ch*len(t.offsets))*gemm.Panel:]))
	sums := t.sums[o*t.places:]
	y, pitch := t.lines, t.places
	if t.atOnce {
		y, pitch = t.plane(image, g*t.out+o, from, width, lines)
	}
	multiply := simd.MultiplyTaps
	if t.partner != 0 {
		multiply = simd.MultiplyTapPairs
	}
	strip := max(1, stripPlaces/size)
	for r := 0; r < lines; r += strip {
		end := min(r+strip, lines)
		for i := r; i < end; i++ {
			multiply(size, width, t.bytes[:steps], unsafe.Pointer(&t.cells[i*t.pitch]), panel,
				4*gemm.Panel, unsafe.Pointer(&sums[i*size*gemm.Panel]), 4*gemm.Panel, ch > 0)
		}
		if last {
			simd.UnpackColumns(y[r*size:], pitch, sums[r*size*gemm.Panel:], (end-r)*size,
				t.bias[g*t.out+o:][:width])
		}
	}
	for i := 0; i < width && last && !t.atOnce; i++ {
		t.store(t.lines[i*t.places:], size, nil, image, g*t.out+o+i, from, lines)
	}
}

// plane returns where lines of n channels of y lie from channel o on, and how far these are apart.
func (t *wideTile) plane(image, o, from, n, lines int) (y []float32, pitch int) {
	width := t.y.Shape[3]
	pitch = t.y.Shape[2] * width
	off := t.y.Offset + (image*t.y.Shape[1]+o)*pitch + from*width
	return elems[float32](t.y, off, 1, (n-1)*pitch+lines*width), pitch
}
