// Package symbols knows the packages that cells can import: the standard library, gonum's plots
// and matrices, and halfnote's own. For each it has a table of compiled symbols for the
// interpreter and type information for go/types, so that no Go toolchain is needed at run time:
//
//	pkg, err := symbols.NewImporter().Import("strings") // *types.Package
//	table, ok := symbols.Load("strings")                // compiled code
//	repeat := table.Symbols["Repeat"]                   // reflect.Value of strings.Repeat
//
// Constants have no symbol; their values are in the type information. Generic functions and types
// come from package std, but for the instances that compiled code takes or gives, such as
// iter.Seq[string]; those have a symbol.
//
// These public packages are left out: plugin, runtime/cgo, runtime/race and runtime/coverage, which
// need another kind of binary; expvar and net/http/pprof, whose import opens what they know to
// http.DefaultServeMux; log/syslog, which exists on Unix only; time/tzdata, which is data alone;
// testing/cryptotest and crypto/mlkem/mlkemtest, which serve tests of compiled code. Package unsafe
// is the compiler's, cmd and internal packages nobody can import, and experiments, such as
// encoding/json/v2 and arena, are off. Of package syscall, another one on each system, there is
// what all systems have, and the constants of this one; no other package has exported names that
// differ. In package testing what only a test binary's main can call is left out.
//
// Both are generated. After a change of an exported name in one of halfnote's own packages, or for
// a new Go release, run
//
//	go generate ./repl/symbols
package symbols

//go:generate go run gen.go
