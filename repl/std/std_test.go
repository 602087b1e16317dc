package std_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"halfnote/repl/std"
	"halfnote/repl/symbols"
)

func TestSource(t *testing.T) {
	want := []string{"cmp", "crypto/hkdf", "crypto/pbkdf2", "database/sql", "errors", "hash/maphash",
		"iter", "maps", "math/rand/v2", "reflect", "runtime", "slices", "sync", "sync/atomic", "unique",
		"weak"}
	if diff := cmp.Diff(want, std.Paths()); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
	for _, path := range std.Paths() {
		files, ok := std.Source(path)
		if !ok || len(files) == 0 {
			t.Errorf("%s has no source", path)
		}
		for name := range files {
			if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s has the file %s", path, name)
			}
		}
	}
	for _, path := range []string{"", ".", "..", "fmt", "math", "math/rand", "/slices", "slices/"} {
		if files, ok := std.Source(path); ok || files != nil {
			t.Errorf("%q has the source %v", path, files)
		}
	}
}

// compiledOnly lists the generic types that cells have as what they are made of.
var compiledOnly = []string{"iter.Seq", "iter.Seq2"}

// TestComplete: all that is generic in Go's packages has a source, but for instances alone.
func TestComplete(t *testing.T) {
	imp := symbols.NewImporter()
	for _, path := range symbols.Paths() {
		if first, _, _ := strings.Cut(path, "/"); first == "halfnote" || strings.Contains(first, ".") {
			continue
		}
		pkg, err := imp.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		_, ok := std.Source(path)
		for name := range generic(pkg) {
			if !ok {
				t.Errorf("%s.%s has no source", path, name)
			}
		}
	}
}

// TestAPI: each package has all generic functions and types of Go's, of the same types in the same
// order, and nothing else.
func TestAPI(t *testing.T) {
	fset := token.NewFileSet()
	standard := importer.ForCompiler(fset, "gc", nil)
	for _, path := range std.Paths() {
		t.Run(path, func(t *testing.T) {
			want, err := standard.Import(path)
			if err != nil {
				t.Fatal(err)
			}
			conf := types.Config{Importer: standard}
			got, err := conf.Check("std/"+path, fset, parse(t, fset, path), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got.Name() != want.Name() {
				t.Errorf("the package is named %s, not %s", got.Name(), want.Name())
			}
			if diff := cmp.Diff(generic(want), generic(got)); diff != "" {
				t.Errorf("generic functions and types (-want +got):\n%s", diff)
			}
			for _, name := range got.Scope().Names() {
				if ast.IsExported(name) && want.Scope().Lookup(name) == nil {
					t.Errorf("%s is not in Go's package", name)
				}
			}
		})
	}
}

// TestDeclarations: sources keep to what doc.go promises to those who interpret them.
func TestDeclarations(t *testing.T) {
	fset := token.NewFileSet()
	for _, path := range std.Paths() {
		for _, f := range parse(t, fset, path) {
			for _, imp := range f.Imports {
				name, _ := strconv.Unquote(imp.Path.Value)
				if strings.Contains(name, "internal") ||
					strings.HasPrefix(name, "halfnote") || imp.Name != nil {
					t.Errorf("%s imports %s", path, name)
				}
			}
			for _, d := range f.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if d.Name.Name == "init" {
						t.Errorf("%s declares %s", path, d.Name.Name)
					}
				case *ast.GenDecl:
					if d.Tok == token.VAR {
						t.Errorf("%s: %s declares a variable", path, fset.Position(d.Pos()))
					}
					for _, spec := range d.Specs {
						if spec, ok := spec.(*ast.TypeSpec); ok {
							_, ok := spec.Type.(*ast.InterfaceType)
							if !ok && spec.TypeParams == nil {
								t.Errorf("%s declares the type %s", path, spec.Name.Name)
							}
						}
					}
				}
			}
		}
	}
}

func parse(t *testing.T, fset *token.FileSet, path string) []*ast.File {
	t.Helper()
	sources, _ := std.Source(path)
	var files []*ast.File
	for name, src := range sources {
		f, err := parser.ParseFile(fset, path+"/"+name, src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// generic lists what is generic among the exported functions and types of a package: functions with
// their types, types with their methods and exported fields.
func generic(pkg *types.Package) map[string]string {
	found := map[string]string{}
	for _, name := range pkg.Scope().Names() {
		obj := pkg.Scope().Lookup(name)
		if !obj.Exported() || slices.Contains(compiledOnly, pkg.Path()+"."+name) {
			continue
		}
		switch t := obj.Type().(type) {
		case *types.Signature:
			if t.TypeParams().Len() > 0 {
				found[name] = params(t.TypeParams()) + signature(t)
			}
		case *types.Named:
			if t.TypeParams().Len() > 0 {
				found[name] = params(t.TypeParams()) + members(t)
			}
		}
	}
	return found
}

// params describes type parameters. A constraint may have another name, not another meaning.
func params(list *types.TypeParamList) string {
	var text strings.Builder
	for p := range list.TypeParams() {
		fmt.Fprintf(&text, "[%s %s]", p.Obj().Name(), p.Constraint().Underlying())
	}
	return text.String()
}

func signature(sig *types.Signature) string {
	text := fmt.Sprintf("%s %s %t", sig.Params(), sig.Results(), sig.Variadic())
	return strings.ReplaceAll(text, "std/", "")
}

// members describes the fields of a type that others can see, which also have Go's places, and its
// methods.
func members(t *types.Named) string {
	var text strings.Builder
	if st, ok := t.Underlying().(*types.Struct); ok {
		for i := range st.NumFields() {
			if f := st.Field(i); f.Exported() {
				fmt.Fprintf(&text, "\n%d %s %s", i, f.Name(), f.Type())
			}
		}
	}
	for m := range types.NewMethodSet(types.NewPointer(t)).Methods() {
		fmt.Fprintf(&text, "\n%s %s", m.Obj().Name(), signature(m.Type().(*types.Signature)))
	}
	return text.String()
}

// outcome is what a call did.
type outcome struct {
	Result any
	Panic  string
}

func call(f func() any) (o outcome) {
	defer func() {
		if r := recover(); r != nil {
			o = outcome{Panic: fmt.Sprintf("%T %v", r, r)}
		}
	}()
	return outcome{Result: f()}
}

// equal fails the test unless ours and Go's function give or panic with the same; nil and empty
// slices differ, NaNs are equal.
func equal(t *testing.T, what string, ours, gos func() any) {
	t.Helper()
	weights := cmp.Comparer(func(a, b weight) bool { return a == b || a != a && b != b })
	if diff := cmp.Diff(call(gos), call(ours), cmpopts.EquateNaNs(), weights); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}
