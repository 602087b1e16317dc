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

func ExampleOf() {
	type epoch struct {
		N    int
		Loss float64
	}
	epochs := []epoch{{1, 0.5}, {2, 0.25}}
	b := display.Of(epochs)
	fmt.Println(b.Text())
	fmt.Println(b.Data[display.MIMEHTML] != nil)
	// Output:
	// []display_test.epoch{{N: 1, Loss: 0.5}, {N: 2, Loss: 0.25}}
	// true
}

func ExampleVegaLite() {
	b := display.VegaLite(map[string]any{
		"mark": "point",
		"data": map[string]any{"values": []map[string]int{{"x": 1, "y": 2}}},
		"encoding": map[string]any{
			"x": map[string]string{"field": "x", "type": "quantitative"},
			"y": map[string]string{"field": "y", "type": "quantitative"},
		},
	})
	fmt.Println(b.Text())
	fmt.Println(display.VegaLite("mark: point").Text())
	// Output:
	// Vega-Lite chart, 143 bytes
	// vega-lite: invalid character 'm' looking for beginning of value
}

func ExampleBundle_Wire() {
	data, _ := display.GIF([]byte("GIF89a")).Wire()
	fmt.Println(data[display.MIMEGIF], data[display.MIMEText])
	// Output:
	// R0lGODlh GIF picture, 6 bytes
}

func ExamplePrefer() {
	display.Prefer(display.MIMEMarkdown)
	defer display.Prefer()
	b := display.Of(display.Bundle{Data: map[string]any{
		display.MIMEHTML: "<b>x</b>", display.MIMEMarkdown: "**x**", display.MIMEText: "x",
	}})
	fmt.Println(len(b.Data), b.Data[display.MIMEMarkdown])
	// Output:
	// 2 **x**
}

func ExampleProgress() {
	sum := 0
	for i := range display.Progress(4, "adding") {
		sum += i
	}
	fmt.Println(sum)
}
