package repl

// This file implements help on what stands at a place in a cell. Like completion it looks at text
// and types only; values show themselves by compiled methods, never by those of cells.

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"halfnote/repl/check"
	"halfnote/repl/display"
	"halfnote/repl/symbols"
)

// Inspect tells about what stands in the cell src at the byte offset off, or before it: how it is
// declared, what its comment says and where it comes from, and for a variable of the session its
// value. Within the parentheses of a call, where nothing else stands, that is the function called.
// A detail of 1 adds the source text. It may be called while a cell runs; values are left out then.
func (s *Session) Inspect(src string, off, detail int) (display.Bundle, bool) {
	if s.mu.TryLock() {
		defer s.mu.Unlock()
		return s.inspect(src, off, detail, true)
	}
	return s.inspect(src, off, detail, false)
}

// inspect is Inspect; values may be read only if the caller holds mu.
func (s *Session) inspect(src string, off, detail int, values bool) (display.Bundle, bool) {
	p, ok := s.explain(newCursor(src, off), detail > 0)
	if !ok {
		return display.Bundle{}, false
	}
	if values && p.variable != nil {
		s.addValue(p)
	}
	return p.bundle(), true
}

// explain makes the page for what stands at a cursor, but for its value.
func (s *Session) explain(c *cursor, detail bool) (*page, bool) {
	s.known.Lock()
	defer s.known.Unlock()
	x := &explainer{Session: s, cursor: c, detail: detail}
	p, ok := x.place()
	if ok {
		p.parse() // looks names up
	}
	return p, ok
}

// place explains what stands at the cursor.
func (x *explainer) place() (*page, bool) {
	c := x.cursor
	switch {
	case c.kind == inPath:
		return x.path(c.src[c.start:c.end])
	case c.kind == inCommand:
		return commandPage(c.line)
	case c.kind == inCode && c.start < c.end:
		if p, ok := x.word(c.start, c.end); ok {
			return p, true
		}
		return x.around()
	case c.kind == inCode && c.before() == token.RBRACK && c.toks[c.index-1].end == c.off:
		if p, ok := x.before(); ok {
			return p, true
		}
	}
	if p, ok := x.around(); ok {
		return p, true
	}
	if i := c.index - 1; c.kind == inCode && i >= 0 && c.toks[i].tok == token.IDENT &&
		strings.TrimSpace(c.src[c.toks[i].end:c.off]) == "" &&
		!strings.Contains(c.src[c.toks[i].end:c.off], "\n") {
		return x.word(c.toks[i].off, c.toks[i].end)
	}
	return nil, false
}

// commandPage explains the command on a line.
func commandPage(line string) (*page, bool) {
	word, _, _ := strings.Cut(strings.TrimLeft(strings.TrimSpace(line), "?%"), " ")
	cmd := findCommand(strings.TrimRight(word, "?"))
	if cmd == nil {
		return nil, false
	}
	return &page{declaration: "%" + strings.TrimSpace(cmd.names[0]+" "+cmd.args), doc: cmd.help}, true
}

// explainer is the state of explaining one thing.
type explainer struct {
	*Session
	cursor *cursor
	detail bool
	sketch *check.Sketch
}

// word explains an identifier or keyword of the cell.
func (x *explainer) word(start, end int) (*page, bool) {
	name := x.cursor.src[start:end]
	if w, ok := keywords[name]; ok {
		return &page{declaration: w.signature, doc: w.doc, origin: "a keyword of Go"}, true
	}
	var obj types.Object
	if x.sketch = x.sketcher.Inspect(x.cursor.src, start, end); x.sketch != nil {
		obj = x.sketch.Object()
	}
	switch {
	case obj != nil:
		return x.object(obj), true
	case x.sketch != nil:
		if owner, ok := x.sketch.Selected(); ok {
			return x.member(owner, name)
		}
	}
	if paths := symbols.ByName(name); len(paths) > 0 {
		return x.path(paths[0])
	}
	if live := x.checker.Lookup(name); live != nil {
		return x.object(live), true
	}
	return nil, false
}

// member explains a field, or a method of a pointer's, of a type or a value that has no address: Go
// has no T.Field, but people ask for it.
func (x *explainer) member(owner ast.Expr, name string) (*page, bool) {
	t := x.sketch.Info.Types[owner].Type
	if generic, ok := x.sketch.Denoted(owner).(*types.TypeName); ok {
		t = generic.Type() // the expression has none where type arguments lack
	}
	if t == nil {
		return nil, false
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, x.sketch.Pkg, name)
	if obj == nil || !check.Usable(obj) {
		return nil, false
	}
	return x.object(obj), true
}

// path explains a package.
func (x *explainer) path(path string) (*page, bool) {
	pkg, err := x.sketcher.Import(path)
	if err != nil {
		return nil, false
	}
	return x.packagePage(pkg), true
}

func (x *explainer) packagePage(pkg *types.Package) *page {
	doc, _ := x.docs.Package(pkg.Path())
	if x.detail {
		doc += exports(pkg)
	}
	return &page{declaration: packageDeclaration(pkg), doc: doc, names: pkg.Scope()}
}

// object explains what a name denotes.
func (x *explainer) object(obj types.Object) *page {
	if name, ok := obj.(*types.PkgName); ok {
		return x.packagePage(name.Imported())
	}
	p := &page{declaration: declaration(obj)}
	switch {
	case obj.Pkg() == nil:
		x.ofGo(obj, p)
	case check.IsCells(obj.Pkg()):
		x.ofCell(obj, p)
	default:
		x.ofPackage(obj, p)
	}
	return p
}

// ofGo is for what Go itself declares.
func (x *explainer) ofGo(obj types.Object, p *page) {
	p.origin = "built into Go"
	p.doc = universe[obj.Name()]
	if w, ok := builtins[obj.Name()]; ok {
		p.doc = w.doc
	}
	if obj.Name() == "Error" {
		p.doc = "Error returns the text of the error."
	}
}

// ofCell is for what cells declare.
func (x *explainer) ofCell(obj types.Object, p *page) {
	v, isVar := obj.(*types.Var)
	live := x.checker.Lookup(obj.Name())
	if isVar && live != nil && !v.IsField() {
		same := x.sketch != nil && x.sketch.AtTop(obj) && types.Identical(live.Type(), obj.Type())
		if old, ok := live.(*types.Var); ok && (live == obj || same) {
			p.variable = old
		}
	}
	if t, ok := obj.(*types.TypeName); ok {
		p.declaration = x.members(t, p.declaration)
	}
	text, name, off := x.text(obj)
	if off < 0 {
		if n, ok := strings.CutPrefix(obj.Name(), "_"); ok {
			p.origin = "the result of cell " + n
		}
		return
	}
	line := 1 + strings.Count(text[:off], "\n")
	p.origin = fmt.Sprintf("%s:%d", name, line)
	if d, ok := check.FindDeclaration(text, off); ok {
		p.doc, p.names = d.Doc, x.checker
		if x.detail {
			p.source = d.Text
		}
	}
}

// text returns the text of the cell that declares obj, the cell's name, and where in it the name
// stands, or -1.
func (x *explainer) text(obj types.Object) (text, name string, off int) {
	if !obj.Pos().IsValid() {
		return "", "", -1
	}
	if x.sketch != nil {
		if off := x.sketch.Offset(obj.Pos()); off >= 0 {
			return x.cursor.src, "this cell", min(off, len(x.cursor.src))
		}
	}
	pos := x.machine.fileSet().Position(obj.Pos())
	stored, _ := x.sources.Load(pos.Filename)
	text, _ = stored.(string)
	if pos.Offset > len(text) || text == "" {
		return "", "", -1
	}
	return text, pos.Filename, pos.Offset
}

// ofPackage is for what a compiled package declares.
func (x *explainer) ofPackage(obj types.Object, p *page) {
	p.origin = fmt.Sprintf("package %q", obj.Pkg().Path())
	if t, ok := obj.(*types.TypeName); ok {
		p.declaration = x.members(t, p.declaration)
	}
	name := docName(obj)
	entry, _ := x.docs.Find(obj.Pkg().Path(), name)
	if owner, _, isMember := strings.Cut(name, "."); isMember && entry.Doc == "" && ofInterface(obj) {
		of, _ := x.docs.Find(obj.Pkg().Path(), owner)
		entry.Doc = of.Doc // which often speaks of its only method
	}
	if _, ok := obj.(*types.Builtin); ok && entry.Doc == "" {
		entry.Doc = builtins[obj.Name()].doc
	}
	p.doc, p.names = entry.Doc, obj.Pkg().Scope()
	if x.detail {
		p.source = entry.Source
	}
}

// ofInterface reports whether obj is a method that an interface asks for.
func ofInterface(obj types.Object) bool {
	f, ok := obj.(*types.Func)
	return ok && f.Signature().Recv() != nil && types.IsInterface(f.Signature().Recv().Type())
}

// docOf returns the comment of a field, method or other object.
func (x *explainer) docOf(obj types.Object) string {
	if !check.IsCells(obj.Pkg()) {
		entry, _ := x.docs.Find(obj.Pkg().Path(), docName(obj))
		return entry.Doc
	}
	if text, _, off := x.text(obj); off >= 0 {
		d, _ := check.FindDeclaration(text, off)
		return d.Doc
	}
	return ""
}

// docName is the name of an object of a package among the comments of the package.
func docName(obj types.Object) string {
	switch obj := obj.(type) {
	case *types.Func:
		if recv := obj.Signature().Recv(); recv != nil {
			t := recv.Type()
			if p, ok := t.(*types.Pointer); ok {
				t = p.Elem()
			}
			if named, ok := types.Unalias(t).(*types.Named); ok {
				return named.Obj().Name() + "." + obj.Name()
			}
		}
	case *types.Var:
		if obj.IsField() {
			return ownerName(obj) + "." + obj.Name()
		}
	}
	return obj.Name()
}

// ownerName is the name of the type whose struct has a field.
func ownerName(field *types.Var) string {
	scope := field.Pkg().Scope()
	for _, name := range scope.Names() {
		t, ok := scope.Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		if st, ok := t.Type().Underlying().(*types.Struct); ok {
			for f := range st.Fields() {
				if f == field.Origin() {
					return name
				}
			}
		}
	}
	return ""
}
