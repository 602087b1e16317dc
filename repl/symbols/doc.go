// Package symbols knows the packages that cells can import: the standard library, gonum's plots
// and matrices, and halfnote's own. For each it has a table of compiled symbols for the
// interpreter and type information for go/types, so that no Go toolchain is needed at run time:
//
//	pkg, err := symbols.NewImporter().Import("strings") // *types.Package
//	table, ok := symbols.Load("strings")                // compiled code
//	repeat := table.Symbols["Repeat"]                   // reflect.Value of strings.Repeat
//
// Constants have no symbol; their values are in the type information. Neither have generic
// functions and types: cells get those from source. Names that exist on some systems only are left
// out, too.
//
// Both are generated. After a change of an exported name in one of halfnote's own packages, or for
// a new Go release, run
//
//	go generate ./repl/symbols
package symbols

//go:generate go run gen.go
