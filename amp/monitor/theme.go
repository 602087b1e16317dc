package monitor

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// This file holds the look of the package's pictures: sans, no box, a light horizontal grid, lines
// of 1.6 pt. The card under a picture is opaque, so that it reads the same on a dark page. The
// hues are those of Okabe and Ito, told apart by colour-blind eyes; what is marked has a shape too.
var (
	cardColor   = color.NRGBA{0xfd, 0xfd, 0xfb, 0xff}
	gridColor   = color.NRGBA{0xe4, 0xe4, 0xe0, 0xff}
	textColor   = color.NRGBA{0x2b, 0x2b, 0x2b, 0xff}
	quietColor  = color.NRGBA{0x6b, 0x6b, 0x6b, 0xff}
	lossColor   = color.NRGBA{0x00, 0x72, 0xb2, 0xff} // blue
	paleColor   = color.NRGBA{0xa9, 0xd0, 0xe8, 0xff} // blue, on the card at a third
	scaleColor  = color.NRGBA{0x00, 0x7a, 0x5a, 0xff} // bluish green
	skipColor   = color.NRGBA{0xd5, 0x5e, 0x00, 0xff} // vermilion
	headSize    = vg.Points(9.5)
	labelSize   = vg.Points(8.5)
	raisedSize  = vg.Points(6.5)
	lineWidth   = vg.Points(1.6)
	paleWidth   = vg.Points(0.8)
	gridWidth   = vg.Points(0.7)
	crossRadius = vg.Points(2.6)
	crossWidth  = vg.Points(1.3)
	cardWidth   = vg.Points(540) // 720 CSS pixels
	cardHeight  = vg.Points(312)
	cardPadding = vg.Points(14)
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
