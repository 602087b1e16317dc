package random_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"halfnote/repl/random"
	"halfnote/repl/symbols"
)

// TestCompiles: each program is legal Go, and the same for the same number.
func TestCompiles(t *testing.T) {
	imp := symbols.NewImporter()
	for seed := range uint64(20) {
		cfg := random.Config{Values: seed%2 == 1}
		src := random.Program(seed, cfg)
		if random.Program(seed, cfg) != src {
			t.Fatalf("program %d is another each time", seed)
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "p.go", src, 0)
		if err != nil {
			t.Fatalf("program %d: %v\n%s", seed, err, src)
		}
		conf := types.Config{Importer: imp}
		if _, err := conf.Check("main", fset, []*ast.File{file}, nil); err != nil {
			t.Errorf("program %d: %v\n%s", seed, err, src)
		}
	}
}
