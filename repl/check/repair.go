package check

// This file makes of the text of an unfinished cell something that parses.

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// The ends that may be missing between an identifier and the brackets that are still open.
var repairs = []string{"", "()", " {}", " {}()", ":", " = 0", "; true {}", "; ; {}",
	" = range 0 {}"}

// repaired sketches the text head + name, where head may end in the middle of anything, with what
// tail declares from the offset from on.
func (s *Sketcher) repaired(head, name string, from int, src string) *Sketch {
	toks, _, _ := scan(head)
	inner, outer := closers(toks)
	decls := from + declarationsAfter(src[from:])
	after := len(src) + len(name) + len(inner) + len(outer) + 32
	ck := s.begin(after + len(src))

	var items []*item
	var imports []*ast.ImportSpec
	fewest := -1
	for _, repair := range repairs {
		text := head + name + inner + repair + outer
		toks, _, _ := scan(text)
		its, imps, wrong := rough(text, split(toks), ck.base())
		if id, _ := identAt(its, token.Pos(ck.base()+len(head))); id == nil {
			continue
		}
		if fewest < 0 || wrong < fewest {
			items, imports, fewest = its, imps, wrong
		}
		if wrong == 0 {
			break
		}
	}
	if fewest < 0 {
		return nil
	}
	toks, _, _ = scan(src[decls:])
	its, imps, _ := rough(src[decls:], split(toks), ck.base()+after)
	for _, it := range its {
		if it.decl != nil || it.vars != nil {
			items = append(items, it)
		}
	}
	sk := ck.sketch(items, append(imports, imps...), len(head))
	if sk != nil {
		sk.after, sk.decls = after, decls
	}
	return sk
}

// closers returns what closes the brackets that are open behind toks: first those within a
// statement, then the blocks and what lies around them.
func closers(toks []tok) (inner, outer string) {
	var open []int
	for i, t := range toks {
		switch t.tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			open = append(open, i)
		case token.RPAREN, token.RBRACK, token.RBRACE:
			for n := len(open) - 1; n >= 0; n-- {
				if closing(toks[open[n]].tok) == t.tok {
					open = open[:n]
					break
				}
			}
		}
	}
	block := false
	for _, i := range slices.Backward(open) {
		end := closing(toks[i].tok).String()
		if toks[i].tok == token.LBRACK && i > 0 && toks[i-1].tok == token.MAP {
			end += "int" // any element type
		}
		if toks[i].tok == token.LBRACE {
			block = true
			if started(toks[:i]) {
				end += "()"
			}
		}
		if block {
			outer += end
		} else {
			inner += end
		}
	}
	return inner, outer
}

// started reports whether toks end in go or defer and the head of a function literal, which is to
// be called then.
func started(toks []tok) bool {
	depth := 0
	for i := len(toks) - 1; i > 0; i-- {
		switch toks[i].tok {
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth++
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth--
		case token.SEMICOLON:
			if depth == 0 {
				return false
			}
		case token.FUNC:
			if depth == 0 {
				return toks[i-1].tok == token.GO || toks[i-1].tok == token.DEFER
			}
		}
		if depth < 0 {
			return false
		}
	}
	return false
}

// declarationsAfter returns the offset of the first line of text, its first line aside, that begins
// with a declaration, or its length.
func declarationsAfter(text string) int {
	off := strings.IndexByte(text, '\n') + 1
	if off == 0 {
		return len(text)
	}
	for line := range strings.Lines(text[off:]) {
		switch token.Lookup(line[:max(0, strings.IndexAny(line, " \t("))]) {
		case token.FUNC, token.TYPE, token.CONST, token.VAR, token.IMPORT:
			return off
		}
		off += len(line)
	}
	return len(text)
}

// rough parses the segments of text as well as that can be done. It counts the errors.
func rough(text string, segments []segment, base int) (items []*item, imports []*ast.ImportSpec,
	wrong int) {
	for i, seg := range segments {
		if seg.kind == token.PACKAGE && i == 0 {
			continue
		}
		nodes, bad := seg.roughly(text, base)
		wrong += bad
		for _, node := range nodes {
			switch n := node.(type) {
			case *ast.GenDecl:
				for _, spec := range n.Specs {
					if imp, ok := spec.(*ast.ImportSpec); ok {
						imports = append(imports, imp)
					}
				}
			case *ast.DeclStmt:
				if _, ok := n.Decl.(*ast.GenDecl); ok {
					items = append(items, newItem(n))
				}
			case *ast.FuncDecl, ast.Stmt:
				items = append(items, newItem(n))
			}
		}
	}
	return items, imports, wrong
}

// roughly parses a segment as well as that can be done, one statement by itself where there is a
// mistake among several. It counts those with errors.
func (s segment) roughly(text string, base int) (nodes []ast.Node, wrong int) {
	nodes, err := s.nodes(text, base, parser.AllErrors)
	switch {
	case err == nil:
		return nodes, 0
	case s.kind != token.ILLEGAL:
		return nodes, 1
	}
	all := nodes
	nodes = nil
	toks, _, _ := scan(text[s.start:s.end])
	one := segment{start: s.start}
	depth, count := 0, 0
	take := func(end int) {
		one.end = end
		if strings.TrimSpace(text[one.start:end]) != "" {
			count++
			found, err := one.nodes(text, base, parser.AllErrors)
			nodes = append(nodes, found...)
			if err != nil {
				wrong++
			}
		}
		one.start = end
	}
	for _, t := range toks {
		switch t.tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth = max(0, depth-1)
		case token.SEMICOLON:
			if depth == 0 {
				take(s.start + t.end)
			}
		}
	}
	take(s.end)
	if count < 2 {
		return all, 1
	}
	return nodes, wrong
}

// communicate makes a send of what a case of a select begins with, where nothing follows yet: go/types
// looks at no other expressions there.
func communicate(path []ast.Node) {
	for _, n := range path {
		clause, ok := n.(*ast.CommClause)
		if !ok {
			continue
		}
		comm, ok := clause.Comm.(*ast.ExprStmt)
		if !ok {
			continue
		}
		if recv, ok := ast.Unparen(comm.X).(*ast.UnaryExpr); ok && recv.Op == token.ARROW {
			continue
		}
		value := &ast.BasicLit{ValuePos: comm.End(), Kind: token.INT, Value: "0"}
		clause.Comm = &ast.SendStmt{Chan: comm.X, Arrow: comm.End(), Value: value}
	}
}
