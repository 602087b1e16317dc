package main

import (
	"fmt"
	"strings"
)

// This file implements an encoder for the vector instructions of arm64, most of which Go's assembler
// does not have. Loads and stores it has, and those are written in its syntax.

// A neonOp is an instruction: its word with all operands zero, and the operands. They are named for
// their fields: d, n and m are vector registers, followed by how they are cut into lanes; #l is a
// shift to the left of lanes of that many bits, #r one to the right.
type neonOp struct {
	word     uint32
	operands string
}

// neonOps has the instructions by mnemonic and, where it has more than one form, the lanes of d.
var neonOps = map[string]neonOp{
	"fadd.4s":  {0x4e20d400, "d.4s n.4s m.4s"},
	"fsub.4s":  {0x4ea0d400, "d.4s n.4s m.4s"},
	"fmul.4s":  {0x6e20dc00, "d.4s n.4s m.4s"},
	"fdiv.4s":  {0x6e20fc00, "d.4s n.4s m.4s"},
	"fmax.4s":  {0x4e20f400, "d.4s n.4s m.4s"},
	"fmin.4s":  {0x4ea0f400, "d.4s n.4s m.4s"},
	"fmla.4s":  {0x4e20cc00, "d.4s n.4s m.4s"},
	"fmls.4s":  {0x4ea0cc00, "d.4s n.4s m.4s"},
	"fmla.s":   {0x4f801000, "d.4s n.4s m.s[0]"},
	"fcmeq.4s": {0x4e20e400, "d.4s n.4s m.4s"},
	"fcmge.4s": {0x6e20e400, "d.4s n.4s m.4s"},
	"fcmgt.4s": {0x6ea0e400, "d.4s n.4s m.4s"},
	"facgt.4s": {0x6ea0ec00, "d.4s n.4s m.4s"},
	"fadd.2d":  {0x4e60d400, "d.2d n.2d m.2d"},
	"fsub.2d":  {0x4ee0d400, "d.2d n.2d m.2d"},
	"fmul.2d":  {0x6e60dc00, "d.2d n.2d m.2d"},
	"fdiv.2d":  {0x6e60fc00, "d.2d n.2d m.2d"},
	"fmla.2d":  {0x4e60cc00, "d.2d n.2d m.2d"},
	"fmls.2d":  {0x4ee0cc00, "d.2d n.2d m.2d"},
	"faddp.4s": {0x6e20d400, "d.4s n.4s m.4s"},
	"faddp.2d": {0x7e70d800, "d.d n.2d"},
	"fmaxv.4s": {0x6e30f800, "d.s n.4s"},
	"fminv.4s": {0x6eb0f800, "d.s n.4s"},

	"fabs.4s":   {0x4ea0f800, "d.4s n.4s"},
	"fneg.4s":   {0x6ea0f800, "d.4s n.4s"},
	"fsqrt.4s":  {0x6ea1f800, "d.4s n.4s"},
	"frintn.4s": {0x4e218800, "d.4s n.4s"},
	"frintm.4s": {0x4e219800, "d.4s n.4s"},
	"frintp.4s": {0x4ea18800, "d.4s n.4s"},
	"frintz.4s": {0x4ea19800, "d.4s n.4s"},
	"fsqrt.2d":  {0x6ee1f800, "d.2d n.2d"},
	"fcvtns.4s": {0x4e21a800, "d.4s n.4s"},
	"scvtf.4s":  {0x4e21d800, "d.4s n.4s"},
	"fcvtl.4s":  {0x0e217800, "d.4s n.4h"},
	"fcvtl2.4s": {0x4e217800, "d.4s n.8h"},
	"fcvtn.4h":  {0x0e216800, "d.4h n.4s"},
	"fcvtn2.8h": {0x4e216800, "d.8h n.4s"},
	"fcvtl.2d":  {0x0e617800, "d.2d n.2s"},
	"fcvtl2.2d": {0x4e617800, "d.2d n.4s"},
	"fcvtn.2s":  {0x0e616800, "d.2s n.2d"},
	"fcvtn2.4s": {0x4e616800, "d.4s n.2d"},
	"uxtl.8h":   {0x2f08a400, "d.8h n.8b"},
	"uxtl.4s":   {0x2f10a400, "d.4s n.4h"},
	"xtn.8b":    {0x0e212800, "d.8b n.8h"},
	"xtn.4h":    {0x0e612800, "d.4h n.4s"},
	"shll.4s":   {0x2e613800, "d.4s n.4h"},
	"shll2.4s":  {0x6e613800, "d.4s n.8h"},
	"uzp1.8h":   {0x4e401800, "d.8h n.8h m.8h"},
	"uzp2.8h":   {0x4e405800, "d.8h n.8h m.8h"},
	"zip1.4s":   {0x4e803800, "d.4s n.4s m.4s"},
	"zip2.4s":   {0x4e807800, "d.4s n.4s m.4s"},
	"zip1.2d":   {0x4ec03800, "d.2d n.2d m.2d"},
	"zip2.2d":   {0x4ec07800, "d.2d n.2d m.2d"},
	"trn2.4s":   {0x4e806800, "d.4s n.4s m.4s"},
	"add.4s":    {0x4ea08400, "d.4s n.4s m.4s"},
	"sub.4s":    {0x6ea08400, "d.4s n.4s m.4s"},
	"add.2d":    {0x4ee08400, "d.2d n.2d m.2d"},
	"smax.4s":   {0x4ea06400, "d.4s n.4s m.4s"},
	"smin.4s":   {0x4ea06c00, "d.4s n.4s m.4s"},
	"cmeq.4s":   {0x6ea08c00, "d.4s n.4s m.4s"},
	"cmgt.4s":   {0x4ea03400, "d.4s n.4s m.4s"},
	"cmhi.4s":   {0x6ea03400, "d.4s n.4s m.4s"},
	"sshl.4s":   {0x4ea04400, "d.4s n.4s m.4s"},
	"shl.4s":    {0x4f005400, "d.4s n.4s #l32"},
	"sshr.4s":   {0x4f000400, "d.4s n.4s #r32"},
	"ushr.4s":   {0x6f000400, "d.4s n.4s #r32"},
	"usra.4s":   {0x6f001400, "d.4s n.4s #r32"},
	"shadd.4s":  {0x4ea00400, "d.4s n.4s m.4s"},
	"srhadd.4s": {0x4ea01400, "d.4s n.4s m.4s"},
	"shrn.4h":   {0x0f008400, "d.4h n.4s #r16"},
	"shrn2.8h":  {0x4f008400, "d.8h n.4s #r16"},
	"and":       {0x4e201c00, "d.16b n.16b m.16b"},
	"bic":       {0x4e601c00, "d.16b n.16b m.16b"},
	"orr":       {0x4ea01c00, "d.16b n.16b m.16b"},
	"orn":       {0x4ee01c00, "d.16b n.16b m.16b"},
	"eor":       {0x6e201c00, "d.16b n.16b m.16b"},
	"bsl":       {0x6e601c00, "d.16b n.16b m.16b"},
	"bit":       {0x6ea01c00, "d.16b n.16b m.16b"},
	"bif":       {0x6ee01c00, "d.16b n.16b m.16b"},
	"mvn":       {0x6e205800, "d.16b n.16b"},
	"addv.4s":   {0x4eb1b800, "d.s n.4s"},
	"umaxv.4s":  {0x6eb0a800, "d.s n.4s"},
	"mov.s":     {0x6e040400, "d.s[0] n.s[0]"},
	"mov.d":     {0x6e080400, "d.d[0] n.d[0]"},
	"dup.4s":    {0x4e040400, "d.4s n.s[0]"},
	"dup.2d":    {0x4e080400, "d.2d n.d[0]"},
}

// neon returns the line of an instruction: a register's number or a shift's count for each operand,
// in their order.
func neon(op string, operands ...int) string {
	word, text := encodeNEON(op, operands)
	return fmt.Sprintf("\tWORD $0x%08x // %s\n", word, text)
}

// encodeNEON returns the word of an instruction and its text in the processor's own syntax.
func encodeNEON(op string, operands []int) (word uint32, text string) {
	o, ok := neonOps[op]
	fields := strings.Fields(o.operands)
	if !ok || len(fields) != len(operands) {
		panic(fmt.Sprintf("%s with %d operands: no such instruction of NEON", op, len(operands)))
	}
	word = o.word
	words := make([]string, len(fields))
	for i, f := range fields {
		v := operands[i]
		if f[0] != '#' {
			word |= uint32(v) << map[byte]int{'d': 0, 'n': 5, 'm': 16}[f[0]]
			words[i] = fmt.Sprintf("v%d%s", v, f[1:])
			continue
		}
		bits := 32
		if f[2:] == "16" {
			bits = 16
		}
		if f[1] == 'l' {
			word |= uint32(bits+v) << 16
		} else {
			word |= uint32(2*bits-v) << 16
		}
		words[i] = fmt.Sprintf("#%d", v)
	}
	// Where the result is one number the processor's syntax has no "v": faddp d0, v1.2d.
	if single, ok := strings.CutPrefix(fields[0], "d."); ok && len(single) == 1 {
		words[0] = fmt.Sprintf("%s%d", single, operands[0])
	}
	mnemonic, _, _ := strings.Cut(op, ".")
	if strings.HasPrefix(mnemonic, "shll") { // always by the width of a lane
		words = append(words, "#16")
	}
	return word, mnemonic + " " + strings.Join(words, ", ")
}
