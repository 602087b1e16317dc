package check

// This file finds out what the statements around the cursor allow.

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// Outermost reports whether the identifier begins a statement at the outermost level of the cell.
func (sk *Sketch) Outermost() bool { return len(sk.Path) == 1 && sk.IsStatement() }

// Allows reports whether a statement that begins with a keyword can stand where the identifier
// does, as far as the statements around it have a say.
func (sk *Sketch) Allows(keyword token.Token) bool {
	for i := range sk.Path {
		switch sk.Parent(i).(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return false
		case *ast.ForStmt, *ast.RangeStmt:
			if keyword == token.BREAK || keyword == token.CONTINUE {
				return true
			}
		case *ast.CommClause, *ast.CaseClause:
			_, isType := sk.Parent(i + 2).(*ast.TypeSwitchStmt)
			_, isSelect := sk.Parent(i).(*ast.CommClause)
			direct := i == 1
			switch keyword {
			case token.BREAK:
				return true
			case token.FALLTHROUGH:
				return direct && !isType && !isSelect
			case token.CASE, token.DEFAULT:
				return direct
			}
		}
	}
	return false
}

// Branch returns the keyword if the identifier is the label of a break, continue or goto.
func (sk *Sketch) Branch() (keyword token.Token, ok bool) {
	b, ok := sk.Parent(0).(*ast.BranchStmt)
	if !ok {
		return token.ILLEGAL, false
	}
	return b.Tok, true
}

// Labels lists the labels that a break or continue can name where the identifier stands, the
// innermost first.
func (sk *Sketch) Labels(keyword token.Token) []string {
	var names []string
	for i := range sk.Path {
		switch n := sk.Parent(i).(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return names
		case *ast.LabeledStmt:
			switch n.Stmt.(type) {
			case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				if keyword != token.BREAK {
					continue
				}
			case *ast.ForStmt, *ast.RangeStmt:
			default:
				continue
			}
			names = append(names, n.Label.Name)
		}
	}
	return names
}

// Labels lists the labels of the function around src[start:end], which is where the label of a goto
// stands, in the order in which they are written.
func Labels(src string, start, end int) []string {
	text := src[:start] + placeholder + src[end:]
	toks, _, _ := scan(text)
	items, _, _ := rough(text, split(toks), padding)
	pos := token.Pos(padding + start)
	_, path := identAt(items, pos)
	nodes := make([]ast.Node, len(items))
	for i, it := range items {
		nodes[i] = it.node()
	}
	for _, n := range path {
		switch n := n.(type) {
		case *ast.FuncDecl:
			nodes = []ast.Node{n.Body}
		case *ast.FuncLit:
			nodes = []ast.Node{n.Body}
		}
	}
	var names []string
	for _, n := range nodes {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit, *ast.FuncDecl:
				return false
			case *ast.LabeledStmt:
				names = append(names, n.Label.Name)
			}
			return true
		})
	}
	return names
}

// Case reports whether the identifier is one of the values or types of a case.
func (sk *Sketch) Case() bool {
	for i := range sk.Path {
		switch sk.Parent(i).(type) {
		case *ast.SelectorExpr, *ast.ParenExpr, *ast.StarExpr:
		case *ast.CaseClause:
			return true
		default:
			return false
		}
	}
	return false
}

// Given reports whether a case of the switch has the value or type that obj denotes already.
func (sk *Sketch) Given(obj types.Object) bool {
	for i := range sk.Path {
		if _, ok := sk.Parent(i).(*ast.CaseClause); !ok {
			continue
		}
		block, _ := sk.Parent(i + 1).(*ast.BlockStmt)
		if block == nil {
			return false
		}
		return slices.ContainsFunc(block.List, func(s ast.Stmt) bool {
			other, ok := s.(*ast.CaseClause)
			return ok && slices.ContainsFunc(other.List,
				func(x ast.Expr) bool { return sk.says(x, obj) })
		})
	}
	return false
}

// says reports whether the expression has the value of the constant, or is the type, that obj is.
func (sk *Sketch) says(x ast.Expr, obj types.Object) bool {
	tv := sk.Info.Types[x]
	switch obj := obj.(type) {
	case *types.Const:
		return tv.Value != nil && tv.Value.Kind() == obj.Val().Kind() &&
			constant.Compare(tv.Value, token.EQL, obj.Val())
	case *types.TypeName:
		return tv.IsType() && types.Identical(tv.Type, obj.Type())
	}
	return false
}
