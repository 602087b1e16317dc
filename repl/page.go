package repl

// This file writes help in the forms that front ends show.

import (
	"fmt"
	"go/doc/comment"
	"go/types"
	"html"
	"slices"
	"strings"

	"halfnote/repl/display"
	"halfnote/repl/symbols"
)

// A page is what is told about one thing.
type page struct {
	declaration string // Go
	value       string // Go
	facts       string // about the value: its length, its shape
	doc         string // a comment without its slashes
	names       scope  // what the comment may name; nil for none
	source      string // Go
	origin      string

	variable *types.Var // whose value is to be added

	parsed *comment.Doc // of doc
}

// A scope finds what names denote.
type scope interface {
	Lookup(name string) types.Object
}

// bundle returns the page as text, Markdown and HTML.
func (p *page) bundle() display.Bundle {
	return display.Bundle{Data: map[string]any{
		display.MIMEText:     p.text(),
		display.MIMEMarkdown: p.markdown(),
		display.MIMEHTML:     p.html(),
	}}
}

// printer prints comments. Names in brackets are links in Go's documentation; here they are only
// names.
var printer = comment.Printer{
	HeadingLevel: 4,
	HeadingID:    func(*comment.Heading) string { return "" },
	DocLinkURL:   func(*comment.DocLink) string { return "" },
	TextWidth:    80,
}

// parse parses the comment. What stands in brackets and names nothing, such as a shape, keeps them.
func (p *page) parse() {
	parser := comment.Parser{
		LookupPackage: func(name string) (string, bool) {
			return name, len(symbols.ByName(name)) > 0
		},
		LookupSym: p.has,
	}
	p.parsed = parser.Parse(p.doc)
	for _, block := range p.parsed.Content {
		keepBrackets(block)
	}
}

// has reports whether the comment may name an object, or a field or method of a type recv.
func (p *page) has(recv, name string) bool {
	if p.names == nil {
		return false
	}
	if recv == "" {
		return p.names.Lookup(name) != nil
	}
	t, ok := p.names.Lookup(recv).(*types.TypeName)
	if !ok {
		return false
	}
	member, _, _ := types.LookupFieldOrMethod(t.Type(), true, t.Pkg(), name)
	return member != nil
}

// keepBrackets makes text of links to packages by their path that are not there: the parser takes
// all that looks like a path, such as a fraction, for one.
func keepBrackets(block comment.Block) {
	switch b := block.(type) {
	case *comment.Paragraph:
		b.Text = withoutLinks(b.Text)
	case *comment.Heading:
		b.Text = withoutLinks(b.Text)
	case *comment.List:
		for _, item := range b.Items {
			for _, inner := range item.Content {
				keepBrackets(inner)
			}
		}
	}
}

func withoutLinks(text []comment.Text) []comment.Text {
	var kept []comment.Text
	for _, t := range text {
		link, ok := t.(*comment.DocLink)
		if !ok || !strings.Contains(link.ImportPath, "/") ||
			slices.Contains(symbols.Paths(), link.ImportPath) {
			kept = append(kept, t)
			continue
		}
		kept = append(kept, comment.Plain("["))
		kept = append(kept, link.Text...)
		kept = append(kept, comment.Plain("]"))
	}
	return kept
}

func (p *page) text() string {
	parts := []string{p.declaration}
	if value := join("\n", p.value, p.facts); value != "" {
		parts = append(parts, "    "+strings.ReplaceAll(value, "\n", "\n    "))
	}
	if p.doc != "" {
		parts = append(parts, strings.TrimSpace(string(printer.Text(p.parsed))))
	}
	if p.source != "" {
		parts = append(parts, p.source)
	}
	return join("\n\n", append(parts, p.origin)...)
}

func (p *page) markdown() string {
	parts := []string{fenced(p.declaration)}
	if p.value != "" {
		parts = append(parts, fenced(p.value))
	}
	if p.facts != "" {
		parts = append(parts, escapeMarkdown(p.facts))
	}
	if p.doc != "" {
		parts = append(parts, strings.TrimSpace(string(printer.Markdown(p.parsed))))
	}
	if p.source != "" {
		parts = append(parts, fenced(p.source))
	}
	if p.origin != "" {
		parts = append(parts, "*"+escapeMarkdown(p.origin)+"*")
	}
	return join("\n\n", parts...)
}

// fenced returns Go code as a block of Markdown, whatever backquotes there are in it.
func fenced(code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence + "go\n" + code + "\n" + fence
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;",
	"[", `\[`, "&", "&amp;")

func escapeMarkdown(s string) string { return markdownEscapes.Replace(s) }

func (p *page) html() string {
	var b strings.Builder
	code := func(s string) {
		if s != "" {
			fmt.Fprintf(&b, "<pre><code>%s</code></pre>\n", html.EscapeString(s))
		}
	}
	code(p.declaration)
	code(p.value)
	if p.facts != "" {
		fmt.Fprintf(&b, "<p>%s</p>\n", html.EscapeString(p.facts))
	}
	if p.doc != "" {
		b.Write(printer.HTML(p.parsed))
	}
	code(p.source)
	if p.origin != "" {
		fmt.Fprintf(&b, "<p><em>%s</em></p>\n", html.EscapeString(p.origin))
	}
	return b.String()
}

// join joins the parts that are not empty.
func join(sep string, parts ...string) string {
	var full []string
	for _, part := range parts {
		if part != "" {
			full = append(full, part)
		}
	}
	return strings.Join(full, sep)
}
