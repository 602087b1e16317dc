package repl

// This file implements the text of errors for people, with the line and a caret.

import (
	"errors"
	"fmt"
	"strings"

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
// With color it has ANSI styles. Errors that are not an *Error give their own text.
func Render(err error, color bool) string {
	var e *Error
	if !errors.As(err, &e) {
		return err.Error()
	}
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
		text, before := indented(d)
		caret := "^" + strings.Repeat("~", max(d.Len-1, 0))
		fmt.Fprintf(b, "\n    %s\n    %s%s", text, before, display.StyleCaret.Paint(caret, color))
	}
	if d.Help != "" {
		fmt.Fprintf(b, "\n%s %s", display.StyleHelp.Paint("help:", color), d.Help)
	}
}

// indented returns the source line without its indentation, tabs inside it as spaces, and the
// blanks that stand before the caret.
func indented(d check.Diagnostic) (text, before string) {
	line := d.Source
	trimmed := strings.TrimLeft(line, " \t")
	cut := len(line) - len(trimmed)
	col := min(max(d.Col-1-cut, 0), len(trimmed))
	before = strings.Map(func(r rune) rune {
		if r == '\t' {
			return '\t'
		}
		return ' '
	}, trimmed[:col])
	return trimmed, before
}

// Traceback is an error's text as the lines of a notebook's error output, with ANSI styles.
func Traceback(err error) []string { return strings.Split(Render(err, true), "\n") }
