package repl

// This file shows the values of session variables in help.

import (
	"fmt"
	"go/types"
	"reflect"
	"strings"
	"time"

	"halfnote/repl/display"
)

const (
	// patience is how long a value may take to show itself: one that waits for a lock, or for a
	// device, must not keep the session from running cells.
	patience = 300 * time.Millisecond
	// longMap is from how many entries on a map is not shown; they would have to be sorted.
	longMap = 10_000
	// longValue is how many lines of a value are shown.
	longValue = 12
)

// addValue adds the value of the page's variable; the caller holds mu, for a cell that runs may be
// changing it. Goroutines of earlier cells may, too: what is not read at once is left out while
// there are any.
func (s *Session) addValue(p *page) {
	if !s.types.Idle() && !isScalar(p.variable.Type()) {
		p.facts = "the value is not read while a goroutine of a cell runs"
		return
	}
	s.known.Lock()
	value, ok := s.lowerer.Value(p.variable)
	s.known.Unlock()
	if !ok {
		return
	}
	type shown struct{ text, facts string }
	done := make(chan shown, 1)
	go func() { done <- shown{shortText(value), facts(value)} }()
	select {
	case got := <-done:
		p.value, p.facts = got.text, got.facts
	case <-time.After(patience):
	}
}

// isScalar reports whether a value of type t is a bool or number.
func isScalar(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsBoolean|types.IsNumeric) != 0
}

// shortText is the value in Go's syntax, cut after some lines.
func shortText(value any) (text string) {
	defer func() {
		if recover() != nil { // a method that does not bear its receiver
			text = ""
		}
	}()
	if v := reflect.ValueOf(value); v.Kind() == reflect.Map && v.Len() > longMap {
		return ""
	}
	text = display.PlainText(value)
	lines := strings.SplitAfterN(text, "\n", longValue+1)
	if len(lines) > longValue {
		text = strings.Join(lines[:longValue], "") + "…"
	}
	return text
}

// facts says how large the value is: a length, or by its methods the shape, dtype and device of a
// tensor.
func facts(value any) (text string) {
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	v := reflect.ValueOf(value)
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return ""
	}
	var list []string
	for _, name := range []string{"Shape", "DType", "Device"} {
		if ownType(v.Type()) {
			break // its methods are not called
		}
		m := v.MethodByName(name)
		if m.IsValid() && m.Type().NumIn() == 0 && m.Type().NumOut() == 1 {
			list = append(list, fmt.Sprintf("%s %v", strings.ToLower(name), m.Call(nil)[0]))
		}
	}
	if len(list) > 0 {
		return strings.Join(list, ", ")
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Chan:
		return fmt.Sprintf("len %d, cap %d", v.Len(), v.Cap())
	case reflect.Map, reflect.String:
		return fmt.Sprintf("len %d", v.Len())
	}
	return ""
}

// ownType reports whether t, or what it points to, is a type of a cell's own.
func ownType(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath() == "main"
}
