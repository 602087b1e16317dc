package check

// This file finds the methods that types have in place of operators, conditions and brackets.

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// operators has the methods that stand for Go's operators.
var operators = map[token.Token]string{
	token.ADD: "Add", token.SUB: "Sub", token.MUL: "Mul", token.QUO: "Div", token.REM: "Remainder",
	token.EQL: "Eq", token.NEQ: "Ne", token.LSS: "Lt", token.LEQ: "Le", token.GTR: "Gt",
	token.GEQ: "Ge",
}

// mirrored has the methods that stand for them where the value with methods is on the right.
var mirrored = map[token.Token]string{
	token.ADD: "Add", token.SUB: "RSub", token.MUL: "Mul", token.QUO: "RDiv",
	token.EQL: "Eq", token.NEQ: "Ne", token.LSS: "Gt", token.LEQ: "Ge", token.GTR: "Lt",
	token.GEQ: "Le",
}

// binaryOf has the operators that stand before the = of an assignment.
var binaryOf = map[token.Token]token.Token{
	token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB, token.MUL_ASSIGN: token.MUL,
	token.QUO_ASSIGN: token.QUO, token.REM_ASSIGN: token.REM,
}

// operatorHelp is for an operator between values whose type has a method for it.
func (ck *checking) operatorHelp(pos token.Pos, file *ast.File) string {
	x := found(file, func(n *ast.BinaryExpr) bool {
		return n.Pos() <= pos && pos <= n.End() && operators[n.Op] != "" &&
			(ck.hasMethod(n.X, operators[n.Op]) || ck.hasMethod(n.Y, operators[n.Op]))
	})
	if x == nil {
		return ""
	}
	method, a, b := operators[x.Op], types.ExprString(x.X), types.ExprString(x.Y)
	if !ck.hasMethod(x.X, method) {
		if !ck.hasMethod(x.Y, mirrored[x.Op]) {
			return "use the method " + method
		}
		method, a, b = mirrored[x.Op], b, a
	}
	return fmt.Sprintf("use the method: %s.%s(%s)", a, method, b)
}

// unaryHelp is for an operator before a value whose type has a method for it.
func (ck *checking) unaryHelp(pos token.Pos, file *ast.File) string {
	x := found(file, func(n *ast.UnaryExpr) bool { return n.X.Pos() == pos || n.Pos() == pos })
	if x == nil {
		return ""
	}
	method := map[token.Token]string{token.SUB: "Neg", token.NOT: "Not"}[x.Op]
	if method == "" || !ck.hasMethod(x.X, method) {
		return ""
	}
	if x.Op == token.NOT && isCondition(x, file) && ck.hasMethod(x.X, "Item") {
		return ck.conditionHelp(x.X, "==")
	}
	return fmt.Sprintf("use the method: %s.%s()", types.ExprString(x.X), method)
}

// isCondition reports whether x is the condition of a statement.
func isCondition(x ast.Expr, file *ast.File) bool {
	return found(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			return ast.Unparen(n.Cond) == x
		case *ast.ForStmt:
			return ast.Unparen(n.Cond) == x
		}
		return false
	}) != nil
}

// conditionHelp is for a value that stands for whether it is something, or is with op == nothing.
func (ck *checking) conditionHelp(x ast.Expr, op string) string {
	t := ck.cell.Info.TypeOf(x)
	if t == nil {
		return ""
	}
	text, nothing := types.ExprString(x), "nil"
	switch t.Underlying().(type) {
	case *types.Slice, *types.Map:
		text, nothing = "len("+text+")", "0"
	case *types.Signature, *types.Pointer, *types.Chan, *types.Interface:
	default:
		return ""
	}
	if ck.hasMethod(x, "Item") {
		if ck.hasMethod(x, "Any") && !ck.reduces(x) {
			text += ".Any()"
		}
		text, nothing = text+".Item()", "0"
	}
	return fmt.Sprintf("write a comparison, as in %s %s %s", text, op, nothing)
}

// reduces reports whether x calls a method whose last parameters are axes without giving any, which
// leaves one element.
func (ck *checking) reduces(x ast.Expr) bool {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return false
	}
	sig, ok := ck.cell.Info.TypeOf(call.Fun).(*types.Signature)
	return ok && sig.Variadic() && len(call.Args) == sig.Params().Len()-1
}

// assignOperatorHelp is for an operator with = behind a value whose type has a method for it.
func (ck *checking) assignOperatorHelp(pos token.Pos, file *ast.File) string {
	s := found(file, func(n *ast.AssignStmt) bool {
		return n.Pos() <= pos && pos <= n.End() && binaryOf[n.Tok] != 0 &&
			ck.hasMethod(n.Lhs[0], operators[binaryOf[n.Tok]])
	})
	if s == nil {
		return ""
	}
	method, a, b := operators[binaryOf[s.Tok]], types.ExprString(s.Lhs[0]), types.ExprString(s.Rhs[0])
	help := fmt.Sprintf("use the method: %[1]s = %[1]s.%[2]s(%[3]s)", a, method, b)
	if ck.hasMethod(s.Lhs[0], method+"InPlace") {
		help += fmt.Sprintf(", or %s.%sInPlace(%s)", a, method, b)
	}
	return help
}

// indexHelp is for brackets behind a value whose type has methods in their place.
func (ck *checking) indexHelp(pos token.Pos, file *ast.File) string {
	x := found(file, func(n ast.Expr) bool {
		switch n.(type) {
		case *ast.IndexExpr, *ast.SliceExpr:
			return n.Pos() == pos
		}
		return false
	})
	part := ck.partOf(x)
	if part == "" {
		return ""
	}
	if s := found(file, func(n *ast.AssignStmt) bool {
		return len(n.Lhs) == 1 && len(n.Rhs) == 1 && n.Lhs[0] == x
	}); s != nil {
		return ck.setHelp(s, part)
	}
	if _, ok := x.(*ast.SliceExpr); ok {
		return "use the method " + part
	}
	return "use the method: " + part
}

// partOf is the call for what x means with brackets, or "".
func (ck *checking) partOf(x ast.Expr) string {
	if s, ok := x.(*ast.SliceExpr); ok && ck.hasMethod(s.X, "Slice") {
		return types.ExprString(s.X) + ".Slice(axis, from, to)"
	}
	var at []string
	for {
		i, ok := x.(*ast.IndexExpr)
		if !ok {
			break
		}
		at = slices.Insert(at, 0, types.ExprString(i.Index))
		x = i.X
	}
	if len(at) == 0 || !ck.hasMethod(x, "Index") {
		return ""
	}
	return fmt.Sprintf("%s.Index(%s)", types.ExprString(x), strings.Join(at, ", "))
}

// setHelp is for an assignment to the part of a tensor that a call gives as a view.
func (ck *checking) setHelp(s *ast.AssignStmt, part string) string {
	method, value := operators[binaryOf[s.Tok]], types.ExprString(s.Rhs[0])
	switch {
	case method != "":
		method += "InPlace"
	case s.Tok != token.ASSIGN:
		return "use the method: " + part
	default:
		method = "FillInPlace"
		switch tv := ck.cell.Info.Types[s.Rhs[0]]; {
		case ck.hasMethod(s.Rhs[0], "Index"):
			method = "CopyFrom"
		case tv.Value == nil && tv.Type != nil && !types.Identical(tv.Type, types.Typ[types.Float64]):
			value = "float64(" + value + ")"
		}
	}
	return fmt.Sprintf("use the method: %s.%s(%s)", part, method, value)
}
