package symbols

import (
	"archive/zip"
	"go/types"
	"iter"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unique"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
)

func TestLoad(t *testing.T) {
	table, ok := Load("strings")
	if !ok || table.Path != "strings" || table.Name != "strings" {
		t.Fatalf("Load(strings) = %q, %q, %v", table.Path, table.Name, ok)
	}
	repeat, ok := table.Symbols["Repeat"].Interface().(func(string, int) string)
	if !ok || repeat("ab", 2) != "abab" {
		t.Errorf("symbol Repeat is %v", table.Symbols["Repeat"])
	}
	if typ := table.Symbols["Builder"].Type(); typ != reflect.TypeFor[*strings.Builder]() {
		t.Errorf("symbol Builder is a %v", typ)
	}
	table, _ = Load("net/http")
	if p := table.Symbols["DefaultClient"].Interface(); p != &http.DefaultClient {
		t.Errorf("symbol DefaultClient is %v, want the variable's address", p)
	}
	if _, ok := Load("no/such"); ok {
		t.Error("Load(no/such) found a table")
	}
}

func TestLookup(t *testing.T) {
	for _, c := range []struct {
		path, name string
		want       any
	}{
		{"strings", "Builder", (*strings.Builder)(nil)},
		{"iter", "Seq[string]", (*iter.Seq[string])(nil)},
		{"iter", "Seq[[]uint8]", (*iter.Seq[[]byte])(nil)},
		{"iter", "Seq2[string,*halfnote/tensor.Tensor]", (*iter.Seq2[string, *tensor.Tensor])(nil)},
		{"unique", "Handle[interface {}]", (*unique.Handle[any])(nil)},
	} {
		v, ok := Lookup(c.path, c.name)
		if !ok || v.Interface() != c.want {
			t.Errorf("Lookup(%s, %s) = %v, %t, want a %T", c.path, c.name, v, ok, c.want)
		}
	}
	if v, ok := Lookup("net/http", "DefaultClient"); !ok || v.Interface() != &http.DefaultClient {
		t.Errorf("http.DefaultClient is %v, want the variable's address", v)
	}
	for _, name := range []string{"Seq", "Seq[int8]", "Pull"} {
		if v, ok := Lookup("iter", name); ok {
			t.Errorf("Lookup(iter, %s) = %v", name, v)
		}
	}
}

// TestImport imports every package and looks up each symbol of its table in its types.
func TestImport(t *testing.T) {
	imp := NewImporter()
	for _, path := range Paths() {
		pkg, err := imp.Import(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		table, _ := Load(path)
		if pkg.Name() != table.Name {
			t.Errorf("%s: name %s in the types, %s in the table", path, pkg.Name(), table.Name)
		}
		for name := range table.Symbols {
			generic, _, _ := strings.Cut(name, "[")
			if obj := pkg.Scope().Lookup(generic); obj == nil {
				t.Errorf("%s.%s: not in the types", path, name)
			}
		}
	}
	again, _ := imp.Import("fmt")
	if first, _ := imp.Import("fmt"); first != again {
		t.Error("a second import gives another package")
	}
	if pkg, err := imp.Import("unsafe"); pkg != types.Unsafe || err != nil {
		t.Errorf("unsafe: %v, %v", pkg, err)
	}
}

// TestComplete: a table has all that the package exports and that is there to be called or named.
func TestComplete(t *testing.T) {
	imp := NewImporter()
	for _, path := range Paths() {
		pkg, err := imp.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range pkg.Scope().Names() {
			obj := pkg.Scope().Lookup(name)
			if _, ok := Lookup(path, name); !ok && compiled(obj) && !uncallable(path, name) {
				t.Errorf("%s.%s has no symbol", path, name)
			}
		}
	}
}

// compiled reports whether compiled code has the exported object obj: constants, what is generic and
// constraints are known to the compiler alone.
func compiled(obj types.Object) bool {
	generic := false
	switch t := obj.Type().(type) {
	case *types.Signature:
		generic = t.TypeParams().Len() > 0
	case interface{ TypeParams() *types.TypeParamList }:
		generic = t.TypeParams().Len() > 0
	}
	iface, isInterface := obj.Type().Underlying().(*types.Interface)
	_, constant := obj.(*types.Const)
	_, isType := obj.(*types.TypeName)
	constraint := isType && isInterface && !iface.IsMethodSet()
	return obj.Exported() && !generic && !constant && !constraint
}

// uncallable reports whether a name is left out on purpose.
func uncallable(path, name string) bool {
	switch path {
	case "testing": // a test binary's own
		return name == "Main" || name == "MainStart" || strings.HasPrefix(name, "Run")
	case "testing/synctest":
		return name == "Test"
	}
	return path == "syscall" // another API on each system
}

// TestImportOfThisSystem looks at constants that differ between systems.
func TestImportOfThisSystem(t *testing.T) {
	pkg, err := NewImporter().Import("runtime")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"GOOS": runtime.GOOS, "GOARCH": runtime.GOARCH} {
		got := pkg.Scope().Lookup(name).(*types.Const).Val().String()
		if got != `"`+want+`"` {
			t.Errorf("runtime.%s is %s, want %q", name, got, want)
		}
	}
}

func TestImportUnknown(t *testing.T) {
	for path, want := range map[string]string{
		"github.com/x/y": "package github.com/x/y is of another module, which cells cannot import yet",
		"github.com/pkg/errors": "package github.com/pkg/errors is of another module, which cells " +
			"cannot import yet",
		"plugin": "package plugin is of the standard library, but not available in halfnote",
		"gonum.org/v1/gonum/lapack": "package gonum.org/v1/gonum/lapack is not available in halfnote " +
			"yet; available: gonum.org/v1/gonum/floats, gonum.org/v1/gonum/mat, " +
			"gonum.org/v1/gonum/stat, gonum.org/v1/plot",
		"http": "package http is not available in halfnote yet; available: net/http",
		"net/htp": "package net/htp is not available in halfnote yet; available: " +
			"net, net/http, net/http/cgi, net/http/cookiejar",
		"os@windows_amd64": "package os@windows_amd64 is not available in halfnote yet",
	} {
		if _, err := NewImporter().Import(path); err == nil || err.Error() != want {
			t.Errorf("import of %s: %v\nwant %s", path, err, want)
		}
	}
}

func TestByName(t *testing.T) {
	for name, want := range map[string][]string{
		"rand":     {"math/rand/v2", "crypto/rand", "math/rand"},
		"template": {"text/template", "html/template"},
		"http":     {"net/http"},
		"display":  {"halfnote/repl/display"},
		"draw":     {"image/draw", "gonum.org/v1/plot/vg/draw"},
		"nothing":  nil,
	} {
		if diff := cmp.Diff(want, ByName(name)); diff != "" {
			t.Errorf("ByName(%s) (-want +got):\n%s", name, diff)
		}
	}
}

func TestNames(t *testing.T) {
	paths := map[string]string{}
	for name, path := range Names {
		paths[name] = path
	}
	for _, name := range []string{"rand", "http", "display", "amp"} {
		if want := ByName(name)[0]; paths[name] != want {
			t.Errorf("%s: %s, want %s", name, paths[name], want)
		}
	}
}

// TestRelease fails when the type information was made from another Go release than the one that
// compiles the tables.
func TestRelease(t *testing.T) {
	r, err := zip.NewReader(strings.NewReader(typesZip), int64(len(typesZip)))
	if err != nil {
		t.Fatal(err)
	}
	if minor(r.Comment) != minor(runtime.Version()) {
		t.Errorf("types.zip was made with %s, this is %s: run go generate ./repl/symbols",
			r.Comment, runtime.Version())
	}
}

// minor cuts a patch release's number off: go1.26.8 → go1.26.
func minor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(len(parts), 2)], ".")
}

func BenchmarkImport(b *testing.B) {
	for _, path := range []string{"fmt", "strings", "net/http"} {
		b.Run(path, func(b *testing.B) {
			for b.Loop() {
				if _, err := NewImporter().Import(path); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
