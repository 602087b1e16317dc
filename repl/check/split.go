package check

// This file cuts the text of a cell into segments and parses them in place.

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
)

// tok is a token of a cell; off and end are byte offsets.
type tok struct {
	tok      token.Token
	off, end int
	auto     bool // a semicolon that the scanner put in
}

// segment is a part of a cell that the parser takes at once.
type segment struct {
	kind       token.Token // IMPORT, FUNC or PACKAGE for a declaration; else a run of statements
	start, end int
}

// What the parser is given before and after a segment, so that it stands in a file.
const (
	declPrefix = "package p;"
	stmtPrefix = "package p;func _(){"
	stmtSuffix = "\n}"

	// padding is the room that the first file of a file set needs before it, for a prefix.
	padding = 64
)

// scan returns the tokens of src without the final EOF, and the lines' offsets. Text that is not
// made of tokens, and brackets that do not match, are errors.
func scan(src string) (toks []tok, lines []int, err *syntaxError) {
	file := token.NewFileSet().AddFile("", 1, len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), func(pos token.Position, msg string) {
		if err == nil {
			err = &syntaxError{pos.Offset, 1, msg, ""}
		}
	}, 0)
	var open []tok
	for {
		pos, t, lit := s.Scan()
		off := file.Offset(pos)
		if t == token.EOF {
			break
		}
		cur := tok{t, off, min(off+len(lit), len(src)), false}
		switch {
		case t == token.SEMICOLON:
			cur.auto = lit != ";"
			if cur.auto {
				cur.end = off
			}
		case lit == "":
			cur.end = off + len(t.String())
		}
		toks = append(toks, cur)
		switch t {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			open = append(open, cur)
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if err != nil {
				break
			}
			if len(open) == 0 {
				err = &syntaxError{off, 1, fmt.Sprintf("unexpected %s", t), "nothing is open here"}
				break
			}
			last := open[len(open)-1]
			open = open[:len(open)-1]
			if want := closing(last.tok); t != want {
				line := file.Line(file.Pos(last.off))
				err = &syntaxError{off, 1, fmt.Sprintf("expected %s, found %s", want, t),
					fmt.Sprintf("the %s of line %d is still open", last.tok, line)}
			}
		}
	}
	if err == nil && len(open) > 0 {
		last := open[len(open)-1]
		err = &syntaxError{last.off, 1,
			fmt.Sprintf("missing %s: this %s is never closed", closing(last.tok), last.tok), ""}
	}
	return toks, file.Lines(), err
}

func closing(open token.Token) token.Token {
	switch open {
	case token.LPAREN:
		return token.RPAREN
	case token.LBRACK:
		return token.RBRACK
	}
	return token.RBRACE
}

// split groups the tokens of a cell into segments: imports, functions and methods by themselves,
// all that lies between them as runs of statements.
func split(toks []tok) []segment {
	var segments []segment
	depth, start := 0, 0 // start is where a statement or declaration begins
	cur := segment{start: -1}
	flush := func(end int) {
		if cur.start >= 0 {
			cur.end = end
			segments = append(segments, cur)
		}
		cur = segment{start: -1}
	}
	for i, t := range toks {
		if i == start {
			if kind := declares(toks[i:]); kind != token.ILLEGAL {
				flush(t.off)
				cur = segment{kind: kind, start: t.off}
			}
		}
		if cur.start < 0 && !t.auto {
			cur = segment{start: t.off}
		}
		switch t.tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth = max(0, depth-1)
		case token.SEMICOLON:
			if depth > 0 {
				break
			}
			start = i + 1
			if cur.kind != token.ILLEGAL {
				flush(t.end)
			}
		}
	}
	if len(toks) > 0 {
		flush(toks[len(toks)-1].end)
	}
	return segments
}

// declares reports whether a declaration begins with toks that cannot stand among statements, and
// which one.
func declares(toks []tok) token.Token {
	at := func(i int) token.Token {
		if i < len(toks) {
			return toks[i].tok
		}
		return token.EOF
	}
	switch at(0) {
	case token.IMPORT, token.PACKAGE:
		return at(0)
	case token.FUNC:
		if at(1) == token.IDENT {
			return token.FUNC
		}
		if at(1) != token.LPAREN {
			return token.ILLEGAL
		}
		i, depth := 2, 1 // behind the receiver, a method has a name and parameters
		for ; depth > 0 && i < len(toks); i++ {
			switch at(i) {
			case token.LPAREN, token.LBRACK, token.LBRACE:
				depth++
			case token.RPAREN, token.RBRACK, token.RBRACE:
				depth--
			}
		}
		if at(i) == token.IDENT && at(i+1) == token.LPAREN {
			return token.FUNC
		}
	}
	return token.ILLEGAL
}

// parse parses the segment of src, whose first byte has the position base. The nodes get the
// positions that they have in the cell: the parser works in a file set of its own, in which the
// file begins as far before the segment as the prefix is long.
func (s segment) parse(src string, base int) ([]ast.Node, *syntaxError) {
	nodes, err := s.nodes(src, base, 0)
	if err != nil {
		prefix, _ := s.around()
		return nil, s.syntaxError(err, src, len(prefix))
	}
	return nodes, nil
}

// around returns what the parser is given before and after the segment.
func (s segment) around() (prefix, suffix string) {
	if s.kind == token.ILLEGAL {
		return stmtPrefix, stmtSuffix
	}
	return declPrefix, ""
}

// nodes returns what the parser makes of the segment, beside its error.
func (s segment) nodes(src string, base int, mode parser.Mode) ([]ast.Node, error) {
	prefix, suffix := s.around()
	fset := token.NewFileSet()
	fset.AddFile("", 1, base+s.start-len(prefix)-2)
	file, err := parser.ParseFile(fset, "", prefix+src[s.start:s.end]+suffix, mode)
	var nodes []ast.Node
	for _, decl := range file.Decls {
		if s.kind != token.ILLEGAL {
			nodes = append(nodes, decl)
			continue
		}
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue // behind a } too many
		}
		for _, stmt := range fn.Body.List {
			if _, ok := stmt.(*ast.EmptyStmt); !ok {
				nodes = append(nodes, stmt)
			}
		}
	}
	return nodes, err
}

// Parses reports whether the text of a cell is made of whole declarations and statements.
func Parses(src string) bool {
	toks, _, err := scan(src)
	if err != nil {
		return false
	}
	for i, seg := range split(toks) {
		if seg.kind == token.PACKAGE && i == 0 {
			continue
		}
		if _, err := seg.nodes(src, padding, 0); err != nil {
			return false
		}
	}
	return true
}

// syntaxError translates what the parser reports of a segment.
func (s segment) syntaxError(err error, src string, prefix int) *syntaxError {
	var list scanner.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return &syntaxError{s.start, 1, err.Error(), ""}
	}
	off := list[0].Pos.Offset - prefix + s.start
	msg := list[0].Msg
	if off >= s.end { // the parser speaks of the suffix
		off = s.end
		for off > s.start && isSpace(src[off-1]) {
			off--
		}
		msg = endOfCell(msg)
	}
	off = max(off, s.start)
	help := syntaxHelp(msg)
	if msg == "expected 1 expression" && beginsStatement(src, off) {
		help = "show them one by one, or put them in a slice"
	}
	return &syntaxError{off, 0, msg, help}
}

// beginsStatement reports whether a statement begins at off: no if or for stands before it.
func beginsStatement(src string, off int) bool {
	before := token.SEMICOLON
	toks, _, _ := scan(src)
	for _, t := range toks {
		if t.off >= off {
			break
		}
		before = t.tok
	}
	return before == token.SEMICOLON || before == token.LBRACE || before == token.COLON
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }
