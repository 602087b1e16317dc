package data

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// This file implements the picture of a data set: a contact sheet of its first samples.

// A sheet's measures are in pixels of the samples; svgScale makes them large enough to see.
const (
	sheetColumns, sheetRows = 10, 3
	sheetGap, sheetLabel    = 2, 4 // between pictures; height of the line with the label
	svgScale                = 6
)

// sheet returns how many samples are drawn, and the size of the sheet in pixels of the samples.
func (d *Dataset) sheet() (count, width, height int) {
	count = min(d.Len(), sheetColumns*sheetRows)
	rows := (count + sheetColumns - 1) / sheetColumns
	return count, sheetColumns * (d.width + sheetGap), rows * (d.height + sheetLabel + sheetGap)
}

// place returns where the picture of sample i begins on the sheet.
func (d *Dataset) place(i int) (left, top int) {
	return i%sheetColumns*(d.width+sheetGap) + sheetGap/2,
		i/sheetColumns*(d.height+sheetLabel+sheetGap) + sheetGap/2
}

// PNG draws what SVG does, for where that is not shown.
func (d *Dataset) PNG() []byte {
	count, width, height := d.sheet()
	img := image.NewNRGBA(image.Rect(0, 0, width*svgScale, height*svgScale))
	fill := func(x, y int, grey uint8) {
		square := image.Rect(x*svgScale, y*svgScale, (x+1)*svgScale, (y+1)*svgScale)
		draw.Draw(img, square, image.NewUniform(color.Gray{Y: 255 - grey}), image.Point{}, draw.Src)
	}
	label := font.Drawer{Dst: img, Src: image.NewUniform(color.Gray{Y: 0x80}),
		Face: basicfont.Face7x13}
	for i := range count {
		left, top := d.place(i)
		picture := d.pixels[i*d.width*d.height : (i+1)*d.width*d.height]
		for j, v := range picture {
			fill(left+j%d.width, top+j/d.width, uint8(v*255+0.5))
		}
		text := fmt.Sprint(d.labels[i])
		label.Dot = fixed.P((2*left+d.width)*svgScale/2, (top+d.height+sheetLabel)*svgScale)
		label.Dot.X -= label.MeasureString(text) / 2
		label.Dot.Y -= fixed.I(svgScale)
		label.DrawString(text)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil // of a data set without samples
	}
	return b.Bytes()
}

// SVG draws the first samples with their labels below them.
func (d *Dataset) SVG() string {
	count, width, height := d.sheet()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d"`+
		` viewBox="0 0 %d %d" font-family="sans-serif" font-size="%d" text-anchor="middle">`+"\n",
		width*svgScale, height*svgScale, width, height, sheetLabel)
	fmt.Fprintf(&b, "<title>%s</title>\n", d)
	tiles := map[int]*strings.Builder{} // the sheet's path of each grey, 1 to 255
	for i := range count {
		left, top := d.place(i)
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
