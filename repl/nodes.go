package repl

// This file knows the interpreter's nodes, of syntax trees that are graphs of steps too, and the
// frames of functions that run: where they have their fields, and where in a frame a node's value is.

import (
	"fmt"
	"reflect"
	"unsafe"
)

// nodes has the offsets of the fields of nodes, and of what they lead to.
type nodes struct {
	node reflect.Type

	root uintptr // of a program: its syntax tree

	anc, child, start, tnext, fnext, pos, kind, action uintptr
	exec, gen, val, rval, findex, level, sym           uintptr

	symIndex, symNode, global            uintptr // of a symbol
	frameAnc, data, rootFrame, recovered uintptr // of a frame; recovered is what is thrown

	// Kinds of nodes, and the action of a call with a slice for the variadic parameter.
	funcDecl, funcLit, funcType, goStmt, deferStmt, returnStmt uint
	callSlice                                                  uint
}

// openNodes finds the fields; they are those of yaegi v0.16.1, as those of internals.
func openNodes(interpreter, program reflect.Type) *nodes {
	frame, node := fieldType(interpreter, "frame"), fieldType(interpreter, "roots")
	symbol, kinds := fieldType(node, "sym"), fieldType(node, "kind")
	return &nodes{
		node:       node,
		root:       offset(program, "root", reflect.Pointer),
		anc:        offset(node, "anc", reflect.Pointer),
		child:      offset(node, "child", reflect.Slice),
		start:      offset(node, "start", reflect.Pointer),
		tnext:      offset(node, "tnext", reflect.Pointer),
		fnext:      offset(node, "fnext", reflect.Pointer),
		pos:        offset(node, "pos", reflect.Int),
		kind:       offset(node, "kind", reflect.Uint),
		action:     offset(node, "action", reflect.Uint),
		exec:       offset(node, "exec", reflect.Func),
		gen:        offset(node, "gen", reflect.Func),
		val:        offset(node, "val", reflect.Interface),
		rval:       offset(node, "rval", reflect.Struct),
		findex:     offset(node, "findex", reflect.Int),
		level:      offset(node, "level", reflect.Int),
		sym:        offset(node, "sym", reflect.Pointer),
		symIndex:   offset(symbol, "index", reflect.Int),
		symNode:    offset(symbol, "node", reflect.Pointer),
		global:     offset(symbol, "global", reflect.Bool),
		frameAnc:   offset(frame, "anc", reflect.Pointer),
		data:       offset(frame, "data", reflect.Slice),
		rootFrame:  offset(frame, "root", reflect.Pointer),
		recovered:  offset(frame, "recovered", reflect.Interface),
		funcDecl:   kindNamed(kinds, "funcDecl"),
		funcLit:    kindNamed(kinds, "funcLit"),
		funcType:   kindNamed(kinds, "funcType"),
		goStmt:     kindNamed(kinds, "goStmt"),
		deferStmt:  kindNamed(kinds, "deferStmt"),
		returnStmt: kindNamed(kinds, "returnStmt"),
		callSlice:  kindNamed(fieldType(node, "action"), "callSlice"),
	}
}

// offset is where a type of the interpreter has a field of a kind.
func offset(t reflect.Type, name string, kind reflect.Kind) uintptr {
	f, ok := t.FieldByName(name)
	if !ok || f.Type.Kind() != kind {
		panic("repl: the interpreter is not yaegi v0.16.1: " + t.Name() + " has no " + name)
	}
	return f.Offset
}

// fieldType is the type of a field, or that of its elements.
func fieldType(t reflect.Type, name string) reflect.Type {
	f, _ := t.FieldByName(name)
	for f.Type.Kind() == reflect.Slice || f.Type.Kind() == reflect.Pointer {
		f.Type = f.Type.Elem()
	}
	return f.Type
}

// kindNamed is the kind of nodes with a name, or their action.
func kindNamed(kinds reflect.Type, name string) uint {
	for k := range uint(1000) {
		v := reflect.ValueOf(k).Convert(kinds)
		if v.Interface().(fmt.Stringer).String() == name {
			return k
		}
	}
	panic("repl: the interpreter is not yaegi v0.16.1: it has no nodes " + name)
}

// at is the field at an offset from p.
func at[T any](p unsafe.Pointer, offset uintptr) T { return *(*T)(unsafe.Add(p, offset)) }

// An operand is where a node's value is: in a frame, or fixed.
type operand struct {
	fixed  reflect.Value
	level  int // how many frames further out
	index  int
	global bool
}

// operandOf returns where the value of a node is.
func (n *nodes) operandOf(node unsafe.Pointer) operand {
	if v := at[reflect.Value](node, n.rval); v.IsValid() {
		return operand{fixed: v}
	}
	o := operand{level: at[int](node, n.level), index: at[int](node, n.findex)}
	if sym := at[unsafe.Pointer](node, n.sym); sym != nil {
		o.index = at[int](sym, n.symIndex)
		other := at[unsafe.Pointer](sym, n.symNode)
		if o.index < 0 && other != node && other != nil {
			return n.operandOf(other)
		}
		o.global = at[bool](sym, n.global)
	}
	return o
}

// in returns the operand's place in a frame, or nil.
func (o *operand) in(frame unsafe.Pointer, n *nodes) *reflect.Value {
	if o.global {
		frame = at[unsafe.Pointer](frame, n.rootFrame)
	} else {
		for level := o.level; level > 0 && frame != nil; level-- {
			frame = at[unsafe.Pointer](frame, n.frameAnc)
		}
	}
	if frame == nil {
		return nil
	}
	data := at[[]reflect.Value](frame, n.data)
	if uint(o.index) >= uint(len(data)) {
		return nil
	}
	return &data[o.index]
}

// value is what the interpreter reads from a frame for a node.
func (n *nodes) value(node, frame unsafe.Pointer) reflect.Value {
	o := n.operandOf(node)
	if o.fixed.IsValid() {
		return o.fixed
	}
	if v := o.in(frame, n); v != nil {
		return *v
	}
	return reflect.Value{}
}
