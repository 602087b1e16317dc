package main

// This file writes what stores rows of sums on arm64.

// storeRows writes the function that adds the bias, if any, to rows of whole panels and rounds them
// to a format.
func (k *neonAsm) storeRows(e elem) {
	const (
		bias  = 16 // registers of the bias, 8
		spare = 24
		up    = 28 // what roundBFloat needs
		quiet = 29
	)
	k.text("·store"+e.name+"NEON", 48)
	k.p(`MOVD dst+0(FP), R0
MOVD rowDst+8(FP), R1
MOVD sums+16(FP), R2
MOVD rowSums+24(FP), R3
MOVD m+32(FP), R4
MOVD bias+40(FP), R5`)
	if e.name == "BFloat" {
		k.p("MOVD $0x7fff, R6\nVDUP R6, V%d.S4\nMOVD $0x400000, R6\nVDUP R6, V%d.S4", up, quiet)
	}
	k.p("CBZ R5, none")
	for i := 0; i < 8; i += 2 {
		k.p("FLDPQ %d(R5), (F%d, F%d)", 16*i, bias+i, bias+i+1)
	}
	k.p("B loop\nnone:\nMOVD $0x80000000, R6")
	for i := range 8 {
		k.p("VDUP R6, V%d.S4", bias+i)
	}
	k.p("loop:")
	for i := 0; i < 8; i += 2 {
		k.p("FLDPQ %d(R2), (F%d, F%d)", 16*i, i, i+1)
	}
	for i := range 8 {
		k.neon("fadd.4s", i, i, bias+i)
	}
	for i := 0; i < 8; i += 2 {
		switch e.name {
		case "Half":
			k.neon("fcvtn.4h", i/2, i)
			k.neon("fcvtn2.8h", i/2, i+1)
		case "BFloat":
			for v := i; v < i+2; v++ {
				k.neon("shl.4s", spare, v, 15) // where the last place that stays is odd
				k.neon("add.4s", spare+1, v, up)
				k.neon("usra.4s", spare+1, spare, 31)
				k.neon("fcmeq.4s", spare, v, v)
				k.neon("orr", v, v, quiet)
				k.neon("bit", v, spare+1, spare)
			}
			k.neon("shrn.4h", i/2, i, 16)
			k.neon("shrn2.8h", i/2, i+1, 16)
		}
	}
	for i := 0; i < 2*e.size; i += 2 {
		k.p("FSTPQ (F%d, F%d), %d(R0)", i, i+1, 16*i)
	}
	k.p("ADD R3, R2\nADD R1, R0\nSUBS $1, R4\nBNE loop\nRET")
}
