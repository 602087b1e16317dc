package monitor

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// This file holds the look of the package's pictures: sans, no box, a light horizontal grid, lines
// of 1.6 pt. Pictures have no background of their own: text and lines have colours with a contrast
// of 3:1 or more on white and on a dark page alike, text of 4:1. Colour-blind eyes tell the hues
// apart; what is marked has a shape too. The width is that of a small window's notebook: JupyterLab
// scrolls an SVG that is wider and does not scale it.
var (
	gridColor     = color.NRGBA{0x8c, 0x8c, 0x8c, 0xff}
	textColor     = color.NRGBA{0x79, 0x79, 0x79, 0xff}
	quietColor    = color.NRGBA{0x79, 0x79, 0x79, 0xff}
	lossColor     = color.NRGBA{0x1f, 0x77, 0xb4, 0xff} // blue
	paleColor     = color.NRGBA{0x1f, 0x77, 0xb4, 0x70} // the same, for the noise of single steps
	scaleColor    = color.NRGBA{0x2c, 0xa0, 0x2c, 0xff} // green
	skipColor     = color.NRGBA{0xd9, 0x5f, 0x02, 0xff} // orange
	headSize      = vg.Points(9.5)
	labelSize     = vg.Points(8.5)
	raisedSize    = vg.Points(6.5)
	lineWidth     = vg.Points(1.6)
	paleWidth     = vg.Points(0.8)
	gridWidth     = vg.Points(0.3)
	crossRadius   = vg.Points(2.6)
	crossWidth    = vg.Points(1.3)
	pictureWidth  = vg.Points(480) // 640 CSS pixels
	pictureHeight = vg.Points(288)
	sidePadding   = vg.Points(14)
)

// pngDPI makes a pixel of the PNG a CSS pixel of the SVG, so that both show in the same size. It is
// also drawn within 20 ms, which a live view asks for.
const pngDPI = 96

func textStyle(size vg.Length, c color.Color) draw.TextStyle {
	return draw.TextStyle{
		Color:   c,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		Handler: plot.DefaultTextHandler,
	}
}

// run is a piece of a line of text: coloured, and raised when it is an exponent.
type run struct {
	text   string
	color  color.Color
	raised bool
}

func (r run) style() draw.TextStyle {
	if r.raised {
		return textStyle(raisedSize, r.color)
	}
	return textStyle(labelSize, r.color)
}

func width(runs []run) (w vg.Length) {
	for _, r := range runs {
		w += r.style().Width(r.text)
	}
	return w
}

// drawRuns writes runs one after another from the baseline point at.
func drawRuns(c draw.Canvas, at vg.Point, runs []run) {
	for _, r := range runs {
		sty, p := r.style(), at
		if r.raised {
			p.Y += labelSize * 0.38
		}
		c.FillText(sty, p, r.text)
		at.X += sty.Width(r.text)
	}
}
