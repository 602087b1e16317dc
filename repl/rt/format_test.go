package rt_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"halfnote/repl/rt"
)

var address = regexp.MustCompile(`0x[0-9a-f]{6,}|c[0-9a-f]{8,}|\d{10,}`)

// TestFormat compares what fmt prints of boxes with what it prints of compiled values.
func TestFormat(t *testing.T) {
	m := newMirror(t)
	verbs := []string{
		"%v", "%+v", "%#v", "%d", "%s", "%q", "%x", "%X", "%6v", "%-6v|", "%06d", "%+d", "% x", "%t",
		"%g", "%.1f", "%c", "%U", "%b", "%#x", "%z",
	}
	for i, v := range shapes() {
		for _, verb := range verbs {
			want := normal(fmt.Sprintf(verb, v))
			if got := normal(rt.Sprintf(verb, m.box(t, v))); got != want {
				t.Errorf("shape %d (%T) %s:\ngot  %s\nwant %s", i, v, verb, got, want)
			}
		}
		want := normal(fmt.Sprintf("%T", v))
		if got := normal(rt.Sprintf("%T", m.box(t, v))); got != want {
			t.Errorf("shape %d %%T: got %s, want %s", i, got, want)
		}
		for name, print := range map[string][2]func(...any) string{
			"Sprint": {rt.Sprint, fmt.Sprint}, "Sprintln": {rt.Sprintln, fmt.Sprintln},
		} {
			want := normal(print[1](1, v, "a", v, v))
			b := m.box(t, v)
			if got := normal(print[0](1, b, "a", b, b)); got != want {
				t.Errorf("shape %d (%T) %s:\ngot  %s\nwant %s", i, v, name, got, want)
			}
		}
	}
}

// normal makes texts of two runs alike: addresses differ, and so does the package's name.
func normal(s string) string {
	s = strings.ReplaceAll(s, "rt_test.", "main.")
	s = strings.ReplaceAll(s, "halfnote/repl/main.", "main.")
	return address.ReplaceAllString(s, "ADDRESS")
}

func TestFormatArguments(t *testing.T) {
	m := newMirror(t)
	red, p := m.box(t, color("red")), m.box(t, point{1, 2})
	for _, c := range []struct{ got, want string }{
		{rt.Sprintf("%[2]T %[1]T", red, p), "main.point main.color"},
		{rt.Sprintf("%*d %T|%-12T|%%T", 4, 7, red, p), "   7 main.color|main.point  |%T"},
		{rt.Sprintf("%T %d", red), "main.color %!d(MISSING)"},
		{rt.Sprintf("%d %T", 1, 2), "1 int"},
		{rt.Errorf("x: %w", m.box(t, failure{3})).Error(), "x: failure 3"},
		{fmt.Sprintf("%v", []any{red, 1}), "[color red 1]"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	wrapped := rt.Errorf("x: %w", m.box(t, failure{3}))
	if errors.Unwrap(wrapped) != m.box(t, failure{3}) {
		t.Error("the wrapped error is not the one given")
	}
}

func TestGoText(t *testing.T) {
	m := newMirror(t)
	for _, c := range []struct {
		v    any
		want string
	}{
		{point{1, 2}, "point{X: 1, y: 2}"},
		{&point{1, 2}, "&point{X: 1, y: 2}"},
		{(*point)(nil), "nil"},
		{[]point{{1, 2}, {3, 4}}, "[]point{{X: 1, y: 2}, {X: 3, y: 4}}"},
		{[]*point{{1, 2}, nil}, "[]*point{{X: 1, y: 2}, nil}"},
		{map[string]point{"a": {1, 2}}, `map[string]point{"a": {X: 1, y: 2}}`},
		{color("red"), "color red"},
		{flags(9), "9"},
		{ints{1, 2}, "ints{1, 2}"},
		{ints(nil), "ints(nil)"},
		{list[int]{head: 1}, "list[int]{head: 1, next: nil}"},
		{[]any{point{1, 2}, "s"}, `[]any{point{X: 1, y: 2}, "s"}`},
		{failure{3}, "failure 3"},
	} {
		v := m.box(t, c.v)
		got := ""
		if g, ok := v.(interface{ GoText() string }); ok {
			got = g.GoText()
		} else {
			continue
		}
		if got != c.want {
			t.Errorf("%T: got %s, want %s", c.v, got, c.want)
		}
	}
}

func TestFields(t *testing.T) {
	m := newMirror(t)
	b := m.box(t, &wrapped{point: point{1, 2}, shape: &shape{Name: "n"}})
	var names []string
	for name, v := range b.(rt.Box).Fields {
		names = append(names, name)
		if name == "point" {
			inner := v.(rt.Box)
			if got := fmt.Sprint(inner); got != "&{1 2}" {
				t.Errorf("field point is %s", got)
			}
			for name, v := range inner.Fields {
				names = append(names, fmt.Sprint(name, "=", v))
			}
		}
	}
	if got, want := strings.Join(names, " "), "point X=1 y=2 shape Stringer"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	names = nil
	for name, v := range m.box(t, map[string]point{"b": {3, 4}, "a": {1, 2}}).(rt.Box).Fields {
		names = append(names, fmt.Sprint(name, v))
	}
	if got, want := strings.Join(names, " "), "a{1 2} b{3 4}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
