package display

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type everything struct{ drawn *[]string }

func (e everything) note(form string) { *e.drawn = append(*e.drawn, form) }

func (e everything) HTML() string     { e.note("html"); return "<b>x</b>" }
func (e everything) SVG() string      { e.note("svg"); return "<svg/>" }
func (e everything) PNG() []byte      { e.note("png"); return []byte("png") }
func (e everything) JPEG() []byte     { e.note("jpeg"); return []byte("jpeg") }
func (e everything) Markdown() string { e.note("markdown"); return "**x**" }
func (e everything) Latex() string    { e.note("latex"); return "$x$" }
func (e everything) String() string   { return "x" }

func TestOf(t *testing.T) {
	want := map[string]any{
		MIMEHTML: "<b>x</b>", MIMESVG: "<svg/>", MIMEPNG: []byte("png"), MIMEJPEG: []byte("jpeg"),
		MIMEMarkdown: "**x**", MIMELatex: "$x$", MIMEText: "x",
	}
	if diff := cmp.Diff(want, Of(everything{new([]string)}).Data); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestOfLightSkipsSlowForms(t *testing.T) {
	var drawn []string
	of(everything{&drawn}, true)
	if diff := cmp.Diff([]string{"html", "svg", "markdown", "latex"}, drawn); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

type broken struct{}

func (*broken) SVG() string  { panic("no") }
func (*broken) HTML() string { return "ok" }

func TestOfSurvivesPanics(t *testing.T) {
	want := map[string]any{MIMEHTML: "ok", MIMEText: "&display.broken{}"}
	if diff := cmp.Diff(want, Of(&broken{}).Data); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestOfBundle(t *testing.T) {
	for _, test := range []struct {
		b        Bundle
		mime     string
		form     any
		wantText string
	}{
		{HTML("<p>a &lt; b</p><script>x</script><td>c</td>"), MIMEHTML, nil, "a < b\nc"},
		{Markdown("# t"), MIMEMarkdown, "# t", "# t"},
		{Latex("$x$"), MIMELatex, "$x$", "$x$"},
		{SVG("<svg/>"), MIMESVG, "<svg/>", "SVG picture, 6 bytes"},
		{PNG(make([]byte, 12_340)), MIMEPNG, nil, "PNG picture, 12.3 kB"},
		{JPEG([]byte("abc")), MIMEJPEG, []byte("abc"), "JPEG picture, 3 bytes"},
		{JSON([]int{1}), MIMEJSON, nil, "[\n  1\n]"},
		{JSON(func() {}), MIMEText, nil, "json: unsupported type: func()"},
		{Bundle{}, MIMEText, nil, "(no text form)"},
	} {
		got := Of(test.b)
		if got.Text() != test.wantText {
			t.Errorf("%s: text %q, want %q", test.mime, got.Text(), test.wantText)
		}
		if test.form != nil && !cmp.Equal(got.Data[test.mime], test.form) {
			t.Errorf("%s: %v", test.mime, got.Data[test.mime])
		}
	}
}

func TestOfImage(t *testing.T) {
	b := Of(image.NewRGBA(image.Rect(0, 0, 3, 2)))
	if got, want := b.Text(), "*image.RGBA 3×2"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	img, err := png.Decode(bytes.NewReader(b.Data[MIMEPNG].([]byte)))
	if err != nil {
		t.Fatal(err)
	}
	if got := img.Bounds().Size(); got != (image.Point{3, 2}) {
		t.Errorf("size %v", got)
	}
}

// length and plot have the shape of gonum's vg.Length and *plot.Plot.
type length float64

type plot struct{ formats []string }

func (p *plot) WriterTo(w, h length, format string) (io.WriterTo, error) {
	if format == "png" && p.formats == nil {
		return nil, fmt.Errorf("no such format")
	}
	p.formats = append(p.formats, format)
	return bytes.NewBufferString(fmt.Sprintf("%s %v×%v", format, w, h)), nil
}

func TestOfPlot(t *testing.T) {
	want := map[string]any{
		MIMESVG: "svg 480×300", MIMEPNG: []byte("png 480×300"), MIMEText: "*display.plot",
	}
	if diff := cmp.Diff(want, Of(&plot{}).Data); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// box has the shape of the interpreter's wrapper for values of a cell's own types.
type box struct{}

func (box) GoText() string { return "P{X: 1}" }

func (box) Method(name string) any {
	switch name {
	case "HTML":
		return func(recv any) string { return fmt.Sprintf("<i>%T</i>", recv) }
	case "PNG":
		return func(recv any) []byte { return []byte("png") }
	}
	return nil
}

func TestOfBox(t *testing.T) {
	want := map[string]any{
		MIMEHTML: "<i>display.box</i>", MIMEPNG: []byte("png"), MIMEText: "P{X: 1}",
	}
	if diff := cmp.Diff(want, Of(box{}).Data); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// namedBox is a box whose type has a String method in its cell.
type namedBox struct{ box }

func (namedBox) Method(name string) any {
	if name == "String" {
		return func(recv any) string { return "P one" }
	}
	return nil
}

func TestOfBoxWithString(t *testing.T) {
	if got, want := Of(namedBox{}).Text(), "P one"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTable(t *testing.T) {
	type row struct {
		Name   string
		Score  float64
		hidden int
	}
	many := make([]row, 70)
	for _, test := range []struct {
		name string
		v    any
		want []string
	}{
		{"structs", []row{{"<b>", 0.5, 1}}, []string{
			"<th></th><th>Name</th><th>Score</th></tr>",
			`<td style="text-align: left">&lt;b&gt;</td><td style="text-align: right">0.5</td>`,
		}},
		{"pointers", []*row{nil, {Name: "x"}}, []string{">x</td>"}},
		{"long", many, []string{`<td colspan="3">… 20 more rows</td>`}},
		{"map", map[string]any{"<k>": []int{1}}, []string{"<th>&lt;k&gt;</th>", "[]int{1}</td>"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Table(test.v)
			for _, want := range test.want {
				if !strings.Contains(got, want) {
					t.Errorf("no %s in\n%s", want, got)
				}
			}
			if Of(test.v).Data[MIMEHTML] != got {
				t.Error("Of does not show the table")
			}
		})
	}
	for _, v := range []any{nil, 1, []int{1}, []row{}, map[int]int{}, []temperature{1}} {
		if got := Table(v); got != "" {
			t.Errorf("Table(%v) = %s", v, got)
		}
	}
}
