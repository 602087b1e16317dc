package repl

// This file explains what is called, or which literal is written, around the cursor, and marks the
// parameter or field that comes next.

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"unicode/utf8"

	"halfnote/repl/check"
)

// around explains the innermost call or literal in whose brackets the cursor stands, or the call
// behind which it stands.
func (x *explainer) around() (p *page, ok bool) {
	for b := range x.cursor.brackets {
		x.sketch = x.sketcher.Next(x.cursor.src, b.part)
		if x.sketch == nil {
			continue
		}
		switch n := x.sketch.Enclosing(b.open).(type) {
		case *ast.CallExpr:
			return x.call(n, b.n)
		case *ast.CompositeLit:
			return x.literal(n, b)
		case *ast.IndexExpr:
			if obj := x.sketch.Denoted(n); obj != nil {
				return x.object(obj), true
			}
		case *ast.IndexListExpr:
			if obj := x.sketch.Denoted(n); obj != nil {
				return x.object(obj), true
			}
		}
	}
	return nil, false
}

// call explains what is called, and marks the parameter for argument n; -1 marks none.
func (x *explainer) call(call *ast.CallExpr, n int) (*page, bool) {
	obj := x.sketch.Denoted(call.Fun)
	sig, left := x.sketch.Signature(call, max(n, 0))
	if obj == nil && sig == nil {
		if tv := x.sketch.Info.Types[call.Fun]; tv.IsType() {
			return &page{declaration: check.TypeText(tv.Type), doc: "a conversion to the type"}, true
		}
		return nil, false
	}
	p := &page{}
	if obj != nil {
		p = x.object(obj)
		p.variable = nil
	}
	if sig != nil {
		p.declaration = called(obj, sig, left)
	}
	if _, isType := obj.(*types.TypeName); !isType && n >= 0 {
		p.declaration = markParameter(p.declaration, n)
	}
	return p, true
}

// called is the declaration of what has a signature in a call, where only some type parameters may
// be left.
func called(obj types.Object, sig *types.Signature, left []*types.TypeParam) string {
	head := "func"
	switch obj := obj.(type) {
	case *types.Func:
		head = strings.TrimSuffix(declaration(obj), paramText(obj.Signature()))
	case *types.Var:
		head = strings.TrimSuffix(declaration(obj), check.TypeText(obj.Type())) + "func"
	}
	if len(left) > 0 {
		head += typeParamText(left)
	}
	return head + plainParamText(sig)
}

// markParameter puts a caret below parameter n of a function's declaration. The last one takes what
// comes behind it if it is variadic.
func markParameter(declaration string, n int) string {
	open := parameters(declaration)
	if open < 0 {
		return declaration
	}
	from, depth, i := open+1, 0, 0
	last := from
	for off, r := range declaration[open+1:] {
		off += open + 1
		switch r {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth > 0 {
				break
			}
			if i == n {
				return underline(declaration, last, off)
			}
			i, last = i+1, off+len(", ")
		}
		if depth < 0 {
			variadic := strings.Contains(declaration[last:off], "...")
			if off > last && (i == n || i < n && variadic) {
				return underline(declaration, last, off)
			}
			break
		}
	}
	return declaration
}

// parameters returns the offset of the ( before the parameters of a declaration, or -1: behind the
// receiver and type parameters, of a variable behind the word func.
func parameters(declaration string) int {
	rest, off := declaration, 0
	if !strings.HasPrefix(rest, "func") {
		off = strings.Index(rest, " func(") + 1
	} else if strings.HasPrefix(rest, "func (") {
		off = closingBracket(rest, len("func ")) + 1
	}
	for off < len(rest) {
		switch rest[off] {
		case '(':
			return off
		case '[':
			off = closingBracket(rest, off)
		}
		off++
	}
	return -1
}

// closingBracket returns the offset of the bracket that closes the one at open.
func closingBracket(text string, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// underline puts a caret and tildes below a part of a line of text.
func underline(text string, from, to int) string {
	start := strings.LastIndexByte(text[:from], '\n') + 1
	pad := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, text[start:from])
	mark := pad + "^" + strings.Repeat("~", max(0, utf8.RuneCountInString(text[from:to])-1))
	if i := strings.IndexByte(text[to:], '\n'); i >= 0 {
		return text[:to+i+1] + mark + text[to+i:]
	}
	return text + "\n" + mark
}

// literal explains the type of a composite literal, and marks the field that is written.
func (x *explainer) literal(lit *ast.CompositeLit, b enclosing) (*page, bool) {
	t := x.sketch.Literal(lit)
	if t == nil {
		return nil, false
	}
	p := x.typePage(t)
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return p, true
	}
	field := x.cursor.keyAt(b.part)
	if field == "" && b.n > 0 && b.n < st.NumFields() && x.cursor.keyAt(b.open+1) == "" {
		field = st.Field(b.n).Name()
	}
	if i := strings.Index(p.declaration, "\n\t"+field+" "); i >= 0 && field != "" {
		p.declaration = underline(p.declaration, i+len("\n\t"), i+len("\n\t")+len(field))
	}
	return p, true
}

// typePage explains a type, which need not have a name.
func (x *explainer) typePage(t types.Type) *page {
	if named, ok := types.Unalias(t).(*types.Named); ok {
		p := x.object(named.Obj())
		if named.TypeArgs().Len() > 0 {
			p.declaration = x.members(named.Obj(), typeDeclaration(named.Obj(), named))
		}
		return p
	}
	return &page{declaration: check.TypeText(t)}
}

// before explains the expression in brackets that ends at the cursor: an instance of a generic
// function or type, or an element.
func (x *explainer) before() (*page, bool) {
	c := x.cursor
	x.sketch = x.sketcher.Next(c.src[:c.off]+"."+c.src[c.off:], c.off+1)
	if x.sketch == nil {
		return nil, false
	}
	e, ok := x.sketch.Selected()
	if !ok {
		return nil, false
	}
	tv := x.sketch.Info.Types[e]
	switch obj := x.sketch.Denoted(e).(type) {
	case *types.Func:
		p := x.object(obj)
		if sig, ok := tv.Type.(*types.Signature); ok && tv.IsValue() {
			p.declaration = called(obj, sig, nil)
		}
		return p, true
	case *types.TypeName:
		if tv.IsType() {
			return x.typePage(tv.Type), true
		}
		return x.object(obj), true
	}
	switch {
	case tv.IsType():
		return x.typePage(tv.Type), true
	case tv.IsValue():
		text := types.ExprString(e) + " " + check.TypeText(tv.Type)
		return &page{declaration: text}, true
	}
	return nil, false
}

// keyAt returns the field that is named at an offset, or "".
func (c *cursor) keyAt(off int) string {
	for i, t := range c.toks {
		if t.off < off {
			continue
		}
		if t.tok == token.IDENT && i+1 < len(c.toks) && c.toks[i+1].tok == token.COLON {
			return c.src[t.off:t.end]
		}
		break
	}
	return ""
}
