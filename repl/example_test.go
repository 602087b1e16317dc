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

func ExampleSession_Complete() {
	session := repl.New(repl.Config{})
	src := "for _, word := range strings.Fields(text) {\n\tfmt.Println(strings.To"
	for _, item := range session.Complete(src, len(src)).Items {
		fmt.Println(item.Text, item.Kind, item.Signature)
	}
	// Output:
	// ToLower function func(s string) string
	// ToLowerSpecial function func(c unicode.SpecialCase, s string) string
	// ToTitle function func(s string) string
	// ToTitleSpecial function func(c unicode.SpecialCase, s string) string
	// ToUpper function func(s string) string
	// ToUpperSpecial function func(c unicode.SpecialCase, s string) string
	// ToValidUTF8 function func(s, replacement string) string
}

func ExampleSession_Inspect() {
	session := repl.New(repl.Config{})
	const cell = "// double is twice x.\nfunc double(x int) int { return 2 * x }\nn := double(21)"
	if _, err := session.Eval(context.Background(), cell, &printer{}); err != nil {
		fmt.Println(err)
	}
	for _, src := range []string{"double(", "n"} {
		help, _ := session.Inspect(src, len(src), 0)
		fmt.Println(help.Text())
	}
	// Output:
	// func double(x int) int
	//             ^~~~~
	//
	// double is twice x.
	//
	// cell 1:2
	// var n int
	//
	//     42
	//
	// cell 1:3
}
