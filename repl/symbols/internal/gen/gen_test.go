package gen_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/repl/symbols"
	"halfnote/repl/symbols/internal/gen"
)

// TestStandard fails when the committed type information is not that of the Go release in use.
func TestStandard(t *testing.T) {
	pkgs, err := gen.Standard(".")
	if err != nil {
		t.Fatal(err)
	}
	imp := symbols.NewImporter()
	for _, pkg := range pkgs {
		committed, err := imp.Import(pkg.Path())
		if err != nil {
			t.Errorf("%v: run go generate ./repl/symbols", err)
			continue
		}
		if diff := cmp.Diff(gen.API(committed), gen.API(pkg)); diff != "" {
			t.Errorf("types.zip is stale: run go generate ./repl/symbols (-committed +source)\n%s", diff)
		}
	}
}

// TestOwn fails when the committed tables or types of this module's packages are stale. What
// they do not export may differ.
func TestOwn(t *testing.T) {
	files, pkgs, err := gen.Own(".")
	if err != nil {
		t.Fatal(err)
	}
	paths, err := gen.Paths(".")
	if err != nil {
		t.Fatal(err)
	}
	files[filepath.Join("internal", "tables", "all.go")] = gen.Index(paths)
	for _, name := range files.Names() {
		if filepath.Ext(name) != ".go" {
			continue
		}
		committed, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Error(err)
			continue
		}
		if !bytes.Equal(committed, files[name]) {
			t.Errorf("%s is stale: run go generate ./repl/symbols", name)
		}
	}
	imp := symbols.NewImporter()
	for _, pkg := range pkgs {
		committed, err := imp.Import(pkg.Path())
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(gen.API(committed), gen.API(pkg)); diff != "" {
			t.Errorf("own.zip is stale: run go generate ./repl/symbols (-committed +source)\n%s",
				diff)
		}
	}
}
