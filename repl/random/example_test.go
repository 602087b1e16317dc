package random_test

import (
	"fmt"
	"strings"

	"halfnote/repl/random"
	"halfnote/repl/symbols"
)

func Example() {
	src := random.Program(7, random.Config{}) // a package main; the same for the same number
	fmt.Println(strings.HasPrefix(src, "package main"))

	src = "package main\n\nfunc main() {\n\tx := 1\n\tprintln(x, x)\n\tprintln(2)\n}\n"
	differ := func(programs []string) (yes []bool) {
		for _, p := range programs {
			yes = append(yes, strings.Contains(p, "println(2)"))
		}
		return yes
	}
	fmt.Print(random.Shrink(src, symbols.NewImporter(), differ)) // still one that differs
	// Output:
	// true
	// package main
	//
	// func main() {
	//
	// 	println(2)
	// }
}
