package data

import (
	"fmt"
	"html"
	"strings"
)

// This file implements the table in which data sets with named columns show themselves.

const tableRows, tableColumns = 10, 20 // what is shown at most

// HTML shows the first samples of a table, with the names of the columns and their labels. It is
// empty for samples that are no rows of a table.
func (d *Dataset) HTML() string {
	if len(d.features) == 0 || len(d.x.shape) != 1 {
		return ""
	}
	columns := min(len(d.features), tableColumns)
	x, y := d.at(upTo(min(d.Len(), tableRows)))
	var b strings.Builder
	row := func(tag, start string, cells []string, end string) {
		fmt.Fprintf(&b, "<tr><%s>%s</%[1]s>", tag, html.EscapeString(start))
		for _, cell := range cells[:columns] {
			fmt.Fprintf(&b, "<%s>%s</%[1]s>", tag, html.EscapeString(cell))
		}
		if columns < len(cells) {
			fmt.Fprintf(&b, "<%s>…</%[1]s>", tag)
		}
		fmt.Fprintf(&b, "<%s>%s</%[1]s></tr>\n", tag, html.EscapeString(end))
	}
	b.WriteString("<table>\n<thead>")
	row("th", "", d.features, "y")
	b.WriteString("</thead>\n<tbody>\n")
	values := x.Float64s()
	for i, label := range d.labels(y) {
		cells := make([]string, len(d.features))
		for j := range cells {
			cells[j] = fmt.Sprintf("%.6g", values[i*len(cells)+j])
		}
		row("td", fmt.Sprint(i), cells, label)
	}
	fmt.Fprintf(&b, "</tbody>\n</table>\n<p>%s</p>\n", html.EscapeString(d.String()))
	return b.String()
}
