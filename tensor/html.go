package tensor

import (
	"fmt"
	"html"
	"strings"
)

// The table shows at most this many rows and columns; the middle is left out.
const htmlEdge = 5

// The colours have enough contrast on white and on black, so that the table suits light and dark
// pages without knowing which it is on.
const (
	cellStyle = `style="padding:1px 7px;text-align:right;border:1px solid #8888;` +
		`font-family:monospace;white-space:pre"`
	noteStyle = `style="font-size:90%;opacity:.8;margin:2px 0"`
)

// HTML returns the tensor as a table of its values, where it has at most two dimensions, with
// shape, dtype, device, and smallest, mean and largest value below. It waits for the device.
func (t *Tensor) HTML() string {
	var b strings.Builder
	b.WriteString(`<div class="halfnote-tensor">`)
	if t.Dim() <= 2 && t.Numel() > 0 {
		t.htmlTable(&b)
	}
	fmt.Fprintf(&b, `<div %s>%s</div></div>`, noteStyle, html.EscapeString(t.summary()))
	return b.String()
}

func (t *Tensor) htmlTable(b *strings.Builder) {
	x := t.Detach()
	for x.Dim() < 2 {
		x = x.Unsqueeze(0)
	}
	cut := x.arr.Shape[0] > 2*htmlEdge || x.arr.Shape[1] > 2*htmlEdge
	format := newNumbers(x, cut && x.Numel() > summaryFrom, precision)
	format.width = 0
	b.WriteString(`<table style="border-collapse:collapse">`)
	for _, i := range htmlShown(x.arr.Shape[0]) {
		b.WriteString("<tr>")
		for _, j := range htmlShown(x.arr.Shape[1]) {
			text := "…"
			if i >= 0 && j >= 0 {
				text = format.format(x.Index(i, j))
			}
			fmt.Fprintf(b, `<td %s>%s</td>`, cellStyle, html.EscapeString(text))
		}
		b.WriteString("</tr>")
	}
	b.WriteString("</table>")
}

func htmlShown(n int) []int {
	var at []int
	for i := range n {
		switch {
		case n <= 2*htmlEdge || i < htmlEdge || i >= n-htmlEdge:
			at = append(at, i)
		case i == htmlEdge:
			at = append(at, -1)
		}
	}
	return at
}

// summary returns the line below the table.
func (t *Tensor) summary() string {
	parts := []string{fmt.Sprintf("shape %v", t.arr.Shape), t.DType().String(), t.Device().String()}
	if t.name != "" {
		parts = append([]string{t.name}, parts...)
	}
	if t.RequiresGrad() {
		parts = append(parts, "requires_grad")
	}
	if t.Numel() > 1 && t.DType() != Bool {
		x := t.Detach().To(Float64)
		parts = append(parts, fmt.Sprintf("min %.4g · mean %.4g · max %.4g",
			x.Min().Item(), x.Mean().Item(), x.Max().Item()))
	}
	return strings.Join(parts, " · ")
}
