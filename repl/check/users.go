package check

// This file tells which functions of earlier cells go on with what a name meant before.

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// user is a function of a cell and the names of the session that it uses, with their editions.
type user struct {
	name string
	uses map[string]int
}

// rebinds reports whether code that uses old uses obj once that is defined: a variable or function
// of the same type. A constant is no other one if it has the same value.
func rebinds(old, obj types.Object) bool {
	switch old := old.(type) {
	case *types.Var:
		obj, ok := obj.(*types.Var)
		return ok && types.Identical(old.Type(), obj.Type())
	case *types.Func:
		obj, ok := obj.(*types.Func)
		return ok && old.Signature().TypeParams().Len() == 0 &&
			types.Identical(old.Type(), obj.Type())
	case *types.Const:
		obj, ok := obj.(*types.Const)
		return ok && types.Identical(old.Type(), obj.Type()) &&
			constant.Compare(old.Val(), token.EQL, obj.Val())
	}
	return false
}

// keepUsers remembers what the functions of a committed cell use: functions and methods, and
// literals that variables of the session are set to. before has what its names meant.
func (c *Checker) keepUsers(cell *Cell) {
	for _, m := range cell.before {
		delete(c.users, m.object.obj)
		delete(c.functions, m.object.obj)
	}
	for _, chunk := range cell.Chunks {
		for _, decl := range chunk.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				holder, name := cell.Info.Defs[decl.Name], decl.Name.Name
				if decl.Recv != nil {
					holder = chunk.Pkg.Scope().Lookup(receiver(decl))
					name = receiver(decl) + "." + name
				} else if holder != nil && c.live.objects[name].obj == holder {
					c.functions[holder] = decl
				}
				c.keepUser(cell, holder, name, decl)
			case *ast.GenDecl:
				c.keepLiterals(cell, decl)
			}
		}
		for _, stmt := range chunk.Stmts {
			switch stmt := stmt.(type) {
			case *ast.AssignStmt:
				if len(stmt.Lhs) == len(stmt.Rhs) {
					for i, x := range stmt.Lhs {
						c.keepLiteral(cell, x, stmt.Rhs[i])
					}
				}
			case *ast.DeclStmt:
				c.keepLiterals(cell, stmt.Decl)
			}
		}
	}
}

// keepLiterals is keepLiteral for a declaration of variables.
func (c *Checker) keepLiterals(cell *Cell, decl ast.Decl) {
	gen, ok := decl.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, spec := range gen.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if ok && len(v.Names) == len(v.Values) {
			for i, name := range v.Names {
				c.keepLiteral(cell, name, v.Values[i])
			}
		}
	}
}

// keepLiteral remembers what the value uses to which x is set, if x is a variable of the session.
func (c *Checker) keepLiteral(cell *Cell, x, value ast.Expr) {
	id, ok := x.(*ast.Ident)
	if !ok {
		return
	}
	holder := cell.Info.ObjectOf(id)
	if holder == nil {
		return
	}
	delete(c.users, holder)
	if lit, ok := ast.Unparen(value).(*ast.FuncLit); ok {
		c.keepUser(cell, holder, id.Name, lit)
	}
}

// keepUser remembers what the function of that name uses, which is there as long as holder is.
func (c *Checker) keepUser(cell *Cell, holder types.Object, name string, function ast.Node) {
	if holder == nil || c.live.objects[holder.Name()].obj != holder {
		return
	}
	uses := map[string]int{}
	ast.Inspect(function, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			obj := cell.Info.Uses[id]
			if e, ok := c.live.objects[id.Name]; ok && obj != nil && e.obj == obj && obj != holder {
				uses[id.Name] = e.edition
			}
		}
		return true
	})
	if len(uses) > 0 {
		c.users[holder] = append(c.users[holder], user{name, uses})
	}
}

// noteUsers tells of the functions that keep what the cell's names have meant so far.
func (ck *checking) noteUsers() {
	own := map[string]types.Object{}
	for _, obj := range ck.cell.Defs {
		own[obj.Name()] = obj
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		old, ok := ck.live.objects[name]
		if !ok || rebinds(old.obj, own[name]) {
			continue
		}
		var keep []string
		for _, holder := range ck.live.list() {
			if own[holder.Name()] != nil {
				continue
			}
			for _, u := range ck.users[holder] {
				if edition, ok := u.uses[name]; ok && edition == old.edition {
					keep = append(keep, u.name)
				}
			}
		}
		if len(keep) > 0 {
			ck.cell.Notes = append(ck.cell.Notes, earlierNote(keep, old.obj))
		}
	}
}

// earlierNote says that functions go on with old.
func earlierNote(functions []string, old types.Object) string {
	const most = 3
	verb, them, list := "uses", functions[0], functions[0]
	if n := len(functions); n > 1 {
		verb, them = "use", "them"
		last := functions[n-1]
		rest := functions[:n-1]
		if n > most {
			rest, last = functions[:most], fmt.Sprintf("%d more", n-most)
		}
		list = strings.Join(rest, ", ") + " and " + last
	}
	what := ", of type " + TypeText(old.Type())
	switch old := old.(type) {
	case *types.Const:
		what = ", which is " + old.Val().String()
	case *types.TypeName:
		what = ""
	}
	return fmt.Sprintf("note: %s %s the earlier %s%s; define %s again to use the new one",
		list, verb, old.Name(), what, them)
}
