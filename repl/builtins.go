package repl

// This file says what the words are that Go itself gives: keywords, and the functions and types
// that need no package.

// A word is a word of Go and what it is for.
type word struct{ signature, doc string }

// builtins are the functions that Go declares.
var builtins = map[string]word{
	"append": {"func(slice []T, elems ...T) []T",
		"append adds elements to the end of a slice and returns the longer one. It writes into the " +
			"room behind the slice if there is any, so always use the result: s = append(s, x)."},
	"cap": {"func(v T) int",
		"cap is how many elements a slice can hold before append must move it, the length of an " +
			"array, or the size of a channel's buffer."},
	"clear": {"func(t T)",
		"clear removes all entries of a map, or sets all elements of a slice to zero."},
	"close": {"func(c chan<- T)",
		"close says that nothing more will be sent on a channel. Receivers get what was sent, then " +
			"zero values; ranges over the channel end."},
	"complex": {"func(r, i T) C", "complex makes a complex number of its real and imaginary part."},
	"copy": {"func(dst, src []T) int",
		"copy copies as many elements as both slices hold, or bytes of a string, and returns how " +
			"many. The slices may overlap."},
	"delete": {"func(m map[K]V, key K)", "delete removes a key from a map, if it is there."},
	"imag":   {"func(c C) T", "imag is the imaginary part of a complex number."},
	"len": {"func(v T) int",
		"len is the length of a string in bytes, or the number of elements of an array, " +
			"slice, map or channel."},
	"make": {"func(T, size ...int) T",
		"make makes a slice of a length (and capacity), a map, or a channel with a " +
			"buffer of a size."},
	"max": {"func(x T, y ...T) T",
		"max is the largest of its arguments: numbers or strings. It is NaN if one is."},
	"min": {"func(x T, y ...T) T",
		"min is the smallest of its arguments: numbers or strings. It is NaN if one is."},
	"new": {"func(T) *T",
		"new makes a variable of a type, or with the value of an expression, and returns " +
			"a pointer to it."},
	"panic": {"func(v any)",
		"panic ends the function and those that called it, running their deferred calls, " +
			"until recover stops it. In a cell it ends the cell."},
	"print": {"func(args ...T)",
		"print writes its arguments to standard error, for bootstrapping. Use fmt.Print."},
	"println": {"func(args ...T)",
		"println writes its arguments to standard error, for bootstrapping. Use " +
			"fmt.Println."},
	"real": {"func(c C) T", "real is the real part of a complex number."},
	"recover": {"func() any",
		"recover stops a panic and returns its value, when a deferred function calls it."},

	// those of package unsafe
	"Add":        {"func(p unsafe.Pointer, n int) unsafe.Pointer", "Add is the place n bytes behind p."},
	"Alignof":    {"func(x T) uintptr", "Alignof is the number of which x's address is a multiple."},
	"Offsetof":   {"func(x.field) uintptr", "Offsetof is how many bytes into a struct a field begins."},
	"Sizeof":     {"func(x T) uintptr", "Sizeof is how many bytes x takes, without what it points to."},
	"Slice":      {"func(p *T, n int) []T", "Slice is the slice of the n elements at p."},
	"SliceData":  {"func(slice []T) *T", "SliceData is where the elements of a slice are."},
	"String":     {"func(p *byte, n int) string", "String is the string of the n bytes at p."},
	"StringData": {"func(s string) *byte", "StringData is where the bytes of a string are."},
}

// universe are the types and values that Go declares.
var universe = map[string]string{
	"any":        "any is interface{}: it holds a value of any type.",
	"bool":       "bool is true or false.",
	"byte":       "byte is another name of uint8.",
	"comparable": "comparable is the constraint of types that == compares.",
	"complex64":  "complex64 is a complex number of two float32.",
	"complex128": "complex128 is a complex number of two float64.",
	"error":      "error is the interface of errors: Error() string. nil means that there is none.",
	"false":      "false is the bool value of what does not hold, such as 2 < 1.",
	"float32":    "float32 is an IEEE 754 number of 32 bits: some 7 digits, up to 3.4e38.",
	"float64":    "float64 is an IEEE 754 number of 64 bits: some 16 digits, up to 1.8e308.",
	"int":        "int is an integer of at least 32 bits; 64 on most machines.",
	"int8":       "int8 is an integer from -128 to 127.",
	"int16":      "int16 is an integer from -32768 to 32767.",
	"int32":      "int32 is an integer from -2147483648 to 2147483647.",
	"int64":      "int64 is an integer from -9223372036854775808 to 9223372036854775807.",
	"iota": "iota is the number of its line in a const ( … ), from 0. Lines without a value repeat " +
		"the one above: of A = iota, B and C below it, C is 2.",
	"nil":     "nil is the zero value of pointers, functions, interfaces, slices, channels and maps.",
	"rune":    "rune is another name of int32, for Unicode code points.",
	"string":  "string is a sequence of bytes, most often UTF-8, that cannot be changed.",
	"true":    "true is the bool value of what holds, such as 1 < 2.",
	"uint":    "uint is an integer from 0, as large as int.",
	"uint8":   "uint8 is an integer from 0 to 255.",
	"uint16":  "uint16 is an integer from 0 to 65535.",
	"uint32":  "uint32 is an integer from 0 to 4294967295.",
	"uint64":  "uint64 is an integer from 0 to 18446744073709551615.",
	"uintptr": "uintptr is an integer that can hold a pointer's bits.",
}

// keywords are Go's keywords, each with the forms in which it is used.
var keywords = map[string]word{
	"break": {"break [label]",
		"break leaves the innermost for, switch or select, or the labelled one."},
	"case": {"case x, y:",
		"case begins a branch of a switch or select. It does not fall into the next one."},
	"chan": {"chan T",
		"chan T is the type of channels of T; <-chan T only receives, chan<- T only " +
			"sends."},
	"const": {"const name = value",
		"const declares constants. In a group, iota counts the lines."},
	"continue": {"continue [label]",
		"continue goes on with the next turn of the innermost for, or of the labelled " +
			"one."},
	"default": {"default:", "default begins the branch that is taken when no case is."},
	"defer": {"defer f(x)",
		"defer calls a function when the surrounding one ends, also by a panic; at the " +
			"top of a cell, when the cell ends."},
	"else": {"if x { … } else { … }",
		"else begins what runs when the condition of an if is false."},
	"fallthrough": {"fallthrough", "fallthrough goes on with the next case of a switch."},
	"for": {"for i := 0; i < n; i++ { … }",
		"for repeats. It also takes a condition alone, nothing at all, or a range:\n\n" +
			"\tfor i := range 10 { … }\n\tfor i, x := range slice { … }\n\tfor key, value := range m { … }"},
	"func": {"func name(a, b int) (sum int, err error) { … }",
		"func declares a function or method, or, without a name, is a function value."},
	"go": {"go f(x)",
		"go calls a function on a new goroutine. What it prints goes to the cell that " +
			"started it."},
	"goto": {"goto label", "goto goes on at a label of the same function."},
	"if": {"if x := f(); x > 0 { … } else { … }",
		"if runs a block when its condition is true. A statement before the condition " +
			"may define variables for it."},
	"import": {"import \"path\"",
		"import makes a package known. Cells import packages that they name by " +
			"themselves."},
	"interface": {"interface { Method(x T) R }",
		"interface is a type of all values that have some methods, or a constraint for " +
			"type parameters."},
	"map":     {"map[K]V", "map[K]V is the type of maps from K to V."},
	"package": {"package name", "package begins a Go file. Cells need none."},
	"range": {"for i, x := range v { … }",
		"range goes over an integer, a slice, array, string, map, channel, or a function " +
			"that yields."},
	"return": {"return x, err", "return ends a function, or a cell."},
	"select": {"select { case x := <-c: … }",
		"select waits until one of several channels can send or receive."},
	"struct": {"struct { Name string; X, Y int }", "struct is a type with fields."},
	"switch": {"switch x { case 1: … default: … }",
		"switch runs the branch whose value, condition or, in a switch of x.(type), type " +
			"fits."},
	"type": {"type Name struct { … }", "type declares a type, or with = another name of one."},
	"var":  {"var x, y int = 1, 2", "var declares variables."},
}
