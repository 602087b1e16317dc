// Package std holds halfnote's own source of the generic functions of Go's standard library. They
// have no compiled code that a cell could call, so a cell's calls are instantiated from this source
// and interpreted with the cell:
//
//	files, ok := std.Source("maps") // "maps.go" → "package maps …"
//	std.Paths()                     // [cmp crypto/hkdf … slices sync]
//
// Each package is the folder of its import path and has the names and the behaviour of Go's, NaN,
// nil, aliasing and the texts of panics included; a test compares the two. Type parameters have
// Go's order. A source imports the packages of Go by their standard paths: compiled as part of
// halfnote it calls Go's functions; interpreted, generic functions come from here again, all else
// is compiled. It declares functions and constants only, no variables and, but for constraints, no
// types.
//
// Not here: generic types (atomic.Pointer, sql.Null, unique.Handle, weak.Pointer), and functions
// that need the runtime or a program's types (reflect.TypeFor, reflect.TypeAssert, unique.Make,
// weak.Make, runtime.AddCleanup, maphash.Comparable, maphash.WriteComparable).
package std
