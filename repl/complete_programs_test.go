package repl_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"halfnote/repl"
)

// TestCompletePrograms types the names in testdata/programs anew: each that is used must be among
// what its first half can become, and help must know it.
func TestCompletePrograms(t *testing.T) {
	files, err := filepath.Glob("testdata/programs/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			fset := token.NewFileSet()
			tree, err := parser.ParseFile(fset, file, data, 0)
			if err != nil {
				t.Fatal(err)
			}
			src, s := string(data), repl.New(repl.Config{})
			for i, id := range used(tree) {
				if i%29 > 0 {
					continue // enough of them
				}
				place := fset.Position(id.Pos())
				half := len([]rune(id.Name)) / 2
				c := s.Complete(src, place.Offset+len(string([]rune(id.Name)[:half])))
				if !slices.Contains(texts(c), id.Name) {
					t.Errorf("%v: %s is not completed", place, id.Name)
				}
				if _, ok := s.Inspect(src, place.Offset+len(id.Name), 1); !ok {
					t.Errorf("%v: nothing is known of %s", place, id.Name)
				}
			}
		})
	}
}

// used lists the identifiers of a file that do not declare what they name.
func used(file *ast.File) []*ast.Ident {
	declares := map[*ast.Ident]bool{file.Name: true}
	add := func(exprs ...ast.Expr) {
		for _, x := range exprs {
			if id, ok := x.(*ast.Ident); ok {
				declares[id] = true
			}
		}
	}
	var list []*ast.Ident
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.FuncDecl:
			declares[n.Name] = true
			if n.Recv != nil { // its type parameters are new names
				ast.Inspect(n.Recv, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.IndexExpr:
						add(n.Index)
					case *ast.IndexListExpr:
						add(n.Indices...)
					}
					return true
				})
			}
		case *ast.TypeSpec:
			declares[n.Name] = true
		case *ast.LabeledStmt:
			declares[n.Label] = true
		case *ast.Field:
			for _, name := range n.Names {
				declares[name] = true
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				declares[name] = true
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				add(n.Lhs...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				add(n.Key, n.Value)
			}
		case *ast.Ident:
			if n.Name != "_" && !declares[n] {
				list = append(list, n)
			}
		}
		return true
	})
	return list
}
