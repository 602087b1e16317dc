package repl

import (
	"go/scanner"
	"go/token"
	"strings"

	"halfnote/repl/check"
)

// Incomplete reports whether more lines must follow before src can run, and how the next line is
// indented, as gofmt would: inside brackets, a raw string or a comment, or after an operator. It
// only looks at tokens, so a mistake counts as complete and is reported when src runs. A %% cell
// goes on until an empty line; front ends submit anything at an empty line.
func Incomplete(src string) (incomplete bool, indent string) {
	if strings.HasPrefix(strings.TrimSpace(src), "%%") {
		return !strings.HasSuffix(src, "\n\n") && !strings.HasSuffix(src, "\n\r\n"), ""
	}
	s := newTokenScanner(src)
	var open brackets
	last := token.SEMICOLON
	header := -1 // how many brackets are open around the head of a switch or select
	for {
		tok := s.next(last, len(open) == 0)
		switch {
		case s.broken:
			return false, ""
		case s.unterminated:
			return true, ""
		}
		switch tok {
		case token.EOF:
			if len(open) > 0 {
				return true, open.indent() + open.moreIndent(last)
			}
			return wantsMore(last), moreIndent(last)
		case token.COMMENT:
			continue
		case token.SWITCH, token.SELECT:
			header = len(open)
		case token.CASE, token.DEFAULT:
			if len(open) > 0 {
				open[len(open)-1].noCase = false
			}
		case token.LPAREN, token.LBRACK, token.LBRACE:
			branches := tok == token.LBRACE && header == len(open)
			if branches {
				header = -1
			}
			open = append(open, bracket{tok, s.line, branches})
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(open) == 0 || closing[open[len(open)-1].tok] != tok {
				return false, ""
			}
			open = open[:len(open)-1]
		}
		last = tok
	}
}

// Completeness says in the words of Jupyter what a front end should do when a person presses Enter
// behind src: "complete" text can run, "incomplete" text wants a line that begins with indent, and
// "invalid" text has a mistake that no further line mends.
func Completeness(src string) (status, indent string) {
	if incomplete, indent := Incomplete(src); incomplete {
		return "incomplete", indent
	}
	for line := range strings.Lines(src) {
		line = strings.TrimSpace(line)
		if strings.HasSuffix(line, "?") || line != "" && strings.ContainsRune("%?!", rune(line[0])) {
			return "complete", "" // a command, which tells by itself what is wrong
		}
	}
	if !check.Parses(src) {
		return "invalid", ""
	}
	return "complete", ""
}

var closing = map[token.Token]token.Token{
	token.LPAREN: token.RPAREN,
	token.LBRACK: token.RBRACK,
	token.LBRACE: token.RBRACE,
}

// A bracket is one that is open.
type bracket struct {
	tok    token.Token
	line   int
	noCase bool // of a switch or select, before its first case, which stands below it
}

type brackets []bracket

// indent is a tab for each line on which a bracket was opened.
func (open brackets) indent() string {
	n := 0
	for i, b := range open {
		if (i == 0 || b.line != open[i-1].line) && !b.noCase {
			n++
		}
	}
	return strings.Repeat("\t", n)
}

// moreIndent is for a statement in a block that goes on behind the token last.
func (open brackets) moreIndent(last token.Token) string {
	switch {
	case open[len(open)-1].tok != token.LBRACE, last == token.LBRACE, last == token.COMMA:
		return ""
	}
	return moreIndent(last)
}

// wantsMore reports whether a statement cannot end with the token.
func wantsMore(last token.Token) bool {
	switch last {
	case token.SEMICOLON, token.INC, token.DEC, token.RPAREN, token.RBRACK, token.RBRACE,
		token.BREAK, token.CONTINUE, token.FALLTHROUGH, token.RETURN:
		return false
	}
	return last.IsOperator() || last.IsKeyword()
}

func moreIndent(last token.Token) string {
	if wantsMore(last) && last != token.COLON { // the statement after a label stands below it
		return "\t"
	}
	return ""
}

// tokenScanner yields the tokens of src, with lines that are commands and no Go left out.
type tokenScanner struct {
	scanner.Scanner
	src          string
	file         *token.File
	unterminated bool // a raw string or a comment is open at the end
	broken       bool // there is something that is no token, whatever follows
	skipTo       int  // tokens before this offset belong to a command
	line         int  // of the last token
}

func newTokenScanner(src string) *tokenScanner {
	s := &tokenScanner{src: src}
	s.file = token.NewFileSet().AddFile("", -1, len(src))
	s.Init(s.file, []byte(src), func(_ token.Position, msg string) {
		if strings.HasSuffix(msg, "not terminated") &&
			(strings.HasPrefix(msg, "raw string") || strings.HasPrefix(msg, "comment")) {
			s.unterminated = true
			return
		}
		s.broken = true
	}, scanner.ScanComments)
	return s
}

// next returns the next token. Before is the one before it; outside says that no bracket is open.
func (s *tokenScanner) next(before token.Token, outside bool) token.Token {
	for {
		pos, tok, _ := s.Scan()
		offset := s.file.Offset(pos)
		s.line = s.file.PositionFor(pos, false).Line
		if offset < s.skipTo && tok != token.EOF {
			s.unterminated, s.broken = false, false
			continue
		}
		if tok == token.EOF && s.skipTo >= len(s.src) {
			s.unterminated, s.broken = false, false
		}
		starts := before == token.SEMICOLON && outside && s.beginsLine(offset)
		if starts && (tok == token.REM || tok == token.NOT || s.at(offset, '?')) {
			s.skipTo = len(s.src)
			if i := strings.IndexByte(s.src[offset:], '\n'); i >= 0 {
				s.skipTo = offset + i + 1
			}
			s.broken = false
			continue
		}
		return tok
	}
}

// beginsLine reports whether only blanks stand before an offset on its line.
func (s *tokenScanner) beginsLine(offset int) bool {
	line := strings.LastIndexByte(s.src[:offset], '\n') + 1
	return strings.TrimSpace(s.src[line:offset]) == ""
}

func (s *tokenScanner) at(offset int, c byte) bool {
	return offset < len(s.src) && s.src[offset] == c
}
