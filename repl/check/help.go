package check

// This file finds the help that goes with an error: what was probably meant.

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// isNote reports whether err only adds to the error before it.
func isNote(err types.Error) bool { return strings.HasPrefix(err.Msg, "\t") }

// note adds what err tells to the problem before it.
func (ck *checking) note(err types.Error) {
	if len(ck.problems) == 0 {
		return
	}
	last := &ck.problems[len(ck.problems)-1]
	if last.help != "" {
		return
	}
	last.help = strings.TrimSpace(ownNames(err.Msg))
	if pos := ck.fset.Position(err.Pos); err.Pos.IsValid() && pos.Filename != "" {
		last.help += fmt.Sprintf(" at %s:%d:%d", pos.Filename, pos.Line, pos.Column)
	}
}

// isUnused reports whether err says that the value of an expression is not used, and of which.
func isUnused(err types.Error) (ok bool, expr string) {
	if !strings.HasSuffix(err.Msg, " is not used") {
		return false, ""
	}
	expr, _, _ = cutLast(err.Msg, " (")
	return true, expr
}

func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// withoutAssignment takes from a message that an expression is assigned: the user did not write
// that.
func withoutAssignment(msg string) string {
	return strings.Replace(msg, " in assignment", "", 1)
}

var (
	mismatched = regexp.MustCompile(`mismatched types (\S+) and (\S+)\)$`)
	cannotUse  = regexp.MustCompile(`\((?:variable|value|constant).* of (?:\w+ )?type ` +
		`([\w.*\[\]]+)\) as ([\w.*\[\]]+) value`)
)

// help returns the help for an error of go/types in file, or "".
func (ck *checking) help(err types.Error, pkg *types.Package, file *ast.File) string {
	msg := err.Msg
	if name, ok := strings.CutPrefix(msg, "undefined: "); ok {
		if pkgName, member, ok := strings.Cut(name, "."); ok {
			return ck.memberHelp(pkgName, member)
		}
		return ck.undefinedHelp(name, err.Pos, pkg, file)
	}
	switch {
	case strings.Contains(msg, " undefined (type ") && !strings.Contains(msg, "but does have"):
		return ck.selectorHelp(err.Pos, file)
	case strings.HasPrefix(msg, "no new variables on left side of :="):
		return "use = to assign to variables that exist"
	case strings.HasSuffix(msg, " is not used"):
		return "only the last expression of a cell is shown; display.Show shows others"
	case strings.HasPrefix(msg, "declared and not used: "):
		return "remove it, or assign it to _"
	}
	if m := mismatched.FindStringSubmatch(msg); m != nil && basic(m[1]) && basic(m[2]) {
		return fmt.Sprintf("convert one side, as in %s(x)", ownNames(m[1]))
	}
	if m := cannotUse.FindStringSubmatch(ownNames(msg)); m != nil && m[1] == m[2] {
		return redefinedHelp(strings.Trim(m[1], "*[]"))
	}
	return ""
}

// redefinedHelp is for a value of a type whose name means another type now.
func redefinedHelp(name string) string {
	return name + " was defined again, or got a method, after this value was made; make it again"
}

// basic reports whether name is that of a numeric type, which can be converted.
func basic(name string) bool {
	obj, ok := types.Universe.Lookup(name).(*types.TypeName)
	if !ok {
		return false
	}
	b, ok := obj.Type().Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

// undefinedHelp is for a name that nothing defines.
func (ck *checking) undefinedHelp(name string, pos token.Pos, pkg *types.Package,
	file *ast.File) string {
	if ck.later[name] {
		return name + " is defined later in this cell"
	}
	assigned, selected := false, false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			assigned = assigned || n.Tok == token.ASSIGN && slices.ContainsFunc(n.Lhs,
				func(e ast.Expr) bool { return e.Pos() == pos && isIdent(e) })
		case *ast.SelectorExpr:
			selected = selected || n.X.Pos() == pos && isIdent(n.X)
		}
		return true
	})
	near := newNearest(name)
	for known := range ck.scope.all {
		near.add(known)
	}
	for known := range ck.later {
		near.add(known)
	}
	for _, known := range types.Universe.Names() {
		near.add(known)
	}
	if inner := pkg.Scope().Innermost(pos); inner != nil {
		for s := inner; s != nil; s = s.Parent() {
			for _, known := range s.Names() {
				near.add(known)
			}
		}
	}
	if selected {
		if help := ck.packageHelp(name); help != "" {
			return help
		}
	}
	if near.best == "" && assigned {
		return fmt.Sprintf("to define it, write %s := …", name)
	}
	return near.String()
}

func isIdent(e ast.Expr) bool {
	_, ok := e.(*ast.Ident)
	return ok
}

// packageHelp is for a name that is used as a package: it looks for a package whose name differs
// by one letter.
func (ck *checking) packageHelp(name string) string {
	for candidate := range edits(name) {
		if len(ck.packages(candidate)) > 0 {
			return fmt.Sprintf("did you mean %q?", candidate)
		}
	}
	return ""
}

// importHelp is for an import path that is not known.
func (ck *checking) importHelp(path string) string {
	folder, name, _ := cutLast("/"+path, "/")
	if paths := ck.packages(name); len(paths) > 0 {
		return fmt.Sprintf("did you mean %q?", paths[0])
	}
	for candidate := range edits(name) {
		for _, p := range ck.packages(candidate) {
			if "/"+p == folder+"/"+candidate {
				return fmt.Sprintf("did you mean %q?", p)
			}
		}
	}
	return ""
}

// memberHelp is for a name that package pkgName does not export.
func (ck *checking) memberHelp(pkgName, member string) string {
	imp := ck.scope.importOf(pkgName)
	if imp == nil {
		return ""
	}
	near := newNearest(member)
	for _, name := range imp.pkg.Scope().Names() {
		if token.IsExported(name) {
			near.add(name)
		}
	}
	return near.String()
}

// selectorHelp is for a field or method that the type of a value does not have.
func (ck *checking) selectorHelp(pos token.Pos, file *ast.File) string {
	var sel *ast.SelectorExpr
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && (s.Sel.Pos() == pos || s.Pos() == pos) {
			sel = s
		}
		return sel == nil
	})
	if sel == nil {
		return ""
	}
	t := ck.cell.Info.Types[sel.X].Type
	if t == nil {
		return ""
	}
	if name, ok := ck.earlierType(sel.X); ok {
		return redefinedHelp(name)
	}
	near := newNearest(sel.Sel.Name)
	if _, ok := t.Underlying().(*types.Pointer); !ok && !types.IsInterface(t) {
		t = types.NewPointer(t)
	}
	methods := types.NewMethodSet(t)
	for m := range methods.Methods() {
		near.add(m.Obj().Name())
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if s, ok := t.Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			near.add(f.Name())
		}
	}
	return near.String()
}

// endOfCell rewrites a parser's message about what follows the text that it was given.
func endOfCell(msg string) string {
	for _, found := range []string{"found '}'", "found EOF", "found newline", "found ';'"} {
		if strings.HasSuffix(msg, found) {
			return strings.TrimSuffix(msg, found) + "found nothing more"
		}
	}
	return msg
}

// syntaxHelp is for messages of the parser.
func syntaxHelp(msg string) string {
	switch {
	case strings.HasPrefix(msg, "expected boolean expression, found assignment"):
		return "use == to compare"
	case strings.Contains(msg, "missing ',' before newline"):
		return "the last line of a list ends in a comma, too"
	}
	return ""
}
