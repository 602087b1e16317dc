package repl

// This file finds out what stands at a cursor in the text of a cell, by its tokens only.

import (
	"go/scanner"
	"go/token"
	"strings"
)

// A cursor is a place in the text of a cell.
type cursor struct {
	src  string // with commands blanked out, of the same length
	off  int
	kind placeKind

	// The identifier, keyword or path that the cursor touches lies between start and end; both are
	// off if there is none.
	start, end int
	toks       []codeToken // all that are no comments
	index      int         // of the first token that does not end before start
}

// placeKind is what a cursor stands in.
type placeKind int

const (
	inCode    placeKind = iota
	inText              // a string, number or comment
	inPath              // the path of an import
	inCommand           // a line that is no Go
)

// codeToken is a token with its offsets.
type codeToken struct {
	tok      token.Token
	off, end int
}

// maxCell is how long a cell may be to be looked at while it is written: the time grows faster than
// the text, and a megabyte would take seconds.
const maxCell = 128 << 10

// newCursor looks at src around the offset off. A text that is too long is all inText.
func newCursor(src string, off int) *cursor {
	off = min(max(off, 0), len(src))
	if len(src) > maxCell {
		return &cursor{src: src, off: off, start: off, end: off, kind: inText}
	}
	c := &cursor{src: blankCommands(src), off: off, start: off, end: off}
	if line := lineAt(src, off); strings.HasPrefix(strings.TrimSpace(line), "%") {
		c.kind = inCommand
		return c
	}
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, []byte(c.src), nil, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		t := codeToken{tok, file.Offset(pos), file.Offset(pos) + len(lit)}
		switch {
		case tok == token.SEMICOLON && lit != ";":
			t.end = t.off
		case lit == "":
			t.end = t.off + len(tok.String())
		case tok == token.ILLEGAL:
			t.end = t.off + 1 // bytes that are no text have a literal of another length
		case tok == token.COMMENT || tok == token.STRING && lit[0] == '`':
			// The scanner takes carriage returns out of the literal.
			t.end = c.literalEnd(t.off)
		}
		c.take(t)
	}
	for c.index < len(c.toks) && c.toks[c.index].off < c.start {
		c.index++
	}
	return c
}

// literalEnd returns the end of the comment or raw string that begins at off.
func (c *cursor) literalEnd(off int) int {
	rest, end := c.src[off:], "\n"
	switch {
	case rest[0] == '`':
		end = "`"
	case strings.HasPrefix(rest, "/*"):
		end = "*/"
	}
	skip := min(2, len(rest))
	if end == "`" {
		skip = 1
	}
	i := strings.Index(rest[skip:], end)
	switch {
	case i < 0:
		return len(c.src)
	case end == "\n":
		return off + skip + i
	}
	return off + skip + i + len(end)
}

// take notes a token and whether the cursor is in it.
func (c *cursor) take(t codeToken) {
	text := c.src[t.off:t.end]
	inside := t.off < c.off && c.off < t.end
	atEnd := c.off == t.end && t.off < c.off
	switch {
	case t.tok == token.COMMENT:
		if inside || atEnd && !strings.HasSuffix(text, "*/") {
			c.kind = inText
		}
		return // no token to others
	case t.tok == token.STRING || t.tok == token.CHAR:
		open := len(text) < 2 || text[len(text)-1] != text[0]
		if !inside && !(atEnd && open) {
			break
		}
		c.kind = inText
		if t.tok == token.STRING && c.importing() {
			c.kind, c.start, c.end = inPath, t.off+1, t.end
			if !open {
				c.end--
			}
		}
	case t.tok == token.INT || t.tok == token.FLOAT || t.tok == token.IMAG:
		if inside || atEnd {
			c.kind = inText
		}
	case t.tok == token.IDENT || t.tok.IsKeyword():
		if t.off <= c.off && c.off <= t.end {
			c.start, c.end = t.off, t.end
		}
	}
	c.toks = append(c.toks, t)
}

// importing reports whether an import path comes next.
func (c *cursor) importing() bool {
	n := len(c.toks)
	if n > 0 && (c.toks[n-1].tok == token.IDENT || c.toks[n-1].tok == token.PERIOD) {
		n--
	}
	if n > 0 && c.toks[n-1].tok == token.IMPORT {
		return true
	}
	for i := n - 1; i > 0; i-- { // within the parentheses of an import
		switch c.toks[i].tok {
		case token.STRING, token.SEMICOLON, token.IDENT, token.PERIOD:
		case token.LPAREN:
			return c.toks[i-1].tok == token.IMPORT
		default:
			return false
		}
	}
	return false
}

// before returns the token before the identifier at the cursor, n tokens back from there.
func (c *cursor) before(n int) token.Token {
	if i := c.index - 1 - n; i >= 0 {
		return c.toks[i].tok
	}
	return token.EOF
}

// prefix is the part of the identifier before the cursor.
func (c *cursor) prefix() string { return c.src[c.start:c.off] }

// callee returns the name of the function in whose parentheses the cursor stands, or behind whose
// call. In the braces of a literal it is the name of its type; what looks like one may be a block.
func (c *cursor) callee() (start, end int, literal, ok bool) {
	i := c.index - 1
	if i >= 0 && c.toks[i].tok == token.RPAREN && c.toks[i].end == c.off {
		i-- // its own parentheses
	}
	for depth := 0; i >= 0; i-- {
		switch t := c.toks[i].tok; t {
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth++
		case token.LPAREN, token.LBRACK, token.LBRACE:
			if depth > 0 {
				depth--
				break
			}
			name, found := c.nameBefore(i)
			if t != token.LBRACK && found {
				return name.off, name.end, t == token.LBRACE, true
			}
			if t == token.LBRACE {
				return 0, 0, false, false
			}
		}
	}
	return 0, 0, false, false
}

// nameBefore returns the identifier that ends before token i, type arguments between them aside.
func (c *cursor) nameBefore(i int) (codeToken, bool) {
	i--
	if i >= 0 && c.toks[i].tok == token.RBRACK {
		for depth := 0; i >= 0; i-- {
			switch c.toks[i].tok {
			case token.RBRACK:
				depth++
			case token.LBRACK:
				depth--
			}
			if depth == 0 {
				i--
				break
			}
		}
	}
	if i < 0 || c.toks[i].tok != token.IDENT {
		return codeToken{}, false
	}
	return c.toks[i], true
}

// lineAt returns the line of src in which off lies.
func lineAt(src string, off int) string {
	start := strings.LastIndexByte(src[:off], '\n') + 1
	line, _, _ := strings.Cut(src[start:], "\n")
	return line
}

// blankCommands replaces what is no Go by blanks: lines that begin with %, and the question marks
// at the start of a line.
func blankCommands(src string) string {
	if !strings.ContainsAny(src, "%?") {
		return src
	}
	var b strings.Builder
	for line := range strings.Lines(src) {
		text := strings.TrimLeft(line, " \t")
		n := len(text) - len(strings.TrimLeft(text, "?"))
		if strings.HasPrefix(text, "%") {
			n = len(strings.TrimRight(text, "\r\n"))
		}
		b.WriteString(line[:len(line)-len(text)] + strings.Repeat(" ", n) + text[n:])
	}
	return b.String()
}
