package check

// This file finds out which type of value an unfinished cell wants at the cursor.

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// Wanted returns the type of the values that can stand where the identifier does, or that the type
// there must implement; nil if that is not known, or if all values can stand there.
func (sk *Sketch) Wanted() types.Type {
	t := sk.wanted()
	if t == nil || t == types.Typ[types.Invalid] {
		return nil
	}
	if iface, ok := t.Underlying().(*types.Interface); ok && iface.Empty() && !isTypeParam(t) {
		return nil
	}
	return t
}

// isTypeParam reports whether t is a type parameter.
func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

func (sk *Sketch) wanted() types.Type {
	node := ast.Node(sk.Ident)
	for i := range sk.Path {
		parent := sk.Parent(i)
		switch n := parent.(type) {
		case *ast.SelectorExpr:
			if n.Sel != node {
				return nil
			}
		case *ast.StarExpr:
			if sk.Info.Types[n].IsValue() {
				return nil
			}
		case *ast.ParenExpr:
		case *ast.UnaryExpr:
			switch n.Op {
			case token.NOT:
				return types.Typ[types.Bool]
			case token.AND:
				return sk.pointee(i)
			case token.ARROW:
				return nil
			}
		case *ast.BinaryExpr:
			if t, ok := sk.operand(n, node); ok {
				return t
			}
		default:
			return sk.wantedBy(i, node)
		}
		node = parent
	}
	return nil
}

// pointee is what a value behind an & must be, whose parent is n levels up.
func (sk *Sketch) pointee(n int) types.Type {
	t := sk.wantedBy(n+1, sk.Parent(n))
	if t == nil {
		return nil
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return nil
}

// operand is what one side of a binary expression must be; ok is false if that is what is wanted of
// the expression.
func (sk *Sketch) operand(n *ast.BinaryExpr, side ast.Node) (t types.Type, ok bool) {
	if n.Op == token.LAND || n.Op == token.LOR {
		return types.Typ[types.Bool], true
	}
	other := n.X
	if side == n.X {
		other = n.Y
	}
	switch n.Op {
	case token.SHL, token.SHR:
		if side == n.Y {
			return types.Typ[types.Uint], true
		}
		return nil, false
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return sk.valueType(other), true
	}
	t = sk.valueType(other)
	if b, isBasic := t.(*types.Basic); t == nil || isBasic && b.Info()&types.IsUntyped != 0 {
		return nil, false
	}
	return t, true
}

// valueType is the type of an expression that is a value, or nil.
func (sk *Sketch) valueType(x ast.Expr) types.Type {
	tv := sk.Info.Types[x]
	if tv.IsValue() {
		return tv.Type
	}
	if id, ok := x.(*ast.Ident); ok { // on the left of an assignment
		if v, ok := sk.Info.ObjectOf(id).(*types.Var); ok {
			return v.Type()
		}
	}
	return nil
}

// wantedBy is what the node n levels up wants of its part.
func (sk *Sketch) wantedBy(n int, part ast.Node) types.Type {
	at := func(list []ast.Expr) int {
		return slices.IndexFunc(list, func(e ast.Expr) bool { return e == part })
	}
	switch p := sk.Parent(n).(type) {
	case *ast.CallExpr:
		if i := at(p.Args); i >= 0 {
			return sk.argument(p, i)
		}
	case *ast.AssignStmt:
		i := at(p.Rhs)
		if i >= 0 && len(p.Lhs) > i && p.Tok != token.DEFINE {
			return sk.valueType(p.Lhs[i])
		}
	case *ast.ValueSpec:
		if at(p.Values) >= 0 && p.Type != nil {
			return sk.Info.TypeOf(p.Type)
		}
	case *ast.ReturnStmt:
		return sk.result(at(p.Results))
	case *ast.SendStmt:
		if c, ok := underlying(sk.valueType(p.Chan)).(*types.Chan); ok && p.Value == part {
			return c.Elem()
		}
	case *ast.IndexExpr:
		if p.Index == part {
			return keyType(sk.valueType(p.X))
		}
	case *ast.SliceExpr:
		if p.X != part {
			return types.Typ[types.Int]
		}
	case *ast.TypeAssertExpr:
		if p.Type == part {
			return sk.valueType(p.X)
		}
	case *ast.CaseClause:
		return sk.tag(n)
	case *ast.CompositeLit:
		if i := at(p.Elts); i >= 0 {
			return elementType(sk.literalType(n), i, HasKeys(p))
		}
	case *ast.KeyValueExpr:
		return sk.pair(n, part)
	}
	return nil
}

// argument is what a call wants as its argument i.
func (sk *Sketch) argument(call *ast.CallExpr, i int) types.Type {
	if sig, _ := sk.Signature(call, i); sig != nil {
		return parameterType(sig, i, call.Ellipsis.IsValid())
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok || len(call.Args) == 0 {
		return nil
	}
	if _, ok := sk.Info.Uses[id].(*types.Builtin); !ok {
		return nil
	}
	first := underlying(sk.valueType(call.Args[0]))
	switch slice, _ := first.(*types.Slice); id.Name {
	case "append":
		if i > 0 && slice != nil && !call.Ellipsis.IsValid() {
			return slice.Elem()
		}
	case "copy":
		if i > 0 && slice != nil {
			return slice
		}
	case "delete":
		if i > 0 {
			return keyType(first)
		}
	case "make":
		if i > 0 {
			return types.Typ[types.Int]
		}
	case "max", "min":
		if i > 0 {
			return sk.valueType(call.Args[0])
		}
	}
	return nil
}

// parameterType is the type of a signature's parameter for argument i.
func parameterType(sig *types.Signature, i int, spread bool) types.Type {
	n := sig.Params().Len()
	switch {
	case sig.Variadic() && i >= n-1 && !spread:
		if slice, ok := sig.Params().At(n - 1).Type().(*types.Slice); ok {
			return slice.Elem()
		}
		return nil // append([]byte, string...)
	case i < n:
		return sig.Params().At(i).Type()
	}
	return nil
}

// result is what the function around the identifier returns as its result i.
func (sk *Sketch) result(i int) types.Type {
	for _, node := range slices.Backward(sk.Path) {
		var sig *types.Signature
		switch n := node.(type) {
		case *ast.FuncLit:
			sig, _ = sk.Info.TypeOf(n).(*types.Signature)
		case *ast.FuncDecl:
			if fn, ok := sk.Info.Defs[n.Name].(*types.Func); ok {
				sig = fn.Signature()
			}
		default:
			continue
		}
		if sig == nil || i < 0 || i >= sig.Results().Len() {
			return nil
		}
		return sig.Results().At(i).Type()
	}
	return nil
}

// tag is what the cases of the switch around the clause n levels up must be: of the type of its
// value, or types that its value can have.
func (sk *Sketch) tag(n int) types.Type {
	switch s := sk.Parent(n + 2).(type) {
	case *ast.SwitchStmt:
		if s.Tag == nil {
			return types.Typ[types.Bool]
		}
		return sk.valueType(s.Tag)
	case *ast.TypeSwitchStmt:
		if x := asserted(s); x != nil {
			return sk.valueType(x)
		}
	}
	return nil
}

// asserted is the value whose type a type switch asks for.
func asserted(s *ast.TypeSwitchStmt) ast.Expr {
	var x ast.Expr
	ast.Inspect(s.Assign, func(n ast.Node) bool {
		if a, ok := n.(*ast.TypeAssertExpr); ok && x == nil {
			x = a.X
		}
		return x == nil
	})
	return x
}

// pair is what the key or value n levels up is wanted to be.
func (sk *Sketch) pair(n int, part ast.Node) types.Type {
	p := sk.Parent(n).(*ast.KeyValueExpr)
	t := sk.literalType(n + 1)
	if p.Key == part {
		if _, ok := underlying(t).(*types.Struct); ok {
			return nil // a field's name
		}
		return keyType(t)
	}
	if st, ok := underlying(t).(*types.Struct); ok {
		key, _ := p.Key.(*ast.Ident)
		for f := range st.Fields() {
			if key != nil && f.Name() == key.Name {
				return f.Type()
			}
		}
		return nil
	}
	return elementType(t, 0, true)
}

// literalType is the type of the composite literal n levels up, also where it is left out: there it
// is that of the literal's place, or what a pointer of that type points to.
func (sk *Sketch) literalType(n int) types.Type {
	lit, ok := sk.Parent(n).(*ast.CompositeLit)
	if !ok {
		return nil
	}
	t := sk.Info.TypeOf(lit)
	if lit.Type == nil && (t == nil || t == types.Typ[types.Invalid]) {
		t = sk.wantedBy(n+1, lit)
	}
	if p, ok := underlying(t).(*types.Pointer); ok && lit.Type == nil {
		t = p.Elem()
	}
	return t
}

// elementType is the type of element i of a literal of type t. Where all have keys it is that of
// any element.
func elementType(t types.Type, i int, keys bool) types.Type {
	switch u := underlying(t).(type) {
	case *types.Struct:
		if i < u.NumFields() && !keys {
			return u.Field(i).Type()
		}
	case *types.Slice:
		return u.Elem()
	case *types.Array:
		return u.Elem()
	case *types.Map:
		if keys {
			return u.Elem()
		}
		return u.Key()
	}
	return nil
}

// HasKeys reports whether a literal names its fields, or gives keys.
func HasKeys(lit *ast.CompositeLit) bool {
	return slices.ContainsFunc(lit.Elts, func(e ast.Expr) bool {
		_, ok := e.(*ast.KeyValueExpr)
		return ok
	})
}

// keyType is the type of what is written in brackets behind a value of type t.
func keyType(t types.Type) types.Type {
	switch u := underlying(t).(type) {
	case *types.Map:
		return u.Key()
	case *types.Slice, *types.Array, *types.Pointer, *types.Basic:
		return types.Typ[types.Int]
	}
	return nil
}

// underlying is t's underlying type, or nil for none.
func underlying(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}
