package main

// This file implements which files are programs to run.

import (
	"errors"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A program is a Go file that is run by itself.
type program struct {
	dir  string // absolute
	file string
	want *string // the output it must have, if that is known
}

// name is the program in messages and in the table: its folder's name and its own.
func (p program) name() string { return filepath.Base(p.dir) + "/" + p.file }

// suites are the folders of GOROOT/test that hold programs.
var suites = []string{".", "typeparam", "fixedbugs", "ken", "chan", "interface"}

// goTests returns the folders of Go's own test programs, none if this Go came without them.
func goTests() ([]string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	test := filepath.Join(strings.TrimSpace(string(root)), "test")
	if _, err := os.Stat(test); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var dirs []string
	for _, s := range suites {
		dirs = append(dirs, filepath.Join(test, s))
	}
	return dirs, nil
}

// programs returns the programs of a folder, by name.
func programs(dir string, all bool) ([]program, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var found []program
	for _, e := range entries {
		if e.IsDir() || filepath.Ext(e.Name()) != ".go" || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		path := filepath.Join(dir, e.Name())
		src, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if !taken(string(src), all) {
			continue
		}
		p := program{dir: dir, file: e.Name()}
		switch out, err := os.ReadFile(strings.TrimSuffix(path, ".go") + ".out"); {
		case err == nil:
			text := string(out)
			p.want = &text
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		case isTest(string(src)):
			p.want = new(string) // Go's own rule: what has no .out file prints nothing
		}
		found = append(found, p)
	}
	return found, nil
}

// isTest reports whether a file says, as those of Go's tests do, that it is run by itself.
func isTest(src string) bool { return strings.HasPrefix(src, "// run\n") }

// taken reports whether a file is a program to run: of package main, without build constraints and,
// unless all are taken, with a first line that says so.
func taken(src string, all bool) bool {
	if !all && !isTest(src) {
		return false
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", src,
		parser.PackageClauseOnly|parser.ParseComments)
	if err != nil || f.Name.Name != "main" {
		return false
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			if constraint.IsGoBuild(c.Text) || constraint.IsPlusBuild(c.Text) {
				return false
			}
		}
	}
	return true
}

// distinct returns an error if two programs have one name, which the table could not tell apart.
func distinct(all []program) error {
	seen := map[string]string{}
	for _, p := range all {
		if dir, ok := seen[p.name()]; ok && dir != p.dir {
			return errors.New("two folders have a program " + p.name() + ": " + dir + " and " + p.dir)
		}
		seen[p.name()] = p.dir
	}
	return nil
}
