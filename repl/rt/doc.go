// Package rt is what emitted code calls at run time.
//
// Emitted code has erased types: a program's interfaces are interface{}, its named types are what
// they are stored as, its structs are made by reflect. So the run time keeps what reflect cannot:
//
//	Types   descriptors and storage types of go/types types, one registry for a session
//	Box     an interface value that knows its go/types type: methods, fields, fmt
//	Defers  the deferred calls of one activation, and recover
//	Go      go statements, whose output belongs to the cell and whose panics do not end the process
//
// A value is boxed only when reflect does not know its type fully: an int or a []string in an
// interface stays as it is. Compiled code that prints, compares or sorts boxes sees what it would
// see in a compiled program, as far as methods and fmt can tell.
package rt
