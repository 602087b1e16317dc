package notebooks

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"halfnote/repl/display"
)

//go:embed page.html
var pageSource string

var pageTemplate = template.Must(template.New("page").Parse(pageSource))

type (
	pageView struct {
		Title string
		Cells []cellView
	}
	cellView struct {
		ID      string
		Type    CellType
		N       int
		Source  template.HTML
		Outputs []outputView
	}
	// outputView is one output; HTML or Image is set.
	outputView struct {
		Class string // stdout, stderr, error, plain, html, markdown, picture
		N     int    // of a result, else 0
		HTML  template.HTML
		Image *imageView
	}
	imageView struct {
		Source        template.URL
		Alt           string
		Width, Height int
	}
)

// WriteHTML writes the notebook as one page that needs no other file: pictures inside, light and
// dark by the reader's setting, no scripts of its own. HTML that the notebook's code has shown is
// put in as it is; HTML in Markdown is shown as text.
func (nb *Notebook) WriteHTML(w io.Writer) error {
	page := pageView{Title: nb.title()}
	md := newMarkdown()
	for _, c := range nb.Cells {
		view := cellView{ID: c.ID, Type: c.Type, N: c.ExecutionCount}
		switch c.Type {
		case Code:
			view.Source = highlightGo(strings.TrimRight(c.Source, "\n"))
			for _, o := range c.Outputs {
				view.Outputs = append(view.Outputs, md.output(o))
			}
		case Markdown:
			view.Source = md.render(c.Source, c.Attachments)
		case Raw:
			view.Source = escape(c.Source)
		}
		page.Cells = append(page.Cells, view)
	}
	return pageTemplate.Execute(w, page)
}

// title returns the first heading, or a name for a notebook without one.
func (nb *Notebook) title() string {
	for _, c := range nb.Cells {
		if c.Type != Markdown {
			continue
		}
		for line := range strings.Lines(c.Source) {
			if text, ok := strings.CutPrefix(line, "# "); ok {
				return strings.TrimSpace(strings.NewReplacer("*", "", "`", "").Replace(text))
			}
		}
	}
	return "Notebook"
}

func escape(s string) template.HTML {
	return template.HTML(template.HTMLEscapeString(s))
}

// preferred lists the MIME types of rich outputs, best first.
var preferred = []string{
	display.MIMEHTML, display.MIMESVG, display.MIMEPNG, display.MIMEJPEG, "image/gif", "image/webp",
	display.MIMEMarkdown, display.MIMELatex, display.MIMEJSON, display.MIMEText,
}

func (md *markdown) output(o *Output) outputView {
	switch o.Type {
	case Stream:
		return outputView{Class: o.Name, HTML: terminalHTML(o.Text)}
	case Error:
		text := strings.Join(o.Traceback, "\n")
		if text == "" {
			text = o.EName + ": " + o.EValue
		}
		return outputView{Class: "error", HTML: terminalHTML(text)}
	}
	for _, mime := range preferred {
		form, ok := o.form(mime)
		if !ok {
			continue
		}
		view := md.form(o, mime, form)
		view.N = o.ExecutionCount
		return view
	}
	return outputView{Class: "plain", HTML: escape("(no form that a page can show)")}
}

func (md *markdown) form(o *Output, mime, form string) outputView {
	switch mime {
	case display.MIMEHTML:
		return outputView{Class: "html", HTML: template.HTML(form)}
	case display.MIMEMarkdown:
		return outputView{Class: "markdown", HTML: md.render(form, nil)}
	case display.MIMELatex:
		return outputView{Class: "markdown", HTML: mathHTML(strings.Trim(form, "$ \n"), true)}
	case display.MIMESVG:
		// Inside an image its ids and styles cannot meet those of the page.
		form = base64.StdEncoding.EncodeToString([]byte(form))
	case display.MIMEText, display.MIMEJSON:
		return outputView{Class: "plain", HTML: terminalHTML(form)}
	}
	image := &imageView{Alt: "picture"}
	if text, ok := o.form(display.MIMEText); ok {
		image.Alt = text
	}
	form = strings.Join(strings.Fields(form), "") // base64 may come in lines
	image.Source = template.URL(fmt.Sprintf("data:%s;base64,%s", mime, form))
	var metadata map[string]struct{ Width, Height float64 }
	if json.Unmarshal(o.Metadata, &metadata) == nil {
		image.Width, image.Height = int(metadata[mime].Width), int(metadata[mime].Height)
	}
	return outputView{Class: "picture", Image: image}
}
