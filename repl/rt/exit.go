package rt

import "fmt"

// This file implements what ends a program: os.Exit, and what the runtime would end the process for.

// Exit is the panic value that ends a program with os.Exit.
type Exit struct{ Code int }

func (e Exit) String() string { return fmt.Sprintf("os.Exit(%d)", e.Code) }

// exit ends the cell or the program.
func exit(code int) { panic(Exit{code}) }

// Fatal is the panic value of what Go calls a fatal error; nothing recovers it.
type Fatal string

func (f Fatal) Error() string { return "fatal error: " + string(f) }

// ends reports whether v is a panic value that ends the program: no deferred call runs, and none can
// recover it.
func ends(v any) bool {
	switch v.(type) {
	case Exit, Fatal:
		return true
	}
	return false
}
