package check

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// goVersion is the language version of cells.
const goVersion = "go1.26"

// Checker knows all names that the cells of a session have defined. It is not safe for concurrent
// use.
type Checker struct {
	fset      *token.FileSet
	imp       *remembering
	packages  func(name string) []string
	noAuto    bool           // see SetAutoImport
	context   *types.Context // shared, so that identical instances of generics are one type
	live      *names
	types     map[types.Object]*typeSource   // how cells have declared their types
	functions map[types.Object]*ast.FuncDecl // and their functions
	users     map[types.Object][]user        // what functions use, by what they are known as
}

// New returns a Checker that knows no names yet. Files of cells are added to fset. Packages come
// from imp; packages lists the import paths of the packages with a given name, the preferred one
// first, for automatic imports.
func New(fset *token.FileSet, imp types.Importer, packages func(name string) []string) *Checker {
	if fset.Base() <= padding {
		fset.AddFile("", -1, padding) // see segment.parse
	}
	return &Checker{
		fset:      fset,
		imp:       &remembering{Importer: imp, known: map[string]*types.Package{}},
		packages:  packages,
		context:   types.NewContext(),
		live:      newNames(),
		types:     map[types.Object]*typeSource{},
		functions: map[types.Object]*ast.FuncDecl{},
		users:     map[types.Object][]user{},
	}
}

// SetAutoImport says whether packages that a cell names without importing them are imported.
func (c *Checker) SetAutoImport(on bool) { c.noAuto = !on }

// AutoImport reports what SetAutoImport has said; at first it is true.
func (c *Checker) AutoImport() bool { return !c.noAuto }

// Fork returns a Checker that knows what c knows, for use while a Cell that c checks goes on: c must
// not be used any more then.
func (c *Checker) Fork() *Checker {
	fork := *c
	fork.context = types.NewContext()
	fork.live = &names{objects: maps.Clone(c.live.objects), imports: maps.Clone(c.live.imports),
		dots: slices.Clone(c.live.dots), count: c.live.count}
	fork.types, fork.users = maps.Clone(c.types), maps.Clone(c.users)
	fork.functions = maps.Clone(c.functions)
	return &fork
}

// remembering is an importer that knows what it has imported. It may be used by a Checker and its
// forks at the same time.
type remembering struct {
	types.Importer
	mu    sync.Mutex
	known map[string]*types.Package
}

func (r *remembering) Import(path string) (*types.Package, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	pkg, err := r.Importer.Import(path)
	if err == nil {
		r.known[path] = pkg
	}
	return pkg, err
}

// imported returns a package that was imported, or nil.
func (r *remembering) imported(path string) *types.Package {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[path]
}

// Cell is a cell, or a whole program, that has been type-checked.
type Cell struct {
	Name, Src string
	Fset      *token.FileSet

	// Info has what go/types found out about all chunks together, without InitOrder, which
	// belongs to a chunk.
	Info *types.Info

	// Chunks are the parts of the cell in the order in which they run.
	Chunks []Chunk

	// Vars are the cell-level variables, in the order of their definition.
	Vars []*types.Var

	// Defs are all objects that the cell defines at cell level, variables included.
	Defs []types.Object

	// AutoImports are the paths of the packages that were imported because the cell names them.
	AutoImports []string

	// Result is the last statement if it is an expression whose value is to be shown; it is also
	// the last statement of the last chunk. It is nil after a trailing semicolon. Its type can be
	// a tuple. An expression that is no call may end a chunk even where Result is nil.
	Result *ast.ExprStmt

	// Notes say what else the cell does that may surprise.
	Notes []string

	// IsProgram tells that this is a whole package main, which has one chunk.
	IsProgram bool

	// Main is the function main of a program, and of a cell that has no statements. It is called
	// when all else has run.
	Main *types.Func

	before  map[string]meaning   // what its names meant before Commit
	imports map[string]*imported // what the cell's imports bind
	dots    []*types.Package     // what its dot imports bind
}

// Chunk is a part of a cell that is checked at once: either declarations or a run of statements.
type Chunk struct {
	Pkg *types.Package

	// Decls are functions, types and constants. In a program, and where variables and functions
	// of a cell need each other, there are variables too, to be initialised in InitOrder.
	Decls     []ast.Decl
	InitOrder []*types.Initializer

	// Stmts is the run of statements; Body is the function body that holds them, whose variables
	// at the outermost level are cell-level variables.
	Stmts []ast.Stmt
	Body  *ast.BlockStmt
}

// Commit makes the names that cell defines live. A name that is defined anew replaces the earlier
// one for later cells.
func (c *Checker) Commit(cell *Cell) {
	for _, name := range slices.Sorted(maps.Keys(cell.imports)) {
		c.live.bind(name, cell.imports[name])
	}
	c.live.dots = append(c.live.dots, cell.dots...)
	cell.before = map[string]meaning{}
	for _, obj := range cell.Defs {
		if _, again := cell.before[obj.Name()]; !again {
			cell.before[obj.Name()] = c.live.meaning(obj.Name())
		}
		c.live.define(obj)
	}
	c.keepTypes(cell)
	c.keepUsers(cell)
}

// Revert takes back the variables of a committed cell that its run did not come to define: their
// names mean again what they meant before.
func (c *Checker) Revert(cell *Cell, defined func(*types.Var) bool) {
	last := map[string]*types.Var{}
	for _, v := range cell.Vars {
		if defined(v) {
			last[v.Name()] = v
		}
	}
	for _, v := range cell.Vars {
		switch {
		case defined(v) || c.live.objects[v.Name()].obj != v:
		case last[v.Name()] != nil:
			c.live.define(last[v.Name()])
		default:
			c.live.restore(v.Name(), cell.before[v.Name()])
		}
	}
}

// Define makes a variable of type t live that no cell defines, such as the value of an earlier
// cell.
func (c *Checker) Define(name string, t types.Type) *types.Var {
	pkg := types.NewPackage("main", "main")
	v := types.NewVar(token.NoPos, pkg, name, t)
	pkg.Scope().Insert(v)
	c.live.define(v)
	return v
}

// Forget makes name undefined. It reports whether the name was live.
func (c *Checker) Forget(name string) bool { return c.live.forget(name) }

// Live lists what the cells so far have defined, in the order of definition, without imports.
func (c *Checker) Live() []types.Object { return c.live.list() }

// Lookup returns the live object, or the live import as a [types.PkgName], of that name; nil when
// there is none.
func (c *Checker) Lookup(name string) types.Object {
	return c.live.lookup(name, types.NewPackage("main", "main"))
}

// Imports lists the live imports by name.
func (c *Checker) Imports() []*types.PkgName {
	pkg := types.NewPackage("main", "main")
	var list []*types.PkgName
	for _, name := range slices.Sorted(maps.Keys(c.live.imports)) {
		list = append(list, types.NewPkgName(token.NoPos, pkg, name, c.live.imports[name].pkg))
	}
	return list
}

// config returns the configuration of go/types for one chunk.
func (c *Checker) config(report func(error)) *types.Config {
	return &types.Config{
		Context:   c.context,
		GoVersion: goVersion,
		Importer:  c.imp,
		Error:     report,
		Sizes:     types.SizesFor("gc", runtime.GOARCH),
	}
}

// newInfo returns an Info that records everything.
func newInfo() *types.Info {
	return &types.Info{
		Types:      map[ast.Expr]types.TypeAndValue{},
		Instances:  map[*ast.Ident]types.Instance{},
		Defs:       map[*ast.Ident]types.Object{},
		Uses:       map[*ast.Ident]types.Object{},
		Implicits:  map[ast.Node]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes:     map[ast.Node]*types.Scope{},
	}
}

// byPos orders objects as they stand in the source.
func byPos(a, b types.Object) int {
	return cmp.Or(cmp.Compare(a.Pos(), b.Pos()), strings.Compare(a.Name(), b.Name()))
}
