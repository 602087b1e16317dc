package main

// This file writes the pooling of arm64: windows of 2×2, side by side, at least 4 in a row. The last
// 4 of a row may have been looked at before.

func poolARM64() []byte {
	k := new(neonAsm)
	k.WriteString(header + textflag)
	k.p("DATA ·evens<>+0(SB)/8, $0x0000000200000000\nDATA ·evens<>+8(SB)/8, $0x0000000600000004")
	k.p("GLOBL ·evens<>(SB), RODATA|NOPTR, $16")
	k.maxPool()
	return k.Bytes()
}

func (k *neonAsm) maxPool() {
	k.text("·maxPool2NEON", 48)
	k.p(`MOVD y+0(FP), R0
MOVD index+8(FP), R1
MOVD x+16(FP), R2
MOVD width+24(FP), R3
MOVD rows+32(FP), R4
MOVD $0, R5
MOVD $·evens<>(SB), R6
FMOVQ (R6), F16
MOVD $1, R6
VDUP R6, V17.S4
VDUP R3, V18.S4`)
	k.neon("eor", 19, 19, 19)
	k.p(`row:
MOVD cols+40(FP), R6
MOVD R2, R7
MOVD R5, R8
loop:
ADD R3<<2, R7, R9
FLDPQ (R7), (F0, F1)
FLDPQ (R9), (F2, F3)
VUZP1 V1.S4, V0.S4, V4.S4
VUZP2 V1.S4, V0.S4, V5.S4
VUZP1 V3.S4, V2.S4, V6.S4
VUZP2 V3.S4, V2.S4, V7.S4
VDUP R8, V8.S4`)
	k.neon("add.4s", 8, 8, 16)
	k.neon("add.4s", 9, 8, 17)
	k.neon("add.4s", 10, 8, 18)
	k.neon("add.4s", 11, 9, 18)
	for i := 5; i < 8; i++ { // larger than what is the largest so far, or NaN
		k.neon("fcmgt.4s", 12, i, 4)
		k.neon("fcmeq.4s", 13, i, i)
		k.neon("orn", 12, 12, 13)
		k.neon("bit", 4, i, 12)
		k.neon("bit", 8, i+4, 12)
	}
	k.neon("zip1.4s", 12, 8, 19) // positions of 64 bits
	k.neon("zip2.4s", 13, 8, 19)
	k.p(`FMOVQ F4, (R0)
FSTPQ (F12, F13), (R1)
MOVD $4, R10
SUBS R10, R6
BEQ next
CMP R10, R6
CSEL LT, R6, R10, R10
ADD R10<<2, R0
ADD R10<<3, R1
ADD R10<<3, R7
ADD R10<<1, R8
CMP $4, R6
BGE loop
MOVD $4, R6
B loop
next:
ADD $16, R0
ADD $32, R1
ADD R3<<3, R2
ADD R3<<1, R5
SUBS $1, R4
BNE row
RET`)
}
