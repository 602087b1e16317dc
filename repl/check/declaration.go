package check

// This file finds where in the text of a cell a name is declared, and what is said about it there.

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// A Declaration is the text that declares a name in a cell.
type Declaration struct {
	Text string // the declaration or statement, without its comment
	Doc  string // the comment before it, or behind it on the line, without its slashes
}

// FindDeclaration returns the declaration of the name that stands at off in the cell src: a
// function, type, constant, variable or field, or what is defined by an assignment.
func FindDeclaration(src string, off int) (Declaration, bool) {
	toks, _, _ := scan(src)
	segments := split(toks)
	for i, seg := range segments {
		end := len(src)
		if i+1 < len(segments) {
			end = segments[i+1].start
		}
		if off < seg.start || off >= end {
			continue
		}
		prefix, suffix := seg.around()
		seg.start = commentsBefore(src, toks, seg.start)
		prefix += "\n" // what stands on the line of the prefix is no comment before a declaration
		text := prefix + src[seg.start:end] + suffix
		fset := token.NewFileSet()
		// What is wrong with the text does not matter here.
		tree, _ := parser.ParseFile(fset, "", text, parser.ParseComments|parser.AllErrors)
		f := finder{file: fset.File(tree.FileStart), tree: tree, text: text}
		f.pos = f.file.Pos(len(prefix) + off - seg.start)
		ast.Inspect(tree, f.visit)
		return f.found, f.found.Text != ""
	}
	return Declaration{}, false
}

// commentsBefore returns where the lines of comments begin that stand before the token at off.
func commentsBefore(src string, toks []tok, off int) int {
	last := 0
	for _, t := range toks {
		if t.end <= off && !t.auto {
			last = t.end
		}
	}
	if last == 0 {
		return 0
	}
	if i := strings.IndexByte(src[last:off], '\n'); i >= 0 {
		return last + i + 1
	}
	return off
}

// finder looks for the declaration of the identifier at pos.
type finder struct {
	file  *token.File
	tree  *ast.File
	text  string
	pos   token.Pos
	found Declaration
}

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if f.is(n.Name) {
			bare := *n
			bare.Doc = nil // it would count as the beginning
			f.take(&bare, n.Doc)
		}
	case *ast.GenDecl:
		bare := *n
		bare.Doc = nil
		for _, spec := range n.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if !f.is(s.Name) {
					continue
				}
				if n.Lparen.IsValid() {
					spec := *s
					spec.Doc = nil
					f.take(&spec, s.Doc, s.Comment)
					f.found.Text = "type " + f.found.Text
					continue
				}
				f.take(&bare, s.Doc, n.Doc, s.Comment)
			case *ast.ValueSpec:
				if f.is(s.Names...) {
					f.take(&bare, s.Doc, s.Comment, n.Doc)
				}
			}
		}
	case *ast.Field:
		if f.is(n.Names...) {
			bare := *n
			bare.Doc, bare.Comment = nil, nil
			f.take(&bare, n.Doc, n.Comment)
		}
	case *ast.AssignStmt:
		for _, lhs := range n.Lhs {
			if id, ok := lhs.(*ast.Ident); ok && f.is(id) {
				f.take(n, f.beside(n)...)
			}
		}
	case *ast.RangeStmt:
		for _, lhs := range []ast.Expr{n.Key, n.Value} {
			if id, ok := lhs.(*ast.Ident); ok && f.is(id) {
				head := *n
				head.Body = &ast.BlockStmt{Lbrace: n.X.End(), Rbrace: n.X.End() - 1}
				f.take(&head)
			}
		}
	}
	return n != nil
}

func (f *finder) is(names ...*ast.Ident) bool {
	for _, name := range names {
		if name.Pos() == f.pos {
			return true
		}
	}
	return false
}

// take notes the text of n and the first of the comments that is not empty.
func (f *finder) take(n ast.Node, comments ...*ast.CommentGroup) {
	start, end := f.file.Offset(n.Pos()), f.file.Offset(n.End())
	f.found = Declaration{Text: f.text[start:min(end, len(f.text))]}
	for _, c := range comments {
		if f.found.Doc == "" {
			f.found.Doc = c.Text()
		}
	}
}

// beside returns the comments on the line before n and at the end of its last line.
func (f *finder) beside(n ast.Node) []*ast.CommentGroup {
	var before, behind []*ast.CommentGroup
	first, last := f.line(n.Pos()), f.line(n.End())
	for _, c := range f.tree.Comments {
		switch {
		case c.End() < n.Pos() && f.line(c.End()) == first-1 && f.alone(c):
			before = append(before, c)
		case c.Pos() >= n.End() && f.line(c.Pos()) == last:
			behind = append(behind, c)
		}
	}
	return append(before, behind...)
}

// alone reports whether nothing stands before c on its line.
func (f *finder) alone(c *ast.CommentGroup) bool {
	line := f.file.Offset(f.file.LineStart(f.line(c.Pos())))
	return strings.TrimSpace(f.text[line:f.file.Offset(c.Pos())]) == ""
}

// line is a line of the text, whatever line comments say.
func (f *finder) line(pos token.Pos) int { return f.file.PositionFor(pos, false).Line }
