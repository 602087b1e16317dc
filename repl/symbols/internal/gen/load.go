package gen

// This file type-checks packages from source.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// target is a system and processor.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "_" + t.arch }

// listed is what go list tells of a package.
type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	ImportMap  map[string]string
	Error      *struct{ Err string }
}

// load type-checks the packages paths, and all that they import, as t sees them. Function bodies
// are not looked at.
func load(dir string, t target, paths []string) (map[string]*types.Package, error) {
	list, err := golist(dir, t, append([]string{"-deps"}, paths...))
	if err != nil {
		return nil, err
	}
	done := map[string]*types.Package{"unsafe": types.Unsafe}
	for _, p := range list { // dependencies come first
		if p.ImportPath == "unsafe" {
			continue
		}
		pkg, err := checkSource(p, t, done)
		if err != nil {
			return nil, fmt.Errorf("%s on %s: %w", p.ImportPath, t, err)
		}
		done[p.ImportPath] = pkg
	}
	for _, path := range paths {
		if done[path] == nil {
			return nil, fmt.Errorf("%s on %s: no such package", path, t)
		}
	}
	return done, nil
}

// golist returns go list's answer for args.
func golist(dir string, t target, args []string) ([]listed, error) {
	fields := "-json=ImportPath,Dir,GoFiles,ImportMap,Error"
	cmd := exec.Command("go", append([]string{"list", "-e", fields}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+t.os, "GOARCH="+t.arch, "CGO_ENABLED=0",
		"GOEXPERIMENT=")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, stderr.Bytes())
	}
	var list []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		list = append(list, p)
	}
}

// checkSource parses and type-checks one package, whose imports are in done.
func checkSource(p listed, t target, done map[string]*types.Package) (*types.Package, error) {
	if len(p.GoFiles) == 0 && p.Error != nil {
		return nil, errors.New(p.Error.Err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil,
			parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	config := types.Config{
		IgnoreFuncBodies: true,
		Sizes:            types.SizesFor("gc", t.arch),
		Importer: importerFunc(func(path string) (*types.Package, error) {
			if mapped, ok := p.ImportMap[path]; ok {
				path = mapped
			}
			if pkg := done[path]; pkg != nil {
				return pkg, nil
			}
			return nil, fmt.Errorf("package %s was not listed", path)
		}),
	}
	return config.Check(p.ImportPath, fset, files, nil)
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// standard lists the public standard packages that get a table.
func standard(dir string) ([]string, error) {
	list, err := golist(dir, targets[0], []string{"std"})
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, p := range list {
		if leftOut[p.ImportPath] != "" || strings.HasPrefix(p.ImportPath, "vendor/") ||
			hasElement(p.ImportPath, "internal") {
			continue
		}
		paths = append(paths, p.ImportPath)
	}
	return paths, nil
}

func hasElement(path, element string) bool {
	return strings.Contains("/"+path+"/", "/"+element+"/")
}
