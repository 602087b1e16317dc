package repl

// This file tells how well a completion serves where a value of some type is wanted.

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"halfnote/repl/check"
	"halfnote/repl/symbols"
)

// The ways in which something fits the type that is wanted.
const (
	fits     = iota // it has the type, or is a type that implements it
	becomes         // it is a constant that becomes of the type
	makes           // its call, or a literal of it, gives a value
	unfit           // it does not fit, or nothing is known to be wanted
	unwanted        // it is not to be offered
)

// fit tells how well obj fits what is wanted.
func (l *completions) fit(obj types.Object) int {
	if l.want == nil {
		return unfit
	}
	if l.sketch.Case() && l.sketch.Given(obj) {
		return unwanted
	}
	if l.onlyTypes {
		return l.fitType(obj)
	}
	t := obj.Type()
	switch obj := obj.(type) {
	case *types.Nil:
		if _, isFunc := l.want.Underlying().(*types.Signature); !isFunc &&
			types.AssignableTo(t, l.want) {
			return becomes
		}
	case *types.Var, *types.Const:
		switch {
		case obj.Name() == "iota" || !types.AssignableTo(t, l.want):
		case obj.Pkg() != nil && isUntyped(t) && l.want != l.want.Underlying():
			return becomes
		default:
			return fits
		}
	case *types.Func:
		sig := obj.Signature()
		switch {
		case sig.TypeParams().Len() > 0:
		case types.AssignableTo(sig, l.want):
			return fits
		case sig.Results().Len() == 1 && types.AssignableTo(sig.Results().At(0).Type(), l.want):
			return makes
		}
	case *types.TypeName:
		if types.Identical(t, l.want) && !isBasic(t) && !types.IsInterface(t) {
			return makes
		}
	}
	return unfit
}

// fitType tells how well obj fits where a type is asked for that implements the one wanted.
func (l *completions) fitType(obj types.Object) int {
	iface, ok := l.want.Underlying().(*types.Interface)
	if _, isType := obj.(*types.TypeName); !ok || !isType || obj.Type() == l.want {
		return unfit
	}
	if generic, ok := obj.Type().(*types.Named); ok && generic.TypeParams().Len() > 0 {
		return unfit
	}
	if types.Implements(obj.Type(), iface) {
		return fits
	}
	return unfit
}

func isUntyped(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsUntyped != 0
}

func isBasic(t types.Type) bool {
	_, ok := t.Underlying().(*types.Basic)
	return ok
}

// ofWanted adds what the names that can be seen do not say: the pointers that a type switch asks
// for, and what the package of the wanted type has of it.
func (l *completions) ofWanted() {
	switch {
	case l.want == nil:
	case l.onlyTypes:
		l.pointers()
	default:
		l.fromPackage()
	}
}

// pointers adds those to types of which only a pointer implements what is wanted.
func (l *completions) pointers() {
	iface, ok := l.want.Underlying().(*types.Interface)
	if !ok {
		return
	}
	l.sketch.Visible(func(obj types.Object, isLocal bool) {
		name, ok := obj.(*types.TypeName)
		if !ok || types.IsInterface(obj.Type()) || l.fitType(obj) == fits {
			return
		}
		p := types.NewTypeName(token.NoPos, obj.Pkg(), "*"+name.Name(), types.NewPointer(obj.Type()))
		match := l.match(name.Name())
		if match >= 0 && l.fit(p) == fits && types.Implements(p.Type(), iface) {
			l.take(p.Name(), "type", candidate{match: match, rank: ofSession},
				func() string { return "" })
		}
	})
}

// fromPackage adds the constants, variables and struct types that the package of the wanted type
// has of it, with the package's name: of a tensor.DType, say, tensor.Float16.
func (l *completions) fromPackage() {
	t := types.Unalias(l.want)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() == nil || check.IsCells(named.Obj().Pkg()) {
		return
	}
	pkg := named.Obj().Pkg()
	prefix := l.nameOf(pkg)
	if prefix == "" {
		return
	}
	for _, name := range pkg.Scope().Names() {
		obj := pkg.Scope().Lookup(name)
		if !obj.Exported() {
			continue
		}
		switch obj := obj.(type) {
		case *types.Const, *types.Var:
		case *types.TypeName:
			if obj != named.Obj() {
				continue
			}
		default:
			continue
		}
		match := max(l.match(prefix+"."+name), l.match(name))
		if strings.HasPrefix(prefix+"."+name, l.prefix) {
			match = 0
		}
		fit := unfit
		if match >= 0 {
			fit = l.fit(obj)
		}
		if fit == fits || fit == makes {
			l.take(prefix+"."+name, kindOf(obj), candidate{match: match, fit: fit, rank: ofPackage},
				func() string { return signatureOf(obj) })
		}
	}
}

// nameOf returns the name by which code at the cursor can name a package, or "".
func (l *completions) nameOf(pkg *types.Package) string {
	name, shadowed := "", false
	l.sketch.Visible(func(obj types.Object, _ bool) {
		if p, ok := obj.(*types.PkgName); ok && p.Imported() == pkg {
			name = p.Name()
		} else if obj.Name() == pkg.Name() {
			shadowed = true
		}
	})
	if name == "" && !shadowed && slices.Contains(symbols.ByName(pkg.Name()), pkg.Path()) {
		return pkg.Name()
	}
	return name
}

// labels adds those that a break, continue or goto can name.
func (l *completions) labels(keyword token.Token) {
	names := l.sketch.Labels(keyword)
	if keyword == token.GOTO {
		c := l.cursor
		names = check.Labels(c.src, c.start, c.end)
	}
	for i, name := range names {
		l.put(name, "label", candidate{depth: i}, func() string { return "" })
	}
}
