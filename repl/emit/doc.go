// Package emit turns core, package ir, into the syntax tree that the interpreter yaegi compiles.
//
//	e := emit.New()
//	p, err := e.Unit(unit)
//	// the session then calls interp.Use(p.Symbols), interp.CompileAST(p.File), interp.Execute
//
// It is the only room that knows what yaegi v0.16.1 gets wrong. Each fault is told once, beside the
// code that goes around it, with the shortest Go that shows it. The rules that follow from them:
// every variable is declared with its type; a value that yaegi might keep by reference, in the
// wrong place, or of the wrong type is first put in a variable of its own; function values come
// from factory functions; select, defer, go and recover are calls of the run-time package.
//
// It is also the room that knows what yaegi does fast: variables are declared once at the top and then
// assigned, x = x + y is x += y, symbols stand without their package's name, and short functions are
// written out where they are called.
//
// What is left: a struct or an array whose every number is 0 or -0 arrives at a core function with 0
// in place of -0, for yaegi does not copy what reflect calls zero.
//
// The tree holds identifiers that no parser would accept, so that nothing can collide with them.
package emit
