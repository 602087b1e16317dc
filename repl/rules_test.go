package repl_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// TestRules runs the shortest programs that need the rules of package lower, each as a program and
// as cells. There is an archive for each file that the package's doc names; in it stands what each
// program prints, which -update asks `go run` for.
func TestRules(t *testing.T) {
	doc, err := os.ReadFile("lower/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	for _, m := range regexp.MustCompile(`(?m)^//\t(\w+)\.go `).FindAllStringSubmatch(string(doc), -1) {
		rules = append(rules, filepath.Join("testdata", "rules", m[1]+".txtar"))
	}
	slices.Sort(rules)
	archives, err := filepath.Glob("testdata/rules/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives", err)
	}
	if diff := cmp.Diff(rules, archives); diff != "" {
		t.Errorf("rules of lower/doc.go - archives +\n%s", diff)
	}
	for _, file := range archives {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			updateRule(t, file, ar)
		}
		for i, f := range ar.Files {
			name, isProgram := strings.CutSuffix(f.Name, ".go")
			if !isProgram {
				continue
			}
			if i+1 == len(ar.Files) || ar.Files[i+1].Name != name+".out" {
				t.Errorf("%s: %s has no output", file, f.Name)
				continue
			}
			rule := strings.TrimSuffix(filepath.Base(file), ".txtar")
			t.Run(rule+"/"+name, func(t *testing.T) {
				t.Parallel()
				checkRule(t, string(f.Data), string(ar.Files[i+1].Data))
			})
		}
	}
}

// checkRule compares what a program prints.
func checkRule(t *testing.T, src, want string) {
	if got := ownRun(src); got != want {
		t.Errorf("as a program: go run - halfnote +\n%s", cmp.Diff(want, got))
	}
	if got := ownCells(src); got != want {
		t.Errorf("as cells: go run - halfnote +\n%s", cmp.Diff(want, got))
	}
}

// updateRule writes into an archive what Go says that its programs print.
func updateRule(t *testing.T, file string, ar *txtar.Archive) {
	ar.Files = slices.DeleteFunc(ar.Files, func(f txtar.File) bool {
		return strings.HasSuffix(f.Name, ".out")
	})
	var programs []string
	for _, f := range ar.Files {
		programs = append(programs, string(f.Data))
	}
	outputs, errs := goRun(t, programs)
	var files []txtar.File
	for i, f := range ar.Files {
		if errs[i] != nil {
			t.Fatalf("%s: %s: %v\n%s", file, f.Name, errs[i], outputs[i])
		}
		name := strings.TrimSuffix(f.Name, ".go")
		files = append(files, f, txtar.File{Name: name + ".out", Data: []byte(outputs[i])})
	}
	ar.Files = files
	if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
		t.Fatal(err)
	}
}
