package display

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sulky panics when it is encoded.
type sulky struct{}

func (sulky) MarshalJSON() ([]byte, error) { panic("no") }

func TestWire(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	for _, test := range []struct {
		name     string
		b        Bundle
		data     map[string]any
		metadata map[string]any
	}{
		{"empty", Bundle{}, map[string]any{MIMEText: "(no text form)"}, nil},
		{"strings", HTML("<b>x</b>"), map[string]any{MIMEHTML: "<b>x</b>", MIMEText: "x"}, nil},
		{"binary", Bundle{Data: map[string]any{MIMEPNG: []byte{0, 255}, MIMEText: "t"}},
			map[string]any{MIMEPNG: "AP8=", MIMEText: "t"}, nil},
		{"text_as_bytes", Bundle{Data: map[string]any{MIMESVG: []byte("<svg/>"), MIMEText: "t"}},
			map[string]any{MIMESVG: "<svg/>", MIMEText: "t"}, nil},
		{"number_as_text", Bundle{Data: map[string]any{MIMEMarkdown: 1.5, MIMEText: "t"}},
			map[string]any{MIMEMarkdown: "1.5", MIMEText: "t"}, nil},
		{"json", Bundle{Data: map[string]any{
			MIMEJSON: `{"a": 1}`, "application/x+json": []byte("[1]"), "application/y+json": "text",
			"application/z+json": map[string]any{"<": 1}, MIMEText: "t",
		}}, map[string]any{
			MIMEJSON: raw(`{"a":1}`), "application/x+json": raw("[1]"),
			"application/y+json": "text", "application/z+json": raw(`{"<":1}`), MIMEText: "t",
		}, nil},
		{"refused", Bundle{
			Data:     map[string]any{MIMEJSON: math.NaN(), "x/y": sulky{}, MIMEText: "t"},
			Metadata: map[string]any{"a": func() {}, "width": 5},
		},
			map[string]any{MIMEText: "t\n(no application/json: json: unsupported value: NaN)\n" +
				"(no x/y: panic: no)\n(no metadata a: json: unsupported type: func())"},
			map[string]any{"width": raw("5")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.metadata == nil {
				test.metadata = map[string]any{}
			}
			data, metadata := test.b.Wire()
			if diff := cmp.Diff(test.data, data); diff != "" {
				t.Errorf("data (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(test.metadata, metadata); diff != "" {
				t.Errorf("metadata (-want +got)\n%s", diff)
			}
			if _, err := json.Marshal([]any{data, metadata}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTextOfLongHTML: a long source is not sent twice.
func TestTextOfLongHTML(t *testing.T) {
	text := HTML(strings.Repeat("<b>é</b> ", 200_000)).Text()
	if len(text) > maxHTMLText || !strings.HasPrefix(text, "é é ") ||
		!strings.HasSuffix(text, "é\n… (HTML of 2.0 MB)") {
		t.Errorf("%d bytes, ends in %q", len(text), text[len(text)-30:])
	}
}
