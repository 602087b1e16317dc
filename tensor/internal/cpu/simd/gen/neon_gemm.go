package main

import "fmt"

// This file writes the micro-kernel of the matrix product for NEON: up to 6 rows and 16 columns of
// the result. Fewer than 16 columns are computed as 8, 4, 2 and 1, whichever there are, so that
// nothing behind them is touched.

// neonRows is how many rows the kernel takes: 6·4 vectors of sums, 4 of B and 4 elements of A fill
// the 32 registers.
const neonRows = 6

// General registers of the kernel. The rows of A are in R1 … R6.
const (
	gK      = "R0"
	gRowA   = "R7"
	gColA   = "R8" // of taps where their offsets are
	gColumn = "R9" // how far the column of A lies behind the first
	gB      = "R10"
	gRowB   = "R11"
	gC      = "R12"
	gRowC   = "R13"
	gAdd    = "R14"
	gCols   = "R15"
	gAtB    = "R19" // the row of B
	gLeft   = "R20" // rows of B left
	gAtC    = "R21" // the row of C
	gRows   = "R22"
	gAtTaps = "R23"
)

// Vectors: elements of A in V0 … V3, the row of B in V4 … V7, sums behind them.
func neonB(j int) int      { return 4 + j }
func neonSum(i, j int) int { return 8 + 4*i + j }
func neonA(i int) string   { return fmt.Sprintf("R%d", 1+i) }

// A neonAsm collects assembly of arm64.
type neonAsm struct{ asm }

func (k *neonAsm) neon(op string, operands ...int) { k.WriteString(neon(op, operands...)) }

func gemmARM64() []byte {
	k := new(neonAsm)
	k.WriteString(header + textflag)
	k.kernel(false)
	k.kernel(true)
	k.unpackColumns()
	for _, e := range elems {
		k.packRows(e)
		k.packColumns(e)
		k.loadRows(e)
		k.storeRows(e)
		k.addRows(e, 8)
		k.addRows(e, 1)
		k.multiplyDots(e)
	}
	return k.Bytes()
}

// kernel writes the micro-kernel, or that whose columns of A are dense and lie anywhere.
func (k *neonAsm) kernel(taps bool) {
	name := "·kernelNEON"
	if taps {
		name = "·kernelTapsNEON"
	}
	args := kernelArgs - 16 // one block alone: its rows, and neither first nor rest
	if taps {
		args = tapsArgs - 16
	}
	k.text(name, args)
	names, registers := []string{"rows", "cols", "k", "a", "rowA", "colA", "b", "rowB", "c", "rowC"},
		[]string{gRows, gCols, gK, neonA(0), gRowA, gColA, gB, gRowB, gC, gRowC}
	if taps {
		names, registers = []string{"rows", "cols", "k", "a", "offsets", "b", "rowB", "c", "rowC"},
			[]string{gRows, gCols, gK, neonA(0), gColA, gB, gRowB, gC, gRowC}
		k.p("MOVD $4, %s", gRowA)
	}
	for i, name := range names {
		k.p("MOVD %s+%d(FP), %s", name, 8*i, registers[i])
	}
	k.p("MOVBU add+%d(FP), %s", args-1, gAdd)
	for i := 1; i < neonRows; i++ { // those that there are not are not read
		k.p("ADD %s, %s, %s", gRowA, neonA(i-1), neonA(i))
	}
	for rows := 1; rows < neonRows; rows++ {
		k.p("CMP $%d, %s", rows, gRows)
		k.p("BEQ rows%d", rows)
	}
	for rows := neonRows; rows > 0; rows-- {
		k.p("rows%d:", rows)
		for bit := 4; bit >= 0; bit-- {
			k.block(rows, bit, taps)
		}
		k.p("RET")
	}
}

// block computes the next 1<<bit columns, if there are so many.
func (k *neonAsm) block(rows, bit int, taps bool) {
	columns := 1 << bit
	vectors := max(1, columns/4)
	label := fmt.Sprintf("_%dx%d", rows, columns)
	k.p("TBZ $%d, %s, end%s", bit, gCols, label)
	for i := range rows {
		for j := range vectors {
			k.neon("eor", neonSum(i, j), neonSum(i, j), neonSum(i, j))
		}
	}
	k.p("MOVD %s, %s", gB, gAtB)
	if taps {
		k.p("MOVD %s, %s", gColA, gAtTaps)
	} else {
		k.p("MOVD ZR, %s", gColumn)
	}
	k.p("MOVD %s, %s", gK, gLeft)
	k.p("CBZ %s, sums%s", gLeft, label)
	k.p("PCALIGN $16")
	k.p("loop%s:", label)
	k.load(gAtB, columns, neonB(0))
	k.p("ADD %s, %s", gRowB, gAtB)
	if taps {
		k.p("MOVD.P 8(%s), %s", gAtTaps, gColumn)
	}
	for i := range rows {
		k.p("FMOVS (%s)(%s), F%d", neonA(i), gColumn, i%4)
		for j := range vectors {
			k.neon("fmla.s", neonSum(i, j), neonB(j), i%4)
		}
	}
	if !taps {
		k.p("ADD %s, %s", gColA, gColumn)
	}
	k.p("SUBS $1, %s", gLeft)
	k.p("BNE loop%s", label)
	k.p("sums%s:", label)
	k.p("CBZ %s, store%s", gAdd, label)
	k.eachRow(rows, func(i int) {
		k.load(gAtC, columns, neonB(0))
		for j := range vectors {
			k.neon("fadd.4s", neonSum(i, j), neonSum(i, j), neonB(j))
		}
	})
	k.p("store%s:", label)
	k.eachRow(rows, func(i int) { k.store(gAtC, columns, neonSum(i, 0)) })
	k.p("ADD $%d, %s", 4*columns, gB)
	k.p("ADD $%d, %s", 4*columns, gC)
	k.p("end%s:", label)
}

// eachRow goes through the rows of C.
func (k *neonAsm) eachRow(rows int, body func(i int)) {
	k.p("MOVD %s, %s", gC, gAtC)
	for i := range rows {
		body(i)
		if i < rows-1 {
			k.p("ADD %s, %s", gRowC, gAtC)
		}
	}
}

// load loads n float32, a power of two up to 16, into vectors from v on.
func (k *neonAsm) load(at string, n, v int) {
	if n <= 4 {
		k.p("%s (%s), F%d", neonMoves[4*n], at, v)
	}
	for j := 0; j < n/8; j++ {
		k.p("FLDPQ %d(%s), (F%d, F%d)", 32*j, at, v+2*j, v+2*j+1)
	}
}

// store is the counterpart of load.
func (k *neonAsm) store(at string, n, v int) {
	if n <= 4 {
		k.p("%s F%d, (%s)", neonMoves[4*n], v, at)
	}
	for j := 0; j < n/8; j++ {
		k.p("FSTPQ (F%d, F%d), %d(%s)", v+2*j, v+2*j+1, 32*j, at)
	}
}
