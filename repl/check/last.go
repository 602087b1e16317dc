package check

// This file lets a lone _ that is read mean the last result:
//
//	_ * 2      →    _3 * 2

import (
	"go/ast"
	"strconv"
	"strings"
)

// readLast renames the blank identifiers in items that are read to the variable of the last result,
// if there is one.
func (ck *checking) readLast(items []*item) {
	name := ck.lastResult()
	if name == "" {
		return
	}
	for _, it := range items {
		written := map[*ast.Ident]bool{}
		ast.Inspect(it.node(), func(n ast.Node) bool {
			for _, id := range blanksOf(n) {
				written[id] = true
			}
			if id, ok := n.(*ast.Ident); ok && id.Name == "_" && !written[id] {
				id.Name = name
			}
			return true
		})
	}
}

// lastResult returns the live variable _n with the greatest n, or "".
func (c *Checker) lastResult() string {
	last, name := 0, ""
	for known := range c.live.objects {
		digits, ok := strings.CutPrefix(known, "_")
		if n, err := strconv.Atoi(digits); ok && err == nil && n > last {
			last, name = n, known
		}
	}
	return name
}

// blanksOf lists the identifiers directly below n that name something, or are assigned to.
func blanksOf(n ast.Node) (ids []*ast.Ident) {
	add := func(xs ...ast.Expr) {
		for _, x := range xs {
			if id, ok := x.(*ast.Ident); ok {
				ids = append(ids, id)
			}
		}
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		add(n.Lhs...)
	case *ast.RangeStmt:
		add(n.Key, n.Value)
	case *ast.ValueSpec:
		ids = n.Names
	case *ast.Field:
		ids = n.Names
	case *ast.FuncDecl:
		add(n.Name)
	case *ast.TypeSpec:
		add(n.Name)
	case *ast.LabeledStmt:
		add(n.Label)
	case *ast.BranchStmt:
		if n.Label != nil {
			add(n.Label)
		}
	case *ast.SelectorExpr:
		add(n.Sel)
	}
	return ids
}
