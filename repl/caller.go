package repl

// This file implements where a program is, as package runtime tells it. The place of the call itself
// is known. Who called the function is not: the interpreter keeps no record of calls, and the stack
// of the process is the interpreter's own.

import (
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
)

// callers are the functions of package runtime that look at the stack.
func (m *machine) callers() map[string]reflect.Value {
	return map[string]reflect.Value{
		"Caller":  reflect.ValueOf(m.caller),
		"Callers": reflect.ValueOf(func(int, []uintptr) int { return 0 }),
	}
}

// caller is runtime.Caller.
func (m *machine) caller(skip int) (pc uintptr, file string, line int, ok bool) {
	pos := m.fileSet().Position(token.Pos(*m.types.Place()))
	if skip != 0 || !pos.IsValid() {
		return 0, "", 0, false
	}
	file = pos.Filename
	if strings.HasSuffix(file, ".go") {
		if path, err := filepath.Abs(file); err == nil {
			file = filepath.ToSlash(path)
		}
	}
	return 0, file, pos.Line, true
}
