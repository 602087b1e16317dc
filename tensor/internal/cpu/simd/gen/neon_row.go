package main

import "fmt"

// This file writes the products of one row with a matrix for arm64, which read the matrix once, in
// the order in which it lies.

// next loads the 4 elements at a pointer as float32 and moves the pointer behind them.
func (k *neonAsm) next(e elem, pointer, v int) {
	k.p("%s.P %d(R%d), F%d", neonMoves[4*e.size], 4*e.size, pointer, v)
	if e.size == 2 {
		k.neon(neonWiden[e.name][0], v, v)
	}
}

// addRows writes the function that adds to c so many rows of a matrix times the elements of x. n is
// a multiple of 4 and not 0.
func (k *neonAsm) addRows(e elem, rows int) {
	const first = 4 // register of the first row
	k.text(fmt.Sprintf("·add%sRows%dNEON", e.name, rows), 40)
	k.p(`MOVD n+0(FP), R0
MOVD x+8(FP), R1
MOVD b+16(FP), R%d
MOVD rowB+24(FP), R2
MOVD c+32(FP), R3`, first)
	for i := range rows {
		if i > 0 {
			k.p("ADD R2, R%d, R%d", first+i-1, first+i)
		}
		k.p("FMOVS %d(R1), F%d", 4*i, 16+i)
	}
	k.p("PCALIGN $16\nloop:\nFMOVQ (R3), F0")
	for i := range rows {
		k.next(e, first+i, 1+i)
		k.neon("fmla.s", 0, 1+i, 16+i)
	}
	k.p("FMOVQ F0, (R3)\nADD $16, R3\nSUBS $4, R0\nBNE loop\nRET")
}

// multiplyDots writes the function for a matrix in columns. It takes four columns at a time; n is a
// multiple of 4 and k of 8, and neither is 0.
func (k *neonAsm) multiplyDots(e elem) {
	k.text("·multiply"+e.name+"DotsNEON", 48)
	k.p(`MOVD k+0(FP), R0
MOVD n+8(FP), R1
MOVD x+16(FP), R2
MOVD b+24(FP), R11
MOVD colB+32(FP), R3
MOVD c+40(FP), R8
columns:
MOVD R11, R4
ADD R3, R4, R5
ADD R3, R5, R6
ADD R3, R6, R7
ADD R3, R7, R11
MOVD R2, R9
MOVD R0, R10`)
	for i := range 8 {
		k.neon("eor", i, i, i)
	}
	k.p("PCALIGN $16\nloop:\nFLDPQ (R9), (F16, F17)\nADD $32, R9")
	for v := range 2 {
		for i := range 4 {
			k.next(e, 4+i, 8+i)
			k.neon("fmla.4s", 2*i+v, 8+i, 16+v)
		}
	}
	k.p("SUBS $8, R10\nBNE loop")
	for i := range 4 {
		k.neon("fadd.4s", i, 2*i, 2*i+1)
	}
	k.neon("faddp.4s", 0, 0, 1)
	k.neon("faddp.4s", 2, 2, 3)
	k.neon("faddp.4s", 0, 0, 2)
	k.p("FMOVQ F0, (R8)\nADD $16, R8\nSUBS $4, R1\nBNE columns\nRET")
}
