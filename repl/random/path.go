package random

// This file finds what a value can be taken from: the variables in scope and their parts.

import (
	"fmt"
	"go/types"
	"strings"
)

// A path is a variable or a part of one.
type path struct {
	text        string
	typ         types.Type
	safe        bool
	addressable bool
	assignable  bool
}

// paths lists all variables in scope and their parts. Within a statement the list stays the same
// until there are more variables.
func (g *gen) paths() []path {
	now := moment{len(g.vars), g.count, g.Len()}
	if g.listedAt == now {
		return g.listed
	}
	var list []path
	for _, v := range g.vars[max(0, len(g.vars)-40):] {
		g.expand(path{v.name, v.typ, v.safe, !v.fixed, !v.fixed}, 2, &list)
	}
	g.listed, g.listedAt = list, now
	return list
}

// A moment tells when a list of paths was made.
type moment struct{ vars, count, written int }

// expand adds p and its parts to list.
func (g *gen) expand(p path, depth int, list *[]path) {
	*list = append(*list, p)
	if depth == 0 || isParam(p.typ) {
		return
	}
	switch u := p.typ.Underlying().(type) {
	case *types.Struct:
		g.expandFields(p, p.text, u, depth, list)
	case *types.Pointer:
		if !p.safe {
			return
		}
		all := path{"(*" + p.text + ")", u.Elem(), false, true, true}
		if s, ok := u.Elem().Underlying().(*types.Struct); ok && !isParam(u.Elem()) {
			*list = append(*list, all)
			g.expandFields(all, p.text, s, depth, list)
			return
		}
		g.expand(all, depth-1, list)
	case *types.Array:
		g.expand(path{g.index(p.text), u.Elem(), false, p.addressable, p.assignable}, depth-1, list)
	case *types.Slice:
		if p.safe {
			g.expand(path{g.index(p.text), u.Elem(), false, true, true}, depth-1, list)
		}
	case *types.Map:
		key := g.key(u.Key())
		elem := path{p.text + "[" + key + "]", u.Elem(), false, false, p.safe}
		*list = append(*list, elem)
		elem.assignable = false
		g.expand(elem, depth-1, list)
	}
}

// expandFields adds the fields of the struct s, whose value is whole and is selected from by text.
func (g *gen) expandFields(whole path, text string, s *types.Struct, depth int, list *[]path) {
	for f := range s.Fields() {
		if f.Name() == "_" {
			continue
		}
		field := path{text + "." + f.Name(), f.Type(), false, whole.addressable, whole.assignable}
		if depth > 1 {
			g.expand(field, depth-1, list)
		} else {
			*list = append(*list, field)
		}
		inner, ok := f.Type().Underlying().(*types.Struct)
		if !f.Embedded() || !ok {
			continue
		}
		for deep := range inner.Fields() { // promoted, if it is not hidden
			obj, _, indirect := types.LookupFieldOrMethod(whole.typ, true, g.pkg, deep.Name())
			if obj == deep && !indirect && deep.Name() != "_" {
				*list = append(*list, path{text + "." + deep.Name(), deep.Type(), false,
					whole.addressable, whole.assignable})
			}
		}
	}
}

// index selects an element of a list that is not empty.
func (g *gen) index(list string) string {
	i := "gint"
	if ints := g.variables(intType); len(ints) > 0 {
		i = pick(g, ints)
	}
	return fmt.Sprintf("%s[uint(%s)%%uint(len(%s))]", list, i, list)
}

// key returns a constant key.
func (g *gen) key(t types.Type) string {
	if ordered(t) {
		return g.literal(t)
	}
	return "*new(" + g.str(t) + ")"
}

// find returns a path of type t, if there is one and the condition holds for it.
func (g *gen) find(t types.Type, ok func(path) bool) (path, bool) {
	return g.choose(func(p path) bool { return types.Identical(p.typ, t) && (ok == nil || ok(p)) })
}

// findKind returns a path whose underlying type is such.
func (g *gen) findKind(ok func(types.Type) bool) (path, bool) {
	return g.choose(func(p path) bool {
		return !isParam(p.typ) && ok(p.typ.Underlying()) && !strings.HasPrefix(p.text, "const")
	})
}

func (g *gen) choose(ok func(path) bool) (path, bool) {
	var list []path
	for _, p := range g.paths() {
		if ok(p) {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return path{}, false
	}
	return pick(g, list), true
}

// method returns the method of p of that name.
func (g *gen) method(p path, name string) (*types.Func, bool) {
	if isParam(p.typ) && !p.safe {
		return nil, false
	}
	addressable := p.addressable && !isParam(p.typ)
	obj, _, _ := types.LookupFieldOrMethod(p.typ, addressable, g.pkg, name)
	f, ok := obj.(*types.Func)
	return f, ok
}

func isSafe(p path) bool { return p.safe }

// plain reports whether values of t are never nil or empty in a way that matters.
func plain(t types.Type) bool {
	if isParam(t) {
		return true
	}
	switch t.Underlying().(type) {
	case *types.Basic, *types.Struct, *types.Array:
		return true
	}
	return false
}
