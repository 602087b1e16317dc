package display

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"reflect"

	"golang.org/x/image/draw"
)

// maxSide is the width and height in pixels beyond which an image is shown smaller: no screen has
// more room for it, and it would stay in the notebook's file in full.
const maxSide = 2048

// addImage adds the picture of img and reports whether it is one.
func (b Bundle) addImage(img image.Image) bool {
	if !isPicture(img) {
		return false
	}
	size := img.Bounds().Size()
	b.Data[MIMEText] = fmt.Sprintf("%s %d×%d", typeName(reflect.TypeOf(img)), size.X, size.Y)
	small := shrunk(img)
	file, err := encodePNG(small)
	if err != nil {
		return true
	}
	b.Data[MIMEPNG] = file
	if shown := small.Bounds().Size(); shown != size {
		b.Data[MIMEText] = fmt.Sprintf("%s, shown as %d×%d", b.Text(), shown.X, shown.Y)
	}
	return true
}

// isPicture reports whether img is one to look at. An image.Rectangle, also one that a struct
// embeds, says where something is, and the image.Uniform has no end.
func isPicture(img image.Image) bool {
	if b := img.Bounds(); b.Min.X <= -1e9 || b.Min.Y <= -1e9 || b.Max.X >= 1e9 || b.Max.Y >= 1e9 {
		return false
	}
	t := reflect.TypeOf(img)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	rectangle := reflect.TypeFor[image.Rectangle]()
	if t == rectangle {
		return false
	}
	if t.Kind() != reflect.Struct || img.ColorModel() != color.Alpha16Model {
		return true
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous && f.Type == rectangle {
			return false
		}
	}
	return true
}

// shrunk returns img scaled down to maxSide.
func shrunk(img image.Image) image.Image {
	size := img.Bounds().Size()
	side := max(size.X, size.Y)
	if side <= maxSide {
		return img
	}
	scaled := func(n int) int { return max(1, n*maxSide/side) }
	small := image.NewRGBA(image.Rect(0, 0, scaled(size.X), scaled(size.Y)))
	scaler := draw.Scaler(draw.BiLinear)
	if side > 4*maxSide {
		scaler = draw.ApproxBiLinear // coarse, but does not take seconds
	}
	scaler.Scale(small, small.Bounds(), img, img.Bounds(), draw.Src, nil)
	return small
}

func encodePNG(img image.Image) ([]byte, error) {
	enc := png.Encoder{}
	if size := img.Bounds().Size(); size.X*size.Y > 1<<20 {
		enc.CompressionLevel = png.BestSpeed // a second otherwise
	}
	var buf bytes.Buffer
	err := enc.Encode(&buf, img)
	return buf.Bytes(), err
}
