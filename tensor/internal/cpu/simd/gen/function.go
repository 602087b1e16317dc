package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"slices"
	"strings"
	"unicode"
)

// A writer collects a file.
type writer struct {
	bytes.Buffer
	labels int
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// label returns a new label.
func (w *writer) label() string {
	w.labels++
	return fmt.Sprintf("l%d", w.labels)
}

// A parameter of a function, or a result.
type parameter struct {
	name  string
	elem  string // the type, or an array's element type
	class class
	at    int // offset in the arguments of the assembly
}

// A function is the assembly of a kernel for one target: pointers to the arrays, the number of
// elements n, the scalars, the results.
type function struct {
	name     string // of the assembly
	exported string
	short    encoding
	arrays   []parameter
	scalars  []parameter
	results  []parameter
	count    int // offset of n
	size     int // of the arguments
}

// parse reads the signature of a kernel. Its assembly is named after it and the target.
func parse(sig, target string) *function {
	e, err := parser.ParseExpr("func" + sig[strings.IndexByte(sig, '('):])
	if err != nil {
		panic(sig + ": " + err.Error())
	}
	f := &function{exported: sig[:strings.IndexByte(sig, '(')]}
	f.name = unexported(f.exported) + target
	t := e.(*ast.FuncType)
	for _, field := range t.Params.List {
		for _, name := range field.Names {
			if slice, ok := field.Type.(*ast.ArrayType); ok {
				f.arrays = append(f.arrays, parameter{name: name.Name, elem: slice.Elt.(*ast.Ident).Name})
				continue
			}
			f.scalars = append(f.scalars, newParameter(name.Name, field.Type))
		}
	}
	if t.Results != nil {
		for i, field := range t.Results.List {
			names := field.Names
			if len(names) == 0 {
				names = []*ast.Ident{{Name: "ret"}}
				if len(t.Results.List) > 1 {
					names[0].Name = fmt.Sprintf("ret%d", i)
				}
			}
			for _, name := range names {
				f.results = append(f.results, newParameter(name.Name, field.Type))
			}
		}
	}
	f.layOut()
	return f
}

// unexported makes a name begin with a small letter: add of Add, geluGrad of GELUGrad.
func unexported(name string) string {
	capitals := len(name) - len(strings.TrimLeftFunc(name, unicode.IsUpper))
	if capitals > 1 && capitals < len(name) {
		capitals--
	}
	return strings.ToLower(name[:capitals]) + name[capitals:]
}

func newParameter(name string, t ast.Expr) parameter {
	p := parameter{name: name, elem: t.(*ast.Ident).Name}
	if p.elem == "float64" {
		p.class = double
	}
	return p
}

func (p parameter) bytes() int {
	if p.class == double {
		return 8
	}
	return 4
}

func (f *function) layOut() {
	for i := range f.arrays {
		f.arrays[i].at = f.size
		f.size += 8
	}
	f.count = f.size
	f.size += 8
	place := func(ps []parameter) {
		for i, p := range ps {
			n := p.bytes()
			f.size = (f.size + n - 1) / n * n
			ps[i].at = f.size
			f.size += n
		}
	}
	place(f.scalars)
	if len(f.results) > 0 {
		f.size = (f.size + 7) / 8 * 8
		place(f.results)
	}
}

func (f *function) array(name string) int {
	i := slices.IndexFunc(f.arrays, func(p parameter) bool { return p.name == name })
	if i < 0 {
		panic(f.name + ": no array " + name)
	}
	return i
}

func (f *function) scalar(name string) (int, parameter) {
	i := slices.IndexFunc(f.scalars, func(p parameter) bool { return p.name == name })
	if i < 0 {
		panic(f.name + ": no scalar " + name)
	}
	return i, f.scalars[i]
}

// declaration returns the Go declaration of the assembly.
func (f *function) declaration() string {
	var ps []string
	for _, a := range f.arrays {
		ps = append(ps, a.name+" *"+a.elem)
	}
	ps = append(ps, "n int")
	for _, s := range f.scalars {
		ps = append(ps, s.name+" "+s.elem)
	}
	var rs []string
	for _, r := range f.results {
		rs = append(rs, r.name+" "+r.elem)
	}
	results := ""
	if len(rs) > 0 {
		results = " (" + strings.Join(rs, ", ") + ")"
	}
	return "func " + f.name + "(" + strings.Join(ps, ", ") + ")" + results
}

// call returns a call of the assembly from the exported function.
func (f *function) call() string {
	var ps []string
	for _, a := range f.arrays {
		ps = append(ps, "unsafe.SliceData("+a.name+")")
	}
	ps = append(ps, "len("+f.arrays[0].name+")")
	for _, s := range f.scalars {
		ps = append(ps, s.name)
	}
	return f.name + "(" + strings.Join(ps, ", ") + ")"
}

// twin returns a call of the plain Go twin from the exported function.
func (f *function) twin(sig string) string {
	var ps []string
	for _, p := range slices.Concat(f.arrays, f.scalars) {
		ps = append(ps, p.name)
	}
	return parse(sig, "Go").name + "(" + strings.Join(ps, ", ") + ")"
}

// check returns the statement that cuts all arrays to the length of the first.
func (f *function) check() string {
	var to, from []string
	for _, a := range f.arrays[1:] {
		to = append(to, a.name)
		from = append(from, a.name+"[:len("+f.arrays[0].name+")]")
	}
	if len(to) == 0 {
		return ""
	}
	return "\t" + strings.Join(to, ", ") + " = " + strings.Join(from, ", ")
}
