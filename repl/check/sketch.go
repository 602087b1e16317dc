package check

// This file checks cells that are still being written, as well as that can be done, to find out
// what an identifier in them means or could become.

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A Sketcher checks unfinished cells against what a Checker knows, which it does not change. Like
// the Checker, it is not safe for concurrent use.
type Sketcher struct {
	checker *Checker
	imp     types.Importer
}

// NewSketcher returns a Sketcher. Packages that no cell has imported yet come from imp, which no
// other checker may use: to import adds to packages that are known in part, and values of these are
// in use by cells that run.
func NewSketcher(c *Checker, imp types.Importer) *Sketcher { return &Sketcher{c, imp} }

// Import returns a package, the one that cells use if they have imported it.
func (s *Sketcher) Import(path string) (*types.Package, error) {
	if pkg := s.checker.imp.imported(path); pkg != nil {
		return pkg, nil
	}
	return s.imp.Import(path)
}

// A Sketch is what is known about the surroundings of an identifier.
type Sketch struct {
	// Ident is the identifier, Path what encloses it, outermost first, itself excluded.
	Ident *ast.Ident
	Path  []ast.Node
	// Info is what go/types found out; it can lack anything.
	Info *types.Info
	// Pkg is the package of the chunk; its scopes have the names that are local there.
	Pkg *types.Package

	names *names
	base  int
	after int // where the text behind the cursor begins in positions, if it was moved there
	decls int // and in the text
}

// placeholder is the name that stands where one is still to be written. It is exported, since cells
// import packages automatically for exported names only.
const placeholder = "HalfnoteCursor"

// Complete sketches the cell src with a name that is to be written in place of src[start:end]. What
// follows counts only as far as it declares something, or belongs to the same statement. The sketch
// is nil if nothing can be made of the text.
func (s *Sketcher) Complete(src string, start, end int) *Sketch {
	text := src[:start] + placeholder + src[end:]
	ck := s.begin(len(text))
	toks, _, _ := scan(text)
	items, imports, wrong := rough(text, split(toks), ck.base())
	if wrong > 0 {
		return s.Next(src, start)
	}
	pos := token.Pos(ck.base() + start)
	items = slices.DeleteFunc(items, func(it *item) bool {
		return it.node().Pos() > pos && it.decl == nil && it.vars == nil
	})
	sk := ck.sketch(items, imports, start)
	if sk != nil {
		sk.after, sk.decls = start+len(placeholder), end
	}
	return sk
}

// Next sketches the cell src with a name that is to be written at start, whatever follows on its
// line.
func (s *Sketcher) Next(src string, start int) *Sketch {
	return s.repaired(src[:start], placeholder, start, src)
}

// Inspect sketches the cell src around its identifier src[start:end]. The sketch is nil if nothing
// can be made of the text.
func (s *Sketcher) Inspect(src string, start, end int) *Sketch {
	whole := s.begin(len(src))
	toks, _, _ := scan(src)
	items, imports, _ := rough(src, split(toks), whole.base())
	if sk := whole.sketch(items, imports, start); sk != nil && sk.Object() != nil {
		return sk
	}
	return s.repaired(src[:start], src[start:end], end, src)
}

// begin starts a sketch of a text of that length. Its positions lie behind those of all cells: to
// go/types a variable is not defined before its position.
func (s *Sketcher) begin(size int) *checking {
	c := *s.checker
	c.fset = token.NewFileSet()
	c.fset.AddFile("", -1, s.checker.fset.Base())
	c.imp = &remembering{Importer: s, known: map[string]*types.Package{}}
	c.context = types.NewContext() // the session's would keep the instances of all sketches
	ck := c.begin("this cell", strings.Repeat(" ", size))
	ck.rough = true
	return ck
}

func (ck *checking) base() int { return ck.src.file.Base() }

// sketch checks the items and finds out about the identifier at off.
func (ck *checking) sketch(items []*item, imports []*ast.ImportSpec, off int) (sk *Sketch) {
	defer func() {
		// Syntax trees of unfinished text have holes that go/types does not always expect.
		if recover() != nil {
			sk = nil
		}
	}()
	pos := token.Pos(ck.base() + off)
	ident, path := identAt(items, pos)
	if ident == nil {
		return nil
	}
	communicate(path)
	items = ck.extend(items)
	find(items)
	ck.imports(imports, items)
	sk = &Sketch{Ident: ident, Path: path, Info: ck.cell.Info, names: ck.scope, base: ck.base()}
	last := items[len(items)-1]
	for _, p := range arrange(items, ck.known(items)) {
		if p.decls {
			ck.declarations(p.items)
		} else {
			ck.statements(p.items, last)
		}
		if id, _ := identAt(p.items, pos); id != nil {
			sk.Pkg = ck.cell.Chunks[len(ck.cell.Chunks)-1].Pkg
		}
	}
	if sk.Pkg == nil {
		return nil
	}
	return sk
}

// identAt returns the identifier at pos and what encloses it.
func identAt(items []*item, pos token.Pos) (ident *ast.Ident, path []ast.Node) {
	for _, it := range items {
		if it.node().Pos() > pos || it.node().End() < pos {
			continue
		}
		var stack []ast.Node
		ast.Inspect(it.node(), func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			if id, ok := n.(*ast.Ident); ok && id.Pos() == pos && ident == nil {
				ident, path = id, slices.Clone(stack)
			}
			stack = append(stack, n)
			return true
		})
	}
	return ident, path
}

// Parent returns the node that encloses the identifier n levels up; 0 is the innermost.
func (sk *Sketch) Parent(n int) ast.Node {
	if n >= len(sk.Path) {
		return nil
	}
	return sk.Path[len(sk.Path)-1-n]
}

// Selected returns X if the identifier is the Sel of a selector X.Sel.
func (sk *Sketch) Selected() (x ast.Expr, ok bool) {
	sel, ok := sk.Parent(0).(*ast.SelectorExpr)
	if !ok || sel.Sel != sk.Ident {
		return nil, false
	}
	return sel.X, true
}

// Package returns the package that x denotes, or nil.
func (sk *Sketch) Package(x ast.Expr) *types.Package {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return nil
	}
	if name, ok := sk.Info.Uses[id].(*types.PkgName); ok {
		return name.Imported()
	}
	return nil
}

// Object returns what the identifier denotes, or nil.
func (sk *Sketch) Object() types.Object {
	if sel, ok := sk.Parent(0).(*ast.SelectorExpr); ok && sel.Sel == sk.Ident {
		if s := sk.Info.Selections[sel]; s != nil {
			return s.Obj()
		}
	}
	if obj := sk.Info.Uses[sk.Ident]; obj != nil {
		return obj
	}
	if obj := sk.Info.Defs[sk.Ident]; obj != nil {
		return obj
	}
	if st, _ := sk.Struct(); st != nil {
		for f := range st.Fields() {
			if f.Name() == sk.Ident.Name {
				return f
			}
		}
	}
	return nil
}

// Struct returns the struct type of the composite literal in which the identifier stands as a key
// or where a key may stand, and the literal; nil if it stands elsewhere.
func (sk *Sketch) Struct() (*types.Struct, *ast.CompositeLit) {
	level := 0
	if kv, isPair := sk.Parent(0).(*ast.KeyValueExpr); isPair && kv.Key == sk.Ident {
		level = 1
	}
	lit, ok := sk.Parent(level).(*ast.CompositeLit)
	if !ok || lit.Type == sk.Ident {
		return nil, nil
	}
	st, _ := underlying(sk.literalType(level)).(*types.Struct)
	return st, lit
}

// Declares reports whether the identifier is a name that is given here, and so cannot be a known
// one.
func (sk *Sketch) Declares() bool {
	is := func(id *ast.Ident) bool { return id == sk.Ident }
	switch n := sk.Parent(0).(type) {
	case *ast.FuncDecl:
		return is(n.Name)
	case *ast.TypeSpec:
		return is(n.Name)
	case *ast.ValueSpec:
		return slices.ContainsFunc(n.Names, is)
	case *ast.Field:
		return slices.ContainsFunc(n.Names, is)
	case *ast.LabeledStmt:
		return is(n.Label)
	}
	return false
}

// WantsType reports whether only a type can stand where the identifier does.
func (sk *Sketch) WantsType() bool {
	var node ast.Expr = sk.Ident
	for i := range sk.Path {
		switch n := sk.Parent(i).(type) {
		case *ast.SelectorExpr:
			if n.Sel != node {
				return false
			}
			node = n
		case *ast.StarExpr:
			node = n
		case *ast.Ellipsis, *ast.MapType, *ast.ChanType:
			return true
		case *ast.ArrayType:
			return n.Elt == node
		case *ast.Field:
			return n.Type == node
		case *ast.ValueSpec:
			return n.Type == node
		case *ast.TypeSpec:
			return n.Type == node
		case *ast.IndexExpr:
			return n.Index == node && isGeneric(sk.Denoted(n.X))
		case *ast.IndexListExpr:
			return n.X != node
		case *ast.CallExpr:
			return len(n.Args) > 0 && n.Args[0] == node && sk.makes(n)
		case *ast.TypeAssertExpr:
			return n.Type == node
		case *ast.CaseClause:
			_, ok := sk.Parent(i + 2).(*ast.TypeSwitchStmt)
			return ok && slices.Contains(n.List, node)
		default:
			return false
		}
	}
	return false
}

// makes reports whether a call is one of Go's function make.
func (sk *Sketch) makes(call *ast.CallExpr) bool {
	b, ok := sk.Denoted(call.Fun).(*types.Builtin)
	return ok && b.Name() == "make"
}

// IsStatement reports whether a statement begins with the identifier.
func (sk *Sketch) IsStatement() bool {
	stmt, ok := sk.Parent(0).(*ast.ExprStmt)
	return ok && stmt.X == sk.Ident
}

// Visible calls yield for each name that can be written where the identifier stands, an inner one
// hiding outer ones, but for those that Go declares itself. Local are those of functions and of the
// run of statements around it.
func (sk *Sketch) Visible(yield func(obj types.Object, local bool)) {
	seen := map[string]bool{placeholder: true, "_": true, "": true}
	pos := sk.Ident.Pos()
	for s := sk.Pkg.Scope().Innermost(pos); s != nil && s != sk.Pkg.Scope(); s = s.Parent() {
		for _, name := range s.Names() {
			if seen[name] {
				continue
			}
			if _, obj := s.LookupParent(name, pos); obj != nil && obj == s.Lookup(name) {
				seen[name] = true
				yield(obj, true)
			}
		}
	}
	for name := range sk.names.all {
		if seen[name] {
			continue
		}
		seen[name] = true
		obj := sk.names.lookup(name, sk.Pkg)
		if obj != nil && sk.isDefining(obj) { // what the name meant before
			obj = sk.names.outer.lookup(name, sk.Pkg)
		}
		if obj != nil {
			yield(obj, false)
		}
	}
	for s := sk.names; s != nil; s = s.outer {
		for _, dot := range slices.Backward(s.dots) {
			for _, name := range dot.Scope().Names() {
				if obj := dot.Scope().Lookup(name); obj.Exported() && !seen[name] {
					seen[name] = true
					yield(obj, false)
				}
			}
		}
	}
}

// isDefining reports whether obj is defined by the value that the identifier is part of.
func (sk *Sketch) isDefining(obj types.Object) bool {
	is := func(x ast.Expr) bool {
		id, ok := x.(*ast.Ident)
		return ok && sk.Info.Defs[id] == obj
	}
	for _, n := range sk.Path {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if slices.ContainsFunc(n.Lhs, is) {
				return true
			}
		case *ast.ValueSpec:
			if slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return is(id) }) {
				return true
			}
		}
	}
	return false
}

// IsAutomatic reports whether name is not bound to a package by an import that a cell has written,
// so that another package of that name may be meant.
func (sk *Sketch) IsAutomatic(name string) bool {
	imp := sk.names.importOf(name)
	return imp == nil || imp.auto
}

// Offset returns the offset of pos in the text, or -1 if it belongs to an earlier cell.
func (sk *Sketch) Offset(pos token.Pos) int {
	off := int(pos) - sk.base
	switch {
	case off < 0:
		return -1
	case sk.after > 0 && off >= sk.after:
		return off - sk.after + sk.decls
	}
	return off
}

// AtTop reports whether the cell itself defines obj, and it will be a name of the session.
func (sk *Sketch) AtTop(obj types.Object) bool { return sk.names.objects[obj.Name()].obj == obj }
