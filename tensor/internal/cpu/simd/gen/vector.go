package main

import "math"

// This file is what kernels on rows are described with. A kernel is described once, as a body that
// computes one vector of the output from one vector of each input. compile.go turns the body into a
// loop for each target: as many vectors a round as the kernel says, then one vector at a time, then
// the rest of the row with the lanes behind its end switched off.
//
//	kernel{
//		doc:  "Axpy computes out = a + p·x: first the product, rounded, then the sum.",
//		sig:  "Axpy(out, a, x []float32, p float32)",
//		body: func(b *body) {
//			b.store("out", b.add(b.load("a"), b.mul(b.scalar("p"), b.load("x"))))
//		},
//	}
//
// A reduction carries accumulators through the loop:
//
//	sig: "Sum(xs []float32) (sum float64)",
//	body: func(b *body) {
//		lo, hi := b.widen(b.load("xs"))
//		sum := b.accumulator(double, 0, (*body).add)
//		sum.set(b.add(b.add(sum.get(), lo), hi))
//	},
//
// Lanes behind the end of the row are loaded as zeros. Where these would change an accumulator,
// active puts something neutral in their place.

// A kernel describes a function on rows. The first array of sig gives the number of elements; all
// others have at least as many. Scalars come behind the arrays. The kernel returns its accumulators
// in the order of their making.
type kernel struct {
	doc    string   // of the exported function
	sig    string   // of the exported function, without func
	unroll int      // vectors a round of the main loop; 0 means 4
	narrow bool     // AVX2 serves the paths of AVX-512 as well
	noGo   bool     // the exported function is written by hand; only the assembly is generated
	short  encoding // of the elements of uint16 arrays, as load and store see them
	body   func(b *body)
}

// An encoding is one of 16 bits in which arrays have numbers that are computed with as float32.
type encoding string

const (
	half   encoding = "Half"
	bfloat encoding = "BFloat"
)

// A class says what the lanes of a value are.
type class uint8

const (
	single class = iota // float32 or 32-bit integers
	double              // float64; such a vector has half the lanes of a single one
	mask                // results of comparisons, a lane for each of single
)

// A value is a virtual register: set once, in straight-line code. The zero value is none.
type value int

// An op is one machine instruction or nearly so. The targets translate it.
type op uint8

// The ops. Where nothing else is said, they work lane by lane on single or double, whichever the
// result is.
const (
	opLoad        op = iota // a vector of the array, whose elements are the lanes
	opLoadHalf              // 16-bit elements of the array, widened from float16 to float32
	opLoadShort             // 16-bit elements of the array, zero-extended to 32 bits
	opLoadBFloat            // 16-bit elements of the array, widened from bfloat16 to float32
	opLoadByte              // 8-bit elements of the array, zero-extended to 32 bits
	opLoadDouble            // float64 elements of the array: the lower (imm 0) or upper half (imm 1)
	opStore                 // args[0] to the array
	opStoreHalf             // args[0] rounded to float16
	opStoreBFloat           // args[0] rounded to bfloat16, subnormals kept
	opStoreShort            // the lower 16 bits of args[0]'s lanes, of which the upper are 0
	opStoreUpper            // the upper 16 bits of args[0]'s lanes
	opStoreByte             // a mask as bytes of 0 and 1
	opLoadWide              // float32 elements of the array as float64: the lower or upper half
	opStoreDouble           // args[0] to the lower (imm 0) or upper half (imm 1)
	opBroadcast             // args[0], a constant or scalar, in all lanes
	opMove                  // args[0]
	opAdd                   // args[0] + args[1], and so on
	opSub
	opMul
	opDiv
	opMin      // args[0] where args[0] < args[1], else args[1]
	opMax      // args[0] where args[0] > args[1], else args[1]
	opSqrt     // correctly rounded
	opFMA      // args[0]·args[1] + args[2], rounded once
	opFNMA     // args[2] − args[0]·args[1], rounded once
	opAnd      // bits
	opOr       // bits
	opXor      // bits
	opAndNot   // args[1] without the bits of args[0]
	opIAdd     // 32-bit integers
	opISub     // 32-bit integers
	opShl      // 32-bit integers, by imm
	opShr      // 32-bit integers, by imm, zeros come in
	opShrAdd   // 32-bit integers: args[0] shifted like that, plus args[1]
	opHalfSum  // half of args[0] + args[1], signed 32-bit integers, rounded down (imm 0) or up (imm 1)
	opCompare  // the mask of args[0] ? args[1], where imm is one of the predicates
	opSelect   // args[1] where the mask args[0] is set, else args[2]
	opMaskAnd  // of masks
	opMaskOr   // of masks
	opMaskBits // all ones in the lanes that are set in the mask
	opRound    // to a whole number, ties to even
	opToInt    // float32 to 32-bit integers, ties to even
	opToFloat  // 32-bit integers to float32
	opScale    // args[0]·2^args[1], args[1] whole, rounded once; the result may be subnormal
	opMaxNaN   // the larger; NaN is larger than any number, +0 than −0
	opMinNaN   // the smaller; NaN is smaller than any number, −0 than +0
	opWiden    // the lower (imm 0) or upper half (imm 1) of single args[0] as double
	opNarrow   // double args[0] rounded to the lower half of a single
	opLookup   // for each lane of args[0] the entry of the table args[1] that its lower bits number
	opJoin     // a single from the lower halves of args[0] and args[1]
	opActive   // in a partial body: args[0] within the row, args[1] in the lanes behind its end
	opFold     // args[0] moved down by half of the lanes still in use, of which there are imm
)

// The predicates of opCompare; NaN fulfils only unordered and notEqual.
const (
	equal = iota
	notEqual
	less
	lessEqual
	unordered // one of the two is NaN
)

// An inst is an op with its operands.
type inst struct {
	op    op
	class class // of the result, or of what is stored
	dst   value
	args  []value
	imm   int
	array int
	copy  int // which of the vectors of a round, where their code is interleaved
}

// info is what is known of a value.
type info struct {
	class    class
	half     int    // of a double: which half of the lanes of a single it has
	constant bool   // the same bits in all lanes, or a table
	bits     uint64 // of a constant
	table    table  // of a constant
	scalar   int    // 1 + the number of the parameter
	acc      int    // 1 + the number of the accumulator that the value has at the start
}

// A table has a number for each lane of AVX-512; one of zeros is none.
type table [16]float32

// A body is straight-line code in the making.
type body struct {
	t       target
	f       *function
	partial bool // the rest of the row: only the first lanes are within it
	code    []inst
	values  []info // number 0 is none
	accs    []*accumulator
}

func newBody(t target, f *function, partial bool) *body {
	return &body{t: t, f: f, partial: partial, values: make([]info, 1)}
}

func (b *body) newValue(i info) value {
	b.values = append(b.values, i)
	return value(len(b.values) - 1)
}

func (b *body) emit(o op, c class, imm int, args ...value) value {
	v := b.newValue(info{class: c})
	b.code = append(b.code, inst{op: o, class: c, dst: v, args: args, imm: imm})
	return v
}

// same is emit for ops of which the result is what the first argument is.
func (b *body) same(o op, imm int, args ...value) value {
	v := b.emit(o, b.values[args[0]].class, imm, args...)
	for _, a := range args { // constants are the same in both halves
		b.values[v].half = max(b.values[v].half, b.values[a].half)
	}
	return v
}

func (b *body) loadAs(o op, c class, array string, imm int) value {
	v := b.emit(o, c, imm)
	b.code[len(b.code)-1].array = b.f.array(array)
	b.values[v].half = imm
	return v
}

func (b *body) storeAs(o op, array string, v value, imm int) {
	b.code = append(b.code, inst{op: o, class: b.values[v].class, args: []value{v}, imm: imm,
		array: b.f.array(array)})
}

// load loads float32, or what the 16-bit elements of the array are as float32.
func (b *body) load(array string) value {
	switch b.f.short {
	case half:
		return b.loadHalf(array)
	case bfloat:
		return b.loadBFloat(array)
	}
	return b.loadAs(opLoad, single, array, 0)
}

func (b *body) loadHalf(array string) value  { return b.loadAs(opLoadHalf, single, array, 0) }
func (b *body) loadShort(array string) value { return b.loadAs(opLoadShort, single, array, 0) }
func (b *body) loadByte(array string) value  { return b.loadAs(opLoadByte, single, array, 0) }

func (b *body) loadDouble(array string) (lo, hi value) {
	return b.loadAs(opLoadDouble, double, array, 0), b.loadAs(opLoadDouble, double, array, 1)
}

// loadWide loads float32 elements as float64, in two halves.
func (b *body) loadWide(array string) (lo, hi value) {
	if b.partial || b.f.short != "" || !b.t.native(opLoadWide) {
		return b.widen(b.load(array))
	}
	return b.loadAs(opLoadWide, double, array, 0), b.loadAs(opLoadWide, double, array, 1)
}

// store is the way back from load.
func (b *body) store(array string, v value) {
	switch b.f.short {
	case half:
		b.storeHalf(array, v)
	case bfloat:
		b.storeBFloat(array, v)
	default:
		b.storeAs(opStore, array, v, 0)
	}
}

func (b *body) storeHalf(array string, v value)  { b.storeAs(opStoreHalf, array, v, 0) }
func (b *body) storeShort(array string, v value) { b.storeAs(opStoreShort, array, v, 0) }
func (b *body) storeByte(array string, m value)  { b.storeAs(opStoreByte, array, m, 0) }

func (b *body) storeDouble(array string, lo, hi value) {
	b.storeAs(opStoreDouble, array, lo, 0)
	b.storeAs(opStoreDouble, array, hi, 1)
}

// float returns the constant v as float32, bits one of 32 bits and wide one of float64.
func (b *body) float(v float64) value { return b.bits(math.Float32bits(float32(v))) }
func (b *body) bits(v uint32) value   { return b.constant(info{constant: true, bits: uint64(v)}) }
func (b *body) wide(v float64) value {
	return b.constant(info{class: double, constant: true, bits: math.Float64bits(v)})
}

// scalar returns the parameter of that name in all lanes.
func (b *body) scalar(name string) value {
	i, p := b.f.scalar(name)
	return b.constant(info{class: p.class, scalar: i + 1})
}

func (b *body) constant(want info) value {
	for v, i := range b.values {
		if v > 0 && i == want {
			return value(v)
		}
	}
	return b.newValue(want)
}

func (b *body) add(x, y value) value    { return b.same(opAdd, 0, x, y) }
func (b *body) sub(x, y value) value    { return b.same(opSub, 0, x, y) }
func (b *body) mul(x, y value) value    { return b.same(opMul, 0, x, y) }
func (b *body) div(x, y value) value    { return b.same(opDiv, 0, x, y) }
func (b *body) min(x, y value) value    { return b.same(b.either(x, 0, opMin, opMinNaN), 0, x, y) }
func (b *body) max(x, y value) value    { return b.same(b.either(x, 1<<31, opMax, opMaxNaN), 0, x, y) }
func (b *body) sqrt(x value) value      { return b.same(opSqrt, 0, x) }
func (b *body) fma(x, y, z value) value { return b.same(opFMA, 0, x, y, z) }

// either returns o, or minds if the target has that and the first operand is a constant with which
// both give the same: it is not NaN, and of zeros the one with these bits, which minds never prefers
// to the other.
func (b *body) either(x value, zero uint32, o, minds op) op {
	if i := b.values[x]; b.t.native(minds) && i.constant && i.class == single {
		bits := uint32(i.bits)
		if c := math.Float32frombits(bits); c < 0 || c > 0 || bits == zero {
			return minds
		}
	}
	return o
}

// fnma is z − x·y.
func (b *body) fnma(x, y, z value) value { return b.same(opFNMA, 0, x, y, z) }

func (b *body) and(x, y value) value { return b.same(opAnd, 0, x, y) }
func (b *body) or(x, y value) value  { return b.same(opOr, 0, x, y) }
func (b *body) xor(x, y value) value { return b.same(opXor, 0, x, y) }

// andNot is y without the bits of x.
func (b *body) andNot(x, y value) value  { return b.same(opAndNot, 0, x, y) }
func (b *body) iadd(x, y value) value    { return b.same(opIAdd, 0, x, y) }
func (b *body) isub(x, y value) value    { return b.same(opISub, 0, x, y) }
func (b *body) shl(x value, n int) value { return b.same(opShl, n, x) }
func (b *body) shr(x value, n int) value { return b.same(opShr, n, x) }
func (b *body) round(x value) value      { return b.same(opRound, 0, x) }
func (b *body) toInt(x value) value      { return b.same(opToInt, 0, x) }
func (b *body) toFloat(x value) value    { return b.same(opToFloat, 0, x) }
func (b *body) abs(x value) value        { return b.andNot(b.bits(1<<31), x) }
func (b *body) compare(x value, pred int, y value) value {
	return b.emit(opCompare, mask, pred, x, y)
}

// choose is x where the mask m is set, else y.
func (b *body) choose(m, x, y value) value { return b.emit(opSelect, single, 0, m, x, y) }
func (b *body) maskBits(m value) value     { return b.emit(opMaskBits, single, 0, m) }

// maxNaN and minNaN are what Go's max and min compute.
func (b *body) maxNaN(x, y value) value {
	if b.t.native(opMaxNaN) {
		return b.same(opMaxNaN, 0, x, y)
	}
	return b.extreme(x, y, b.max, b.and)
}

func (b *body) minNaN(x, y value) value {
	if b.t.native(opMinNaN) {
		return b.same(opMinNaN, 0, x, y)
	}
	return b.extreme(x, y, b.min, b.or)
}

// extreme asks both ways round, since equal zeros give the second operand: the two signs are joined.
func (b *body) extreme(x, y value, f, join func(x, y value) value) value {
	v := join(f(x, y), f(y, x))
	return b.choose(b.compare(x, unordered, y), b.add(x, y), v)
}

// scale is x·2ⁿ for whole n, |n| ≤ 252, rounded once: where the target has no instruction for it,
// by two factors, of which the first keeps x a normal number.
func (b *body) scale(x, n value) value {
	if b.t.native(opScale) {
		return b.same(opScale, 0, x, n)
	}
	i := b.toInt(n)
	var half, rest value // ⌊n/2⌋ + 127 and ⌈n/2⌉ + 127
	if b.t.native(opHalfSum) {
		half, rest = b.same(opHalfSum, 0, i, b.bits(254)), b.same(opHalfSum, 1, i, b.bits(254))
	} else {
		sum := b.iadd(i, b.bits(254))
		half = b.shr(sum, 1)
		rest = b.isub(sum, half)
	}
	return b.mul(b.mul(x, b.shl(half, 23)), b.shl(rest, 23))
}

// scaleNormal is scale where x and the result are normal numbers; of NaN it is NaN.
func (b *body) scaleNormal(x, n value) value {
	if b.t.native(opScale) {
		return b.scale(x, n)
	}
	return b.iadd(x, b.shl(b.toInt(n), 23))
}

// widen returns x as float64, in two halves; narrow is the way back.
func (b *body) widen(x value) (lo, hi value) {
	lo, hi = b.emit(opWiden, double, 0, x), b.emit(opWiden, double, 1, x)
	b.values[hi].half = 1
	return lo, hi
}

func (b *body) narrow(lo, hi value) value {
	return b.emit(opJoin, single, 0, b.emit(opNarrow, single, 0, lo), b.emit(opNarrow, single, 0, hi))
}

// active is x, but neutral in the lanes behind the end of the row.
func (b *body) active(x, neutral value) value {
	if !b.partial {
		return x
	}
	return b.same(opActive, b.values[x].half, x, neutral)
}

// lookup gives each lane the entry of the table that the lower four bits of the index number.
func (b *body) lookup(index value, t table) value {
	return b.emit(opLookup, single, 0, index, b.constant(info{constant: true, table: t}))
}

// An accumulator is a value that is carried from round to round.
type accumulator struct {
	b       *body
	class   class
	start   value // the constant that all lanes begin with
	entry   value // what it is when a round begins
	now     value
	combine func(b *body, x, y value) value
}

// accumulator makes one whose lanes begin as start, a constant that combine leaves out of account.
// At the end combine joins the lanes; the first of them is returned.
func (b *body) accumulator(start value, combine func(b *body, x, y value) value) *accumulator {
	a := &accumulator{b: b, class: b.values[start].class, start: start, combine: combine}
	b.accs = append(b.accs, a)
	a.entry = b.newValue(info{class: a.class, acc: len(b.accs)})
	a.now = a.entry
	return a
}

func (a *accumulator) get() value  { return a.now }
func (a *accumulator) set(v value) { a.now = v }
