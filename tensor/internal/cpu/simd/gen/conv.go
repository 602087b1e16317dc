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
