// Package std holds halfnote's own source of the generic functions and types of Go's standard
// library. Compiled code has few of their instances, so a cell's are made from this source and
// interpreted with the cell:
//
//	files, ok := std.Source("maps") // "maps.go" → "package maps …"
//	std.Paths()                     // [cmp crypto/hkdf … unique weak]
//
// Each package is the folder of its import path and has the names and the behaviour of Go's, NaN,
// nil, aliasing and the texts of panics included; a test compares the two. Type parameters have
// Go's order, exported fields Go's places. A source imports the packages of Go by their standard
// paths: compiled as part of halfnote it calls Go's functions; interpreted, generic functions and
// types come from here again, but for the few instances that have compiled code, such as
// unique.Make[any], and all else is compiled. It declares no variables, and no types but generic
// ones and constraints.
//
// Not here: iter.Seq and iter.Seq2, which are what they are made of. What a frame of the interpreter
// still holds keeps a weak.Pointer alive and a cleanup from running, longer than in a compiled
// program. reflect.TypeAssert and the hashes of maphash see program types as package rt has them.
package std
