package display_test

import (
	"fmt"

	"halfnote/repl/display"
)

// Accuracy shows itself as a bar in notebooks and as text elsewhere.
type Accuracy float64

func (a Accuracy) HTML() string {
	return fmt.Sprintf(`<meter value="%.3f"></meter>`, float64(a))
}

func (a Accuracy) String() string { return fmt.Sprintf("%.1f%%", 100*float64(a)) }

func Example() {
	b := display.Of(Accuracy(0.875))
	fmt.Println(b.Text())
	fmt.Println(b.Data[display.MIMEHTML])

	display.Show([]string{"in Go's", "syntax"})
	// Output:
	// 87.5%
	// <meter value="0.875"></meter>
	// []string{"in Go's", "syntax"}
}

func ExampleBundle() {
	b := display.HTML("<h1>Loss</h1><p>0.25 &lt; 0.5")
	fmt.Println(b.Text())
	// Output:
	// Loss
	// 0.25 < 0.5
}
