// Package random makes small Go programs at random, to compare what runs them: tests let `go run`
// and the session run the same program.
//
//	src := random.Program(7, random.Config{}) // a package main; the same for the same number
//	small := random.Shrink(src, importer, differ) // the same fault in fewer statements
//
// Tests run some of them each time. For a long search, with other programs or with whole values:
//
//	go test ./repl -run RandomPrograms -seed 1000 -programs 600 -shrink 3 -values
//
// A program compiles, ends soon, and prints the same each time: types.go and decl.go make up named
// types, methods, generic types and functions as objects of go/types, which then say what a value
// has; path.go finds variables and their parts, expr.go writes values of a type, stmt.go, control.go
// and call.go statements that use them; program.go puts all into one file and prelude.go has what
// each program calls.
//
// What Go leaves open is not used. An operand that a call could change does not stand beside the
// call: functions of the program are called in statements of their own, with arguments that are
// pure. Maps are looked at in the order of their keys, goroutines are waited for. Every function
// and every turn of a loop uses up some of the program's steps, so that it ends.
package random
