package display

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"reflect"
)

// forms are the method shapes that Of looks for, in the order front ends prefer them.
var forms = [...]struct {
	mime, method string
	of           func(v any) any
}{
	{MIMEHTML, "HTML", func(v any) any {
		if m, ok := v.(interface{ HTML() string }); ok {
			return m.HTML()
		}
		return nil
	}},
	{MIMESVG, "SVG", func(v any) any {
		if m, ok := v.(interface{ SVG() string }); ok {
			return m.SVG()
		}
		return nil
	}},
	{MIMEPNG, "PNG", func(v any) any {
		if m, ok := v.(interface{ PNG() []byte }); ok {
			return m.PNG()
		}
		return nil
	}},
	{MIMEJPEG, "JPEG", func(v any) any {
		if m, ok := v.(interface{ JPEG() []byte }); ok {
			return m.JPEG()
		}
		return nil
	}},
	{MIMEMarkdown, "Markdown", func(v any) any {
		if m, ok := v.(interface{ Markdown() string }); ok {
			return m.Markdown()
		}
		return nil
	}},
	{MIMELatex, "Latex", func(v any) any {
		if m, ok := v.(interface{ Latex() string }); ok {
			return m.Latex()
		}
		return nil
	}},
}

// boxed is a value whose methods only the interpreter knows. Method returns a function whose first
// parameter is the receiver, or nil.
type boxed interface{ Method(name string) any }

// Of returns how v shows itself: every form its methods give, pictures for images and gonum plots,
// a table for a slice of structs or a map, and always a text in Go's syntax.
// A method that panics only loses its form.
func Of(v any) Bundle {
	return of(v, false)
}

// of leaves out the forms that are slow to draw when a vector form is there, if light is set.
func of(v any, light bool) Bundle {
	if b, ok := v.(Bundle); ok {
		return withText(b)
	}
	b := Bundle{Data: map[string]any{MIMEText: Text(v)}}
	if v == nil {
		return b
	}
	for _, form := range forms {
		if light && b.Data[MIMESVG] != nil && (form.mime == MIMEPNG || form.mime == MIMEJPEG) {
			continue
		}
		got := guarded(func() any { return form.of(v) })
		if got == nil {
			got = guarded(func() any { return boxedForm(v, form.method) })
		}
		if got != nil {
			b.Data[form.mime] = got
		}
	}
	if len(b.Data) == 1 {
		addDerived(b, v, light)
	}
	return b
}

// withText returns b with a text/plain form, without touching the caller's map.
func withText(b Bundle) Bundle {
	if _, ok := b.Data[MIMEText].(string); ok {
		return b
	}
	data := map[string]any{MIMEText: "(no text form)"}
	for mime, form := range b.Data {
		if mime != MIMEText {
			data[mime] = form
		}
	}
	return Bundle{Data: data, Metadata: b.Metadata}
}

// addDerived adds the forms of values that have no method of their own for them.
func addDerived(b Bundle, v any, light bool) {
	if img, ok := v.(image.Image); ok {
		if file, ok := guarded(func() any { return encodePNG(img) }).([]byte); ok {
			size := img.Bounds().Size()
			b.Data[MIMEPNG] = file
			b.Data[MIMEText] = fmt.Sprintf("%T %d×%d", v, size.X, size.Y)
		}
		return
	}
	if draw := plotDrawer(v); draw != nil {
		if svg, ok := guarded(func() any { return draw("svg") }).([]byte); ok {
			b.Data[MIMESVG] = string(svg)
		}
		if light && b.Data[MIMESVG] != nil {
			return
		}
		if file, ok := guarded(func() any { return draw("png") }).([]byte); ok {
			b.Data[MIMEPNG] = file
		}
		b.Data[MIMEText] = fmt.Sprintf("%T", v)
		return
	}
	if table, ok := guarded(func() any { return Table(v) }).(string); ok && table != "" {
		b.Data[MIMEHTML] = table
	}
}

// guarded runs get and returns nil if it panics, as methods do that meet a nil receiver.
func guarded(get func() any) (form any) {
	defer func() {
		if recover() != nil {
			form = nil
		}
	}()
	return get()
}

func boxedForm(v any, name string) any {
	box, ok := v.(boxed)
	if !ok {
		return nil
	}
	switch method := box.Method(name).(type) {
	case func(any) string:
		return method(v)
	case func(any) []byte:
		return method(v)
	}
	return nil
}

func encodePNG(img image.Image) any {
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		return nil
	}
	return buf.Bytes()
}

// plotDrawer returns a function that draws v, if v has the method of gonum's *plot.Plot:
// WriterTo(w, h vg.Length, format string) (io.WriterTo, error). It is found by reflection, for
// vg.Length would otherwise make every user of this package link a plotting library.
func plotDrawer(v any) func(format string) any {
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
