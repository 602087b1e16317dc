package lower

// This file implements generic functions of the standard library. Compiled code has none of them,
// so they are instantiated from halfnote's own source of the same API.
//
//	slices.Sort(names)   →   Sort_9(names)      func Sort_9(x []string) { … }

import (
	"go/ast"
	"go/types"

	"halfnote/repl/check"
)

// Libraries returns the checked source of the package with an import path, or nil when there is
// none.
type Libraries func(path string) *check.Library

// libraryFunc returns the function that takes the place of obj, a function of a compiled package,
// or nil.
func (l *Lowerer) libraryFunc(obj *types.Func) *types.Func {
	if obj.Pkg() == nil || obj.Signature().Recv() != nil {
		return nil
	}
	path := obj.Pkg().Path()
	lib, known := l.sources[path]
	if !known {
		lib = l.libraries(path)
		l.sources[path] = lib
		if lib != nil {
			l.know(lib)
		}
	}
	if lib == nil {
		return nil
	}
	fun, _ := lib.Pkg.Scope().Lookup(obj.Name()).(*types.Func)
	return fun
}

// know makes the functions and methods of a library callable.
func (l *Lowerer) know(lib *check.Library) {
	for _, f := range lib.Files {
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok {
				if obj, ok := lib.Info.Defs[fd.Name].(*types.Func); ok {
					l.decls[obj] = &decl{fd, lib.Info}
				}
			}
		}
	}
}
