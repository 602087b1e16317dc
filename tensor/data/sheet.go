package data

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"halfnote/tensor"
)

// This file implements the picture of a data set: a contact sheet of its first samples.

// A sheet's measures are in pixels of the screen.
const (
	sheetColumns, sheetRows = 10, 3
	sheetWidth              = 720    // a wider sheet has fewer columns
	sheetSide               = 48     // to which smaller samples are made larger, by whole factors
	sheetLimit              = 96     // larger samples are made smaller
	sheetGap, sheetLabel    = 12, 24 // between pictures; height of the line with the label
	letterWidth             = 7      // of basicfont
	vectorSide              = 32     // larger samples have too many pixels to be drawn as shapes
)

// A picture says how the elements of a sample are one: channels × height × width, with 1 channel
// (grey) or 3 (red, green, blue). Its zero value is none.
type picture struct{ channels, height, width int }

// pictureOf returns what samples of the given shape show, if that is clear.
func pictureOf(shape []int) picture {
	n := len(shape)
	if (n == 2 || n == 3 && (shape[0] == 1 || shape[0] == 3)) && shape[n-1] > 1 && shape[n-2] > 1 {
		return picture{numel(shape[:n-2]), shape[n-2], shape[n-1]}
	}
	return picture{}
}

// A sheet holds the pictures that are drawn. Its lengths are in pixels of the samples, each of
// which is scale pixels of the screen wide.
type sheet struct {
	picture
	title      string
	pixels     []uint8 // of all samples, 255 for ink or light
	labels     []string
	scale      int
	columns    int
	gap, label int
}

// sheet returns the contact sheet, or nil for samples that are no pictures.
func (d *Dataset) sheet() *sheet {
	dtype := d.x.dtype()
	if d.picture.width == 0 || d.Len() == 0 || !dtype.IsFloat() && dtype != tensor.Int64 {
		return nil
	}
	side := max(d.picture.height, d.picture.width)
	s := &sheet{title: d.String(), scale: max(1, (sheetSide+side/2)/side)}
	s.gap, s.label = (sheetGap+s.scale-1)/s.scale, (sheetLabel+s.scale-1)/s.scale
	shrink := (side + sheetLimit - 1) / sheetLimit
	s.picture = picture{d.picture.channels, (d.picture.height + shrink - 1) / shrink,
		(d.picture.width + shrink - 1) / shrink}
	s.columns = max(1, min(sheetColumns, sheetWidth/((s.width+s.gap)*s.scale)))
	x, y := d.at(upTo(min(d.Len(), s.columns*sheetRows)))
	s.pixels = sampled(levels(x.Float64s()), d.picture, shrink)
	s.labels = d.labels(y)
	for i, label := range s.labels {
		s.labels[i] = shortened(label, max(1, (s.width+s.gap)*s.scale/letterWidth))
	}
	return s
}

// levels returns the values from 0 to 1 as 0 to 255; where some are outside of that, the least
// of all is 0 and the largest 255.
func levels(values []float64) []uint8 {
	low, high := 0.0, 1.0
	for _, v := range values {
		if v-v == 0 { // finite
			low, high = min(low, v), max(high, v)
		}
	}
	out := make([]uint8, len(values))
	for i, v := range values {
		out[i] = uint8(min(max((v-low)/(high-low), 0), 1)*255 + 0.5)
	}
	return out
}

// sampled leaves every step-th pixel of every step-th row of pictures of the given form.
func sampled(pixels []uint8, p picture, step int) (out []uint8) {
	if step == 1 {
		return pixels
	}
	for row := 0; row < len(pixels)/p.width; row++ {
		if row%p.height%step == 0 {
			for x := 0; x < p.width; x += step {
				out = append(out, pixels[row*p.width+x])
			}
		}
	}
	return out
}

// labels returns what is written below samples: the names of classes, or the numbers.
func (d *Dataset) labels(y *tensor.Tensor) []string {
	texts := make([]string, y.Size(0))
	for i := range texts {
		of := y.Index(i)
		switch {
		case of.Numel() != 1:
		case d.y.dtype() == tensor.Int64:
			label := of.Int64s()[0]
			texts[i] = fmt.Sprint(label)
			if label >= 0 && label < int64(len(d.classes)) {
				texts[i] = d.classes[label]
			}
		default:
			texts[i] = fmt.Sprintf("%.3g", of.Item())
		}
	}
	return texts
}

// shortened cuts a text to n letters.
func shortened(text string, n int) string {
	if letters := []rune(text); len(letters) > n {
		return string(letters[:n-1]) + "…"
	}
	return text
}

// size returns the width and height of the sheet.
func (s *sheet) size() (width, height int) {
	rows := (len(s.labels) + s.columns - 1) / s.columns
	return s.columns * (s.width + s.gap), rows * (s.height + s.label + s.gap)
}

// place returns where the picture of sample i begins on the sheet.
func (s *sheet) place(i int) (left, top int) {
	return i%s.columns*(s.width+s.gap) + s.gap/2, i/s.columns*(s.height+s.label+s.gap) + s.gap/2
}

// level returns a pixel of sample i in one channel.
func (s *sheet) level(i, channel, y, x int) uint8 {
	return s.pixels[((i*s.channels+channel)*s.height+y)*s.width+x]
}

// color returns a pixel of sample i: ink on white paper for one channel, light for three.
func (s *sheet) color(i, y, x int) color.Color {
	if s.channels == 1 {
		return color.Gray{Y: 255 - s.level(i, 0, y, x)}
	}
	return color.NRGBA{s.level(i, 0, y, x), s.level(i, 1, y, x), s.level(i, 2, y, x), 255}
}

// PNG draws what SVG does, for where that is not shown.
func (d *Dataset) PNG() []byte {
	s := d.sheet()
	if s == nil {
		return nil
	}
	return s.png()
}

func (s *sheet) png() []byte {
	width, height := s.size()
	img := image.NewNRGBA(image.Rect(0, 0, width*s.scale, height*s.scale))
	label := font.Drawer{Dst: img, Src: image.NewUniform(color.Gray{Y: 0x80}),
		Face: basicfont.Face7x13}
	for i, text := range s.labels {
		left, top := s.place(i)
		for y := range s.height {
			for x := range s.width {
				square := image.Rect(0, 0, s.scale, s.scale).
					Add(image.Pt((left+x)*s.scale, (top+y)*s.scale))
				draw.Draw(img, square, image.NewUniform(s.color(i, y, x)), image.Point{}, draw.Src)
			}
		}
		label.Dot = fixed.P((2*left+s.width)*s.scale/2, (top+s.height+s.label)*s.scale)
		label.Dot.X -= label.MeasureString(text) / 2
		label.Dot.Y -= fixed.I(sheetGap / 2)
		label.DrawString(text)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil // of no pixels, which a sheet does not have
	}
	return b.Bytes()
}

// SVG draws the first samples with their labels below them. It is empty for samples that are no
// pictures.
func (d *Dataset) SVG() string {
	s := d.sheet()
	if s == nil {
		return ""
	}
	width, height := s.size()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d"`+
		` viewBox="0 0 %d %d" font-family="sans-serif" font-size="%d" text-anchor="middle">`+"\n",
		width*s.scale, height*s.scale, width, height, s.label)
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(s.title))
	if s.channels == 1 && max(s.width, s.height) <= vectorSide {
		s.shapes(&b)
	} else {
		fmt.Fprintf(&b, `<image width="%d" height="%d" href="data:image/png;base64,%s"/>`+"\n",
			width, height, base64.StdEncoding.EncodeToString(s.png()))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// shapes draws grey pictures as rectangles.
func (s *sheet) shapes(b *strings.Builder) {
	tiles := map[uint8]*strings.Builder{} // the sheet's path of each grey, 1 to 255
	for i, text := range s.labels {
		left, top := s.place(i)
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="#fff"/>`,
			left, top, s.width, s.height)
		fmt.Fprintf(b, `<text x="%d" y="%d" fill="#808080">%s</text>`+"\n",
			left+s.width/2, top+s.height+s.label, html.EscapeString(text))
		s.tiles(tiles, i, left, top)
	}
	b.WriteString(`<g shape-rendering="crispEdges">` + "\n")
	for grey := 1; grey < 256; grey++ {
		if path := tiles[uint8(grey)]; path != nil {
			fmt.Fprintf(b, `<path fill="#%02x%02x%02x" d="%s"/>`+"\n",
				255-grey, 255-grey, 255-grey, path)
		}
	}
	b.WriteString("</g>\n")
}

// tiles adds sample i to the paths of its greys, a rectangle for each run of equal pixels in a row.
func (s *sheet) tiles(paths map[uint8]*strings.Builder, i, left, top int) {
	for y := range s.height {
		for x, run := 0, 0; x < s.width; x += run {
			grey := s.level(i, 0, y, x)
			for run = 1; x+run < s.width && s.level(i, 0, y, x+run) == grey; run++ {
			}
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
