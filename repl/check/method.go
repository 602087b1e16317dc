package check

// This file implements methods for types of earlier cells. go/types takes a type and its methods
// together, so the type's declaration and the methods it has are declared again, in the cell that
// adds a method; one of the same name is replaced.

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// typeSource is how a type was declared.
type typeSource struct {
	spec    *ast.TypeSpec
	methods []*ast.FuncDecl
}

// keepTypes remembers the declarations of the cell's types.
func (c *Checker) keepTypes(cell *Cell) {
	for _, chunk := range cell.Chunks {
		for _, decl := range chunk.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range gen.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok && !t.Assign.IsValid() {
					c.types[cell.Info.Defs[t.Name]] = &typeSource{spec: t}
				}
			}
		}
		for _, decl := range chunk.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv != nil {
				if src := c.types[chunk.Pkg.Scope().Lookup(receiver(fn))]; src != nil {
					src.methods = append(src.methods, fn)
				}
			}
		}
	}
}

// extend returns items with the declarations, and methods, of the types of earlier cells to which
// they add methods.
func (ck *checking) extend(items []*item) []*item {
	ck.readLast(items)
	own, added := map[string]bool{}, map[string]bool{}
	stale := map[types.Object]bool{}
	for _, it := range items {
		for _, name := range it.names {
			own[name.Name] = true
		}
	}
	for _, it := range items {
		if fn, ok := it.decl.(*ast.FuncDecl); ok && fn.Recv != nil {
			added[it.recv+"."+fn.Name.Name] = true
		}
	}
	var before []*item
	for _, it := range items {
		fn, ok := it.decl.(*ast.FuncDecl)
		if !ok || fn.Recv == nil || own[it.recv] {
			continue
		}
		earlier := ck.scope.lookup(it.recv, nil)
		src := ck.types[earlier]
		if src == nil {
			continue
		}
		own[it.recv], stale[earlier] = true, true
		ck.noteEarlier(earlier, fn.Name.Name)
		ck.methods = append(ck.methods, fn)
		before = append(before, newItem(&ast.DeclStmt{Decl: typeDecl(src.spec)}))
		for _, m := range src.methods {
			if !added[it.recv+"."+m.Name.Name] {
				before = append(before, newItem(m))
			}
		}
	}
	items = append(before, items...)
	if ck.rough {
		return items
	}
	return append(ck.renew(items, stale), items...)
}

// namedType returns the named type that t is or points to, or nil.
func namedType(t types.Type) *types.Named {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named, _ := t.(*types.Named)
	return named
}

// methodProblem reports a method that cannot be added to its type.
func (ck *checking) methodProblem(fn *ast.FuncDecl, name string) {
	ck.report(fn.Name, kindUnsupported, fmt.Sprintf(
		"halfnote cannot add a method to type %s of an earlier cell yet", name),
		fmt.Sprintf("repeat the type %s, with all its methods, in this cell", name))
}

// foreign replaces problems in declarations of earlier cells, which other code uses that knows only
// the earlier type, by one at the method that was to be added.
func (ck *checking) foreign() {
	base := token.Pos(ck.src.file.Base())
	n := len(ck.problems)
	ck.problems = slices.DeleteFunc(ck.problems, func(p problem) bool { return p.pos < base })
	if n > len(ck.problems) && len(ck.problems) == 0 && len(ck.methods) > 0 {
		ck.methodProblem(ck.methods[0], receiver(ck.methods[0]))
	}
}

// earlierType names the type of an earlier cell that x has, if the name means another type by now.
func (ck *checking) earlierType(x ast.Expr) (name string, ok bool) {
	named := namedType(ck.cell.Info.TypeOf(x))
	if named == nil {
		return "", false
	}
	obj := named.Origin().Obj()
	live, isType := ck.scope.lookup(obj.Name(), nil).(*types.TypeName)
	return obj.Name(), isType && live != obj && ck.types[obj] != nil
}
