package check

// This file finds out what is called in an unfinished cell, and which type arguments follow from
// the arguments that are there already.

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// Enclosing returns the call, literal or index expression that opens at an offset of the text and
// has the identifier in its brackets, or nil.
func (sk *Sketch) Enclosing(open int) ast.Expr {
	pos := token.Pos(sk.base + open)
	for _, node := range slices.Backward(sk.Path) {
		switch n := node.(type) {
		case *ast.CallExpr:
			if n.Lparen == pos {
				return n
			}
		case *ast.CompositeLit:
			if n.Lbrace == pos {
				return n
			}
		case *ast.IndexExpr:
			if n.Lbrack == pos {
				return n
			}
		case *ast.IndexListExpr:
			if n.Lbrack == pos {
				return n
			}
		}
	}
	return nil
}

// Denoted returns the object that x names, type arguments aside, or nil.
func (sk *Sketch) Denoted(x ast.Expr) types.Object {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return sk.Info.Uses[x]
	case *ast.SelectorExpr:
		if s := sk.Info.Selections[x]; s != nil {
			return s.Obj()
		}
		return sk.Info.Uses[x.Sel]
	case *ast.IndexExpr:
		if obj := sk.Denoted(x.X); isGeneric(obj) {
			return obj
		}
	case *ast.IndexListExpr:
		return sk.Denoted(x.X)
	}
	return nil
}

// isGeneric reports whether obj is a function or type with type parameters.
func isGeneric(obj types.Object) bool {
	switch obj := obj.(type) {
	case *types.Func:
		return obj.Signature().TypeParams().Len() > 0
	case *types.TypeName:
		t, ok := obj.Type().(interface{ TypeParams() *types.TypeParamList })
		return ok && t.TypeParams().Len() > 0
	}
	return false
}

// Literal returns the type of a composite literal that encloses the identifier, or nil.
func (sk *Sketch) Literal(lit *ast.CompositeLit) types.Type {
	for i := range sk.Path {
		if sk.Parent(i) == lit {
			return sk.literalType(i)
		}
	}
	return nil
}

// Signature returns the signature of what is called, with those type arguments that are written or
// follow from the first n arguments, and the type parameters that are left. It is nil for
// conversions and for Go's own functions.
func (sk *Sketch) Signature(call *ast.CallExpr, n int) (*types.Signature, []*types.TypeParam) {
	tv := sk.Info.Types[call.Fun]
	if tv.Type == nil || !tv.IsValue() {
		return nil, nil
	}
	sig, ok := tv.Type.Underlying().(*types.Signature)
	if !ok || sig.TypeParams().Len() == 0 {
		return sig, nil
	}
	var written []ast.Expr
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.IndexExpr:
		written = []ast.Expr{f.Index}
	case *ast.IndexListExpr:
		written = f.Indices
	}
	in := inference{}
	for i, x := range written {
		if i < sig.TypeParams().Len() && sk.Info.Types[x].IsType() {
			in[sig.TypeParams().At(i)] = sk.Info.TypeOf(x)
		}
	}
	for i, arg := range call.Args {
		if i >= n || sk.valueType(arg) == nil {
			continue
		}
		if p := parameterType(sig, i, call.Ellipsis.IsValid() && i == len(call.Args)-1); p != nil {
			in.unify(sig.TypeParams(), p, types.Default(sk.valueType(arg)))
		}
	}
	return in.instance(sig)
}

// An inference has the type arguments that are known.
type inference map[*types.TypeParam]types.Type

// instance puts the type arguments into a signature. Where one is not known, the type parameter
// remains.
func (in inference) instance(sig *types.Signature) (*types.Signature, []*types.TypeParam) {
	in.constraints(sig.TypeParams())
	var args []types.Type
	var left []*types.TypeParam
	for p := range sig.TypeParams().TypeParams() {
		t := in[p]
		if t == nil {
			t = p
			left = append(left, p)
		}
		args = append(args, t)
	}
	inst, err := types.Instantiate(nil, sig, args, false)
	if err != nil {
		return sig, nil
	}
	got, ok := inst.(*types.Signature)
	if !ok {
		return sig, nil
	}
	return got, left
}

// constraints infers from what is known what the constraints say of the others, as ~[]E does.
func (in inference) constraints(params *types.TypeParamList) {
	for p := range params.TypeParams() {
		iface, ok := p.Constraint().Underlying().(*types.Interface)
		if in[p] == nil || !ok || iface.NumEmbeddeds() != 1 {
			continue
		}
		if u, ok := iface.EmbeddedType(0).(*types.Union); ok && u.Len() == 1 {
			in.unify(params, u.Term(0).Type(), in[p].Underlying())
		}
	}
}

// unify finds the type arguments by which the type p becomes a.
func (in inference) unify(params *types.TypeParamList, p, a types.Type) {
	both := func(x, y types.Type) { in.unify(params, x, y) }
	p, a = types.Unalias(p), types.Unalias(a)
	if _, named := p.(*types.Named); !named {
		if n, ok := a.(*types.Named); ok && !isTypeParam(p) {
			a = n.Underlying()
		}
	}
	switch p := p.(type) {
	case *types.TypeParam:
		if in[p] == nil && slices.Contains(slices.Collect(params.TypeParams()), p) &&
			a != types.Typ[types.UntypedNil] && a != types.Typ[types.Invalid] {
			in[p] = a
		}
	case *types.Named:
		if a, ok := a.(*types.Named); ok && a.Origin() == p.Origin() {
			for i := range p.TypeArgs().Len() {
				both(p.TypeArgs().At(i), a.TypeArgs().At(i))
			}
		}
	case *types.Slice:
		if a, ok := a.(*types.Slice); ok {
			both(p.Elem(), a.Elem())
		}
	case *types.Array:
		if a, ok := a.(*types.Array); ok {
			both(p.Elem(), a.Elem())
		}
	case *types.Pointer:
		if a, ok := a.(*types.Pointer); ok {
			both(p.Elem(), a.Elem())
		}
	case *types.Chan:
		if a, ok := a.(*types.Chan); ok {
			both(p.Elem(), a.Elem())
		}
	case *types.Map:
		if a, ok := a.(*types.Map); ok {
			both(p.Key(), a.Key())
			both(p.Elem(), a.Elem())
		}
	case *types.Signature:
		if a, ok := a.(*types.Signature); ok {
			in.tuples(params, p.Params(), a.Params())
			in.tuples(params, p.Results(), a.Results())
		}
	}
}

func (in inference) tuples(params *types.TypeParamList, p, a *types.Tuple) {
	for i := range min(p.Len(), a.Len()) {
		in.unify(params, p.At(i).Type(), a.At(i).Type())
	}
}
