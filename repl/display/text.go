package display

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	textWidth  = 80   // a composite that does not fit is broken into lines
	textDepth  = 8    // deeper values are left out
	textItems  = 200  // a longer list keeps its first and last items
	textEdge   = 10   // how many of each it keeps
	textString = 2000 // bytes of a string that are shown
	textBudget = 8000 // bytes after which everything else is left out
)

// Text returns v in Go's syntax: strings quoted, structs as P{X: 1, Y: 2}, long values shortened
// and broken into lines. A value whose type has a text of its own (fmt.Formatter, error,
// fmt.Stringer, or GoText() string for the interpreter's values) gives that.
func Text(v any) string {
	if v == nil {
		return "nil"
	}
	p := &textPrinter{}
	rv := reflect.ValueOf(v)
	if text, ok := p.own(rv); ok {
		return text
	}
	return p.value(rv, false, 0)
}

type textPrinter struct {
	size    int       // bytes written so far
	visited []uintptr // pointers that lead to the value being printed
}

// own returns the text that v's type gives itself. A method that panics, most often for a nil
// receiver, gives none.
func (p *textPrinter) own(v reflect.Value) (text string, ok bool) {
	if !v.CanInterface() {
		return "", false
	}
	if box, ok := v.Interface().(boxed); ok {
		for _, name := range [...]string{"Error", "String"} {
			if method, ok := box.Method(name).(func(any) string); ok {
				if text, ok := calm(func() string { return method(box) }); ok {
					return text, true
				}
			}
		}
	}
	switch m := v.Interface().(type) {
	case interface{ GoText() string }:
		return calm(m.GoText)
	case fmt.Formatter:
		return calm(func() string { return fmt.Sprintf("%v", m) })
	case error:
		return calm(m.Error)
	case fmt.Stringer:
		return calm(m.String)
	}
	return "", false
}

// calm returns the text of f; ok is false if f panics.
func calm(f func() string) (text string, ok bool) {
	defer func() {
		if recover() != nil {
			text, ok = "", false
		}
	}()
	return f(), true
}

// value prints v. The type is left out where a composite literal may leave it out.
func (p *textPrinter) value(v reflect.Value, elide bool, depth int) string {
	if p.size > textBudget {
		return "…"
	}
	if v.IsValid() && depth > 0 {
		if text, ok := p.own(v); ok {
			p.size += len(text) + len(", ")
			return text
		}
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map, reflect.Struct, reflect.Pointer:
		return p.composite(v, elide, depth)
	case reflect.Interface:
		return p.value(v.Elem(), false, depth)
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
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Uintptr:
		return fmt.Sprintf("0x%x", v.Uint())
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
		return fmt.Sprint(v)
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
	return join(name, p.items(v, depth), false)
}

func (p *textPrinter) fields(v reflect.Value, depth int) []string {
	var parts []string
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		parts = append(parts, name+": "+p.value(v.Field(i), false, depth+1))
	}
	return parts
}

func (p *textPrinter) items(v reflect.Value, depth int) []string {
	var parts []string
	for i := range v.Len() {
		if left := v.Len() - 2*textEdge; v.Len() > textItems && i >= textEdge {
			if i == textEdge {
				parts = append(parts, fmt.Sprintf("… %d more …", left))
			}
			if i < v.Len()-textEdge {
				continue
			}
		}
		parts = append(parts, p.value(v.Index(i), true, depth+1))
	}
	return parts
}

func (p *textPrinter) entries(v reflect.Value, depth int) []string {
	keys := v.MapKeys()
	sortKeys(keys)
	var parts []string
	for i, key := range keys {
		if i == textItems {
			parts = append(parts, fmt.Sprintf("… %d more …", len(keys)-i))
			break
		}
		parts = append(parts,
			p.value(key, true, depth+1)+": "+p.value(v.MapIndex(key), true, depth+1))
	}
	return parts
}

// join puts the parts of a composite on one line if they fit, else on lines of their own or, for
// the items of a list, as many on a line as fit.
func join(name string, parts []string, named bool) string {
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
		if named || column+width > textWidth || strings.Contains(part, "\n") {
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

// sortKeys puts the keys of a map in the order in which fmt prints them.
func sortKeys(keys []reflect.Value) {
	slices.SortStableFunc(keys, func(a, b reflect.Value) int {
		for a.Kind() == reflect.Interface && b.Kind() == reflect.Interface {
			a, b = a.Elem(), b.Elem()
		}
		if a.Kind() != b.Kind() {
			return cmp.Compare(a.Kind(), b.Kind())
		}
		switch {
		case a.CanInt():
			return cmp.Compare(a.Int(), b.Int())
		case a.CanUint():
			return cmp.Compare(a.Uint(), b.Uint())
		case a.CanFloat():
			return cmp.Compare(a.Float(), b.Float())
		}
		return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
	})
}

func quoted(s string) string {
	if len(s) <= textString {
		if strings.Count(s, `\`)+strings.Count(s, `"`) > 1 && strconv.CanBackquote(s) {
			return "`" + s + "`"
		}
		return strconv.Quote(s)
	}
	cut := textString
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d bytes)", strconv.Quote(s[:cut]), len(s))
}

// byteText prints bytes that are text as a conversion of a string.
func byteText(v reflect.Value, name string) (string, bool) {
	if v.Kind() != reflect.Slice || v.Type().Elem().PkgPath() != "" {
		return "", false
	}
	s := string(v.Bytes())
	if name == "" {
		name = "[]byte"
	}
	head := strings.ToValidUTF8(s[:min(len(s), textString)], "")
	if len(head) < min(len(s), textString)-utf8.UTFMax {
		return "", false
	}
	for _, r := range head {
		if r < ' ' && !strings.ContainsRune("\t\n\r", r) {
			return "", false
		}
	}
	return strings.Replace(name, "uint8", "byte", 1) + "(" + quoted(s) + ")", true
}

// typeName returns t as the user writes it: without the package path of cells.
func typeName(t reflect.Type) string {
	name := strings.ReplaceAll(t.String(), "interface {}", "any")
	return strings.ReplaceAll(name, "main.", "")
}
