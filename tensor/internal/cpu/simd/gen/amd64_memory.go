package main

import "fmt"

// This file has the loads and stores of amd64.

func (t *amd64) load(w *writer, f *function, s step, vectors int, partial bool) {
	at := func(size int) string { return t.address(f, s.array, vectors, 0, size) }
	to, zero := t.reg(s.to), ""
	if partial && t.wide {
		zero = ".Z"
	}
	inside := func(memory string) string {
		if partial && t.wide {
			return memory + ", K1"
		}
		return memory
	}
	switch s.op {
	case opLoad:
		if partial && !t.wide {
			t.tail(w, single, 0, to)
			w.line("\tVMASKMOVPS %s, %s, %s", at(4), to, to)
			return
		}
		w.line("\tVMOVUPS%s %s, %s", zero, inside(at(4)), to)
	case opLoadHalf, opLoadShort:
		memory := at(2)
		if partial && !t.wide {
			memory = t.gather(w, memory, 2)
		}
		w.line("\t%s%s %s, %s", map[op]string{opLoadHalf: "VCVTPH2PS", opLoadShort: "VPMOVZXWD"}[s.op],
			zero, inside(memory), to)
	case opLoadByte:
		memory := at(1)
		if partial && !t.wide {
			memory = t.gather(w, memory, 1)
		}
		w.line("\tVPMOVZXBD%s %s, %s", zero, inside(memory), to)
	case opLoadDouble:
		memory := t.address(f, s.array, vectors, s.imm*t.lanes()/2, 8)
		switch {
		case partial && !t.wide:
			t.tail(w, double, s.imm, to)
			w.line("\tVMASKMOVPD %s, %s, %s", memory, to, to)
		case partial && s.imm == 1:
			w.line("\tVMOVUPD.Z %s, K7, %s", memory, to)
		default:
			w.line("\tVMOVUPD%s %s, %s", zero, inside(memory), to)
		}
	}
}

func (t *amd64) store(w *writer, f *function, s step, vectors int, partial bool) {
	at := func(size int) string { return t.address(f, s.array, vectors, 0, size) }
	from := t.reg(s.from[0])
	spare, low := t.spare()
	inside := ""
	if partial && t.wide {
		inside = "K1, "
	}
	through := partial && !t.wide
	if s.op == opStoreBFloat {
		t.roundBFloat(w, s.from[0])
	}
	if s.past {
		t.storePast(w, s.op, from, at)
		return
	}
	switch s.op {
	case opStore:
		if through {
			t.tail(w, single, 0, spare)
			w.line("\tVMASKMOVPS %s, %s, %s", from, spare, at(4))
			return
		}
		w.line("\tVMOVUPS %s, %s%s", from, inside, at(4))
	case opStoreHalf:
		if through {
			w.line("\tVCVTPS2PH $0, %s, %s", from, low)
			t.scatter(w, low, at(2), 2)
			return
		}
		w.line("\tVCVTPS2PH $0, %s, %s%s", from, inside, at(2))
	case opStoreBFloat:
		if partial {
			w.line("\tVMOVDQU16 Y31, K1, %s", at(2))
		} else {
			w.line("\tVMOVUPS Y31, %s", at(2))
		}
	case opStoreShort:
		if t.wide {
			w.line("\tVPMOVDW %s, %s%s", from, inside, at(2))
			return
		}
		w.line("\tVPACKUSDW %s, %s, %s\n\tVPERMQ $8, %s, %s", from, from, spare, spare, spare)
		if through {
			t.scatter(w, low, at(2), 2)
			return
		}
		w.line("\tVMOVDQU %s, %s", low, at(2))
	case opStoreByte:
		if t.wide {
			w.line("\tVPMOVM2B %s, %s\n\tVPABSB %s, %s\n\tVMOVDQU8 %s, %s%s", from, low, low, low, low, inside, at(1))
			return
		}
		w.line("\tVPACKSSDW %s, %s, %s\n\tVPERMQ $8, %s, %s\n\tVPACKSSWB %s, %s, %s\n\tVPABSB %s, %s",
			from, from, spare, spare, spare, low, low, low, low, low)
		if through {
			t.scatter(w, low, at(1), 1)
			return
		}
		w.line("\tVMOVQ %s, %s", low, at(1))
	case opStoreDouble:
		memory := t.address(f, s.array, vectors, s.imm*t.lanes()/2, 8)
		switch {
		case through:
			t.tail(w, double, s.imm, spare)
			w.line("\tVMASKMOVPD %s, %s, %s", from, spare, memory)
		case partial && s.imm == 1:
			w.line("\tVMOVUPD %s, K7, %s", from, memory)
		default:
			w.line("\tVMOVUPD %s, %s%s", from, inside, memory)
		}
	}
}

// roundBFloat rounds to bfloat16 in Y31. The instruction takes subnormal numbers for zero: where there
// are any, the vector is rounded as integers, but NaN, which is made quiet.
func (t *amd64) roundBFloat(w *writer, p place) {
	const subnormal, nan = 0x20, 0x81
	from, rare, back := t.reg(p), w.label(), w.label()
	w.line("\tVFPCLASSPSZ $%#x, %s, K6\n\tKORTESTW K6, K6\n\tJNE %s", subnormal, from, rare)
	w.line("\t%s // VCVTNEPS2BF16 %s, Y31\n%s:", vcvtneps2bf16.text(31, 0, p.reg), from, back)
	constant := func(bits uint64) string {
		return t.source(nil, place{memory: true, info: info{constant: true, bits: bits}})
	}
	late := &writer{}
	late.line("%s:\n\tVPSRLD $16, %s, Z31\n\tVPANDD.BCST %s, Z31, Z31", rare, from, constant(1))
	late.line("\tVPADDD %s, Z31, Z31\n\tVPADDD.BCST %s, Z31, Z31", from, constant(0x7fff))
	late.line("\tVPSRLD $16, Z31, Z31\n\tVFPCLASSPSZ $%#x, %s, K6", nan, from)
	late.line("\tVPSRLD $16, %s, K6, Z31\n\tVPORD.BCST %s, Z31, K6, Z31", from, constant(0x40))
	late.line("\tVPMOVDW Z31, Y31\n\tJMP %s", back)
	t.rare.WriteString(late.String())
}

// storePast stores past the caches, which registers alone can do.
func (t *amd64) storePast(w *writer, o op, from string, at func(size int) string) {
	spare, low := t.spare()
	if t.wide {
		low = "Y31"
	}
	switch {
	case o == opStore:
		w.line("\tVMOVNTPS %s, %s", from, at(4))
		return
	case o == opStoreBFloat: // rounded already
	case o == opStoreHalf:
		w.line("\tVCVTPS2PH $0, %s, %s", from, low)
	case t.wide:
		w.line("\tVPMOVDW %s, %s", from, low)
	default:
		w.line("\tVPACKUSDW %s, %s, %s\n\tVPERMQ $8, %s, %s", from, from, spare, spare, spare)
	}
	w.line("\tVMOVNTPS %s, %s", low, at(2))
}

const stack = "rest-16(SP)"

// gather copies CX elements, fewer than a vector, to the stack and returns where they are.
func (t *amd64) gather(w *writer, memory string, size int) string {
	_, low := t.spare()
	w.line("\tVPXOR %s, %s, %s\n\tVMOVDQU %s, %s\n\tLEAQ %s, R13", low, low, low, low, stack, memory)
	t.copy(w, "(R13)", stack, size)
	return stack
}

// scatter writes the first CX elements of a register.
func (t *amd64) scatter(w *writer, low, memory string, size int) {
	w.line("\tVMOVDQU %s, %s\n\tLEAQ %s, R13", low, stack, memory)
	t.copy(w, stack, "(R13)", size)
}

// copy moves CX elements, the last one first.
func (t *amd64) copy(w *writer, from, to string, size int) {
	again := w.label()
	load := map[int]string{1: "MOVBLZX", 2: "MOVWLZX"}[size]
	store := map[int]string{1: "MOVB", 2: "MOVW"}[size]
	index := fmt.Sprintf("(R14*%d)", size)
	w.line("\tMOVQ CX, R14\n%s:\n\tDECQ R14\n\t%s %s%s, R10\n\t%s R10, %s%s\n\tJNE %s",
		again, load, from, index, store, to, index, again)
}
