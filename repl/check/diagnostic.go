package check

import (
	"cmp"
	"go/scanner"
	"go/token"
	"go/types"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Diagnostic is one thing that is wrong with a cell. It is data: printers are elsewhere.
type Diagnostic struct {
	Cell      string // the cell's or file's name
	Line, Col int    // from 1, Col in bytes
	Len       int    // how many bytes of the line are meant
	Kind      string // "syntax", "type", "import" or "unsupported"; package repl adds "panic"
	Msg       string
	Help      string // the way out, if one is known
	Source    string // the text of the line
}

// The kinds of diagnostics.
const (
	kindSyntax      = "syntax"
	kindType        = "type"
	kindImport      = "import"
	kindUnsupported = "unsupported"
)

// maxDiagnostics is how many diagnostics of one cell are reported.
const maxDiagnostics = 10

// syntaxError is an error at a byte offset; a length of 0 means the token there.
type syntaxError struct {
	off, len  int
	msg, help string
}

// problem is a diagnostic before its place is translated.
type problem struct {
	pos, end  token.Pos
	kind      string
	msg, help string
	soft      bool // go/types calls errors soft that do not make types doubtful
}

// source is the text of a cell or file, for the places of diagnostics.
type source struct {
	file *token.File
	name string
	text string
}

// diagnostic places an error in the text.
func (s source) diagnostic(kind string, off, length int, msg, help string) Diagnostic {
	off = min(max(off, 0), len(s.text))
	if length <= 0 {
		length = tokenLen(s.text[off:])
	}
	start := strings.LastIndexByte(s.text[:off], '\n') + 1
	line, _, _ := strings.Cut(s.text[start:], "\n")
	return Diagnostic{
		Cell:   s.name,
		Line:   strings.Count(s.text[:start], "\n") + 1,
		Col:    off - start + 1,
		Len:    max(1, min(length, start+len(line)-off)),
		Kind:   kind,
		Msg:    msg,
		Help:   help,
		Source: strings.TrimSuffix(line, "\r"),
	}
}

// tokenLen returns the length of the token that text begins with.
func tokenLen(text string) int {
	line, _, _ := strings.Cut(text, "\n")
	file := token.NewFileSet().AddFile("", 1, len(line))
	var s scanner.Scanner
	s.Init(file, []byte(line), nil, 0)
	_, t, lit := s.Scan()
	if lit == "" && t != token.EOF {
		lit = t.String()
	}
	return max(1, len(lit))
}

// diagnostics sorts problems and leaves out those that follow from others.
func diagnostics(problems []problem, find func(token.Pos) source) []Diagnostic {
	hard := slices.ContainsFunc(problems, func(p problem) bool { return !p.soft })
	problems = slices.DeleteFunc(slices.Clone(problems), func(p problem) bool {
		return hard && p.soft
	})
	slices.SortStableFunc(problems, func(a, b problem) int { return cmp.Compare(a.pos, b.pos) })
	problems = slices.CompactFunc(problems, func(a, b problem) bool { return a.pos == b.pos })
	var list []Diagnostic
	for _, p := range problems[:min(len(problems), maxDiagnostics)] {
		src := find(p.pos)
		off := 0
		if p.pos.IsValid() {
			off = int(p.pos) - src.file.Base()
		}
		list = append(list, src.diagnostic(p.kind, off, int(p.end-p.pos), p.msg, p.help))
	}
	return list
}

// typeProblem translates an error of go/types.
func typeProblem(err types.Error) problem {
	p := problem{pos: err.Pos, kind: kindType, msg: ownNames(err.Msg), soft: err.Soft}
	// The extent of an error is known, but not exported yet; see go.dev/issue/42290.
	v := reflect.ValueOf(err)
	if start, end := v.FieldByName("go116start"), v.FieldByName("go116end"); start.IsValid() &&
		end.IsValid() && token.Pos(start.Int()) <= err.Pos {
		p.end = token.Pos(end.Int())
	}
	if p.end <= p.pos {
		p.end = p.pos
	}
	return p
}

var qualifiedByMain = regexp.MustCompile(`(^|[^\pL\pN_."/])(?:"main"|main)\.([\pL_])`)

// ownNames takes what users did not write out of a message: the package main before the names of
// cells' types, for each cell is a package, and the assignment to _ by which a shown value is
// checked.
func ownNames(msg string) string {
	msg = strings.Replace(msg, " to _ identifier", "", 1)
	if !strings.Contains(msg, "main") {
		return msg
	}
	for {
		cut := qualifiedByMain.ReplaceAllString(msg, "$1$2")
		if cut == msg {
			return msg
		}
		msg = cut
	}
}
