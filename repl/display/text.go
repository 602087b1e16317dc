package display

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	textWidth  = 80      // a composite that does not fit is broken into lines
	textDepth  = 8       // deeper values are left out
	textItems  = 200     // a longer list keeps its first and last items
	textEdge   = 10      // how many of each it keeps
	textString = 2000    // bytes of a string that are shown
	textBudget = 8000    // bytes after which everything else is left out
	textOwn    = 200_000 // bytes of a text that a type gives itself
)

// cellPackage is the import path of the types that cells declare.
var cellPackage = "main"

// Text returns v in Go's syntax: strings quoted, structs as P{X: 1, Y: 2}, long values shortened
// and broken into lines. A value whose type has a text of its own (fmt.Formatter, error or
// fmt.Stringer) gives that, in unexported fields of the types that cells declare as well.
func Text(v any) string { return new(textPrinter).text(v) }

// PlainText is [Text] without calling methods of the types that cells declare: it shows what their
// values are made of. Types of packages keep their own text, which may call a cell's: that of
// errors.Join does.
func PlainText(v any) string { return (&textPrinter{quiet: true}).text(v) }

type textPrinter struct {
	quiet   bool      // methods of the types that cells declare are not called
	size    int       // bytes written so far
	visited []uintptr // pointers that lead to the value being printed
}

func (p *textPrinter) text(v any) string {
	if v == nil {
		return "nil"
	}
	rv := reflect.ValueOf(v)
	text, ok := p.own(rv)
	if ok {
		return cut(text, textOwn)
	}
	return noted(p.plain(rv, false, 0), text)
}

// own returns the text that v's type gives itself. If its method panics, ok is false and text says
// so, to stand behind the plain text.
func (p *textPrinter) own(v reflect.Value) (text string, ok bool) {
	if !v.CanInterface() || !p.mayCall(v.Type()) {
		return "", false
	}
	switch m := v.Interface().(type) {
	case fmt.Formatter:
		return calm("Format", m, func() string { return fmt.Sprintf("%v", m) })
	case error:
		return calm("Error", m, m.Error)
	case fmt.Stringer:
		return calm("String", m, m.String)
	}
	return "", false
}

// mayCall reports whether p may call methods of type t. A struct without a name has those of the
// fields it embeds, which may be a cell's.
func (p *textPrinter) mayCall(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return !p.quiet || t.Name() != "" && t.PkgPath() != cellPackage
}

// calm returns the text of v's method of that name. If it panics, ok is false and text says so.
func calm(name string, v any, method func() string) (text string, ok bool) {
	form, note := guarded(name, v, func() any { return method() })
	if text, ok = form.(string); !ok && note != "" {
		text = " " + note
	}
	return text, ok
}

// noted returns text with a note behind it, but once: that of a pointer is also that of its target.
func noted(text, note string) string { return strings.TrimSuffix(text, note) + note }

// value prints v. The type is left out where a composite literal may leave it out.
func (p *textPrinter) value(v reflect.Value, elide bool, depth int) string {
	if p.size > textBudget {
		return "…"
	}
	for v.Kind() == reflect.Interface {
		v, elide = v.Elem(), false
	}
	if !v.IsValid() {
		return p.plain(v, elide, depth)
	}
	text, ok := p.own(v)
	p.size += len(text)
	if ok {
		p.size += len(", ")
		return text
	}
	return noted(p.plain(v, elide, depth), text)
}

// plain is value without what v's type says itself.
func (p *textPrinter) plain(v reflect.Value, elide bool, depth int) string {
	switch v.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map, reflect.Struct, reflect.Pointer:
		return p.composite(v, elide, depth)
	}
	text := scalar(v)
	p.size += len(text) + len(", ")
	return text
}

func scalar(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Invalid:
		return "nil"
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Uintptr: // most often a size, unsafe.Sizeof(x)
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Float32:
		return strconv.FormatFloat(v.Float(), 'g', -1, 32)
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.Complex64:
		return strconv.FormatComplex(v.Complex(), 'g', -1, 64)
	case reflect.Complex128:
		return strconv.FormatComplex(v.Complex(), 'g', -1, 128)
	case reflect.String:
		return quoted(v.String())
	case reflect.Func, reflect.Chan:
		if v.IsNil() {
			return "nil"
		}
		return typeName(v.Type())
	default:
		return fmt.Sprint(v.UnsafePointer())
	}
}

func (p *textPrinter) composite(v reflect.Value, elide bool, depth int) string {
	name := typeName(v.Type())
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.Pointer:
		if v.IsNil() {
			if elide || depth > 0 || v.Kind() == reflect.Pointer {
				return "nil"
			}
			return name + "(nil)"
		}
		if slices.Contains(p.visited, v.Pointer()) && v.Kind() != reflect.Slice {
			return name + "(…)" // the value contains itself
		}
		p.visited = append(p.visited, v.Pointer())
		defer func() { p.visited = p.visited[:len(p.visited)-1] }()
	}
	if depth >= textDepth {
		return name + "{…}"
	}
	if elide {
		name = ""
	}
	p.size += len(name) + len("{}")
	switch v.Kind() {
	case reflect.Pointer:
		if elide && v.Elem().Kind() == reflect.Struct {
			return p.value(v.Elem(), true, depth)
		}
		return "&" + p.value(v.Elem(), false, depth)
	case reflect.Struct:
		return join(name, p.fields(v, depth), true)
	case reflect.Map:
		return join(name, p.entries(v, depth), true)
	}
	if v.Type().Elem().Kind() == reflect.Uint8 && v.Len() > 0 {
		if text, ok := byteText(v, name); ok {
			return text
		}
	}
	if rows, ok := numberRows(v); ok {
		return join(name, rows, true)
	}
	elem := v.Type().Elem()
	return join(name, p.items(v, depth), holdsStruct(elem) && !hasOwnText(elem))
}

// numberRows returns the rows of a matrix of numbers as literals under each other, if it has that
// shape and is neither so small that one line holds it nor too large.
func numberRows(v reflect.Value) (rows []string, ok bool) {
	if !isNumberRows(v.Type()) || v.Len() < 2 || v.Len() > textItems {
		return nil, false
	}
	columns, size := v.Index(0).Len(), 0
	if columns == 0 || columns > textWidth/3 {
		return nil, false
	}
	cells := make([][]string, v.Len())
	for i := range v.Len() {
		row := v.Index(i)
		if row.Len() != columns {
			return nil, false
		}
		for j := range columns {
			text := scalar(row.Index(j))
			cells[i] = append(cells[i], text)
			size += len(text) + len(", ")
		}
	}
	if size += len(", {}") * v.Len(); size < textWidth {
		return nil, false
	}
	pad(cells)
	for _, row := range cells {
		rows = append(rows, "{"+strings.Join(row, ", ")+"}")
	}
	return rows, len(rows[0]) < textWidth
}

func (p *textPrinter) fields(v reflect.Value, depth int) []string {
	var parts []string
	v = addressable(v)
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Name == "_" || f.Type.Name() == "noCopy" { // what vet looks at, and nobody else
			continue
		}
		field := v.Field(i)
		if f.PkgPath == cellPackage && v.CanInterface() {
			field = open(field)
		}
		parts = append(parts, f.Name+": "+p.value(field, false, depth+1))
	}
	return parts
}

// addressable returns v, or a copy of it that can be addressed, if reflect allows one.
func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() || !v.CanInterface() {
		return v
	}
	copied := reflect.New(v.Type()).Elem()
	copied.Set(v)
	return copied
}

// open lifts reflect's guard on an unexported field of an addressable struct.
func open(field reflect.Value) reflect.Value {
	return reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem()
}

func (p *textPrinter) items(v reflect.Value, depth int) []string {
	var parts []string
	n := v.Len()
	for i := 0; i < n; i++ {
		if n > textItems && i == textEdge {
			parts = append(parts, fmt.Sprintf("… %d more …", n-2*textEdge))
			i = n - textEdge
		}
		parts = append(parts, p.value(v.Index(i), true, depth+1))
	}
	return parts
}

func (p *textPrinter) entries(v reflect.Value, depth int) []string {
	var parts []string
	keys := someKeys(v, textItems)
	for _, key := range keys {
		parts = append(parts,
			p.value(key, true, depth+1)+": "+p.value(v.MapIndex(key), true, depth+1))
	}
	if left := v.Len() - len(keys); left > 0 {
		parts = append(parts, fmt.Sprintf("… %d more …", left))
	}
	return parts
}

// join puts the parts of a composite on one line if they fit, else on lines of their own or, if
// they need not stand apart, as many on a line as fit.
func join(name string, parts []string, apart bool) string {
	line := name + "{" + strings.Join(parts, ", ") + "}"
	if utf8.RuneCountInString(line) <= textWidth && !strings.Contains(line, "\n") {
		return line
	}
	var b strings.Builder
	b.WriteString(name + "{")
	column := textWidth
	for _, part := range parts {
		part = strings.ReplaceAll(part, "\n", "\n  ")
		width := utf8.RuneCountInString(part) + len(", ")
		if apart || column+width > textWidth || strings.Contains(part, "\n") {
			b.WriteString("\n  ")
			column = 0
		} else {
			b.WriteString(" ")
		}
		column += width
		if strings.Contains(part, "\n") {
			column = textWidth
		}
		b.WriteString(part + ",")
	}
	b.WriteString("\n}")
	return b.String()
}

func quoted(s string) string {
	if len(s) <= textString {
		if strings.Count(s, `\`)+strings.Count(s, `"`) > 1 && strconv.CanBackquote(s) {
			return "`" + s + "`"
		}
		return strconv.Quote(s)
	}
	return fmt.Sprintf("%s… (%d bytes)", strconv.Quote(head(s, textString)), len(s))
}

// cut shortens a text that is longer than size bytes, and says so.
func cut(s string, size int) string {
	if len(s) <= size {
		return s
	}
	return fmt.Sprintf("%s… (%d bytes)", head(s, size), len(s))
}

// head returns the first bytes of s, at most size, without a broken character at the end.
func head(s string, size int) string {
	for size > 0 && !utf8.RuneStart(s[size]) {
		size--
	}
	return s[:size]
}

// byteText prints bytes that are text as a conversion of a string.
func byteText(v reflect.Value, name string) (string, bool) {
	if v.Kind() != reflect.Slice || v.Type().Elem().PkgPath() != "" {
		return "", false
	}
	if name == "" {
		name = "[]byte"
	}
	s := string(v.Bytes()[:min(v.Len(), textString+1)])
	start := strings.ToValidUTF8(s[:min(len(s), textString)], "")
	if len(start) < min(len(s), textString)-utf8.UTFMax {
		return "", false
	}
	for _, r := range start {
		if r < ' ' && !strings.ContainsRune("\t\n\r", r) {
			return "", false
		}
	}
	if len(s) > textString {
		s = fmt.Sprintf("%s… (%d bytes)", strconv.Quote(head(s, textString)), v.Len())
	} else {
		s = quoted(s)
	}
	return strings.Replace(name, "uint8", "byte", 1) + "(" + s + ")", true
}

var ofCell = regexp.MustCompile(`\bmain\.`)

// typeName returns t as the user writes it: without the package name of cells.
func typeName(t reflect.Type) string {
	return ofCell.ReplaceAllString(strings.ReplaceAll(t.String(), "interface {}", "any"), "")
}
