package terminal_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"halfnote/repl"
	"halfnote/repl/terminal"
)

func ExampleBatch() {
	session := repl.New(repl.Config{})
	pipe := strings.NewReader("x := 20\nx + 1\nfoo(x)\n")
	cfg := terminal.Config{Out: os.Stdout, Err: os.Stdout}
	if err := terminal.Batch(context.Background(), session, pipe, cfg); err != nil {
		fmt.Println("the pipe ends here")
	}
	// Output:
	// 21
	// cell 3:1:1: undefined: foo
	//     foo(x)
	//     ^~~
	// the pipe ends here
}
