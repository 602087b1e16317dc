package main

import (
	"fmt"
	"math"
	"slices"
)

// This file is the framework for kernels on rows. A kernel is described once, as a body that
// computes one vector of the output from one vector of each input. The framework turns the
// body into a loop for each target: as many vectors a round as the kernel says, then one
// vector at a time, then the rest of the row with the lanes behind its end switched off.
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
	opLoadByte              // 8-bit elements of the array, zero-extended to 32 bits
	opLoadDouble            // float64 elements of the array: the lower (imm 0) or upper half (imm 1)
	opStore                 // args[0] to the array
	opStoreHalf             // args[0] rounded to float16
	opStoreBFloat           // args[0] rounded to bfloat16, subnormals kept
	opStoreShort            // the lower 16 bits of args[0]'s lanes, of which the upper are 0
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
	constant bool   // the same bits in all lanes
	bits     uint64 // of a constant
	scalar   int    // 1 + the number of the parameter
	acc      int    // 1 + the number of the accumulator that the value has at the start
}

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
	if b.partial || !b.t.native(opLoadWide) {
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
func (b *body) min(x, y value) value    { return b.same(opMin, 0, x, y) }
func (b *body) max(x, y value) value    { return b.same(opMax, 0, x, y) }
func (b *body) sqrt(x value) value      { return b.same(opSqrt, 0, x) }
func (b *body) fma(x, y, z value) value { return b.same(opFMA, 0, x, y, z) }

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
	half := b.shr(b.iadd(i, b.bits(254)), 1) // ⌊n/2⌋ + 127
	rest := b.isub(b.iadd(i, b.bits(254)), half)
	return b.mul(b.mul(x, b.shl(half, 23)), b.shl(rest, 23))
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

// A place is where an operand lies: a register, or memory for a constant or scalar.
type place struct {
	class  class // mask registers are numbered by themselves where the target has them
	reg    int
	memory bool
	info   info // of a constant or scalar in memory
}

// A step is an inst with places.
type step struct {
	inst
	to   place
	from []place
	past bool // a store goes past the caches
}

// A target translates steps into one processor's assembly. A register is a number from 0 on. The
// target may keep vector registers back for itself, for ops that take several instructions; where
// an op writes its result before it has read all arguments, it has to mind that the result's
// register may be that of an argument, which is then not used again.
type target interface {
	// name is what the functions' names end with, and the name of the Path.
	name() string
	arch() string
	// lanes is how many float32 a vector has.
	lanes() int
	// registers is how many vector and mask registers may be used; where there are no mask
	// registers masks lie in vector registers.
	registers() (vectors, masks int)
	// native reports whether the target has opScale, opStoreBFloat, opMaxNaN and opMinNaN.
	native(op) bool
	// apart returns how many of the first arguments had better not have the result's register.
	apart(op) int
	// memory reports whether argument i of in may be a constant or a scalar that lies in memory.
	memory(in inst, i int, v info) bool

	// enter begins the function: pointers and the count n in registers.
	enter(w *writer, f *function)
	// step writes one step. Array elements are those vectors·lanes behind the place in the row.
	step(w *writer, f *function, s step, vectors int, partial bool)
	// loop repeats round, which handles count elements, while there are as many.
	loop(w *writer, count int, round func())
	// rest runs round for the elements that are left, fewer than lanes, if any: once, or once for
	// each of them.
	rest(w *writer, f *function, round func())
	// leave stores the results, which lie in the first lanes, and returns.
	leave(w *writer, f *function, results []place)
	// data writes the constants that the functions before used.
	data(w *writer)
}

// A streamer is a target that can store past the caches. Rows too long for these then reach memory
// without being read from there first.
type streamer interface {
	// stream repeats round as loop does where the row is so long and its address allows it.
	stream(w *writer, f *function, count int, round func())
}

// streams reports whether the first array is all that the body writes, and not as bytes.
func (b *body) streams() bool {
	for _, in := range b.code {
		switch in.op {
		case opStore, opStoreHalf, opStoreBFloat, opStoreShort:
			if in.array != 0 {
				return false
			}
		case opStoreByte, opStoreDouble:
			return false
		}
	}
	return len(b.accs) == 0
}

// compile writes the kernel for a target.
func compile(w *writer, t target, k kernel) {
	f := parse(k.sig, t.name())
	f.short = k.short
	unroll := k.unroll
	if unroll == 0 {
		unroll = 4
	}
	whole, part := newBody(t, f, false), newBody(t, f, true)
	k.body(whole)
	k.body(part)
	vectors, masks := t.registers()
	var round, steps, last []step
	var fixed map[info]int
	width := unroll // vectors whose code is interleaved
	for fits := false; !fits; {
		if width == 0 {
			panic(fmt.Sprintf("%s: %s has too few registers", f.name, t.name()))
		}
		all := whole.interleave(width)
		taken := len(whole.accs) * unroll
		for pins := len(whole.constants(part)); pins >= 0 && !fits; pins-- {
			fixed = pin(whole, part, unroll, pins)
			var ok [3]bool
			round, ok[0] = allocate(all, fixed, taken, vectors, masks)
			steps, ok[1] = allocate(whole, fixed, taken, vectors, masks)
			last, ok[2] = allocate(part, fixed, taken, vectors, masks)
			fits = ok == [3]bool{true, true, true}
		}
		if !fits {
			width /= 2
		}
	}
	t.enter(w, f)
	for _, i := range sorted(fixed) {
		t.step(w, f, step{inst: inst{op: opBroadcast, class: i.class}, to: place{class: i.class, reg: fixed[i]},
			from: []place{{class: i.class, memory: true, info: i}}}, 0, false)
	}
	accs := whole.accs
	for u := range unroll {
		for n, a := range accs {
			start := whole.values[a.start]
			t.step(w, f, step{inst: inst{op: opBroadcast, class: a.class}, to: place{class: a.class, reg: u*len(accs) + n},
				from: []place{{class: a.class, memory: true, info: start}}}, 0, false)
		}
	}
	past := false
	write := func(steps []step, u int, partial bool) {
		for _, s := range steps {
			s.past = past
			t.step(w, f, s.shift(len(accs)*width, len(accs)*u), u+s.copy, partial)
		}
	}
	rounds := func() {
		for u := 0; u < unroll; u += width {
			write(round, u, false)
		}
	}
	if s, ok := t.(streamer); ok && whole.streams() {
		past = true
		s.stream(w, f, unroll*t.lanes(), rounds)
		past = false
	}
	if unroll > 1 {
		t.loop(w, unroll*t.lanes(), rounds)
	}
	t.loop(w, t.lanes(), func() { write(steps, 0, false) })
	t.rest(w, f, func() { write(last, 0, true) })
	t.leave(w, f, join(w, t, f, accs, unroll))
}

// shift moves accumulators, which are the registers below accs, by some registers.
func (s step) shift(accs, by int) step {
	s.from = slices.Clone(s.from)
	move := func(p *place) {
		if !p.memory && p.class != mask && p.reg < accs {
			p.reg += by
		}
	}
	for i := range s.from {
		move(&s.from[i])
	}
	move(&s.to)
	return s
}

// interleave returns the code for n vectors, instruction by instruction, so that the processor finds
// work while one of them waits for a result.
func (b *body) interleave(n int) *body {
	all := newBody(b.t, b.f, b.partial)
	names := make([][]value, n)
	for u := range n {
		names[u] = make([]value, len(b.values))
		for v, i := range b.values {
			switch {
			case v == 0:
			case i.constant || i.scalar > 0:
				names[u][v] = all.constant(i)
			default:
				names[u][v] = all.newValue(i)
			}
		}
		for _, a := range b.accs {
			all.accs = append(all.accs, &accumulator{entry: names[u][a.entry], now: names[u][a.now]})
		}
	}
	for _, in := range b.code {
		for u := range n {
			one := in
			one.copy, one.dst, one.args = u, names[u][in.dst], nil
			for _, v := range in.args {
				one.args = append(one.args, names[u][v])
			}
			all.code = append(all.code, one)
		}
	}
	return all
}

// join combines the accumulators of all vectors of a round and then their lanes.
func join(w *writer, t target, f *function, accs []*accumulator, unroll int) (results []place) {
	vectors, masks := t.registers()
	run := func(b *body, regs map[value]int) {
		steps, ok := allocateFrom(b, nil, regs, len(accs)*unroll, vectors, masks)
		if !ok {
			panic(f.name + ": no registers left to combine accumulators")
		}
		for _, s := range steps {
			t.step(w, f, s, 0, false)
		}
	}
	for n, a := range accs {
		for u := 1; u < unroll; u++ {
			b := newBody(t, f, false)
			x, y := b.newValue(info{class: a.class, acc: 1}), b.newValue(info{class: a.class, acc: 2})
			b.finish(x, a.combine(b, x, y))
			run(b, map[value]int{x: n, y: u*len(accs) + n})
		}
		lanes := t.lanes()
		if a.class == double {
			lanes /= 2
		}
		for ; lanes > 1; lanes /= 2 {
			b := newBody(t, f, false)
			x := b.newValue(info{class: a.class, acc: 1})
			b.finish(x, a.combine(b, x, b.same(opFold, lanes, x)))
			run(b, map[value]int{x: n})
		}
		results = append(results, place{class: a.class, reg: n})
	}
	return results
}
