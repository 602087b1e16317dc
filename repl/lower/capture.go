package lower

// This file implements variables that outlive or are shared beyond their own use in a function.
// A variable whose address is taken, or that a function literal uses while somebody assigns to it
// after its declaration, becomes a pointer made with new; a captured variable that never changes
// is handed over by value.
//
//	x := 1                          x := new(int); *x = 1
//	inc := func() { x++ }      →    inc := func[x]() { *x = *x + 1 }

import (
	"go/ast"
	"go/token"
	"go/types"
)

// shared returns the local variables of the function declaration, or of the list of statements,
// that must be made with new.
func shared(info *types.Info, body ...ast.Node) map[*types.Var]bool {
	a := &sharing{
		info:     info,
		home:     map[*types.Var]ast.Node{},
		captured: map[*types.Var]bool{},
		assigned: map[*types.Var]bool{},
		pointed:  map[*types.Var]bool{},
	}
	for _, n := range body {
		if d, ok := n.(*ast.FuncDecl); ok {
			a.fields(d.Recv, false)
			a.fields(d.Type.Params, false)
			a.fields(d.Type.Results, true)
			n = d.Body
		}
		a.walk(n)
	}
	out := a.pointed
	for v := range a.captured {
		if a.assigned[v] {
			out[v] = true
		}
	}
	return out
}

type sharing struct {
	info     *types.Info
	closures []ast.Node              // the function literals around the current node
	home     map[*types.Var]ast.Node // the literal that declares a variable
	captured map[*types.Var]bool
	assigned map[*types.Var]bool
	pointed  map[*types.Var]bool
}

func (a *sharing) current() ast.Node {
	if n := len(a.closures); n > 0 {
		return a.closures[n-1]
	}
	return nil
}

// fields notes a function's parameters or results; results are assigned by return.
func (a *sharing) fields(list *ast.FieldList, assigned bool) {
	if list == nil {
		return
	}
	for _, field := range list.List {
		for _, id := range field.Names {
			if v, ok := a.info.Defs[id].(*types.Var); ok {
				a.home[v] = a.current()
				if assigned {
					a.assigned[v] = true
				}
			}
		}
	}
}

func (a *sharing) walk(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			a.inside(n, func() {
				a.fields(n.Type.Params, false)
				a.fields(n.Type.Results, true)
				a.walk(n.Body)
			})
			return false
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				a.assign(n.Key)
				a.assign(n.Value)
			}
			if overFunc(a.info, n) {
				a.walk(n.X)
				a.inside(n, func() {
					if n.Key != nil {
						a.walk(n.Key)
					}
					if n.Value != nil {
						a.walk(n.Value)
					}
					a.walk(n.Body)
				})
				return false
			}
		case *ast.Ident:
			a.ident(n)
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				if id, ok := lhs.(*ast.Ident); ok && a.info.Defs[id] != nil {
					continue
				}
				a.assign(lhs)
			}
		case *ast.IncDecStmt:
			a.assign(n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				a.point(n.X)
			}
		case *ast.SliceExpr:
			if t := a.info.TypeOf(n.X); t != nil {
				if _, ok := t.Underlying().(*types.Array); ok {
					a.point(n.X)
				}
			}
		case *ast.SelectorExpr:
			a.method(n)
		}
		return true
	})
}

func (a *sharing) inside(n ast.Node, f func()) {
	a.closures = append(a.closures, n)
	f()
	a.closures = a.closures[:len(a.closures)-1]
}

func (a *sharing) ident(id *ast.Ident) {
	if v, ok := a.info.Defs[id].(*types.Var); ok {
		if _, known := a.home[v]; !known {
			a.home[v] = a.current()
		}
	}
	if v, ok := a.info.Uses[id].(*types.Var); ok {
		if home, known := a.home[v]; known && home != a.current() {
			a.captured[v] = true
		} else if !known && len(a.closures) > 0 {
			a.captured[v] = true // the implicit variable of a type switch
		}
	}
}

// assign notes a write to the variable that x is, or is a part of.
func (a *sharing) assign(x ast.Expr) {
	if v := a.root(x); v != nil {
		a.assigned[v] = true
	}
}

func (a *sharing) point(x ast.Expr) {
	if v := a.root(x); v != nil {
		a.pointed[v] = true
	}
}

// method notes the implicit & of a method with a pointer receiver.
func (a *sharing) method(x *ast.SelectorExpr) {
	s := a.info.Selections[x]
	if s == nil || s.Kind() != types.MethodVal {
		return
	}
	recv := s.Obj().(*types.Func).Signature().Recv()
	if recv == nil {
		return
	}
	if _, ok := types.Unalias(recv.Type()).(*types.Pointer); !ok || s.Indirect() {
		return
	}
	if _, ok := a.info.TypeOf(x.X).Underlying().(*types.Pointer); !ok {
		a.point(x.X)
	}
}

// root returns the local variable of which the addressable expression x is a part, if any.
func (a *sharing) root(x ast.Expr) *types.Var {
	for {
		switch y := x.(type) {
		case *ast.ParenExpr:
			x = y.X
		case *ast.Ident:
			v, _ := a.info.ObjectOf(y).(*types.Var)
			return v
		case *ast.SelectorExpr:
			if s := a.info.Selections[y]; s == nil || s.Indirect() {
				return nil
			}
			x = y.X
		case *ast.IndexExpr:
			t := a.info.TypeOf(y.X)
			if t == nil {
				return nil
			}
			if _, ok := t.Underlying().(*types.Array); !ok {
				return nil
			}
			x = y.X
		default:
			return nil
		}
	}
}

// overFunc reports whether n ranges over a function, so that its body becomes a closure.
func overFunc(info *types.Info, n *ast.RangeStmt) bool {
	t := info.TypeOf(n.X)
	if t == nil {
		return false
	}
	_, ok := coreOf(t).(*types.Signature)
	return ok
}

// coreOf returns t's underlying type; for a type parameter the underlying type that all types of
// its constraint share, if there is one.
func coreOf(t types.Type) types.Type {
	p, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	iface := p.Constraint().Underlying().(*types.Interface)
	var core types.Type
	for i := range iface.NumEmbeddeds() {
		for _, term := range terms(iface.EmbeddedType(i)) {
			if u := term.Underlying(); core == nil {
				core = u
			} else if !types.Identical(core, u) {
				return iface
			}
		}
	}
	if core == nil {
		return iface
	}
	return core
}

// terms lists the types of a constraint's element.
func terms(t types.Type) []types.Type {
	union, ok := t.(*types.Union)
	if !ok {
		return []types.Type{t}
	}
	var out []types.Type
	for i := range union.Len() {
		out = append(out, union.Term(i).Type())
	}
	return out
}
