package check

import (
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"halfnote/repl/symbols"
)

var update = flag.Bool("update", false, "write what the tests find into testdata")

func newChecker() *Checker {
	return New(token.NewFileSet(), symbols.NewImporter(), symbols.ByName)
}

// TestCells checks the cells of each archive in testdata, one session an archive. Expected errors
// stand as /* ERROR "text" */ before the token they are at; text is part of the message or of the
// help that follows it. A file want tells what became of the cell before it.
func TestCells(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no archives", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			c, n, got := newChecker(), 0, ""
			for i, f := range archive.Files {
				switch f.Name {
				case "cell":
					n++
					got = checkCell(t, c, fmt.Sprintf("cell %d", n), string(f.Data))
				case "want":
					if *update {
						archive.Files[i].Data = []byte(got)
						continue
					}
					if diff := cmp.Diff(string(f.Data), got); diff != "" {
						t.Errorf("cell %d (-want +got):\n%s", n, diff)
					}
				default:
					t.Errorf("file %q is neither cell nor want", f.Name)
				}
			}
			if *update {
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// checkCell checks and commits a cell and describes it; errors must be where they are expected.
func checkCell(t *testing.T, c *Checker, name, src string) string {
	t.Helper()
	cell, diagnostics := c.Cell(name, src)
	want := expected(src)
	for _, d := range diagnostics {
		place := fmt.Sprintf("%d:%d", d.Line, d.Col)
		text := d.Msg
		if d.Help != "" {
			text += " (help: " + d.Help + ")"
		}
		if w, ok := want[place]; !ok || !strings.Contains(text, w) {
			t.Errorf("%s:%s: got %s: %s; expected %q", name, place, d.Kind, text, w)
		}
		delete(want, place)
	}
	for place, w := range want {
		t.Errorf("%s:%s: no error %q", name, place, w)
	}
	if cell == nil {
		return ""
	}
	c.Commit(cell)
	return describe(cell)
}

var errorComment = regexp.MustCompile(`/\* ERROR "(.*?)" \*/[ \t]*`)

// expected returns the expected errors of a cell by line:col.
func expected(src string) map[string]string {
	want := map[string]string{}
	for i, line := range strings.Split(src, "\n") {
		for _, m := range errorComment.FindAllStringSubmatchIndex(line, -1) {
			want[fmt.Sprintf("%d:%d", i+1, m[1]+1)] = line[m[2]:m[3]]
		}
	}
	return want
}

// describe tells the chunks, definitions and result of a cell.
func describe(cell *Cell) string {
	var b strings.Builder
	for _, path := range cell.AutoImports {
		fmt.Fprintf(&b, "import %s\n", path)
	}
	for _, chunk := range cell.Chunks {
		if len(chunk.Decls) > 0 {
			var names []string
			for _, decl := range chunk.Decls {
				names = append(names, declName(decl))
			}
			fmt.Fprintf(&b, "declare %s\n", strings.Join(names, ", "))
		}
		for _, init := range chunk.InitOrder {
			fmt.Fprintf(&b, "  init %v\n", init)
		}
		if len(chunk.Stmts) > 0 {
			fmt.Fprintf(&b, "run\n")
		}
		for _, stmt := range chunk.Stmts {
			var text strings.Builder
			if err := format.Node(&text, cell.Fset, stmt); err != nil {
				return err.Error()
			}
			line, _, _ := strings.Cut(text.String(), "\n")
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	qualify := func(p *types.Package) string {
		if p.Name() == "main" {
			return ""
		}
		return p.Name()
	}
	for _, obj := range cell.Defs {
		fmt.Fprintf(&b, "defines %s\n", types.ObjectString(obj, qualify))
	}
	if cell.Result != nil {
		tv := cell.Info.Types[cell.Result.X]
		fmt.Fprintf(&b, "result %s\n", types.TypeString(tv.Type, qualify))
	}
	return b.String()
}

func declName(decl ast.Decl) string {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
			return receiver(d) + "." + d.Name.Name
		}
		return d.Name.Name
	case *ast.GenDecl:
		var names []string
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names = append(names, n.Name)
				}
			}
		}
		return d.Tok.String() + " " + strings.Join(names, " ")
	}
	return "?"
}
