package rt_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"runtime"
	"sort"
	"strings"
	"testing"
	"text/template"

	"halfnote/repl/rt"
)

var address = regexp.MustCompile(`0x[0-9a-f]{6,}|c[0-9a-f]{8,}|\d{10,}`)

// normal makes texts of two runs alike: addresses differ, and so does the package's name.
func normal(s string) string {
	s = strings.ReplaceAll(s, "halfnote/repl/rt_test.", "main.")
	s = strings.ReplaceAll(s, "rt_test.", "main.")
	return address.ReplaceAllString(s, "ADDRESS")
}

// TestFormat compares what fmt prints of values of real types with what it prints of compiled ones.
func TestFormat(t *testing.T) {
	m := newMirror(t)
	verbs := []string{
		"%v", "%+v", "%#v", "%d", "%s", "%q", "%x", "%X", "%6v", "%-6v|", "%06d", "%+d", "% x", "%t",
		"%g", "%.1f", "%c", "%U", "%b", "%#x", "%z", "%T",
	}
	for i, v := range shapes() {
		for _, verb := range verbs {
			want := normal(fmt.Sprintf(verb, v))
			if got := normal(fmt.Sprintf(verb, m.real(t, v))); got != want {
				t.Errorf("shape %d (%T) %s:\ngot  %s\nwant %s", i, v, verb, got, want)
			}
		}
	}
}

// TestEncode compares what packages that look inside values make of real types and of compiled ones.
func TestEncode(t *testing.T) {
	m := newMirror(t)
	tmpl := template.Must(template.New("").Parse("{{.}}{{range .}}{{.}};{{end}}{{with .Name}}{{.}}{{end}}"))
	for i, v := range shapes() {
		for name, encode := range map[string]func(v any) ([]byte, error){
			"json": json.Marshal,
			"xml":  xml.Marshal,
			"template": func(v any) ([]byte, error) {
				var b bytes.Buffer
				err := tmpl.Execute(&b, v)
				return b.Bytes(), err
			},
			"gob": func(v any) (_ []byte, err error) {
				defer func() {
					if r := recover(); r != nil { // as of nil pointers
						err = fmt.Errorf("panic: %v", r)
					}
				}()
				return nil, gob.NewEncoder(io.Discard).Encode(v)
			},
		} {
			want, wantErr := encode(v)
			got, err := encode(m.real(t, v))
			if normal(string(got)) != normal(string(want)) ||
				normal(fmt.Sprint(err)) != normal(fmt.Sprint(wantErr)) {
				t.Errorf("shape %d (%T) %s:\ngot  %s %v\nwant %s %v", i, v, name, got, err, want, wantErr)
			}
		}
	}
}

// TestDecode fills real types from JSON.
func TestDecode(t *testing.T) {
	m := newMirror(t)
	const data = `{"Name":"n","C":"green","P":{"X":3,"y":4},"A":[1],"Names":["a"],"D":7,"Lv":2}`
	var want shape
	if err := json.Unmarshal([]byte(data), &want); err != nil {
		t.Fatal(err)
	}
	got := m.real(t, &shape{})
	if err := json.Unmarshal([]byte(data), got); err != nil {
		t.Fatal(err)
	}
	if g, w := normal(fmt.Sprintf("%+v", got)), normal(fmt.Sprintf("%+v", &want)); g != w {
		t.Errorf("got  %s\nwant %s", g, w)
	}
}

// TestReflect compares the types themselves.
func TestReflect(t *testing.T) {
	m := newMirror(t)
	describe := func(r reflect.Type) string {
		var b strings.Builder
		fmt.Fprintln(&b, r, r.Name(), r.PkgPath(), r.Kind(), r.Size(), r.Comparable())
		for i := range r.NumMethod() {
			method := r.Method(i)
			fmt.Fprintln(&b, " method", method.Name, method.Type, method.Func.Type())
		}
		if r.Kind() == reflect.Struct {
			for i := range r.NumField() {
				f := r.Field(i)
				fmt.Fprintln(&b, " field", f.Name, f.Type, f.Tag, f.Anonymous, f.Offset,
					f.PkgPath != "")
			}
			for _, f := range reflect.VisibleFields(r) {
				fmt.Fprintln(&b, " visible", f.Name, f.Index)
			}
		}
		return strings.ReplaceAll(normal(b.String()), "halfnote/repl/rt_test", "main")
	}
	for i, v := range shapes() {
		got, want := reflect.TypeOf(m.real(t, v)), reflect.TypeOf(v)
		for range 2 {
			if g, w := describe(got), describe(want); g != w {
				t.Errorf("shape %d:\ngot  %s\nwant %s", i, g, w)
			}
			got, want = reflect.PointerTo(got), reflect.PointerTo(want)
		}
		if reflect.TypeOf(m.real(t, v)) != reflect.TypeOf(m.real(t, v)) {
			t.Errorf("shape %d has two types", i)
		}
	}
}

// TestMethods calls methods in each way that compiled code has, while the collector runs.
func TestMethods(t *testing.T) {
	m := newMirror(t)
	red := m.real(t, color("red"))
	calls := map[string]func() string{
		"interface": func() string { return red.(fmt.Stringer).String() },
		"reflect":   func() string { return reflect.ValueOf(red).Method(0).Call(nil)[0].String() },
		"expression": func() string {
			f := reflect.TypeOf(red).Method(0).Func
			return f.Call([]reflect.Value{reflect.ValueOf(red)})[0].String()
		},
		"value": func() string {
			return reflect.ValueOf(red).MethodByName("String").Interface().(func() string)()
		},
		"pointer": func() string {
			p := reflect.New(reflect.TypeOf(red))
			p.Elem().SetString("red")
			return p.Interface().(fmt.Stringer).String()
		},
	}
	for name, call := range calls {
		for range 100 {
			if got := call(); got != "color red" {
				t.Fatalf("%s: got %q", name, got)
			}
		}
		runtime.GC()
	}
	lv := level(3)
	if _, ok := m.real(t, lv).(fmt.Stringer); ok {
		t.Error("level has the method of *level")
	}
	if got := m.real(t, &lv).(fmt.Stringer).String(); got != "level 3" {
		t.Errorf("*level is %q", got)
	}
	if got := m.real(t, funcs(func() string { return "f" })).(fmt.Stringer).String(); got != "f!" {
		t.Errorf("a function with a method is %q", got)
	}
	if got := m.real(t, single{&lv}).(fmt.Stringer).String(); got != "single 3" {
		t.Errorf("a struct of one pointer is %q", got)
	}
	sorted := m.real(t, byX{{3, 0}, {1, 0}, {2, 0}})
	sort.Sort(sorted.(sort.Interface))
	if got := fmt.Sprint(sorted); got != "[{1 0} {2 0} {3 0}]" {
		t.Errorf("sorted as %s", got)
	}
}

// TestErrors: errors of a program's types are found in the chains that compiled code makes.
func TestErrors(t *testing.T) {
	m := newMirror(t)
	err := fmt.Errorf("x: %w", m.real(t, failure{3}).(error))
	if err.Error() != "x: failure 3" || !errors.Is(err, m.real(t, failure{3}).(error)) {
		t.Errorf("%v is not what it wraps", err)
	}
	target := reflect.New(reflect.TypeOf(m.real(t, failure{})))
	if !errors.As(err, target.Interface()) || fmt.Sprint(target.Elem()) != "failure 3" {
		t.Errorf("errors.As gives %v", target.Elem())
	}
	if rt.Eq(m.real(t, failure{3}), failure{3}) {
		t.Error("types of one name are equal")
	}
}
