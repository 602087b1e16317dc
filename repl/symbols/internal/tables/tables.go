// Package tables holds the generated tables of symbols, one Go file for each package. They are
// data that the linker lays out: nothing runs at start and nothing is allocated before a table is
// used.
package tables

// Table holds what compiled code gives to cells from one package.
type Table struct {
	Path, Name string
	Symbols    []Symbol

	// Instances are nil pointers to the instances of generic types, of any package, that the
	// package's functions, variables and types have to do with.
	Instances []any
}

// Symbol is a function as it is, a variable as a pointer to it, or a type as a nil pointer to it.
type Symbol struct {
	Name  string
	Value any
}
