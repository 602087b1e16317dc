package repl_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"halfnote/repl"
)

// What the programs of TestPanics throw.
const panicTypes = `package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"sort"
	"sync"
	"text/template"
)

var _, _, _, _ = errors.New, runtime.Goexit, sort.Slice, template.New
var _ sync.Mutex

type quiet struct{}

func (quiet) Error() string { fmt.Println("asked"); return "quiet" }

type broken struct{}

func (broken) Error() string { panic("inner") }

type failing struct{}

func (*failing) Error() string { var m map[int]int; m[1] = 1; return "" }

type mutable struct{ text string }

func (m *mutable) Error() string { return m.text }

type scanner struct{}

func (*scanner) Scan(fmt.ScanState, rune) error { panic(io.EOF) }

type stringer struct{}

func (stringer) String() string { defer fmt.Print(""); panic("no string") }

type (
	name  string
	count uint8
	ratio float32
	both  complex64
)

func (r ratio) String() string { return "a ratio" }

func rethrow() { r := recover(); panic(r) }
func deep(n int, v any) {
	if n == 0 {
		panic(v)
	}
	deep(n-1, v)
}
`

// TestPanics compares what is said of panics that nothing recovers with what Go prints.
func TestPanics(t *testing.T) {
	bodies := map[string]string{
		"interrupted": `defer func() { panic("second") }(); panic("first")`,
		"three":       `defer func() { defer func() { panic(3) }(); panic(2) }(); panic(1)`,
		"recovered":   `defer func() { recover(); panic("second") }(); panic("first")`,
		"recovered for good": `defer panic("second")
			defer func() { recover() }()
			panic("first")`,
		"recovered inside": `defer func() { deep(0, "outer") }()
			defer func() { defer func() { recover() }(); panic("inner") }()
			panic("first")`,
		"replaced": `defer func() { recover(); panic("c") }()
			defer func() { panic("b") }()
			panic("a")`,
		"again":               `defer rethrow(); panic("first")`,
		"again and again":     `defer rethrow(); defer rethrow(); panic("first")`,
		"again, then another": `defer func() { panic("third") }(); defer rethrow(); panic("first")`,
		"equal but another": `x := "se"
			defer func() { panic(x + "cond") }()
			panic(x + "cond")`,
		"again but changed": `m := &mutable{"a"}
			defer func() { m.text = "b"; rethrow() }()
			defer rethrow()
			panic(m)`,
		"runtime error": `defer func() { panic(fmt.Errorf("wrap: %v", recover())) }()
			var m map[string]int
			m["a"] = 1`,
		"values": `defer panic(name("a\nb\"c"))
			defer panic(count(3))
			defer panic(both(1+2i))
			defer panic(1.5)
			defer panic(true)`,
		"methods": `defer panic(ratio(2)); panic(errors.New("a\nb"))`,
		"Goexit":  `defer func() { panic("second") }(); runtime.Goexit()`,
		"Goexit in a panic": `defer func() { defer func() { panic("third") }(); runtime.Goexit() }()
			panic("first")`,
		"Goexit below": `defer func() { panic("second") }()
			func() { defer func() { runtime.Goexit() }(); panic("first") }()`,
		"Goexit recovers": `go func() {
				defer func() { deep(0, "last") }()
				func() {
					defer func() { fmt.Println(recover()) }()
					defer runtime.Goexit()
					panic("no")
				}()
			}()
			select {}`,
		"Goexit after": `_ = fmt.Sprint(stringer{})
			go func() { panic("other") }()
			runtime.Goexit()`,
		"goroutine": `go func() {
				defer func() { panic("second\nline") }()
				panic("first\nline")
			}()
			select {}`,
		"iterator": `for range func(yield func() bool) {
				defer func() { panic("it") }()
				yield()
			} {
				panic("body")
			}`,
		"compiled between": `sort.Slice([]int{2, 1}, func(i, j int) bool {
				defer rethrow()
				panic("less")
			})`,
		"fatal":            `var mu sync.Mutex; defer mu.Unlock(); panic("first")`,
		"asked once":       `defer fmt.Println("deferred"); deep(5, quiet{})`,
		"asked last first": `defer panic(quiet{}); panic(fmt.Errorf("%w", quiet{}))`,
		"broken":           `defer panic("last"); panic(broken{})`,
		"failing":          `panic(&failing{})`,
		"broken recovered": `defer func() { fmt.Printf("%T\n", recover()) }(); deep(3, broken{})`,
		"known to others": `defer func() { fmt.Println(recover()) }()
			fmt.Sscan("x", new(scanner))
			fmt.Println("went on")
			panic(io.EOF)`,
		"seen by others": `f := func() string { deep(2, &mutable{"m"}); return "" }
			t, _ := template.New("").Funcs(template.FuncMap{"f": f}).Parse("{{f}}")
			var m *mutable
			err := t.Execute(io.Discard, nil)
			fmt.Println(errors.As(err, &m), err)
			panic(fmt.Sprint(m))`,
	}
	var names, programs []string
	for name, body := range bodies {
		names = append(names, name)
		programs = append(programs, panicTypes+"\nfunc main() {\n"+body+"\n}\n")
	}
	outputs, _ := goRun(t, programs)
	for i, src := range programs {
		t.Run(names[i], func(t *testing.T) {
			t.Parallel()
			want, _, _ := strings.Cut(outputs[i], "\n\ngoroutine ")
			want = strings.TrimSuffix(want, "\n")
			var out recorder
			files := []repl.File{{Name: "p.go", Src: src}}
			err := repl.New(repl.Config{}).Program(t.Context(), files, &out)
			got := strings.TrimSuffix(out.String(), "\n")
			var e *repl.Error
			if errors.As(err, &e) {
				got = strings.TrimPrefix(fmt.Sprintf("%s\n%s", got, e.Message()), "\n")
			}
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
