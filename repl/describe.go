package repl

// This file writes objects of go/types as Go declares them.

import (
	"fmt"
	"go/constant"
	"go/types"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"halfnote/repl/check"
)

// kindOf is the kind of completion that obj is.
func kindOf(obj types.Object) string {
	switch obj := obj.(type) {
	case *types.Func:
		if obj.Signature().Recv() != nil {
			return "method"
		}
		return "function"
	case *types.Builtin:
		return "function"
	case *types.Var:
		if obj.IsField() {
			return "field"
		}
		return "variable"
	case *types.TypeName:
		return "type"
	case *types.PkgName:
		return "package"
	}
	return "constant"
}

// signatureOf is the short form of what obj is, for a list.
func signatureOf(obj types.Object) string {
	switch obj := obj.(type) {
	case *types.Func:
		return "func" + paramText(obj.Signature())
	case *types.Builtin:
		return builtins[obj.Name()].signature
	case *types.Var:
		if sig, ok := obj.Type().(*types.Signature); ok {
			return "func" + paramText(sig)
		}
		return check.TypeText(obj.Type())
	case *types.Const:
		if obj.Pkg() == nil {
			return check.TypeText(obj.Type())
		}
		return check.TypeText(obj.Type()) + " = " + constText(obj.Val())
	case *types.TypeName:
		return typeKind(obj)
	case *types.PkgName:
		return obj.Imported().Path()
	}
	return ""
}

// typeKind is what a type is made of, in short.
func typeKind(obj *types.TypeName) string {
	t := obj.Type()
	if obj.IsAlias() {
		return "= " + check.TypeText(types.Unalias(t))
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return "struct"
	case *types.Interface:
		return "interface"
	default:
		if u == t {
			return "" // a basic type
		}
		return check.TypeText(u)
	}
}

// constText is the value of a constant; long ones are cut.
func constText(v constant.Value) string {
	switch v.Kind() {
	case constant.String:
		const long = 60
		s := constant.StringVal(v)
		if utf8.RuneCountInString(s) > long {
			return fmt.Sprintf("%q…", string([]rune(s)[:long]))
		}
	case constant.Float:
		if f, _ := constant.Float64Val(v); f != 0 && !math.IsInf(f, 0) {
			return strconv.FormatFloat(f, 'g', -1, 64)
		}
	}
	return v.String()
}

// paramText is a signature without the word func. Parameters of one type share it, as people write.
func paramText(sig *types.Signature) string {
	var b strings.Builder
	if params := sig.TypeParams(); params.Len() > 0 {
		b.WriteString(typeParamText(slices.Collect(params.TypeParams())))
	}
	b.WriteString(plainParamText(sig))
	return b.String()
}

// plainParamText is paramText without type parameters.
func plainParamText(sig *types.Signature) string {
	var b strings.Builder
	b.WriteString("(" + tupleText(sig.Params(), sig.Variadic()) + ")")
	results := sig.Results()
	switch {
	case results.Len() == 1 && results.At(0).Name() == "":
		b.WriteString(" " + check.TypeText(results.At(0).Type()))
	case results.Len() > 0:
		b.WriteString(" (" + tupleText(results, false) + ")")
	}
	return b.String()
}

func typeParamText(params []*types.TypeParam) string {
	var parts []string
	for i, p := range params {
		part := p.Obj().Name()
		constraint := check.TypeText(p.Constraint())
		if i+1 == len(params) || check.TypeText(params[i+1].Constraint()) != constraint {
			part += " " + constraint
		}
		parts = append(parts, part)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func tupleText(tuple *types.Tuple, variadic bool) string {
	text := make([]string, tuple.Len())
	for i := range text {
		v := tuple.At(i)
		text[i] = check.TypeText(v.Type())
		if slice, ok := v.Type().(*types.Slice); ok && variadic && i == len(text)-1 {
			text[i] = "..." + check.TypeText(slice.Elem())
		}
	}
	parts := make([]string, len(text))
	for i := range parts {
		name := tuple.At(i).Name()
		switch {
		case name == "":
			parts[i] = text[i]
		case i+1 < len(text) && text[i+1] == text[i] && tuple.At(i+1).Name() != "":
			parts[i] = name
		default:
			parts[i] = name + " " + text[i]
		}
	}
	return strings.Join(parts, ", ")
}

// qualified is obj's name with its package.
func qualified(obj types.Object) string {
	if obj.Pkg() == nil || check.IsCells(obj.Pkg()) {
		return obj.Name()
	}
	return obj.Pkg().Name() + "." + obj.Name()
}

// declaration is obj as Go declares it.
func declaration(obj types.Object) string {
	switch obj := obj.(type) {
	case *types.Func:
		sig := obj.Signature()
		if sig.Recv() == nil {
			return "func " + qualified(obj) + paramText(sig)
		}
		if types.IsInterface(sig.Recv().Type()) {
			return "func (" + receiverText(sig) + ") " + obj.Name() + paramText(sig)
		}
		return "func (" + tupleText(types.NewTuple(sig.Recv()), false) + ") " + obj.Name() +
			paramText(sig)
	case *types.Builtin:
		return "func " + qualified(obj) + strings.TrimPrefix(builtins[obj.Name()].signature, "func")
	case *types.Var:
		if obj.IsField() {
			return "field " + obj.Name() + " " + check.TypeText(obj.Type())
		}
		if obj.Parent() != nil && obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope() {
			return "var " + qualified(obj) + " " + check.TypeText(obj.Type())
		}
		return "var " + obj.Name() + " " + check.TypeText(obj.Type())
	case *types.Const:
		if obj.Pkg() == nil { // true, false, iota
			return obj.Name() + " // " + check.TypeText(obj.Type()) + " constant"
		}
		text := "const " + qualified(obj)
		if b, ok := obj.Type().(*types.Basic); !ok || b.Info()&types.IsUntyped == 0 {
			text += " " + check.TypeText(obj.Type())
		}
		return text + " = " + constText(obj.Val())
	case *types.TypeName:
		return typeDeclaration(obj, obj.Type())
	case *types.Label:
		return "label " + obj.Name()
	case *types.PkgName:
		return packageDeclaration(obj.Imported())
	}
	return obj.Name()
}

func packageDeclaration(p *types.Package) string {
	return fmt.Sprintf("package %s // import %q", p.Name(), p.Path())
}

// receiverText is the type of a method's receiver.
func receiverText(sig *types.Signature) string { return check.TypeText(sig.Recv().Type()) }

// typeDeclaration is the declaration of a type, or of an instance t of it, with the fields and
// methods that can be used, each on a line of its own.
func typeDeclaration(obj *types.TypeName, t types.Type) string {
	head := "type " + qualified(obj)
	named, _ := t.(*types.Named)
	switch {
	case named == nil:
	case named.TypeArgs().Len() > 0:
		head = "type " + check.TypeText(named)
	case named.TypeParams().Len() > 0:
		head += typeParamText(slices.Collect(named.TypeParams().TypeParams()))
	}
	switch {
	case obj.Pkg() == nil && obj.Name() == "any":
		return head + " = interface{}"
	case obj.Pkg() == nil && obj.Name() == "comparable":
		return head
	case obj.IsAlias():
		if types.Unalias(t) == t { // byte, rune
			return head
		}
		return head + " = " + check.TypeText(types.Unalias(t))
	}
	var lines []string
	hidden := false
	add := func(visible bool, line string) {
		if visible {
			lines = append(lines, "\t"+line)
		} else {
			hidden = true
		}
	}
	open := ""
	switch u := t.Underlying().(type) {
	case *types.Struct:
		open = "struct"
		for f := range u.Fields() {
			line := f.Name() + " " + check.TypeText(f.Type())
			if f.Embedded() {
				line = check.TypeText(f.Type())
			}
			add(check.Usable(f), line)
		}
	case *types.Interface:
		open = "interface"
		for m := range u.ExplicitMethods() {
			add(check.Usable(m), m.Name()+paramText(m.Signature()))
		}
		for e := range u.EmbeddedTypes() {
			add(true, check.TypeText(e))
		}
	default:
		if u == t {
			return head
		}
		return head + " " + check.TypeText(u) + methodLines(named)
	}
	if hidden {
		lines = append(lines, "\t// and what is not exported")
	}
	if len(lines) == 0 {
		return head + " " + open + "{}" + methodLines(named)
	}
	return head + " " + open + " {\n" + strings.Join(lines, "\n") + "\n}" + methodLines(named)
}

// methodLines lists the methods that a type declares, then those that it has of embedded fields and
// interfaces.
func methodLines(named *types.Named) string {
	if named == nil {
		return ""
	}
	recv := receiverName(named)
	var lines []string
	own := map[string]bool{}
	for m := range named.Methods() {
		own[m.Name()] = true
		if check.Usable(m) {
			star := ""
			if _, ok := m.Signature().Recv().Type().(*types.Pointer); ok {
				star = "*"
			}
			lines = append(lines, fmt.Sprintf("func (%s%s) %s%s", star, recv, m.Name(),
				paramText(m.Signature())))
		}
	}
	if promoted := promotedLines(named, recv, own); len(promoted) <= mostPromoted {
		lines = append(lines, promoted...)
	} else {
		lines = append(lines, fmt.Sprintf("// and %d methods of what is embedded", len(promoted)))
	}
	if len(lines) == 0 {
		return ""
	}
	return "\n\n" + strings.Join(lines, "\n")
}

// mostPromoted is how many methods of embedded types are listed.
const mostPromoted = 20

// promotedLines lists the methods that a type does not declare itself, with where they are from.
func promotedLines(named *types.Named, recv string, own map[string]bool) []string {
	iface, isInterface := named.Underlying().(*types.Interface)
	if isInterface {
		for m := range iface.ExplicitMethods() {
			own[m.Name()] = true
		}
	}
	values := types.NewMethodSet(named)
	all := values
	if !isInterface {
		all = types.NewMethodSet(types.NewPointer(named))
	}
	var lines []string
	for s := range all.Methods() {
		m, ok := s.Obj().(*types.Func)
		if !ok || own[m.Name()] || !check.Usable(m) {
			continue
		}
		star := "*"
		if values.Lookup(m.Pkg(), m.Name()) != nil {
			star = ""
		}
		from := m.Signature().Recv().Type()
		if p, ok := from.(*types.Pointer); ok {
			from = p.Elem()
		}
		lines = append(lines, fmt.Sprintf("func (%s%s) %s%s // of %s", star, recv, m.Name(),
			paramText(m.Signature()), check.TypeText(from)))
	}
	return lines
}

// receiverName is how the methods of a type write it.
func receiverName(named *types.Named) string {
	var params []string
	for p := range named.TypeParams().TypeParams() {
		params = append(params, p.Obj().Name())
	}
	if named.TypeArgs().Len() > 0 {
		params = nil
		for t := range named.TypeArgs().Types() {
			params = append(params, check.TypeText(t))
		}
	}
	if len(params) == 0 {
		return named.Obj().Name()
	}
	return named.Obj().Name() + "[" + strings.Join(params, ", ") + "]"
}
