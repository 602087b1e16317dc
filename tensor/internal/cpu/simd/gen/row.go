package main

import "fmt"

// This file writes the products of one row with a matrix for amd64. They read the matrix once, in
// the order in which it lies.

// rowKernels writes them for all formats.
func (s *asm) rowKernels() {
	for _, e := range elems {
		for _, rows := range []int{8, 1} {
			s.addRows(e, rows, true)
			s.addRows(e, rows, false)
		}
		s.multiplyDots(e, true)
		s.multiplyDots(e, false)
	}
}

// addRows writes the function that adds to c so many rows of a matrix times the elements of x. n is
// a multiple of 8 on AVX2.
func (s *asm) addRows(e elem, rows int, wide bool) {
	name, kind, lanes, x := "AVX2", "Y", 8, 8
	if wide {
		name, kind, lanes, x = "AVX512", "Z", 16, 16
	}
	s.text(fmt.Sprintf("·add%sRows%d%s", e.name, rows, name), 40)
	s.p(`MOVQ n+0(FP), CX
MOVQ x+8(FP), SI
MOVQ b+16(FP), DI
MOVQ rowB+24(FP), DX
MOVQ c+32(FP), AX
LEAQ (DX)(DX*2), BX
LEAQ (DI)(DX*4), R8`)
	for i := range rows {
		s.p("VBROADCASTSS %d(SI), %s%d", 4*i, kind, x+i)
	}
	address := func(i int) string {
		base := [...]string{"DI", "R8"}[i/4]
		return "(" + base + ")" + [...]string{"", "(DX*1)", "(DX*2)", "(BX*1)"}[i%4]
	}
	step := func(mask string) {
		z, k := "", ""
		if mask != "" {
			z, k = ".Z", mask+", "
		}
		s.p("VMOVUPS%s (AX), %s%s0", z, k, kind)
		for i := range rows {
			b := address(i)
			if e.size == 2 || mask != "" {
				register := fmt.Sprint(kind, 1+i%6)
				s.load(e, b, mask, register)
				b = register
			}
			s.p("VFMADD231PS %s, %s%d, %s0", b, kind, x+i, kind)
		}
		if mask != "" {
			mask += ", "
		}
		s.p("VMOVUPS %s0, %s(AX)", kind, mask)
	}
	s.p("SUBQ $%d, CX\nJLT rest\nPCALIGN $32\nloop:", lanes)
	step("")
	s.p("ADDQ $%d, DI\nADDQ $%d, R8\nADDQ $%d, AX\nSUBQ $%d, CX\nJGE loop\nrest:",
		lanes*e.size, lanes*e.size, lanes*4, lanes)
	if wide {
		s.p("ADDQ $16, CX\nJZ done\nMOVQ $1, SI\nSHLQ CX, SI\nDECQ SI\nKMOVW SI, K1")
		step("K1")
		s.p("done:")
	}
	s.p("VZEROUPPER\nRET")
}

// multiplyDots writes the function for a matrix in columns. It takes four columns at a time, n is a
// multiple of four and k of 32 or 16.
func (s *asm) multiplyDots(e elem, wide bool) {
	name, kind, bytes := "AVX2", "Y", 32
	if wide {
		name, kind, bytes = "AVX512", "Z", 64
	}
	s.text("·multiply"+e.name+"Dots"+name, 48)
	s.p(`MOVQ k+0(FP), R10
MOVQ n+8(FP), R11
MOVQ x+16(FP), R8
MOVQ b+24(FP), DI
MOVQ colB+32(FP), DX
MOVQ c+40(FP), R9
LEAQ (DX)(DX*2), BX
columns:
MOVQ R8, SI
MOVQ DI, AX
MOVQ R10, CX`)
	for i := range 8 {
		s.p("VXORPS %s%d, %s%d, %s%d", kind, i, kind, i, kind, i)
	}
	s.p("PCALIGN $32\nloop:")
	for v := range 2 {
		x := fmt.Sprint(kind, 14+v)
		s.p("VMOVUPS %d(SI), %s", v*bytes, x)
		for i, column := range []string{"(AX)", "(AX)(DX*1)", "(AX)(DX*2)", "(AX)(BX*1)"} {
			address := fmt.Sprint(v*bytes/4*e.size, column)
			if e.size == 2 {
				register := fmt.Sprint(kind, 8+i)
				s.load(e, address, "", register)
				address = register
			}
			s.p("VFMADD231PS %s, %s, %s%d", address, x, kind, 2*i+v)
		}
	}
	s.p("ADDQ $%d, SI\nADDQ $%d, AX\nSUBQ $%d, CX\nJNZ loop", 2*bytes, bytes/2*e.size, bytes/2)
	for i := range 4 {
		s.p("VADDPS %s%d, %s%d, %s%d", kind, 2*i+1, kind, 2*i, kind, i)
		if wide {
			s.p("VEXTRACTF64X4 $1, Z%d, Y8\nVADDPS Y8, Y%d, Y%d", i, i, i)
		}
	}
	s.p(`VHADDPS Y1, Y0, Y0
VHADDPS Y3, Y2, Y2
VHADDPS Y2, Y0, Y0
VEXTRACTF128 $1, Y0, X1
VADDPS X1, X0, X0
VMOVUPS X0, (R9)
ADDQ $16, R9
LEAQ (DI)(DX*4), DI
SUBQ $4, R11
JNZ columns
VZEROUPPER
RET`)
}
