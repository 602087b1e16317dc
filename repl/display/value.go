package display

import (
	"fmt"
	"image"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
)

// A shape is a method by which values show themselves in the form of one MIME type.
type shape struct {
	mime, method string
	of           func(v any) any
}

// shapes are the methods that Of looks for, in the order in which front ends prefer their forms.
var shapes = []shape{
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
	{MIMEGIF, "GIF", func(v any) any {
		if m, ok := v.(interface{ GIF() []byte }); ok {
			return m.GIF()
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
	{MIMEJSON, "JSON", func(v any) any {
		switch m := v.(type) {
		case interface{ JSON() any }:
			return m.JSON()
		case interface{ JSON() map[string]any }:
			return m.JSON()
		}
		return nil
	}},
	{"", "MIMEBundle", func(v any) any {
		if m, ok := v.(interface{ MIMEBundle() map[string]any }); ok {
			return m.MIMEBundle()
		}
		return nil
	}},
}

// maxSVG is the size from which a front end is given the pixels of a picture and not its lines:
// browsers are slow with more, and files grow with every cell.
const maxSVG = 1 << 20

// Of returns how v shows itself: every form its methods give, those with pointer receivers, too,
// pictures for images and gonum plots, a table for a slice of structs, a matrix or a map, and
// always a text in Go's syntax. A form that is empty is left out. A method that panics loses its
// form; the text says so.
func Of(v any) Bundle {
	return of(v, false)
}

// preferred is what Prefer was given.
var preferred atomic.Pointer[[]string]

// Prefer makes values that have one of these forms, MIME types such as [MIMEPNG], show with the
// first of them and their text alone, from now on and in all cells; without an argument everything
// shows in all its forms again. Values that have none of them show as before.
//
//	display.Prefer(display.MIMEPNG) // pictures for pages that show SVG badly, such as GitHub's
func Prefer(mimes ...string) {
	mimes = slices.Clone(mimes)
	preferred.Store(&mimes)
}

func preference() []string {
	if p := preferred.Load(); p != nil {
		return *p
	}
	return nil
}

// of leaves out what is slow to make when a vector form is there, if light is set, and does not
// look into v at all when it has a form of its own: the cell may be changing it.
func of(v any, light bool) Bundle {
	if b, ok := v.(Bundle); ok {
		return withText(b).reduced()
	}
	b := Bundle{Data: map[string]any{}, Metadata: map[string]any{}}
	var notes []string
	if v != nil {
		target := receiver(v)
		notes = b.addShapes(target, light)
		if len(b.Data) == 0 {
			notes = append(notes, b.addDerived(target, v, light)...)
		}
	}
	text, ok := b.Data[MIMEText].(string)
	if !ok {
		text = ownOrType(v, light && len(b.Data) > 0)
	}
	b.Data[MIMEText] = strings.Join(append([]string{text}, notes...), "\n")
	return b.reduced()
}

// ownOrType returns the text of v; with shy set only the text it gives itself, or its type.
func ownOrType(v any, shy bool) string {
	if !shy {
		return Text(v)
	}
	if text, ok := new(textPrinter).own(reflect.ValueOf(v)); ok {
		return text
	}
	return typeName(reflect.TypeOf(v))
}

// receiver returns v, or a pointer to a copy of it if that has more methods.
func receiver(v any) any {
	t := reflect.TypeOf(v)
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface ||
		reflect.PointerTo(t).NumMethod() == t.NumMethod() {
		return v
	}
	p := reflect.New(t)
	p.Elem().Set(reflect.ValueOf(v))
	return p.Interface()
}

// addShapes adds what v's methods give, the preferred forms first. It returns notes about those
// that panic.
func (b Bundle) addShapes(v any, light bool) (notes []string) {
	ordered := slices.Clone(shapes)
	slices.SortStableFunc(ordered, func(x, y shape) int { return rank(x.mime) - rank(y.mime) })
	for _, s := range ordered {
		if light && b.hasSmallSVG() && (s.mime == MIMEPNG || s.mime == MIMEJPEG) {
			continue
		}
		form, note := guarded(s.method, v, func() any { return s.of(v) })
		if form == "" || emptyBytes(form) {
			continue // v's type has the form, and this value of it does not
		}
		if note != "" {
			notes = append(notes, note)
		}
		switch all, isBundle := form.(map[string]any); {
		case isBundle && s.mime == "":
			maps.Copy(b.Data, all)
		case form != nil:
			if source, ok := form.(string); ok && s.mime == MIMELatex {
				form = delimited(source)
			}
			b.Data[s.mime] = form
		}
		if form != nil && rank(s.mime) < 0 {
			return notes
		}
	}
	return notes
}

func emptyBytes(form any) bool {
	b, ok := form.([]byte)
	return ok && len(b) == 0
}

// rank is negative for preferred MIME types, the first of them lowest.
func rank(mime string) int {
	p := preference()
	if i := slices.Index(p, mime); i >= 0 {
		return i - len(p)
	}
	return 0
}

func (b Bundle) hasSmallSVG() bool {
	svg, ok := b.Data[MIMESVG].(string)
	return ok && len(svg) <= maxSVG
}

// reduced leaves out the forms that front ends should not be given.
func (b Bundle) reduced() Bundle {
	for _, mime := range preference() {
		if form, ok := b.Data[mime]; ok {
			text := b.Text()
			return Bundle{Data: map[string]any{mime: form, MIMEText: text}, Metadata: b.Metadata}
		}
	}
	if b.Data[MIMESVG] != nil && b.Data[MIMEPNG] != nil && !b.hasSmallSVG() {
		b.Data = maps.Clone(b.Data)
		delete(b.Data, MIMESVG)
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

// addDerived adds the forms of values that have no method of their own for them, and returns notes
// about what panics. target has all of v's methods.
func (b Bundle) addDerived(target, v any, light bool) (notes []string) {
	if img, ok := v.(image.Image); ok {
		form, note := guarded("PNG", v, func() any { return b.addImage(img) })
		if note != "" {
			notes = append(notes, note)
		}
		if form == true {
			return notes
		}
	}
	if draw := plotDrawer(target); draw != nil {
		b.Data[MIMEText] = typeName(reflect.TypeOf(v))
		return b.addPlot(target, draw, light)
	}
	if m, ok := v.(matrix); ok {
		form, _ := guarded("At", v, func() any { return gonumGrid(reflect.ValueOf(v), m).text() })
		if text, ok := form.(string); ok {
			b.Data[MIMEText] = text
		}
	}
	form, note := guarded("table", v, func() any { return Table(v) })
	if table, ok := form.(string); ok && table != "" {
		b.Data[MIMEHTML] = table
	}
	if note != "" {
		notes = append(notes, note)
	}
	return notes
}

// guarded runs get, which calls v's method of that name. If it panics the form is nil and the note
// says so in one line, but for a nil receiver: few methods bear one, and fmt is quiet about it.
func guarded(method string, v any, get func() any) (form any, note string) {
	defer func() {
		if r := recover(); r != nil {
			form = nil
			if !isNilPointer(v) {
				note = fmt.Sprintf("(no %s: panic: %s)", method, panicText(r))
			}
		}
	}()
	return get(), ""
}

func isNilPointer(v any) bool {
	rv := reflect.ValueOf(v)
	return rv.Kind() == reflect.Pointer && rv.IsNil()
}

// panicText returns the panic value r on one line: texts as they are, others in Go's syntax.
func panicText(r any) (text string) {
	defer func() {
		if recover() != nil {
			text = typeName(reflect.TypeOf(r))
		}
	}()
	switch r.(type) {
	case string, error, fmt.Stringer:
		text = fmt.Sprint(r)
	default:
		text = Text(r)
	}
	return clip(strings.Join(strings.Fields(text), " "))
}
