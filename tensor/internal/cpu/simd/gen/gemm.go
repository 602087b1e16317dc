package main

import (
	"bytes"
	"fmt"
	"strings"
)

// This file writes the micro-kernels of the matrix product for amd64 and what fills their panels.
//
// A kernel keeps a block of c in registers. For each step of the sum it loads a row of the panel and
// then, for each row of c, one element of a into all lanes. It computes one block behind the other
// without a call between them: the arguments of one would wait for room behind the rows of c that are
// still to be written, and the next block's sums with them. There is one kernel for each number of
// rows, so that m can be cut evenly; all share the arguments of the function that jumps to them.

// An asm collects assembly.
type asm struct{ bytes.Buffer }

// p writes lines, each indented but labels and what begins in the first column.
func (s *asm) p(format string, args ...any) {
	for line := range strings.SplitSeq(fmt.Sprintf(format, args...), "\n") {
		if !strings.HasSuffix(line, ":") {
			s.WriteByte('\t')
		}
		s.WriteString(line + "\n")
	}
}

// text begins a function.
func (s *asm) text(name string, args int) {
	fmt.Fprintf(s, "\nTEXT %s(SB), NOSPLIT, $0-%d\n", name, args)
}

// The sizes of the arguments of a kernel, and of one of taps.
const (
	kernelArgs = 97
	tapsArgs   = 89
)

// A form says what an AVX-512 kernel multiplies.
type form struct {
	name  string
	pairs bool // pairs of bfloat16, which count as one element
	taps  bool // columns of a that are dense and lie anywhere
}

// kinds returns how many columns the kernels of the form compute at most, vectors or a vector and a
// half: some processors compute half a vector in half the time.
func (f form) kinds() []int {
	if f.pairs || f.taps {
		return []int{16, 32}
	}
	return []int{8, 16, 24, 32}
}

var forms = []form{{"kernelAVX512", false, false}, {"kernelPairs", true, false},
	{"kernelTapsAVX512", false, true}, {"kernelTapsPairs", true, true}}

func gemmAMD64() []byte {
	s := new(asm)
	s.WriteString(header + textflag)
	for _, f := range forms {
		s.kernelTable(f.name, 14, f.kinds(), f.taps)
		for rows := 1; rows <= 14; rows++ {
			for kind := range f.kinds() {
				s.kernelAVX512(rows, kind, f)
			}
		}
	}
	s.maskAVX2()
	for _, taps := range []bool{false, true} {
		name := "kernelAVX2"
		if taps {
			name = "kernelTapsAVX2"
		}
		s.kernelTable(name, 6, []int{15, 16}, taps)
		for rows := 1; rows <= 6; rows++ {
			s.kernelAVX2(name, rows, true, taps)
			s.kernelAVX2(name, rows, false, taps)
		}
	}
	for _, e := range elems {
		s.packRows(e, true)
		s.packRows(e, false)
		s.columnsAVX512(e)
		s.columnsAVX2(e)
		s.loadRows(e, true)
		s.loadRows(e, false)
	}
	s.loadRows(twoRows, true)
	s.unpackAVX512()
	s.unpackAVX2()
	s.storeRows()
	s.rowKernels()
	return s.Bytes()
}

func argsOf(taps bool) int {
	if taps {
		return tapsArgs
	}
	return kernelArgs
}

func kernelName(name string, rows, kind int) string {
	return fmt.Sprintf("%s_%d_%d<>", name, rows, kind)
}

// kernelTable writes the function that jumps to a kernel by its rows and by its kind, the first for so
// many columns.
func (s *asm) kernelTable(name string, rows int, kinds []int, taps bool) {
	fmt.Fprintln(s)
	table := name + "Table<>"
	for r := 1; r <= rows; r++ {
		for kind := range kinds {
			fmt.Fprintf(s, "DATA %s+%d(SB)/8, $%s(SB)\n", table, (len(kinds)*r+kind)*8,
				kernelName(name, r, kind))
		}
	}
	fmt.Fprintf(s, "GLOBL %s(SB), RODATA, $%d\n", table, len(kinds)*(rows+1)*8)
	s.text("·"+name, argsOf(taps))
	s.p("MOVQ m_rows+0(FP), AX\nMOVQ cols+24(FP), BX\nIMUL3Q $%d, AX, AX", len(kinds))
	for _, most := range kinds[:len(kinds)-1] {
		s.p("XORL CX, CX\nCMPQ BX, $%d\nSETGT CX\nADDQ CX, AX", most)
	}
	s.p("LEAQ %s(SB), DX\nMOVQ (DX)(AX*8), AX\nJMP AX", table)
}

// loadArgs loads what a kernel works on: first, the number of blocks, R15, a R14 with strides DX and
// R8, the stride of b R9, c R11 with stride R12. Of taps the offsets are at R8, the current one in SI.
func (s *asm) loadArgs(taps bool) {
	names, registers := []string{"a", "rowA", "colA", "b", "rowB", "c", "rowC"},
		[]string{"R14", "DX", "R8", "DI", "R9", "R11", "R12"}
	if taps {
		names, registers = []string{"a", "offsets", "b", "rowB", "c", "rowC"},
			[]string{"R14", "R8", "DI", "R9", "R11", "R12"}
	}
	s.p("MOVQ m_first+8(FP), R15")
	for i, name := range names {
		s.p("MOVQ %s+%d(FP), %s", name, 40+8*i, registers[i])
	}
}

// beginBlock begins the next block: steps R10, a AX, b DI. DX·3 is in SI, and BX and CX are the fifth
// and the tenth row of a.
func (s *asm) beginBlock(rows int, taps bool) {
	s.p("block:\nMOVQ k+32(FP), R10\nMOVQ R14, AX")
	if taps {
		s.p("MOVQ offsets+48(FP), R8\nMOVQ b+56(FP), DI")
		return
	}
	s.p("MOVQ b+64(FP), DI\nLEAQ (DX)(DX*2), SI")
	if rows > 5 {
		s.p("LEAQ (AX)(DX*4), BX\nADDQ DX, BX")
	}
	if rows > 10 {
		s.p("LEAQ (BX)(DX*4), CX\nADDQ DX, CX")
	}
}

// endBlock repeats from block while there is one, and ends with those that have a row less, of which
// there are rest. R11 is the last row of the block's c.
func (s *asm) endBlock(name string, rows, kind int, taps bool) {
	c := 80
	if taps {
		s.p("ADDQ $%d, R14", 4*rows)
		c = 72
	} else {
		s.p("IMUL3Q $%d, DX, R13\nADDQ R13, R14", rows)
	}
	s.p("ADDQ R12, R11\nDECQ R15\nJNZ block")
	if rows > 1 {
		s.p("MOVQ m_rest+16(FP), R15\nTESTQ R15, R15\nJZ end")
		s.p("MOVQ R15, m_first+8(FP)\nMOVQ $0, m_rest+16(FP)\nMOVQ R14, a+40(FP)\nMOVQ R11, c+%d(FP)", c)
		s.p("JMP %s(SB)\nend:", kernelName(name, rows-1, kind))
	}
	s.p("VZEROUPPER\nRET")
}

// rowOfA returns the address of row i of a at the current step.
func rowOfA(i int, taps bool) string {
	if taps {
		return fmt.Sprintf("%d(AX)(SI*1)", 4*i)
	}
	base := [...]string{"AX", "BX", "CX"}[i/5]
	return "(" + base + ")" + [...]string{"", "(DX*1)", "(DX*2)", "(SI*1)", "(DX*4)"}[i%5]
}

// advance moves to the next step of the sum and repeats from the label while there is one.
func (s *asm) advance(rows int, taps bool, label string) {
	s.p("ADDQ R9, DI")
	if taps {
		s.p("ADDQ $8, R8")
	} else {
		s.p("ADDQ R8, AX")
		if rows > 5 {
			s.p("ADDQ R8, BX")
		}
		if rows > 10 {
			s.p("ADDQ R8, CX")
		}
	}
	s.p("DECQ R10\nJNZ %s", label)
}

// addFlag returns where the kernel is told whether to add to c.
func addFlag(taps bool) string { return fmt.Sprintf("add+%d(FP)", argsOf(taps)-1) }

// eachRow writes lines for each row of c, to which the register points in turn.
func (s *asm) eachRow(register string, rows int, lines func(i int)) {
	for i := range rows {
		lines(i)
		if i < rows-1 {
			s.p("ADDQ R12, %s", register)
		}
	}
}

// kernelAVX512 writes a kernel of one or two vectors of columns, the last of which may be a half. K1
// and K2 say what of them is there.
func (s *asm) kernelAVX512(rows, kind int, f form) {
	columns := f.kinds()[kind]
	vectors := (columns + 15) / 16
	sizes := [2]string{"Z", "Z"}
	if columns%16 != 0 {
		sizes[vectors-1] = "Y"
	}
	s.text(kernelName(f.name, rows, kind), argsOf(f.taps))
	s.p("MOVQ cols+24(FP), CX\nMOVQ $1, SI\nSHLQ CX, SI\nDECQ SI\nKMOVW SI, K1")
	if vectors == 2 {
		s.p("SHRQ $16, SI\nKMOVW SI, K2")
	}
	s.loadArgs(f.taps)
	s.beginBlock(rows, f.taps)
	for i := range rows * vectors {
		s.p("VPXORD Z%d, Z%d, Z%d", i, i, i)
	}
	s.p("MOVQ R11, R13")
	s.eachRow("R13", rows, func(int) {
		s.p("PREFETCHT1 (R13)")
		if vectors == 2 {
			s.p("PREFETCHT1 64(R13)")
		}
	})
	s.p("TESTQ R10, R10\nJZ done\nPCALIGN $32\nloop:")
	if f.taps {
		s.p("MOVQ (R8), SI")
	}
	for v := range vectors {
		s.p("VMOVUPS.Z %d(DI), K%d, %s%d", 64*v, v+1, sizes[v], 28+v)
	}
	for i := range rows {
		if vectors == 1 && !f.pairs { // used once: a load of its own would be one too many
			s.p("VFMADD231PS.BCST %[1]s, %[2]s28, %[2]s%[3]d", rowOfA(i, f.taps), sizes[0], i)
			continue
		}
		if vectors == 1 && f.taps {
			s.p("%s // %s, Z28, Z%d", bytesText(vdpbf16ps.encodeTap(i, 28, i)), rowOfA(i, true), i)
			continue
		}
		a := 30 + i%2
		s.p("VBROADCASTSS %s, Z%d", rowOfA(i, f.taps), a)
		for v := range vectors {
			if f.pairs {
				s.p("%s", vdpbf16ps.text(i*vectors+v, a, 28+v))
			} else {
				s.p("VFMADD231PS %[1]s%[2]d, %[1]s%[3]d, %[1]s%[4]d", sizes[v], a, 28+v, i*vectors+v)
			}
		}
	}
	s.advance(rows, f.taps, "loop")
	s.p("done:\nMOVBLZX %s, R13\nTESTL R13, R13\nJZ store\nMOVQ R11, R13", addFlag(f.taps))
	s.eachRow("R13", rows, func(i int) {
		for v := range vectors {
			s.p("VADDPS %[1]d(R13), %[2]s%[3]d, K%[4]d, %[2]s%[3]d", 64*v, sizes[v], i*vectors+v, v+1)
		}
	})
	s.p("store:")
	s.eachRow("R11", rows, func(i int) {
		for v := range vectors {
			s.p("VMOVUPS %s%d, K%d, %d(R11)", sizes[v], i*vectors+v, v+1, 64*v)
		}
	})
	s.endBlock(f.name, rows, kind, f.taps)
}

// maskAVX2 writes 16 lanes that are there and 16 that are not.
func (s *asm) maskAVX2() {
	fmt.Fprintln(s)
	for i := range 8 {
		fmt.Fprintf(s, "DATA maskAVX2<>+%d(SB)/8, $-1\n", i*8)
	}
	fmt.Fprintln(s, "GLOBL maskAVX2<>(SB), RODATA, $128")
}

// kernelAVX2 writes a kernel of 16 columns, or of fewer if masked.
func (s *asm) kernelAVX2(name string, rows int, masked, taps bool) {
	kind := 1
	if masked {
		kind = 0
	}
	s.text(kernelName(name, rows, kind), argsOf(taps))
	s.loadArgs(taps)
	if masked {
		s.p("MOVQ cols+24(FP), R13\nSHLQ $2, R13\nLEAQ maskAVX2<>+64(SB), CX\nSUBQ R13, CX")
	}
	s.beginBlock(rows, taps)
	for i := range 2 * rows {
		s.p("VXORPS Y%d, Y%d, Y%d", i, i, i)
	}
	s.p("MOVQ R11, R13")
	s.eachRow("R13", rows, func(int) { s.p("PREFETCHT1 (R13)") })
	s.p("TESTQ R10, R10\nJZ done\nPCALIGN $32\nloop:")
	if taps {
		s.p("MOVQ (R8), SI")
	}
	for v := range 2 {
		if masked {
			s.p("VMOVUPS %d(CX), Y15\nVMASKMOVPS %d(DI), Y15, Y%d", 32*v, 32*v, 12+v)
		} else {
			s.p("VMOVUPS %d(DI), Y%d", 32*v, 12+v)
		}
	}
	for i := range rows {
		a := 14 + i%2
		s.p("VBROADCASTSS %s, Y%d", rowOfA(i, taps), a)
		for v := range 2 {
			s.p("VFMADD231PS Y%d, Y%d, Y%d", a, 12+v, i*2+v)
		}
	}
	s.advance(rows, taps, "loop")
	s.p("done:")
	if masked {
		s.p("VMOVUPS (CX), Y12\nVMOVUPS 32(CX), Y13")
	}
	s.p("MOVBLZX %s, R13\nTESTL R13, R13\nJZ store\nMOVQ R11, R13", addFlag(taps))
	s.eachRow("R13", rows, func(i int) {
		for v := range 2 {
			if masked {
				s.p("VMASKMOVPS %d(R13), Y%d, Y14\nVADDPS Y14, Y%d, Y%d", 32*v, 12+v, i*2+v, i*2+v)
			} else {
				s.p("VADDPS %d(R13), Y%d, Y%d", 32*v, i*2+v, i*2+v)
			}
		}
	})
	s.p("store:")
	s.eachRow("R11", rows, func(i int) {
		for v := range 2 {
			if masked {
				s.p("VMASKMOVPS Y%d, Y%d, %d(R11)", i*2+v, 12+v, 32*v)
			} else {
				s.p("VMOVUPS Y%d, %d(R11)", i*2+v, 32*v)
			}
		}
	})
	s.endBlock(name, rows, kind, taps)
}
