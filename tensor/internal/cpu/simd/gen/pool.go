package main

// This file writes what poolings need beside the kernels on rows: windows of 2×2, side by side.

func poolAMD64() []byte {
	s := new(asm)
	s.WriteString(header + textflag)
	for i := range 8 {
		s.p("DATA ·evens<>+%d(SB)/8, $0x%08x%08x", 8*i, 4*i+2, 4*i)
	}
	s.p("GLOBL ·evens<>(SB), RODATA|NOPTR, $64")
	s.maxPoolAVX512()
	s.maxPoolAVX2()
	return s.Bytes()
}

// poolArguments loads what both functions are given. R8 is where the current row of windows begins
// in x, R9 its position in the plane.
const poolArguments = `MOVQ y+0(FP), DI
MOVQ index+8(FP), DX
MOVQ x+16(FP), R8
MOVQ width+24(FP), R10
MOVQ rows+32(FP), R11
XORQ R9, R9`

// maxPoolAVX512 writes the function for windows of 2×2: the elements of 16 windows are four vectors,
// of the even and odd places in two rows.
func (s *asm) maxPoolAVX512() {
	s.text("·maxPool2AVX512", 48)
	s.p(poolArguments)
	s.p(`VMOVDQU32 ·evens<>(SB), Z16
MOVL $1, AX
VPBROADCASTD AX, Z17
VPADDD Z17, Z16, Z18
VPBROADCASTD R10, Z19
row:
MOVQ cols+40(FP), CX
MOVQ R8, SI
MOVQ R9, BX
loop:
MOVQ $16, R12
CMPQ CX, R12
CMOVQLT CX, R12
MOVQ $-1, AX
BZHIQ R12, AX, R13
ADDQ R12, R12
BZHIQ R12, AX, AX
KMOVW AX, K1
SHRQ $16, AX
KMOVW AX, K2
KMOVW R13, K3
SHRQ $8, R13
KMOVW R13, K4
LEAQ (SI)(R10*4), R12
VMOVUPS.Z (SI), K1, Z0
VMOVUPS.Z 64(SI), K2, Z1
VMOVUPS.Z (R12), K1, Z2
VMOVUPS.Z 64(R12), K2, Z3
VMOVAPS Z0, Z4
VPERMT2PS Z1, Z16, Z4
VMOVAPS Z0, Z5
VPERMT2PS Z1, Z18, Z5
VMOVAPS Z2, Z6
VPERMT2PS Z3, Z16, Z6
VMOVAPS Z2, Z7
VPERMT2PS Z3, Z18, Z7
VPBROADCASTD BX, Z8
VPADDD Z16, Z8, Z8
VPADDD Z17, Z8, Z9
VPADDD Z19, Z8, Z10
VPADDD Z19, Z9, Z11`)
	for i := 5; i < 8; i++ { // larger than what is the largest so far, or NaN
		s.p("VCMPPS $0x1e, Z4, Z%d, K5\nVCMPPS $3, Z%d, Z%d, K6\nKORW K5, K6, K5", i, i, i)
		s.p("VMOVAPS Z%d, K5, Z4\nVMOVDQA32 Z%d, K5, Z8", i, i+4)
	}
	s.p(`VMOVUPS Z4, K3, (DI)
VPMOVSXDQ Y8, Z0
VEXTRACTI64X4 $1, Z8, Y1
VPMOVSXDQ Y1, Z1
VMOVDQU64 Z0, K3, (DX)
VMOVDQU64 Z1, K4, 64(DX)
CMPQ CX, $16
JLE next
SUBQ $16, CX
ADDQ $64, DI
ADDQ $128, DX
ADDQ $128, SI
ADDQ $32, BX
JMP loop
next:
LEAQ (DI)(CX*4), DI
LEAQ (DX)(CX*8), DX
LEAQ (R8)(R10*8), R8
LEAQ (R9)(R10*2), R9
DECQ R11
JNZ row
VZEROUPPER
RET`)
}

// maxPoolAVX2 writes the same for at least 8 windows in a row, the last 8 of which may have been
// looked at before.
func (s *asm) maxPoolAVX2() {
	s.text("·maxPool2AVX2", 48)
	s.p(poolArguments)
	s.p(`VPCMPEQD Y14, Y14, Y14
VPSRLD $31, Y14, Y14
VMOVD R10, X15
VPBROADCASTD X15, Y15
row:
MOVQ cols+40(FP), CX
MOVQ R8, SI
MOVQ R9, BX
loop:
LEAQ (SI)(R10*4), R12
VMOVUPS (SI), Y0
VMOVUPS 32(SI), Y1
VMOVUPS (R12), Y2
VMOVUPS 32(R12), Y3
VSHUFPS $0x88, Y1, Y0, Y4
VSHUFPS $0xdd, Y1, Y0, Y5
VSHUFPS $0x88, Y3, Y2, Y6
VSHUFPS $0xdd, Y3, Y2, Y7
VPERMQ $0xd8, Y4, Y4
VPERMQ $0xd8, Y5, Y5
VPERMQ $0xd8, Y6, Y6
VPERMQ $0xd8, Y7, Y7
VMOVD BX, X8
VPBROADCASTD X8, Y8
VPADDD ·evens<>(SB), Y8, Y8
VPADDD Y14, Y8, Y9
VPADDD Y15, Y8, Y10
VPADDD Y15, Y9, Y11`)
	for i := 5; i < 8; i++ {
		s.p("VCMPPS $0x1e, Y4, Y%d, Y12\nVCMPPS $3, Y%d, Y%d, Y13\nVORPS Y12, Y13, Y12", i, i, i)
		s.p("VBLENDVPS Y12, Y%d, Y4, Y4\nVBLENDVPS Y12, Y%d, Y8, Y8", i, i+4)
	}
	s.p(`VMOVUPS Y4, (DI)
VPMOVSXDQ X8, Y0
VEXTRACTI128 $1, Y8, X1
VPMOVSXDQ X1, Y1
VMOVDQU Y0, (DX)
VMOVDQU Y1, 32(DX)
MOVQ $8, AX
SUBQ AX, CX
JZ next
CMPQ CX, AX
CMOVQLT CX, AX
LEAQ (DI)(AX*4), DI
LEAQ (DX)(AX*8), DX
LEAQ (SI)(AX*8), SI
LEAQ (BX)(AX*2), BX
CMPQ CX, $8
JGE loop
MOVQ $8, CX
JMP loop
next:
ADDQ $32, DI
ADDQ $64, DX
LEAQ (R8)(R10*8), R8
LEAQ (R9)(R10*2), R9
DECQ R11
JNZ row
VZEROUPPER
RET`)
}
