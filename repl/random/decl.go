package random

// This file makes up the program's named types, methods and functions.

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"
)

// declare makes up all types with their methods, and the functions.
func (g *gen) declare() {
	for i := range 3 + g.IntN(3) {
		name := types.NewTypeName(token.NoPos, g.pkg, fmt.Sprintf("T%d", i), nil)
		g.named = append(g.named, types.NewNamed(name, nil, nil))
	}
	for range g.IntN(3) {
		g.generics = append(g.generics, g.genericType())
	}
	g.methods = nil
	for i := range 2 + g.IntN(3) {
		sig := g.signature(nil, nil)
		g.methods = append(g.methods, types.NewFunc(token.NoPos, g.pkg, fmt.Sprintf("M%d", i), sig))
	}
	for i, t := range g.named {
		t.(*types.Named).SetUnderlying(g.underlying(i))
		g.complete = append(g.complete, t)
	}
	for _, t := range g.named {
		if !types.IsInterface(t) {
			g.addMethods(t.(*types.Named))
		}
	}
	for _, t := range g.generics {
		g.addMethods(t.(*types.Named))
	}
	for i := range 3 + g.IntN(3) {
		g.funcs = append(g.funcs, g.function(fmt.Sprintf("F%d", i)))
	}
}

// underlying returns what the named type number i is.
func (g *gen) underlying(i int) types.Type {
	switch g.IntN(9) {
	case 0:
		return g.basicType()
	case 1:
		return types.NewSlice(g.typ(1, false))
	case 2:
		return types.NewMap(g.keyType(), g.typ(1, false))
	case 3:
		return types.NewArray(g.typ(1, true), int64(1+g.IntN(3)))
	case 4:
		return types.NewSignatureType(nil, nil, nil, g.tuple(1, 0), g.tuple(1, 0), false)
	case 5, 6:
		return g.interfaceType()
	}
	return g.structType(i)
}

// interfaceType returns an interface with some of the methods.
func (g *gen) interfaceType() types.Type {
	var methods []*types.Func
	for _, m := range g.methods {
		if g.chance(2) {
			methods = append(methods, types.NewFunc(token.NoPos, g.pkg, m.Name(), m.Signature()))
		}
	}
	if len(methods) == 0 {
		m := g.methods[0]
		methods = append(methods, types.NewFunc(token.NoPos, g.pkg, m.Name(), m.Signature()))
	}
	var embedded []types.Type
	for _, t := range g.complete {
		if types.IsInterface(t) && g.chance(2) {
			embedded = append(embedded, t)
		}
	}
	return types.NewInterfaceType(methods, embedded).Complete()
}

func (g *gen) structType(i int) types.Type {
	var fields []*types.Var
	for _, t := range g.complete {
		if !g.chance(3) {
			continue
		}
		named := t.(*types.Named)
		if !types.IsInterface(t) && g.chance(3) {
			t = types.NewPointer(t)
		}
		fields = append(fields, types.NewField(token.NoPos, g.pkg, named.Obj().Name(), t, true))
	}
	for n := range 1 + g.IntN(4) {
		fields = append(fields, g.field(fmt.Sprintf("f%d", n), g.typ(2, true)))
	}
	if g.chance(5) {
		fields = append(fields, g.field("_", g.basicType()))
	}
	if g.chance(3) {
		fields = append(fields, g.field("next", types.NewPointer(g.named[i])))
	}
	return types.NewStruct(fields, nil)
}

// constraint returns the constraint of a type parameter.
func (g *gen) constraint() types.Type {
	switch g.IntN(5) {
	case 0:
		return comparableType
	case 1, 2:
		return g.number
	case 3:
		for _, t := range g.complete {
			if types.IsInterface(t) {
				return t
			}
		}
	}
	return anyType
}

func (g *gen) typeParam(name string, constraint types.Type) *types.TypeParam {
	return types.NewTypeParam(types.NewTypeName(token.NoPos, g.pkg, name, nil), constraint)
}

// genericType returns a generic struct type.
func (g *gen) genericType() types.Type {
	obj := types.NewTypeName(token.NoPos, g.pkg, fmt.Sprintf("G%d", len(g.generics)), nil)
	named := types.NewNamed(obj, nil, nil)
	params := []*types.TypeParam{g.typeParam("A", anyType)}
	if g.chance(2) {
		params = append(params, g.typeParam("B", comparableType))
	}
	named.SetTypeParams(params)
	for _, p := range params {
		g.params = append(g.params, p)
	}
	args := g.params
	self, err := types.Instantiate(g.context, named, args, false)
	if err != nil {
		panic(err)
	}
	fields := []*types.Var{
		g.field("f0", args[0]),
		g.field("next", types.NewPointer(self)),
		g.field("list", types.NewSlice(args[len(args)-1])),
		g.field("n", intType),
	}
	if len(args) > 1 {
		fields = append(fields, g.field("m", types.NewMap(args[1], args[0])))
	}
	named.SetUnderlying(types.NewStruct(fields, nil))
	g.params = nil
	return named
}

// signature returns a function's parameters and results.
func (g *gen) signature(recv *types.Var, recvParams []*types.TypeParam) *types.Signature {
	var params, results []*types.Var
	for i := range g.IntN(3) {
		params = append(params,
			types.NewParam(token.NoPos, g.pkg, fmt.Sprintf("p%d", i), g.typ(1, false)))
	}
	variadic := g.chance(5)
	if variadic {
		params = append(params,
			types.NewParam(token.NoPos, g.pkg, "more", types.NewSlice(g.leafType(false))))
	}
	named := g.chance(2)
	for i := range g.IntN(3) {
		name := ""
		if named {
			name = fmt.Sprintf("r%d", i)
		}
		results = append(results, types.NewParam(token.NoPos, g.pkg, name, g.typ(1, false)))
	}
	return types.NewSignatureType(recv, recvParams, nil, types.NewTuple(params...),
		types.NewTuple(results...), variadic)
}

// addMethods gives t some of the methods that interfaces have; a generic type has its own.
func (g *gen) addMethods(t *types.Named) {
	receiver := func() (*types.Var, []*types.TypeParam) {
		var recv types.Type = t
		var own []*types.TypeParam
		if t.TypeParams().Len() > 0 {
			g.params = nil
			for p := range t.TypeParams().TypeParams() {
				own = append(own, g.typeParam(p.Obj().Name(), p.Constraint()))
			}
			for _, p := range own {
				g.params = append(g.params, p)
			}
			inst, err := types.Instantiate(g.context, t, g.params, false)
			if err != nil {
				panic(err)
			}
			recv = inst
		}
		if g.chance(2) {
			recv = types.NewPointer(recv)
		}
		return types.NewParam(token.NoPos, g.pkg, "recv", recv), own
	}
	text := types.NewTuple(types.NewParam(token.NoPos, g.pkg, "", stringType))
	for _, name := range []string{"String", "Error"} {
		if g.Values && g.chance(4) {
			recv, own := receiver()
			sig := types.NewSignatureType(recv, own, nil, nil, text, false)
			t.AddMethod(types.NewFunc(token.NoPos, g.pkg, name, sig))
			g.params = nil
			break
		}
	}
	for _, m := range g.methods {
		if g.chance(3) {
			continue
		}
		recv, own := receiver()
		sig := m.Signature()
		if len(own) > 0 {
			sig = g.signature(recv, own)
		} else {
			sig = types.NewSignatureType(recv, nil, nil, sig.Params(), sig.Results(), sig.Variadic())
		}
		g.params = nil
		t.AddMethod(types.NewFunc(token.NoPos, g.pkg, m.Name(), sig))
	}
}

// function returns a function, which may be generic.
func (g *gen) function(name string) *types.Func {
	var params []*types.TypeParam
	if g.chance(3) {
		params = append(params, g.typeParam("X", g.constraint()))
		if g.chance(3) {
			params = append(params, g.typeParam("Y", g.constraint()))
		}
	}
	for _, p := range params {
		g.params = append(g.params, p)
	}
	sig := g.signature(nil, nil)
	g.params = nil
	return types.NewFunc(token.NoPos, g.pkg, name, types.NewSignatureType(nil, nil, params,
		sig.Params(), sig.Results(), sig.Variadic()))
}

// writeTypes writes the declarations of all types.
func (g *gen) writeTypes() {
	for _, t := range append(append([]types.Type{}, g.named...), g.generics...) {
		named := t.(*types.Named)
		params := ""
		if list := named.TypeParams(); list.Len() > 0 {
			params = g.typeParams(list)
		}
		g.line("type %s%s %s", named.Obj().Name(), params, g.str(named.Underlying()))
		g.line("")
	}
}

func (g *gen) typeParams(list *types.TypeParamList) string {
	var texts []string
	for p := range list.TypeParams() {
		texts = append(texts, p.Obj().Name()+" "+g.str(p.Constraint()))
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// writeFuncs writes all methods and functions.
func (g *gen) writeFuncs() {
	for _, t := range append(append([]types.Type{}, g.named...), g.generics...) {
		for m := range t.(*types.Named).Methods() {
			g.writeFunc(m)
		}
	}
	for _, f := range g.funcs {
		g.writeFunc(f)
	}
}

func (g *gen) writeFunc(f *types.Func) {
	g.budget = 7
	sig := f.Signature()
	head := "func "
	g.params = nil
	if recv := sig.Recv(); recv != nil {
		head += fmt.Sprintf("(%s %s) ", recv.Name(), g.str(recv.Type()))
		g.useParams(sig.RecvTypeParams())
	}
	head += f.Name()
	if list := sig.TypeParams(); list.Len() > 0 {
		head += g.typeParams(list)
		g.useParams(list)
	}
	g.line("%s%s {", head, g.header(sig))
	if f.Name() == "Error" { // the interpreter asks a panic for its text
		g.line("return %q", "error of "+g.str(sig.Recv().Type()))
	} else {
		g.body(sig, 2+g.IntN(4))
	}
	g.line("}")
	g.line("")
	g.params = nil
}

func (g *gen) useParams(list *types.TypeParamList) {
	for p := range list.TypeParams() {
		g.params = append(g.params, p)
	}
}
