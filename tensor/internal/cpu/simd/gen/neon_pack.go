package main

// This file writes what fills the panels of the matrix product on arm64.

// neonWiden has the instructions that make float32 of the lower and the upper half of a vector of
// 16-bit elements.
var neonWiden = map[string][2]string{
	"Half":   {"fcvtl.4s", "fcvtl2.4s"},
	"BFloat": {"shll.4s", "shll2.4s"},
}

// packRows writes the function that fills a panel from whole rows.
func (k *neonAsm) packRows(e elem) {
	k.text("·pack"+e.name+"RowsNEON", 32)
	k.p(`MOVD dst+0(FP), R0
MOVD src+8(FP), R1
MOVD rowSrc+16(FP), R2
MOVD k+24(FP), R3
loop:`)
	for i := 0; i < 8*e.size/4; i += 2 {
		k.p("FLDPQ %d(R1), (F%d, F%d)", 16*i, i, i+1)
	}
	if e.size == 2 {
		for i := 3; i >= 0; i-- {
			k.neon(neonWiden[e.name][1], 2*i+1, i)
			k.neon(neonWiden[e.name][0], 2*i, i)
		}
	}
	for i := 0; i < 8; i += 2 {
		k.p("FSTPQ (F%d, F%d), %d(R0)", i, i+1, 16*i)
	}
	k.p("ADD R2, R1\nADD $128, R0\nSUBS $1, R3\nBNE loop\nRET")
}

// loadRows writes the function that converts rows of at least 4 elements, the last 4 of which may be
// converted twice.
func (k *neonAsm) loadRows(e elem) {
	k.text("·load"+e.name+"RowsNEON", 48)
	k.p(`MOVD dst+0(FP), R0
MOVD pitch+8(FP), R1
MOVD src+16(FP), R2
MOVD rowSrc+24(FP), R3
MOVD n+32(FP), R4
MOVD rows+40(FP), R5
SUB $4, R4
LSL $%d, R4, R6
LSL $2, R4, R7
row:
MOVD R0, R8
MOVD R2, R9
MOVD R4, R10
CBZ R4, last
loop:`, e.size/2)
	k.next(e, 9, 0)
	k.p("FMOVQ.P F0, 16(R8)\nSUBS $4, R10\nBGT loop\nlast:\nADD R6, R2, R9\nADD R7, R0, R8")
	k.next(e, 9, 0)
	k.p("FMOVQ F0, (R8)\nADD R3, R2\nADD R1, R0\nSUBS $1, R5\nBNE row\nRET")
}

// packColumns writes the function that fills 4 columns of a panel, of which n are there, from dense
// ones: it transposes blocks of 4×4 elements. Those that are not there become copies of the first. k is
// a multiple of 4.
func (k *neonAsm) packColumns(e elem) {
	k.text("·pack"+e.name+"ColumnsNEON", 40)
	k.p(`MOVD dst+0(FP), R0
MOVD src+8(FP), R4
MOVD colSrc+16(FP), R2
MOVD k+24(FP), R3
MOVD n+32(FP), R1
ADD R2, R4, R5
ADD R2, R5, R6
ADD R2, R6, R7`)
	for i := 1; i < 4; i++ {
		k.p("CMP $%d, R1\nCSEL GT, R%d, R4, R%d", i, 4+i, 4+i)
	}
	k.p("loop:")
	for i := range 4 {
		k.next(e, 4+i, i)
	}
	k.transpose4()
	for i := range 4 {
		k.p("FMOVQ F%d, %d(R0)", i, 128*i)
	}
	k.p("ADD $512, R0\nSUBS $4, R3\nBNE loop\nRET")
}

// transpose4 transposes the 4×4 elements in V0 to V3 and needs V4 to V7.
func (k *neonAsm) transpose4() {
	for i := range 2 {
		k.neon("zip1.4s", 4+2*i, i, i+2)
		k.neon("zip2.4s", 5+2*i, i, i+2)
	}
	for i := range 2 {
		k.neon("zip1.4s", 2*i, 4+i, 6+i)
		k.neon("zip2.4s", 2*i+1, 4+i, 6+i)
	}
}

// unpackColumns writes the function that writes 4 columns of a panel to dense ones, in blocks of 4
// rows.
func (k *neonAsm) unpackColumns() {
	k.text("·unpackColumnsNEON", 40)
	k.p(`MOVD dst+0(FP), R4
MOVD colDst+8(FP), R2
MOVD src+16(FP), R0
MOVD k+24(FP), R3
MOVD bias+32(FP), R1
ADD R2, R4, R5
ADD R2, R5, R6
ADD R2, R6, R7`)
	for i := range 4 {
		k.p("FMOVS %d(R1), F%d", 4*i, 16+i)
		k.neon("dup.4s", 16+i, 16+i)
	}
	k.p("loop:")
	for i := range 4 {
		k.p("FMOVQ %d(R0), F%d", 128*i, i)
	}
	k.transpose4()
	for i := range 4 {
		k.neon("fadd.4s", i, i, 16+i)
	}
	for i := range 4 {
		k.p("FMOVQ.P F%d, 16(R%d)", i, 4+i)
	}
	k.p("ADD $512, R0\nSUBS $4, R3\nBNE loop\nRET")
}
