package lower

// This file implements generic functions and types of the standard library. Compiled code has few
// of their instances, so they come from halfnote's own source of the same API.
//
//	slices.Sort(names)   →   Sort_9(names)           func Sort_9(x []string) { … }
//	p.Load()             →   Pointer_Load_4(&p)      func Pointer_Load_4(p *struct { … }) *T { … }
//
// Values of a generic type are stored as the source's type of that name is.

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"halfnote/repl/check"
	"halfnote/repl/ir"
	"halfnote/repl/rt"
)

// Libraries returns the checked source of the package with an import path, or nil when there is
// none.
type Libraries func(path string) *check.Library

// libraryFunc returns the function or method that takes the place of obj, which belongs to a
// compiled package, or nil.
func (l *Lowerer) libraryFunc(obj *types.Func) *types.Func {
	if obj.Pkg() == nil || !isGeneric(obj) {
		return nil
	}
	lib := l.source(obj.Pkg().Path())
	if lib == nil || lib.Pkg == obj.Pkg() {
		return nil
	}
	recv := obj.Signature().Recv()
	if recv == nil {
		fun, _ := lib.Pkg.Scope().Lookup(obj.Name()).(*types.Func)
		return fun
	}
	own, ok := lib.Pkg.Scope().Lookup(namedOf(recv.Type()).Obj().Name()).(*types.TypeName)
	if !ok {
		return nil
	}
	m, _, _ := types.LookupFieldOrMethod(types.NewPointer(own.Type()), false, lib.Pkg, obj.Name())
	fun, _ := m.(*types.Func)
	return fun
}

// isGeneric reports whether obj is a generic function or a method of a generic type.
func isGeneric(obj *types.Func) bool {
	sig := obj.Origin().Signature()
	return sig.TypeParams().Len() > 0 || sig.RecvTypeParams().Len() > 0
}

// libraryType returns the type as which values of t are stored, an instance of a compiled package's
// generic type, or nil.
func (l *Lowerer) libraryType(t *types.Named) types.Type {
	obj := t.Obj()
	if obj.Pkg() == nil || t.TypeArgs().Len() == 0 || obj.Parent() != obj.Pkg().Scope() {
		return nil
	}
	lib := l.source(obj.Pkg().Path())
	if lib == nil || lib.Pkg == obj.Pkg() {
		return nil
	}
	own, ok := lib.Pkg.Scope().Lookup(obj.Name()).(*types.TypeName)
	if !ok {
		return nil
	}
	args := slices.Collect(t.TypeArgs().Types())
	instance, err := types.Instantiate(l.ctxt, own.Type(), args, false)
	if err != nil {
		return nil
	}
	return instance
}

// source returns the library with an import path, or nil.
func (l *Lowerer) source(path string) *check.Library {
	l.sourcesMu.Lock()
	defer l.sourcesMu.Unlock()
	lib, known := l.sources[path]
	if !known {
		lib = l.libraries(path)
		l.sources[path] = lib
		if lib != nil {
			l.know(lib)
		}
	}
	return lib
}

// generic returns the function obj with the given type arguments: one of compiled code if that has
// the instance.
func (f *fn) generic(pos token.Pos, obj *types.Func, args []types.Type) ir.Expr {
	if len(args) > 0 && obj.Pkg() != nil {
		path, name := obj.Pkg().Path(), rt.InstanceName(obj.Name(), slices.Values(args))
		if v, ok := f.symbols(path, name); ok {
			return &ir.Extern{At: ir.At(pos), Pkg: path, Name: name, Typ: v.Type()}
		}
	}
	return f.ref(pos, obj, args)
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
