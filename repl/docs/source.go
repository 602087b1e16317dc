package docs

// This file reads comments from Go source.

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Entry is what the source says about a name.
type Entry struct {
	Doc    string `json:",omitempty"` // the comment, without its slashes
	Source string `json:",omitempty"` // the declaration as it is written; fields have none
}

// sourceFiles lists the Go files in dir, without tests and what is for other systems.
func sourceFiles(dir string) ([]string, error) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, entry := range list {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if ok, err := build.Default.MatchFile(dir, name); err == nil && ok {
			files = append(files, filepath.Join(dir, name))
		}
	}
	return files, nil
}

// packageDoc returns the comment of the package: that of doc.go, or the first.
func packageDoc(files []string) (string, error) {
	doc := ""
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil,
			parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return "", err
		}
		text := tree.Doc.Text()
		if text != "" && (doc == "" || filepath.Base(file) == "doc.go") {
			doc = text
		}
	}
	return doc, nil
}

// declares returns a pattern that finds files that may declare name, which is that of an object or
// of a type and its field or method: to parse a large package takes long.
func declares(name string) *regexp.Regexp {
	owner, member, ok := strings.Cut(name, ".")
	quoted := regexp.QuoteMeta(owner)
	alone := `^(type|var|const|func) (\w+, )*` + quoted + `\b|^\t(\w+, )*` + quoted + `\b`
	if !ok {
		return regexp.MustCompile(`(?m)` + alone)
	}
	return regexp.MustCompile(`(?m)` + alone + `|^func \([^)]*\b` + quoted + `\b[^)]*\) ` +
		regexp.QuoteMeta(member) + `\b`)
}

// entriesOf returns what the text of a file says about exported names.
func entriesOf(file string, text []byte) (map[string]Entry, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, text,
		parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	x := extractor{fset.File(tree.FileStart), text, map[string]Entry{}}
	for _, decl := range tree.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			x.function(d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				x.spec(d, spec)
			}
		}
	}
	return x.found, nil
}

// extractor collects the entries of a file.
type extractor struct {
	file  *token.File
	text  []byte
	found map[string]Entry
}

func (x *extractor) source(n ast.Node) string {
	return string(x.text[x.file.Offset(n.Pos()):x.file.Offset(n.End())])
}

// add notes the first of the comments that is not empty.
func (x *extractor) add(name, source string, comments ...*ast.CommentGroup) {
	e := Entry{Source: source}
	for _, c := range comments {
		if e.Doc == "" {
			e.Doc = c.Text()
		}
	}
	x.found[name] = e
}

func (x *extractor) function(d *ast.FuncDecl) {
	if !d.Name.IsExported() {
		return
	}
	name := d.Name.Name
	if d.Recv != nil && len(d.Recv.List) == 1 {
		name = typeName(d.Recv.List[0].Type) + "." + name
	}
	bare := *d
	bare.Doc = nil // it would count as the beginning
	x.add(name, x.source(&bare), d.Doc)
}

func (x *extractor) spec(d *ast.GenDecl, spec ast.Spec) {
	bare := *d
	bare.Doc = nil
	source := x.source(&bare)
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if name.IsExported() {
				x.add(name.Name, source, s.Doc, s.Comment, d.Doc)
			}
		}
	case *ast.TypeSpec:
		if d.Lparen.IsValid() {
			bare := *s
			bare.Doc = nil
			source = "type " + x.source(&bare)
		}
		if s.Name.IsExported() {
			x.add(s.Name.Name, source, s.Doc, s.Comment, d.Doc)
		}
		switch t := s.Type.(type) {
		case *ast.StructType:
			x.fields(s.Name.Name, t.Fields)
		case *ast.InterfaceType:
			x.fields(s.Name.Name, t.Methods)
		}
	}
}

func (x *extractor) fields(owner string, list *ast.FieldList) {
	for _, field := range list.List {
		names := field.Names
		if len(names) == 0 {
			names = []*ast.Ident{ast.NewIdent(typeName(field.Type))}
		}
		for _, name := range names {
			if name.IsExported() && (field.Doc != nil || field.Comment != nil) {
				x.add(owner+"."+name.Name, "", field.Doc, field.Comment)
			}
		}
	}
}

// typeName returns the name of the type that t, such as *List[T], is made from.
func typeName(t ast.Expr) string {
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.SelectorExpr:
			return x.Sel.Name
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}
