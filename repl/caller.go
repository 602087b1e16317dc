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

// callers are the functions of package runtime that look at the stack, and what counts goroutines:
// those of the program.
func (m *machine) callers() map[string]reflect.Value {
	return map[string]reflect.Value{
		"Caller":       reflect.ValueOf(m.caller),
		"Callers":      reflect.ValueOf(func(int, []uintptr) int { return 0 }),
		"NumGoroutine": reflect.ValueOf(func() int { return 1 + m.types.Running() }),
	}
}

// caller is runtime.Caller.
func (m *machine) caller(skip int) (pc uintptr, file string, line int, ok bool) {
	if file, line = m.where(); skip != 0 || line == 0 {
		return 0, "", 0, false
	}
	return 0, file, line, true
}

// where is the place of the call of compiled code that runs; its line is 0 if that is not known.
func (m *machine) where() (file string, line int) {
	pos := m.fileSet().Position(token.Pos(*m.types.Place()))
	file = pos.Filename
	if strings.HasSuffix(file, ".go") {
		if path, err := filepath.Abs(file); err == nil {
			file = filepath.ToSlash(path)
		}
	}
	return file, pos.Line
}
