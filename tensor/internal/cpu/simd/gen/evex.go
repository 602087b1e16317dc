package main

import (
	"fmt"
	"strings"
)

// This file encodes instructions of AVX-512 that Go's assembler does not have. Registers are given
// by their numbers, 0 to 31, destination first as in Intel's manual.

// An evexOp is an instruction with EVEX prefix on 512-bit registers.
type evexOp struct {
	prefix byte // 0 for none, 1 for 66, 2 for F3, 3 for F2
	opmap  byte // 1 for 0F, 2 for 0F38, 3 for 0F3A
	wide   bool // EVEX.W
	opcode byte
}

var (
	vdpbf16ps      = evexOp{2, 2, false, 0x52} // dst += products of the pairs of two registers
	vcvtneps2bf16  = evexOp{2, 2, false, 0x72} // the lower half of dst = bfloat16 of a register
	vcvtne2ps2bf16 = evexOp{3, 2, false, 0x72} // dst = bfloat16 of two registers, the upper first
)

// encode returns the bytes of the instruction dst, x, y. An instruction with one source has it in y
// and zero in x. See the Intel manual, volume 2, section 2.7.
func (op evexOp) encode(dst, x, y int) []byte {
	inverse := func(register, bit int) byte { return byte(^register >> bit & 1) }
	p0 := inverse(dst, 3)<<7 | inverse(y, 4)<<6 | inverse(y, 3)<<5 | inverse(dst, 4)<<4 | op.opmap
	p1 := byte(^x&15)<<3 | 1<<2 | op.prefix
	if op.wide {
		p1 |= 1 << 7
	}
	const length512 = 2 << 5
	p2 := length512 | inverse(x, 4)<<3
	return []byte{0x62, p0, p1, p2, op.opcode, 3<<6 | byte(dst&7)<<3 | byte(y&7)}
}

// encodeTap returns the bytes of the instruction dst, x and the float32 in all lanes that row i of
// a kernel of taps has at the current step: at AX + SI + 4·i.
func (op evexOp) encodeTap(dst, x, i int) []byte {
	b := op.encode(dst, x, 0)
	const (
		broadcast  = 1 << 4 // in the third byte of the prefix
		short      = 1 << 6 // a displacement of one byte, counted in elements
		scaled     = 4      // a base and an index
		baseAndTap = 6 << 3 // AX and SI
	)
	b[3] |= broadcast
	b[5] = short | b[5]&^0xc7 | scaled
	return append(b, baseAndTap, byte(i))
}

// text returns the instruction in the assembler's syntax.
func (op evexOp) text(dst, x, y int) string { return bytesText(op.encode(dst, x, y)) }

// bytesText returns bytes in the assembler's syntax.
func bytesText(bytes []byte) string {
	var b strings.Builder
	for i, v := range bytes {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "BYTE $0x%02X", v)
	}
	return b.String()
}
