package notebooks

import (
	"go/scanner"
	"go/token"
	"go/types"
	"html/template"
	"strings"
)

// highlightGo returns Go source as HTML with a span around each token that has a colour. Lines that
// begin with % or ! are commands of the session.
func highlightGo(src string) template.HTML {
	var b strings.Builder
	start := 0
	for start < len(src) {
		line, _, _ := strings.Cut(src[start:], "\n")
		if trimmed := strings.TrimSpace(line); !strings.HasPrefix(trimmed, "%") &&
			!strings.HasPrefix(trimmed, "!") {
			break
		}
		span(&b, "command", line)
		start += len(line)
		if start < len(src) {
			b.WriteByte('\n')
			start++
		}
	}
	highlightTokens(&b, src[start:])
	return template.HTML(b.String())
}

func highlightTokens(b *strings.Builder, src string) {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(src))
	s.Init(file, []byte(src), func(token.Position, string) {}, scanner.ScanComments)
	end := 0
	before := token.ILLEGAL
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			b.WriteString(template.HTMLEscapeString(src[end:]))
			return
		}
		offset := file.Offset(pos)
		if tok == token.SEMICOLON && lit == "\n" || offset < end {
			continue
		}
		b.WriteString(template.HTMLEscapeString(src[end:offset]))
		if !tok.IsLiteral() && tok != token.COMMENT && !tok.IsKeyword() {
			lit = tok.String()
		}
		// The literal of a raw string or a comment has its carriage returns removed; the length in
		// the source is what counts.
		end = offset + len(lit)
		for end < len(src) && strings.Count(src[offset:end], "\r") > len(src[offset:end])-len(lit) {
			end++
		}
		if tok == token.ILLEGAL || end > len(src) {
			end = min(offset+max(1, len(lit)), len(src))
		}
		span(b, tokenClass(tok, lit, before, src[end:]), src[offset:end])
		before = tok
	}
}

// tokenClass returns the style of a token, by itself, its predecessor and what follows.
func tokenClass(tok token.Token, lit string, before token.Token, rest string) string {
	switch {
	case tok.IsKeyword():
		return "keyword"
	case tok == token.COMMENT:
		return "comment"
	case tok == token.STRING || tok == token.CHAR:
		return "string"
	case tok == token.INT || tok == token.FLOAT || tok == token.IMAG:
		return "number"
	case tok != token.IDENT:
		return ""
	case types.Universe.Lookup(lit) != nil && before != token.PERIOD:
		return "predeclared"
	case strings.HasPrefix(rest, "("):
		return "call"
	}
	return ""
}

func span(b *strings.Builder, class, text string) {
	text = template.HTMLEscapeString(text)
	if class == "" || text == "" {
		b.WriteString(text)
		return
	}
	b.WriteString(`<span class="` + class + `">` + text + `</span>`)
}
