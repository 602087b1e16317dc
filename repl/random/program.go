package random

import (
	"fmt"
	"go/format"
	"go/token"
	"go/types"
	"math/rand/v2"
	"strings"
)

// Config says what programs are made of.
type Config struct {
	// Values makes programs print whole values by %v, %+v and %T and gives types String methods;
	// else they print numbers, strings and booleans only.
	Values bool
	// Cells is for programs that are cut into cells, which initialise variables where they stand or
	// where they are needed: what they are initialised with does not tell when.
	Cells bool
}

// Program returns the source of program number seed.
func Program(seed uint64, cfg Config) string {
	g := &gen{
		Rand:    rand.New(rand.NewPCG(seed, 1)),
		Config:  cfg,
		pkg:     types.NewPackage("main", "main"),
		context: types.NewContext(),
	}
	number := types.NewTypeName(token.NoPos, g.pkg, "number", nil)
	g.number = types.NewNamed(number, numbers(), nil)
	g.declare()
	g.program()
	src, err := format.Source([]byte(g.String()))
	if err != nil {
		panic(fmt.Sprintf("program %d: %v\n%s", seed, err, g.String()))
	}
	return string(src)
}

// numbers is the underlying type of the prelude's constraint.
func numbers() *types.Interface {
	var terms []*types.Term
	for _, k := range []types.BasicKind{types.Int, types.Int8, types.Uint8, types.Int32, types.Uint16,
		types.Int64, types.Uint64, types.Float32, types.Float64} {
		terms = append(terms, types.NewTerm(true, types.Typ[k]))
	}
	return types.NewInterfaceType(nil, []types.Type{types.NewUnion(terms)}).Complete()
}

// gen writes one program.
type gen struct {
	*rand.Rand
	Config
	strings.Builder

	pkg     *types.Package
	context *types.Context
	number  types.Type

	named    []types.Type // the program's named types that are not generic
	complete []types.Type // those whose underlying types are set
	generics []types.Type // generic types
	methods  []*types.Func
	funcs    []*types.Func
	params   []types.Type // type parameters in scope

	vars   []variable // in scope
	count  int        // of names
	indent int

	listed   []path // what paths returned at a moment
	listedAt moment
	frame
}

// frame is what a function body knows of itself.
type frame struct {
	results *types.Tuple
	loops   []string // the labels of the loops around
	nested  int      // function literals around
	budget  int      // how many statements there may be
}

// A variable is one that is in scope.
type variable struct {
	name  string
	typ   types.Type
	safe  bool // not nil and not empty
	fixed bool // not to be assigned to
}

// pick returns one of list.
func pick[T any](g *gen, list []T) T { return list[g.IntN(len(list))] }

// chance is true once in n times.
func (g *gen) chance(n int) bool { return g.IntN(n) == 0 }

// line writes a line.
func (g *gen) line(f string, args ...any) {
	g.WriteString(strings.Repeat("\t", g.indent))
	fmt.Fprintf(g, f, args...)
	g.WriteByte('\n')
}

// capture returns what write writes.
func (g *gen) capture(write func()) string {
	before := g.String()
	g.Reset()
	write()
	text := g.String()
	g.Reset()
	g.WriteString(before)
	return text
}

// name returns a new name.
func (g *gen) name(base string) string {
	g.count++
	return fmt.Sprintf("%s%d", base, g.count)
}

// scope lets write declare variables and types that are gone afterwards.
func (g *gen) scope(write func()) {
	vars, complete := len(g.vars), len(g.complete)
	g.indent++
	write()
	g.indent--
	g.vars, g.complete = g.vars[:vars], g.complete[:complete]
}

// inLiteral writes the body of a function literal without results.
func (g *gen) inLiteral(write func()) {
	before := g.frame
	g.frame = frame{nested: before.nested + 1, budget: before.budget}
	g.scope(write)
	g.frame = before
}

// program writes the file.
func (g *gen) program() {
	g.line("package main\n")
	g.line("import (\n\t\"cmp\"\n\t\"fmt\"\n\t\"runtime\"\n\t\"sync\"\n)\n%s", prelude)
	g.line("var _ sync.Mutex\n")
	g.writeTypes()
	g.writeKind()
	g.writeConstants()
	g.writeGlobals()
	g.writeFuncs()
	g.line("func main() {")
	g.line("\tdefer func() {\n\t\tif r := recover(); r != nil {\n\t\t\tsteps = 10\n" +
		"\t\t\tout(\"main panics\", text(r))\n\t\t}\n\t}()")
	g.scope(func() {
		for i := range 2 + g.IntN(4) {
			g.budget = 9
			if g.chance(3) {
				g.line("steps = 250")
				g.stmts(3)
				continue
			}
			g.line("try(\"section %d\", func() {", i)
			g.scope(func() { g.stmts(5 + g.IntN(6)) })
			g.line("})")
		}
		for range 4 {
			g.report()
		}
	})
	g.line("}")
}

// writeKind writes the function that tells the dynamic type of a value, and of its value what a
// number or a string tells.
func (g *gen) writeKind() {
	g.line("func kind(x any) string {")
	g.line("\tswitch x := x.(type) {")
	g.line("\tcase nil:\n\t\treturn \"nil\"")
	seen := map[types.BasicKind]bool{}
	for _, k := range basics {
		if seen[k] {
			continue
		}
		seen[k] = true
		g.line("\tcase %s:\n\t\treturn %q + fmt.Sprint(x)", types.Typ[k], types.Typ[k].String()+" ")
	}
	for _, t := range g.named {
		name := g.str(t)
		if types.IsInterface(t) {
			continue
		}
		g.line("\tcase %s:", name)
		if b, ok := t.Underlying().(*types.Basic); ok {
			g.line("\t\treturn %q + fmt.Sprint(%s(x))", name+" ", b)
		} else {
			g.line("\t\treturn %q", name)
		}
		g.line("\tcase *%s:\n\t\treturn fmt.Sprint(%q, x != nil)", name, "*"+name)
	}
	g.line("\tcase []int, []string:\n\t\treturn \"list\"")
	g.line("\tcase error:\n\t\treturn \"error\"")
	for _, t := range g.named {
		if types.IsInterface(t) {
			g.line("\tcase %s:\n\t\treturn %q", g.str(t), "a "+g.str(t))
		}
	}
	g.line("\t}")
	g.line("\treturn \"?\"")
	g.line("}\n")
}

// writeConstants writes constants that count.
func (g *gen) writeConstants() {
	t := types.Type(types.Typ[pick(g, []types.BasicKind{types.Int, types.Uint8, types.Float64})])
	for _, n := range g.named {
		if isNumber(n) && !isComplex(n) && g.chance(2) {
			t = n
		}
	}
	g.line("const (")
	g.line("\tconst0 %s = iota*2 + %d", g.str(t), g.IntN(3))
	g.line("\tconst1\n\t_\n\tconst3")
	g.line("\tconst4 = %s", pick(g, []string{
		"1 << iota", "iota / 3.0", "'a' + iota", "\"x\" + \"y\"", "1<<70>>68", "len(\"abc\") == iota"}))
	g.line(")\n")
	for _, c := range []string{"const0", "const1", "const3"} {
		g.vars = append(g.vars, variable{c, t, true, true})
	}
}

func isComplex(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsComplex != 0
}

// writeGlobals writes package variables: one of each basic type, and some that need each other.
func (g *gen) writeGlobals() {
	seen := map[types.BasicKind]bool{}
	for _, k := range basics {
		if seen[k] {
			continue
		}
		seen[k] = true
		name := "g" + types.Typ[k].Name()
		g.line("var %s %s = %s", name, types.Typ[k], g.literal(types.Typ[k]))
		g.vars = append(g.vars, variable{name, types.Typ[k], true, false})
	}
	var lines []string
	for range 2 + g.IntN(4) {
		t := g.typ(2, false)
		name := g.name("v")
		g.nested = 9 // no function literals: they would refer to functions that refer to variables
		value := g.expr(t, 2)
		g.nested = 0
		if !g.Cells && g.chance(2) {
			value = fmt.Sprintf("tr[%s](%d, %s)", g.str(t), g.IntN(100), value)
		}
		lines = append(lines, fmt.Sprintf("var %s %s = %s", name, g.str(t), value))
		g.vars = append(g.vars, variable{name, t, true, false})
	}
	g.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	g.line("%s\n", strings.Join(lines, "\n"))
}
