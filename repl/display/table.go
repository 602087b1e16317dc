package display

import (
	"fmt"
	"html"
	"math"
	"reflect"
	"strconv"
	"strings"
)

const (
	tableRows    = 50 // a longer table says how many rows it leaves out
	tableColumns = 30
	tableText    = 200 // characters of a cell's text
)

// Table returns v as an HTML table, or "" if it has no rows and columns. A slice or array of
// structs, of pointers to them or of an interface that holds them, has a row for each item and a
// column for each exported field, those of embedded structs among them; one of maps with string
// keys a column for each key. A matrix, in slices of slices of numbers or with the methods Dims and
// At of gonum's, has its own rows and columns. A map has a row for each key, and the columns of a
// slice if it leads to structs. What does not fit is left out; the rows are counted.
func Table(v any) string {
	rv := reflect.ValueOf(v)
	if m, ok := v.(matrix); ok {
		return gonumGrid(rv, m).table()
	}
	switch rv.Kind() {
	case reflect.Slice, reflect.Array:
		if g, ok := sliceGrid(rv); ok {
			return g.table()
		}
		return recordTable(rv)
	case reflect.Map:
		if t := recordTable(rv); t != "" || rv.Len() == 0 {
			return t
		}
		return entryTable(rv)
	}
	return ""
}

// entryTable returns the table of a map with one column, which the name of the type heads.
func entryTable(m reflect.Value) string {
	t := newTable([]string{"", typeName(m.Type())})
	shown := 0
	for key, value := range rowsOf(m) {
		t.row(key, []reflect.Value{value})
		shown++
	}
	return t.end(m.Len() - shown)
}

// hasOwnText reports whether values of type t print themselves, so that their fields are no table.
func hasOwnText(t reflect.Type) bool {
	for _, own := range [...]reflect.Type{
		reflect.TypeFor[fmt.Formatter](), reflect.TypeFor[fmt.Stringer](), reflect.TypeFor[error](),
	} {
		if t.Implements(own) {
			return true
		}
	}
	return false
}

// htmlTable is a table whose columns of numbers stand to the right, their heads as well.
type htmlTable struct {
	heads   []string
	numbers []bool // of each column but the first, which has the names of the rows
	body    strings.Builder
}

const alignRight = ` style="text-align: right"`

func newTable(heads []string) *htmlTable {
	t := &htmlTable{heads: heads, numbers: make([]bool, len(heads))}
	for i := range t.numbers {
		t.numbers[i] = i > 0
	}
	return t
}

func (t *htmlTable) row(head string, cells []reflect.Value) {
	fmt.Fprintf(&t.body, "<tr><th>%s</th>", html.EscapeString(head))
	for i, cell := range cells {
		style, text := ` style="text-align: left"`, cellText(cell)
		if isNumber(cell) {
			style = alignRight
		} else if text != "" {
			t.numbers[i+1] = false
		}
		fmt.Fprintf(&t.body, `<td%s>%s</td>`, style, html.EscapeString(text))
	}
	t.body.WriteString("</tr>\n")
}

func (t *htmlTable) end(left int) string {
	var b strings.Builder
	b.WriteString("<table>\n<thead><tr>")
	for i, head := range t.heads {
		style := ""
		if t.numbers[i] {
			style = alignRight
		}
		fmt.Fprintf(&b, "<th%s>%s</th>", style, html.EscapeString(clip(head)))
	}
	b.WriteString("</tr></thead>\n<tbody>\n" + t.body.String())
	if left > 0 {
		fmt.Fprintf(&b, `<tr><td colspan="%d">… %d more rows</td></tr>`+"\n", len(t.heads), left)
	}
	b.WriteString("</tbody>\n</table>")
	return b.String()
}

// inside returns the value that v, perhaps an interface, holds.
func inside(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return v
}

func isNumber(v reflect.Value) bool {
	v = inside(v)
	return v.IsValid() && (v.CanInt() || v.CanUint() || v.CanFloat())
}

// cellText prints a value inside a table: strings without quotes, everything short.
func cellText(v reflect.Value) string {
	v = inside(v)
	if !v.IsValid() {
		return ""
	}
	p := &textPrinter{}
	if text, ok := p.own(v); ok {
		return clip(text)
	}
	switch {
	case v.Kind() == reflect.String:
		return clip(v.String())
	case v.CanFloat():
		return numberText(v.Float(), v.Type().Bits())
	}
	return clip(p.value(v, false, 1))
}

func clip(text string) string {
	if len(text) <= tableText {
		return text
	}
	if r := []rune(text[:min(len(text), 4*tableText)]); len(r) > tableText {
		return string(r[:tableText]) + "…"
	}
	return text
}

// numberText is a number in a table, with all its digits.
func numberText(f float64, bits int) string {
	if a := math.Abs(f); a == 0 || a >= 1e-4 && a < 1e15 {
		return strconv.FormatFloat(f, 'f', -1, bits)
	}
	return strconv.FormatFloat(f, 'g', -1, bits)
}

// shortNumber is a number in a matrix: rounded to six digits or to hundredths, if that is shorter
// and does not say less.
func shortNumber(f float64) (text string, exact bool) {
	text = numberText(f, 64)
	if len(text) <= len("-1234567.891") {
		return text, true
	}
	if a := math.Abs(f); a >= 1000 && a < 1e9 {
		return strconv.FormatFloat(f, 'f', 2, 64), false
	}
	return strconv.FormatFloat(f, 'g', 6, 64), false
}
