package notebooks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown renders the Markdown of one page.
type markdown struct {
	goldmark.Markdown
	ids headingIDs
}

func newMarkdown() *markdown {
	return &markdown{
		Markdown: goldmark.New(
			goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify,
				extension.TaskList),
			goldmark.WithParserOptions(
				parser.WithAutoHeadingID(),
				parser.WithInlineParsers(util.Prioritized(inlineMath{}, 150)), // after code spans
				parser.WithBlockParsers(util.Prioritized(blockMath{}, 90)),    // before setext
			),
			goldmark.WithRendererOptions(
				renderer.WithNodeRenderers(util.Prioritized(nodes{}, 100)),
			),
		),
		ids: headingIDs{},
	}
}

// render returns Markdown as HTML. Links to attachment:name become the attachment.
func (md *markdown) render(src string, attachments json.RawMessage) template.HTML {
	source := []byte(src)
	doc := md.Parser().Parse(text.NewReader(source), parser.WithContext(
		parser.NewContext(parser.WithIDs(md.ids))))
	var files map[string]map[string]lines
	if json.Unmarshal(attachments, &files) == nil {
		inlineAttachments(doc, files)
	}
	var buf bytes.Buffer
	if err := md.Renderer().Render(&buf, source, doc); err != nil {
		return escape(src)
	}
	return template.HTML(buf.String())
}

func inlineAttachments(doc ast.Node, files map[string]map[string]lines) {
	ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if image, ok := n.(*ast.Image); ok && entering {
			name, _ := strings.CutPrefix(string(image.Destination), "attachment:")
			for mime, data := range files[name] {
				base64 := strings.Join(strings.Fields(string(data)), "")
				image.Destination = fmt.Appendf(nil, "data:%s;base64,%s", mime, base64)
			}
		}
		return ast.WalkContinue, nil
	})
}

// headingIDs gives headings the anchors that Jupyter gives them: the text with dashes.
type headingIDs map[string]int

// Generate returns an id that no other heading of the page has.
func (ids headingIDs) Generate(value []byte, _ ast.NodeKind) []byte {
	id := strings.Join(strings.Fields(string(value)), "-")
	ids[id]++
	if n := ids[id]; n > 1 {
		return fmt.Appendf(nil, "%s-%d", id, n)
	}
	return []byte(id)
}

// Put notes an id that the text itself gives.
func (ids headingIDs) Put(value []byte) { ids[string(value)]++ }

// nodes renders what goldmark would render otherwise or not at all.
type nodes struct{}

// RegisterFuncs implements goldmark's renderer.NodeRenderer.
func (nodes) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(mathKind, renderMath)
	reg.Register(ast.KindRawHTML, renderRawHTML)
	reg.Register(ast.KindHTMLBlock, renderHTMLBlock)
	reg.Register(ast.KindFencedCodeBlock, renderFenced)
}

// harmless are the tags of HTML that Markdown has no sign for. Others are shown as text.
var harmless = regexp.MustCompile(`^(?i)</?(br|sub|sup|kbd|mark|u|small)\s*/?>$`)

func renderRawHTML(
	w util.BufWriter, source []byte, n ast.Node, entering bool,
) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkSkipChildren, nil
	}
	tag := string(n.(*ast.RawHTML).Segments.Value(source))
	switch {
	case strings.HasPrefix(tag, "<!--"):
	case harmless.MatchString(tag):
		w.WriteString(tag)
	default:
		w.WriteString(template.HTMLEscapeString(tag))
	}
	return ast.WalkSkipChildren, nil
}

func renderHTMLBlock(
	w util.BufWriter, source []byte, n ast.Node, entering bool,
) (ast.WalkStatus, error) {
	block := n.(*ast.HTMLBlock)
	if !entering || block.HTMLBlockType == ast.HTMLBlockType2 { // a comment
		return ast.WalkContinue, nil
	}
	html := string(block.Lines().Value(source))
	if block.HasClosure() {
		html += string(block.ClosureLine.Value(source))
	}
	fmt.Fprintf(w, "<pre>%s</pre>\n", escape(html))
	return ast.WalkContinue, nil
}

func renderFenced(
	w util.BufWriter, source []byte, n ast.Node, entering bool,
) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	block := n.(*ast.FencedCodeBlock)
	code := string(block.Lines().Value(source))
	html := escape(code)
	if string(block.Language(source)) == "go" {
		html = highlightGo(code)
	}
	fmt.Fprintf(w, "<pre><code>%s</code></pre>\n", html)
	return ast.WalkContinue, nil
}
