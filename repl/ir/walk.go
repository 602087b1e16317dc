package ir

// This file implements walks over core.

// Blocks calls visit for each list of statements that a statement of list holds itself.
func Blocks(list []Stmt, visit func([]Stmt)) {
	for _, s := range list {
		switch s := s.(type) {
		case *If:
			visit(s.Then)
			visit(s.Else)
		case *Loop:
			visit(s.Body)
			visit(s.Post)
		case *Range:
			visit(s.Body)
		case *Switch:
			for _, c := range s.Clauses {
				visit(c.Body)
			}
		case *Select:
			for _, c := range s.Clauses {
				visit(c.Body)
			}
		case *Block:
			visit(s.Body)
		}
	}
}

// Operands returns the expressions that are evaluated for x, in the order of their evaluation;
// absent ones are nil.
func Operands(x Expr) []Expr {
	switch x := x.(type) {
	case *Call:
		return append([]Expr{x.Fun}, x.Args...)
	case *Method:
		return []Expr{x.X}
	case *Builtin:
		return x.Args
	case *Field:
		return []Expr{x.X}
	case *Index:
		return []Expr{x.X, x.I}
	case *Slice:
		return []Expr{x.X, x.Lo, x.Hi, x.Max}
	case *Deref:
		return []Expr{x.X}
	case *Addr:
		return []Expr{x.X}
	case *Unary:
		return []Expr{x.X}
	case *Binary:
		return []Expr{x.X, x.Y}
	case *Convert:
		return []Expr{x.X}
	case *Iface:
		return []Expr{x.X}
	case *Assert:
		return []Expr{x.X}
	case *Recv:
		return []Expr{x.X}
	case *Composite:
		return append(append([]Expr{}, x.Keys...), x.Elems...)
	}
	return nil
}

// Free returns the variables that fn uses but does not declare, in the order of their first use.
func Free(fn *Func) []*Var {
	w := walker{own: map[*Var]bool{}, seen: map[*Var]bool{}}
	w.fn(fn)
	return w.free
}

// walker collects variables; own are those declared on the way.
type walker struct {
	own, seen map[*Var]bool
	free      []*Var
}

func (w *walker) fn(fn *Func) {
	w.declare(fn.Params...)
	w.stmts(fn.Body)
}

func (w *walker) declare(vs ...*Var) {
	for _, v := range vs {
		w.own[v] = true
	}
}

func (w *walker) use(v *Var) {
	if !w.own[v] && !w.seen[v] {
		w.seen[v] = true
		w.free = append(w.free, v)
	}
}

func (w *walker) stmts(list []Stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

func (w *walker) stmt(s Stmt) {
	switch s := s.(type) {
	case *Define:
		w.exprs(s.Init)
		w.declare(s.Var)
	case *DefineMany:
		w.exprs(s.X)
		w.declare(s.Vars...)
	case *Assign:
		w.exprs(s.Lhs, s.Rhs)
	case *ExprStmt:
		w.exprs(s.X)
	case *Send:
		w.exprs(s.Chan, s.X)
	case *If:
		w.exprs(s.Cond)
		w.stmts(s.Then)
		w.stmts(s.Else)
	case *Loop:
		w.exprs(s.Cond)
		w.stmts(s.Body)
		w.stmts(s.Post)
	case *Range:
		w.exprs(s.X)
		w.declare(s.Key, s.Value)
		w.stmts(s.Body)
	case *Switch:
		w.exprs(s.Tag)
		for _, c := range s.Clauses {
			w.stmts(c.Body)
		}
	case *Select:
		for _, c := range s.Clauses {
			w.exprs(c.Chan, c.Send)
			w.declare(c.Value, c.Ok)
			w.stmts(c.Body)
		}
	case *Block:
		w.stmts(s.Body)
	case *Return:
		w.exprs(s.Results...)
	}
}

func (w *walker) exprs(xs ...Expr) {
	for _, x := range xs {
		w.expr(x)
	}
}

func (w *walker) expr(x Expr) {
	switch x := x.(type) {
	case *Local:
		w.use(x.Var)
	case *Closure:
		for _, v := range x.Captures {
			w.use(v)
		}
	default:
		w.exprs(Operands(x)...)
	}
}
