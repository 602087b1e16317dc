package gen

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestOwn fails when the committed tables of this module's packages are stale.
func TestOwn(t *testing.T) {
	files, err := Own(".")
	if err != nil {
		t.Fatal(err)
	}
	paths, err := Paths(".")
	if err != nil {
		t.Fatal(err)
	}
	files[filepath.Join("internal", "tables", "all.go")] = Index(paths)
	for _, name := range files.Names() {
		committed, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Error(err)
			continue
		}
		if !bytes.Equal(committed, files[name]) {
			t.Errorf("%s is stale: run go generate ./repl/symbols", name)
		}
	}
}
