package random

import (
	"cmp"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Shrink makes a program smaller as long as differ holds for it: it leaves out declarations and
// statements, and puts parts in the place of the whole. differ is asked for several programs at
// once, all of which go/types accepts.
func Shrink(src string, imp types.Importer, differ func([]string) []bool) string {
	for {
		edits := edits(src, imp)
		next := src
		for len(edits) > 0 && next == src {
			n := min(len(edits), shrinkBatch)
			next = shrinkBy(src, edits[:n], imp, differ)
			edits = edits[n:]
		}
		if next == src {
			return src
		}
		src = next
	}
}

// shrinkBatch is how many programs differ is asked for at once.
const shrinkBatch = 24

// shrinkBy returns src after those of the edits that keep the difference, as many together as
// possible; src itself if there is none.
func shrinkBy(src string, edits []edit, imp types.Importer, differ func([]string) []bool) string {
	var good []edit
	programs := make([]string, len(edits))
	for i, e := range edits {
		programs[i], _ = apply(src, []edit{e}, imp)
	}
	for i, differs := range differ(programs) {
		if differs {
			good = append(good, edits[i])
		}
	}
	for n := len(good); n > 0; n /= 2 {
		text, ok := apply(src, apart(good[:n]), imp)
		if ok && differ([]string{text})[0] {
			return text
		}
	}
	return src
}

// apart leaves out edits that overlap earlier ones.
func apart(edits []edit) []edit {
	var list []edit
	for _, e := range edits {
		if !slices.ContainsFunc(list, func(o edit) bool { return e.start < o.end && o.start < e.end }) {
			list = append(list, e)
		}
	}
	return list
}

// An edit puts text in the place of a part of the source.
type edit struct {
	start, end int
	text       string
}

// apply returns src after edits that do not overlap, and whether it is legal then.
func apply(src string, edits []edit, imp types.Importer) (string, bool) {
	edits = slices.Clone(edits)
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(b.start, a.start) })
	for _, e := range edits {
		src = src[:e.start] + e.text + src[e.end:]
	}
	src = withoutImports(src)
	text, err := format.Source([]byte(src))
	if err != nil {
		return "", false
	}
	_, _, err = checked(string(text), imp)
	return string(text), err == nil
}

// checked parses and type-checks a program.
func checked(src string, imp types.Importer) (*ast.File, *types.Info, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, nil, err
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	conf := types.Config{Importer: imp}
	_, err = conf.Check("main", fset, []*ast.File{file}, info)
	return file, info, err
}

// withoutImports leaves out the imports that nothing uses.
func withoutImports(src string) string {
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", src, parser.SkipObjectResolution)
	if err != nil {
		return src
	}
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	for _, spec := range slices.Backward(file.Imports) {
		if !used[strings.Trim(spec.Path.Value, `"`)] {
			src = src[:spec.Pos()-1] + src[spec.End()-1:]
		}
	}
	return src
}

// edits lists the single edits that leave a legal program, the largest first.
func edits(src string, imp types.Importer) []edit {
	file, info, err := checked(src, imp)
	if err != nil {
		return nil
	}
	var list []edit
	add := func(from, to ast.Node, text string) {
		list = append(list, edit{int(from.Pos()) - 1, int(to.End()) - 1, text})
	}
	text := func(n ast.Node) string { return src[n.Pos()-1 : n.End()-1] }
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); !ok || f.Name.Name != "main" {
			add(d, d, "")
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			removals(n.List, add)
		case *ast.CaseClause:
			removals(n.Body, add)
		case *ast.CommClause:
			removals(n.Body, add)
		case *ast.IfStmt:
			add(n, n, text(n.Body))
			if n.Else != nil {
				add(n, n, text(n.Else))
			}
		case *ast.ForStmt:
			add(n, n, text(n.Body))
		case *ast.LabeledStmt:
			add(n, n, text(n.Stmt))
		case *ast.CommentGroup:
			add(n, n, "")
		case *ast.FieldList:
			for _, f := range n.List {
				if n.Opening.IsValid() {
					add(f, f, "")
				}
			}
		case *ast.CompositeLit:
			for _, e := range n.Elts {
				list = append(list, edit{int(e.Pos()) - 1, behindComma(src, int(e.End())-1), ""})
			}
		case *ast.CallExpr:
			for i, e := range n.Args {
				if i == len(n.Args)-1 && i > 0 {
					list = append(list, edit{int(n.Args[i-1].End()) - 1, int(e.End()) - 1, ""})
				}
			}
		case *ast.GenDecl:
			for _, s := range n.Specs {
				if n.Lparen.IsValid() {
					add(s, s, "")
				}
			}
		case ast.Expr:
			parts(n, info, func(part ast.Expr) { add(n, n, text(part)) })
		}
		return true
	})
	slices.SortStableFunc(list, func(a, b edit) int {
		return cmp.Compare(b.end-b.start-len(b.text), a.end-a.start-len(a.text))
	})
	return slices.DeleteFunc(list, func(e edit) bool {
		_, ok := apply(src, []edit{e}, imp)
		return !ok
	})
}

// behindComma returns the offset behind a comma that follows off.
func behindComma(src string, off int) int {
	if off < len(src) && src[off] == ',' {
		return off + 1
	}
	return off
}

// removals adds the removal of runs of statements.
func removals(body []ast.Stmt, add func(from, to ast.Node, text string)) {
	for size := len(body); size > 0; size /= 2 {
		for i := 0; i+size <= len(body); i += size {
			add(body[i], body[i+size-1], "")
		}
	}
	for i := range max(0, len(body)-1) {
		add(body[i], body[i+1], "")
	}
}

// parts calls found with the operands of n that have its type.
func parts(n ast.Expr, info *types.Info, found func(ast.Expr)) {
	t := info.Types[n]
	if !t.IsValue() {
		return
	}
	ast.Inspect(n, func(m ast.Node) bool {
		part, ok := m.(ast.Expr)
		if !ok || part == n {
			return m == n
		}
		if p := info.Types[part]; p.IsValue() && types.Identical(p.Type, t.Type) {
			found(part)
		}
		return false
	})
}
