package check

// This file binds packages to names: those that a cell imports, and those that it only names.

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// imports binds what the cell imports, wherever the import stands, and then the packages that
// the items name without an import.
func (ck *checking) imports(specs []*ast.ImportSpec, items []*item) {
	for _, spec := range specs {
		ck.importSpec(spec, items)
	}
	own := map[string]bool{}
	for _, it := range items {
		for _, name := range it.names {
			own[name.Name] = true
		}
	}
	members := map[string][]string{}
	for _, it := range items {
		for name, sels := range it.uses.dots {
			members[name] = append(members[name], sels...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		bound := ck.scope.importOf(name)
		switch {
		case own[name], ck.noAuto && bound == nil:
		case bound != nil && (!bound.auto || hasAll(bound.pkg, members[name])):
		case bound == nil && (ck.scope.has(name) || types.Universe.Lookup(name) != nil):
		default:
			ck.autoImport(name, members[name])
		}
	}
}

// importSpec binds what one import declares.
func (ck *checking) importSpec(spec *ast.ImportSpec, items []*item) {
	pkg := ck.importOf(spec)
	if pkg == nil {
		return
	}
	name := pkg.Name()
	if spec.Name != nil {
		name = spec.Name.Name
	}
	switch name {
	case "_":
		return
	case ".":
		ck.scope.dots = append(ck.scope.dots, pkg)
		ck.cell.dots = append(ck.cell.dots, pkg)
		return
	}
	if old := ck.scope.imports[name]; old != nil && old.pkg != pkg {
		ck.report(spec, kindType, name+" redeclared in this block",
			"give one of the packages another name: import other "+spec.Path.Value)
		return
	}
	for _, it := range items {
		for _, id := range it.names {
			if id.Name == name {
				ck.report(id, kindType, name+" already declared through import of package "+name,
					"")
				return
			}
		}
	}
	ck.bind(name, &imported{pkg: pkg})
}

// importOf returns the package of an import, or reports why there is none.
func (ck *checking) importOf(spec *ast.ImportSpec) *types.Package {
	path, err := strconv.Unquote(spec.Path.Value)
	switch {
	case err != nil || path == "":
		ck.report(spec.Path, kindImport, "invalid import path "+spec.Path.Value, "")
		return nil
	case path == "C":
		ck.report(spec.Path, kindUnsupported, "halfnote cannot run cgo yet",
			"what a C library does must come from a Go package")
		return nil
	case strings.HasPrefix(path, "./"), strings.HasPrefix(path, "../"):
		ck.report(spec.Path, kindUnsupported, "halfnote cannot import packages of folders yet",
			"declare what they have in package main")
		return nil
	}
	pkg, err := ck.imp.Import(path)
	if err != nil {
		ck.report(spec.Path, kindImport, err.Error(), ck.importHelp(path, err))
		return nil
	}
	return pkg
}

// embeds reports the directives that ask the compiler for files.
func (ck *checking) embeds(src source) {
	for off, line := 0, ""; off < len(src.text); off += len(line) {
		line = src.text[off:]
		if end := strings.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		if strings.HasPrefix(line, embedDirective) {
			pos := src.file.Pos(off)
			ck.problems = append(ck.problems, problem{pos: pos,
				end: pos + token.Pos(len(embedDirective)), kind: kindUnsupported,
				msg:  "halfnote cannot run " + embedDirective + " yet",
				help: "read the file when the program runs, with os.ReadFile"})
		}
	}
}

const embedDirective = "//go:embed"

// bind binds name to a package, for this cell and, once it is committed, the later ones.
func (ck *checking) bind(name string, imp *imported) {
	ck.scope.bind(name, imp)
	ck.cell.imports[name] = imp
}

// autoImport binds the package that a cell means which uses members of name: the first that has
// them all, or else the first of that name, provided that the members are exported at all.
func (ck *checking) autoImport(name string, members []string) {
	var first, best *types.Package
	for _, path := range ck.packages(name) {
		pkg, err := ck.imp.Import(path)
		if err != nil {
			continue
		}
		if first == nil {
			first = pkg
		}
		if best == nil && hasAll(pkg, members) {
			best = pkg
		}
	}
	if best == nil && slices.ContainsFunc(members, token.IsExported) {
		best = first
	}
	if best == nil || ck.scope.importOf(name) != nil && ck.scope.importOf(name).pkg == best {
		return
	}
	ck.bind(name, &imported{pkg: best, auto: true})
	ck.cell.AutoImports = append(ck.cell.AutoImports, best.Path())
}

// hasAll reports whether pkg exports all the names.
func hasAll(pkg *types.Package, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		obj := pkg.Scope().Lookup(name)
		return obj == nil || !obj.Exported()
	})
}
