package main

import "fmt"

// This file writes what fills the panels of the matrix product on amd64.

// An elem is a format of elements in memory: its name and bytes.
type elem struct {
	name string
	size int
}

var elems = []elem{{"Float", 4}, {"Half", 2}, {"BFloat", 2}}

// twoRows are pairs of bfloat16 from two rows, the second of which lies R12 bytes behind the first.
var twoRows = elem{"Pair", 2}

// load loads elements at an address as float32 into a vector register; mask is "" or a register that
// says which, and the others are zero.
func (s *asm) load(e elem, address, mask, register string) {
	z := ""
	if mask != "" {
		z, mask = ".Z", mask+", "
	}
	switch e.name {
	case "Float":
		s.p("VMOVUPS%s %s, %s%s", z, address, mask, register)
	case "Half":
		s.p("VCVTPH2PS%s %s, %s%s", z, address, mask, register)
	case "Pair":
		s.p("VPMOVZXWD%s %s, %s%s\nVPMOVZXWD%s %s(R12*1), %sZ31\nVPSLLD $16, Z31, Z31\nVPORD Z31, %s, %s",
			z, address, mask, register, z, address, mask, register, register)
	default:
		s.p("VPMOVZXWD%s %s, %s%s\nVPSLLD $16, %s, %s", z, address, mask, register, register, register)
	}
}

// packRows writes the function that fills a panel from whole rows.
func (s *asm) packRows(e elem, wide bool) {
	name, kind, bytes := "AVX2", "Y", 32
	if wide {
		name, kind, bytes = "AVX512", "Z", 64
	}
	s.text("·pack"+e.name+"Rows"+name, 32)
	s.p(`MOVQ dst+0(FP), DI
MOVQ src+8(FP), SI
MOVQ rowSrc+16(FP), DX
MOVQ k+24(FP), CX
loop:`)
	for i := range 128 / bytes {
		s.load(e, fmt.Sprintf("%d(SI)", i*bytes/4*e.size), "", fmt.Sprint(kind, i))
	}
	for i := range 128 / bytes {
		s.p("VMOVUPS %s%d, %d(DI)", kind, i, i*bytes)
	}
	s.p("ADDQ DX, SI\nADDQ $128, DI\nDECQ CX\nJNZ loop\nVZEROUPPER\nRET")
}

// loadRows writes the function that converts rows of any length with AVX-512, and of at least 8
// elements with AVX2, whose last 8 may be converted twice.
func (s *asm) loadRows(e elem, wide bool) {
	name, kind, lanes := "AVX2", "Y", 8
	if wide {
		name, kind, lanes = "AVX512", "Z", 16
	}
	args := 48
	if e == twoRows {
		args = 56
	}
	s.text("·load"+e.name+"Rows"+name, args)
	if e == twoRows {
		s.p("MOVQ next+48(FP), R12")
	}
	s.p(`MOVQ n+32(FP), CX
DECQ CX
MOVQ CX, BX`)
	if wide {
		s.p("SHRQ $4, BX\nANDQ $15, CX\nMOVQ $2, AX\nSHLQ CX, AX\nDECQ AX\nKMOVW AX, K1")
	} else {
		s.p("SHRQ $3, BX\nSUBQ $7, CX") // CX is where the last vector begins
		s.p("LEAQ (CX*4), R13\nLEAQ (CX*%d), R12", e.size)
	}
	s.p(`MOVQ dst+0(FP), DI
MOVQ pitch+8(FP), R8
MOVQ src+16(FP), SI
MOVQ rowSrc+24(FP), DX
MOVQ rows+40(FP), CX
row:
MOVQ SI, R10
MOVQ DI, R11
MOVQ BX, R9
TESTQ R9, R9
JZ last
loop:`)
	s.load(e, "(R10)", "", kind+"0")
	s.p("VMOVUPS %s0, (R11)\nADDQ $%d, R10\nADDQ $%d, R11\nDECQ R9\nJNZ loop\nlast:", kind,
		lanes*e.size, lanes*4)
	if wide {
		s.load(e, "(R10)", "K1", "Z0")
		s.p("VMOVUPS Z0, K1, (R11)")
	} else {
		s.load(e, "(SI)(R12*1)", "", "Y0")
		s.p("VMOVUPS Y0, (DI)(R13*1)")
	}
	s.p("ADDQ DX, SI\nADDQ R8, DI\nDECQ CX\nJNZ row\nVZEROUPPER\nRET")
}

// columnsAVX512 writes the function that fills 16 columns of a panel, of which n are there, from
// dense ones: it transposes blocks of 16×16 elements.
func (s *asm) columnsAVX512(e elem) {
	s.text("·pack"+e.name+"ColumnsAVX512", 40)
	s.p(`MOVQ dst+0(FP), DI
MOVQ src+8(FP), SI
MOVQ colSrc+16(FP), DX
MOVQ k+24(FP), CX
MOVQ n+32(FP), BX
loop:
MOVQ $-1, R9
CMPQ CX, $16
JGE whole
MOVQ $1, R9
SHLQ CX, R9
DECQ R9
whole:
KMOVW R9, K1
MOVQ SI, AX
MOVQ BX, R10`)
	for i := range 16 {
		s.load(e, "(AX)", "K1", fmt.Sprint("Z", i))
		if i < 15 {
			s.p("DECQ R10\nJZ zero%d\nADDQ DX, AX", i+1)
		}
	}
	s.p("JMP turn")
	for i := 1; i < 16; i++ {
		s.p("zero%d:\nVPXORD Z%d, Z%d, Z%d", i, i, i, i)
	}
	s.p("turn:")
	s.transpose16()
	s.p("MOVQ CX, R10")
	for i := range 16 {
		s.p("VMOVUPS Z%d, (DI)\nADDQ $128, DI\nDECQ R10\nJZ done", i)
	}
	s.p("SUBQ $16, CX\nADDQ $%d, SI\nJMP loop\ndone:\nVZEROUPPER\nRET", 16*e.size)
}

// transpose16 transposes the 16×16 elements in Z0 to Z15 and needs the other registers.
func (s *asm) transpose16() {
	for i := 0; i < 16; i += 2 {
		s.p("VUNPCKLPS Z%d, Z%d, Z%d\nVUNPCKHPS Z%d, Z%d, Z%d", i+1, i, 16+i, i+1, i, 17+i)
	}
	for i := 0; i < 16; i += 4 {
		for j := range 2 {
			x, y := 16+i+j, 18+i+j
			s.p("VUNPCKLPD Z%d, Z%d, Z%d\nVUNPCKHPD Z%d, Z%d, Z%d", y, x, i+2*j, y, x, i+2*j+1)
		}
	}
	// Lane l of register i+c has elements i … i+3 of column 4l+c, for i = 0, 4, 8, 12.
	const even, odd = 0x88, 0xdd
	shuffle := func(lanes, x, y, dst int) { s.p("VSHUFF32X4 $0x%x, Z%d, Z%d, Z%d", lanes, y, x, dst) }
	for c := range 4 {
		shuffle(even, c, 4+c, 16+c)
		shuffle(odd, c, 4+c, 20+c)
		shuffle(even, 8+c, 12+c, 24+c)
		shuffle(odd, 8+c, 12+c, 28+c)
	}
	for c := range 4 {
		shuffle(even, 16+c, 24+c, c)
		shuffle(odd, 16+c, 24+c, 8+c)
		shuffle(even, 20+c, 28+c, 4+c)
		shuffle(odd, 20+c, 28+c, 12+c)
	}
}

// columnsAVX2 writes the function that fills 8 columns of a panel from dense ones, in blocks of 8×8
// elements; k is a multiple of 8.
func (s *asm) columnsAVX2(e elem) {
	s.text("·pack"+e.name+"ColumnsAVX2", 32)
	s.p(`MOVQ dst+0(FP), DI
MOVQ src+8(FP), SI
MOVQ colSrc+16(FP), DX
MOVQ k+24(FP), CX
loop:
MOVQ SI, AX`)
	for i := range 8 {
		s.load(e, "(AX)", "", fmt.Sprint("Y", i))
		if i < 7 {
			s.p("ADDQ DX, AX")
		}
	}
	s.transpose8()
	for i := range 8 {
		s.p("VMOVUPS Y%d, %d(DI)", 8+i, i*128)
	}
	s.p("ADDQ $%d, SI\nADDQ $1024, DI\nSUBQ $8, CX\nJNZ loop\nVZEROUPPER\nRET", 8*e.size)
}

// transpose8 transposes the 8×8 elements in Y0 to Y7 to Y8 to Y15.
func (s *asm) transpose8() {
	for i := 0; i < 8; i += 2 {
		s.p("VUNPCKLPS Y%d, Y%d, Y%d\nVUNPCKHPS Y%d, Y%d, Y%d", i+1, i, 8+i, i+1, i, 9+i)
	}
	for i := 0; i < 8; i += 4 {
		for j := range 2 {
			x, y := 8+i+j, 10+i+j
			s.p("VUNPCKLPD Y%d, Y%d, Y%d\nVUNPCKHPD Y%d, Y%d, Y%d", y, x, i+2*j, y, x, i+2*j+1)
		}
	}
	for c := range 4 {
		s.p("VPERM2F128 $0x20, Y%d, Y%d, Y%d\nVPERM2F128 $0x31, Y%d, Y%d, Y%d",
			4+c, c, 8+c, 4+c, c, 12+c)
	}
}

// unpackArguments loads what both functions that write columns are given.
const unpackArguments = `MOVQ dst+0(FP), DI
MOVQ colDst+8(FP), DX
MOVQ src+16(FP), SI
MOVQ k+24(FP), CX
MOVQ bias+32(FP), BX
loop:`

// unpackAVX512 writes the function that writes 16 columns of a panel, of which n are wanted, to dense
// ones. It reads whole blocks of 16 rows.
func (s *asm) unpackAVX512() {
	s.text("·unpackColumnsAVX512", 48)
	s.p(unpackArguments)
	s.p(`MOVQ $-1, R9
CMPQ CX, $16
JGE whole
MOVQ $1, R9
SHLQ CX, R9
DECQ R9
whole:
KMOVW R9, K1`)
	for i := range 16 {
		s.p("VMOVUPS %d(SI), Z%d", 128*i, i)
	}
	s.transpose16()
	for i := range 16 {
		s.p("VADDPS.BCST %d(BX), Z%d, Z%d", 4*i, i, i)
	}
	s.p("MOVQ n+40(FP), R10\nMOVQ DI, AX")
	for i := range 16 {
		s.p("VMOVUPS Z%d, K1, (AX)", i)
		if i < 15 {
			s.p("DECQ R10\nJZ next\nADDQ DX, AX")
		}
	}
	s.p("next:\nADDQ $2048, SI\nADDQ $64, DI\nSUBQ $16, CX\nJGT loop\nVZEROUPPER\nRET")
}

// unpackAVX2 writes the same for 8 columns and blocks of 8 rows.
func (s *asm) unpackAVX2() {
	s.text("·unpackColumnsAVX2", 40)
	s.p(unpackArguments)
	for i := range 8 {
		s.p("VMOVUPS %d(SI), Y%d", 128*i, i)
	}
	s.transpose8()
	for i := range 8 {
		s.p("VBROADCASTSS %d(BX), Y0\nVADDPS Y0, Y%d, Y%d", 4*i, 8+i, 8+i)
	}
	s.p("MOVQ DI, AX")
	for i := range 8 {
		s.p("VMOVUPS Y%d, (AX)", 8+i)
		if i < 7 {
			s.p("ADDQ DX, AX")
		}
	}
	s.p("ADDQ $1024, SI\nADDQ $32, DI\nSUBQ $8, CX\nJNZ loop\nVZEROUPPER\nRET")
}
