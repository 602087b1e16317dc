package ir

import (
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Fprint writes u as text that reads like Go, for debugging. Struct types are written by the names
// of their fields, a variable is told from an earlier one of its name by a number, the captures of
// a closure stand in brackets, and what an Extern of the session stands for is not shown.
func Fprint(w io.Writer, u *Unit) error {
	p := &printer{names: map[*Var]string{}, used: map[string]int{}}
	for _, f := range u.Funcs {
		p.function("func "+f.Name, f)
	}
	if u.Entry != nil {
		p.function("func "+u.Entry.Name, u.Entry)
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// Sprint returns u as text; see Fprint.
func Sprint(u *Unit) string {
	var b strings.Builder
	Fprint(&b, u)
	return b.String()
}

type printer struct {
	strings.Builder
	indent int
	names  map[*Var]string
	used   map[string]int
}

func (p *printer) line(format string, args ...any) {
	p.WriteString(strings.Repeat("\t", p.indent))
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// name returns v's name, with a number when an earlier variable has the same.
func (p *printer) name(v *Var) string {
	if v == nil {
		return "_"
	}
	name, ok := p.names[v]
	if !ok {
		name = v.Name
		if n := p.used[v.Name]; n > 0 {
			name = fmt.Sprintf("%s#%d", v.Name, n+1)
		}
		p.used[v.Name]++
		p.names[v] = name
	}
	return name
}

func (p *printer) vars(vs []*Var) string {
	var names []string
	for _, v := range vs {
		names = append(names, p.name(v))
	}
	return strings.Join(names, ", ")
}

func (p *printer) function(head string, f *Func) {
	p.line("%s%s {", head, p.signature(f))
	p.body(f.Body)
	p.line("}")
}

func (p *printer) signature(f *Func) string {
	var params []string
	for i, v := range f.Params {
		t := typeText(f.Typ.In(i))
		if f.Variadic && i == len(f.Params)-1 {
			t = "..." + typeText(f.Typ.In(i).Elem())
		}
		params = append(params, p.name(v)+" "+t)
	}
	var results []string
	for i := range f.Typ.NumOut() {
		results = append(results, typeText(f.Typ.Out(i)))
	}
	text := "(" + strings.Join(params, ", ") + ")"
	switch len(results) {
	case 0:
		return text
	case 1:
		return text + " " + results[0]
	}
	return text + " (" + strings.Join(results, ", ") + ")"
}

// typeText shortens struct types, which carry unique tags, to their field names.
func typeText(t reflect.Type) string {
	if t.Name() != "" {
		return t.String()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + typeText(t.Elem())
	case reflect.Struct:
		var names []string
		for i := range t.NumField() {
			names = append(names, t.Field(i).Name)
		}
		return "struct{" + strings.Join(names, ",") + "}"
	case reflect.Slice:
		if t.Elem() != t {
			return "[]" + typeText(t.Elem())
		}
	}
	if t == reflect.TypeFor[any]() {
		return "any"
	}
	return t.String()
}

func (p *printer) body(list []Stmt) {
	p.indent++
	for _, s := range list {
		p.stmt(s)
	}
	p.indent--
}

func label(name string) string {
	if name == "" {
		return ""
	}
	return name + ": "
}

func (p *printer) stmt(s Stmt) {
	switch s := s.(type) {
	case *Define:
		init := p.expr(s.Init)
		p.line("var %s %s = %s", p.name(s.Var), typeText(s.Var.Typ), init)
	case *DefineMany:
		x := p.expr(s.X)
		p.line("%s := %s", p.vars(s.Vars), x)
	case *Assign:
		p.line("%s = %s", p.expr(s.Lhs), p.expr(s.Rhs))
	case *ExprStmt:
		p.line("%s", p.expr(s.X))
	case *Send:
		p.line("%s <- %s", p.expr(s.Chan), p.expr(s.X))
	case *If:
		p.line("if %s {", p.expr(s.Cond))
		p.body(s.Then)
		if len(s.Else) > 0 {
			p.line("} else {")
			p.body(s.Else)
		}
		p.line("}")
	case *Loop:
		p.loop(s)
	case *Range:
		x := p.expr(s.X)
		p.line("%sfor %s := range %s {", label(s.Label), p.vars([]*Var{s.Key, s.Value}), x)
		p.body(s.Body)
		p.line("}")
	case *Switch:
		p.line("%sswitch %s {", label(s.Label), p.expr(s.Tag))
		for _, c := range s.Clauses {
			if c.Values == nil {
				p.line("default:")
			} else {
				values := strings.Trim(fmt.Sprint(c.Values), "[]")
				p.line("case %s:", strings.ReplaceAll(values, " ", ", "))
			}
			p.body(c.Body)
		}
		p.line("}")
	case *Select:
		p.line("%sselect {", label(s.Label))
		for _, c := range s.Clauses {
			p.comm(c)
		}
		p.line("}")
	case *Block:
		p.line("{")
		p.body(s.Body)
		p.line("}")
	case *Label:
		p.line("%s:", s.Name)
	case *Goto:
		p.line("goto %s", s.Label)
	case *Break:
		p.line("%s", strings.TrimSpace("break "+s.Label))
	case *Continue:
		p.line("%s", strings.TrimSpace("continue "+s.Label))
	case *Return:
		p.line("%s", strings.TrimSpace("return "+p.exprs(s.Results)))
	default:
		p.line("%T", s)
	}
}

func (p *printer) loop(s *Loop) {
	cond := ""
	if s.Cond != nil {
		cond = p.expr(s.Cond) + " "
	}
	p.line("%sfor %s{", label(s.Label), cond)
	p.body(s.Body)
	if len(s.Post) > 0 {
		p.line("} post {")
		p.body(s.Post)
	}
	p.line("}")
}

func (p *printer) comm(c Comm) {
	switch {
	case c.Chan == nil:
		p.line("default:")
	case c.Send != nil:
		p.line("case %s <- %s:", p.expr(c.Chan), p.expr(c.Send))
	default:
		ch := p.expr(c.Chan)
		p.line("case %s := <-%s:", p.vars([]*Var{c.Value, c.Ok}), ch)
	}
	p.body(c.Body)
}

func (p *printer) exprs(list []Expr) string {
	var texts []string
	for _, x := range list {
		texts = append(texts, p.expr(x))
	}
	return strings.Join(texts, ", ")
}

func (p *printer) args(list []Expr, spread bool) string {
	text := p.exprs(list)
	if spread {
		text += "..."
	}
	return "(" + text + ")"
}

func (p *printer) expr(x Expr) string {
	switch x := x.(type) {
	case nil:
		return ""
	case *Const:
		if x.Typ.Name() == "int" || x.Typ.Name() == "string" || x.Typ.Name() == "bool" {
			return x.Val.ExactString()
		}
		return typeText(x.Typ) + "(" + x.Val.String() + ")"
	case *Zero:
		return "zero(" + typeText(x.Typ) + ")"
	case *Local:
		return p.name(x.Var)
	case *Extern:
		return x.Pkg + "." + x.Name
	case *FuncRef:
		return x.Func.Name
	case *Closure:
		return p.closure(x)
	case *Call:
		return p.expr(x.Fun) + p.args(x.Args, x.Spread)
	case *Method:
		return p.expr(x.X) + "." + x.Name
	case *Builtin:
		return p.builtin(x)
	case *Field:
		return p.expr(x.X) + "." + p.field(x)
	case *Index:
		return p.expr(x.X) + "[" + p.expr(x.I) + "]"
	case *Slice:
		text := p.expr(x.X) + "[" + p.expr(x.Lo) + ":" + p.expr(x.Hi)
		if x.Max != nil {
			text += ":" + p.expr(x.Max)
		}
		return text + "]"
	case *Deref:
		return "*" + p.expr(x.X)
	case *Addr:
		return "&" + p.expr(x.X)
	case *Unary:
		return x.Op.String() + p.expr(x.X)
	case *Binary:
		return "(" + p.expr(x.X) + " " + x.Op.String() + " " + p.expr(x.Y) + ")"
	case *Convert:
		return typeText(x.Typ) + "(" + p.expr(x.X) + ")"
	case *Iface:
		return "iface[" + typeText(x.Typ) + "](" + p.expr(x.X) + ")"
	case *Assert:
		return p.expr(x.X) + ".(" + typeText(x.Typ) + ")"
	case *Recv:
		return "<-" + p.expr(x.X)
	case *Composite:
		return p.composite(x)
	}
	return fmt.Sprintf("%T", x)
}

func (p *printer) field(x *Field) string {
	t := x.X.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Field(x.I).Name
}

func (p *printer) closure(x *Closure) string {
	inner := &printer{indent: p.indent, names: p.names, used: p.used}
	captures := p.vars(x.Captures)
	inner.function("func["+captures+"]", x.Fn)
	return strings.TrimSpace(inner.String())
}

func (p *printer) builtin(x *Builtin) string {
	if x.Op != "make" && x.Op != "new" {
		return x.Op + p.args(x.Args, x.Spread)
	}
	t := x.Typ
	if x.Op == "new" {
		t = t.Elem()
	}
	text := typeText(t)
	if len(x.Args) > 0 {
		text += ", " + p.exprs(x.Args)
	}
	return x.Op + "(" + text + ")"
}

func (p *printer) composite(x *Composite) string {
	var parts []string
	for i, e := range x.Elems {
		text := p.expr(e)
		if x.Keys != nil && x.Keys[i] != nil {
			text = p.expr(x.Keys[i]) + ": " + text
		}
		parts = append(parts, text)
	}
	return typeText(x.Typ) + "{" + strings.Join(parts, ", ") + "}"
}
