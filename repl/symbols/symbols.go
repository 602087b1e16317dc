package symbols

import (
	"reflect"
	"slices"
	"strings"

	"halfnote/repl/symbols/internal/tables"
)

// Table holds what compiled code gives to cells from one package.
type Table struct {
	Path, Name string

	// Symbols has the exported names: a function as it is, a variable as a pointer to it, a type
	// as a nil pointer to it.
	Symbols map[string]reflect.Value
}

// Load returns the table of the package path. Each call makes a new one.
func Load(path string) (Table, bool) {
	t, ok := find(path)
	if !ok {
		return Table{}, false
	}
	table := Table{
		Path:    t.Path,
		Name:    t.Name,
		Symbols: make(map[string]reflect.Value, len(t.Symbols)),
	}
	for _, s := range t.Symbols {
		table.Symbols[s.Name] = reflect.ValueOf(s.Value)
	}
	return table, true
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
