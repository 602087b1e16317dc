package lower

// This file implements generics: each use of a generic function or type with other type arguments
// is an instance of its own, lowered from the same source under another environment.
//
//	func Map[T, U any](xs []T, f func(T) U) []U   →   func Map_7(xs []int, f func(int) string)
//	                                                      []string
//	Map(ns, strconv.Itoa)                         →   Map_7(ns, strconv.Itoa)

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"halfnote/repl/ir"
)

// An env gives a generic function's type parameters their arguments.
type env map[*types.TypeParam]types.Type

// subst replaces the type parameters in t.
func (u *unit) subst(e env, t types.Type) types.Type {
	if len(e) == 0 || t == nil {
		return t
	}
	s := func(t types.Type) types.Type { return u.subst(e, t) }
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		if arg, ok := e[t]; ok {
			return arg
		}
		return t
	case *types.Named:
		return u.substNamed(e, t)
	case *types.Pointer:
		return types.NewPointer(s(t.Elem()))
	case *types.Slice:
		return types.NewSlice(s(t.Elem()))
	case *types.Array:
		return types.NewArray(s(t.Elem()), t.Len())
	case *types.Map:
		return types.NewMap(s(t.Key()), s(t.Elem()))
	case *types.Chan:
		return types.NewChan(t.Dir(), s(t.Elem()))
	case *types.Tuple:
		return u.substTuple(e, t)
	case *types.Signature:
		return types.NewSignatureType(nil, nil, nil,
			u.substTuple(e, t.Params()), u.substTuple(e, t.Results()), t.Variadic())
	case *types.Struct:
		return u.substStruct(e, t)
	case *types.Interface:
		return u.substInterface(e, t)
	}
	return t
}

func (u *unit) substNamed(e env, t *types.Named) types.Type {
	args := make([]types.Type, t.TypeArgs().Len())
	for i := range args {
		args[i] = u.subst(e, t.TypeArgs().At(i))
	}
	own := e.around(t.Obj())
	if len(own) == 0 && len(args) == 0 {
		return t
	}
	var n types.Type = t
	if len(args) > 0 {
		var err error
		if n, err = types.Instantiate(u.ctxt, t.Origin(), args, false); err != nil {
			panic(err)
		}
	}
	if len(own) == 0 {
		return n
	}
	return u.localType(e, n.(*types.Named), append(own, args...))
}

// around returns the type arguments of the generic function in which obj is declared, if e is its
// environment.
func (e env) around(obj *types.TypeName) []types.Type {
	args := make([]types.Type, len(e))
	for p, arg := range e {
		scope := obj.Parent()
		for scope != nil && scope != p.Obj().Parent() {
			scope = scope.Parent()
		}
		if scope == nil || p.Index() >= len(args) {
			return nil
		}
		args[p.Index()] = arg
	}
	return args
}

// localType returns the type that a generic function declares as t, in the instance with these type
// arguments.
func (u *unit) localType(e env, t *types.Named, args []types.Type) types.Type {
	obj := t.Obj()
	names := make([]string, len(args))
	key := fmt.Sprintf("%p", obj)
	for i, arg := range args {
		desc := u.types.Desc(arg)
		names[i] = desc.String()
		key += fmt.Sprintf(" %p", desc)
	}
	if n := u.locals[key]; n != nil {
		return n
	}
	name := obj.Name() + "[" + strings.Join(names, ",") + "]"
	n := types.NewNamed(types.NewTypeName(obj.Pos(), obj.Pkg(), name, nil), nil, nil)
	u.locals[key] = n
	n.SetUnderlying(u.subst(e, t.Underlying()))
	return n
}

func (u *unit) substTuple(e env, t *types.Tuple) *types.Tuple {
	vars := make([]*types.Var, t.Len())
	for i := range vars {
		v := t.At(i)
		vars[i] = types.NewVar(v.Pos(), v.Pkg(), v.Name(), u.subst(e, v.Type()))
	}
	return types.NewTuple(vars...)
}

func (u *unit) substStruct(e env, t *types.Struct) types.Type {
	fields := make([]*types.Var, t.NumFields())
	tags := make([]string, t.NumFields())
	for i := range fields {
		f := t.Field(i)
		fields[i] = types.NewField(f.Pos(), f.Pkg(), f.Name(), u.subst(e, f.Type()), f.Embedded())
		tags[i] = t.Tag(i)
	}
	return types.NewStruct(fields, tags)
}

func (u *unit) substInterface(e env, t *types.Interface) types.Type {
	var methods []*types.Func
	for i := range t.NumExplicitMethods() {
		m := t.ExplicitMethod(i)
		sig := u.subst(e, m.Signature()).(*types.Signature)
		methods = append(methods, types.NewFunc(m.Pos(), m.Pkg(), m.Name(), sig))
	}
	var embedded []types.Type
	for i := range t.NumEmbeddeds() {
		embedded = append(embedded, u.subst(e, t.EmbeddedType(i)))
	}
	return types.NewInterfaceType(methods, embedded).Complete()
}

// instanceArgs returns the type arguments with which the generic function named by id is used.
func (f *fn) instanceArgs(id *ast.Ident) []types.Type {
	inst, ok := f.info.Instances[id]
	if !ok {
		return nil
	}
	args := make([]types.Type, inst.TypeArgs.Len())
	for i := range args {
		args[i] = f.subst(f.env, inst.TypeArgs.At(i))
	}
	return args
}

// ref returns the lowered function or method obj with the given type arguments; its body is
// lowered later if it is new.
func (u *unit) ref(pos token.Pos, obj *types.Func, args []types.Type) *ir.FuncRef {
	obj = obj.Origin()
	for u.replaced[obj] != nil {
		obj = u.replaced[obj]
	}
	if u.now != nil {
		u.now.uses[obj] = true
	}
	key := u.key(obj, args)
	if inst := u.insts[key]; inst != nil {
		return &ir.FuncRef{At: ir.At(pos), Func: inst.fn}
	}
	d := u.decls[obj]
	if d == nil {
		if fun := u.libraryFunc(obj); fun != nil && u.decls[fun] != nil {
			return u.ref(pos, fun, args)
		}
		fail(pos, "the generic function %s.%s", obj.Pkg().Name(), obj.Name())
	}
	if d.syntax.Body == nil {
		fail(pos, "%s, a function without a body", obj.Name())
	}
	sig := obj.Signature()
	params := sig.TypeParams()
	if sig.RecvTypeParams().Len() > 0 {
		params = sig.RecvTypeParams()
	}
	e := env{}
	for i, arg := range args {
		e[params.At(i)] = arg
	}
	inst := &instance{obj: obj, uses: map[*types.Func]bool{}, fn: &ir.Func{
		Name:     u.name(funcName(obj)),
		Variadic: sig.Variadic(),
		Typ:      u.funcType(pos, e, sig),
		Pos:      d.syntax.Pos(),
		Label:    label(obj),
	}}
	u.insts[key] = inst
	from := pos
	if !pos.IsValid() {
		from = u.from
	}
	u.queue = append(u.queue, func() { u.from = from; u.function(inst, d, e) })
	return &ir.FuncRef{At: ir.At(pos), Func: inst.fn}
}

// key names an instance.
func (u *unit) key(obj *types.Func, args []types.Type) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%p", obj)
	for _, arg := range args {
		fmt.Fprintf(&b, " %p", u.types.Desc(arg))
	}
	return b.String()
}

// funcName is a readable name for a function or method.
func funcName(obj *types.Func) string {
	recv := obj.Signature().Recv()
	if recv == nil {
		return obj.Name()
	}
	return namedOf(recv.Type()).Obj().Name() + "_" + obj.Name()
}

// cellLabel is the label of a cell's statements.
const cellLabel = "cell"

// label is the name of a function or method in traces; nil stands for a cell's statements.
func label(obj *types.Func) string {
	if obj == nil {
		return cellLabel
	}
	recv := obj.Signature().Recv()
	if recv == nil {
		return obj.Name()
	}
	name := namedOf(recv.Type()).Obj().Name()
	if _, isPointer := types.Unalias(recv.Type()).(*types.Pointer); isPointer {
		name = "(*" + name + ")"
	}
	return name + "." + obj.Name()
}

// namedOf returns the named type of a receiver.
func namedOf(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// funcType is the storage type of a function with its receiver as the first parameter.
func (u *unit) funcType(pos token.Pos, e env, sig *types.Signature) reflect.Type {
	var in, out []reflect.Type
	if r := sig.Recv(); r != nil {
		in = append(in, u.storage(pos, u.subst(e, r.Type())))
	}
	for i := range sig.Params().Len() {
		in = append(in, u.storage(pos, u.subst(e, sig.Params().At(i).Type())))
	}
	for i := range sig.Results().Len() {
		out = append(out, u.storage(pos, u.subst(e, sig.Results().At(i).Type())))
	}
	return reflect.FuncOf(in, out, sig.Variadic())
}

// storage returns the type that values of t are stored as.
func (u *unit) storage(pos token.Pos, t types.Type) reflect.Type {
	t = defaultType(t)
	r, err := u.types.Storage(t)
	if err != nil {
		fail(pos, "the type %s (%v)", types.TypeString(t, types.RelativeTo(nil)), err)
	}
	if r.Size() > maxSize {
		fail(pos, "a value of %d MB", r.Size()>>20)
	}
	return r
}

// maxSize is how many bytes a value may have. Go's compiler allows variables no more.
const maxSize = 2_000_000_000
