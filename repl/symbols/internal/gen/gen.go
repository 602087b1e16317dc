package gen

import (
	"fmt"
	"go/types"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Files maps the path of a generated file, relative to repl/symbols, to its contents.
type Files map[string][]byte

// Own makes the tables and the type information of this module's packages, which it returns, too;
// dir is any folder of the module.
func Own(dir string) (Files, []*types.Package, error) {
	loaded, err := load(dir, targets[0], own)
	if err != nil {
		return nil, nil, err
	}
	files := Files{}
	entries := map[string][]byte{}
	var pkgs []*types.Package
	for _, path := range own {
		pkgs = append(pkgs, loaded[path])
		if err := files.add(loaded[path], exported(loaded[path]), entries); err != nil {
			return nil, nil, err
		}
	}
	files["own.zip"], err = archive(entries, "")
	return files, pkgs, err
}

// Standard type-checks the standard packages that have a table as this system sees them.
func Standard(dir string) ([]*types.Package, error) {
	paths, err := standard(dir)
	if err != nil {
		return nil, err
	}
	loaded, err := load(dir, target{runtime.GOOS, runtime.GOARCH}, paths)
	if err != nil {
		return nil, err
	}
	var pkgs []*types.Package
	for _, path := range paths {
		pkgs = append(pkgs, loaded[path])
	}
	return pkgs, nil
}

// Others makes the tables and the type information of the standard library and of the other
// modules' packages. Names that do not exist on all systems have no symbol.
func Others(dir string) (Files, error) {
	std, err := standard(dir)
	if err != nil {
		return nil, err
	}
	all := slices.Concat(std, libraries)
	variants := make([]map[string]*types.Package, len(targets))
	for i, t := range targets {
		paths := std
		if i == 0 {
			paths = all
		}
		if variants[i], err = load(dir, t, paths); err != nil {
			return nil, err
		}
	}
	files := Files{}
	entries := map[string][]byte{}
	for _, path := range all {
		pkg := variants[0][path]
		objs := exported(pkg)
		for i, t := range targets[1:] {
			other := variants[i+1][path]
			if other == nil || !differ(pkg, other, objs) {
				continue
			}
			if entries[path+"@"+t.String()], err = exportData(other); err != nil {
				return nil, err
			}
		}
		if err := files.add(pkg, objs, entries); err != nil {
			return nil, err
		}
	}
	files["types.zip"], err = archive(entries, runtime.Version())
	return files, err
}

// Index makes the list of all tables.
func Index(tables []string) []byte {
	var b strings.Builder
	b.WriteString(header)
	b.WriteString("// All lists the tables by import path.\nvar All = []*Table{\n")
	for _, path := range tables {
		fmt.Fprintf(&b, "\t&%s,\n", tableName(path))
	}
	b.WriteString("}\n\n// LeftOut lists the standard packages that have no table.\n" +
		"var LeftOut = []string{\n")
	for _, path := range slices.Sorted(maps.Keys(leftOut)) {
		if path != "unsafe" { // cells have it all the same
			fmt.Fprintf(&b, "\t%q,\n", path)
		}
	}
	b.WriteString("}\n")
	return []byte(b.String())
}

// Paths lists all packages with a table, sorted.
func Paths(dir string) ([]string, error) {
	std, err := standard(dir)
	if err != nil {
		return nil, err
	}
	return slices.Sorted(slices.Values(slices.Concat(std, libraries, own))), nil
}

// TableFile returns the name of the file with the table of the package path.
func TableFile(path string) string {
	return filepath.Join("internal", "tables", ident(path)+".go")
}

// add makes the table and the export data of one package.
func (f Files) add(pkg *types.Package, objs map[string]types.Object,
	entries map[string][]byte) error {
	src, err := tableSource(pkg, objs)
	if err != nil {
		return err
	}
	f[TableFile(pkg.Path())] = src
	entries[pkg.Path()], err = exportData(pkg)
	return err
}

// Names lists the files by name.
func (f Files) Names() []string { return slices.Sorted(maps.Keys(f)) }
