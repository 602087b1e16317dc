package random

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
)

// Mutate puts other expressions, types and statements of a program in the place of some of its own.
// What comes out parses most often, and is sometimes legal in ways that nobody would write. A text
// that does not parse stays as it is.
func Mutate(src string, seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 3))
	for range 1 + r.IntN(3) {
		file, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
		if err != nil {
			return src
		}
		var exprs, stmts []ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.BlockStmt, *ast.KeyValueExpr, *ast.Ellipsis:
			case ast.Expr:
				exprs = append(exprs, n)
			case ast.Stmt:
				stmts = append(stmts, n)
			}
			return true
		})
		nodes := exprs
		if len(stmts) > 0 && r.IntN(3) == 0 {
			nodes = stmts
		}
		if len(nodes) == 0 {
			return src
		}
		from, to := nodes[r.IntN(len(nodes))], nodes[r.IntN(len(nodes))]
		src = src[:to.Pos()-1] + src[from.Pos()-1:from.End()-1] + src[to.End()-1:]
	}
	return src
}
