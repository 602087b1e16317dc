package ir

import (
	"go/constant"
	"go/token"
	"reflect"
)

// A Unit is what one cell or one program lowers to: functions, and the one that starts it.
// Functions of earlier units may be called; they are not repeated.
type Unit struct {
	Name  string  // the cell's name, as in "cell 3"
	Funcs []*Func // in any order, without Entry; names are unique in a session
	Entry *Func   // takes nothing and returns nothing
}

// A Func is a top-level function or the body of a Closure. Params and Results have storage types.
type Func struct {
	Name     string // unique in the session for a top-level function, for reading only in a closure
	Params   []*Var // a nil element is a parameter that is not used
	Variadic bool   // the last parameter is a slice that takes the remaining arguments
	Typ      reflect.Type
	Body     []Stmt
	Pos      token.Pos

	// Label is the function's name in traces: that of the source, "f.func" for a literal in f. What
	// has none, such as a conversion of arguments, is no function of the program.
	Label string
	// IsPart tells that it is a part of the body of the function of the same label.
	IsPart bool
}

// A Var is a local variable or a parameter. Two Vars of one name are two variables: the back end
// keeps them apart. A variable that closures share or whose address is taken is a Var of pointer
// type.
type Var struct {
	Name string
	Typ  reflect.Type
}

// An Expr has one value, of storage type Type. Only a Call may have no value (Type is nil) or
// several (see Call.Results); then it stands alone in an ExprStmt, a DefineMany, or a Return.
type Expr interface {
	Type() reflect.Type
	Pos() token.Pos
}

// A Stmt is one statement.
type Stmt interface{ stmt() }

// At is the place in the user's text that an expression or statement comes from, or token.NoPos.
type At token.Pos

// Pos returns the place.
func (a At) Pos() token.Pos { return token.Pos(a) }

// Expressions.
type (
	// Const is a constant of a basic storage type.
	Const struct {
		At
		Typ reflect.Type
		Val constant.Value
	}
	// Zero is the zero value of a type: nil, 0, "" or an empty composite.
	Zero struct {
		At
		Typ reflect.Type
	}
	// Local is the value of a variable. It can be assigned to.
	Local struct {
		At
		Var *Var
	}
	// Extern is a compiled value: a function that the back end knows by package path and name, or,
	// with Pkg SessionPkg, the Value itself: a pointer to a session variable or to a package's
	// variable, a descriptor.
	Extern struct {
		At
		Pkg, Name string
		Typ       reflect.Type
		Value     reflect.Value
	}
	// FuncRef is a top-level function of core, as the callee of a Call or as a value.
	FuncRef struct {
		At
		Func *Func
	}
	// Closure is a function value made from Fn. Captures are the variables of the enclosing
	// function that Fn's body uses; their values (all pointers, functions or such that never
	// change again) are taken when the closure is made.
	Closure struct {
		At
		Fn       *Func
		Captures []*Var
	}
	// Call calls Fun: a FuncRef, an Extern, a Method, or any expression of function type.
	// Spread passes the last argument, a slice, as the variadic parameter itself. An only
	// argument that is a Call with several results passes them all.
	Call struct {
		At
		Fun    Expr
		Args   []Expr
		Spread bool
	}
	// Method is the compiled method Name of X, as the callee of a Call or bound to X as a value.
	// X's static type has the method (X is addressable or a pointer where it must be).
	Method struct {
		At
		X    Expr
		Name string
		Typ  reflect.Type // without the receiver
	}
	// Builtin is a call of len, cap, append, copy, delete, make, new, close, complex, real, imag,
	// min, max or clear with arguments of storage types; Typ is nil for those without a value.
	// For make and new Typ is what is made (a slice, map or channel; the pointer). Spread is for
	// append.
	Builtin struct {
		At
		Op     string
		Args   []Expr
		Spread bool
		Typ    reflect.Type
	}
	// Field is X's field of index I, where X is a struct or a pointer to one.
	Field struct {
		At
		X Expr
		I int
	}
	// Index is X[I] for a slice, array, pointer to array, string or map.
	Index struct {
		At
		X, I Expr
	}
	// Slice is X[Lo:Hi:Max]; absent operands are nil.
	Slice struct {
		At
		X, Lo, Hi, Max Expr
		Typ            reflect.Type
	}
	// Deref is *X. It can be assigned to.
	Deref struct {
		At
		X Expr
	}
	// Addr is &X, where X is a Field of a Deref or of a pointer, an Index of a slice or of a
	// pointer to array, a Composite, or a Deref.
	Addr struct {
		At
		X   Expr
		Typ reflect.Type
	}
	// Unary is Op X for + - ! ^.
	Unary struct {
		At
		Op token.Token
		X  Expr
	}
	// Binary is X Op Y. Both sides have the same type, except for shifts, whose count is any
	// integer. Comparisons give bool. Sides of == and != are comparable by the language itself;
	// interface values, and structs that hold them, are compared by the run-time package.
	Binary struct {
		At
		Op   token.Token
		X, Y Expr
	}
	// Convert is Typ(X) between storage types, never to or from an interface type.
	Convert struct {
		At
		Typ reflect.Type
		X   Expr
	}
	// Iface is X, of a type that reflect knows fully, as a value of the interface type Typ; or an
	// interface value as one of another interface type that it surely implements.
	Iface struct {
		At
		Typ reflect.Type
		X   Expr
	}
	// Assert is X.(Typ) for an interface value known to hold exactly a Typ, or, in a DefineMany of
	// two variables, the test for it.
	Assert struct {
		At
		X   Expr
		Typ reflect.Type
	}
	// Recv is <-X.
	Recv struct {
		At
		X Expr
	}
	// Composite is Typ{…} for a struct (Keys are field indexes, as Const), slice or array (Keys are
	// indexes) or map (Keys are key expressions). Keys is nil for elements in order.
	Composite struct {
		At
		Typ   reflect.Type
		Keys  []Expr
		Elems []Expr
	}
)

// Statements.
type (
	// Define declares Var with the value Init, never nil. In a loop it is a new variable each time.
	Define struct {
		At
		Var  *Var
		Init Expr
	}
	// DefineMany declares variables for a Call with several results, or for the value and the ok
	// of a map Index, an Assert or a Recv. A nil Var drops the value.
	DefineMany struct {
		At
		Vars []*Var
		X    Expr
	}
	// Assign is Lhs = Rhs for a Local, Deref, Field or Index.
	Assign struct {
		At
		Lhs, Rhs Expr
	}
	// ExprStmt evaluates X, a Call, Builtin or Recv (or any expression, for its panics).
	ExprStmt struct {
		At
		X Expr
	}
	// Send is Chan <- X.
	Send struct {
		At
		Chan, X Expr
	}
	// If is if Cond {Then} else {Else}.
	If struct {
		At
		Cond       Expr
		Then, Else []Stmt
	}
	// Loop is for ; Cond; Post {Body}. A nil Cond is true. Post is at most simple statements, run
	// after the body and after continue.
	Loop struct {
		At
		Label string
		Cond  Expr
		Post  []Stmt
		Body  []Stmt
	}
	// Range is for Key, Value := range X over a slice, array, map or channel (whose elements are
	// Key). Key and Value may be nil and are new variables in each iteration. X is evaluated once.
	Range struct {
		At
		Label      string
		Key, Value *Var
		X          Expr
		Body       []Stmt
	}
	// Switch picks the clause one of whose Values equals Tag, an int. There is no falling through.
	// break leaves it.
	Switch struct {
		At
		Label   string
		Tag     Expr
		Clauses []Clause
	}
	// Select is select; break leaves it. It waits unless a clause is the default.
	Select struct {
		At
		Label   string
		Clauses []Comm
	}
	// Block is {Body}.
	Block struct {
		At
		Body []Stmt
	}
	// Label marks a place for Goto.
	Label struct {
		At
		Name string
	}
	// Goto jumps to a Label of the same function.
	Goto struct {
		At
		Label string
	}
	// Break leaves the innermost Loop, Range, Switch or Select, or the one with the label.
	Break struct {
		At
		Label string
	}
	// Continue goes on with the innermost Loop or Range, or the one with the label.
	Continue struct {
		At
		Label string
	}
	// Return gives the function's results. One Call with several results may stand for all.
	Return struct {
		At
		Results []Expr
	}
)

// A Clause of a Switch.
type Clause struct {
	Values []int // nil for the default, which may stand anywhere
	Body   []Stmt
}

// A Comm is a clause of a Select: a send (Chan, Send), a receive (Chan; Value and Ok may be nil),
// or the default (Chan is nil).
type Comm struct {
	At
	Chan      Expr
	Send      Expr
	Value, Ok *Var
	Body      []Stmt
}

// SessionPkg is the Pkg of Externs whose Value the session gives.
const SessionPkg = "session"

// RuntimePkg is the Pkg of Externs that are functions of package rt.
const RuntimePkg = "rt"

var (
	boolType = reflect.TypeFor[bool]()
	byteType = reflect.TypeFor[byte]()
)

// Results returns the types of the call's results.
func (e *Call) Results() []reflect.Type {
	t := e.Fun.Type()
	rs := make([]reflect.Type, t.NumOut())
	for i := range rs {
		rs[i] = t.Out(i)
	}
	return rs
}

func (e *Const) Type() reflect.Type     { return e.Typ }
func (e *Zero) Type() reflect.Type      { return e.Typ }
func (e *Local) Type() reflect.Type     { return e.Var.Typ }
func (e *Extern) Type() reflect.Type    { return e.Typ }
func (e *FuncRef) Type() reflect.Type   { return e.Func.Typ }
func (e *Closure) Type() reflect.Type   { return e.Fn.Typ }
func (e *Method) Type() reflect.Type    { return e.Typ }
func (e *Builtin) Type() reflect.Type   { return e.Typ }
func (e *Slice) Type() reflect.Type     { return e.Typ }
func (e *Deref) Type() reflect.Type     { return e.X.Type().Elem() }
func (e *Addr) Type() reflect.Type      { return e.Typ }
func (e *Unary) Type() reflect.Type     { return e.X.Type() }
func (e *Convert) Type() reflect.Type   { return e.Typ }
func (e *Iface) Type() reflect.Type     { return e.Typ }
func (e *Assert) Type() reflect.Type    { return e.Typ }
func (e *Recv) Type() reflect.Type      { return e.X.Type().Elem() }
func (e *Composite) Type() reflect.Type { return e.Typ }

// Type returns the type of the call's only result, or nil when it has none or several.
func (e *Call) Type() reflect.Type {
	if t := e.Fun.Type(); t.NumOut() == 1 {
		return t.Out(0)
	}
	return nil
}

// Type returns the field's type.
func (e *Field) Type() reflect.Type {
	t := e.X.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Field(e.I).Type
}

// Type returns the element's type.
func (e *Index) Type() reflect.Type {
	t := e.X.Type()
	switch t.Kind() {
	case reflect.String:
		return byteType
	case reflect.Pointer:
		return t.Elem().Elem()
	}
	return t.Elem()
}

// Type returns bool for a comparison, else the type of the left operand.
func (e *Binary) Type() reflect.Type {
	switch e.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return boolType
	}
	return e.X.Type()
}

func (*Define) stmt()     {}
func (*DefineMany) stmt() {}
func (*Assign) stmt()     {}
func (*ExprStmt) stmt()   {}
func (*Send) stmt()       {}
func (*If) stmt()         {}
func (*Loop) stmt()       {}
func (*Range) stmt()      {}
func (*Switch) stmt()     {}
func (*Select) stmt()     {}
func (*Block) stmt()      {}
func (*Label) stmt()      {}
func (*Goto) stmt()       {}
func (*Break) stmt()      {}
func (*Continue) stmt()   {}
func (*Return) stmt()     {}
