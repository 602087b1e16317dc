package display

import (
	"bytes"
	"io"
	"reflect"
	"strings"
)

// drawer draws a plot in a format, as a []byte, or returns nil.
type drawer func(format string) any

// addPlot adds the plot v as lines and as pixels, or only one of them where that is wanted. It
// returns notes about what panics.
func (b Bundle) addPlot(v any, draw drawer, light bool) (notes []string) {
	add := func(name, format string) []byte {
		form, note := guarded(name, v, func() any { return draw(format) })
		if note != "" {
			notes = append(notes, note)
		}
		file, _ := form.([]byte)
		return file
	}
	if rank(MIMEPNG) >= rank(MIMESVG) {
		if svg := add("SVG", "svg"); svg != nil {
			b.Data[MIMESVG] = genericFonts.Replace(string(svg))
		}
		if light && b.hasSmallSVG() || rank(MIMESVG) < 0 && b.Data[MIMESVG] != nil {
			return notes
		}
	}
	if file := add("PNG", "png"); file != nil {
		b.Data[MIMEPNG] = file
	}
	return notes
}

// genericFonts lets the SVG of a plot look the same where gonum's own fonts are not installed: the
// others named have the same widths.
var genericFonts = strings.NewReplacer(
	"font-family:Liberation Sans;", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;",
	"font-family:Liberation Serif;", "font-family:'Liberation Serif','Times New Roman',serif;",
	"font-family:Liberation Mono;", "font-family:'Liberation Mono','Courier New',monospace;",
)

// plotDrawer returns a function that draws v, if v has the method of gonum's *plot.Plot:
// WriterTo(w, h vg.Length, format string) (io.WriterTo, error). It is found by reflection, for
// vg.Length would otherwise make every user of this package link a plotting library.
func plotDrawer(v any) drawer {
	m := reflect.ValueOf(v).MethodByName("WriterTo")
	if !m.IsValid() {
		return nil
	}
	t := m.Type()
	if t.NumIn() != 3 || t.NumOut() != 2 || t.In(0).Kind() != reflect.Float64 ||
		t.In(1) != t.In(0) || t.In(2).Kind() != reflect.String {
		return nil
	}
	return func(format string) any {
		out := m.Call([]reflect.Value{
			reflect.ValueOf(float64(PlotWidth)).Convert(t.In(0)),
			reflect.ValueOf(float64(PlotHeight)).Convert(t.In(0)),
			reflect.ValueOf(format).Convert(t.In(2)),
		})
		w, ok := out[0].Interface().(io.WriterTo)
		if !ok || !out[1].IsNil() {
			return nil
		}
		var buf bytes.Buffer
		if _, err := w.WriteTo(&buf); err != nil {
			return nil
		}
		return buf.Bytes()
	}
}
