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
	expr, _ = cutLast(err.Msg, " (")
	return true, expr
}

// cutLast is strings.Cut around the last sep.
func cutLast(s, sep string) (before, after string) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):]
	}
	return s, ""
}

// withoutAssignment takes from a message that an expression is assigned: the user did not write
// that.
func withoutAssignment(msg string) string {
	return strings.Replace(msg, " in assignment", "", 1)
}

var (
	mismatched = regexp.MustCompile(`mismatched types (.+) and (.+)\)$`)
	cannotUse  = regexp.MustCompile(`\((?:variable|value|constant).* of (?:\w+ )?type ` +
		`(.+)\) as (.+) value in `)
	noSuchType = regexp.MustCompile(`(?s)^impossible type (?:assertion|switch case): |` +
		`: \S+ does not implement \S+ \(missing method `)
	missingMethod = regexp.MustCompile(`([\pL_][\pL\pN_]*)\S* does not implement ` +
		`([\pL_][\pL\pN_]*)\S* \(missing method ([\pL_][\pL\pN_]*)`)
	unreachable = regexp.MustCompile(`, but does have unexported (?:method|field) \w+\)$`)
	identifier  = regexp.MustCompile(`[\pL_][\pL\pN_]*`)
)

// help returns the help for an error of go/types in file, or "".
func (ck *checking) help(err types.Error, pkg *types.Package, file *ast.File) string {
	msg := err.Msg
	if name, ok := strings.CutPrefix(msg, "undefined: "); ok {
		return ck.undefinedHelp(name, err.Pos, pkg, file)
	}
	if help := ck.uncalledHelp(err, file); help != "" {
		return help
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
	if help := ck.insteadHelp(err, file); help != "" {
		return help
	}
	if help := ck.learnerHelp(err, file); help != "" {
		return help
	}
	if m := mismatched.FindStringSubmatch(msg); m != nil && basic(m[1]) && basic(m[2]) {
		return fmt.Sprintf("convert one side, as in %s(x)", ownNames(m[1]))
	}
	for _, pattern := range []*regexp.Regexp{cannotUse, mismatched} {
		if m := pattern.FindStringSubmatch(ownNames(msg)); m != nil && m[1] == m[2] {
			if name, ok := ck.redefined(m[1]); ok {
				return redefinedHelp(name)
			}
		}
	}
	if at := noSuchType.FindStringIndex(msg); at != nil {
		// The part behind the expression has the types.
		_, about, ok := strings.Cut(msg, "\n\t")
		if !ok {
			about = msg[at[0]:]
		}
		about = ownNames(about)
		if name, ok := ck.redefined(about); ok && !ck.neverHad(about) {
			return name + " was defined again, or got a method; values made before, or by " +
				"functions from before, belong to the earlier type"
		}
	}
	return ""
}

// loneHelp is for a name that stands alone where a value is to be shown and means none: a type, a
// package, or a function that is no value.
func (ck *checking) loneHelp(x ast.Expr) string {
	id, ok := x.(*ast.Ident)
	if sel, isSel := x.(*ast.SelectorExpr); isSel {
		id = sel.Sel
	}
	switch ck.cell.Info.Uses[id].(type) {
	case *types.TypeName, *types.PkgName, *types.Builtin, *types.Func:
		return "?" + types.ExprString(x) + " tells about it"
	case nil:
		if ok && len(ck.packages(id.Name)) > 0 {
			return "?" + id.Name + " tells about the package"
		}
	}
	return ""
}

// redefined returns the first name in the text of a type, or about types, that means another type
// of a cell than it did once.
func (ck *checking) redefined(text string) (name string, ok bool) {
	for _, name := range identifier.FindAllString(text, -1) {
		live, isType := ck.scope.lookup(name, nil).(*types.TypeName)
		if !isType {
			continue
		}
		for old := range ck.types {
			if old != nil && old.Name() == name && old != live {
				return name, true
			}
		}
	}
	return "", false
}

// neverHad reports whether a message tells that a type lacks a method that it has not had in any of
// its meanings, though the interface has it in the present one.
func (ck *checking) neverHad(msg string) bool {
	m := missingMethod.FindStringSubmatch(msg)
	if m == nil {
		return false
	}
	has := func(t types.Object) bool {
		obj, _, _ := types.LookupFieldOrMethod(t.Type(), true, t.Pkg(), m[3])
		return obj != nil
	}
	for old := range ck.types {
		if old != nil && old.Name() == m[1] && has(old) {
			return false
		}
	}
	live, ok := ck.scope.lookup(m[2], nil).(*types.TypeName)
	return !ok || has(live)
}

// redefinedHelp is for a value of a type whose name means another type now.
func redefinedHelp(name string) string {
	return name + " was defined again, or got a method, after this value was made; make it again, " +
		"and before that the functions that return it"
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
	if help := foreignNames[name]; help != "" {
		return help
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
	} else if help := ck.ownHelp(name); help != "" && (near.best == "" || near.dist > 0) {
		return help
	}
	if err := ck.missing(name); selected && near.best == "" && err != nil {
		return err.Error()
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

// packageHelp is for a name that is used as a package: a program must import it, or it differs by
// one letter.
func (ck *checking) packageHelp(name string) string {
	switch paths := ck.packages(name); {
	case name == "unsafe": // is imported on purpose only
		return `write import "unsafe"`
	case len(paths) == 0:
	case ck.cell.IsProgram:
		return fmt.Sprintf("write import %q at its beginning", paths[0])
	case ck.noAuto:
		return fmt.Sprintf("write import %q", paths[0])
	}
	for candidate := range edits(name) {
		if candidate != name && len(ck.packages(candidate)) > 0 {
			return fmt.Sprintf("did you mean %q?", candidate)
		}
	}
	return ""
}

// importHelp is for an import path that is not known, and the importer's error about it.
func (ck *checking) importHelp(path string, err error) string {
	if path == "torch" || strings.HasPrefix(path, "torch/") {
		return torchPackages
	}
	help := ""
	if more, ok := err.(interface{ Help() string }); ok {
		help = more.Help()
	}
	if help != "" && strings.Contains(path, ".") { // the path of a module is no slip
		return help
	}
	folder, name := cutLast("/"+path, "/")
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
	return help
}

// missing returns the error about the package of that name, if there is one that cells cannot
// import.
func (ck *checking) missing(name string) error {
	if imp, ok := ck.imp.Importer.(interface{ Missing(name string) error }); ok {
		return imp.Missing(name)
	}
	return nil
}

// memberProblem rewrites a problem with X.Sel where X is, or would be, a package that does not
// export Sel: to go/types, a package is undefined that was not imported, since none of its exported
// names is used.
func (ck *checking) memberProblem(p *problem, file *ast.File) bool {
	name, ok := strings.CutPrefix(p.msg, "undefined: ")
	if !ok {
		return false
	}
	name, _, _ = strings.Cut(name, " (but have ")
	if pkgName, member, ok := strings.Cut(name, "."); ok {
		if imp := ck.scope.importOf(pkgName); imp != nil {
			p.msg, p.help = "undefined: "+name, memberHelp(imp.pkg, member)
		}
		return true
	}
	sel := selector(file, func(sel *ast.SelectorExpr) bool {
		return isIdent(sel.X) && sel.X.Pos() == p.pos
	})
	if sel == nil || ck.later[name] || ck.cell.IsProgram || ck.noAuto {
		return false
	}
	for _, path := range ck.packages(name) {
		pkg, err := ck.imp.Import(path)
		if err != nil {
			continue
		}
		p.pos, p.end = sel.Sel.Pos(), sel.Sel.End()
		p.msg = "undefined: " + name + "." + sel.Sel.Name
		if p.help = memberHelp(pkg, sel.Sel.Name); p.help != "" {
			break
		}
	}
	return p.pos == sel.Sel.Pos()
}

// memberHelp is for a name that a package does not export.
func memberHelp(pkg *types.Package, member string) string {
	if help := torchHelp(pkg.Name(), member); help != "" {
		return help
	}
	var exported []string
	for _, name := range pkg.Scope().Names() {
		if token.IsExported(name) {
			exported = append(exported, name)
		}
	}
	same := func(name string) bool { return strings.EqualFold(name, member) }
	if !slices.ContainsFunc(exported, same) {
		for _, name := range exported {
			if method := methodOf(pkg.Scope().Lookup(name), member); method != "" {
				return fmt.Sprintf("%s.%s has a method %s", pkg.Name(), name, method)
			}
		}
	}
	return namesHelp(pkg.Name(), member, exported)
}

// methodOf returns the name of the method that a type has under a name in any case, or "".
func methodOf(obj types.Object, name string) string {
	t, ok := obj.(*types.TypeName)
	if !ok || t.IsAlias() {
		return ""
	}
	for m := range types.NewMethodSet(types.NewPointer(t.Type())).Methods() {
		if m.Obj().Exported() && strings.EqualFold(m.Obj().Name(), name) {
			return m.Obj().Name()
		}
	}
	return ""
}

// selector returns the first X.Sel in file that fits, or nil.
func selector(file *ast.File, fits func(*ast.SelectorExpr) bool) *ast.SelectorExpr {
	var found *ast.SelectorExpr
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && found == nil && fits(s) {
			found = s
		}
		return found == nil
	})
	return found
}

// selectorHelp is for a field or method that the type of a value does not have.
func (ck *checking) selectorHelp(pos token.Pos, file *ast.File) string {
	sel := selector(file, func(s *ast.SelectorExpr) bool {
		return s.Sel.Pos() == pos || s.Pos() == pos
	})
	if sel == nil {
		return ""
	}
	t := ck.cell.Info.Types[sel.X].Type
	if t == nil {
		return ""
	}
	if ck.cell.Info.Types[sel.X].IsValue() {
		if help := builtinHelp(t, sel.Sel.Name); help != "" {
			return help
		}
	}
	if name, ok := ck.earlierType(sel.X); ok {
		return redefinedHelp(name)
	}
	if id, ok := sel.X.(*ast.Ident); ok && ck.cell.Info.Types[id].IsType() {
		if help := ck.packageHelp(id.Name); help != "" && types.Universe.Lookup(id.Name) != nil {
			return help // string for strings
		}
	}
	if help := torchHelp(types.TypeString(t, (*types.Package).Name), sel.Sel.Name); help != "" {
		return help
	}
	var names []string
	add := func(obj types.Object) {
		if Usable(obj) {
			names = append(names, obj.Name())
		}
	}
	if _, ok := t.Underlying().(*types.Pointer); !ok && !types.IsInterface(t) {
		t = types.NewPointer(t)
	}
	methods := types.NewMethodSet(t)
	for m := range methods.Methods() {
		add(m.Obj())
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if s, ok := t.Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			add(f)
		}
	}
	if name := functionOf(t, sel.Sel.Name, names); name != "" {
		return "it is a function: " + name
	}
	return namesHelp("it", sel.Sel.Name, names)
}

// functionOf returns the function that the package of t has under the name of a method, in any
// case, if none of t's own names is meant and a parameter has to do with t; or "".
func functionOf(t types.Type, name string, own []string) string {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return ""
	}
	name = strings.ReplaceAll(name, "_", "")
	same := func(known string) bool { return strings.EqualFold(known, name) }
	if slices.ContainsFunc(own, same) {
		return ""
	}
	pkg := named.Obj().Pkg()
	i := slices.IndexFunc(pkg.Scope().Names(), same)
	if i < 0 {
		return ""
	}
	f, ok := pkg.Scope().Lookup(pkg.Scope().Names()[i]).(*types.Func)
	if !ok || !Usable(f) {
		return ""
	}
	for p := range f.Signature().Params().Variables() {
		of := p.Type()
		if s, ok := of.(*types.Slice); ok {
			of = s.Elem()
		}
		if namedType(of) == named {
			return TypeText(named)[:len(TypeText(named))-len(named.Obj().Name())] + f.Name()
		}
	}
	return ""
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
	case msg == "illegal rune literal":
		return "strings stand in double quotes, or in backquotes"
	}
	return ""
}
