package repl

import (
	"go/scanner"
	"go/token"
	"strings"
)

// Incomplete reports whether more lines must follow before src can run, and how the next line is
// indented: inside brackets, a raw string or a comment, or after an operator. It only looks at
// tokens, so a mistake counts as complete and is reported when src runs. A %% cell goes on until an
// empty line; front ends submit anything at an empty line.
func Incomplete(src string) (incomplete bool, indent string) {
	if strings.HasPrefix(strings.TrimSpace(src), "%%") {
		return !strings.HasSuffix(src, "\n\n") && !strings.HasSuffix(src, "\n\r\n"), ""
	}
	s := newTokenScanner(src)
	var open []token.Token
	last := token.SEMICOLON
	for {
		tok := s.next(last, len(open) == 0)
		if s.unterminated {
			return true, ""
		}
		switch tok {
		case token.EOF:
			if len(open) > 0 {
				return true, strings.Repeat("\t", len(open))
			}
			return wantsMore(last), moreIndent(last)
		case token.COMMENT:
			continue
		case token.LPAREN, token.LBRACK, token.LBRACE:
			open = append(open, tok)
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(open) == 0 || closing[open[len(open)-1]] != tok {
				return false, ""
			}
			open = open[:len(open)-1]
		}
		last = tok
	}
}

var closing = map[token.Token]token.Token{
	token.LPAREN: token.RPAREN,
	token.LBRACK: token.RBRACK,
	token.LBRACE: token.RBRACE,
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
	skipTo       int  // tokens before this offset belong to a command
}

func newTokenScanner(src string) *tokenScanner {
	s := &tokenScanner{src: src}
	s.file = token.NewFileSet().AddFile("", -1, len(src))
	s.Init(s.file, []byte(src), func(_ token.Position, msg string) {
		if strings.HasSuffix(msg, "not terminated") &&
			(strings.HasPrefix(msg, "raw string") || strings.HasPrefix(msg, "comment")) {
			s.unterminated = true
		}
	}, scanner.ScanComments)
	return s
}

// next returns the next token. Before is the one before it; outside says that no bracket is open.
func (s *tokenScanner) next(before token.Token, outside bool) token.Token {
	for {
		pos, tok, _ := s.Scan()
		offset := s.file.Offset(pos)
		if offset < s.skipTo && tok != token.EOF {
			s.unterminated = false
			continue
		}
		if tok == token.EOF && s.skipTo >= len(s.src) {
			s.unterminated = false
		}
		starts := before == token.SEMICOLON && outside
		if starts && (tok == token.REM || tok == token.NOT || s.at(offset, '?')) {
			s.skipTo = len(s.src)
			if i := strings.IndexByte(s.src[offset:], '\n'); i >= 0 {
				s.skipTo = offset + i + 1
			}
			continue
		}
		return tok
	}
}

func (s *tokenScanner) at(offset int, c byte) bool {
	return offset < len(s.src) && s.src[offset] == c
}
