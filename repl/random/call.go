package random

// This file writes calls of the program's functions and methods, each in a statement of its own.

import (
	"fmt"
	"go/types"
	"strings"
)

// call writes a call and what is done with its results.
func (g *gen) call() {
	text, results, ok := g.anyCall()
	if !ok {
		g.variable(g.typ(1, false))
		return
	}
	switch n := results.Len(); {
	case n == 0 || g.chance(6):
		g.line("%s", text)
	case n > 1 && g.chance(4):
		var params, values []string
		for r := range results.Variables() {
			p := g.name("p")
			params = append(params, p+" "+g.str(r.Type()))
			values = append(values, "kind("+p+")")
		}
		g.line("func(%s) {\nout(%s)\n}(%s)", strings.Join(params, ", "), strings.Join(values, ", "),
			text)
	case n == 1:
		g.bind(text, results.At(0).Type())
	default:
		names := make([]string, n)
		for i := range names {
			names[i] = g.name("v")
			if g.chance(5) && i > 0 {
				names[i] = "_"
			}
		}
		g.line("%s := %s", strings.Join(names, ", "), text)
		for i, name := range names {
			if name != "_" {
				g.known(name, results.At(i).Type(), true)
			}
		}
	}
}

// bind does something with a call that gives one value of type t.
func (g *gen) bind(text string, t types.Type) {
	vars := g.variables(t)
	switch {
	case t == boolType && g.chance(2):
		g.line("if (%s) {", text)
		g.block(1)
		g.line("}")
	case len(vars) > 0 && g.chance(2):
		g.line("%s = %s", pick(g, vars), text)
	case g.chance(4):
		g.line("out(kind(%s))", text)
	default:
		name := g.name("v")
		g.line("var %s %s = %s", name, g.str(t), text)
		g.known(name, t, true)
	}
}

// mixed writes a call beside operands that it may change: compiled programs read them after it.
func (g *gen) mixed() {
	text, results, ok := g.anyCall()
	if !ok || results.Len() != 1 || !isInteger(results.At(0).Type()) {
		g.call()
		return
	}
	t := results.At(0).Type()
	op := pick(g, []string{"+", "-", "*", "^"})
	p, found := g.find(t, func(p path) bool { return !strings.Contains(p.text, "[") })
	if !found {
		p.text = g.operand(t)
	}
	switch g.IntN(4) {
	case 0:
		g.line("out(kind(%s %s %s))", p.text, op, text)
	case 1:
		g.line("out(kind(%s %s %s))", text, op, p.text)
	case 2:
		v := g.name("v")
		g.line("%s := %s %s %s %s tr[%s](1, %s)", v, p.text, op, text, op, g.str(t), p.text)
		g.known(v, t, true)
	default:
		v := g.name("v")
		g.line("%s := []%s{%s, %s, %s}", v, g.str(t), p.text, text, p.text)
		g.known(v, types.NewSlice(t), true)
		g.line("out(kind(%s[0]), kind(%s[1]), kind(%s[2]))", v, v, v)
	}
}

// anyCall returns a call of something that can be called, and its results.
func (g *gen) anyCall() (text string, results *types.Tuple, ok bool) {
	switch g.IntN(8) {
	case 0, 1, 2:
		return g.funcCall()
	case 3:
		p, ok := g.findKind(func(u types.Type) bool { _, ok := u.(*types.Signature); return ok })
		if !ok || !p.safe {
			return g.funcCall()
		}
		sig := p.typ.Underlying().(*types.Signature)
		return p.text + g.args(sig), sig.Results(), true
	case 4:
		t := types.Typ[pick(g, []types.BasicKind{types.Int, types.Float64, types.Uint8})]
		return "sum(" + g.list(t, 1+g.IntN(3), 2) + ")", tupleOf(t), true
	case 5:
		from, to := g.typ(1, false), g.typ(0, false)
		f := types.NewSignatureType(nil, nil, nil, tupleOf(from), tupleOf(to), false)
		return fmt.Sprintf("mapped[%s, %s](%s, %s)", g.str(from), g.str(to),
				g.expr(types.NewSlice(from), 2), g.expr(f, 2)),
			tupleOf(types.NewSlice(to)), true
	}
	return g.methodCall()
}

func tupleOf(t types.Type) *types.Tuple {
	return types.NewTuple(types.NewParam(0, nil, "", t))
}

// funcCall calls one of the program's functions.
func (g *gen) funcCall() (string, *types.Tuple, bool) {
	if len(g.funcs) == 0 {
		return "", nil, false
	}
	f := pick(g, g.funcs)
	sig, name := f.Signature(), f.Name()
	if params := sig.TypeParams(); params.Len() > 0 {
		inst := g.instance(sig).(*types.Signature)
		args, ok := g.typeArgs(sig, inst)
		if !ok || g.chance(2) {
			var texts []string
			for p := range params.TypeParams() {
				t, known := args[p]
				if !known {
					return "", nil, false
				}
				texts = append(texts, g.str(t))
			}
			name += "[" + strings.Join(texts, ", ") + "]"
		}
		sig = inst
	}
	return name + g.args(sig), sig.Results(), true
}

// typeArgs finds out for which types the instance inst of sig was made; ok is whether all stand in
// the parameters, so that Go finds them out, too.
func (g *gen) typeArgs(sig, inst *types.Signature) (args map[*types.TypeParam]types.Type, ok bool) {
	args = map[*types.TypeParam]types.Type{}
	match := func(from, to *types.Tuple) {
		for i := range from.Len() {
			unify(from.At(i).Type(), to.At(i).Type(), args)
		}
	}
	match(sig.Params(), inst.Params())
	ok = len(args) == sig.TypeParams().Len() && !sig.Variadic()
	match(sig.Results(), inst.Results())
	return args, ok
}

// unify notes what stands in to where from has a type parameter.
func unify(from, to types.Type, args map[*types.TypeParam]types.Type) {
	switch f := types.Unalias(from).(type) {
	case *types.TypeParam:
		args[f] = to
	case *types.Slice:
		unify(f.Elem(), to.(*types.Slice).Elem(), args)
	case *types.Array:
		unify(f.Elem(), to.(*types.Array).Elem(), args)
	case *types.Pointer:
		unify(f.Elem(), to.(*types.Pointer).Elem(), args)
	case *types.Map:
		unify(f.Elem(), to.(*types.Map).Elem(), args)
	}
}

// methodCall calls a method of a variable, in one of the ways there are.
func (g *gen) methodCall() (string, *types.Tuple, bool) {
	type candidate struct {
		p path
		f *types.Func
	}
	var list []candidate
	for _, p := range g.paths() {
		if !p.safe && !plain(p.typ) {
			continue
		}
		for i := range 6 {
			if f, ok := g.method(p, fmt.Sprintf("M%d", i)); ok {
				list = append(list, candidate{p, f})
			}
		}
	}
	if len(list) == 0 {
		return g.funcCall()
	}
	c := pick(g, list)
	sig := c.f.Signature()
	if _, ok := types.Unalias(c.p.typ).(*types.Named); ok && g.chance(5) && !sig.Variadic() {
		// A method expression, where the method belongs to the type itself.
		if obj, _, _ := types.LookupFieldOrMethod(c.p.typ, false, g.pkg, c.f.Name()); obj == c.f {
			return fmt.Sprintf("%s.%s(%s)", g.str(c.p.typ), c.f.Name(),
				strings.Join(append([]string{c.p.text}, g.argList(sig)...), ", ")), sig.Results(), true
		}
	}
	return c.p.text + "." + c.f.Name() + g.args(sig), sig.Results(), true
}

// args is the list of arguments of a call, in brackets.
func (g *gen) args(sig *types.Signature) string {
	list := g.argList(sig)
	text := strings.Join(list, ", ")
	if sig.Variadic() && len(list) == sig.Params().Len() && g.chance(2) {
		last := sig.Params().At(sig.Params().Len() - 1).Type()
		list[len(list)-1] = g.expr(last, 1) + "..."
		text = strings.Join(list, ", ")
	}
	return "(" + text + ")"
}

func (g *gen) argList(sig *types.Signature) []string {
	var list []string
	params := sig.Params()
	for i := range params.Len() {
		t := params.At(i).Type()
		if !sig.Variadic() || i < params.Len()-1 {
			list = append(list, g.typed(t, g.expr(t, 2)))
			continue
		}
		for range g.IntN(3) {
			elem := t.(*types.Slice).Elem()
			list = append(list, g.typed(elem, g.expr(elem, 1)))
		}
	}
	return list
}
