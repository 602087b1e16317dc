package main

// The conversions of rows between float32 and the 16-bit formats.
var conversions = []kernel{
	{
		doc:  "WidenHalf computes dst from src in float16, exactly.",
		sig:  "WidenHalf(dst []float32, src []uint16)",
		body: func(b *body) { b.store("dst", b.loadHalf("src")) },
	},
	{
		doc:  "NarrowHalf rounds src to float16: to nearest, ties to even.",
		sig:  "NarrowHalf(dst []uint16, src []float32)",
		body: func(b *body) { b.storeHalf("dst", b.load("src")) },
	},
	{
		doc:  "WidenBFloat computes dst from src in bfloat16, exactly.",
		sig:  "WidenBFloat(dst []float32, src []uint16)",
		body: func(b *body) { b.store("dst", b.loadBFloat("src")) },
	},
	{
		doc:  "NarrowBFloat rounds src to bfloat16: to nearest, ties to even, subnormals kept.",
		sig:  "NarrowBFloat(dst []uint16, src []float32)",
		body: func(b *body) { b.storeBFloat("dst", b.load("src")) },
	},
	{
		doc:  "Upper computes the upper halves of src, bit by bit: the inverse of WidenBFloat.",
		sig:  "Upper(dst []uint16, src []float32)",
		body: func(b *body) { b.storeUpper("dst", b.load("src")) },
	},
}

func (b *body) loadBFloat(array string) value {
	if b.t.native(opLoadBFloat) {
		return b.loadAs(opLoadBFloat, single, array, 0)
	}
	return b.shl(b.loadShort(array), 16)
}

// storeUpper stores the upper 16 bits of each lane.
func (b *body) storeUpper(array string, v value) {
	if b.t.native(opStoreUpper) {
		b.storeAs(opStoreUpper, array, v, 0)
		return
	}
	b.storeShort(array, b.shr(v, 16))
}

// storeBFloat rounds by adding almost half of the last place that stays, and the rest of the half
// where that place is odd. NaN would become infinite that way and is made quiet instead.
func (b *body) storeBFloat(array string, v value) {
	if b.t.native(opStoreBFloat) {
		b.storeAs(opStoreBFloat, array, v, 0)
		return
	}
	if b.t.native(opShrAdd) {
		up := b.same(opShrAdd, 31, b.shl(v, 15), b.iadd(v, b.bits(0x7fff)))
		quiet := b.or(v, b.bits(0x400000))
		b.storeUpper(array, b.choose(b.compare(v, equal, v), up, quiet))
		return
	}
	odd := b.and(b.shr(v, 16), b.bits(1))
	up := b.iadd(v, b.iadd(odd, b.bits(0x7fff)))
	quiet := b.or(v, b.bits(0x400000))
	b.storeUpper(array, b.choose(b.compare(v, unordered, v), quiet, up))
}
