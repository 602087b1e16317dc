package display

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
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
func (e everything) GIF() []byte      { e.note("gif"); return []byte("gif") }
func (e everything) JSON() any        { e.note("json"); return 1 }
func (e everything) Markdown() string { e.note("markdown"); return "**x**" }
func (e everything) Latex() string    { e.note("latex"); return "$x$" }
func (e everything) String() string   { return "x" }

func TestOf(t *testing.T) {
	want := map[string]any{
		MIMEHTML: "<b>x</b>", MIMESVG: "<svg/>", MIMEPNG: []byte("png"), MIMEJPEG: []byte("jpeg"),
		MIMEMarkdown: "**x**", MIMELatex: "$x$", MIMEText: "x", MIMEGIF: []byte("gif"), MIMEJSON: 1,
	}
	if diff := cmp.Diff(want, Of(everything{new([]string)}).Data); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// sparse is of a type that has forms which this value leaves empty.
type sparse struct{}

func (sparse) HTML() string   { return "" }
func (sparse) SVG() string    { return "" }
func (sparse) PNG() []byte    { return nil }
func (sparse) JSON() any      { return "" }
func (sparse) String() string { return "x" }

func TestOfLeavesOutEmptyForms(t *testing.T) {
	defer Prefer()
	for _, prefer := range [][]string{nil, {MIMEPNG}} {
		Prefer(prefer...)
		if diff := cmp.Diff(map[string]any{MIMEText: "x"}, Of(sparse{}).Data); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}

func TestOfLightSkipsSlowForms(t *testing.T) {
	var drawn []string
	of(everything{&drawn}, true)
	want := []string{"html", "svg", "gif", "markdown", "latex", "json"}
	if diff := cmp.Diff(want, drawn); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestPrefer(t *testing.T) {
	defer Prefer()
	for _, test := range []struct {
		prefer []string
		v      any
		want   map[string]any
		drawn  []string // of a value with every form
	}{
		{[]string{MIMEPNG}, everything{}, map[string]any{MIMEPNG: []byte("png"), MIMEText: "x"},
			[]string{"png"}},
		{[]string{"image/webp", MIMEJPEG, MIMEPNG}, everything{},
			map[string]any{MIMEJPEG: []byte("jpeg"), MIMEText: "x"}, []string{"jpeg"}},
		{[]string{MIMEPNG}, &sharp{}, map[string]any{MIMEPNG: []byte("png 480×300"),
			MIMEText: "*display.sharp"}, nil},
		{[]string{MIMESVG}, &sharp{}, map[string]any{MIMESVG: "svg 480×300",
			MIMEText: "*display.sharp"}, nil},
		{[]string{MIMEPNG}, Markdown("x"), map[string]any{MIMEMarkdown: "x", MIMEText: "x"}, nil},
		{[]string{MIMEText}, Markdown("x"), map[string]any{MIMEText: "x"}, nil},
	} {
		Prefer(test.prefer...)
		for _, light := range []bool{false, true} {
			var drawn []string
			if _, ok := test.v.(everything); ok {
				test.v = everything{&drawn}
			}
			if diff := cmp.Diff(test.want, of(test.v, light).Data); diff != "" {
				t.Errorf("%v: %T (-want +got)\n%s", test.prefer, test.v, diff)
			}
			if diff := cmp.Diff(test.drawn, drawn); diff != "" {
				t.Errorf("%v: drawn (-want +got)\n%s", test.prefer, diff)
			}
		}
	}
}

// detailed draws more lines than a browser likes.
type detailed struct{}

func (detailed) SVG() string { return strings.Repeat("x", maxSVG+1) }
func (detailed) PNG() []byte { return []byte("png") }

func TestOfLeavesOutLargeSVG(t *testing.T) {
	for _, light := range []bool{false, true} {
		want := map[string]any{MIMEPNG: []byte("png"), MIMEText: "display.detailed"}
		if !light {
			want[MIMEText] = "display.detailed{}"
		}
		if diff := cmp.Diff(want, of(detailed{}, light).Data); diff != "" {
			t.Errorf("light %v (-want +got)\n%s", light, diff)
		}
	}
}

type ownBundle struct{}

func (ownBundle) MIMEBundle() map[string]any {
	return map[string]any{"text/x-own": "own", MIMEText: "text"}
}

type byMap struct{}

func (byMap) JSON() map[string]any { return map[string]any{"a": 1} }

func TestOfWholeBundle(t *testing.T) {
	want := map[string]any{"text/x-own": "own", MIMEText: "text"}
	if diff := cmp.Diff(want, Of(ownBundle{}).Data); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	want = map[string]any{MIMEJSON: map[string]any{"a": 1}, MIMEText: "display.byMap{}"}
	if diff := cmp.Diff(want, Of(byMap{}).Data); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestOfFindsPointerMethods(t *testing.T) {
	if got := Of(broken{}).Data[MIMEHTML]; got != "ok" {
		t.Errorf("HTML of a value whose pointer has it: %v", got)
	}
	if got := Of(sharp{}).Data[MIMESVG]; got != "svg 480×300" {
		t.Errorf("SVG of a plot that is no pointer: %v", got)
	}
}

type broken struct{}

func (*broken) SVG() string  { panic("no") }
func (*broken) HTML() string { return "ok" }

func TestOfSurvivesPanics(t *testing.T) {
	want := map[string]any{MIMEHTML: "ok", MIMEText: "&display.broken{}\n(no SVG: panic: no)"}
	if diff := cmp.Diff(want, Of(&broken{}).Data); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// counts, odd and lost have methods that panic.
type (
	counts struct{ words map[string]int }
	odd    struct{ N int }
	lost   struct{}
)

func (c counts) HTML() string { c.words["x"]++; return "x" }

func (o odd) String() string { panic(fmt.Sprintf("%d\nis odd", o.N)) }

func (lost) String() string { panic(point{1, 2}) }

func TestOfSaysWhatPanics(t *testing.T) {
	for _, test := range []struct {
		v    any
		want string
	}{
		{counts{}, "display.counts{words: nil}\n(no HTML: panic: assignment to entry in nil map)"},
		{odd{1}, "display.odd{N: 1} (no String: panic: 1 is odd)"},
		{&odd{1}, "&display.odd{N: 1} (no String: panic: 1 is odd)"},
		{[]any{odd{1}, 2}, "[]any{display.odd{N: 1} (no String: panic: 1 is odd), 2}"},
		{lost{}, "display.lost{} (no String: panic: display.point{X: 1, Y: 2})"},
		{(*odd)(nil), "nil"},
		{(*counts)(nil), "nil"},
		{[]*odd{nil}, "[]*display.odd{nil}"},
	} {
		if got := Of(test.v).Text(); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
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
		{Latex(" x^2\n"), MIMELatex, "$x^2$", "$x^2$"},
		{Latex(`\frac12`), MIMELatex, `$\frac12$`, `$\frac12$`},
		{Latex(`so \(x\)`), MIMELatex, `so \(x\)`, `so \(x\)`},
		{Latex(`\[x\]`), MIMELatex, `\[x\]`, `\[x\]`},
		{Latex(`\begin{align}x\end{align}`), MIMELatex, nil, `\begin{align}x\end{align}`},
		{SVG("<svg/>"), MIMESVG, "<svg/>", "SVG picture, 6 bytes"},
		{PNG(make([]byte, 12_340)), MIMEPNG, nil, "PNG picture, 12.3 kB"},
		{JPEG([]byte("abc")), MIMEJPEG, []byte("abc"), "JPEG picture, 3 bytes"},
		{JSON([]int{1}), MIMEJSON, nil, "[\n  1\n]"},
		{JSON(func() {}), MIMEText, nil, "json: unsupported type: func()"},
		{JSON("[1]"), MIMEJSON, json.RawMessage("[1]"), "[\n  1\n]"},
		{JSON("no <JSON>"), MIMEText, nil, `"no <JSON>"`},
		{JSON(json.RawMessage(`{"a": `)), MIMEText, nil, "unexpected end of JSON input"},
		{JSON(1), MIMEText, nil, "1"},
		{JSON(nil), MIMEText, nil, "null"},
		{GIF([]byte("GIF89a\x02\x00\x01\x00\x80\x00\x00")), MIMEGIF, nil,
			"GIF picture, 13 bytes"},
		{PNG(picture(30, 20)), MIMEPNG, nil, "PNG picture 30×20, 94 bytes"},
		{VegaLite(`{"mark": "bar"}`), MIMEVegaLite, json.RawMessage(`{"mark":"bar"}`),
			"Vega-Lite chart, 14 bytes"},
		{Vega(map[string]any{"a<b": 1}), MIMEVega, json.RawMessage(`{"a<b":1}`),
			"Vega chart, 9 bytes"},
		{Plotly([]byte(`{"data": []}`)), MIMEPlotly, json.RawMessage(`{"data":[]}`),
			"Plotly chart, 11 bytes; JupyterLab draws it with the extension in the Python package " +
				"plotly"},
		{Plotly("{data: []}"), MIMEText, nil,
			"plotly: invalid character 'd' looking for beginning of object key string"},
		{VegaLite([]int{1}), MIMEText, nil, "vega-lite: a chart is a JSON object, got [1]"},
		{Bundle{}, MIMEText, nil, "(no text form)"},
	} {
		got := Of(test.b)
		if got.Text() != test.wantText {
			t.Errorf("%s: text %q, want %q", test.mime, got.Text(), test.wantText)
		}
		if got.Data[test.mime] == nil || len(got.Data) > 2 {
			t.Errorf("%s: forms %v", test.mime, got.Data)
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

// tile has the methods of the rectangle it embeds, and no picture.
type tile struct {
	image.Rectangle
	ID int
}

// patch is a picture of its own in a rectangle.
type patch struct{ image.Rectangle }

func (patch) ColorModel() color.Model { return color.GrayModel }
func (patch) At(x, y int) color.Color { return color.Gray{} }

func TestOfPlace(t *testing.T) {
	r := image.Rect(1, 2, 30, 40)
	for _, test := range []struct {
		v       any
		want    string
		picture bool
	}{
		{r, "(1,2)-(30,40)", false},
		{&r, "(1,2)-(30,40)", false},
		{tile{r, 1}, "(1,2)-(30,40)", false},
		{image.NewUniform(color.Gray{7}), "&image.Uniform{C: color.Gray{Y: 7}}", false},
		{patch{r}, "display.patch 29×38", true},
	} {
		b := Of(test.v)
		if b.Text() != test.want || (b.Data[MIMEPNG] != nil) != test.picture {
			t.Errorf("%T: %q, picture %v; want %q", test.v, b.Text(), !test.picture, test.want)
		}
	}
}

func picture(width, height int) []byte {
	file, err := encodePNG(image.NewRGBA(image.Rect(0, 0, width, height)))
	if err != nil {
		panic(err)
	}
	return file
}

func TestOfLargeImage(t *testing.T) {
	b := Of(image.NewGray(image.Rect(0, 0, 3*maxSide, 2)))
	if got, want := b.Text(), "*image.Gray 6144×2, shown as 2048×1"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	img, err := png.DecodeConfig(bytes.NewReader(b.Data[MIMEPNG].([]byte)))
	if err != nil || img.Width != maxSide || img.Height != 1 {
		t.Errorf("%+v, %v", img, err)
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

// sharp is a plot that draws in every format.
type sharp struct{}

func (*sharp) WriterTo(w, h length, format string) (io.WriterTo, error) {
	return bytes.NewBufferString(fmt.Sprintf("%s %v×%v", format, w, h)), nil
}
