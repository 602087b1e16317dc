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

// rowsOf returns the first rows of a table of the list or map v, and what stands before them.
func rowsOf(v reflect.Value) iter.Seq2[string, reflect.Value] {
	return func(yield func(string, reflect.Value) bool) {
		if v.Kind() == reflect.Map {
			for _, key := range someKeys(v, tableRows) {
				if !yield(cellText(key), v.MapIndex(key)) {
					return
				}
			}
			return
		}
		for i := range min(v.Len(), tableRows) {
			if !yield(fmt.Sprint(i), v.Index(i)) {
				return
			}
		}
	}
}

// recordTable returns the table of a list or map: a column for each name, in the order in which
// they appear, and one for the rows' types where these differ. It is "" if a row that would be
// shown is no record, or for a map is a map, if none has a value, or if they have so little in
// common that three cells of four would be empty.
func recordTable(v reflect.Value) string {
	var names, heads []string
	var shown []record
	types, values, onlyMaps := map[string]bool{}, 0, true
	for head, row := range rowsOf(v) {
		r, ok := recordOf(row)
		if !ok || r.isMap && v.Kind() == reflect.Map {
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
	return t.end(v.Len() - len(shown))
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
	v = inside(v)
	if !v.IsValid() {
		return r, true
	}
	name := strings.TrimPrefix(typeName(v.Type()), "*")
	switch {
	case hasOwnText(v.Type()):
		return r, false
	case holdsStruct(v.Type()):
		if v.Kind() == reflect.Pointer && v.IsNil() {
			return r, true
		}
		r.typ = name
		r.addStruct(v, 0)
		r.fields = slices.DeleteFunc(r.fields, func(f field) bool { return f.twice })
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
		if r.isMap = true; v.Len() > sortedKeys {
			return r, false
		}
		r.typ = name
		r.addEntries(v)
	default:
		return r, false
	}
	return r, true
}

// holdsStruct reports whether t is a struct or a pointer to one.
func holdsStruct(t reflect.Type) bool {
	return t.Kind() == reflect.Struct ||
		t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct
}

func (r *record) addStruct(v reflect.Value, depth int) {
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
	if embedded && depth < textDepth && !hasOwnText(v.Type()) { // one may embed itself, by pointer
		if v.Kind() != reflect.Pointer || !v.IsNil() {
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
