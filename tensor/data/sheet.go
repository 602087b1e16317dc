package data

import (
	"fmt"
	"strings"
)

// This file implements the picture of a data set: a contact sheet of its first samples.

// A sheet's measures are in pixels of the samples; svgScale makes them large enough to see.
const (
	sheetColumns, sheetRows = 10, 3
	sheetGap, sheetLabel    = 2, 4 // between pictures; height of the line with the label
	svgScale                = 6
)

// SVG draws the first samples with their labels below them.
func (d *Dataset) SVG() string {
	columnStep, rowStep := d.width+sheetGap, d.height+sheetLabel+sheetGap
	count := min(d.Len(), sheetColumns*sheetRows)
	rows := (count + sheetColumns - 1) / sheetColumns
	width, height := sheetColumns*columnStep, rows*rowStep

	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d"`+
		` viewBox="0 0 %d %d" font-family="sans-serif" font-size="%d" text-anchor="middle">`+"\n",
		width*svgScale, height*svgScale, width, height, sheetLabel)
	fmt.Fprintf(&b, "<title>%s</title>\n", d)
	tiles := map[int]*strings.Builder{} // the sheet's path of each grey, 1 to 255
	for i := range count {
		left, top := i%sheetColumns*columnStep+sheetGap/2, i/sheetColumns*rowStep+sheetGap/2
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="#fff"/>`,
			left, top, d.width, d.height)
		fmt.Fprintf(&b, `<text x="%d" y="%d" fill="#808080">%d</text>`+"\n",
			left+d.width/2, top+d.height+sheetLabel, d.labels[i])
		d.draw(tiles, i, left, top)
	}
	b.WriteString(`<g shape-rendering="crispEdges">` + "\n")
	for grey := 1; grey < 256; grey++ {
		if path := tiles[grey]; path != nil {
			fmt.Fprintf(&b, `<path fill="#%02x%02x%02x" d="%s"/>`+"\n",
				255-grey, 255-grey, 255-grey, path)
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// draw adds sample i to the paths of its greys, a rectangle for each run of equal pixels in a row.
func (d *Dataset) draw(paths map[int]*strings.Builder, i, left, top int) {
	picture := d.pixels[i*d.width*d.height : (i+1)*d.width*d.height]
	for y := range d.height {
		row := picture[y*d.width : (y+1)*d.width]
		for x, run := 0, 0; x < d.width; x += run {
			for run = 1; x+run < d.width && row[x+run] == row[x]; run++ {
			}
			grey := int(row[x]*255 + 0.5)
			if grey == 0 {
				continue
			}
			if paths[grey] == nil {
				paths[grey] = new(strings.Builder)
			}
			fmt.Fprintf(paths[grey], "M%d %dh%dv1h-%dz", left+x, top+y, run, run)
		}
	}
}
