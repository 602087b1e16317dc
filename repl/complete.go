package repl

// This file implements completion. It looks at the text of the cell and at what the session knows,
// and never runs code of the user.

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"halfnote/repl/check"
	"halfnote/repl/symbols"
)

// Completion is what can be written at a place in a cell.
type Completion struct {
	// Start and End are the byte offsets of the text that an item takes the place of.
	Start, End int
	// Items are what may stand there, the most likely first.
	Items []CompletionItem
}

// CompletionItem is one thing that can be written.
type CompletionItem struct {
	Text string
	// Kind is "function", "method", "variable", "constant", "type", "field", "package", "keyword",
	// "path" or "command".
	Kind string
	// Signature is in short what it is: a function's parameters and results, a variable's type, a
	// constant's value, a package's path.
	Signature string
}

// Complete tells how src, a cell that is being written, can go on at the byte offset off: names of
// the session and of the cell, fields and methods behind a dot, members of packages (imported or
// not yet), import paths, keywords, labels; behind % commands and what they take; in strings and
// behind ! files. What has the type that is wanted at the place comes first. It may be called while
// a cell runs.
func (s *Session) Complete(src string, off int) Completion {
	c := newCursor(src, off)
	done := Completion{Start: c.start, End: c.end}
	switch c.kind {
	case inPath:
		done.Items = completePath(c.prefix())
		return done
	case inString:
		return completeString(c)
	case inText:
		return Completion{Start: c.off, End: c.off}
	}
	s.known.Lock()
	defer s.known.Unlock()
	if c.kind == inCommand {
		return s.completeCommand(c, src)
	}
	if line, ok := c.shellLine(s.isName); ok {
		return completeLastFile(line, c.off)
	}
	done.Items = s.completeGo(c)
	return done
}

// completeGo lists what Go can stand at a cursor.
func (s *Session) completeGo(c *cursor) []CompletionItem {
	l := &completions{prefix: c.prefix(), session: s, cursor: c}
	if c.names() {
		return nil
	}
	if c.branches() {
		for _, name := range []string{"case", "default"} {
			l.put(name, "keyword", candidate{}, func() string { return "" })
		}
		return l.sorted()
	}
	sketch := s.sketcher.Complete(c.src, c.start, c.end)
	switch {
	case sketch == nil && c.before() == token.PERIOD:
	case sketch == nil:
		for _, obj := range s.checker.Live() {
			l.add(obj, ofSession, 0)
		}
		l.universal(nil)
	default:
		l.sketched(sketch)
	}
	return l.sorted()
}

// isName reports whether Go code can begin with a name: one of the session, a package, or a word of
// Go.
func (s *Session) isName(name string) bool {
	return s.checker.Lookup(name) != nil || types.Universe.Lookup(name) != nil ||
		len(symbols.ByName(name)) > 0 || token.IsKeyword(name)
}

// completePath lists the import paths that begin with prefix.
func completePath(prefix string) []CompletionItem {
	var items []CompletionItem
	for _, path := range symbols.Paths() {
		if strings.HasPrefix(path, prefix) {
			items = append(items, CompletionItem{Text: path, Kind: "path"})
		}
	}
	return items
}

// completions collects what begins with a prefix.
type completions struct {
	prefix    string
	session   *Session
	cursor    *cursor
	sketch    *check.Sketch // may be nil
	want      types.Type    // what values or types are wanted; nil if that is not known
	onlyTypes bool          // only types can stand here
	found     []candidate
	seen      map[string]bool
}

// A candidate is an item and how likely it is meant: less is more.
type candidate struct {
	CompletionItem
	match, fit, rank, depth int
}

// serves reports whether a candidate is of what is wanted.
func (c candidate) serves() bool { return c.fit < unfit }

// The ranks of candidates.
const (
	ofLiteral = iota // a field, where a literal wants one
	local
	ofSession
	ofPackage // a package that is imported
	ofGo
	ofElsewhere // a package that is not imported yet
)

// match is 0 if name begins with the prefix, 1 if it does but for upper and lower case, else -1.
func (l *completions) match(name string) int {
	switch {
	case strings.HasPrefix(name, l.prefix):
		if l.prefix == "" && name[0] == '_' {
			return -1 // results of earlier cells are many
		}
		return 0
	case len(name) >= len(l.prefix) && strings.EqualFold(name[:len(l.prefix)], l.prefix):
		return 1
	}
	return -1
}

// put adds an item if it fits and its name is new. The candidate has its fit, rank and depth.
func (l *completions) put(name, kind string, c candidate, signature func() string) {
	if c.match = l.match(name); c.match >= 0 {
		l.take(name, kind, c, signature)
	}
}

// take adds an item that fits if its name is new.
func (l *completions) take(name, kind string, c candidate, signature func() string) {
	if l.seen[name] {
		return
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	l.seen[name] = true
	c.CompletionItem = CompletionItem{Text: name, Kind: kind, Signature: signature()}
	l.found = append(l.found, c)
}

func (l *completions) add(obj types.Object, rank, depth int) {
	if _, ok := obj.(*types.PkgName); ok && rank == ofSession {
		rank = ofPackage
	}
	c := candidate{rank: rank, depth: depth}
	if l.match(obj.Name()) >= 0 {
		c.fit = l.fit(obj)
	}
	if c.fit == unwanted {
		return
	}
	l.put(obj.Name(), kindOf(obj), c, func() string { return signatureOf(obj) })
}

func (l *completions) sorted() []CompletionItem {
	slices.SortFunc(l.found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.match, b.match), cmp.Compare(a.fit, b.fit),
			cmp.Compare(a.rank, b.rank), cmp.Compare(a.depth, b.depth),
			strings.Compare(strings.ToLower(a.Text), strings.ToLower(b.Text)),
			strings.Compare(a.Text, b.Text))
	})
	items := make([]CompletionItem, len(l.found))
	for i, f := range l.found {
		items[i] = f.CompletionItem
	}
	return items
}

// sketched adds what can stand where the sketch has its identifier.
func (l *completions) sketched(sk *check.Sketch) {
	l.sketch, l.want, l.onlyTypes = sk, sk.Wanted(), sk.WantsType()
	if keyword, ok := sk.Branch(); ok {
		l.labels(keyword)
		return
	}
	if x, ok := sk.Selected(); ok {
		l.selected(sk, x)
		return
	}
	if sk.Declares() {
		return
	}
	if st, lit := sk.Struct(); st != nil && (lit.Elts[0] == sk.Ident || check.HasKeys(lit)) {
		l.keys(st, lit)
		if _, ok := sk.Parent(0).(*ast.KeyValueExpr); ok || check.HasKeys(lit) {
			return
		}
	}
	sk.Visible(func(obj types.Object, isLocal bool) {
		switch obj.(type) {
		case *types.TypeName, *types.PkgName:
		default:
			if l.onlyTypes {
				return
			}
		}
		rank := ofSession
		if isLocal {
			rank = local
		}
		l.add(obj, rank, 0)
	})
	l.ofWanted()
	l.universal(sk)
}

// keys adds the fields that a literal does not give yet, in the order of their declaration.
func (l *completions) keys(st *types.Struct, lit *ast.CompositeLit) {
	given := map[string]bool{}
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				given[id.Name] = true
			}
		}
	}
	for i := range st.NumFields() {
		if f := st.Field(i); check.Usable(f) && !given[f.Name()] && f.Name() != "_" {
			l.put(f.Name(), "field", candidate{rank: ofLiteral, depth: i},
				func() string { return signatureOf(f) })
		}
	}
}

// universal adds what needs no session: what Go declares, keywords, and packages that could be
// imported. Where nothing is typed yet and there is something of the type that is wanted, only that
// counts. The sketch may be nil.
func (l *completions) universal(sk *check.Sketch) {
	wantsType := l.onlyTypes
	served := l.prefix == "" && !wantsType && slices.ContainsFunc(l.found, candidate.serves)
	for _, name := range types.Universe.Names() {
		obj := types.Universe.Lookup(name)
		if served && l.fit(obj) >= unfit {
			continue
		}
		rank := ofGo
		if wantsType {
			rank = ofSession
		}
		switch obj.(type) {
		case *types.TypeName:
			l.add(obj, rank, 0)
		case *types.Nil:
			if !wantsType || sk.Case() {
				l.add(obj, rank, 0)
			}
		default:
			if !wantsType {
				l.add(obj, rank, 0)
			}
		}
	}
	for name := range keywords {
		if !served && l.keywordFits(name, sk, wantsType) {
			c := candidate{fit: unfit, rank: ofGo, depth: 1}
			l.put(name, "keyword", c, func() string { return "" })
		}
	}
	if l.prefix == "" {
		return // all of them would hide the rest
	}
	for name, path := range symbols.Names {
		c := candidate{fit: unfit, rank: ofElsewhere, depth: distance(path)}
		l.put(name, "package", c, func() string { return path })
	}
}

// distance is how far a package is from a cell: halfnote's own are near, then those of the standard
// library with short paths.
func distance(path string) int {
	first, _, _ := strings.Cut(path, "/")
	switch {
	case first == "halfnote":
		return 0
	case strings.Contains(first, "."):
		return strings.Count(path, "/") + 10
	}
	return strings.Count(path, "/") + 1
}

// keywordFits reports whether a keyword can stand at the cursor.
func (l *completions) keywordFits(name string, sk *check.Sketch, wantsType bool) bool {
	switch name {
	case "chan", "func", "interface", "map", "struct":
		return true
	case "range":
		before := l.cursor.before()
		return before == token.FOR || before == token.DEFINE || before == token.ASSIGN
	case "else":
		return l.cursor.before() == token.RBRACE
	case "package":
		return l.cursor.index == 0
	case "import":
		return sk == nil || sk.Outermost()
	case "break", "continue", "fallthrough", "case", "default":
		return sk == nil || sk.IsStatement() && sk.Allows(token.Lookup(name))
	}
	return !wantsType && (sk == nil || sk.IsStatement())
}

// selected adds what can stand behind x and a dot.
func (l *completions) selected(sk *check.Sketch, x ast.Expr) {
	if pkg := sk.Package(x); pkg != nil {
		l.members(pkg, l.onlyTypes, 0)
		if name := x.(*ast.Ident).Name; sk.IsAutomatic(name) {
			for _, path := range symbols.ByName(name) {
				if other, err := l.session.sketcher.Import(path); err == nil && other != pkg {
					l.members(other, l.onlyTypes, 1)
				}
			}
		}
		return
	}
	tv := sk.Info.Types[x]
	switch {
	case tv.Type == nil:
	case tv.IsType():
		methods := types.NewMethodSet(tv.Type)
		for m := range methods.Methods() {
			if check.Usable(m.Obj()) {
				l.add(m.Obj(), ofLiteral, len(m.Index())-1)
			}
		}
	case tv.IsValue():
		l.parts(tv.Type, tv.Addressable())
	}
}

// members adds what a package exports.
func (l *completions) members(pkg *types.Package, onlyTypes bool, depth int) {
	for _, name := range pkg.Scope().Names() {
		obj := pkg.Scope().Lookup(name)
		if _, isType := obj.(*types.TypeName); obj.Exported() && (isType || !onlyTypes) {
			l.add(obj, ofPackage, depth)
		}
	}
}

// parts adds the fields and methods of a value, those of embedded fields behind its own.
func (l *completions) parts(t types.Type, addressable bool) {
	add := func(obj types.Object, depth int) {
		if !check.Usable(obj) || l.match(obj.Name()) < 0 || obj.Name() == "_" {
			return
		}
		found, _, _ := types.LookupFieldOrMethod(t, addressable, obj.Pkg(), obj.Name())
		if found == nil {
			return // it is ambiguous
		}
		l.add(obj, ofLiteral, depth)
	}
	level, seen := []types.Type{t}, map[types.Type]bool{}
	for depth := 0; len(level) > 0; depth++ {
		var next []types.Type
		for _, t := range level {
			if p, ok := t.Underlying().(*types.Pointer); ok {
				t = p.Elem()
			}
			st, ok := t.Underlying().(*types.Struct)
			if !ok || seen[t] {
				continue
			}
			seen[t] = true
			for f := range st.Fields() {
				add(f, 2*depth)
				if f.Embedded() {
					next = append(next, f.Type())
				}
			}
		}
		level = next
	}
	set := t
	if _, ok := t.Underlying().(*types.Pointer); !ok && addressable && !types.IsInterface(t) {
		set = types.NewPointer(t)
	}
	methods := types.NewMethodSet(set)
	for m := range methods.Methods() {
		add(m.Obj(), 2*(len(m.Index())-1)+1)
	}
}
