package repl

// This file implements the text of errors for people, with the line and a caret.

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"halfnote/repl/check"
	"halfnote/repl/display"
)

// Render is the text of an error that a person sees:
//
//	cell 3:2:9: undefined: foo
//	    y := foo(x)
//	         ^~~
//	help: did you mean "food"?
//
// Below a panic stand the calls that led to it. With color it has ANSI styles. Errors that are not
// an *Error give their own text.
func Render(err error, color bool) string {
	var e *Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	var b strings.Builder
	b.WriteString(e.render(color))
	renderTrace(&b, e.Frames, mostFrames, color)
	return b.String()
}

// render is the text of an error without the calls that led to it.
func (e *Error) render(color bool) string {
	if len(e.Diagnostics) == 0 || e.Kind == KindInterrupt || e.Kind == KindExit {
		return display.StyleError.Paint(e.Message(), color)
	}
	var b strings.Builder
	for i, d := range e.Diagnostics {
		if i > 0 {
			b.WriteByte('\n')
		}
		renderOne(&b, d, color)
	}
	return b.String()
}

func renderOne(b *strings.Builder, d check.Diagnostic, color bool) {
	place := d.Cell
	if d.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d", d.Cell, d.Line, d.Col)
	}
	if place != "" {
		b.WriteString(display.StylePlace.Paint(place+":", color) + " ")
	}
	b.WriteString(display.StyleError.Paint(d.Msg, color))
	if d.Source != "" {
		text, before, meant := indented(d)
		caret := "^" + strings.Repeat("~", max(columns(meant)-1, 0))
		fmt.Fprintf(b, "\n    %s\n    %s%s", text, before, display.StyleCaret.Paint(caret, color))
	}
	if d.Help != "" {
		fmt.Fprintf(b, "\n%s %s", display.StyleHelp.Paint("help:", color), d.Help)
	}
}

// indented returns the source line without its indentation, the blanks that stand before the caret,
// and the part of the line that is meant.
func indented(d check.Diagnostic) (text, before, meant string) {
	line := d.Source
	trimmed := strings.TrimLeft(line, " \t")
	cut := len(line) - len(trimmed)
	col := min(max(d.Col-1-cut, 0), len(trimmed))
	var blanks strings.Builder
	for _, r := range trimmed[:col] {
		if r == '\t' {
			blanks.WriteRune(r)
			continue
		}
		blanks.WriteString(strings.Repeat(" ", columns(string(r))))
	}
	return trimmed, blanks.String(), trimmed[col:min(col+max(d.Len, 0), len(trimmed))]
}

// wide are the letters and pictures that take two columns in a terminal.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1}, // Hangul that begins a syllable
		{Lo: 0x2e80, Hi: 0x303e, Stride: 1}, // radicals, CJK punctuation
		{Lo: 0x3041, Hi: 0xa4cf, Stride: 1}, // kana, CJK, Yi
		{Lo: 0xa960, Hi: 0xa97c, Stride: 1},
		{Lo: 0xac00, Hi: 0xd7a3, Stride: 1}, // Hangul
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1},
		{Lo: 0xfe30, Hi: 0xfe6b, Stride: 1},
		{Lo: 0xff01, Hi: 0xff60, Stride: 1}, // letters of full width
		{Lo: 0xffe0, Hi: 0xffe6, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x16fe0, Hi: 0x18d08, Stride: 1}, // Tangut
		{Lo: 0x1b000, Hi: 0x1b2ff, Stride: 1}, // more kana
		{Lo: 0x1f300, Hi: 0x1f64f, Stride: 1}, // pictures
		{Lo: 0x1f680, Hi: 0x1f6fc, Stride: 1},
		{Lo: 0x1f7e0, Hi: 0x1f7f0, Stride: 1},
		{Lo: 0x1f90c, Hi: 0x1faff, Stride: 1},
		{Lo: 0x20000, Hi: 0x3fffd, Stride: 1}, // rare CJK
	},
}

// columns is how many columns of a terminal text takes.
func columns(text string) int {
	n := 0
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf): // over or in the letter before
		case unicode.Is(wide, r):
			n += 2
		default:
			n++
		}
	}
	return n
}

// Traceback is an error's text as the lines of a notebook's error output, with ANSI styles.
func Traceback(err error) []string { return strings.Split(Render(err, true), "\n") }
