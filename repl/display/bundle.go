package display

import (
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"
)

// The MIME types that this package makes.
const (
	MIMEText     = "text/plain"
	MIMEHTML     = "text/html"
	MIMEMarkdown = "text/markdown"
	MIMELatex    = "text/latex"
	MIMESVG      = "image/svg+xml"
	MIMEPNG      = "image/png"
	MIMEJPEG     = "image/jpeg"
	MIMEJSON     = "application/json"
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

// Latex returns a value that shows as the LaTeX source s, dollar signs included.
func Latex(s string) Bundle {
	return twoForms(MIMELatex, s, s)
}

// SVG returns a value that shows as the picture whose SVG source is s.
func SVG(s string) Bundle {
	return twoForms(MIMESVG, s, pictureText("SVG", len(s)))
}

// PNG returns a value that shows as the picture in the PNG file b.
func PNG(b []byte) Bundle {
	return twoForms(MIMEPNG, b, pictureText("PNG", len(b)))
}

// JPEG returns a value that shows as the picture in the JPEG file b.
func JPEG(b []byte) Bundle {
	return twoForms(MIMEJPEG, b, pictureText("JPEG", len(b)))
}

// JSON returns a value that shows v as a JSON tree. A v that encoding/json refuses shows as text
// with the reason.
func JSON(v any) Bundle {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return Bundle{Data: map[string]any{MIMEText: err.Error()}}
	}
	return twoForms(MIMEJSON, json.RawMessage(text), string(text))
}

func twoForms(mime string, form any, text string) Bundle {
	return Bundle{Data: map[string]any{mime: form, MIMEText: text}}
}

func pictureText(kind string, size int) string {
	if size < 1000 {
		return fmt.Sprintf("%s picture, %d bytes", kind, size)
	}
	return fmt.Sprintf("%s picture, %.1f kB", kind, float64(size)/1000)
}

var (
	hiddenHTML = regexp.MustCompile(`(?is)<(script|style)\b.*?</(script|style)\s*>|<!--.*?-->`)
	blockHTML  = regexp.MustCompile(`(?i)</?(p|div|br|tr|li|h[1-6]|table|pre)\b[^>]*>`)
	cellHTML   = regexp.MustCompile(`(?i)</(td|th)\s*>`)
	tagHTML    = regexp.MustCompile(`<[a-zA-Z/!][^>]*>`)
)

// htmlText returns what is left of s for a reader without a browser.
func htmlText(s string) string {
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
