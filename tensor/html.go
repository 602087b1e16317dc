package tensor

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// Of a tensor that its text does not show whole, the table shows at most this many rows and columns
// at each edge.
const htmlEdge = 5

// The colours have enough contrast on white and on black, so that the table suits light and dark
// pages without knowing which it is on.
const (
	tableTag  = `<table style="border-collapse:collapse;margin:0">`
	cellStyle = `style="padding:1px 7px;text-align:right;border:1px solid #8888;` +
		`font-family:monospace;white-space:pre"`
	headStyle  = `style="padding:1px 7px;text-align:right;font-weight:normal;opacity:.8"`
	noteStyle  = `style="font-size:90%;opacity:.8;margin:2px 0"`
	wholeStyle = `style="display:flex;flex-wrap:wrap;gap:4px 16px;overflow:auto;max-height:430px"`
)

// HTML returns the tensor as a table of its values, with more than two dimensions as one for each
// matrix, and a line below: shape, dtype, device, the state of its gradient, and the smallest, mean
// and largest finite value. Of more than 1000 elements there are only the edges of the first
// matrix. It waits for the device of the values it shows; a tensor that is not on the CPU has no
// statistics, which would have to read all of it.
func (t *Tensor) HTML() string {
	switch {
	case t.store == nil:
		return "tensor.Tensor{}" // only declared
	case t.store.gone():
		return t.freedText()
	}
	var b strings.Builder
	b.WriteString(`<div class="halfnote-tensor">`)
	switch x := t.Detach(); {
	case t.Numel() == 0:
	case t.htmlCut():
		for x.Dim() > 2 {
			x = x.Index(0)
		}
		for x.Dim() < 2 {
			x = x.Unsqueeze(0)
		}
		cut := max(x.arr.Shape[0], x.arr.Shape[1]) > 2*htmlEdge && x.Numel() > summaryFrom
		x.htmlTable(&b, newNumbers(x, cut, precision), htmlEdge)
	default:
		fmt.Fprintf(&b, `<div %s>`, wholeStyle)
		x.htmlMatrices(&b, newNumbers(x, false, precision), nil)
		b.WriteString("</div>")
	}
	fmt.Fprintf(&b, `<div %s>%s</div></div>`, noteStyle, html.EscapeString(t.summary()))
	return b.String()
}

// htmlCut reports whether the table leaves out values: where the text does.
func (t *Tensor) htmlCut() bool { return t.Numel() > summaryFrom }

// htmlMatrices writes a table for each matrix of t, under its place in the whole tensor.
func (t *Tensor) htmlMatrices(b *strings.Builder, format *numbers, place []int) {
	if t.Dim() > 2 {
		for i := range t.arr.Shape[0] {
			t.Index(i).htmlMatrices(b, format, append(place, i))
		}
		return
	}
	b.WriteString("<div>")
	if len(place) > 0 {
		text := strings.ReplaceAll(fmt.Sprint(place), " ", ", ")
		fmt.Fprintf(b, `<div %s>%s</div>`, noteStyle, text)
	}
	if t.Dim() == 1 && t.Numel() > 2*htmlEdge {
		t.htmlVector(b, format)
	} else {
		for t.Dim() < 2 {
			t = t.Unsqueeze(0)
		}
		t.htmlTable(b, format, t.Numel())
	}
	b.WriteString("</div>")
}

// htmlVector writes a long vector in rows, each behind the place of its first value.
func (t *Tensor) htmlVector(b *strings.Builder, format *numbers) {
	const columns = 2 * htmlEdge
	format.width = 0
	b.WriteString(tableTag)
	for i := 0; i < t.Numel(); i += columns {
		fmt.Fprintf(b, `<tr><th %s>[%d]</th>`, headStyle, i)
		for j := i; j < min(i+columns, t.Numel()); j++ {
			htmlCell(b, format.format(t.Index(j)))
		}
		b.WriteString("</tr>")
	}
	b.WriteString("</table>")
}

// htmlTable writes the matrix t, of its rows and columns at most so many at each edge.
func (t *Tensor) htmlTable(b *strings.Builder, format *numbers, edge int) {
	format.width = 0
	b.WriteString(tableTag)
	columns := shown(t.arr.Shape[1], edge, true)
	for _, i := range shown(t.arr.Shape[0], edge, true) {
		b.WriteString("<tr>")
		for _, j := range columns {
			text := "…"
			if i >= 0 && j >= 0 {
				text = format.format(t.Index(i, j))
			}
			htmlCell(b, text)
		}
		b.WriteString("</tr>")
	}
	b.WriteString("</table>")
}

func htmlCell(b *strings.Builder, text string) {
	fmt.Fprintf(b, `<td %s>%s</td>`, cellStyle, html.EscapeString(text))
}

// summary returns the line below the table.
func (t *Tensor) summary() string {
	var parts []string
	if more := t.Dim() - 2; more > 0 && t.htmlCut() {
		parts = append(parts, "values at ["+strings.Repeat("0, ", more)+"…]")
	}
	if name := t.Name(); name != "" {
		parts = append(parts, name)
	}
	parts = append(parts, fmt.Sprintf("shape %v", t.arr.Shape), t.DType().String(),
		t.Device().String())
	switch {
	case !t.RequiresGrad():
	case !t.IsLeaf():
		parts = append(parts, "grad of "+t.gradNode().op)
	case t.gradient() == nil:
		parts = append(parts, "requires_grad")
	default:
		parts = append(parts, "requires_grad, has a gradient")
	}
	if n := t.Numel(); n > 1 && n <= statisticsOf && t.Device() == CPU {
		parts = append(parts, t.statistics()...)
	}
	return strings.Join(parts, " · ")
}

// statisticsOf is the number of elements up to which they are all read to be shown, which takes
// some tenths of a second then.
const statisticsOf = 1 << 26

// statistics returns what there is to say about the values, without copying them all at once.
func (t *Tensor) statistics() []string {
	low, high := math.Inf(1), math.Inf(-1)
	sum, finite, infs, nans := 0.0, 0, 0, 0
	for values := range t.Detach().pieces {
		for _, v := range values {
			switch {
			case v != v:
				nans++
			case v-v != 0:
				infs++
			default:
				finite++
				sum += v
				low, high = min(low, v), max(high, v)
			}
		}
	}
	if t.DType() == Bool {
		return []string{fmt.Sprintf("%.0f of %d true", sum, finite)}
	}
	var parts []string
	if finite > 0 {
		parts = append(parts,
			fmt.Sprintf("min %.4g · mean %.4g · max %.4g", low, sum/float64(finite), high))
	}
	if infs > 0 {
		parts = append(parts, fmt.Sprintf("%d inf", infs))
	}
	if nans > 0 {
		parts = append(parts, fmt.Sprintf("%d nan", nans))
	}
	return parts
}

// pieces yields the values of t, some thousand at a time.
func (t *Tensor) pieces(yield func([]float64) bool) {
	const piece = 1 << 15
	if t.Dim() == 0 || t.Numel() <= piece {
		yield(t.Float64s())
		return
	}
	rows := t.arr.Shape[0]
	if rows == 1 {
		t.Index(0).pieces(yield)
		return
	}
	step := max(1, rows*piece/t.Numel())
	for from := 0; from < rows; from += step {
		for values := range t.Slice(0, from, min(from+step, rows)).pieces {
			if !yield(values) {
				return
			}
		}
	}
}
