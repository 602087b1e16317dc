package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// amd64 is the target of AVX-512 or, where it is not wide, of AVX2 with FMA and F16C.
//
// Registers: the arrays lie at DI, SI, … R9, and R11 counts the elements that are done, CX those
// that are left. R10, R13 and R14 are free for use within a step, and so is the last vector
// register. In the rest of a row, AVX-512 has the mask of what is within it in K1, and the upper
// half of it in K7; AVX2 has the address of such a mask in R12. With bfloat K6 is free like R10.
type amd64 struct {
	wide      bool
	bfloat    bool            // AVX512BF16: an instruction rounds to bfloat16
	constants map[info]bool   // those that the file needs
	rare      strings.Builder // code of the function that is seldom run, to stand behind its end
}

var pointers = [...]string{"DI", "SI", "AX", "BX", "DX", "R8", "R9"}

func newAMD64(wide, bfloat bool) *amd64 {
	return &amd64{wide: wide, bfloat: bfloat, constants: map[info]bool{}}
}

func (t *amd64) name() string {
	switch {
	case t.bfloat:
		return "AVX512BF16"
	case t.wide:
		return "AVX512"
	}
	return "AVX2"
}

func (t *amd64) arch() string { return "amd64" }

func (t *amd64) lanes() int {
	if t.wide {
		return 16
	}
	return 8
}

func (t *amd64) registers() (vectors, masks int) {
	switch {
	case t.bfloat:
		return 31, 4
	case t.wide:
		return 31, 5
	}
	return 15, 0
}

func (t *amd64) native(o op) bool {
	return o == opLoadWide || t.wide && (o == opScale || o == opLookup) || t.bfloat && o == opStoreBFloat
}

func (t *amd64) apart(op) int { return 0 }

func (t *amd64) loads(inst, int, info) bool { return false }

// memory: AVX-512 broadcasts a number from memory, AVX2 has constants there in all lanes.
func (t *amd64) memory(in inst, i int, v info) bool {
	if v.scalar > 0 && !t.wide {
		return false
	}
	switch in.op {
	case opAdd, opMul, opAnd, opOr, opXor, opIAdd, opFMA, opFNMA:
		return true
	case opSub, opDiv, opMin, opMax, opAndNot, opISub, opCompare, opSelect, opScale, opLookup:
		return i == 1
	}
	return false
}

// reg names a vector register, half one of half its width.
func (t *amd64) reg(p place) string {
	if p.class == mask && t.wide {
		return fmt.Sprintf("K%d", p.reg+2)
	}
	return t.vector(p.reg)
}

func (t *amd64) vector(n int) string {
	if t.wide {
		return fmt.Sprintf("Z%d", n)
	}
	return fmt.Sprintf("Y%d", n)
}

func (t *amd64) half(p place) string {
	if t.wide {
		return fmt.Sprintf("Y%d", p.reg)
	}
	return fmt.Sprintf("X%d", p.reg)
}

// spare is the register that steps may use, and its lower 128 bits.
func (t *amd64) spare() (whole, low string) {
	vectors, _ := t.registers()
	return t.vector(vectors), fmt.Sprintf("X%d", vectors)
}

func (t *amd64) source(f *function, p place) string {
	if !p.memory {
		return t.reg(p)
	}
	if p.info.scalar > 0 {
		s := f.scalars[p.info.scalar-1]
		return fmt.Sprintf("%s+%d(FP)", s.name, s.at)
	}
	t.constants[p.info] = true
	return symbol(p.info) + "(SB)"
}

func symbol(i info) string {
	if i.table != (table{}) {
		return fmt.Sprintf("t%08x%08x<>", math.Float32bits(i.table[0]), math.Float32bits(i.table[1]))
	}
	if i.class == double {
		return fmt.Sprintf("d%016x<>", i.bits)
	}
	return fmt.Sprintf("c%08x<>", i.bits)
}

func (t *amd64) address(f *function, array, vectors, skip, size int) string {
	if array >= len(pointers) {
		panic(f.name + ": too many arrays")
	}
	at := (vectors*t.lanes() + skip) * size
	if at == 0 {
		return fmt.Sprintf("(%s)(R11*%d)", pointers[array], size)
	}
	return fmt.Sprintf("%d(%s)(R11*%d)", at, pointers[array], size)
}

func (t *amd64) enter(w *writer, f *function) {
	frame := 0
	if !t.wide {
		frame = 16 // 16-bit and 8-bit elements of the rest of a row pass through it
	}
	w.line("\n// %s\nTEXT ·%s(SB), NOSPLIT, $%d-%d", f.declaration(), f.name, frame, f.size)
	for i, a := range f.arrays {
		w.line("\tMOVQ %s+%d(FP), %s", a.name, a.at, pointers[i])
	}
	w.line("\tMOVQ n+%d(FP), CX\n\tXORL R11, R11", f.count)
}

func (t *amd64) loop(w *writer, count int, round func()) {
	again, end := w.label(), w.label()
	w.line("\tCMPQ CX, $%d\n\tJLT %s\n\tPCALIGN $32\n%s:", count, end, again)
	round()
	w.line("\tADDQ $%d, R11\n\tSUBQ $%d, CX\n\tCMPQ CX, $%d\n\tJGE %s\n%s:", count, count, count, again, end)
}

// long is the number of elements from which on rows are stored past the caches; accuracy.md says how
// it was measured.
const long = 1 << 17

// stream needs aligned stores, and an output that is not one of the inputs, which are in the caches.
func (t *amd64) stream(w *writer, f *function, count int, round func()) {
	end := w.label()
	w.line("\tCMPQ CX, $%d\n\tJLT %s\n\tTESTQ $63, DI\n\tJNE %s", long, end, end)
	for _, p := range pointers[1:len(f.arrays)] {
		w.line("\tCMPQ DI, %s\n\tJEQ %s", p, end)
	}
	t.loop(w, count, round)
	w.line("\tSFENCE\n%s:", end)
}

func (t *amd64) rest(w *writer, f *function, round func()) {
	end := w.label()
	w.line("\tTESTQ CX, CX\n\tJEQ %s", end)
	if t.wide {
		w.line("\tMOVL $-1, R13\n\tBZHIL CX, R13, R13\n\tKMOVW R13, K1\n\tKSHIFTRW $8, K1, K7")
	} else {
		w.line("\tLEAQ tails<>+32(SB), R12\n\tLEAQ (CX*4), R13\n\tSUBQ R13, R12")
	}
	round()
	w.line("%s:", end)
}

func (t *amd64) leave(w *writer, f *function, results []place) {
	for i, p := range results {
		move := map[string]string{"float32": "VMOVSS", "float64": "VMOVSD", "uint32": "VMOVD", "int32": "VMOVD"}
		r := f.results[i]
		w.line("\t%s X%d, %s+%d(FP)", move[r.elem], p.reg, r.name, r.at)
	}
	w.line("\tVZEROUPPER\n\tRET")
	w.WriteString(t.rare.String())
	t.rare.Reset()
}

func (t *amd64) data(w *writer) {
	compare := func(x, y info) int { return compareInfo(x, y) }
	for _, i := range slices.SortedFunc(maps.Keys(t.constants), compare) {
		size, n := 4, 1
		if i.class == double {
			size = 8
		}
		if !t.wide {
			n = 32 / size
		}
		lanes := slices.Repeat([]uint64{i.bits}, n)
		if i.table != (table{}) {
			lanes = lanes[:0]
			for _, v := range i.table {
				lanes = append(lanes, uint64(math.Float32bits(v)))
			}
		}
		w.line("")
		for k, bits := range lanes {
			w.line("DATA %s+%d(SB)/%d, $%#x", symbol(i), k*size, size, bits)
		}
		w.line("GLOBL %s(SB), RODATA|NOPTR, $%d", symbol(i), len(lanes)*size)
	}
	if !t.wide {
		w.line("\n// A mask of n elements begins n elements before the middle.")
		for k := range 4 {
			w.line("DATA tails<>+%d(SB)/8, $-1", 8*k)
		}
		w.line("GLOBL tails<>(SB), RODATA|NOPTR, $64")
	}
	clear(t.constants)
}

// arithmetic are the ops of two operands, without PS or PD behind.
var arithmetic = map[op]string{opAdd: "VADD", opSub: "VSUB", opMul: "VMUL", opDiv: "VDIV",
	opMin: "VMIN", opMax: "VMAX", opAnd: "VAND", opOr: "VOR", opXor: "VXOR", opAndNot: "VANDN",
	opScale: "VSCALEF"}

// predicates are the codes of VCMPPS.
var predicates = [...]int{equal: 0, notEqual: 4, less: 1, lessEqual: 2, unordered: 3}

func (t *amd64) step(w *writer, f *function, s step, vectors int, partial bool) {
	suffix := "PS"
	if s.class == double {
		suffix = "PD"
	}
	to := t.reg(s.to)
	from := make([]string, len(s.from))
	memory := -1
	for i, p := range s.from {
		from[i] = t.source(f, p)
		if p.memory {
			memory = i
		}
	}
	cast := "" // AVX-512 broadcasts what lies in memory
	if memory >= 0 && t.wide {
		cast = ".BCST"
	}
	switch s.op {
	case opLoad, opLoadHalf, opLoadShort, opLoadByte, opLoadDouble:
		t.load(w, f, s, vectors, partial)
	case opStore, opStoreHalf, opStoreBFloat, opStoreShort, opStoreByte, opStoreDouble:
		t.store(w, f, s, vectors, partial)
	case opBroadcast:
		switch p := s.from[0].info; {
		case p.table != (table{}):
			w.line("\tVMOVUPS %s, %s", from[0], to)
		case p.constant && p.bits == 0:
			w.line("\tVXORPS %s, %s, %s", to, to, to)
		case p.class == double:
			w.line("\tVBROADCASTSD %s, %s", from[0], to)
		default:
			w.line("\tVBROADCASTSS %s, %s", from[0], to)
		}
	case opMove:
		if from[0] != to {
			w.line("\tVMOVAPS %s, %s", from[0], to)
		}
	case opAdd, opSub, opMul, opDiv, opMin, opMax, opAnd, opOr, opXor, opAndNot, opScale:
		if memory == 0 { // the op is commutative
			from[0], from[1] = from[1], from[0]
		}
		w.line("\t%s%s%s %s, %s, %s", arithmetic[s.op], suffix, cast, from[1], from[0], to)
	case opIAdd, opISub:
		if memory == 0 {
			from[0], from[1] = from[1], from[0]
		}
		name := map[op]string{opIAdd: "VPADDD", opISub: "VPSUBD"}[s.op]
		w.line("\t%s%s %s, %s, %s", name, cast, from[1], from[0], to)
	case opShl:
		w.line("\tVPSLLD $%d, %s, %s", s.imm, from[0], to)
	case opShr:
		w.line("\tVPSRLD $%d, %s, %s", s.imm, from[0], to)
	case opSqrt:
		w.line("\tVSQRT%s %s, %s", suffix, from[0], to)
	case opFMA:
		t.fma(w, "VFMADD", suffix, cast, s, from, to)
	case opFNMA:
		t.fma(w, "VFNMADD", suffix, cast, s, from, to)
	case opCompare:
		w.line("\tVCMPPS%s $%d, %s, %s, %s", cast, predicates[s.imm], from[1], from[0], to)
	case opSelect:
		if t.wide {
			w.line("\tVBLENDMPS%s %s, %s, %s, %s", cast, from[1], from[2], from[0], to)
		} else {
			w.line("\tVBLENDVPS %s, %s, %s, %s", from[0], from[1], from[2], to)
		}
	case opMaskAnd, opMaskOr:
		name := map[op]string{opMaskAnd: "VANDPS", opMaskOr: "VORPS"}[s.op]
		if t.wide {
			name = map[op]string{opMaskAnd: "KANDW", opMaskOr: "KORW"}[s.op]
		}
		w.line("\t%s %s, %s, %s", name, from[0], from[1], to)
	case opMaskBits:
		if t.wide {
			w.line("\tVPMOVM2D %s, %s", from[0], to)
		} else if from[0] != to {
			w.line("\tVMOVAPS %s, %s", from[0], to)
		}
	case opRound:
		if t.wide {
			w.line("\tVRNDSCALE%s $8, %s, %s", suffix, from[0], to)
		} else {
			w.line("\tVROUND%s $8, %s, %s", suffix, from[0], to)
		}
	case opToInt:
		w.line("\tVCVTPS2DQ %s, %s", from[0], to)
	case opToFloat:
		w.line("\tVCVTDQ2PS %s, %s", from[0], to)
	case opLoadWide:
		w.line("\tVCVTPS2PD %s, %s", t.address(f, s.array, vectors, s.imm*t.lanes()/2, 4), to)
	case opWiden:
		source := t.half(s.from[0])
		if s.imm == 1 {
			source = t.half(s.to)
			w.line("\t%s $1, %s, %s", t.pick("VEXTRACTF64X4", "VEXTRACTF128"), from[0], source)
		}
		w.line("\tVCVTPS2PD %s, %s", source, to)
	case opNarrow:
		w.line("\t%s %s, %s", t.pick("VCVTPD2PS", "VCVTPD2PSY"), from[0], t.half(s.to))
	case opLookup:
		w.line("\tVPERMPS %s, %s, %s", from[1], from[0], to)
	case opJoin:
		w.line("\t%s $1, %s, %s, %s", t.pick("VINSERTF64X4", "VINSERTF128"), t.half(s.from[1]), from[0], to)
	case opActive:
		t.active(w, s, from, to, suffix)
	case opFold:
		t.fold(w, s)
	default:
		panic(fmt.Sprintf("%s: op %d is unknown", f.name, s.op))
	}
}

func (t *amd64) pick(wide, narrow string) string {
	if t.wide {
		return wide
	}
	return narrow
}

// fma chooses between the three forms, whose first operand is also the result: 132 is first·last +
// middle, 213 middle·first + last, 231 middle·last + first. Only the last one may be memory.
func (t *amd64) fma(w *writer, name, suffix, cast string, s step, from []string, to string) {
	a, b, c := from[0], from[1], from[2]
	memoryA, memoryB, memoryC := s.from[0].memory, s.from[1].memory, s.from[2].memory
	if to == b || memoryA && to != a {
		a, b, memoryA, memoryB = b, a, memoryB, memoryA
	}
	line := func(form, last, middle string) {
		w.line("\t%s%s%s%s %s, %s, %s", name, form, suffix, cast, last, middle, to)
	}
	switch {
	case to == c:
		line("231", b, a)
	case to == a && memoryB:
		line("132", b, c)
	case to == a:
		line("213", c, b)
	case memoryC:
		w.line("\tVMOVAPS %s, %s", a, to)
		line("213", c, b)
	default:
		w.line("\tVMOVAPS %s, %s", c, to)
		line("231", b, a)
	}
}

// tail loads the mask of the rest of a row for AVX2, one for float64 elements where the class is
// double.
func (t *amd64) tail(w *writer, c class, half int, to string) {
	if c == double {
		w.line("\tVPMOVSXDQ %d(R12), %s", 16*half, to)
	} else {
		w.line("\tVMOVUPS (R12), %s", to)
	}
}

func (t *amd64) active(w *writer, s step, from []string, to, suffix string) {
	if t.wide {
		k := "K1"
		if s.class == double && s.imm == 1 {
			k = "K7"
		}
		w.line("\tVBLENDM%s %s, %s, %s, %s", suffix, from[0], from[1], k, to)
		return
	}
	spare, _ := t.spare()
	t.tail(w, s.class, s.imm, spare)
	w.line("\tVBLENDV%s %s, %s, %s, %s", suffix, spare, from[0], from[1], to)
}

// fold moves the upper half of the lanes that are in use down.
func (t *amd64) fold(w *writer, s step) {
	bits := s.imm * 32
	if s.class == double {
		bits = s.imm * 64
	}
	x, y := fmt.Sprintf("X%d", s.from[0].reg), fmt.Sprintf("X%d", s.to.reg)
	switch {
	case bits == 512:
		w.line("\tVEXTRACTF64X4 $1, %s, %s", t.reg(s.from[0]), t.half(s.to))
	case bits == 256:
		w.line("\t%s $1, Y%d, %s", t.pick("VEXTRACTF32X4", "VEXTRACTF128"), s.from[0].reg, y)
	case bits == 128:
		w.line("\tVPERMILPD $1, %s, %s", x, y)
	default:
		w.line("\tVPERMILPS $1, %s, %s", x, y)
	}
}
