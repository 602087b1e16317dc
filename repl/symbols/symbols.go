package symbols

import (
	"reflect"
	"slices"
	"strings"

	"halfnote/repl/rt"
	"halfnote/repl/symbols/internal/tables"
)

// Table holds what compiled code gives to cells from one package.
type Table struct {
	Path, Name string

	// Symbols has the exported names: a function as it is, a variable as a pointer to it, a type
	// as a nil pointer to it.
	Symbols map[string]reflect.Value

	// Wrappers has, for each interface that the package declares, what makes a value of a cell's
	// own type implement it. The wrapper calls b.Method(name) with the receiver b.V first; a
	// variadic method is a variadic function.
	Wrappers map[reflect.Type]func(b rt.Box) any
}

// Load returns the table of the package path. Each call makes a new one.
func Load(path string) (Table, bool) {
	t, ok := find(path)
	if !ok {
		return Table{}, false
	}
	table := Table{
		Path:     t.Path,
		Name:     t.Name,
		Symbols:  make(map[string]reflect.Value, len(t.Symbols)),
		Wrappers: make(map[reflect.Type]func(rt.Box) any, len(t.Wrappers)),
	}
	for _, s := range t.Symbols {
		table.Symbols[s.Name] = reflect.ValueOf(s.Value)
	}
	for _, w := range t.Wrappers {
		table.Wrappers[reflect.TypeOf(w.Interface).Elem()] = w.New
	}
	return table, true
}

// Wrapper returns what makes a value of a cell's own type implement the interface type t, which a
// package with a table declares.
func Wrapper(t reflect.Type) (func(b rt.Box) any, bool) {
	table, ok := find(t.PkgPath())
	if !ok {
		return nil, false
	}
	for _, w := range table.Wrappers {
		if reflect.TypeOf(w.Interface).Elem() == t {
			return w.New, true
		}
	}
	return nil, false
}

// Paths lists the import paths of all packages, sorted.
func Paths() []string {
	paths := make([]string, len(tables.All))
	for i, t := range tables.All {
		paths[i] = t.Path
	}
	return paths
}

func find(path string) (*tables.Table, bool) {
	i, ok := slices.BinarySearchFunc(tables.All, path, func(t *tables.Table, path string) int {
		return strings.Compare(t.Path, path)
	})
	if !ok {
		return nil, false
	}
	return tables.All[i], true
}
