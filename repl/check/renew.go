package check

// This file lets functions and types of earlier cells follow a type, function or constant that is
// defined anew. A declaration that uses it is checked again with the cell, as if it stood there too:
//
//	type T struct{}              // cell 1
//	func NewT() *T { … }
//	func (t *T) M() {}           // cell 2 defines T anew, and NewT with it
//
// What no longer fits goes on with the earlier one.

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// renewal is what a cell declares again for the sake of what it declares.
type renewal struct {
	names   map[string]bool       // what is declared, by the cell itself or again
	changed map[string]bool       // what the cell declares itself that had another meaning
	stale   map[types.Object]bool // the types that are defined anew, in this cell or before
	owners  map[ast.Decl]string   // the name for which a declaration was added
	added   []*item
}

// renew returns declarations of earlier cells to check again with items, in the order in which they
// were made.
func (ck *checking) renew(items []*item, stale map[types.Object]bool) []*item {
	r := &renewal{names: map[string]bool{}, changed: map[string]bool{}, stale: stale,
		owners: map[ast.Decl]string{}}
	for _, it := range items {
		for _, name := range it.names {
			r.names[name.Name] = true
			old := ck.live.objects[name.Name].obj
			if old != nil && it.decl != nil {
				r.changed[name.Name] = true
			}
			if t, ok := old.(*types.TypeName); ok && ck.types[t] != nil {
				r.stale[t] = true
			}
		}
	}
	if len(r.changed)+len(r.stale) == 0 {
		return nil
	}
	for t := range ck.types {
		if t != nil && ck.live.objects[t.Name()].obj != t {
			r.stale[t] = true
		}
	}
	for again := true; again; {
		again = false
		for _, obj := range ck.live.list() {
			if !r.names[obj.Name()] && !ck.fixed[obj.Name()] && ck.renewOne(r, obj) {
				r.names[obj.Name()], again = true, true
			}
		}
	}
	slices.SortStableFunc(r.added, func(a, b *item) int {
		return int(a.node().Pos()) - int(b.node().Pos())
	})
	ck.owners = r.owners
	return r.added
}

// renewOne adds the declarations of obj if they mention a stale type.
func (ck *checking) renewOne(r *renewal, obj types.Object) bool {
	switch obj := obj.(type) {
	case *types.Func:
		decl := ck.functions[obj]
		if decl == nil || !ck.usesStale(r, obj) {
			return false
		}
		r.add(obj.Name(), decl)
	case *types.TypeName:
		src := ck.types[obj]
		if src == nil || !r.inType(obj) {
			return false
		}
		r.stale[obj] = true
		r.add(obj.Name(), typeDecl(src.spec))
		for _, m := range src.methods {
			r.add(obj.Name(), m)
		}
		ck.noteEarlier(obj, "")
	default:
		return false
	}
	return true
}

// add adds a declaration for the sake of a name.
func (r *renewal) add(name string, decl ast.Decl) {
	var it *item
	if gen, ok := decl.(*ast.GenDecl); ok {
		it = newItem(&ast.DeclStmt{Decl: gen})
	} else {
		it = newItem(decl)
	}
	r.owners[it.decl] = name
	r.added = append(r.added, it)
}

// typeDecl is a declaration of one type alone.
func typeDecl(spec *ast.TypeSpec) *ast.GenDecl {
	return &ast.GenDecl{TokPos: spec.Pos(), Tok: token.TYPE, Specs: []ast.Spec{spec}}
}

// usesStale reports whether a function uses what is defined anew, or a function whose type is of a
// stale type.
func (ck *checking) usesStale(r *renewal, fn *types.Func) bool {
	if r.mentions(fn.Type(), nil) {
		return true
	}
	for _, u := range ck.users[fn] {
		for name, edition := range u.uses {
			e := ck.live.objects[name]
			if e.obj == nil || e.edition != edition {
				continue
			}
			if r.changed[name] || r.stale[e.obj] {
				return true
			}
			if f, ok := e.obj.(*types.Func); ok && r.names[name] && r.mentions(f.Type(), nil) {
				return true
			}
		}
	}
	return false
}

// inType reports whether a type is made of a stale one, or has a method that mentions one.
func (r *renewal) inType(obj *types.TypeName) bool {
	named, ok := obj.Type().(*types.Named)
	if !ok || r.stale[obj] {
		return false
	}
	if r.mentions(named.Underlying(), nil) {
		return true
	}
	for i := range named.NumMethods() {
		if r.mentions(named.Method(i).Type(), nil) {
			return true
		}
	}
	return false
}

// mentions reports whether a stale type is named in t.
func (r *renewal) mentions(t types.Type, seen []types.Type) bool {
	if slices.Contains(seen, t) {
		return false
	}
	seen = append(seen, t)
	in := func(t types.Type) bool { return r.mentions(t, seen) }
	switch t := t.(type) {
	case *types.Named:
		return r.stale[t.Origin().Obj()] || anyType(t.TypeArgs(), in)
	case *types.Alias:
		return in(types.Unalias(t))
	case *types.Pointer:
		return in(t.Elem())
	case *types.Slice:
		return in(t.Elem())
	case *types.Array:
		return in(t.Elem())
	case *types.Chan:
		return in(t.Elem())
	case *types.Map:
		return in(t.Key()) || in(t.Elem())
	case *types.Tuple:
		return slices.ContainsFunc(slices.Collect(t.Variables()),
			func(v *types.Var) bool { return in(v.Type()) })
	case *types.Signature:
		return in(t.Params()) || in(t.Results())
	case *types.Struct:
		return slices.ContainsFunc(slices.Collect(t.Fields()),
			func(v *types.Var) bool { return in(v.Type()) })
	case *types.Interface:
		return slices.ContainsFunc(slices.Collect(t.ExplicitMethods()),
			func(m *types.Func) bool { return in(m.Type()) })
	}
	return false
}

func anyType(list *types.TypeList, yes func(types.Type) bool) bool {
	return list != nil && slices.ContainsFunc(slices.Collect(list.Types()), yes)
}

// findMisfits finds the names whose declarations, checked again, have problems.
func (ck *checking) findMisfits() {
	ck.misfits = map[string]bool{}
	for decl, name := range ck.owners {
		if slices.ContainsFunc(ck.problems, func(p problem) bool {
			return decl.Pos() <= p.pos && p.pos < decl.End()
		}) {
			ck.misfits[name] = true
		}
	}
}

// noteEarlier tells of the variables that keep the earlier type obj, without the new method.
func (ck *checking) noteEarlier(obj types.Object, method string) {
	var keep []string
	for _, live := range ck.live.list() {
		v, ok := live.(*types.Var)
		if !ok || v.Name()[0] == '_' {
			continue
		}
		if named := namedType(v.Type()); named != nil && named.Obj() == obj {
			keep = append(keep, v.Name())
		}
	}
	if len(keep) == 0 {
		return
	}
	if method != "" {
		method = ", without this " + method
	}
	ck.cell.Notes = append(ck.cell.Notes, fmt.Sprintf(
		"note: %s was made before this cell and keeps type %s as it was%s; make it again to use it",
		strings.Join(keep, ", "), obj.Name(), method))
}
