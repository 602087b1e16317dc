package check

// This file holds the names that are known at some point of a session.

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
)

// names are the names that are defined: objects of cells, imports, and below both of them the
// packages that are dot-imported. A name is either an object or an import. What is not found is
// looked up in outer.
type names struct {
	objects map[string]entry
	imports map[string]*imported
	dots    []*types.Package
	count   int // of definitions so far
	outer   *names
}

// entry is an object and when it was defined. Objects of one edition take each other's place in code
// that uses the name.
type entry struct {
	obj     types.Object
	n       int
	edition int
}

// imported is a package bound to a name.
type imported struct {
	pkg  *types.Package
	auto bool // bound because a cell used the name, so another package may take its place
}

func newNames() *names {
	return &names{objects: map[string]entry{}, imports: map[string]*imported{}}
}

// meaning is what a name denotes: an object, an import, or nothing.
type meaning struct {
	object entry
	imp    *imported
}

func (n *names) meaning(name string) meaning {
	return meaning{n.objects[name], n.imports[name]}
}

// restore lets name denote what it denoted.
func (n *names) restore(name string, m meaning) {
	n.forget(name)
	if m.object.obj != nil {
		n.objects[name] = m.object
	}
	if m.imp != nil {
		n.imports[name] = m.imp
	}
}

// define binds the name of obj to it.
func (n *names) define(obj types.Object) {
	if obj.Name() == "_" {
		return
	}
	delete(n.imports, obj.Name())
	n.count++
	edition := n.count
	if old, ok := n.objects[obj.Name()]; ok && rebinds(old.obj, obj) {
		edition = old.edition
	}
	n.objects[obj.Name()] = entry{obj, n.count, edition}
}

// bind binds name to an import.
func (n *names) bind(name string, imp *imported) {
	delete(n.objects, name)
	n.imports[name] = imp
}

func (n *names) forget(name string) bool {
	_, isObject := n.objects[name]
	_, isImport := n.imports[name]
	delete(n.objects, name)
	delete(n.imports, name)
	return isObject || isImport
}

// list lists the objects in the order of definition.
func (n *names) list() []types.Object {
	entries := make([]entry, 0, len(n.objects))
	for _, e := range n.objects {
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.n, b.n) })
	objs := make([]types.Object, len(entries))
	for i, e := range entries {
		objs[i] = e.obj
	}
	return objs
}

// lookup returns what name denotes in pkg, a chunk's package, or nil.
func (n *names) lookup(name string, pkg *types.Package) types.Object {
	for s := n; s != nil; s = s.outer {
		if e, ok := s.objects[name]; ok {
			return e.obj
		}
		if imp, ok := s.imports[name]; ok {
			return types.NewPkgName(token.NoPos, pkg, name, imp.pkg)
		}
	}
	for s := n; s != nil; s = s.outer {
		for _, dot := range slices.Backward(s.dots) {
			if obj := dot.Scope().Lookup(name); obj != nil && obj.Exported() {
				return obj
			}
		}
	}
	return nil
}

// has reports whether name is defined.
func (n *names) has(name string) bool {
	return n.lookup(name, nil) != nil
}

// importOf returns the import that name denotes, or nil.
func (n *names) importOf(name string) *imported {
	for s := n; s != nil; s = s.outer {
		if _, ok := s.objects[name]; ok {
			return nil
		}
		if imp, ok := s.imports[name]; ok {
			return imp
		}
	}
	return nil
}

// all yields the names of all objects and imports.
func (n *names) all(yield func(string) bool) {
	for s := n; s != nil; s = s.outer {
		for name := range s.objects {
			if !yield(name) {
				return
			}
		}
		for name := range s.imports {
			if !yield(name) {
				return
			}
		}
	}
}
