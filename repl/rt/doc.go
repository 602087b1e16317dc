// Package rt is what emitted code calls at run time.
//
// Emitted code has erased types: a program's interfaces are interface{}, its named types are what
// they are stored as, its structs are made by reflect. So a type of the program is two types at run
// time, of one layout:
//
//	storage type   what emitted code declares, sets and computes with: float64
//	real type      what interface values hold, and compiled code sees: main.Celsius, with String
//
// Putting a value into an interface changes its label from the one to the other (B), taking it out
// changes it back (Unbox). Compiled code such as fmt, encoding/json, errors, text/template and
// reflect needs no help then: a real type has the name, the fields, the tags and the exported
// methods that the user wrote, and implements compiled interfaces.
//
//	Types     descriptors, storage and real types of go/types types, one registry for a session
//	stub.go   how a method of the program gets an address that compiled code can call
//	reflect.go, override.go   what reflect and other packages would say wrongly
//	size.go, sized.go   what asks for more memory than there is
//	Defers    the deferred calls of one activation, and recover
//	Callback  functions and methods that compiled code calls on goroutines of its own, guarded too
//	Go        go statements, whose output belongs to the cell and whose panics do not end the process
//
// Limits: reflect takes interface types of the program for interfaces without methods, except where
// reflect.go answers; an encoder that fills one puts in what it puts into an any. Where there are no
// stubs for the processor, compiled code sees no methods of the program's types.
package rt
