package gen

// This file finds the instances of generic types that compiled code gives to cells, such as
// iter.Seq[string]: a value of one has that type, not the one it is made of.

import (
	"go/types"
	"maps"
	"slices"
	"strings"
)

// instances lists the generic types' instances in what pkg exports, as Go source.
func (s *source) instances(objs map[string]types.Object) []string {
	found := map[string]*types.Named{}
	w := &walker{pkg: s.pkg, seen: map[types.Type]bool{}, visit: func(t *types.Named) {
		found[types.TypeString(t, (*types.Package).Path)] = t
	}}
	for _, obj := range objs {
		if name, ok := obj.(*types.TypeName); ok && isGeneric(name) {
			continue
		}
		w.typ(obj.Type())
	}
	var list []string
	for _, key := range slices.Sorted(maps.Keys(found)) {
		if t := found[key]; nameable(t) {
			list = append(list, types.TypeString(t, s.qualify))
		}
	}
	for _, name := range extraTypes[s.pkg.Path()] {
		list = append(list, s.qualify(s.pkg)+"."+name)
	}
	return list
}

// nameable reports whether generated code can spell t: it has no type parameters in it and only
// exported names.
func nameable(t types.Type) bool {
	ok := true
	w := &walker{seen: map[types.Type]bool{}, visit: func(*types.Named) {},
		name: func(obj *types.TypeName) {
			pkg := obj.Pkg()
			ok = ok && (pkg == nil || obj.Exported() && !hasElement(pkg.Path(), "internal") &&
				!strings.HasPrefix(pkg.Path(), "vendor/"))
		},
		param: func() { ok = false }}
	w.typ(t)
	return ok
}

// A walker visits the instances of generic types that a type is made of.
type walker struct {
	pkg   *types.Package // whose named types it looks into
	seen  map[types.Type]bool
	visit func(*types.Named)
	name  func(*types.TypeName)
	param func()
}

func (w *walker) typ(t types.Type) {
	if w.seen[t] {
		return
	}
	w.seen[t] = true
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		w.named(t)
	case *types.TypeParam:
		if w.param != nil {
			w.param()
		}
	case *types.Map:
		w.typ(t.Key())
		w.typ(t.Elem())
	case *types.Signature:
		w.signature(t)
	case *types.Struct:
		for f := range t.Fields() {
			if w.pkg == nil || f.Exported() {
				w.typ(f.Type())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			w.typ(m.Type())
		}
	case interface{ Elem() types.Type }:
		w.typ(t.Elem())
	}
}

func (w *walker) named(t *types.Named) {
	if w.name != nil {
		w.name(t.Obj())
	}
	if t.TypeArgs().Len() > 0 {
		w.visit(t)
		for arg := range t.TypeArgs().Types() {
			w.typ(arg)
		}
	}
	if w.pkg == nil || t.Obj().Pkg() != w.pkg || t.TypeParams().Len() > t.TypeArgs().Len() {
		return
	}
	w.typ(t.Underlying())
	for m := range t.Methods() {
		if m.Exported() {
			w.typ(m.Type())
		}
	}
}

func (w *walker) signature(t *types.Signature) {
	if t.TypeParams().Len() > 0 {
		return // cells have no such function
	}
	for v := range t.Params().Variables() {
		w.typ(v.Type())
	}
	for v := range t.Results().Variables() {
		w.typ(v.Type())
	}
}
