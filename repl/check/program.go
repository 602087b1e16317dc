package check

// This file checks whole programs.

import (
	"cmp"
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// File is a source file of a program.
type File struct{ Name, Src string }

// Program parses and type-checks a package main by Go's own rules: nothing that cells have
// defined is known to it, imports must be written and used. It has one chunk.
func (c *Checker) Program(files []File) (*Cell, []Diagnostic) {
	cell := &Cell{Fset: c.fset, Info: newInfo(), IsProgram: true}
	ck := &checking{Checker: c, cell: cell, scope: newNames(), later: map[string]bool{}}
	var sources []source
	var parsed []*ast.File
	var syntax []Diagnostic
	for _, f := range files {
		tree, src, diagnostic := c.parseFile(f)
		if diagnostic != nil {
			syntax = append(syntax, *diagnostic)
			continue
		}
		sources, parsed = append(sources, src), append(parsed, tree)
	}
	if len(syntax) > 0 {
		return nil, syntax
	}
	if len(files) == 0 {
		return nil, []Diagnostic{{Kind: kindSyntax, Msg: "no Go files"}}
	}
	cell.Name, cell.Src = files[0].Name, files[0].Src
	for i, f := range parsed {
		ck.importsExist(f)
		if slices.ContainsFunc(f.Imports, importsEmbed) {
			ck.embeds(sources[i])
		}
	}
	chunk := Chunk{Pkg: types.NewPackage("main", "main")}
	if len(ck.problems) == 0 {
		ck.program(&chunk, parsed)
	}
	if len(ck.problems) > 0 {
		return nil, diagnostics(ck.problems, func(pos token.Pos) source {
			for _, s := range sources {
				if base := s.file.Base(); base <= int(pos) && int(pos) <= base+s.file.Size() {
					return s
				}
			}
			return sources[0]
		})
	}
	cell.Chunks = []Chunk{chunk}
	return cell, nil
}

// parseFile parses a file of a program.
func (c *Checker) parseFile(f File) (*ast.File, source, *Diagnostic) {
	base := c.fset.Base()
	tree, err := parser.ParseFile(c.fset, f.Name, f.Src, parser.SkipObjectResolution)
	src := source{c.fset.File(token.Pos(base)), f.Name, f.Src}
	var list scanner.ErrorList
	switch {
	case errors.As(err, &list) && len(list) > 0:
		off := min(list[0].Pos.Offset, len(strings.TrimRight(f.Src, " \t\r\n")))
		help := cmp.Or(syntaxHelp(list[0].Msg), formHelp(f.Src, off))
		d := src.diagnostic(kindSyntax, off, 0, list[0].Msg, help)
		return nil, src, &d
	case err != nil:
		return nil, src, &Diagnostic{Cell: f.Name, Line: 1, Col: 1, Len: 1, Kind: kindSyntax,
			Msg: err.Error()}
	}
	if tree.Name.Name != "main" {
		d := src.diagnostic(kindSyntax, int(tree.Name.Pos())-base, 0,
			"package "+tree.Name.Name+" is not a program; it must be package main", "")
		return nil, src, &d
	}
	return tree, src, nil
}

// importsEmbed reports whether an import is of package embed, without which its directives mean
// nothing.
func importsEmbed(spec *ast.ImportSpec) bool { return spec.Path.Value == `"embed"` }

// importsExist reports imports of unknown packages.
func (ck *checking) importsExist(f *ast.File) {
	for _, spec := range f.Imports {
		if pkg := ck.importOf(spec); pkg != nil {
			ck.scope.bind(pkg.Name(), &imported{pkg: pkg}) // for help
		}
	}
}

// program checks the files as one package.
func (ck *checking) program(chunk *Chunk, files []*ast.File) {
	info := *ck.cell.Info
	config := ck.config(func(err error) {
		e := err.(types.Error)
		file := files[0]
		for _, f := range files {
			if f.FileStart <= e.Pos && e.Pos <= f.FileEnd {
				file = f
			}
		}
		ck.typeError(e, chunk.Pkg, file, nil)
	})
	// The first error is returned, too.
	_ = types.NewChecker(config, ck.fset, chunk.Pkg, &info).Files(files)
	chunk.InitOrder = info.InitOrder
	for _, f := range files {
		chunk.Decls = append(chunk.Decls, f.Decls...)
	}
	ck.cell.Main, _ = chunk.Pkg.Scope().Lookup("main").(*types.Func)
	if ck.cell.Main == nil && len(ck.problems) == 0 {
		ck.report(files[0].Name, kindType, "function main is undeclared in the main package", "")
	}
	for _, name := range chunk.Pkg.Scope().Names() {
		obj := chunk.Pkg.Scope().Lookup(name)
		ck.cell.Defs = append(ck.cell.Defs, obj)
		if v, ok := obj.(*types.Var); ok {
			ck.cell.Vars = append(ck.cell.Vars, v)
		}
	}
	slices.SortFunc(ck.cell.Defs, byPos)
	slices.SortFunc(ck.cell.Vars, func(a, b *types.Var) int { return byPos(a, b) })
}
