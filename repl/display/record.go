package display

// This file implements tables of records: of rows that name their values, each under its head.

import (
	"fmt"
	"go/token"
	"iter"
	"reflect"
	"slices"
	"strings"
)

// rows are the rows of a table and what stands before them.
type rows = iter.Seq2[string, reflect.Value]

// rowsOf returns the items of a list or the entries of a map, of any other value none.
func rowsOf(v reflect.Value) rows {
	return func(yield func(string, reflect.Value) bool) {
		switch v.Kind() {
		case reflect.Slice, reflect.Array:
			for i := range v.Len() {
				if !yield(fmt.Sprint(i), v.Index(i)) {
					return
				}
			}
		case reflect.Map:
			for _, key := range someKeys(v, tableRows) {
				if !yield(cellText(key), v.MapIndex(key)) {
					return
				}
			}
		}
	}
}

// boxRows is rowsOf a value of a cell's own type.
func boxRows(box storage) rows {
	return func(yield func(string, reflect.Value) bool) {
		for name, part := range box.Parts {
			if !yield(clip(name), reflect.ValueOf(part)) {
				return
			}
		}
	}
}

// recordTable returns the table of n rows: a column for each name, in the order in which they
// appear, and one for the rows' types where these differ. It is "" if a row that would be shown is
// no record, if none has a value, or if they have so little in common that three cells of four
// would be empty.
func recordTable(all rows, n int, maps bool) string {
	var names, heads []string
	var shown []record
	types, values, onlyMaps := map[string]bool{}, 0, true
	for head, v := range all {
		r, ok := recordOf(v)
		if !ok || r.isMap && !maps {
			return ""
		}
		heads, shown = append(heads, head), append(shown, r)
		if r.typ != "" {
			types[r.typ] = true
			onlyMaps = onlyMaps && r.isMap
		}
		values += len(r.fields)
		for _, f := range r.fields {
			if !slices.Contains(names, f.name) {
				names = append(names, f.name)
			}
		}
		if len(shown) == tableRows {
			break
		}
	}
	mixed := len(types) > 1
	if len(names) == 0 || mixed && 4*values < len(names)*len(shown) {
		return ""
	}
	if onlyMaps {
		slices.Sort(names)
	}
	names = names[:min(len(names), tableColumns)]
	columns := []string{""}
	if mixed {
		columns = append(columns, "type")
	}
	t := newTable(append(columns, names...))
	for i, r := range shown {
		var cells []reflect.Value
		if mixed {
			cells = append(cells, reflect.ValueOf(r.typ))
		}
		for _, name := range names {
			cells = append(cells, r.value(name))
		}
		t.row(heads[i], cells)
	}
	return t.end(n - len(shown))
}

// A record is a row by the names of its columns. One without a type is empty: nil.
type record struct {
	typ    string
	isMap  bool
	fields []field
}

type field struct {
	name  string
	value reflect.Value
	depth int // how many structs embed the one that has the field
	twice bool
}

// recordOf takes v as a row if it is, or points to, a struct that does not print itself, or a map
// with string keys. Of structs in a struct without a name their fields count as its own.
func recordOf(v reflect.Value) (r record, ok bool) {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() {
		return r, true
	}
	switch stored := inside(v); {
	case printsItself(v):
		return r, false
	case holdsStruct(stored.Type()):
		if stored.Kind() == reflect.Pointer && stored.IsNil() {
			return r, true
		}
		r.typ = recordName(v)
		r.addStruct(v, 0)
		r.fields = slices.DeleteFunc(r.fields, func(f field) bool { return f.twice })
	case stored.Kind() == reflect.Map && stored.Type().Key().Kind() == reflect.String:
		if r.isMap = true; stored.Len() > sortedKeys {
			return r, false
		}
		r.typ = recordName(v)
		r.addEntries(v)
	default:
		return r, false
	}
	return r, true
}

func recordName(v reflect.Value) string {
	if box, ok := boxOf(v); ok {
		return strings.ReplaceAll(box.TypeName(), "main.", "")
	}
	return strings.TrimPrefix(typeName(v.Type()), "*")
}

// holdsStruct reports whether t is a struct or a pointer to one.
func holdsStruct(t reflect.Type) bool {
	return t.Kind() == reflect.Struct ||
		t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct
}

// printsItself reports whether v has a text of its own, so that its fields are no table.
func printsItself(v reflect.Value) bool {
	if box, ok := boxOf(v); ok {
		return slices.ContainsFunc([]string{"Error", "String", "Format"},
			func(name string) bool { return box.Method(name) != nil })
	}
	return hasOwnText(v.Type())
}

func (r *record) addStruct(v reflect.Value, depth int) {
	if box, ok := boxOf(v); ok {
		for name, part := range box.Parts {
			r.addField(name, reflect.ValueOf(part), box.Embeds(name), depth)
		}
		return
	}
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		r.addField(f.Name, v.Field(i), f.Anonymous && holdsStruct(f.Type), depth)
	}
}

// addField adds a field, or instead of an embedded struct its fields, as Go promotes them: of two
// with one name that of the outer struct, and none where they are equally deep.
func (r *record) addField(name string, v reflect.Value, embedded bool, depth int) {
	if embedded && depth < textDepth && !printsItself(v) { // a struct may embed itself, by pointer
		if stored := inside(v); stored.Kind() != reflect.Pointer || !stored.IsNil() {
			r.addStruct(v, depth+1)
		}
		return
	}
	if !token.IsExported(name) {
		return
	}
	f := field{name: name, value: v, depth: depth}
	i := slices.IndexFunc(r.fields, func(g field) bool { return g.name == name })
	switch {
	case i < 0:
		r.fields = append(r.fields, f)
	case depth < r.fields[i].depth:
		r.fields[i] = f
	case depth == r.fields[i].depth:
		r.fields[i].twice = true
	}
}

func (r *record) addEntries(v reflect.Value) {
	if box, ok := boxOf(v); ok {
		for key, part := range box.Parts {
			r.fields = append(r.fields, field{name: key, value: reflect.ValueOf(part)})
		}
		return
	}
	for _, key := range someKeys(v, tableColumns) {
		r.fields = append(r.fields, field{name: key.String(), value: v.MapIndex(key)})
	}
}

// value returns the value of a field, an invalid one if r has none of that name.
func (r *record) value(name string) reflect.Value {
	for _, f := range r.fields {
		if f.name == name {
			return f.value
		}
	}
	return reflect.Value{}
}
