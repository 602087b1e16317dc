// Package lower turns a checked cell into core, the small typed language of package ir.
//
//	l := lower.New(types, symbols, libraries)
//	unit, err := l.Unit(cell, nil) // unit.Unit is core; unit.Results point to what is shown
//
// go/types has judged the cell; lowering only says the same thing with fewer words. func.go,
// stmt.go and expr.go walk a cell's functions, statements and expressions. Each of the other files
// holds one difference between Go and core and shows it as before → after:
//
//	capture.go   variables that closures share become pointers made with new
//	convert.go   every conversion is written out; interface values get their real type
//	iface.go     assertions, type switches and calls through interfaces
//	generics.go  generic functions and types become instances
//	library.go   generic functions and types of the standard library come from halfnote's source
//	order.go     calls come before what they may change is read
//	callback.go  functions that compiled code calls on goroutines of its own are guarded
//	call.go      methods become functions with the receiver first
//	builtin.go   built-in functions that core lacks become calls
//	unsafe.go    the functions of package unsafe become calls
//	defer.go     defer, recover, panic and go become calls of the run-time package
//	loop.go      loop variables of their own in each iteration
//	range.go     range over integers, strings and functions becomes loops and closures
//	switch.go    switch becomes a choice of a number; fallthrough repeats the next body
//	cell.go      the cell's variables become session variables; the last expression its result
//
// What cannot be lowered yet is a diagnostic at its place: "halfnote cannot run X yet".
package lower
