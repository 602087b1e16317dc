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
	line string // that of the cursor, if it is a command

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
	inText              // a number, character or comment
	inString            // a string; start and end are those of its text
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
	if isCommand(lineAt(src, off)) && strings.TrimSpace(lineAt(c.src, off)) == "" {
		c.kind, c.line = inCommand, lineAt(src, off)
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
		if t.tok == token.CHAR {
			break
		}
		c.kind, c.start, c.end = inString, t.off+1, t.end
		if !open {
			c.end--
		}
		if c.importing() {
			c.kind = inPath
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

// before returns the token before the identifier at the cursor.
func (c *cursor) before() token.Token {
	if c.index > 0 {
		return c.toks[c.index-1].tok
	}
	return token.EOF
}

// prefix is the part of the identifier before the cursor.
func (c *cursor) prefix() string { return c.src[c.start:c.off] }

// names reports whether a name that is new comes next: that of an import, a package or a method.
func (c *cursor) names() bool {
	switch c.before() {
	case token.IMPORT, token.PACKAGE:
		return true
	case token.RPAREN:
		open := c.opening(c.index - 1)
		return open == 1 && c.toks[0].tok == token.FUNC ||
			open > 1 && c.toks[open-1].tok == token.FUNC &&
				c.toks[open-2].tok == token.SEMICOLON && c.depth(open) == 0
	}
	return false
}

// opening returns the index of the bracket that the one at index i closes, or -1.
func (c *cursor) opening(i int) int {
	for depth := 0; i >= 0; i-- {
		switch c.toks[i].tok {
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth++
		case token.LPAREN, token.LBRACK, token.LBRACE:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// depth is how many brackets are open before token i.
func (c *cursor) depth(i int) int {
	depth := 0
	for _, t := range c.toks[:i] {
		switch t.tok {
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		}
	}
	return depth
}

// branches reports whether the cursor stands where the first case of a switch or select begins.
func (c *cursor) branches() bool {
	if c.before() != token.LBRACE {
		return false
	}
	depth := 0
	for i := c.index - 2; i >= 0; i-- {
		switch c.toks[i].tok {
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth++
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth--
		case token.SWITCH, token.SELECT:
			if depth == 0 {
				return true
			}
		case token.FOR, token.IF, token.FUNC, token.ELSE, token.STRUCT, token.INTERFACE:
			if depth == 0 {
				return false
			}
		}
		if depth < 0 {
			return false
		}
	}
	return false
}

// A bracket in which the cursor stands is in the text at the offset open. The part of its content
// that the cursor is in begins at part; n parts come before it.
type enclosing struct {
	open, part, n int
	tok           token.Token
}

// brackets yields the brackets around the cursor, the innermost first, up to a block or literal. If
// the cursor touches the end of brackets from behind, these are the first.
func (c *cursor) brackets(yield func(enclosing) bool) {
	i := c.index - 1
	if i >= 0 && c.toks[i].tok == token.RPAREN && c.toks[i].end == c.off {
		open := c.opening(i)
		if open < 0 || !yield(enclosing{c.toks[open].off, c.toks[open].end, -1, token.LPAREN}) {
			return
		}
		i = open - 1
	}
	part, n := -1, 0
	for depth := 0; i >= 0; i-- {
		t := c.toks[i]
		switch t.tok {
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth++
		case token.COMMA:
			if depth > 0 {
				break
			}
			n++
			if part < 0 {
				part = t.end
			}
		case token.LPAREN, token.LBRACK, token.LBRACE:
			if depth--; depth >= 0 {
				break
			}
			if part < 0 {
				part = t.end
			}
			if !yield(enclosing{t.off, part, n, t.tok}) || t.tok == token.LBRACE {
				return
			}
			depth, part, n = 0, -1, 0
		}
	}
}

// shellLine returns the text before the cursor on its line if that is a command for the shell: a !
// and a word that is no name of Go, which the cursor is behind.
func (c *cursor) shellLine(isName func(string) bool) (text string, ok bool) {
	line := lineAt(c.src[:c.off], c.off)
	text, ok = strings.CutPrefix(strings.TrimSpace(line), "!")
	word, _, more := strings.Cut(strings.TrimSpace(text), " ")
	if !ok || word == "" || !more && !strings.HasSuffix(line, " ") || isName(word) ||
		strings.ContainsAny(word, "!(.[") {
		return "", false
	}
	for _, t := range c.toks { // a name of the cell
		if t.end <= c.off-len(line) && c.src[t.off:t.end] == word {
			return "", false
		}
	}
	return text, true
}

// lineAt returns the line of src in which off lies.
func lineAt(src string, off int) string {
	start := strings.LastIndexByte(src[:off], '\n') + 1
	line, _, _ := strings.Cut(src[start:], "\n")
	return line
}

// isCommand reports whether a line is a command if a statement can begin there.
func isCommand(line string) bool {
	return strings.HasPrefix(strings.TrimLeft(line, " \t?"), "%")
}

// blankCommands replaces what is no Go by blanks: lines that begin with %, and the question marks
// at the start of a line, where a statement can begin.
func blankCommands(src string) string {
	if !strings.ContainsAny(src, "%?") {
		return src
	}
	text := []byte(src)
	for from := 0; from < len(src); {
		off := from + statementWith(src[from:], "%?")
		line, _, _ := strings.Cut(src[off:], "\n")
		n := len(line) - len(strings.TrimLeft(line, "?"))
		if isCommand(line) {
			n = len(strings.TrimRight(line, "\r"))
		}
		for i := range n {
			text[off+i] = ' '
		}
		from = off + len(line) + 1
		if n < len(line) && n > 0 {
			from = off + n
		}
	}
	return string(text)
}

// statementWith returns the offset of the first statement at the outermost level of src that begins
// with one of the characters, or its length.
func statementWith(src, characters string) int {
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), nil, 0)
	depth, last := 0, token.SEMICOLON
	for {
		pos, tok, _ := s.Scan()
		off := file.Offset(pos)
		switch tok {
		case token.EOF:
			return len(src)
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		}
		if last == token.SEMICOLON && depth <= 0 && off < len(src) &&
			strings.IndexByte(characters, src[off]) >= 0 {
			return off
		}
		last = tok
	}
}
