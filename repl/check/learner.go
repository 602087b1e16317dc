package check

// This file finds the way out of the errors of types that people make who are new to Go.

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"
)

// foreignNames are names of other languages.
var foreignNames = map[string]string{
	"None": "Go writes nil", "null": "Go writes nil", "NULL": "Go writes nil",
	"True": "Go writes true", "False": "Go writes false",
	"str": "the type is string; fmt.Sprint(x) makes one", "double": "the type is float64",
	"float": "the type is float64", "char": "the type is rune, or byte", "long": "the type is int64",
	"Exception": "errors.New(\"…\") makes an error",
	"self":      "the receiver has the name that its method gives it: func (t *T) M()",
	"this":      "the receiver has the name that its method gives it: func (t *T) M()",
	"printf":    "it is fmt.Printf", "println": "it is fmt.Println", "sprintf": "it is fmt.Sprintf",
	"range": "write for i := range 10 { … }", "input": "it is display.Input",
	"dict": "a map is written map[string]int{}", "list": "a slice is written []int{}",
	"sum": "write a loop that adds", "abs": "it is math.Abs", "sorted": "it is slices.Sort",
	"sqrt": "it is math.Sqrt", "length": "it is len",
}

var (
	valueFor    = regexp.MustCompile(`^cannot use (.+) \(.*\) as (.+) value in `)
	conversions = regexp.MustCompile(`^cannot convert (.+) \(.*\) to type (\w+)`)
	mismatch    = regexp.MustCompile(
		`^assignment mismatch: (\d+) variables? but (.+) returns (\d+) values?$`)
	notAssigned = regexp.MustCompile(`^cannot assign to (?:(.+)\.)?(\w+) \(neither addressable`)
	several     = regexp.MustCompile(`^multiple-value (.+) \(value of type \((.+)\)\) in single-value`)
	unordered   = regexp.MustCompile(`^invalid operation: operator (\S+) not defined on \w+ ` +
		`\(variable of type (\w+) constrained by `)
)

// learnerHelp is for an error about types.
func (ck *checking) learnerHelp(err types.Error, file *ast.File) string {
	msg := ownNames(err.Msg)
	switch {
	case valueFor.MatchString(msg):
		m := valueFor.FindStringSubmatch(msg)
		return ck.valueHelp(err.Pos, m[1], m[2], file)
	case conversions.MatchString(msg):
		m := conversions.FindStringSubmatch(msg)
		return ck.conversionHelp(err.Pos, m[1], m[2], file)
	case strings.Contains(msg, "(mismatched types "):
		return ck.mismatchHelp(err.Pos, file)
	case mismatch.MatchString(msg):
		m := mismatch.FindStringSubmatch(msg)
		return takeHelp(m[1], m[2], m[3], ck.lastIsError(err.Pos, file))
	case several.MatchString(msg):
		m := several.FindStringSubmatch(msg)
		return fmt.Sprintf("take its values first: %s := %s",
			namesFor(strings.Count(m[2], ",")+1, strings.HasSuffix(m[2], "error")), m[1])
	case notAssigned.MatchString(msg):
		m := notAssigned.FindStringSubmatch(msg)
		return ck.assignHelp(err.Pos, m[1], m[2], file)
	case unordered.MatchString(msg):
		m := unordered.FindStringSubmatch(msg)
		return fmt.Sprintf("constrain it, as in [%s cmp.Ordered]", m[2])
	case strings.HasPrefix(msg, "too many return values") && ofCell(err.Pos, file):
		return "outside of functions return ends the cell, and has no value"
	}
	for _, p := range phrases {
		if strings.HasPrefix(msg, p.begins) && strings.HasSuffix(msg, p.ends) {
			return p.help
		}
	}
	return ""
}

// phrases are how messages begin or end whose way out is always the same.
var phrases = []struct{ begins, ends, help string }{
	{"non-boolean condition in ", "", "write a comparison, as in x != 0"},
	{"missing return", "", "the function has a result: its end must not be reached without return"},
	{"too many return values", "",
		"the results of a function stand behind its parameters: func f() int"},
	{"not enough return values", "", "return as many values as the function has results"},
	{"cannot use _ as value", "", "no cell has shown a value yet that _ could mean"},
	{"invalid map key type", "", "keys must be comparable: no slices, maps and functions"},
	{"", "(slice can only be compared to nil)", "slices.Equal compares slices"},
	{"", "(map can only be compared to nil)", "maps.Equal compares maps"},
	{"", "must be function call", "add the parentheses of a call"},
	{"", "is not an interface",
		"only a value of an interface type can be asserted to have another type"},
}

// ofCell reports whether pos is among the statements of a cell, and in no function of its own.
func ofCell(pos token.Pos, file *ast.File) bool {
	fn, ok := file.Decls[0].(*ast.FuncDecl)
	return ok && fn.Name.Name == "_" && found(file, func(lit *ast.FuncLit) bool {
		return lit.Pos() <= pos && pos < lit.End()
	}) == nil
}

// exprAt returns the outermost expression that begins at pos and reads as text.
func exprAt(file *ast.File, pos token.Pos, text string) ast.Expr {
	return found(file, func(x ast.Expr) bool {
		return x.Pos() == pos && types.ExprString(x) == text
	})
}

// valueHelp is for the expression at pos that has not the type named want.
func (ck *checking) valueHelp(pos token.Pos, text, want string, file *ast.File) string {
	x := exprAt(file, pos, text)
	if x == nil {
		return ""
	}
	tv := ck.cell.Info.Types[x]
	if tv.Type == nil {
		return ""
	}
	have := tv.Type
	wanted, _ := types.Universe.Lookup(want).(*types.TypeName)
	switch {
	case want == "error" && isBasic(have, types.IsString):
		return fmt.Sprintf("errors.New(%s) makes an error", text)
	case want == "string" && isBasic(have, types.IsNumeric):
		return fmt.Sprintf("fmt.Sprint(%s) makes a string of it", text)
	case want == "int" && isBasic(have, types.IsString) && tv.Value == nil:
		return fmt.Sprintf("strconv.Atoi(%s) reads a number; it gives an error, too", text)
	case want == "float64" && isBasic(have, types.IsString) && tv.Value == nil:
		return fmt.Sprintf("strconv.ParseFloat(%s, 64) reads a number; it gives an error, too", text)
	case "*"+TypeText(have) == want && tv.Addressable():
		return "use its address, &" + text
	case TypeText(have) == "*"+want:
		return "use what it points to, *" + text
	case tv.Value == nil && isBasic(have, types.IsNumeric) && wanted != nil &&
		isBasic(wanted.Type(), types.IsNumeric):
		return fmt.Sprintf("convert it: %s(%s)", want, text)
	case tv.Value == nil && isBasic(have, types.IsNumeric) && want == "time.Duration":
		return fmt.Sprintf("convert it: time.Duration(%s), times a unit such as time.Second", text)
	}
	return ""
}

func isBasic(t types.Type, info types.BasicInfo) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&info != 0
}

// conversionHelp is for the conversion of the expression at pos to a type.
func (ck *checking) conversionHelp(pos token.Pos, text, to string, file *ast.File) string {
	x := exprAt(file, pos, text)
	if x == nil || ck.cell.Info.Types[x].Type == nil {
		return ""
	}
	have := ck.cell.Info.Types[x].Type
	switch {
	case isBasic(have, types.IsString) && strings.HasPrefix(to, "int"):
		return fmt.Sprintf("strconv.Atoi(%s) reads a number", text)
	case isBasic(have, types.IsString) && strings.HasPrefix(to, "float"):
		return fmt.Sprintf("strconv.ParseFloat(%s, 64) reads a number", text)
	case isBasic(have, types.IsFloat) && to == "string", to == "string" && isBasic(have, types.IsBoolean):
		return fmt.Sprintf("fmt.Sprint(%s) makes a string of it", text)
	case isBasic(have, types.IsFloat) && strings.HasPrefix(to, "int"):
		return fmt.Sprintf("a constant must fit: %s(math.Round(%s))", to, text)
	}
	return ""
}

// mismatchHelp is for an operator between values of two types.
func (ck *checking) mismatchHelp(pos token.Pos, file *ast.File) string {
	x := found(file, func(x *ast.BinaryExpr) bool {
		return x.Pos() <= pos && pos <= x.End() && ck.cell.Info.Types[x.X].Type != nil &&
			ck.cell.Info.Types[x.Y].Type != nil &&
			!types.Identical(ck.cell.Info.TypeOf(x.X), ck.cell.Info.TypeOf(x.Y))
	})
	if x == nil {
		return ""
	}
	a, b := ck.cell.Info.Types[x.X], ck.cell.Info.Types[x.Y]
	texts, numbers := 0, 0
	for _, t := range []types.Type{a.Type, b.Type} {
		switch {
		case isBasic(t, types.IsString):
			texts++
		case isBasic(t, types.IsNumeric):
			numbers++
		}
	}
	switch {
	case texts == 1 && numbers == 1 && x.Op == token.MUL:
		return "strings.Repeat(s, n) repeats a string"
	case texts == 1 && numbers == 1:
		return "fmt.Sprint(x) makes a string of a number"
	case TypeText(b.Type) == "time.Duration" && numbers == 2:
		return fmt.Sprintf("convert it: time.Duration(%s)", types.ExprString(x.X))
	case TypeText(a.Type) == "time.Duration" && numbers == 2:
		return fmt.Sprintf("convert it: time.Duration(%s)", types.ExprString(x.Y))
	case ck.cell.Info.Types[x.Y].IsNil():
		return "only pointers, slices, maps, channels, functions and interfaces can be nil"
	}
	return ""
}

// lastIsError reports whether the last result of the call at pos is an error.
func (ck *checking) lastIsError(pos token.Pos, file *ast.File) bool {
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || found {
			return true
		}
		if t, ok := ck.cell.Info.TypeOf(call).(*types.Tuple); ok && t.Len() > 0 {
			near := call.Pos() == pos || call.Pos()-pos < 40 && call.Pos() > pos
			found = near && types.Identical(t.At(t.Len()-1).Type(),
				types.Universe.Lookup("error").Type())
		}
		return true
	})
	return found
}

// takeHelp is for an assignment of a call's results to another number of variables.
func takeHelp(have, call, give string, isError bool) string {
	if give == "1" {
		return "it gives one value: x := " + call + "(…)"
	}
	n := int(give[0] - '0')
	if len(give) > 1 || have == "0" {
		return ""
	}
	return fmt.Sprintf("take all its values: %s := %s(…)", namesFor(n, isError),
		strings.TrimSuffix(call, "()"))
}

// namesFor lists names for n values.
func namesFor(n int, isError bool) string {
	names := strings.Split("x y z u v w", " ")
	if n < 2 || n > len(names) {
		return "x, …"
	}
	names = names[:n]
	if isError {
		names[n-1] = "err"
	}
	return strings.Join(names, ", ")
}

// assignHelp is for a name, of something or not, that is no variable.
func (ck *checking) assignHelp(pos token.Pos, of, name string, file *ast.File) string {
	if of != "" {
		if x := exprAt(file, pos, of); x != nil && ck.hasMethod(x, "Set"+name) {
			return fmt.Sprintf("use the method: %s.Set%s(…)", of, name)
		}
		return ""
	}
	switch ck.scope.lookup(name, nil).(type) {
	case *types.Const:
		return name + " is a constant; a variable is declared with var, or with :="
	case *types.Func:
		return name + " is a function; to define it anew write func " + name
	}
	return ""
}

// builtinMethods are what other languages have as methods of strings, slices and maps.
var builtinMethods = map[string]string{
	"append": "use append: x = append(x, v)", "push": "use append: x = append(x, v)",
	"push_back": "use append: x = append(x, v)", "add": "use append: x = append(x, v)",
	"length": "use len(x)", "len": "use len(x)", "size": "use len(x)", "count": "use len(x)",
	"pop": "use x = x[:len(x)-1]", "sort": "use slices.Sort(x)", "reverse": "use slices.Reverse(x)",
	"contains": "use slices.Contains or strings.Contains", "includes": "use slices.Contains",
	"index": "use slices.Index or strings.Index", "indexof": "use slices.Index or strings.Index",
	"keys": "use maps.Keys(m), or for k := range m", "values": "use maps.Values(m)",
	"items": "use for k, v := range m", "get": "use v, ok := m[k]", "has": "use _, ok := m[k]",
	"upper": "use strings.ToUpper(s)", "lower": "use strings.ToLower(s)",
	"toupper": "use strings.ToUpper(s)", "tolower": "use strings.ToLower(s)",
	"split": "use strings.Split(s, sep)", "join": "use strings.Join(list, sep)",
	"strip": "use strings.TrimSpace(s)", "trim": "use strings.TrimSpace(s)",
	"replace": "use strings.ReplaceAll(s, old, new)", "format": "use fmt.Sprintf",
	"startswith": "use strings.HasPrefix(s, prefix)", "endswith": "use strings.HasSuffix(s, suffix)",
	"map": "use a loop", "filter": "use a loop", "foreach": "use a loop: for _, v := range x",
	"tostring": "use fmt.Sprint(x)",
}

// builtinHelp is for a method that a value of one of Go's own types has not.
func builtinHelp(t types.Type, name string) string {
	if _, named := types.Unalias(t).(*types.Named); named {
		return ""
	}
	switch t.Underlying().(type) {
	case *types.Basic, *types.Slice, *types.Map, *types.Array:
		return builtinMethods[strings.ToLower(strings.ReplaceAll(name, "_", ""))]
	}
	return ""
}
