package display

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"image"
	_ "image/gif" // the formats whose size pictureText reads
	_ "image/jpeg"
	_ "image/png"
	"regexp"
	"strings"
)

// The MIME types that this package makes. JupyterLab 4 and VS Code draw charts of these versions;
// JupyterLab needs an extension for plotly's.
const (
	MIMEText     = "text/plain"
	MIMEHTML     = "text/html"
	MIMEMarkdown = "text/markdown"
	MIMELatex    = "text/latex"
	MIMESVG      = "image/svg+xml"
	MIMEPNG      = "image/png"
	MIMEJPEG     = "image/jpeg"
	MIMEGIF      = "image/gif"
	MIMEJSON     = "application/json"
	MIMEVega     = "application/vnd.vega.v5+json"
	MIMEVegaLite = "application/vnd.vegalite.v5+json"
	MIMEPlotly   = "application/vnd.plotly.v1+json"
)

// Bundle is one thing in several forms, of which a front end picks the best it can show.
// A Bundle is itself a value that shows as it is.
type Bundle struct {
	// Data maps a MIME type to a string, to a []byte for binary forms, or to a JSON value.
	// It always has text/plain.
	Data map[string]any
	// Metadata is handed to front ends unchanged, such as the width of a picture.
	Metadata map[string]any
}

// Text returns the text/plain form.
func (b Bundle) Text() string {
	s, _ := b.Data[MIMEText].(string)
	return s
}

// HTML returns a value that shows as the HTML source s.
func HTML(s string) Bundle {
	return twoForms(MIMEHTML, s, htmlText(s))
}

// Markdown returns a value that shows as the Markdown source s.
func Markdown(s string) Bundle {
	return twoForms(MIMEMarkdown, s, s)
}

// Latex returns a value that shows as the LaTeX source s. Where s marks no formula, with $, \(, \[
// or \begin, all of it is one: Latex("x^2") is Latex("$x^2$").
func Latex(s string) Bundle {
	s = delimited(s)
	return twoForms(MIMELatex, s, s)
}

// delimited returns LaTeX in which front ends find the formulas.
func delimited(s string) string {
	for _, mark := range [...]string{"$", `\(`, `\[`, `\begin`} {
		if strings.Contains(s, mark) {
			return s
		}
	}
	if s = strings.TrimSpace(s); s == "" {
		return s
	}
	return "$" + s + "$"
}

// SVG returns a value that shows as the picture whose SVG source is s.
func SVG(s string) Bundle {
	return twoForms(MIMESVG, s, pictureText("SVG", []byte(s)))
}

// PNG returns a value that shows as the picture in the PNG file b.
func PNG(b []byte) Bundle {
	return twoForms(MIMEPNG, b, pictureText("PNG", b))
}

// JPEG returns a value that shows as the picture in the JPEG file b.
func JPEG(b []byte) Bundle {
	return twoForms(MIMEJPEG, b, pictureText("JPEG", b))
}

// GIF returns a value that shows as the picture, moving perhaps, in the GIF file b.
func GIF(b []byte) Bundle {
	return twoForms(MIMEGIF, b, pictureText("GIF", b))
}

// JSON returns a value that shows v as a tree that can be folded, if v is a JSON object or array;
// front ends have none for single values, which show as text. A string, []byte or json.RawMessage
// that holds JSON is taken as that. A v that encoding/json refuses shows as text with the reason.
func JSON(v any) Bundle {
	raw, err := rawJSON(v)
	if _, isText := v.(string); err != nil && isText {
		raw, err = encode(v)
	}
	if err != nil {
		return textOnly(err.Error())
	}
	var text bytes.Buffer
	if err := json.Indent(&text, raw, "", "  "); err != nil {
		return textOnly(err.Error())
	}
	if raw[0] != '{' && raw[0] != '[' {
		return textOnly(text.String())
	}
	return twoForms(MIMEJSON, raw, text.String())
}

// VegaLite returns a value that shows the chart of a Vega-Lite specification: JSON in a string,
// []byte or json.RawMessage, or a value that encoding/json makes it of.
func VegaLite(spec any) Bundle { return chart(MIMEVegaLite, "Vega-Lite", spec) }

// Vega is [VegaLite] for a Vega specification.
func Vega(spec any) Bundle { return chart(MIMEVega, "Vega", spec) }

// Plotly is [VegaLite] for a plotly figure: an object with the fields data and layout. JupyterLab
// draws it with an extension, which the text names.
func Plotly(figure any) Bundle {
	b := chart(MIMEPlotly, "Plotly", figure)
	if b.Data[MIMEPlotly] != nil {
		b.Data[MIMEText] = b.Text() +
			"; JupyterLab draws it with the extension in the Python package plotly"
	}
	return b
}

func chart(mime, kind string, spec any) Bundle {
	raw, err := rawJSON(spec)
	if err == nil && raw[0] != '{' {
		err = fmt.Errorf("a chart is a JSON object, got %.20s", raw)
	}
	if err != nil {
		return textOnly(strings.ToLower(kind) + ": " + err.Error())
	}
	return twoForms(mime, raw, kind+" chart, "+sizeText(len(raw)))
}

func twoForms(mime string, form any, text string) Bundle {
	return Bundle{Data: map[string]any{mime: form, MIMEText: text}}
}

func textOnly(text string) Bundle { return Bundle{Data: map[string]any{MIMEText: text}} }

func pictureText(kind string, file []byte) string {
	text := kind + " picture"
	if config, _, err := image.DecodeConfig(bytes.NewReader(file)); err == nil {
		text += fmt.Sprintf(" %d×%d", config.Width, config.Height)
	}
	return text + ", " + sizeText(len(file))
}

func sizeText(n int) string {
	if n < 1000 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f kB", float64(n)/1000)
}

var (
	hiddenHTML = regexp.MustCompile(`(?is)<(script|style)\b.*?</(script|style)\s*>|<!--.*?-->`)
	blockHTML  = regexp.MustCompile(`(?i)</?(p|div|br|tr|li|h[1-6]|table|pre)\b[^>]*>`)
	cellHTML   = regexp.MustCompile(`(?i)</(td|th)\s*>`)
	tagHTML    = regexp.MustCompile(`<[a-zA-Z/!][^>]*>`)
)

// maxHTMLText is how much of an HTML source is read for its text.
const maxHTMLText = 256 << 10

// htmlText returns what is left of s for a reader without a browser; of a long one the beginning.
func htmlText(s string) string {
	if len(s) > maxHTMLText {
		return htmlText(strings.ToValidUTF8(s[:maxHTMLText], "")) +
			fmt.Sprintf("\n… (HTML of %.1f MB)", float64(len(s))/1e6)
	}
	s = hiddenHTML.ReplaceAllString(s, "")
	s = blockHTML.ReplaceAllString(s, "\n")
	s = cellHTML.ReplaceAllString(s, "  ")
	s = html.UnescapeString(tagHTML.ReplaceAllString(s, ""))
	var lines []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
