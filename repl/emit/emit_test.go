package emit_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/traefik/yaegi/interp"
	"github.com/traefik/yaegi/stdlib"

	"halfnote/repl/emit"
	"halfnote/repl/ir"
	"halfnote/repl/rt"
)

// symbols holds the standard library by path.Name.
var symbols = func() map[string]reflect.Value {
	m := map[string]reflect.Value{}
	for key, table := range stdlib.Symbols {
		for name, v := range table {
			m[filepath.Dir(key)+"."+name] = v
		}
	}
	return m
}()

func lookup(path, name string) (reflect.Type, bool) {
	v, ok := symbols[path+"."+name]
	if !ok || v.Kind() != reflect.Pointer || !v.IsNil() {
		return nil, false
	}
	return v.Type().Elem(), true
}

// A machine is a session cut down to what emitted code needs.
type machine struct {
	*interp.Interpreter
	emitter *emit.Emitter
	types   *rt.Types
	out     *bytes.Buffer
	hosts   map[string]any
	place   int
}

func newMachine(t testing.TB) *machine {
	t.Helper()
	m := &machine{
		Interpreter: interp.New(interp.Options{Stderr: io.Discard}),
		emitter:     emit.New(),
		types:       rt.NewTypes(lookup),
		out:         &bytes.Buffer{},
	}
	var mu sync.Mutex
	m.hosts = map[string]any{
		"out": func(args ...any) {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintln(m.out, args...)
		},
		"try": func(f func()) {
			defer func() {
				if r := recover(); r != nil {
					fault := rt.Fault(r, func() error { return nil })
					fmt.Fprintln(m.out, "panic:", rt.Rec(fault))
				}
			}()
			f()
		},
		"spawn": func(f func()) { m.types.Go(f) },
	}
	m.emitter.SetPlace(&m.place)
	for _, use := range []interp.Exports{stdlib.Symbols, {"rt/rt": m.types.Symbols()}} {
		if err := m.Use(use); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// hostDecls declares the functions that a machine gives to cases.
const hostDecls = `
func out(args ...any) {}
func try(f func())    {}
func spawn(f func())  {}
`

// compile emits and compiles a unit.
func (m *machine) compile(t testing.TB, u *ir.Unit) *interp.Program {
	t.Helper()
	p, err := m.emitter.Unit(u)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Use(interp.Exports{emit.SessionPath + "/" + emit.SessionPath: p.Symbols}); err != nil {
		t.Fatal(err)
	}
	prog, err := m.CompileAST(p.File)
	if err != nil {
		t.Fatalf("%v\n%s", err, source(p.File))
	}
	return prog
}

func (m *machine) run(t testing.TB, u *ir.Unit) {
	t.Helper()
	if _, err := m.Execute(m.compile(t, u)); err != nil {
		t.Fatal(err)
	}
}

func source(f *ast.File) string {
	var b strings.Builder
	if err := format.Node(&b, token.NewFileSet(), f); err != nil {
		return err.Error()
	}
	return b.String()
}

// call is a unit that calls f.
func call(f *ir.Func, funcs ...*ir.Func) *ir.Unit {
	entry := &ir.Func{Name: "entry", Typ: reflect.TypeFor[func()](), Body: []ir.Stmt{
		&ir.ExprStmt{X: &ir.Call{Fun: &ir.FuncRef{Func: f}}},
	}}
	return &ir.Unit{Name: "case", Funcs: funcs, Entry: entry}
}

// TestCases runs each function case… of the files in testdata on yaegi and compares what it prints
// with what it prints when Go runs it.
func TestCases(t *testing.T) {
	sources := map[string]string{"prelude.go": read(t, "testdata/prelude.go")}
	for _, file := range caseFiles(t) {
		sources[filepath.Base(file)] = read(t, file)
	}
	want := goRun(t, sources, "%s()")
	for _, file := range caseFiles(t) {
		m := newMachine(t)
		funcs := m.translateCases(t, sources[filepath.Base(file)])
		first := true
		for _, f := range funcs {
			if !strings.HasPrefix(f.Name, "case") {
				continue
			}
			t.Run(strings.TrimPrefix(f.Name, "case"), func(t *testing.T) {
				m.out.Reset()
				if first {
					m.run(t, call(f, funcs...))
					first = false
				} else {
					m.run(t, call(f))
				}
				if got := m.out.String(); got != want[f.Name] {
					t.Errorf("wanted - got +\n%s", cmp.Diff(want[f.Name], got))
				}
			})
		}
	}
}

// translateCases makes core of the source of cases and of what they call.
func (m *machine) translateCases(t *testing.T, src string) []*ir.Func {
	t.Helper()
	src += hostDecls
	if !strings.Contains(src, "func z2(") {
		src += "func z2() int { return 0 }\n"
	}
	return translate(t, m.FileSet(), m.types, m.hosts, src)
}

// withoutNumbers finds what reflect, and so yaegi, does not tell of a failed index.
var withoutNumbers = regexp.MustCompile(`((?:index|slice bounds) out of range) \[[^\n]*`)

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func caseFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.go")
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(files, func(f string) bool { return filepath.Base(f) == "prelude.go" })
}

// goRun runs the functions of sources, files by their names, whose names begin with case, with the go
// command and returns what each prints. call is how each is called, as in %s().
func goRun(t *testing.T, sources map[string]string, call string) map[string]string {
	t.Helper()
	var main strings.Builder
	main.WriteString("package main\n\nimport \"fmt\"\n\nfunc main() {\n")
	for _, src := range sources {
		for line := range strings.Lines(src) {
			if name, ok := strings.CutPrefix(line, "func case"); ok {
				name, _, _ = strings.Cut("case"+name, "(")
				fmt.Fprintf(&main, "\tfmt.Println(\"== %s\")\n\t"+call+"\n", name, name)
			}
		}
	}
	dir := t.TempDir()
	files := map[string]string{"main.go": main.String() + "}\n", "go.mod": "module cases\n\ngo 1.26\n"}
	maps.Copy(files, sources)
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go run: %v\n%s", err, text)
	}
	want := map[string]string{}
	for _, part := range strings.Split(string(text), "== ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		want[name] = withoutNumbers.ReplaceAllString(body, "$1")
	}
	return want
}
