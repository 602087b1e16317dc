package random

// This file makes up types.

import (
	"fmt"
	"go/token"
	"go/types"
)

var (
	anyType        = types.Universe.Lookup("any").Type()
	comparableType = types.Universe.Lookup("comparable").Type()

	errorType  = types.Universe.Lookup("error").Type()
	boolType   = types.Typ[types.Bool]
	intType    = types.Typ[types.Int]
	stringType = types.Typ[types.String]
)

// basics are the predeclared types, the frequent ones several times.
var basics = []types.BasicKind{
	types.Int, types.Int, types.Int, types.String, types.String, types.Bool, types.Int8, types.Int16,
	types.Int32, types.Int64, types.Uint, types.Uint8, types.Uint16, types.Uint32, types.Uint64,
	types.Float32, types.Float64, types.Complex128, types.Complex64,
}

func (g *gen) basicType() types.Type { return types.Typ[pick(g, basics)] }

// keyType returns a type of map keys, most often one whose order is known.
func (g *gen) keyType() types.Type {
	switch g.IntN(12) {
	case 0:
		return types.NewArray(types.Typ[types.Int8], 2)
	case 1:
		return boolType
	}
	return types.Typ[pick(g, []types.BasicKind{
		types.Int, types.String, types.Uint8, types.Int64, types.Float64,
	})]
}

// typ returns a type; whole is whether a value of it is to contain only types that are complete.
func (g *gen) typ(depth int, whole bool) types.Type {
	if depth <= 0 {
		return g.leafType(whole)
	}
	inner := func() types.Type { return g.typ(depth-1, false) }
	switch g.IntN(20) {
	case 0, 1, 2:
		return types.NewSlice(inner())
	case 3:
		return types.NewArray(g.typ(depth-1, whole), int64(1+g.IntN(3)))
	case 4, 5:
		return types.NewMap(g.keyType(), inner())
	case 6, 7:
		return types.NewPointer(inner())
	case 8:
		return types.NewSignatureType(nil, nil, nil, g.tuple(g.IntN(3), depth-1),
			g.tuple(g.IntN(2), depth-1), false)
	case 9:
		return anyType
	case 10:
		if len(g.generics) > 0 && !whole {
			return g.instance(pick(g, g.generics))
		}
	case 11:
		return types.NewStruct([]*types.Var{
			g.field("a", g.typ(depth-1, whole)), g.field("b", g.basicType()),
		}, nil)
	case 12:
		return errorType
	case 13:
		return types.NewChan(types.SendRecv, g.basicType())
	}
	return g.leafType(whole)
}

// leafType returns a basic or a named type.
func (g *gen) leafType(whole bool) types.Type {
	known := g.named
	if whole {
		known = g.complete
	}
	switch {
	case len(g.params) > 0 && g.chance(3):
		return pick(g, g.params)
	case len(known) > 0 && g.chance(2):
		return pick(g, known)
	}
	return g.basicType()
}

func (g *gen) tuple(n, depth int) *types.Tuple {
	vars := make([]*types.Var, n)
	for i := range vars {
		vars[i] = types.NewParam(token.NoPos, g.pkg, "", g.typ(depth, false))
	}
	return types.NewTuple(vars...)
}

func (g *gen) field(name string, t types.Type) *types.Var {
	return types.NewField(token.NoPos, g.pkg, name, t, false)
}

// instance returns an instance of a generic type or function, with arguments that satisfy it.
func (g *gen) instance(generic types.Type) types.Type {
	var params *types.TypeParamList
	switch t := generic.(type) {
	case *types.Named:
		params = t.TypeParams()
	case *types.Signature:
		params = t.TypeParams()
	}
	args := make([]types.Type, params.Len())
	for i := range args {
		args[i] = g.argument(params.At(i))
	}
	t, err := types.Instantiate(g.context, generic, args, false)
	if err != nil {
		panic(err)
	}
	return t
}

// argument returns a type for p.
func (g *gen) argument(p *types.TypeParam) types.Type {
	params := g.params
	g.params = nil // in larger types they would make instances without end
	defer func() { g.params = params }()
	for _, own := range params {
		if types.Identical(types.Unalias(own).(*types.TypeParam).Constraint(), p.Constraint()) {
			return own
		}
	}
	constraint := p.Constraint().Underlying().(*types.Interface)
	switch {
	case p.Constraint() == comparableType:
		return g.keyType()
	case p.Constraint() == g.number:
		return types.Typ[pick(g, []types.BasicKind{
			types.Int, types.Int8, types.Uint8, types.Float64, types.Int64,
		})]
	case constraint.NumMethods() > 0:
		if impl := g.implementer(constraint); impl != nil {
			return impl
		}
		return p.Constraint()
	}
	return g.typ(1, false)
}

// implementer returns a type that is no interface and implements iface, or nil.
func (g *gen) implementer(iface *types.Interface) types.Type {
	var list []types.Type
	for _, t := range g.named {
		if types.IsInterface(t) {
			continue
		}
		if types.Implements(t, iface) {
			list = append(list, t)
		}
		if p := types.NewPointer(t); types.Implements(p, iface) {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return pick(g, list)
}

// str is t as the program writes it.
func (g *gen) str(t types.Type) string {
	return types.TypeString(t, func(*types.Package) string { return "" })
}

// conv converts text to t: a type literal may need brackets.
func (g *gen) conv(t types.Type, text string) string {
	switch types.Unalias(t).(type) {
	case *types.Basic, *types.Named, *types.TypeParam:
		return fmt.Sprintf("%s(%s)", g.str(t), text)
	}
	return fmt.Sprintf("(%s)(%s)", g.str(t), text)
}

func isNumber(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

func isParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// ordered reports whether values of t can be compared by <.
func ordered(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsOrdered != 0
}

// comparesSafely reports whether == of two values of t compiles and cannot panic.
func comparesSafely(t types.Type) bool {
	if isParam(t) {
		return types.Comparable(t)
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if !comparesSafely(f.Type()) {
				return false
			}
		}
		return true
	case *types.Array:
		return comparesSafely(u.Elem())
	}
	return types.Comparable(t) && !types.IsInterface(t)
}
