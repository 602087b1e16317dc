package check

// This file finds functions and methods that were named where the values were meant that they
// return, as of the attributes of other languages.

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// aboutFunction finds what messages say about the type of a function, or where they may be about one
// without saying so.
var aboutFunction = regexp.MustCompile(`\bfunc\(|\(func can only be compared to nil\)$|` +
	`^non-boolean condition in |, but does have method (\w+)\)$`)

// otherwise finds messages that speak of functions where calls are no way out.
var otherwise = regexp.MustCompile(`^(?:too many|not enough) arguments in call |` +
	`^in call to .* does not match |cannot take address of |\(non-numeric type `)

// uncalledHelp is for an error about a function or method that is not called: one that has results,
// unless it is only named.
func (ck *checking) uncalledHelp(err types.Error, file *ast.File) string {
	m := aboutFunction.FindStringSubmatch(err.Msg)
	if m == nil || otherwise.MatchString(err.Msg) {
		return ""
	}
	want := ""
	if m := valueFor.FindStringSubmatch(ownNames(err.Msg)); m != nil {
		want = m[2]
	}
	unused, _ := isUnused(err)
	called := map[ast.Expr]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			called[ast.Unparen(call.Fun)] = true
		}
		return true
	})
	if m[1] != "" { // x.shape, which is called in Go, and has another case
		sel := selector(file, func(s *ast.SelectorExpr) bool { return s.Sel.Pos() == err.Pos })
		if sel == nil || called[sel] || ck.cell.Info.Types[sel.X].Type == nil {
			return ""
		}
		f, _, _ := types.LookupFieldOrMethod(ck.cell.Info.Types[sel.X].Type, true, nil, m[1])
		if f == nil {
			return ""
		}
		return callHelp(types.ExprString(sel.X)+"."+m[1], f.Type(), want)
	}
	help := ""
	found(file, func(x ast.Node) bool {
		for _, part := range blamed(x, err) {
			_, member := part.(*ast.SelectorExpr)
			tv := ck.cell.Info.Types[part]
			if help == "" && (member || isIdent(part)) && tv.IsValue() && !called[part] {
				if help = callHelp(types.ExprString(part), tv.Type, want); help == "" && unused {
					help = callText(types.ExprString(part), tv.Type)
				}
			}
		}
		return help != ""
	})
	return help
}

// blamed returns the expressions in x that an error may be about.
func blamed(x ast.Node, err types.Error) []ast.Expr {
	switch x := x.(type) {
	case *ast.SwitchStmt:
		if x.Tag != nil && x.Pos() <= err.Pos && strings.HasPrefix(err.Msg, "invalid case ") &&
			strings.Contains(err.Msg, " in switch on "+types.ExprString(x.Tag)+" (") {
			return []ast.Expr{x.Tag}
		}
	case *ast.SelectorExpr:
		if x.Sel.Pos() == err.Pos {
			return []ast.Expr{x.X}
		}
	case *ast.BinaryExpr:
		if x.Pos() == err.Pos || x.OpPos == err.Pos || x.Y.Pos() == err.Pos {
			return []ast.Expr{x.X, x.Y}
		}
	}
	if x, ok := x.(ast.Expr); ok && x.Pos() == err.Pos {
		return []ast.Expr{x}
	}
	return nil
}

// callHelp is how to call what is named text, or "" where that is no function with a result: with the
// one that is wanted, if a type is.
func callHelp(text string, t types.Type, want string) string {
	sig, ok := t.Underlying().(*types.Signature)
	if !ok || sig.Results().Len() == 0 {
		return ""
	}
	if want != "" && (sig.Results().Len() > 1 || TypeText(sig.Results().At(0).Type()) != want) {
		return ""
	}
	return callText(text, t)
}

// callText says how to call the function named text, or is "" where that is none.
func callText(text string, t types.Type) string {
	sig, ok := t.Underlying().(*types.Signature)
	if !ok {
		return ""
	}
	if n := sig.Params().Len(); n == 0 || n == 1 && sig.Variadic() {
		return "call it: " + text + "()"
	}
	return "call it: " + text + "(…)"
}

// noteUncalled tells of functions that are printed, as an address, and of a method that is shown
// itself: both are legal Go.
func (ck *checking) noteUncalled() {
	note := func(x ast.Expr) {
		text := types.ExprString(x)
		note := fmt.Sprintf("note: %s is a function; %s", text, callText(text, ck.cell.Info.TypeOf(x)))
		if !slices.Contains(ck.cell.Notes, note) {
			ck.cell.Notes = append(ck.cell.Notes, note)
		}
	}
	visit := func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && int(call.Pos()) >= ck.base() && ck.prints(call) {
			for _, x := range call.Args {
				_, member := x.(*ast.SelectorExpr)
				_, plain := types.Unalias(ck.cell.Info.TypeOf(x)).(*types.Signature)
				if plain && (member || isIdent(x)) {
					note(x)
				}
			}
		}
		return true
	}
	for _, chunk := range ck.cell.Chunks {
		for _, decl := range chunk.Decls {
			ast.Inspect(decl, visit)
		}
		for _, stmt := range chunk.Stmts {
			ast.Inspect(stmt, visit)
		}
	}
	if ck.cell.Result == nil {
		return
	}
	if sel, ok := ck.cell.Result.X.(*ast.SelectorExpr); ok {
		if s := ck.cell.Info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
			note(sel)
		}
	}
}

// prints reports whether a call is of one of the functions of fmt and log that print values, and has
// no format that asks for the type or the address of one.
func (ck *checking) prints(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := ck.cell.Info.Uses[sel.Sel].(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "fmt" && f.Pkg().Path() != "log" ||
		!printing.MatchString(f.Name()) {
		return false
	}
	for _, x := range call.Args {
		v := ck.cell.Info.Types[x].Value
		if v != nil && v.Kind() == constant.String && asksType.MatchString(constant.StringVal(v)) {
			return false
		}
	}
	return true
}

var (
	printing = regexp.MustCompile(`[pP]rint|^(?:Append|Errorf|Fatal|Panic)`)
	asksType = regexp.MustCompile(`%[^\pL%]*[Tp]`)
)
