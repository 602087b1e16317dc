package main

import (
	"fmt"
	"math"
	"slices"
)

// This file makes NEON a target of the framework for kernels on rows. Vectors have four float32;
// masks lie in vector registers. Elements behind the last whole vector go one at a time, in the
// first lane.

// A neonTarget is that target; f is the function which is being written.
type neonTarget struct {
	f         *function
	constants []info // those that the file needs
}

// Registers. The arrays' pointers are in R1 and the following ones.
const (
	neonCount   = "R0"
	neonScratch = "R19"
	neonTable   = "R20" // of constants
	neonT0      = 30    // vectors for ops that take several instructions
	neonT1      = 31
)

func neonPointer(array int) string { return fmt.Sprintf("R%d", 1+array) }

func (*neonTarget) name() string                    { return "NEON" }
func (*neonTarget) arch() string                    { return "arm64" }
func (*neonTarget) lanes() int                      { return 4 }
func (*neonTarget) registers() (vectors, masks int) { return 30, 0 }
func (*neonTarget) native(o op) bool {
	switch o {
	case opMaxNaN, opMinNaN, opLoadBFloat, opStoreUpper, opShrAdd, opHalfSum:
		return true
	}
	return false
}

// apart: sums of products are added to the register of the sum, and comparisons come before what is
// compared is needed once more.
func (*neonTarget) apart(o op) int {
	switch o {
	case opFMA, opFNMA, opMin, opMax:
		return 2
	case opShrAdd:
		return 1
	}
	return 0
}

func (*neonTarget) memory(inst, int, info) bool { return false }

// loads: a constant to which a product is added has to be copied, and a load does that as well.
func (*neonTarget) loads(in inst, i int, v info) bool {
	return (in.op == opFMA || in.op == opFNMA) && i == 2 && v.constant
}

func (t *neonTarget) enter(w *writer, f *function) {
	t.f = f
	w.line("\n// %s\nTEXT ·%s(SB), NOSPLIT, $0-%d", f.declaration(), f.name, f.size)
	for i, a := range f.arrays {
		w.line("\tMOVD %s+%d(FP), %s", a.name, a.at, neonPointer(i))
	}
	w.line("\tMOVD n+%d(FP), %s", f.count, neonCount)
	w.line("\tMOVD $constants<>(SB), %s", neonTable)
}

func (t *neonTarget) loop(w *writer, count int, round func()) {
	again, end := w.label(), w.label()
	w.line("\tSUBS $%d, %s", count, neonCount)
	w.line("\tBLT %s", end)
	w.line("\tPCALIGN $16\n%s:", again)
	round()
	t.advance(w, count)
	w.line("\tSUBS $%d, %s", count, neonCount)
	w.line("\tBGE %s\n%s:", again, end)
	w.line("\tADD $%d, %s", count, neonCount)
}

func (t *neonTarget) rest(w *writer, _ *function, round func()) { t.loop(w, 1, round) }

// advance moves the place in the row.
func (t *neonTarget) advance(w *writer, count int) {
	for i, a := range t.f.arrays {
		w.line("\tADD $%d, %s", count*elemSizes[a.elem], neonPointer(i))
	}
}

// elemSizes has the bytes of an element of an array.
var elemSizes = map[string]int{
	"float64": 8, "float32": 4, "int32": 4, "uint32": 4, "uint16": 2, "uint8": 1, "byte": 1, "bool": 1,
}

func (*neonTarget) leave(w *writer, f *function, results []place) {
	for i, r := range f.results {
		w.line("\t%s F%d, %s+%d(FP)", neonMoves[r.bytes()], results[i].reg, r.name, r.at)
	}
	w.line("\tRET")
}

func (t *neonTarget) data(w *writer) {
	w.line("")
	for n, i := range t.constants {
		bits := i.bits
		if i.class != double {
			bits |= bits << 32
		}
		for half := range 2 {
			w.line("DATA constants<>+%d(SB)/8, $0x%016x", 16*n+8*half, bits)
		}
	}
	w.line("GLOBL constants<>(SB), RODATA|NOPTR, $%d", max(16, 16*len(t.constants)))
}

// neonMoves has what moves that many bytes between memory and a vector register.
var neonMoves = map[int]string{4: "FMOVS", 8: "FMOVD", 16: "FMOVQ"}

// neonLanes is how instructions name the lanes of a class.
var neonLanes = map[class]string{single: ".4s", double: ".2d", mask: ".4s"}

// neonSimple has the ops that are one instruction. Those that work on single or double alike have
// no lanes here.
var neonSimple = map[op]string{
	opAdd: "fadd", opSub: "fsub", opMul: "fmul", opDiv: "fdiv", opSqrt: "fsqrt",
	opMaxNaN: "fmax", opMinNaN: "fmin", opRound: "frintn",
	opAnd: "and", opOr: "orr", opXor: "eor", opMaskAnd: "and", opMaskOr: "orr",
	opIAdd: "add.4s", opISub: "sub.4s", opShl: "shl.4s", opShr: "ushr.4s",
	opToInt: "fcvtns.4s", opToFloat: "scvtf.4s", opNarrow: "fcvtn.2s", opJoin: "zip1.2d",
}

func (t *neonTarget) step(w *writer, f *function, s step, vectors int, partial bool) {
	emit := func(op string, operands ...int) { w.WriteString(neon(op, operands...)) }
	move := func(d, n int) {
		if d != n {
			emit("orr", d, n, n)
		}
	}
	d, from := s.to.reg, make([]int, len(s.from))
	for i, p := range s.from {
		from[i] = p.reg
	}
	has := func(r int, others ...int) bool {
		for _, o := range others {
			if o == r {
				return true
			}
		}
		return false
	}
	lanes := neonLanes[s.class]
	if name, ok := neonSimple[s.op]; ok {
		if _, ok := neonOps[name]; !ok {
			name += lanes
		}
		if s.op == opShl || s.op == opShr {
			from = append(from, s.imm)
		}
		emit(name, append([]int{d}, from...)...)
		return
	}
	switch s.op {
	case opLoad, opLoadHalf, opLoadShort, opLoadBFloat, opLoadByte, opLoadDouble:
		t.load(w, s, d, vectors, partial)
	case opStore, opStoreHalf, opStoreShort, opStoreUpper, opStoreByte, opStoreDouble:
		t.store(w, s, from[0], vectors, partial)
	case opBroadcast:
		t.broadcast(w, s.from[0], d, s.class)
	case opMove, opMaskBits:
		move(d, from[0])
	case opMin, opMax:
		x, y := from[0], from[1]
		m := d
		if has(d, x, y) {
			m = neonT0
		}
		if s.op == opMin {
			emit("fcmgt"+lanes, m, y, x)
		} else {
			emit("fcmgt"+lanes, m, x, y)
		}
		emit("bsl", m, x, y)
		move(d, m)
	case opFMA, opFNMA:
		if s.op == opFMA && timesOne(s) { // needs no copy of what is added
			emit("fadd"+lanes, d, from[0], from[2])
			break
		}
		sum := d
		if d != from[2] && has(d, from[0], from[1]) {
			sum = neonT0
		}
		move(sum, from[2])
		emit(map[op]string{opFMA: "fmla", opFNMA: "fmls"}[s.op]+lanes, sum, from[0], from[1])
		move(d, sum)
	case opShrAdd:
		sum := d
		if d != from[1] && d == from[0] {
			sum = neonT0
		}
		move(sum, from[1])
		emit("usra.4s", sum, from[0], s.imm)
		move(d, sum)
	case opHalfSum:
		emit([]string{"shadd.4s", "srhadd.4s"}[s.imm], d, from[0], from[1])
	case opAndNot:
		emit("bic", d, from[1], from[0])
	case opCompare:
		x, y := from[0], from[1]
		switch s.imm {
		case equal:
			emit("fcmeq.4s", d, x, y)
		case notEqual:
			emit("fcmeq.4s", d, x, y)
			emit("mvn", d, d)
		case less:
			emit("fcmgt.4s", d, y, x)
		case lessEqual:
			emit("fcmge.4s", d, y, x)
		case unordered:
			emit("fcmeq.4s", neonT0, x, x)
			emit("fcmeq.4s", d, y, y)
			emit("and", d, d, neonT0)
			emit("mvn", d, d)
		default:
			panic(fmt.Sprintf("%s: no predicate %d", f.name, s.imm))
		}
	case opSelect:
		m, x, y := from[0], from[1], from[2]
		switch d {
		case x:
			emit("bif", d, y, m)
		case y:
			emit("bit", d, x, m)
		default:
			move(d, m)
			emit("bsl", d, x, y)
		}
	case opWiden:
		emit([]string{"fcvtl.2d", "fcvtl2.2d"}[s.imm], d, from[0])
	case opActive:
		x, neutral := from[0], from[1]
		if s.imm == 1 { // all of the upper half lies behind the end
			move(d, neutral)
			break
		}
		move(neonT0, neutral)
		emit(map[class]string{single: "mov.s", double: "mov.d"}[s.class], neonT0, x)
		move(d, neonT0)
	case opFold:
		if s.class == single && s.imm == 2 {
			emit("trn2.4s", d, from[0], from[0])
		} else {
			emit("zip2.2d", d, from[0], from[0])
		}
	default:
		panic(fmt.Sprintf("%s: NEON has no op %d", f.name, s.op))
	}
}

// timesOne reports whether the second factor is 1 in float64.
func timesOne(s step) bool {
	i := s.from[1].info
	return i.constant && i.class == double && i.bits == math.Float64bits(1)
}

// address returns where the elements of a vector lie, and how many bytes they have together.
func (t *neonTarget) address(s step, vectors int, partial bool) (memory string, size int) {
	elem := elemSizes[t.f.arrays[s.array].elem]
	size = elem * t.lanes()
	offset := vectors * size
	if s.class == double {
		size /= 2
		offset += s.imm * size
	}
	if partial {
		size = elem
	}
	return fmt.Sprintf("%d(%s)", offset, neonPointer(s.array)), size
}

func (t *neonTarget) load(w *writer, s step, d, vectors int, partial bool) {
	memory, size := t.address(s, vectors, partial)
	switch {
	case partial && s.class == double && s.imm == 1: // behind the end
		w.WriteString(neon("eor", d, d, d))
	case size >= 4:
		w.line("\t%s %s, F%d", neonMoves[size], memory, d)
	default:
		w.line("\t%s %s, %s", map[int]string{1: "MOVBU", 2: "MOVHU"}[size], memory, neonScratch)
		w.line("\tFMOVS %s, F%d", neonScratch, d)
	}
	switch s.op {
	case opLoadHalf:
		w.WriteString(neon("fcvtl.4s", d, d))
	case opLoadBFloat:
		w.WriteString(neon("shll.4s", d, d))
	case opLoadByte:
		w.WriteString(neon("uxtl.8h", d, d))
		w.WriteString(neon("uxtl.4s", d, d))
	case opLoadShort:
		w.WriteString(neon("uxtl.4s", d, d))
	}
}

func (t *neonTarget) store(w *writer, s step, v, vectors int, partial bool) {
	memory, size := t.address(s, vectors, partial)
	if partial && s.class == double && s.imm == 1 {
		return // behind the end
	}
	switch s.op {
	case opStoreHalf:
		w.WriteString(neon("fcvtn.4h", neonT0, v))
		v = neonT0
	case opStoreShort:
		w.WriteString(neon("xtn.4h", neonT0, v))
		v = neonT0
	case opStoreUpper:
		w.WriteString(neon("shrn.4h", neonT0, v, 16))
		v = neonT0
	case opStoreByte:
		w.WriteString(neon("ushr.4s", neonT0, v, 31))
		w.WriteString(neon("xtn.4h", neonT0, neonT0))
		w.WriteString(neon("xtn.8b", neonT0, neonT0))
		v = neonT0
	}
	if size >= 4 {
		w.line("\t%s F%d, %s", neonMoves[size], v, memory)
		return
	}
	w.line("\tFMOVS F%d, %s", v, neonScratch)
	w.line("\t%s %s, %s", map[int]string{1: "MOVB", 2: "MOVH"}[size], neonScratch, memory)
}

// broadcast puts a constant or scalar into all lanes of d.
func (t *neonTarget) broadcast(w *writer, p place, d int, c class) {
	lanes := neonLanes[c]
	switch i := p.info; {
	case !p.memory:
		panic(t.f.name + ": broadcast of a register")
	case i.scalar > 0:
		s := t.f.scalars[i.scalar-1]
		w.line("\t%s %s+%d(FP), F%d", neonMoves[s.bytes()], s.name, s.at, d)
		w.WriteString(neon("dup"+lanes, d, d))
	case i.bits == 0:
		w.WriteString(neon("eor", d, d, d))
	default:
		n := slices.Index(t.constants, i)
		if n < 0 {
			n = len(t.constants)
			t.constants = append(t.constants, i)
		}
		w.line("\tFMOVQ %d(%s), F%d", 16*n, neonTable, d)
	}
}
