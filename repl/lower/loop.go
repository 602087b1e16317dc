package lower

// This file implements for loops and what leaves a loop, switch or select. A loop variable that is
// shared is another variable in each iteration:
//
//	for i := 0; i < n; i++ { use(&i) }   →   i := new(int)
//	                                         for *i < n { use(i) } after each turn {
//	                                             c := new(int); *c = *i; i = c; *i = *i + 1 }

import (
	"go/ast"
	"go/token"
	"go/types"

	"halfnote/repl/ir"
)

// A target is a statement that break or continue may mean.
type target struct {
	label  string  // as the user wrote it, or ""
	name   string  // in core
	loop   bool    // continue may mean it
	escape *escape // set for a range-over-func loop, whose body is a closure
	used   bool    // some branch names it
}

// within lowers with t as the innermost target.
func (f *fn) within(t *target, lower func()) {
	f.targets = append(f.targets, t)
	lower()
	f.targets = f.targets[:len(f.targets)-1]
}

// target makes the target of a statement with the given label.
func (f *fn) target(label string, loop bool) *target {
	return &target{label: label, name: f.name("L"), loop: loop}
}

// irLabel is the label that the statement needs in core.
func (t *target) irLabel() string {
	if t.used {
		return t.name
	}
	return ""
}

func (f *fn) branch(s *ast.BranchStmt) {
	switch s.Tok {
	case token.GOTO:
		f.gotoLabel(s.Pos(), s.Label.Name)
	case token.FALLTHROUGH:
		fail(s.Pos(), "fallthrough here") // switchStmt has taken the legal ones
	default:
		label := ""
		if s.Label != nil {
			label = s.Label.Name
		}
		f.jump(s.Pos(), s.Tok, label, f.targets)
	}
}

func (f *fn) gotoLabel(pos token.Pos, label string) {
	if e := f.escape; e != nil && !e.labels[label] {
		e.out(f, pos, func(outer *fn) { outer.gotoLabel(pos, label) })
		return
	}
	f.emit(&ir.Goto{At: ir.At(pos), Label: f.labelName(label)})
}

// jump lowers break or continue for the targets around it, innermost last.
func (f *fn) jump(pos token.Pos, tok token.Token, label string, targets []*target) {
	at := ir.At(pos)
	for i := len(targets) - 1; i >= 0; i-- {
		t := targets[i]
		means := label == t.label && label != "" || label == "" && (t.loop || tok == token.BREAK)
		switch {
		case t.escape != nil && means:
			if tok == token.BREAK {
				t.escape.end(f, pos)
			} else {
				t.escape.next(f, pos)
			}
			return
		case t.escape != nil:
			t.escape.out(f, pos, func(outer *fn) { outer.jump(pos, tok, label, outer.targets) })
			return
		case means:
			name := ""
			if i < len(targets)-1 {
				t.used, name = true, t.name
			}
			if tok == token.BREAK {
				f.emit(&ir.Break{At: at, Label: name})
			} else {
				f.emit(&ir.Continue{At: at, Label: name})
			}
			return
		}
	}
	fail(pos, "this %s", tok)
}

func (f *fn) labelName(label string) string {
	if f.labels[label] == "" {
		f.labels[label] = f.name(label)
	}
	return f.labels[label]
}

func (f *fn) labeled(s *ast.LabeledStmt) {
	if f.gotos[s.Label.Name] {
		f.emit(&ir.Label{At: ir.At(s.Pos()), Name: f.labelName(s.Label.Name)})
	}
	f.stmt(s.Stmt, s.Label.Name)
}

// gotoLabels lists the labels that the gotos of a function name.
func gotoLabels(body ast.Node) map[string]bool {
	labels := map[string]bool{}
	own(body, func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.GOTO {
			labels[b.Label.Name] = true
		}
		return false
	})
	return labels
}

func (f *fn) forStmt(s *ast.ForStmt, label string) {
	pos := s.Pos()
	body := f.in(func() {
		f.stmt(s.Init, "")
		loop := &ir.Loop{At: ir.At(pos)}
		if s.Cond != nil {
			loop.Cond = f.conv(s.Cond, defaultType(f.typ(s.Cond)))
		}
		t := f.target(label, true)
		f.within(t, func() { loop.Body = f.block(s.Body.List) })
		loop.Post = f.in(func() {
			f.renew(s.Init)
			f.stmt(s.Post, "")
		})
		loop.Label = t.irLabel()
		f.emit(loop)
	})
	f.emit(&ir.Block{At: ir.At(pos), Body: body})
}

// renew gives the shared variables that a loop's init declares new pointers with the old values.
func (f *fn) renew(init ast.Stmt) {
	s, ok := init.(*ast.AssignStmt)
	if !ok || s.Tok != token.DEFINE {
		return
	}
	for _, lhs := range s.Lhs {
		v, _ := f.info.Defs[lhs.(*ast.Ident)].(*types.Var)
		if v == nil || !f.shared[v] || f.slots[v] != nil || f.vars[v] == nil {
			continue
		}
		at := ir.At(s.Pos())
		old := &ir.Local{At: at, Var: f.vars[v]}
		c := f.temp(s.Pos(), v.Name(), &ir.Builtin{At: at, Op: "new", Typ: old.Type()})
		f.emit(&ir.Assign{At: at, Lhs: &ir.Deref{At: at, X: c}, Rhs: &ir.Deref{At: at, X: old}},
			&ir.Assign{At: at, Lhs: old, Rhs: c})
	}
}
