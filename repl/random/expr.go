package random

// This file writes values. They are pure: nothing that an expression does can be seen, so that the
// order in which its parts are evaluated does not matter.

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"
)

// literal returns a constant of the basic type t, or of a type that is one.
func (g *gen) literal(t types.Type) string {
	b := t.Underlying().(*types.Basic)
	text := ""
	switch {
	case b.Info()&types.IsBoolean != 0:
		text = pick(g, []string{"true", "false"})
	case b.Info()&types.IsString != 0:
		text = pick(g, []string{`"a"`, `"bc"`, `""`, `"déf"`, `"日本"`, "`x\\y`", `"\xff\x00"`})
	case b.Info()&types.IsInteger != 0:
		text = pick(g, []string{"0", "1", "2", "3", "7", "100", "'a'", "0x1f", "1 << 3"})
	case b.Info()&types.IsFloat != 0:
		text = pick(g, []string{"0", "1.5", "2", "-0.25", "1e3", "0.1"})
	default:
		text = pick(g, []string{"1i", "2 + 3i", "0", "complex(1, -2)"})
	}
	return g.conv(t, text)
}

// operand returns a value of the basic type t, or of a type that is one, that is no constant.
func (g *gen) operand(t types.Type) string {
	if p, ok := g.find(t, func(p path) bool { return !strings.HasPrefix(p.text, "const") }); ok {
		return p.text
	}
	return g.conv(t, "g"+types.Typ[t.Underlying().(*types.Basic).Kind()].Name())
}

// expr returns a value of type t that is not nil and not empty, if it can be had.
func (g *gen) expr(t types.Type, depth int) string {
	if depth <= 0 || g.chance(3) {
		if p, ok := g.find(t, func(p path) bool { return p.safe || plain(p.typ) }); ok {
			return p.text
		}
	}
	if isParam(t) {
		return g.paramValue(t, depth)
	}
	if g.chance(10) && !types.IsInterface(t) {
		p, ok := g.findKind(func(u types.Type) bool { return types.Identical(u, t.Underlying()) })
		if ok && (p.safe || plain(p.typ)) {
			return g.conv(t, p.text)
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return g.basic(t, u, depth)
	case *types.Slice:
		return g.slice(t, u, depth)
	case *types.Array:
		if depth <= 0 {
			return g.str(t) + "{}"
		}
		if u.Len() > 1 && g.chance(3) {
			return fmt.Sprintf("%s{1: %s}", g.str(t), g.expr(u.Elem(), depth-1))
		}
		return g.str(t) + "{" + g.list(u.Elem(), int(u.Len()), depth-1) + "}"
	case *types.Map:
		return g.mapValue(t, u, depth)
	case *types.Pointer:
		return g.pointer(u, depth)
	case *types.Signature:
		return g.funcValue(t, u, depth)
	case *types.Struct:
		return g.structValue(t, u, depth)
	case *types.Interface:
		return g.ifaceValue(t, u, depth)
	case *types.Chan:
		return fmt.Sprintf("make(%s, %d)", g.str(t), 1+g.IntN(3))
	}
	panic("no value of type " + g.str(t))
}

// list returns n values.
func (g *gen) list(t types.Type, n, depth int) string {
	values := make([]string, n)
	for i := range values {
		values[i] = g.expr(t, depth)
	}
	return strings.Join(values, ", ")
}

func (g *gen) paramValue(t types.Type, depth int) string {
	c := types.Unalias(t).(*types.TypeParam).Constraint()
	p, found := g.find(t, nil)
	if c == g.number {
		if found && depth > 0 {
			return fmt.Sprintf("(%s %s %s)", p.text, pick(g, []string{"+", "-", "*"}),
				g.expr(t, depth-1))
		}
		return fmt.Sprintf("%s(%d)", g.str(t), g.IntN(9))
	}
	if found {
		return p.text
	}
	return "*new(" + g.str(t) + ")"
}

func (g *gen) basic(t types.Type, b *types.Basic, depth int) string {
	if depth <= 0 || g.chance(8) {
		return g.literal(t)
	}
	sub := func(t types.Type) string { return g.expr(t, depth-1) }
	switch info := b.Info(); {
	case info&types.IsInteger != 0:
		return g.integer(t, depth)
	case info&types.IsFloat != 0:
		switch g.IntN(5) {
		case 0:
			return g.conv(t, g.operand(g.basicOf(types.IsInteger|types.IsFloat)))
		case 1:
			return fmt.Sprintf("%s(%s, %s)", pick(g, []string{"min", "max"}), sub(t), sub(t))
		case 2:
			return "-" + g.operand(t)
		}
		return g.binary(t, []string{"+", "-", "*", "/"}, depth)
	case info&types.IsComplex != 0:
		return g.binary(t, []string{"+", "-", "*"}, depth)
	case info&types.IsString != 0:
		switch g.IntN(6) {
		case 0:
			return g.conv(t, "string(rune(65 + uint8("+g.operand(intType)+")%26))")
		case 1:
			return g.conv(t, "fmt.Sprint("+g.operand(intType)+")")
		case 2:
			s := g.operand(t)
			return fmt.Sprintf("%s[len(%s)/2:]", s, s)
		case 3:
			return g.conv(t, "string([]byte("+sub(stringType)+"))")
		case 4:
			return fmt.Sprintf("max(%s, %s)", sub(t), g.operand(t))
		}
		return g.conv(t, "clip(string("+sub(t)+") + string("+sub(t)+"))")
	}
	return g.boolean(t, depth)
}

func (g *gen) binary(t types.Type, ops []string, depth int) string {
	left, right := g.operand(t), g.expr(t, depth-1)
	if g.chance(3) {
		left = g.conv(t, "("+left+")")
	}
	return fmt.Sprintf("(%s %s %s)", left, pick(g, ops), right)
}

// basicOf returns a basic type of that kind.
func (g *gen) basicOf(info types.BasicInfo) types.Type {
	for {
		if t := g.basicType(); t.(*types.Basic).Info()&info != 0 {
			return t
		}
	}
}

func (g *gen) integer(t types.Type, depth int) string {
	x := g.operand(t)
	switch g.IntN(12) {
	case 0:
		return g.conv(t, g.operand(g.basicOf(types.IsInteger)))
	case 1:
		return fmt.Sprintf("(%s %s (%s | 1))", x, pick(g, []string{"/", "%"}), g.expr(t, depth-1))
	case 2:
		count := g.operand(g.basicOf(types.IsInteger))
		return fmt.Sprintf("(%s %s (%s & %d))", x, pick(g, []string{"<<", ">>"}), count,
			pick(g, []int{3, 15, 63, 70}))
	case 3:
		return pick(g, []string{"-", "^", "+"}) + x
	case 4:
		return fmt.Sprintf("%s(%s, %s)", pick(g, []string{"min", "max"}), x, g.expr(t, depth-1))
	case 5:
		if p, ok := g.findKind(func(u types.Type) bool { return hasLen(u) }); ok {
			return g.conv(t, "len("+p.text+")")
		}
	case 6:
		return g.conv(t, "whole("+g.expr(types.Typ[types.Float64], depth-1)+")")
	case 7:
		s := g.operand(stringType)
		return g.conv(t, fmt.Sprintf("(%s + \"x\")[len(%s)/2]", s, s))
	case 8:
		return fmt.Sprintf("(%s << %d)", x, g.IntN(9))
	}
	return g.binary(t, []string{"+", "-", "*", "&", "|", "^", "&^"}, depth)
}

func hasLen(t types.Type) bool {
	switch u := t.(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0
	case *types.Slice, *types.Map, *types.Chan, *types.Array:
		return true
	}
	return false
}

func (g *gen) boolean(t types.Type, depth int) string {
	switch g.IntN(8) {
	case 0, 1, 2:
		k := g.basicType()
		if !ordered(k) {
			k = intType
		}
		return g.conv(t, fmt.Sprintf("(%s %s %s)", g.operand(k),
			pick(g, []string{"==", "!=", "<", "<=", ">", ">="}), g.expr(k, depth-1)))
	case 3:
		return "!" + g.operand(t)
	case 4:
		var list []path
		for _, p := range g.paths() {
			if comparesSafely(p.typ) {
				list = append(list, p)
			}
		}
		if len(list) > 0 {
			p := pick(g, list)
			return g.conv(t, fmt.Sprintf("(%s == %s)", p.text, g.expr(p.typ, depth-1)))
		}
	case 5:
		p, ok := g.findKind(func(u types.Type) bool {
			switch u.(type) {
			case *types.Slice, *types.Map, *types.Pointer, *types.Signature, *types.Chan,
				*types.Interface:
				return true
			}
			return false
		})
		if ok {
			return g.conv(t, fmt.Sprintf("(%s %s nil)", p.text, pick(g, []string{"==", "!="})))
		}
	}
	return fmt.Sprintf("(%s %s %s)", g.operand(t), pick(g, []string{"&&", "||"}),
		g.expr(t, depth-1))
}

func (g *gen) slice(t types.Type, u *types.Slice, depth int) string {
	if depth <= 0 {
		return fmt.Sprintf("make(%s, %d)", g.str(t), 1+g.IntN(3))
	}
	switch g.IntN(6) {
	case 0:
		if p, ok := g.find(t, isSafe); ok {
			return fmt.Sprintf("append(%s[:1:1], %s)", p.text, g.list(u.Elem(), 1+g.IntN(2), depth-1))
		}
	case 1:
		return fmt.Sprintf("make(%s, %d, %d)", g.str(t), 1+g.IntN(3), 3+g.IntN(3))
	case 2:
		p, ok := g.findKind(func(under types.Type) bool {
			a, ok := under.(*types.Array)
			return ok && types.Identical(a.Elem(), u.Elem())
		})
		if ok && p.addressable {
			return g.conv(t, p.text+"[:]")
		}
	case 3:
		if types.Identical(t, types.NewSlice(types.Typ[types.Uint8])) {
			return "[]byte(\"b\" + " + g.expr(stringType, depth-1) + ")"
		}
		if types.Identical(t, types.NewSlice(types.Typ[types.Int32])) {
			return "[]rune(\"é\" + " + g.expr(stringType, depth-1) + ")"
		}
	case 4:
		return fmt.Sprintf("%s{2: %s}", g.str(t), g.expr(u.Elem(), depth-1))
	}
	return fmt.Sprintf("%s{%s}", g.str(t), g.list(u.Elem(), 1+g.IntN(3), depth-1))
}

func (g *gen) mapValue(t types.Type, u *types.Map, depth int) string {
	if depth <= 0 || g.chance(4) {
		return fmt.Sprintf("make(%s)", g.str(t))
	}
	if !ordered(u.Key()) {
		return fmt.Sprintf("%s{%s: %s}", g.str(t), g.expr(u.Key(), depth-1), g.expr(u.Elem(), depth-1))
	}
	keys := []string{"1", "2", "30"}
	if b := u.Key().Underlying().(*types.Basic); b.Info()&types.IsString != 0 {
		keys = []string{`"a"`, `"bc"`, `""`}
	}
	var pairs []string
	for _, k := range keys[:g.IntN(4)] {
		pairs = append(pairs, k+": "+g.expr(u.Elem(), depth-1))
	}
	return g.str(t) + "{" + strings.Join(pairs, ", ") + "}"
}

func (g *gen) pointer(u *types.Pointer, depth int) string {
	elem := u.Elem()
	if g.chance(2) {
		p, ok := g.find(elem, func(p path) bool { return p.addressable })
		if ok {
			return "&" + p.text
		}
	}
	if !isParam(elem) && depth > 0 && g.chance(2) {
		switch elem.Underlying().(type) {
		case *types.Struct:
			return "&" + g.structValue(elem, elem.Underlying().(*types.Struct), depth)
		case *types.Basic:
			return "new(" + g.expr(elem, depth-1) + ")"
		}
	}
	return "new(" + g.str(elem) + ")"
}

func (g *gen) structValue(t types.Type, u *types.Struct, depth int) string {
	if depth <= 0 {
		return g.str(t) + "{}"
	}
	blank := false
	for f := range u.Fields() {
		blank = blank || f.Name() == "_"
	}
	var fields []string
	positional := !blank && g.chance(3)
	for f := range u.Fields() {
		pointed := f.Embedded() && !plain(f.Type())
		switch {
		case positional:
			fields = append(fields, g.expr(f.Type(), depth-1))
		case f.Name() != "_" && (pointed || !g.chance(3)):
			fields = append(fields, f.Name()+": "+g.expr(f.Type(), depth-1))
		}
	}
	return g.str(t) + "{" + strings.Join(fields, ", ") + "}"
}

func (g *gen) ifaceValue(t types.Type, u *types.Interface, depth int) string {
	if u.NumMethods() == 0 {
		if depth <= 0 {
			return g.conv(t, g.literal(g.basicType()))
		}
		return g.conv(t, g.expr(g.typ(1, false), depth-1))
	}
	if types.Identical(t, errorType) && (depth <= 0 || g.chance(2) || g.implementer(u) == nil) {
		return fmt.Sprintf("fmt.Errorf(\"e%%d\", %s)", g.expr(intType, depth-1))
	}
	if impl := g.implementer(u); impl != nil {
		return g.conv(t, g.expr(impl, depth-1))
	}
	return g.conv(t, "nil")
}

// funcValue returns a function: a literal, one of the program's, or a method of a value.
func (g *gen) funcValue(t types.Type, u *types.Signature, depth int) string {
	if depth > 0 && g.nested < 9 {
		for _, f := range g.funcs {
			if types.Identical(f.Type(), u) && g.chance(2) {
				return f.Name()
			}
		}
		if m, ok := g.methodValue(u); ok && g.chance(2) {
			return m
		}
	}
	sig := g.withNames(u)
	head := "func" + g.header(sig)
	if depth <= 0 || g.nested > 1 {
		return g.conv(t, head+" { "+g.zeroReturn(sig)+" }")
	}
	before := g.frame
	text := g.capture(func() {
		g.frame = frame{nested: before.nested + 1, budget: 4}
		g.body(sig, 1+g.IntN(3))
	})
	g.frame = before
	return g.conv(t, head+" {\n"+text+"}")
}

// methodValue returns a method of a variable that has the signature u.
func (g *gen) methodValue(u *types.Signature) (string, bool) {
	for _, p := range g.paths() {
		if !p.safe && !plain(p.typ) || isParam(p.typ) {
			continue
		}
		for _, m := range g.methods {
			f, ok := g.method(p, m.Name())
			if ok && types.Identical(f.Type(), u) {
				return p.text + "." + m.Name(), true
			}
		}
	}
	return "", false
}

// withNames returns u with names for all parameters.
func (g *gen) withNames(u *types.Signature) *types.Signature {
	var params []*types.Var
	for p := range u.Params().Variables() {
		params = append(params, types.NewParam(token.NoPos, g.pkg, g.name("p"), p.Type()))
	}
	return types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), u.Results(),
		u.Variadic())
}

// header is the signature behind the name of a function.
func (g *gen) header(sig *types.Signature) string {
	plain := types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())
	return strings.TrimPrefix(g.str(plain), "func")
}

// zeroReturn is a return of zero values.
func (g *gen) zeroReturn(sig *types.Signature) string {
	if sig.Results().Len() > 0 && sig.Results().At(0).Name() == "" {
		return "return " + g.zeros(sig.Results())
	}
	return "return"
}

func (g *gen) zeros(list *types.Tuple) string {
	var values []string
	for v := range list.Variables() {
		values = append(values, "*new("+g.str(v.Type())+")")
	}
	return strings.Join(values, ", ")
}
