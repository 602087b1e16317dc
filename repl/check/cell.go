package check

// This file checks a cell.

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// checking is the state of checking one cell.
type checking struct {
	*Checker
	cell     *Cell
	src      source
	scope    *names // what the cell has defined so far; outside of it the live names
	later    map[string]bool
	methods  []*ast.FuncDecl     // of the cell, for types of earlier cells
	fixed    map[string]bool     // names of earlier cells that are not to be declared again
	owners   map[ast.Decl]string // what is declared again, and for which name
	misfits  map[string]bool     // names of those that do not fit what the cell defines
	other    bool                // it begins with the clause of a package that is no program
	rough    bool                // it is a sketch: problems do not matter
	problems []problem
}

// Cell parses and type-checks a cell. The name, such as "cell 3", is the file name in the file
// set and in diagnostics. What is live does not change; see [Checker.Commit]. If there are
// diagnostics the cell must not run.
func (c *Checker) Cell(name, src string) (*Cell, []Diagnostic) {
	fixed := map[string]bool{}
	for {
		ck := c.begin(name, src)
		ck.fixed = fixed
		cell, list := ck.check()
		if len(ck.misfits) == 0 {
			return cell, list
		}
		maps.Copy(fixed, ck.misfits)
		c.fset.RemoveFile(ck.src.file)
	}
}

// check checks the cell.
func (ck *checking) check() (*Cell, []Diagnostic) {
	items, imports, hidden := ck.parse()
	if len(ck.problems) == 0 {
		items = ck.extend(items)
		find(items)
		ck.problems = append(ck.problems, redeclared(items)...)
		ck.imports(imports, items)
		if slices.ContainsFunc(imports, importsEmbed) {
			ck.embeds(ck.src)
		}
		ck.limits(items)
	}
	if len(ck.problems) == 0 {
		var last *item
		if len(items) > 0 {
			last = items[len(items)-1]
		}
		for _, p := range arrange(items, ck.known(items)) {
			if p.decls {
				ck.declarations(p.items)
			} else {
				ck.statements(p.items, last)
			}
		}
		if hidden {
			ck.cell.Result = nil
		}
		if main := ck.main(items); main != nil && !ck.other {
			ck.cell.Main, _ = ck.cell.Info.Defs[main.Name].(*types.Func)
		}
	}
	if len(ck.problems) > 0 {
		ck.findMisfits()
		ck.foreign()
		return nil, diagnostics(ck.problems, func(token.Pos) source { return ck.src })
	}
	ck.noteUsers()
	ck.noteUncalled()
	return ck.cell, nil
}

// hasStatements reports whether an item is a statement that no program has at its outermost level.
func hasStatements(items []*item) bool {
	return slices.ContainsFunc(items, func(it *item) bool {
		return it.decl == nil && it.vars == nil
	})
}

// known returns what reports whether a variable can be meant that the items do not define. In a whole
// program none can.
func (ck *checking) known(items []*item) func(name string) bool {
	if ck.main(items) != nil {
		return func(string) bool { return false }
	}
	return ck.scope.has
}

// main returns the declaration of the function that the cell runs as a program, or nil. A main that
// is only declared again ran in its own cell.
func (ck *checking) main(items []*item) *ast.FuncDecl {
	if hasStatements(items) {
		return nil
	}
	for _, it := range items {
		fn, ok := it.decl.(*ast.FuncDecl)
		if ok && fn.Recv == nil && fn.Name.Name == "main" && ck.owners[fn] == "" {
			return fn
		}
	}
	return nil
}

// begin starts checking src, for which it adds a file to the file set.
func (c *Checker) begin(name, src string) *checking {
	file := c.fset.AddFile(name, -1, len(src)+len(stmtSuffix))
	return &checking{
		Checker: c,
		cell: &Cell{Name: name, Src: src, Fset: c.fset, Info: newInfo(),
			imports: map[string]*imported{}},
		src:   source{file, name, src},
		scope: &names{objects: map[string]entry{}, imports: map[string]*imported{}, outer: c.live},
		later: map[string]bool{},
	}
}

// parse returns what stands at the top level of the cell, imports by themselves. It reports whether
// the cell ends in a semicolon.
func (ck *checking) parse() (items []*item, imports []*ast.ImportSpec, hidden bool) {
	toks, lines, err := scan(ck.cell.Src)
	ck.src.file.SetLines(lines)
	if err != nil {
		ck.syntax(err)
		return nil, nil, false
	}
	for i, seg := range split(toks) {
		if seg.kind == token.PACKAGE && i == 0 { // a pasted program, or a file of another package
			ck.other = len(toks) > 1 && ck.cell.Src[toks[1].off:toks[1].end] != "main"
			continue
		}
		nodes, err := seg.parse(ck.cell.Src, ck.src.file.Base())
		if err != nil {
			ck.syntax(err)
			return nil, nil, false
		}
		for _, node := range nodes {
			if gen, ok := node.(*ast.GenDecl); ok {
				for _, spec := range gen.Specs {
					imports = append(imports, spec.(*ast.ImportSpec))
				}
				continue
			}
			items = append(items, newItem(node))
		}
	}
	if n := len(toks); n > 0 && toks[n-1].tok == token.SEMICOLON {
		hidden = !toks[n-1].auto
	}
	return items, imports, hidden
}

// syntax notes a syntax error.
func (ck *checking) syntax(err *syntaxError) {
	length := err.len
	if length == 0 {
		length = tokenLen(ck.cell.Src[min(err.off, len(ck.cell.Src)):])
	}
	err.help = cmp.Or(err.help, syntaxHelp(err.msg), formHelp(ck.cell.Src, err.off))
	pos := token.Pos(ck.src.file.Base() + err.off)
	ck.problems = append(ck.problems, problem{pos: pos, end: pos + token.Pos(length),
		kind: kindSyntax, msg: err.msg, help: err.help})
}

// report notes a problem at node.
func (ck *checking) report(node ast.Node, kind, msg, help string) {
	ck.problems = append(ck.problems, problem{pos: node.Pos(), end: node.End(), kind: kind,
		msg: msg, help: help})
}

// limits reports what Go allows at the top level of a program and a cell cannot have.
func (ck *checking) limits(items []*item) {
	own := map[string]*ast.TypeSpec{}
	for _, it := range items {
		for _, name := range it.names {
			ck.later[name.Name] = true
		}
		if gen := it.gen(); gen != nil {
			for _, spec := range gen.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					own[t.Name.Name] = t
				}
			}
		}
	}
	for i, it := range items {
		fn, ok := it.decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		switch {
		case fn.Body == nil:
			help := ""
			if i+1 < len(items) {
				if _, ok := items[i+1].stmt.(*ast.BlockStmt); ok {
					help = "the { must stand on the line of the parameters"
				}
			}
			ck.report(fn.Name, kindSyntax, "function "+fn.Name.Name+" has no body", help)
		case it.recv != "":
			ck.receiver(fn, it.recv, own)
		}
	}
}

// receiver reports a method whose type, or what that is an alias of, is not among the cell's own
// types.
func (ck *checking) receiver(fn *ast.FuncDecl, name string, own map[string]*ast.TypeSpec) {
	for seen := map[string]bool{}; own[name] != nil; {
		if !own[name].Assign.IsValid() || seen[name] {
			return
		}
		seen[name] = true
		name = baseName(own[name].Type)
	}
	t, ok := ck.scope.lookup(name, nil).(*types.TypeName)
	switch {
	case !ok:
	case t.Pkg() != nil && t.Pkg().Path() != "main":
		ck.report(fn.Name, kindType, "cannot define new methods on non-local type "+
			types.TypeString(t.Type(), (*types.Package).Name), "")
	default: // by way of an alias
		ck.methodProblem(fn, name)
	}
}

// declarations checks a chunk of declarations.
func (ck *checking) declarations(items []*item) {
	var chunk Chunk
	defined := map[string]bool{}
	for _, it := range items {
		decl := it.decl
		if decl == nil {
			decl = it.vars
		}
		chunk.Decls = append(chunk.Decls, decl)
		for _, name := range it.names {
			defined[name.Name] = true
		}
	}
	for _, decl := range chunk.Decls {
		ck.enclose(decl, defined)
	}
	chunk.Pkg, chunk.InitOrder = ck.judge(ck.file(chunk.Decls...), items, defined, nil)
	for _, it := range items {
		for _, name := range it.names {
			ck.define(ck.cell.Info.Defs[name])
		}
	}
	ck.cell.Chunks = append(ck.cell.Chunks, chunk)
}

// file returns a file of declarations, which need not stand in the order of the source. To go/types it
// reaches from the beginning of the cell to its end.
func (ck *checking) file(decls ...ast.Decl) *ast.File {
	return &ast.File{Package: token.Pos(ck.base()), Name: ast.NewIdent("main"), Decls: decls}
}

// enclose puts the names of earlier types into parentheses where they alone define a type:
//
//	type A T
//
// is checked as type A (T). Else go/types would look for a cycle in the declaration of T, which is
// not in this chunk.
func (ck *checking) enclose(decl ast.Decl, defined map[string]bool) {
	gen, ok := decl.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, spec := range gen.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		id, ok := t.Type.(*ast.Ident)
		if ok && !defined[id.Name] && ck.scope.has(id.Name) {
			t.Type = &ast.ParenExpr{Lparen: id.Pos(), X: id, Rparen: id.End()}
		}
	}
}

// statements checks a run of statements as the body of a function. If it ends with last and that
// is an expression, it is the cell's result.
func (ck *checking) statements(items []*item, last *item) {
	var chunk Chunk
	for _, it := range items {
		chunk.Stmts = append(chunk.Stmts, it.stmt)
	}
	n := len(chunk.Stmts)
	first, end := chunk.Stmts[0].Pos(), chunk.Stmts[n-1].End()
	chunk.Body = &ast.BlockStmt{Lbrace: first, List: chunk.Stmts, Rbrace: end}
	body := chunk.Body
	var result *ast.ExprStmt
	if items[n-1] == last {
		result, _ = last.stmt.(*ast.ExprStmt)
	}
	if result != nil && !ck.isCall(result.X) {
		list := slices.Clone(chunk.Stmts)
		list[n-1] = &ast.AssignStmt{
			Lhs:    []ast.Expr{&ast.Ident{NamePos: result.Pos(), Name: "_"}},
			TokPos: result.Pos(),
			Tok:    token.ASSIGN,
			Rhs:    []ast.Expr{result.X},
		}
		body = &ast.BlockStmt{Lbrace: first, List: list, Rbrace: end}
	}
	signature := &ast.FuncType{Func: first, Params: &ast.FieldList{}}
	file := ck.file(&ast.FuncDecl{
		Name: &ast.Ident{NamePos: first, Name: "_"}, Type: signature, Body: body})
	before := len(ck.problems)
	chunk.Pkg, _ = ck.judge(file, items, nil, result)

	scope := ck.cell.Info.Scopes[signature]
	var vars []types.Object
	if scope != nil {
		for _, name := range scope.Names() {
			vars = append(vars, scope.Lookup(name))
		}
	}
	slices.SortFunc(vars, byPos)
	for _, v := range vars {
		ck.define(v)
	}
	found := slices.DeleteFunc(ck.problems[before:], func(p problem) bool {
		return p.soft && slices.ContainsFunc(vars, func(v types.Object) bool {
			return v.Pos() == p.pos // a variable that the cell does not use lives on
		})
	})
	ck.problems = ck.problems[:before+len(found)]
	if result != nil && !ck.cell.Info.Types[result.X].IsVoid() {
		ck.cell.Result = result
	}
	ck.cell.Chunks = append(ck.cell.Chunks, chunk)
}

// isCall reports whether expr can be a statement as it is, or is a conversion, whose type go/types
// records although it rejects it as a statement.
func (ck *checking) isCall(expr ast.Expr) bool {
	call, ok := ast.Unparen(expr).(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok || ck.scope.has(id.Name) {
		return true
	}
	switch id.Name { // builtin functions with a result, which may be an untyped constant
	case "append", "cap", "complex", "imag", "len", "make", "max", "min", "new", "real":
		return false
	}
	return true
}

// define makes obj known to the chunks that follow.
func (ck *checking) define(obj types.Object) {
	if obj == nil || obj.Name() == "_" {
		return
	}
	ck.scope.define(obj)
	delete(ck.later, obj.Name())
	ck.cell.Defs = append(ck.cell.Defs, obj)
	if v, ok := obj.(*types.Var); ok {
		ck.cell.Vars = append(ck.cell.Vars, v)
	}
}

// judge type-checks a chunk that is written as file, whose items define the given names on
// package level.
func (ck *checking) judge(file *ast.File, items []*item, defined map[string]bool,
	result *ast.ExprStmt) (pkg *types.Package, initOrder []*types.Initializer) {
	defer func() {
		if r := recover(); r != nil {
			ck.report(items[0].node(), kindUnsupported, "halfnote cannot check this code yet",
				fmt.Sprintf("go/types: %v", r))
		}
	}()
	pkg, initOrder, errs := ck.try(file, items, defined)
	if !ck.rough && ck.nameFields(file, pkg, errs) {
		pkg, initOrder, errs = ck.try(file, items, defined)
	}
	if ck.rough {
		return pkg, initOrder
	}
	for _, err := range errs {
		ck.typeError(err, pkg, file, result)
	}
	return pkg, initOrder
}

// mostErrors is how many errors of a chunk are looked into, each of which may take a walk through it.
// No more than maxDiagnostics are shown.
const mostErrors = 20 * maxDiagnostics

// try checks file once. The names that its items mention and that it does not define itself are
// looked up in what is known so far.
func (ck *checking) try(file *ast.File, items []*item, defined map[string]bool) (
	pkg *types.Package, initOrder []*types.Initializer, errs []types.Error) {
	pkg = types.NewPackage("main", "main")
	for _, it := range items {
		for name := range it.uses.all {
			if defined[name] || pkg.Scope().Lookup(name) != nil {
				continue
			}
			if obj := ck.scope.lookup(name, pkg); obj != nil {
				pkg.Scope().Insert(obj)
			}
		}
	}
	info := *ck.cell.Info
	config := ck.config(func(err error) {
		if len(errs) < mostErrors {
			errs = append(errs, err.(types.Error))
		}
	})
	// The first error is returned, too.
	_ = types.NewChecker(config, ck.fset, pkg, &info).Files([]*ast.File{file})
	return pkg, info.InitOrder, errs
}

// typeError notes an error of go/types in a chunk.
func (ck *checking) typeError(err types.Error, pkg *types.Package, file *ast.File,
	result *ast.ExprStmt) {
	if isNote(err) {
		ck.note(err)
		return
	}
	err.Msg = unreachable.ReplaceAllString(err.Msg, ")")
	if result != nil && result.Pos() <= err.Pos && err.Pos <= result.End() {
		if unused, of := isUnused(err); unused && of == types.ExprString(result.X) {
			return // the value is the cell's result
		}
		err.Msg = withoutAssignment(err.Msg)
	}
	if isImplicitField(err) && strings.Contains(err.Msg, "of type main.") {
		ck.problems = append(ck.problems, problem{
			pos: err.Pos, end: err.Pos, soft: true, kind: kindUnsupported,
			msg:  "halfnote cannot fill a struct of an earlier cell that has a blank field yet",
			help: "name the fields",
		})
		return
	}
	p := typeProblem(err)
	if !ck.memberProblem(&p, file) {
		p.help = ck.help(err, pkg, file)
	}
	if result != nil && err.Pos == result.Pos() {
		p.help = cmp.Or(ck.loneHelp(result.X), p.help)
	}
	same := func(q problem) bool { return q.msg == p.msg && q.help == p.help }
	if strings.HasPrefix(p.help, "package ") && slices.ContainsFunc(ck.problems, same) {
		return // to say it once is enough
	}
	ck.problems = append(ck.problems, p)
}
