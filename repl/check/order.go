package check

// This file puts the declarations and statements of a cell into the order in which they run.

import (
	"go/ast"
	"go/token"
	"slices"
)

// item is a declaration or statement at the top level of a cell.
type item struct {
	index int
	decl  ast.Decl     // *ast.FuncDecl or *ast.GenDecl of constants or types; nil for a statement
	stmt  ast.Stmt     // nil for a declaration
	vars  *ast.GenDecl // the declaration in stmt if it is a var statement
	names []*ast.Ident // what it defines at cell level
	recv  string       // the receiver's type name of a method
	uses  uses         // the names it mentions
	done  bool         // it has its place
}

// uses are the names that an item mentions.
type uses struct {
	all  map[string]bool
	free map[string]bool     // those that are not declared within the item itself
	dots map[string][]string // X → Sel of all selectors X.Sel with a free X
}

// part is a chunk in the making.
type part struct {
	decls bool // declarations, else a run of statements
	items []*item
}

// newItem returns the item for a node at the top level.
func newItem(node ast.Node) *item {
	it := &item{}
	switch n := node.(type) {
	case *ast.FuncDecl:
		it.decl = n
		switch {
		case n.Recv != nil:
			it.recv = receiver(n)
		case n.Name.Name != "init": // which is no name that code can use
			it.names = []*ast.Ident{n.Name}
		}
	case *ast.DeclStmt:
		gen := n.Decl.(*ast.GenDecl)
		if gen.Tok == token.VAR {
			it.stmt, it.vars = n, gen
		} else {
			it.decl = gen
		}
		for _, spec := range gen.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				it.names = append(it.names, spec.Names...)
			case *ast.TypeSpec:
				it.names = append(it.names, spec.Name)
			}
		}
	case *ast.AssignStmt:
		it.stmt = n
		if n.Tok == token.DEFINE {
			for _, lhs := range n.Lhs {
				if id, ok := lhs.(*ast.Ident); ok {
					it.names = append(it.names, id)
				}
			}
		}
	case ast.Stmt:
		it.stmt = n
	}
	return it
}

// node returns the declaration or statement.
func (it *item) node() ast.Node {
	if it.decl != nil {
		return it.decl
	}
	return it.stmt
}

// receiver returns the name of the type that fn is a method of, or "".
func receiver(fn *ast.FuncDecl) string {
	if len(fn.Recv.List) == 0 {
		return ""
	}
	return baseName(fn.Recv.List[0].Type)
}

// baseName returns the name in a type that is written as a name, a pointer to one, or an instance
// of a generic one; else "".
func baseName(t ast.Expr) string {
	for {
		switch x := t.(type) {
		case *ast.ParenExpr:
			t = x.X
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// find fills in the names that the items mention. Whether a name is declared within an item was
// found out by the parser; that is exact enough for the order of declarations, which go/types
// judges in any case.
func find(items []*item) {
	top := map[any]bool{} // what declares names at cell level
	for _, it := range items {
		top[it.node()] = true
		if gen := it.gen(); gen != nil {
			for _, spec := range gen.Specs {
				top[spec] = true
			}
		}
	}
	for _, it := range items {
		it.uses = uses{map[string]bool{}, map[string]bool{}, map[string][]string{}}
		isFree := func(id *ast.Ident) bool {
			return id.Obj == nil || top[id.Obj.Decl]
		}
		var visit func(ast.Node) bool
		visit = func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				it.uses.all[n.Name] = true
				if isFree(n) {
					it.uses.free[n.Name] = true
				}
			case *ast.SelectorExpr:
				if id, ok := n.X.(*ast.Ident); ok && isFree(id) {
					it.uses.dots[id.Name] = append(it.uses.dots[id.Name], n.Sel.Name)
				}
				ast.Inspect(n.X, visit)
				return false
			}
			return true
		}
		ast.Inspect(it.node(), visit)
	}
}

// gen returns the declaration of constants, types or variables that it is, or nil.
func (it *item) gen() *ast.GenDecl {
	if gen, ok := it.decl.(*ast.GenDecl); ok {
		return gen
	}
	return it.vars
}

// order is the state of ordering.
type order struct {
	items   []*item
	decls   map[string]*item   // name → declaration
	vars    map[string]*item   // name → the statement that defines it first
	methods map[string][]*item // type name → its methods
	known   func(name string) bool
	parts   []part
}

// arrange puts items into parts. A run of statements ends where a declaration must stand: at its
// place in the source, or earlier before a statement that needs it, or later when it needs a
// variable that is still to come. Var statements that need later ones, or later lines of their own,
// directly or through functions, become declarations together with them. The names that are known
// without the cell do not need a later variable.
func arrange(items []*item, known func(name string) bool) []part {
	items = initsLast(items)
	o := &order{items: items, decls: map[string]*item{}, vars: map[string]*item{},
		methods: map[string][]*item{}, known: known}
	for i, it := range items {
		it.index = i
		if it.recv != "" {
			o.methods[it.recv] = append(o.methods[it.recv], it)
		}
		for _, name := range it.names {
			if it.decl != nil {
				o.decls[name.Name] = it
			} else if o.vars[name.Name] == nil {
				o.vars[name.Name] = it
			}
		}
	}
	for i, it := range items {
		switch {
		case it.done:
		case it.decl != nil:
			if decls, vars := o.needs(it); len(vars) == 0 {
				o.place(true, append(decls, it))
			}
		default:
			decls, vars := o.needs(it)
			if _, ok := it.stmt.(*ast.ExprStmt); ok && i == len(items)-1 {
				decls = o.pending(decls) // the result comes last
			}
			if it.vars != nil && allVars(vars) && (len(vars) > 0 || o.looksAhead(it)) {
				o.place(true, slices.Concat(decls, vars, []*item{it}))
				break
			}
			o.place(true, decls)
			o.place(false, []*item{it})
		}
	}
	o.place(true, o.pending(nil))
	return o.parts
}

// initsLast returns items with each init function behind the declarations that follow it, up to the
// next other statement: as in a package, it runs when the variables around it have their values.
func initsLast(items []*item) []*item {
	var list, inits []*item
	for _, it := range items {
		fn, ok := it.decl.(*ast.FuncDecl)
		switch {
		case ok && fn.Recv == nil && fn.Name.Name == "init":
			inits = append(inits, it)
			continue
		case it.decl == nil && it.vars == nil:
			list, inits = append(list, inits...), nil
		}
		list = append(list, it)
	}
	return append(list, inits...)
}

// needs returns what it needs that has no place yet: declarations, and the statements that define
// variables. What a statement uses directly is a matter of the order of statements, except among
// var statements.
func (o *order) needs(it *item) (decls, vars []*item) {
	seen := map[*item]bool{}
	var follow func(from *item, direct bool)
	add := func(to *item, direct bool) {
		if to == nil || to.done || seen[to] || to == it && to.decl != nil {
			return
		}
		if direct && to.decl == nil && (to == it || it.vars == nil || to.vars == nil) {
			return
		}
		seen[to] = true
		if to.decl != nil {
			decls = append(decls, to)
		} else {
			vars = append(vars, to)
		}
		if to.decl != nil || to.vars != nil {
			follow(to, false)
		}
	}
	follow = func(from *item, direct bool) {
		for name := range from.uses.free {
			add(o.decls[name], direct)
			if !direct || !o.known(name) {
				add(o.vars[name], direct)
			}
		}
		if from.recv != "" {
			add(o.decls[from.recv], direct)
		}
		if from.decl != nil {
			for _, name := range from.names {
				for _, m := range o.methods[name.Name] {
					add(m, direct)
				}
			}
		}
	}
	follow(it, it.decl == nil)
	return decls, slices.DeleteFunc(vars, func(v *item) bool { return v.index < it.index })
}

// looksAhead reports whether a group of variables uses one before it is defined.
func (o *order) looksAhead(it *item) bool {
	ahead := map[string]bool{}
	isAhead := func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		return ok && ahead[id.Name] && id.Obj == nil && !o.known(id.Name)
	}
	for _, spec := range slices.Backward(it.vars.Specs) {
		spec := spec.(*ast.ValueSpec)
		for i, value := range spec.Values {
			for _, name := range spec.Names[i+1:] {
				ahead[name.Name] = true
			}
			for n := range ast.Preorder(value) {
				if isAhead(n) {
					return true
				}
			}
		}
		for _, name := range spec.Names {
			ahead[name.Name] = true
		}
	}
	return false
}

// pending adds to list all declarations that have no place yet.
func (o *order) pending(list []*item) []*item {
	for _, it := range o.items {
		if it.decl != nil && !it.done && !slices.Contains(list, it) {
			list = append(list, it)
		}
	}
	return list
}

// place gives items their place behind all parts so far.
func (o *order) place(decls bool, items []*item) {
	var fresh []*item
	for _, it := range items {
		if !it.done {
			it.done = true
			fresh = append(fresh, it)
		}
	}
	if len(fresh) == 0 {
		return
	}
	if n := len(o.parts); n == 0 || o.parts[n-1].decls != decls {
		o.parts = append(o.parts, part{decls: decls})
	}
	last := &o.parts[len(o.parts)-1]
	last.items = append(last.items, fresh...)
	slices.SortFunc(last.items, func(a, b *item) int { return a.index - b.index })
}

func allVars(items []*item) bool {
	return !slices.ContainsFunc(items, func(it *item) bool { return it.vars == nil })
}

// redeclared reports names that the cell declares twice, other than by two statements.
func redeclared(items []*item) []problem {
	var problems []problem
	first := map[string]*ast.Ident{}
	isDecl := map[string]bool{}
	for _, it := range items {
		for _, name := range it.names {
			other := first[name.Name]
			switch {
			case name.Name == "_":
			case other == nil:
				first[name.Name], isDecl[name.Name] = name, it.decl != nil
			case it.decl != nil || isDecl[name.Name]:
				problems = append(problems, problem{pos: name.Pos(), end: name.End(),
					kind: kindType, msg: name.Name + " redeclared in this block",
					help: "it is declared earlier in this cell, too"})
			}
		}
	}
	return problems
}
