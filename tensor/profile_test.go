package tensor_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"halfnote/tensor"
)

func TestProfile(t *testing.T) {
	x := tensor.Randn(64, 128)
	w := tensor.Randn(128, 32).SetRequiresGrad(true)
	x.Add(1)
	p := tensor.Profile(func() {
		for range 3 {
			x.MatMul(w).Tanh().Sum().Backward()
		}
	})
	x.Add(1)
	find := func(op string, backward bool) (o tensor.ProfileOp) {
		for _, o := range p.Ops {
			if o.Op == op && o.Backward == backward {
				return o
			}
		}
		t.Errorf("%s, backward %v, is missing in\n%s", op, backward, p)
		return o
	}
	for _, c := range []struct {
		op                 string
		backward           bool
		calls              int
		written, allocated int64
	}{
		{"matmul", false, 3, 3 * 64 * 32 * 4, 3 * 64 * 32 * 4},
		{"matmul", true, 3, 3 * 128 * 32 * 4, 3 * 128 * 32 * 4},
		{"tanh", false, 3, 3 * 64 * 32 * 4, 3 * 64 * 32 * 4},
		{"tanh", true, 3, 3 * 64 * 32 * 4, 3 * 64 * 32 * 4},
		{"sum", false, 3, 3 * 4, 3 * 4},
	} {
		o := find(c.op, c.backward)
		if o.Calls != c.calls || o.Written != c.written || o.Allocated != c.allocated {
			t.Errorf("%+v, want %+v", o, c)
		}
		if o.Self <= 0 || o.Total < o.Self || o.Total > p.Elapsed {
			t.Errorf("times of %s: %v in computing, %v in all, of %v", c.op, o.Self, o.Total, p.Elapsed)
		}
	}
	for _, o := range p.Ops {
		if o.Op == "add" {
			t.Errorf("an op outside of Profile is there: %+v", o)
		}
	}
	for i := range p.Ops[1:] {
		if p.Ops[i].Total < p.Ops[i+1].Total {
			t.Errorf("line %d is dearer than line %d", i+1, i)
		}
	}
	lines := strings.Split(strings.TrimRight(p.String(), "\n"), "\n")
	if len(lines) < 1+len(p.Ops) || len([]rune(lines[0])) != len([]rune(lines[1])) {
		t.Errorf("the lines of the table are not aligned:\n%s", p)
	}
	h := p.HTML()
	if strings.Count(h, "<tr>") != len(lines) || !strings.Contains(h, "<td>matmul backward</td>") {
		t.Errorf("HTML: %s", h)
	}
}

// TestProfileEnds: a panic in the function ends the profile; a second one at a time is refused.
func TestProfileEnds(t *testing.T) {
	func() {
		defer func() {
			if e, ok := recover().(*tensor.Error); !ok || e.Op != "profile" {
				t.Errorf("a Profile in a Profile gave %v", e)
			}
		}()
		tensor.Profile(func() { tensor.Profile(func() {}) })
	}()
	if p := tensor.Profile(func() { tensor.Zeros(2).Exp() }); len(p.Ops) != 2 {
		t.Errorf("%d lines, want those of zeros and exp:\n%s", len(p.Ops), p)
	}
}

// TestProfileIsWhole: each method of a backend that computes is timed.
func TestProfileIsWhole(t *testing.T) {
	read := func(file string) *ast.File {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	timed := map[string]bool{"Free": true, "MemoryStats": true, "ResetPeak": true, "EmptyCache": true, "Synchronize": true}
	for _, d := range read("profile_backend.go").Decls {
		if d, ok := d.(*ast.FuncDecl); ok {
			timed[d.Name.Name] = true
		}
	}
	files, _ := filepath.Glob(filepath.Join("internal", "device", "*.go"))
	found := 0
	for _, file := range files {
		if _, err := os.Stat(file); err != nil || strings.HasSuffix(file, "_test.go") {
			continue
		}
		ast.Inspect(read(file), func(n ast.Node) bool {
			i, ok := n.(*ast.InterfaceType)
			if !ok {
				return true
			}
			for _, m := range i.Methods.List {
				if len(m.Names) == 1 {
					if found++; !timed[m.Names[0].Name] {
						t.Errorf("%s in %s is not timed: give the backend of profiles such a method",
							m.Names[0].Name, file)
					}
				}
			}
			return true
		})
	}
	if found < 30 {
		t.Errorf("only %d methods of backends were found", found)
	}
}
