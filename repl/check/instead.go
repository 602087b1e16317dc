package check

// This file finds what Go has in place of what people write who come from Python and PyTorch.

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// torch has names of PyTorch that are other words here, by what they are selected from.
var torch = map[string]map[string]string{
	"*tensor.Tensor": {
		"half": "use To(tensor.Float16)", "float": "use To(tensor.Float32)",
		"double": "use To(tensor.Float64)", "bfloat16": "use To(tensor.BFloat16)",
		"long": "use To(tensor.Int64)", "cuda": "use To(tensor.CUDA(0))",
		"cpu": "use To(tensor.CPU)", "numpy": "use Float32s, Float64s or Int64s",
		"tolist": "use Float32s, Float64s or Int64s",
		"data":   "use Detach to read it, SetData or CopyFrom to write it",
	},
	"nn": {
		"ModuleList":    "a field can be a slice of modules",
		"ModuleDict":    "a field can be a map of modules",
		"Parameter":     "a field can be a tensor that requires a gradient: SetRequiresGrad(true)",
		"DataParallel":  "it is dist.DataParallel",
		"ParameterList": "a field can be a slice of tensors",
	},
	"optim": {"lr_scheduler": "optim has the schedules itself, such as NewCosineLR"},
	"amp":   {"autocast": "use Autocast, or AutocastWith for a dtype"},
	"tensor": {
		"float16": "it is tensor.Float16", "half": "it is tensor.Float16",
		"Tensor": "use tensor.New", "from_numpy": "use tensor.New",
		"save":    "use tensor.SaveSafetensors, or nn.Checkpoint for a run",
		"load":    "use tensor.LoadSafetensors, or nn.Checkpoint for a run",
		"Save":    "use tensor.SaveSafetensors, or nn.Checkpoint for a run",
		"Load":    "use tensor.LoadSafetensors, or nn.Checkpoint for a run",
		"no_grad": "use NoGrad(func() { … })", "manual_seed": "use tensor.Seed",
	},
}

// torchHelp is for a name that PyTorch has in what is called owner here.
func torchHelp(owner, name string) string {
	names := torch[owner]
	if help := names[name]; help != "" {
		return help
	}
	if strings.HasPrefix(owner, "*") { // Go's case of a method
		return names[strings.ToLower(name)]
	}
	return ""
}

// ownHelp is for a name that halfnote's packages export and that stands without its package.
func (ck *checking) ownHelp(name string) string {
	if !token.IsExported(name) {
		return ""
	}
	var members []string
	help := ""
	for _, own := range []string{"amp", "data", "dist", "nn", "optim", "tensor"} {
		for _, path := range ck.packages(own) {
			if !strings.HasPrefix(path, "halfnote/") {
				continue
			}
			pkg, err := ck.imp.Import(path)
			if err != nil || pkg.Scope().Lookup(name) == nil {
				continue
			}
			members = append(members, own+"."+name)
			if pkg.Scope().Lookup("New"+name) != nil {
				help = fmt.Sprintf("; %s.New%s makes one", own, name)
			}
		}
	}
	if len(members) == 0 {
		return ""
	}
	return "it is " + strings.Join(members, " or ") + help
}

// namesHelp is for a name that is not among those of owner: the one that is most like it, or those
// that share a word with it. Names as Python spells them are taken for Go's.
func namesHelp(owner, name string, names []string) string {
	want := name
	if base, ok := strings.CutSuffix(name, "_"); ok {
		want = base + "InPlace"
	}
	want = strings.ReplaceAll(want, "_", "")
	near := newNearest(want)
	var longer, holding, sharing []string
	slices.Sort(names)
	for _, known := range names {
		if strings.EqualFold(known, want) {
			return owner + " has " + known
		}
		near.add(known)
		at := strings.Index(strings.ToLower(known), strings.ToLower(want))
		if at >= 0 && len(want) >= 3 {
			holding = append(holding, known)
		}
		if at == 0 && len(want) >= 3 {
			longer = append(longer, known)
		}
		if sharesWord(want, known) {
			sharing = append(sharing, known)
		}
	}
	switch {
	case near.best != "" && near.dist == 1 && strings.EqualFold(near.best[:1], want[:1]):
		return near.String()
	case len(holding) > 0 && len(holding) <= mostNames:
		return owner + " has " + listed(holding)
	case len(longer) > 0 && len(longer) <= mostNames:
		return owner + " has " + listed(longer)
	case near.best != "":
		return near.String()
	case len(sharing) > 0:
		return owner + " has " + listed(sharing)
	}
	return ""
}

// mostNames is how many names a help tells.
const mostNames = 5

func listed(names []string) string {
	if len(names) > mostNames {
		names = append(slices.Clone(names[:mostNames-1]), fmt.Sprintf("%d more like these",
			len(names)-mostNames+1))
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return names[0]
}

// sharesWord reports whether two names in camel case have a word of at least four letters in
// common that is not New or Config.
func sharesWord(a, b string) bool {
	words := camelWords(b)
	return slices.ContainsFunc(camelWords(a), func(w string) bool {
		return len(w) >= 4 && w != "config" && slices.Contains(words, w)
	})
}

// camelWords returns the words of a name in lower case.
func camelWords(name string) []string {
	var words []string
	start := 0
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) && unicode.IsLower(rune(name[i-1])) {
			words = append(words, strings.ToLower(name[start:i]))
			start = i
		}
	}
	return append(words, strings.ToLower(name[start:]))
}

var (
	unknownField    = regexp.MustCompile(`^unknown field (\w+) in struct literal of type `)
	pointerReceiver = regexp.MustCompile(`^cannot use (.+) \(.*\(method \w+ has pointer receiver\)$`)
	conversion      = regexp.MustCompile(`^cannot convert .* to type |` +
		`^(?:too many|missing) arguments? in conversion to `)
	listMissing = regexp.MustCompile(`^too many arguments in call to |` +
		`^cannot use .* as \[\]\S+ value in argument to `)
)

// insteadHelp is for an expression that Go does not allow and that has another form.
func (ck *checking) insteadHelp(err types.Error, file *ast.File) string {
	msg := err.Msg
	if m := unknownField.FindStringSubmatch(msg); m != nil {
		return ck.fieldHelp(m[1], err.Pos, file)
	}
	if m := pointerReceiver.FindStringSubmatch(msg); m != nil {
		return "use a pointer to it, &" + m[1]
	}
	if strings.HasPrefix(msg, "cannot use ") {
		if help := ck.versionHelp(err.Pos, file); help != "" {
			return help
		}
	}
	if conversion.MatchString(msg) {
		return ck.constructorHelp(err.Pos, file)
	}
	switch {
	case strings.Contains(msg, "not defined on "), strings.Contains(msg, "mismatched types "):
		return cmp.Or(ck.operatorHelp(err.Pos, file), ck.unaryHelp(err.Pos, file),
			ck.assignOperatorHelp(err.Pos, file))
	case strings.HasPrefix(msg, "non-boolean condition in "):
		x := found(file, func(x ast.Expr) bool { return x.Pos() == err.Pos })
		if x != nil {
			return ck.conditionHelp(x, "!=")
		}
	case listMissing.MatchString(msg):
		return ck.listHelp(err.Pos, file)
	case strings.HasPrefix(msg, "cannot index "), strings.HasPrefix(msg, "cannot slice "):
		return ck.indexHelp(err.Pos, file)
	case strings.HasPrefix(msg, "invalid operation: cannot call "):
		call := found(file, func(n *ast.CallExpr) bool { return n.Pos() == err.Pos })
		if call != nil && ck.hasMethod(call.Fun, "Forward") {
			return "call its method: " + types.ExprString(call.Fun) + ".Forward(…)"
		}
	}
	return ""
}

// versionHelp is for a value whose type names a package that has a second version of that name, as
// math/rand has math/rand/v2: both look the same in the message.
func (ck *checking) versionHelp(pos token.Pos, file *ast.File) string {
	x := found(file, func(n ast.Expr) bool { return n.Pos() == pos })
	if x == nil || ck.cell.Info.Types[x].Type == nil {
		return ""
	}
	help := ""
	types.TypeString(ck.cell.Info.Types[x].Type, func(pkg *types.Package) string {
		second := pkg.Path() + "/v2"
		if slices.Contains(ck.packages(pkg.Name()), second) {
			help = fmt.Sprintf("%s is %s here; for the other one write import %q", pkg.Name(),
				pkg.Path(), second)
		}
		return ""
	})
	return help
}

// fieldHelp is for a field that a struct literal names and its type does not have.
func (ck *checking) fieldHelp(name string, pos token.Pos, file *ast.File) string {
	lit := found(file, func(n *ast.CompositeLit) bool {
		return n.Lbrace < pos && pos < n.Rbrace &&
			slices.ContainsFunc(n.Elts, func(e ast.Expr) bool { return e.Pos() == pos })
	})
	if lit == nil {
		return ""
	}
	t := ck.cell.Info.Types[lit].Type
	if t == nil {
		return ""
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return ""
	}
	var names []string
	for f := range st.Fields() {
		if Usable(f) {
			names = append(names, f.Name())
		}
	}
	if help := namesHelp("it", name, slices.Clone(names)); help != "" || len(names) == 0 {
		return help
	}
	if len(names) > 2*mostNames {
		return ""
	}
	return "its fields are " + strings.Join(names, ", ")
}

// constructorHelp is for a type that is called as Python calls a class.
func (ck *checking) constructorHelp(pos token.Pos, file *ast.File) string {
	call := found(file, func(n *ast.CallExpr) bool {
		return n.Pos() <= pos && pos <= n.End() && ck.cell.Info.Types[n.Fun].IsType()
	})
	if call == nil {
		return ""
	}
	named, ok := types.Unalias(ck.cell.Info.Types[call.Fun].Type).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return ""
	}
	pkg := named.Obj().Pkg()
	name := "New" + named.Obj().Name()
	if _, ok := pkg.Scope().Lookup(name).(*types.Func); !ok {
		return ""
	}
	return fmt.Sprintf("%[1]s.%[2]s is a type; %[1]s.%[3]s makes one", pkg.Name(),
		named.Obj().Name(), name)
}

// listHelp is for values that stand one by one as the arguments of a function whose first one is to
// be a slice of them.
func (ck *checking) listHelp(pos token.Pos, file *ast.File) string {
	call := found(file, func(n *ast.CallExpr) bool {
		return n.Pos() <= pos && pos <= n.End() && len(n.Args) > 0 &&
			slices.ContainsFunc(n.Args, func(x ast.Expr) bool { return x.Pos() == pos })
	})
	if call == nil {
		return ""
	}
	sig, ok := ck.cell.Info.TypeOf(call.Fun).(*types.Signature)
	if !ok || sig.Params().Len() == 0 || sig.Variadic() {
		return ""
	}
	list, ok := sig.Params().At(0).Type().(*types.Slice)
	if !ok {
		return ""
	}
	var items []string
	for _, x := range call.Args {
		if t := ck.cell.Info.TypeOf(x); t == nil || !types.Identical(t, list.Elem()) {
			break
		}
		items = append(items, types.ExprString(x))
	}
	if len(items) == 0 {
		return ""
	}
	args := []string{TypeText(list) + "{" + strings.Join(items, ", ") + "}"}
	for _, x := range call.Args[len(items):] {
		args = append(args, types.ExprString(x))
	}
	if sig.Params().Len() > len(args) {
		args = append(args, "…")
	}
	return fmt.Sprintf("give a slice: %s(%s)", types.ExprString(call.Fun), strings.Join(args, ", "))
}

// hasMethod reports whether x is a value with a method of that name.
func (ck *checking) hasMethod(x ast.Expr, name string) bool {
	tv := ck.cell.Info.Types[x]
	if tv.Type == nil || !tv.IsValue() {
		return false
	}
	obj, _, _ := types.LookupFieldOrMethod(tv.Type, true, nil, name)
	_, ok := obj.(*types.Func)
	return ok
}

// found returns the first node of type T in file that fits, or the zero value.
func found[T ast.Node](file *ast.File, fits func(T) bool) (first T) {
	done := false
	ast.Inspect(file, func(n ast.Node) bool {
		if t, ok := n.(T); ok && !done && fits(t) {
			first, done = t, true
		}
		return !done
	})
	return first
}
