package main

// This file writes what brings sums of the matrix product to the result on amd64: for each row of up
// to a panel's columns, it adds the bias and rounds. Where no bias is wanted it is -0, which changes
// nothing.

// storeArgs loads what the functions work on: the result DI with stride R8, sums SI with stride R9,
// m rows in CX, n columns in BX, the bias or nil in AX.
func (s *asm) storeArgs(name string) {
	s.text("·"+name, 56)
	s.p(`MOVQ dst+0(FP), DI
MOVQ rowDst+8(FP), R8
MOVQ sums+16(FP), SI
MOVQ rowSums+24(FP), R9
MOVQ m+32(FP), CX
MOVQ n+40(FP), BX
MOVQ bias+48(FP), AX`)
}

// storeRowsAVX512 writes the function for results of a format; native where bfloat16 is rounded by an
// instruction, which takes subnormals for zero, so that rows with any are rounded as without it.
func (s *asm) storeRowsAVX512(e elem, native bool) {
	name := "store" + e.name + "AVX512"
	if native {
		name += "BF16"
	}
	s.storeArgs(name)
	s.p(`MOVQ $-1, DX
BZHIQ BX, DX, DX
KMOVD DX, K3
KMOVW DX, K1
SHRQ $16, DX
KMOVW DX, K2
MOVL $0x80000000, DX
VPBROADCASTD DX, Z24
VMOVAPS Z24, Z25
TESTQ AX, AX
JZ ready
VMOVUPS.Z (AX), K1, Z24
VMOVUPS.Z 64(AX), K2, Z25
ready:`)
	if e.name == "BFloat" {
		s.p(`MOVL $1, DX
VPBROADCASTD DX, Z27
MOVL $0x7fff, DX
VPBROADCASTD DX, Z28
MOVL $0x400000, DX
VPBROADCASTD DX, Z29`)
	}
	s.p("loop:")
	s.prefetchNext(e)
	for v := range 2 {
		s.p("VMOVUPS.Z %d(SI), K%d, Z%d", 64*v, v+1, v)
	}
	for v := range 2 {
		s.p("VADDPS Z%d, Z%d, Z%d", 24+v, v, v)
	}
	switch {
	case native:
		s.p(`VFPCLASSPSZ $0x20, Z0, K4
VFPCLASSPSZ $0x20, Z1, K5
KORTESTW K5, K4
JNZ subnormal`)
		s.p("%s", vcvtne2ps2bf16.text(2, 1, 0))
		s.p("next:\nVMOVDQU16 Z2, K3, (DI)")
	case e.name == "BFloat":
		s.roundBFloat()
		s.p("VMOVDQU16 Z2, K3, (DI)")
	case e.name == "Half":
		for v := range 2 {
			s.p("VCVTPS2PH $0, Z%d, Y%d\nVMOVDQU16 Y%d, K%d, %d(DI)", v, v, v, v+1, 32*v)
		}
	default:
		for v := range 2 {
			s.p("VMOVUPS Z%d, K%d, %d(DI)", v, v+1, 64*v)
		}
	}
	s.p("ADDQ R9, SI\nADDQ R8, DI\nDECQ CX\nJNZ loop\nVZEROUPPER\nRET")
	if native {
		s.p("subnormal:")
		s.roundBFloat()
		s.p("JMP next")
	}
}

// prefetchNext asks for the row's part of the next panel, which is stored after another product.
func (s *asm) prefetchNext(e elem) {
	const panel = 32 // columns
	for at := panel * e.size; at < 2*panel*e.size; at += 64 {
		s.p("PREFETCHT1 %d(DI)", at)
	}
}

// roundBFloat rounds Z0 and Z1 to bfloat16 in Z2 without an instruction for it: it adds almost half
// of the last place that stays, and the rest of the half where that place is odd. NaN is made
// quiet.
func (s *asm) roundBFloat() {
	for v := range 2 {
		s.p(`VPSRLD $16, Z%[1]d, Z%[2]d
VPANDD Z27, Z%[2]d, Z%[2]d
VPADDD Z28, Z%[2]d, Z%[2]d
VPADDD Z%[1]d, Z%[2]d, Z%[2]d
VCMPPS $3, Z%[1]d, Z%[1]d, K4
VPORD Z29, Z%[1]d, K4, Z%[2]d
VPSRLD $16, Z%[2]d, Z%[2]d
VPMOVDW Z%[2]d, Y%[2]d`, v, 2+v)
	}
	s.p("VINSERTI64X4 $1, Y3, Z2, Z2")
}

// storeRowsAVX2 writes the function for whole panels in a format.
func (s *asm) storeRowsAVX2(e elem) {
	s.storeArgs("store" + e.name + "AVX2")
	if e.name == "BFloat" {
		s.p("VPCMPEQD Y13, Y13, Y13\nVPSRLD $31, Y13, Y14\nVPSRLD $17, Y13, Y13\nVPSLLD $22, Y14, Y15")
	}
	s.p(`VPCMPEQD Y8, Y8, Y8
VPSLLD $31, Y8, Y8
VMOVAPS Y8, Y9
VMOVAPS Y8, Y10
VMOVAPS Y8, Y11
TESTQ AX, AX
JZ loop`)
	for v := range 4 {
		s.p("VMOVUPS %d(AX), Y%d", 32*v, 8+v)
	}
	s.p("loop:")
	s.prefetchNext(e)
	for v := range 4 {
		s.p("VADDPS %d(SI), Y%d, Y%d", 32*v, 8+v, v)
	}
	for v := range 4 {
		switch e.name {
		case "BFloat":
			s.p(`VPSRLD $16, Y%[1]d, Y%[2]d
VPAND Y14, Y%[2]d, Y%[2]d
VPADDD Y13, Y%[2]d, Y%[2]d
VPADDD Y%[1]d, Y%[2]d, Y%[2]d
VORPS Y15, Y%[1]d, Y6
VCMPPS $3, Y%[1]d, Y%[1]d, Y7
VBLENDVPS Y7, Y6, Y%[2]d, Y%[2]d
VPSRLD $16, Y%[2]d, Y%[2]d`, v, 4+v%2)
			if v%2 == 1 {
				s.p("VPACKUSDW Y5, Y4, Y4\nVPERMQ $0xd8, Y4, Y4\nVMOVUPS Y4, %d(DI)", 16*(v-1))
			}
		case "Half":
			s.p("VCVTPS2PH $0, Y%d, X%d\nVMOVUPS X%d, %d(DI)", v, v, v, 16*v)
		default:
			s.p("VMOVUPS Y%d, %d(DI)", v, 32*v)
		}
	}
	s.p("ADDQ R9, SI\nADDQ R8, DI\nDECQ CX\nJNZ loop\nVZEROUPPER\nRET")
}

// storeRows writes all of them.
func (s *asm) storeRows() {
	for _, e := range elems {
		s.storeRowsAVX512(e, false)
		if e.name == "BFloat" {
			s.storeRowsAVX512(e, true)
		}
		s.storeRowsAVX2(e)
	}
}
