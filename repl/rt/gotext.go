package rt

import (
	"fmt"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"halfnote/repl/display"
)

const (
	textWidth = 80  // a composite that does not fit is broken into lines
	textDepth = 8   // deeper values are left out
	textItems = 200 // a longer list keeps its first and last items
	textEdge  = 10  // how many of each it keeps

	sortedKeys = 10_000 // a map of more shows any of its keys: sorting them takes too long
)

// GoText returns b's value in Go's syntax, long ones shortened, or the text that its type gives
// itself.
func (b Box) GoText() string {
	t := &goTexter{}
	return t.value(pair{v: reflect.ValueOf(b.V), d: b.D}, false, 0)
}

type goTexter struct {
	visited []uintptr // pointers that lead to the value being printed
}

// value prints x. Its type is left out where a composite literal may leave it out.
func (t *goTexter) value(x pair, elide bool, depth int) string {
	if x.v.Kind() == reflect.Interface {
		if x.v.IsNil() {
			return "nil"
		}
		return t.value(x.inner(), false, depth)
	}
	if x.d == nil {
		if x.v.CanInterface() {
			return display.Text(x.v.Interface())
		}
		return fmt.Sprint(x.v)
	}
	text, ok := t.own(x)
	if ok {
		return text
	}
	return strings.TrimSuffix(t.plain(x, elide, depth), text) + text // once for a pointer as well
}

// plain is value without what x's type says itself.
func (t *goTexter) plain(x pair, elide bool, depth int) string {
	switch x.v.Kind() {
	case reflect.Pointer, reflect.Struct, reflect.Map, reflect.Slice, reflect.Array:
		return t.composite(x, elide, depth)
	case reflect.Func, reflect.Chan:
		if x.v.IsNil() {
			return "nil"
		}
		return goTypeName(x.d.T)
	}
	return display.Text(x.v.Interface())
}

// own returns the text that x's type gives itself. If its method panics, ok is false and text says
// so, to stand behind the plain text.
func (t *goTexter) own(x pair) (text string, ok bool) {
	b := Box{x.d, x.v.Interface()}
	if x.d.Method("Format") != nil {
		return fmt.Sprintf("%v", b), true
	}
	for _, name := range []string{"Error", "String"} {
		if f, ok := x.d.Method(name).(func(any) string); ok {
			return calm(name, b, f)
		}
	}
	return "", false
}

// calm returns the text of b's method f of that name. If it panics, ok is false and text says so,
// but for a nil pointer, about which fmt is quiet, too.
func calm(name string, b Box, f func(any) string) (text string, ok bool) {
	defer func() {
		r := recover()
		if v := b.Storage(); r == nil || v.Kind() == reflect.Pointer && v.IsNil() {
			return
		}
		line := strings.Join(strings.Fields(PanicText(r)), " ")
		text = fmt.Sprintf(" (no %s: panic: %s)", name, line)
	}()
	return f(b), true
}

func (t *goTexter) composite(x pair, elide bool, depth int) string {
	name := goTypeName(x.d.T)
	switch x.v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		if x.v.IsNil() {
			if elide || depth > 0 || x.v.Kind() == reflect.Pointer {
				return "nil"
			}
			return name + "(nil)"
		}
		if x.v.Kind() != reflect.Slice && slices.Contains(t.visited, x.v.Pointer()) {
			return name + "(…)" // the value contains itself
		}
		t.visited = append(t.visited, x.v.Pointer())
		defer func() { t.visited = t.visited[:len(t.visited)-1] }()
	}
	if depth >= textDepth {
		return name + "{…}"
	}
	if elide {
		name = ""
	}
	switch x.v.Kind() {
	case reflect.Pointer:
		target := x.of(x.v.Elem(), x.elem())
		if elide && target.v.Kind() == reflect.Struct {
			return t.value(target, true, depth)
		}
		return "&" + t.value(target, false, depth)
	case reflect.Struct:
		var parts []string
		for field, part := range x.fields {
			if field == "_" {
				continue
			}
			parts = append(parts, field+": "+t.value(part, false, depth+1))
		}
		return joinParts(name, parts)
	case reflect.Map:
		return joinParts(name, t.entries(x, depth))
	}
	return joinParts(name, t.items(x, depth))
}

func (t *goTexter) entries(x pair, depth int) []string {
	keys, values := x.someEntries(textItems)
	var parts []string
	for i := range keys {
		parts = append(parts,
			t.value(keys[i], true, depth+1)+": "+t.value(values[i], true, depth+1))
	}
	if left := x.v.Len() - len(keys); left > 0 {
		parts = append(parts, fmt.Sprintf("… %d more …", left))
	}
	return parts
}

func (t *goTexter) items(x pair, depth int) []string {
	var parts []string
	n := x.v.Len()
	for i := 0; i < n; i++ {
		if n > textItems && i == textEdge {
			parts = append(parts, fmt.Sprintf("… %d more …", n-2*textEdge))
			i = n - textEdge
		}
		parts = append(parts, t.value(x.of(x.v.Index(i), x.elem()), true, depth+1))
	}
	return parts
}

// joinParts puts the parts of a composite on one line if they fit, else on a line each.
func joinParts(name string, parts []string) string {
	line := name + "{" + strings.Join(parts, ", ") + "}"
	if utf8.RuneCountInString(line) <= textWidth && !strings.Contains(line, "\n") {
		return line
	}
	var b strings.Builder
	b.WriteString(name + "{\n")
	for _, part := range parts {
		b.WriteString("  " + strings.ReplaceAll(part, "\n", "\n  ") + ",\n")
	}
	b.WriteString("}")
	return b.String()
}

// goTypeName returns t as a cell would write it.
func goTypeName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p.Path() == "main" {
			return ""
		}
		return p.Name()
	})
}
