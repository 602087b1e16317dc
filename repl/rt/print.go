package rt

import "fmt"

// Prints are fmt.Print, Printf and Println for up to four values, under the name and their number,
// as statements: without variadic parameters and without results the interpreter calls them in
// half the time.
var Prints = map[string]any{
	"Print1":   func(a any) { Print(a) },
	"Print2":   func(a, b any) { Print(a, b) },
	"Print3":   func(a, b, c any) { Print(a, b, c) },
	"Print4":   func(a, b, c, d any) { Print(a, b, c, d) },
	"Println1": func(a any) { Println(a) },
	"Println2": func(a, b any) { Println(a, b) },
	"Println3": func(a, b, c any) { Println(a, b, c) },
	"Println4": func(a, b, c, d any) { Println(a, b, c, d) },
	"Printf1":  func(format string, a any) { Printf(format, a) },
	"Printf2":  func(format string, a, b any) { Printf(format, a, b) },
	"Printf3":  func(format string, a, b, c any) { Printf(format, a, b, c) },
	"Printf4":  func(format string, a, b, c, d any) { Printf(format, a, b, c, d) },
}

// PrintName is the name among Prints of a function of package fmt called with n arguments, the
// format included, or "".
func PrintName(function string, n int) string {
	if function == "Printf" {
		n--
	}
	name := fmt.Sprint(function, n)
	if _, ok := Prints[name]; !ok {
		return ""
	}
	return name
}
