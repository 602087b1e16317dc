package repl

// This file adds to the declaration of a package's type what newcomers look for: what the fields
// mean, which constants the type has, and which functions make it.

import (
	"go/constant"
	"go/format"
	"go/types"
	"regexp"
	"strings"

	"halfnote/repl/check"
)

// longMembers is the number of comment lines up to which the fields of a struct are explained;
// types of the standard library have hundreds, which Inspect's detail shows.
const longMembers = 60

// members returns p's declaration with the comments of its members and, below the methods, the
// constants and constructors of the type.
func (x *explainer) members(t *types.TypeName, declaration string) string {
	if t.IsAlias() {
		return declaration
	}
	return x.commented(t, declaration) + x.constants(t) + x.constructors(t)
}

// docLink finds names in brackets, which are links where documentation is a page.
var docLink = regexp.MustCompile(`\[(\*?\pL[\pL\pN_.]*)\]`)

// commented returns the declaration of a struct or interface with the comment of each member.
func (x *explainer) commented(t *types.TypeName, declaration string) string {
	head, rest, ok := strings.Cut(declaration, " {\n")
	body, after, closed := strings.Cut(rest, "\n}")
	if !ok || !closed {
		return declaration
	}
	var lines []string
	comments := 0
	for line := range strings.Lines(body + "\n") {
		line = strings.TrimSuffix(line, "\n")
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "\t"), " ")
		name, _, _ = strings.Cut(name, "(")
		doc := ""
		member, _, _ := types.LookupFieldOrMethod(t.Type(), true, t.Pkg(), name)
		if member != nil && member.Pkg() == t.Pkg() {
			doc = strings.TrimSpace(docLink.ReplaceAllString(x.docOf(member), "$1"))
		}
		switch {
		case doc == "":
			lines = append(lines, line)
		case !strings.Contains(doc, "\n") && len(doc) < 80:
			lines = append(lines, line+" // "+doc)
			comments++
		default:
			if len(lines) > 0 && !strings.Contains(lines[len(lines)-1], "\t// ") {
				lines = append(lines, "")
			}
			comments += 1 + strings.Count(doc, "\n")
			for part := range strings.SplitSeq(doc, "\n") {
				lines = append(lines, strings.TrimRight("\t// "+part, " "))
			}
			lines = append(lines, line)
		}
	}
	if comments == 0 || comments > longMembers {
		return declaration
	}
	const start = "package p\n\ntype T"
	open := head[strings.LastIndex(head, " "):] + " {\n"
	text, err := format.Source([]byte(start + open + strings.Join(lines, "\n") + "\n}\n"))
	if err != nil {
		return declaration
	}
	_, formatted, _ := strings.Cut(strings.TrimSpace(string(text)), "{\n")
	return head + " {\n" + formatted + after
}

// exports lists the names that a package exports, as the end of its comment.
func exports(pkg *types.Package) string {
	var functions, named, values []string
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		obj := scope.Lookup(name)
		if !obj.Exported() {
			continue
		}
		switch obj.(type) {
		case *types.Func:
			functions = append(functions, name)
		case *types.TypeName:
			named = append(named, name)
		default:
			values = append(values, name)
		}
	}
	var b strings.Builder
	for _, group := range []struct {
		title string
		names []string
	}{{"Types", named}, {"Functions", functions}, {"Values", values}} {
		if len(group.names) > 0 {
			b.WriteString("\n# " + group.title + "\n\n" + strings.Join(group.names, ", ") + ".\n")
		}
	}
	return b.String()
}

// siblings lists what cells can use of what is declared where t is.
func (x *explainer) siblings(t *types.TypeName) []types.Object {
	if check.IsCells(t.Pkg()) {
		return x.checker.Live()
	}
	var list []types.Object
	for _, name := range t.Pkg().Scope().Names() {
		if obj := t.Pkg().Scope().Lookup(name); obj.Exported() {
			list = append(list, obj)
		}
	}
	return list
}

// longComment is the length up to which the comment of a constant is shown beside it; a longer one
// is only if it is the constant's own.
const longComment = 100

// constants lists the constants of type t.
func (x *explainer) constants(t *types.TypeName) string {
	var b strings.Builder
	said := ""
	for _, obj := range x.siblings(t) {
		c, ok := obj.(*types.Const)
		if !ok || c.Type() != t.Type() {
			continue
		}
		b.WriteString("\nconst " + qualified(c))
		if c.Val().Kind() == constant.String {
			b.WriteString(" = " + constText(c.Val()))
		}
		doc := strings.Join(strings.Fields(docLink.ReplaceAllString(x.docOf(c), "$1")), " ")
		own := len(doc) < longComment || strings.HasPrefix(doc, c.Name()+" ")
		if doc != said && doc != "" && own {
			b.WriteString(" // " + doc)
		}
		said = doc
	}
	return apart(b.String())
}

// constructors lists the functions beside t whose names begin with New and that return a t.
func (x *explainer) constructors(t *types.TypeName) string {
	var b strings.Builder
	for _, obj := range x.siblings(t) {
		f, ok := obj.(*types.Func)
		if !ok || !strings.HasPrefix(f.Name(), "New") || f.Signature().Results().Len() == 0 {
			continue
		}
		made := f.Signature().Results().At(0).Type()
		if p, ok := made.(*types.Pointer); ok {
			made = p.Elem()
		}
		if named, ok := made.(*types.Named); ok && named.Obj() == t {
			b.WriteString("\n" + declaration(f))
		}
	}
	return apart(b.String())
}

// apart puts an empty line before a group of declarations.
func apart(group string) string {
	if group == "" {
		return ""
	}
	return "\n" + group
}
