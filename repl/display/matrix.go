package display

// This file implements matrices: gonum's, by their methods, and slices of slices of numbers.

import (
	"fmt"
	"html"
	"reflect"
	"strings"
	"unicode/utf8"
)

// matrix is the shape of gonum's mat.Matrix.
type matrix interface {
	Dims() (rows, columns int)
	At(i, j int) float64
}

// A grid is a matrix of which the cells are asked for.
type grid struct {
	name          string // of the type
	rows, columns int
	cell          func(i, j int) string
	rounded       bool // a cell that was asked for has more digits than its text
}

// gridEdge is how many rows stay at each edge of a grid that is too large, and at most how many
// columns.
const gridEdge = 8

func gonumGrid(v reflect.Value, m matrix) *grid {
	g := &grid{name: typeName(v.Type())}
	g.rows, g.columns = m.Dims()
	g.cell = func(i, j int) string {
		text, exact := shortNumber(m.At(i, j))
		g.rounded = g.rounded || !exact
		return text
	}
	return g
}

// sliceGrid takes v as a matrix if it is a slice or array of such of numbers, some shorter perhaps.
func sliceGrid(v reflect.Value) (*grid, bool) {
	if !isNumberRows(v.Type()) || v.Len() == 0 {
		return nil, false
	}
	g := &grid{name: typeName(v.Type()), rows: v.Len()}
	for _, i := range edges(v.Len(), gridEdge) {
		if i >= 0 {
			g.columns = max(g.columns, v.Index(i).Len())
		}
	}
	g.cell = func(i, j int) string {
		if row := v.Index(i); j < row.Len() {
			return cellText(row.Index(j))
		}
		return ""
	}
	return g, g.columns > 0
}

func isNumberRows(t reflect.Type) bool {
	isList := func(t reflect.Type) bool {
		return t.Kind() == reflect.Slice || t.Kind() == reflect.Array
	}
	if !isList(t) || !isList(t.Elem()) || hasOwnText(t.Elem()) {
		return false
	}
	number := t.Elem().Elem()
	zero := reflect.Zero(number)
	return (zero.CanInt() || zero.CanUint() || zero.CanFloat()) && !hasOwnText(number) &&
		number != reflect.TypeFor[byte]()
}

// edges returns the places to show of n; -1 stands for those left out in the middle.
func edges(n, edge int) []int {
	var at []int
	for i := 0; i < n; i++ {
		if i == edge && n > 2*edge+1 {
			at = append(at, -1)
			i = n - edge
		}
		at = append(at, i)
	}
	return at
}

// table returns the grid as HTML, with the number of each row and column.
func (g *grid) table() string {
	if g.rows == 0 || g.columns == 0 {
		return ""
	}
	rows, columns, cells := g.shown()
	var b strings.Builder
	b.WriteString("<table>\n<thead><tr><th></th>")
	for _, j := range columns {
		fmt.Fprintf(&b, "<th%s>%s</th>", alignRight, place(j))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for k, i := range rows {
		fmt.Fprintf(&b, "<tr><th>%s</th>", place(i))
		for _, cell := range cells[k] {
			fmt.Fprintf(&b, "<td%s>%s</td>", alignRight, html.EscapeString(cell))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n</table>\n")
	fmt.Fprintf(&b, `<div style="font-size: 90%%; opacity: 0.8">%s</div>`,
		html.EscapeString(g.title()))
	return b.String()
}

func (g *grid) title() string {
	title := fmt.Sprintf("%s %d×%d", g.name, g.rows, g.columns)
	if g.rounded {
		title += ", rounded"
	}
	return title
}

func place(i int) string {
	if i < 0 {
		return "…"
	}
	return fmt.Sprint(i)
}

// at returns the text of a cell, of one left out for the place -1.
func (g *grid) at(i, j int) string {
	if i < 0 || j < 0 {
		return "…"
	}
	return g.cell(i, j)
}

// text returns the grid in aligned columns.
func (g *grid) text() string {
	if g.rows == 0 || g.columns == 0 {
		return g.title()
	}
	_, _, cells := g.shown()
	pad(cells)
	lines := []string{g.title()} // it knows now whether they are rounded
	for _, row := range cells {
		lines = append(lines, "  "+strings.Join(row, "  "))
	}
	return strings.Join(lines, "\n")
}

// shown returns the places to show, -1 for those left out, and the texts there. The columns are as
// many as fit a line.
func (g *grid) shown() (rows, columns []int, cells [][]string) {
	rows = edges(g.rows, gridEdge)
	for edge := gridEdge; ; edge-- {
		columns, cells = edges(g.columns, edge), make([][]string, len(rows))
		for k, i := range rows {
			for _, j := range columns {
				cells[k] = append(cells[k], g.at(i, j))
			}
		}
		width := 0
		for _, n := range widths(cells) {
			width += len("  ") + n
		}
		if edge == 1 || width <= textWidth {
			return rows, columns, cells
		}
	}
}

// widths returns how wide the columns of cells are.
func widths(cells [][]string) []int {
	widths := make([]int, len(cells[0]))
	for _, row := range cells {
		for j, cell := range row {
			widths[j] = max(widths[j], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// pad makes the cells of each column equally wide.
func pad(cells [][]string) {
	widths := widths(cells)
	for _, row := range cells {
		for j, cell := range row {
			row[j] = strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell)) + cell
		}
	}
}
