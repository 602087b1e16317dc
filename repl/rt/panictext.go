package rt

// This file implements what Go prints of a panic that nothing has recovered.

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Text returns what Go prints of the panic and of those that it has interrupted, oldest first:
//
//	panic: first [recovered]
//		panic: second
//
// Errors are asked for their texts, which may run code of the user; where that panics, Go says only
// so.
func (t *Trace) Text() (text string) {
	defer func() {
		const while = "panic while printing panic value: "
		switch r := Rec(recover()).(type) {
		case nil:
		case string:
			text = Fatal(while + r).Error()
		default:
			text = Fatal(while + "type " + typeName(r)).Error()
		}
	}()
	var lines []string
	again := "" // of a panic whose value is thrown once more by the next one, which is not told
	for ; t != nil; t = t.Before {
		switch {
		case t.exits:
			continue
		case t.Before != nil && same(Rec(t.Before.Value), Rec(t.Value)):
			again = ", repanicked"
			continue
		}
		line := PanicText(t.Value)
		if _, fatal := t.Value.(Fatal); !fatal {
			line = "panic: " + line
		}
		if t.Recovered {
			line += " [recovered" + again + "]"
		}
		lines, again = append(lines, line), ""
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n\t")
}

// PanicText returns what Go prints after "panic: " for the panic value v.
func PanicText(v any) string { return strings.ReplaceAll(panicText(Rec(v)), "\n", "\n\t") }

func panicText(v any) string {
	switch v := v.(type) {
	case error:
		return v.Error()
	case fmt.Stringer:
		return v.String()
	}
	rv := reflect.ValueOf(v)
	named := rv.IsValid() && rv.Type().PkgPath() != ""
	switch {
	case !rv.IsValid():
		return "nil"
	case composite(rv.Kind()):
		return fmt.Sprintf("%#v", v)
	case !named:
		return fmt.Sprint(v)
	case rv.Kind() == reflect.String:
		return fmt.Sprintf(`%s("%s")`, rv.Type(), rv.String())
	}
	return fmt.Sprintf("%s(%s)", rv.Type(), strings.Trim(fmt.Sprint(v), "()"))
}

// composite reports whether Go shows only the address of a panic value of that kind; what is in it
// tells more.
func composite(k reflect.Kind) bool { return k >= reflect.Array && k != reflect.String }
