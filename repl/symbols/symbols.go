package symbols

import (
	"reflect"
	"slices"
	"strings"
	"sync"

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

// Lookup returns the symbol name of the package path. The name of an instance of a generic type or
// function is the one that reflect gives it: Seq[string] is in package iter.
func Lookup(path, name string) (reflect.Value, bool) {
	if t, ok := find(path); ok {
		for _, s := range t.Symbols {
			if s.Name == name {
				return reflect.ValueOf(s.Value), true
			}
		}
	}
	v, ok := instances()[[2]string{path, name}]
	return v, ok
}

// instances finds the instances of generic types by path and name.
var instances = sync.OnceValue(func() map[[2]string]reflect.Value {
	found := map[[2]string]reflect.Value{}
	for _, t := range tables.All {
		for _, instance := range t.Instances {
			v := reflect.ValueOf(instance)
			typ := v.Type().Elem()
			found[[2]string{typ.PkgPath(), typ.Name()}] = v
		}
	}
	return found
})

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
