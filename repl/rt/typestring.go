package rt

import (
	"go/types"
	"iter"
	"strconv"
	"strings"
)

// typeString returns t as reflect prints a compiled type: main.P, struct { X int }, interface {}.
func typeString(t types.Type) string {
	var p typePrinter
	p.typ(t)
	return p.String()
}

type typePrinter struct {
	strings.Builder
	inArgs bool // in type arguments the path of the package is told, also of fields
}

func (p *typePrinter) typ(t types.Type) {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			p.WriteString("unsafe.Pointer")
			return
		}
		t, _ = types.Default(t).(*types.Basic)
		p.WriteString(types.Typ[t.Kind()].Name()) // byte is uint8
	case *types.Named:
		p.named(t)
	case *types.Pointer:
		p.WriteByte('*')
		p.typ(t.Elem())
	case *types.Slice:
		p.WriteString("[]")
		p.typ(t.Elem())
	case *types.Array:
		p.WriteString("[" + strconv.FormatInt(t.Len(), 10) + "]")
		p.typ(t.Elem())
	case *types.Map:
		p.WriteString("map[")
		p.typ(t.Key())
		p.WriteByte(']')
		p.typ(t.Elem())
	case *types.Chan:
		p.channel(t)
	case *types.Signature:
		p.WriteString("func")
		p.signature(t)
	case *types.Struct:
		p.structure(t)
	case *types.Interface:
		p.methods(t)
	default:
		p.WriteString(t.String())
	}
}

func (p *typePrinter) named(t *types.Named) {
	obj := t.Obj()
	if pkg := obj.Pkg(); pkg != nil {
		if p.inArgs {
			p.WriteString(pkg.Path() + ".")
		} else {
			p.WriteString(pkg.Name() + ".")
		}
	}
	p.WriteString(obj.Name())
	if t.TypeArgs().Len() > 0 {
		p.args(t.TypeArgs().Types())
	}
}

// args writes type arguments.
func (p *typePrinter) args(list iter.Seq[types.Type]) {
	defer func(before bool) { p.inArgs = before }(p.inArgs)
	p.inArgs = true
	between := byte('[')
	for t := range list {
		p.WriteByte(between)
		p.typ(t)
		between = ','
	}
	p.WriteByte(']')
}

// InstanceName returns the name that reflect gives to an instance of a compiled package's generic
// type or function name.
func InstanceName(name string, args iter.Seq[types.Type]) string {
	var p typePrinter
	p.WriteString(name)
	p.args(args)
	return p.String()
}

func (p *typePrinter) channel(t *types.Chan) {
	switch t.Dir() {
	case types.SendOnly:
		p.WriteString("chan<- ")
	case types.RecvOnly:
		p.WriteString("<-chan ")
	default:
		p.WriteString("chan ")
		if e, ok := types.Unalias(t.Elem()).(*types.Chan); ok && e.Dir() == types.RecvOnly {
			p.WriteByte('(')
			p.typ(e)
			p.WriteByte(')')
			return
		}
	}
	p.typ(t.Elem())
}

func (p *typePrinter) signature(t *types.Signature) {
	p.tuple(t.Params(), t.Variadic())
	switch results := t.Results(); results.Len() {
	case 0:
	case 1:
		p.WriteByte(' ')
		p.typ(results.At(0).Type())
	default:
		p.WriteByte(' ')
		p.tuple(results, false)
	}
}

func (p *typePrinter) tuple(t *types.Tuple, variadic bool) {
	p.WriteByte('(')
	for i := range t.Len() {
		if i > 0 {
			p.WriteString(", ")
		}
		typ := t.At(i).Type()
		if variadic && i == t.Len()-1 {
			if s, ok := typ.Underlying().(*types.Slice); ok {
				p.WriteString("...")
				typ = s.Elem()
			}
		}
		p.typ(typ)
	}
	p.WriteByte(')')
}

func (p *typePrinter) structure(t *types.Struct) {
	if t.NumFields() == 0 {
		p.WriteString("struct {}")
		return
	}
	p.WriteString("struct {")
	for i := range t.NumFields() {
		if i > 0 {
			p.WriteByte(';')
		}
		p.WriteByte(' ')
		if f := t.Field(i); !f.Embedded() {
			if p.inArgs && !f.Exported() {
				p.WriteString(f.Pkg().Path() + ".")
			}
			p.WriteString(f.Name() + " ")
		}
		p.typ(t.Field(i).Type())
		if tag := t.Tag(i); tag != "" {
			p.WriteString(" " + strconv.Quote(tag))
		}
	}
	p.WriteString(" }")
}

func (p *typePrinter) methods(t *types.Interface) {
	if t.NumMethods() == 0 {
		p.WriteString("interface {}")
		return
	}
	p.WriteString("interface {")
	for i := range t.NumMethods() {
		if i > 0 {
			p.WriteByte(';')
		}
		p.WriteByte(' ')
		m := t.Method(i)
		if !m.Exported() && m.Pkg() != nil {
			pkg := m.Pkg().Name()
			if p.inArgs {
				pkg = m.Pkg().Path()
			}
			p.WriteString(pkg + ".")
		}
		p.WriteString(m.Name())
		p.signature(m.Signature())
	}
	p.WriteString(" }")
}
