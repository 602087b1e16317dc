package notebooks

import (
	"bytes"
	"html/template"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Formulas keep their LaTeX source, which Markdown must not take for emphasis.

var mathKind = ast.NewNodeKind("Math")

// inlineFormula is $…$, or $$…$$ inside a paragraph.
type inlineFormula struct {
	ast.BaseInline
	source  string
	display bool
}

// Kind implements ast.Node.
func (*inlineFormula) Kind() ast.NodeKind { return mathKind }

// Dump implements ast.Node.
func (f *inlineFormula) Dump(source []byte, level int) {
	ast.DumpHelper(f, source, level, nil, nil)
}

// blockFormula is lines between $$ and $$.
type blockFormula struct {
	ast.BaseBlock
	closed bool
}

// Kind implements ast.Node.
func (*blockFormula) Kind() ast.NodeKind { return mathKind }

// Dump implements ast.Node.
func (f *blockFormula) Dump(source []byte, level int) {
	ast.DumpHelper(f, source, level, nil, nil)
}

// IsRaw implements ast.Node: no inline parsing.
func (*blockFormula) IsRaw() bool { return true }

func mathHTML(source string, display bool) template.HTML {
	if display {
		return `<div class="formula"><code>` + escape(source) + `</code></div>`
	}
	return `<code class="formula">` + escape(source) + `</code>`
}

func renderMath(
	w util.BufWriter, source []byte, n ast.Node, entering bool,
) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkSkipChildren, nil
	}
	switch f := n.(type) {
	case *inlineFormula:
		html := mathHTML(f.source, false)
		if f.display {
			html = `<code class="formula display">` + escape(f.source) + `</code>`
		}
		w.WriteString(string(html))
	case *blockFormula:
		formula := bytes.TrimSpace(f.Lines().Value(source))
		formula = bytes.TrimPrefix(formula, []byte("$$"))
		formula = bytes.TrimSuffix(formula, []byte("$$"))
		w.WriteString(string(mathHTML(string(bytes.TrimSpace(formula)), true)) + "\n")
	}
	return ast.WalkSkipChildren, nil
}

type inlineMath struct{}

// Trigger implements goldmark's parser.InlineParser.
func (inlineMath) Trigger() []byte { return []byte{'$'} }

// Parse implements goldmark's parser.InlineParser. A formula stands in one line and, as in Jupyter,
// has no blank inside its signs, so that "$5 and $6" stays text.
func (inlineMath) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	sign := []byte("$")
	if bytes.HasPrefix(line, []byte("$$")) {
		sign = []byte("$$")
	}
	body := line[len(sign):]
	end := bytes.Index(body, sign)
	for end > 0 && body[end-1] == '\\' {
		next := bytes.Index(body[end+1:], sign)
		if next < 0 {
			return nil
		}
		end += 1 + next
	}
	if end <= 0 {
		return nil
	}
	after := body[end+len(sign):]
	if len(sign) == 1 && (isBlank(body[0]) || isBlank(body[end-1]) ||
		len(after) > 0 && after[0] >= '0' && after[0] <= '9') {
		return nil
	}
	block.Advance(len(sign) + end + len(sign))
	return &inlineFormula{source: string(bytes.TrimSpace(body[:end])), display: len(sign) == 2}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

type blockMath struct{}

// Trigger implements goldmark's parser.BlockParser.
func (blockMath) Trigger() []byte { return []byte{'$'} }

// Open implements goldmark's parser.BlockParser.
func (blockMath) Open(
	_ ast.Node, reader text.Reader, _ parser.Context,
) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	line = bytes.TrimSpace(line)
	if !bytes.HasPrefix(line, []byte("$$")) || bytes.Contains(line[2:], []byte("$$")) &&
		!bytes.HasSuffix(line[2:], []byte("$$")) {
		return nil, parser.NoChildren // text follows the formula: a paragraph
	}
	f := &blockFormula{closed: len(line) > 2 && bytes.HasSuffix(line[2:], []byte("$$"))}
	f.Lines().Append(segment)
	reader.AdvanceToEOL()
	return f, parser.NoChildren
}

// Continue implements goldmark's parser.BlockParser.
func (blockMath) Continue(n ast.Node, reader text.Reader, _ parser.Context) parser.State {
	f := n.(*blockFormula)
	if f.closed {
		return parser.Close
	}
	line, segment := reader.PeekLine()
	f.closed = bytes.HasSuffix(bytes.TrimSpace(line), []byte("$$"))
	f.Lines().Append(segment)
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

// Close implements goldmark's parser.BlockParser.
func (blockMath) Close(ast.Node, text.Reader, parser.Context) {}

// CanInterruptParagraph implements goldmark's parser.BlockParser.
func (blockMath) CanInterruptParagraph() bool { return true }

// CanAcceptIndentedLine implements goldmark's parser.BlockParser.
func (blockMath) CanAcceptIndentedLine() bool { return false }
