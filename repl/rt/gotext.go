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
	if text, ok := t.own(x); ok {
		return text
	}
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

// own returns the text that x's type gives itself; a method that panics only loses it.
func (t *goTexter) own(x pair) (text string, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			text, ok = "", false
		}
	}()
	b := Box{x.d, x.v.Interface()}
	if x.d.Method("Format") != nil {
		return fmt.Sprintf("%v", b), true
	}
	return ownText(b)
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
			parts = append(parts, field+": "+t.value(part, false, depth+1))
		}
		return joinParts(name, parts)
	case reflect.Map:
		return joinParts(name, t.entries(x, depth))
	}
	return joinParts(name, t.items(x, depth))
}

func (t *goTexter) entries(x pair, depth int) []string {
	keys, values := x.entries()
	var parts []string
	for i := range keys {
		if i == textItems {
			return append(parts, fmt.Sprintf("… %d more …", len(keys)-i))
		}
		parts = append(parts,
			t.value(keys[i], true, depth+1)+": "+t.value(values[i], true, depth+1))
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
