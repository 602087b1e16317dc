package notebooks_test

import (
	"context"
	"fmt"

	"halfnote/notebooks"
	"halfnote/repl"
)

func Example() {
	const file = `{"cells": [
		{"cell_type": "code", "source": "total := 0\nfor i := range 4 {\n\ttotal += i\n}"},
		{"cell_type": "code", "source": "fmt.Println(\"total\", total)"}
	], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`

	nb, err := notebooks.Parse("sum.ipynb", []byte(file))
	if err != nil {
		fmt.Println(err)
		return
	}
	session := repl.New(repl.Config{})
	if err := nb.Run(context.Background(), session, notebooks.RunConfig{}); err != nil {
		fmt.Println(err)
	}
	fmt.Print(nb.Cells[1].Outputs[0].Text)
	// Output:
	// total 6
}
