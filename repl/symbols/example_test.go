package symbols_test

import (
	"fmt"

	"halfnote/repl/symbols"
)

func Example() {
	pkg, err := symbols.NewImporter().Import("strings")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(pkg.Scope().Lookup("Repeat"))

	table, _ := symbols.Load("strings")
	repeat := table.Symbols["Repeat"].Interface().(func(string, int) string)
	fmt.Println(repeat("na", 3))
	// Output:
	// func strings.Repeat(s string, count int) string
	// nanana
}
