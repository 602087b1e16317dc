package main

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"
)

// neonWords has what GNU as makes of one example of each instruction: its word and its text.
//
//go:embed testdata/neon.txt
var neonWords string

// TestNEON: each instruction of the table is encoded as GNU as encodes its text.
func TestNEON(t *testing.T) {
	want := map[string]string{}
	for line := range strings.Lines(neonWords) {
		word, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		want[text] = word
	}
	for op, o := range neonOps {
		operands := []int{1, 18, 31}[:len(strings.Fields(o.operands))]
		if strings.Contains(o.operands, "#") {
			operands[2] = 13
		}
		word, text := encodeNEON(op, operands)
		if got := fmt.Sprintf("%08x", word); got != want[text] {
			t.Errorf("%s: %s, want %q", text, got, want[text])
		}
	}
}
