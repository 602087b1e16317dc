package cpu

import "halfnote/tensor/internal/device"

// Gather implements device.Backend. The tensor package has checked the indices.
func (Backend) Gather(out, x, index *device.Array, axis int) {
	each(out, x, index, axis, func(offOut, offX int) {
		switch x.DType.Size() {
		case 8:
			elems[uint64](out, offOut, 1, 1)[0] = elems[uint64](x, offX, 1, 1)[0]
		case 4:
			elems[uint32](out, offOut, 1, 1)[0] = elems[uint32](x, offX, 1, 1)[0]
		case 2:
			elems[uint16](out, offOut, 1, 1)[0] = elems[uint16](x, offX, 1, 1)[0]
		default:
			elems[uint8](out, offOut, 1, 1)[0] = elems[uint8](x, offX, 1, 1)[0]
		}
	})
}

// ScatterAdd implements device.Backend.
func (Backend) ScatterAdd(out, index, src *device.Array, axis int) {
	each(src, out, index, axis, func(offSrc, offOut int) {
		if out.DType == device.Int64 {
			var a, b [1]int64
			load(a[:], out, offOut, 1)
			load(b[:], src, offSrc, 1)
			a[0] += b[0]
			store(out, offOut, 1, a[:])
			return
		}
		var a, b [1]float64
		load(a[:], out, offOut, 1)
		load(b[:], src, offSrc, 1)
		a[0] += b[0]
		store(out, offOut, 1, a[:])
	})
}

// each visits every element of index: here is the offset of the element of a at the same place,
// there that of the element of b that the index names along axis. a has index's shape.
func each(a, b, index *device.Array, axis int, visit func(here, there int)) {
	var at [device.MaxDims]int
	dims := len(index.Shape)
	for range index.Numel() {
		here, there, offIndex := a.Offset, b.Offset, index.Offset
		for d := range dims {
			here += at[d] * a.Strides[d]
			offIndex += at[d] * index.Strides[d]
			if d != axis {
				there += at[d] * b.Strides[d]
			}
		}
		there += int(elems[int64](index, offIndex, 1, 1)[0]) * b.Strides[axis]
		visit(here, there)
		for d := dims - 1; d >= 0; d-- {
			at[d]++
			if at[d] < index.Shape[d] {
				break
			}
			at[d] = 0
		}
	}
}
