package main

// This file writes what convolutions need beside the kernels on rows.

func convAMD64() []byte {
	s := new(asm)
	s.WriteString(header + textflag)
	s.taps("AVX512", "Z", 64)
	s.taps("AVX2", "Y", 32)
	return s.Bytes()
}

// taps writes the function that copies rows of a panel from any places.
func (s *asm) taps(path, kind string, bytes int) {
	s.text("·packTaps"+path, 32)
	s.p(`MOVQ dst+0(FP), DI
MOVQ src+8(FP), SI
MOVQ offsets+16(FP), BX
MOVQ n+24(FP), CX
loop:
MOVQ (BX), AX
LEAQ (SI)(AX*4), AX`)
	for i := range 128 / bytes {
		s.p("VMOVUPS %d(AX), %s%d", i*bytes, kind, i)
	}
	for i := range 128 / bytes {
		s.p("VMOVUPS %s%d, %d(DI)", kind, i, i*bytes)
	}
	s.p("ADDQ $8, BX\nADDQ $128, DI\nDECQ CX\nJNZ loop\nVZEROUPPER\nRET")
}

func convARM64() []byte {
	k := new(neonAsm)
	k.WriteString(header + textflag)
	k.text("·packTapsNEON", 32)
	k.p(`MOVD dst+0(FP), R0
MOVD src+8(FP), R1
MOVD offsets+16(FP), R2
MOVD n+24(FP), R3
loop:
MOVD.P 8(R2), R4
ADD R4<<2, R1, R4`)
	for i := 0; i < 8; i += 2 {
		k.p("FLDPQ %d(R4), (F%d, F%d)", 16*i, i, i+1)
	}
	for i := 0; i < 8; i += 2 {
		k.p("FSTPQ (F%d, F%d), %d(R0)", i, i+1, 16*i)
	}
	k.p("ADD $128, R0\nSUBS $1, R3\nBNE loop\nRET")
	return k.Bytes()
}
