// Package ir defines the small typed core language that a checked cell is lowered to and that a
// back end runs: data types, a printer, and walks over them.
//
// Core is Go with the hard parts taken out. Types are storage types, given as reflect.Type: a
// program's named types are erased to what they are stored as, its interfaces to interface{}, its
// structs to struct types made at run time. Every conversion is written out, a variable that
// closures share or whose address is taken is a pointer made with new, generic functions are
// instances, methods are functions with the receiver first, and defer, recover and go are calls of
// the run-time package. A program in core has these forms only:
//
//	x := e                       Define          f(a, b…)  x.M(a)  len(x)   Call, Method, Builtin
//	x, y := f(…)  v, ok := m[k]  DefineMany      x.F  x[i]  x[i:j]  *p  &x  Field, Index, Slice, …
//	x = e  c <- x                Assign, Send    -x  x + y  <-c             Unary, Binary, Recv
//	if  for  range  switch …     If, Loop, …     T(x)  any(x)  x.(T)        Convert, Iface, Assert
//	goto  break  return …        Goto, Break, …  T{…}  func(…) {…}          Composite, Closure
//
// One back end, package emit, turns core into the syntax tree that the interpreter compiles;
// another can stand beside it.
package ir
