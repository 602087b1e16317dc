package check

// This file gives names to the fields in struct literals.
//
// To go/types the type of an earlier chunk belongs to another package, and outside of its package
// a literal must name unexported fields. So
//
//	p := point{1, 2}
//
// is checked, and handed on, as
//
//	p := point{x: 1, y: 2}
//
// when the type point comes from an earlier chunk.

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// isImplicitField reports whether err says that a literal has to name a field.
func isImplicitField(err types.Error) bool {
	return strings.HasPrefix(err.Msg, "implicit assignment to unexported field ")
}

// nameFields names the fields in those literals of file, checked as pkg, that need it, if one of
// the errors says so. It reports whether it changed a literal.
func (ck *checking) nameFields(file *ast.File, pkg *types.Package, errs []types.Error) bool {
	if !slices.ContainsFunc(errs, isImplicitField) {
		return false
	}
	changed := false
	ast.Inspect(file, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		if fields := ck.hiddenFields(lit, pkg); fields != nil {
			changed = true
			for i, value := range lit.Elts {
				key := &ast.Ident{NamePos: value.Pos(), Name: fields.Field(i).Name()}
				lit.Elts[i] = &ast.KeyValueExpr{Key: key, Colon: value.Pos(), Value: value}
			}
		}
		return true
	})
	return changed
}

// hiddenFields returns the struct type of a literal that gives a value for each field, without
// names, although some are unexported fields of another chunk; else nil.
func (ck *checking) hiddenFields(lit *ast.CompositeLit, pkg *types.Package) *types.Struct {
	t := ck.cell.Info.Types[lit].Type
	if t == nil {
		return nil
	}
	if p, ok := t.Underlying().(*types.Pointer); ok { // &point{…} with the type left out
		t = p.Elem()
	}
	fields, ok := t.Underlying().(*types.Struct)
	if !ok || len(lit.Elts) != fields.NumFields() || len(lit.Elts) == 0 {
		return nil
	}
	if _, ok := lit.Elts[0].(*ast.KeyValueExpr); ok {
		return nil
	}
	hidden := false
	for f := range fields.Fields() {
		if f.Name() == "_" {
			return nil
		}
		hidden = hidden || !f.Exported() && f.Pkg() != pkg && f.Pkg().Path() == pkg.Path()
	}
	if !hidden {
		return nil
	}
	return fields
}
