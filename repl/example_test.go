package repl_test

import (
	"context"
	"fmt"
	"os"

	"halfnote/repl"
	"halfnote/repl/display"
)

// printer is an Output that prints what cells say.
type printer struct{}

func (*printer) Stream(_, text string)              { fmt.Fprint(os.Stdout, text) }
func (*printer) Display(b display.Bundle, _ string) { fmt.Println(b.Text()) }
func (*printer) Update(b display.Bundle, _ string)  { fmt.Println(b.Text()) }
func (*printer) Clear(bool)                         {}

func Example() {
	session := repl.New(repl.Config{})
	for _, cell := range []string{
		"type P struct{ X, Y int }\np := P{1, 2}",
		"for i := range 2 { fmt.Println(i, p.X+i) }",
		"p",
		"p.Z",
	} {
		res, err := session.Eval(context.Background(), cell, &printer{})
		switch {
		case err != nil:
			fmt.Println(err)
		case res.Shown:
			fmt.Printf("Out[%d]: %s\n", res.Count, res.Bundle.Text())
		}
	}
	// Output:
	// 0 1
	// 1 2
	// Out[3]: P{X: 1, Y: 2}
	// cell 4:1:3: p.Z undefined (type P has no field or method Z)
	//     p.Z
	//       ^
}
