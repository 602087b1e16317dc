package check

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"slices"
)

// This file checks packages that come as source: halfnote's own implementations of what no compiled
// package can give, generic functions.

// A Library is a package that was checked from its source. Its nodes have no places: they are not
// the user's.
type Library struct {
	Pkg   *types.Package
	Info  *types.Info
	Files []*ast.File
}

// Library checks the files of a package, given as text by name, under an import path. Its imports
// come from the session's importer.
func (c *Checker) Library(path string, files map[string]string) (*Library, error) {
	fset := token.NewFileSet()
	lib := &Library{Info: newInfo()}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := parser.ParseFile(fset, path+"/"+name, files[name], parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("library: %w", err)
		}
		lib.Files = append(lib.Files, f)
	}
	var err error
	lib.Pkg, err = c.config(nil).Check(path, fset, lib.Files, lib.Info)
	if err != nil {
		return nil, fmt.Errorf("library: %w", err)
	}
	for _, f := range lib.Files {
		ast.Inspect(f, forgetPlaces)
	}
	return lib, nil
}

var posType = reflect.TypeFor[token.Pos]()

// forgetPlaces takes the places from a node, but for those that say that something is there.
func forgetPlaces(n ast.Node) bool {
	v := reflect.ValueOf(n)
	if n == nil || v.Elem().Kind() != reflect.Struct {
		return n != nil
	}
	v = v.Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Type() == posType && v.Type().Field(i).Name != "Ellipsis" {
			f.SetInt(int64(token.NoPos))
		}
	}
	return true
}
