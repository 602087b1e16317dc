package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/format"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"runtime"
	"sort"
	"strings"
)

const src = `package p

import "fmt"

// Add adds.
func Add(a, b int) int { return a + b }

type T struct { X int; y string }

func (t *T) M() { fmt.Println(t.X) }
`

type visitor struct{ names *[]string }

func (v visitor) Visit(n ast.Node) ast.Visitor {
	if id, ok := n.(*ast.Ident); ok {
		*v.names = append(*v.names, id.Name)
	}
	return v
}

type checker struct{}

func (checker) ColorModel() color.Model { return color.GrayModel }
func (checker) Bounds() image.Rectangle { return image.Rect(0, 0, 4, 4) }
func (checker) At(x, y int) color.Color { return color.Gray{uint8(60 * ((x + y) % 2))} }

type codeError struct{ code int }

func (e *codeError) Error() string        { return fmt.Sprint("code ", e.code) }
func (e *codeError) Is(target error) bool { return target == os.ErrInvalid }

func main() {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments)
	fmt.Println(f.Name, len(f.Decls), err)
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			fmt.Println("func", d.Name, fset.Position(d.Pos()), strings.TrimSpace(d.Doc.Text()), d.Recv != nil)
		case *ast.GenDecl:
			fmt.Println(d.Tok, len(d.Specs))
		}
	}
	var names []string
	ast.Walk(visitor{&names}, f)
	sort.Strings(names)
	fmt.Println(names)
	ast.Inspect(f, func(n ast.Node) bool {
		if b, ok := n.(*ast.BinaryExpr); ok {
			b.Op = token.SUB
		}
		return true
	})
	for n := range ast.Preorder(f) {
		if l, ok := n.(*ast.BasicLit); ok {
			fmt.Println(l.Kind, l.Value)
		}
	}
	printer.Fprint(os.Stdout, fset, f.Decls[1])
	fmt.Println()
	out, err := format.Source([]byte("package  p\nfunc f ( ) {x:=1}"))
	fmt.Printf("%q %v\n", out, err)
	_, err = parser.ParseExpr("1 +")
	fmt.Println(err)
	e, _ := parser.ParseExpr("1<<70 + 2")
	tv, err := types.Eval(token.NewFileSet(), nil, token.NoPos, "1<<70 + 2")
	fmt.Println(tv.Value, err, e.Pos(), constant.BinaryOp(constant.MakeInt64(2), token.MUL, constant.MakeInt64(3)))
	f2, _ := parser.ParseFile(fset, "q.go", "package q\nfunc F() int { return \"x\" }", 0)
	var all []string
	conf := types.Config{Error: func(err error) { all = append(all, err.Error()) }}
	pkg, _ := conf.Check("q", fset, []*ast.File{f2}, nil)
	fmt.Println(pkg.Scope().Names(), all)

	img := image.NewRGBA(image.Rect(0, 0, 4, 4))
	draw.Draw(img, img.Bounds(), checker{}, image.Point{}, draw.Src)
	fmt.Println(img.At(1, 0), img.At(0, 0), img.Bounds().Dx(), img.SubImage(image.Rect(1, 1, 3, 3)).Bounds())
	var buf bytes.Buffer
	fmt.Println(png.Encode(&buf, checker{}), buf.Len() > 50)
	back, kind, err := image.Decode(&buf)
	fmt.Println(back.At(0, 1), kind, err, color.RGBAModel.Convert(color.Gray{60}))

	wrapped := fmt.Errorf("outer: %w", errors.Join(&codeError{3}, os.ErrExist))
	var ce *codeError
	fmt.Println(wrapped, errors.As(wrapped, &ce), ce.code, errors.Is(wrapped, os.ErrInvalid), errors.Is(wrapped, os.ErrExist))
	fmt.Println(errors.Unwrap(fmt.Errorf("a: %w", os.ErrClosed)) == os.ErrClosed, runtime.GOARCH != "", runtime.NumCPU() > 0)
}
