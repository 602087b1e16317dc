package check_test

import (
	"fmt"
	"go/token"

	"halfnote/repl/check"
	"halfnote/repl/symbols"
)

func Example() {
	c := check.New(token.NewFileSet(), symbols.NewImporter(), symbols.ByName)
	cell, _ := c.Cell("cell 1", "x := 6\nfmt.Println(x)\nx * 7")
	fmt.Println("result:", cell.Info.Types[cell.Result.X].Type)
	fmt.Println("imports:", cell.AutoImports)
	c.Commit(cell)

	_, diagnostics := c.Cell("cell 2", "y := X + 1")
	d := diagnostics[0]
	fmt.Printf("%s:%d:%d: %s\nhelp: %s\n", d.Cell, d.Line, d.Col, d.Msg, d.Help)
	// Output:
	// result: int
	// imports: [fmt]
	// cell 2:1:6: undefined: X
	// help: did you mean "x"?
}
