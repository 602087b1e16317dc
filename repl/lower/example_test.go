package lower_test

import (
	"fmt"

	"halfnote/repl/ir"
)

func Example() {
	s := newSession()
	unit, _, err := s.lower("n := 3\nfor i := range n { println(i) }")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(ir.Sprint(unit.Unit))
	// Output:
	// func cell_2() {
	// 	*session.n_1 = 3
	// 	*session.defined_3 = true
	// 	{
	// 		var n int = *session.n_1
	// 		var i int = zero(int)
	// 		for (i < n) {
	// 			var i#2 int = i
	// 			rt.BuiltinPrintln(iface[any](i#2))
	// 		} post {
	// 			i = (i + 1)
	// 		}
	// 	}
	// }
}
