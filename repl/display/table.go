package display

import (
	"fmt"
	"html"
	"reflect"
	"strings"
)

const (
	tableRows    = 50 // a longer table says how many rows it leaves out
	tableColumns = 30
	tableText    = 200 // characters of a cell's text
)

// Table returns v as an HTML table, or "" if it has no rows and columns: a slice or array of
// structs (or of pointers to them) has a row for each item and a column for each exported field, a
// map has a row for each key.
func Table(v any) string {
	rv := reflect.ValueOf(v)
	switch rv.Kind() {
	case reflect.Map:
		return mapTable(rv)
	case reflect.Slice, reflect.Array:
		return structTable(rv)
	}
	return ""
}

func mapTable(v reflect.Value) string {
	if v.Len() == 0 {
		return ""
	}
	keys := v.MapKeys()
	sortKeys(keys)
	t := newTable([]string{"", typeName(v.Type())})
	for _, key := range keys[:min(len(keys), tableRows)] {
		t.row(cellText(key), []reflect.Value{v.MapIndex(key)})
	}
	return t.end(len(keys) - tableRows)
}

func structTable(v reflect.Value) string {
	elem := v.Type().Elem()
	if elem.Kind() == reflect.Pointer {
		elem = elem.Elem()
	}
	if elem.Kind() != reflect.Struct || v.Len() == 0 || hasOwnText(v.Type().Elem()) {
		return ""
	}
	var fields []reflect.StructField
	heads := []string{""}
	for _, f := range reflect.VisibleFields(elem) {
		if f.IsExported() && len(f.Index) == 1 && len(fields) < tableColumns {
			fields = append(fields, f)
			heads = append(heads, f.Name)
		}
	}
	if len(fields) == 0 {
		return ""
	}
	t := newTable(heads)
	for i := range min(v.Len(), tableRows) {
		row := v.Index(i)
		if row.Kind() == reflect.Pointer {
			row = row.Elem()
		}
		cells := make([]reflect.Value, len(fields))
		for j, f := range fields {
			if row.IsValid() {
				cells[j] = row.FieldByIndex(f.Index)
			}
		}
		t.row(fmt.Sprint(i), cells)
	}
	return t.end(v.Len() - tableRows)
}

// hasOwnText reports whether values of type t print themselves, so that their fields are no table.
func hasOwnText(t reflect.Type) bool {
	for _, own := range [...]reflect.Type{
		reflect.TypeFor[fmt.Formatter](), reflect.TypeFor[fmt.Stringer](), reflect.TypeFor[error](),
		reflect.TypeFor[interface{ GoText() string }](),
	} {
		if t.Implements(own) {
			return true
		}
	}
	return false
}

type htmlTable struct {
	strings.Builder
	columns int
}

func newTable(heads []string) *htmlTable {
	t := &htmlTable{columns: len(heads)}
	t.WriteString("<table>\n<thead><tr>")
	for _, head := range heads {
		fmt.Fprintf(t, "<th>%s</th>", html.EscapeString(head))
	}
	t.WriteString("</tr></thead>\n<tbody>\n")
	return t
}

func (t *htmlTable) row(head string, cells []reflect.Value) {
	fmt.Fprintf(t, "<tr><th>%s</th>", html.EscapeString(head))
	for _, cell := range cells {
		align := "left"
		if cell.IsValid() && (cell.CanInt() || cell.CanUint() || cell.CanFloat()) {
			align = "right"
		}
		text := html.EscapeString(cellText(cell))
		fmt.Fprintf(t, `<td style="text-align: %s">%s</td>`, align, text)
	}
	t.WriteString("</tr>\n")
}

func (t *htmlTable) end(left int) string {
	if left > 0 {
		fmt.Fprintf(t, `<tr><td colspan="%d">… %d more rows</td></tr>`+"\n", t.columns, left)
	}
	t.WriteString("</tbody>\n</table>")
	return t.String()
}

// cellText prints a value inside a table: strings without quotes, everything short.
func cellText(v reflect.Value) string {
	if !v.IsValid() {
		return ""
	}
	for v.Kind() == reflect.Interface && !v.IsNil() {
		v = v.Elem()
	}
	p := &textPrinter{}
	text, ok := p.own(v)
	switch {
	case ok:
	case v.Kind() == reflect.String:
		text = v.String()
	default:
		text = p.value(v, false, 1)
	}
	if r := []rune(text); len(r) > tableText {
		return string(r[:tableText]) + "…"
	}
	return text
}
