package data

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
)

func TestSVG(t *testing.T) {
	train, _ := Digits()
	picture := train.SVG()
	if len(picture) > 32<<10 {
		t.Errorf("the picture has %d bytes, want at most 32 KiB", len(picture))
	}
	labels := 0
	for d := xml.NewDecoder(strings.NewReader(picture)); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "text" {
			labels++
		}
	}
	if labels != 30 {
		t.Errorf("the picture has %d labels, want 30", labels)
	}
}

// TestPNG: the picture has the size of the SVG, and the greys of the samples.
func TestPNG(t *testing.T) {
	train, _ := Digits()
	img, err := png.Decode(bytes.NewReader(train.PNG()))
	if err != nil {
		t.Fatal(err)
	}
	size := fmt.Sprintf(`width="%d" height="%d"`, img.Bounds().Dx(), img.Bounds().Dy())
	if !strings.Contains(train.SVG(), size) {
		t.Errorf("the SVG has not %s", size)
	}
	x, _ := train.At(0)
	for i, v := range x.Float32s() {
		x, y := (1+i%8)*6, (1+i/8)*6 // a pixel is 6 wide, and a picture begins 1 from the edge
		want := uint32(255-uint8(v*255+0.5)) * 0x101
		if r, _, _, a := img.At(x, y).RGBA(); r != want || a != 0xffff {
			t.Errorf("pixel %d is %x, alpha %x, want %x", i, r, a, want)
		}
	}
}

// TestSheetForms: small grey pictures are shapes, others pixels; what is no picture shows nothing.
func TestSheetForms(t *testing.T) {
	tests := []struct {
		name          string
		shape         []int
		shapes        bool // else an image, or nothing for width 0
		width, height int
	}{
		{"grey", []int{2, 28, 28}, true, 10 * 34 * 2, 46 * 2},
		{"channel", []int{2, 1, 28, 28}, true, 10 * 34 * 2, 46 * 2},
		{"color", []int{2, 3, 16, 24}, false, 10 * 30 * 2, 34 * 2},
		{"large", []int{2, 1, 200, 100}, false, 10 * (34 + 12), 67 + 36},
		{"flat", []int{2, 64}, false, 0, 0},
		{"features", []int{2, 5, 4, 4}, false, 0, 0},
		{"none", []int{0, 8, 8}, false, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := New(tensor.Rand(test.shape...), tensor.Zeros(test.shape[0]).To(tensor.Int64)).
				Named("a<b", "a very long name of a class")
			svg, file := d.SVG(), d.PNG()
			if test.width == 0 {
				if svg != "" || file != nil {
					t.Errorf("it shows as %q and %d bytes", svg, len(file))
				}
				return
			}
			img, err := png.Decode(bytes.NewReader(file))
			if err != nil {
				t.Fatal(err)
			}
			if size := img.Bounds().Size(); size.X != test.width || size.Y != test.height {
				t.Errorf("the PNG has %v, want %d×%d", size, test.width, test.height)
			}
			size := fmt.Sprintf(`width="%d" height="%d"`, test.width, test.height)
			for text, want := range map[string]bool{size: true, "<path ": test.shapes,
				"data:image/png": !test.shapes, "a&lt;b: ": true} {
				if strings.Contains(svg, text) != want {
					t.Errorf("the SVG has %s: %v, want %v", text, !want, want)
				}
			}
			if err := xml.Unmarshal([]byte(svg), new(struct{})); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestSheetColors: red, green and blue are light, and values outside of 0 to 1 are fitted in.
func TestSheetColors(t *testing.T) {
	x := tensor.Zeros(1, 3, 2, 2).Sub(1)
	x.Index(0, 0).FillInPlace(3)
	img, err := png.Decode(bytes.NewReader(New(x, tensor.Zeros(1)).PNG()))
	if err != nil {
		t.Fatal(err)
	}
	if r, g, b, _ := img.At(8, 8).RGBA(); r != 0xffff || g != 0 || b != 0 {
		t.Errorf("red shows as %x %x %x", r, g, b)
	}
	normalized, _ := Digits()
	if pic := normalized.Take(3).Map(Normalize(0.3, 0.4)); pic.SVG() == "" {
		t.Error("normalized digits show nothing")
	}
}

func TestHTML(t *testing.T) {
	d, err := ReadCSV(strings.NewReader("a,b<,kind\n1,2.5,x&y\n3,-4,z\n"), CSVConfig{})
	if err != nil {
		t.Fatal(err)
	}
	want := `<table>
<thead><tr><th></th><th>a</th><th>b&lt;</th><th>y</th></tr>
</thead>
<tbody>
<tr><td>0</td><td>1</td><td>2.5</td><td>x&amp;y</td></tr>
<tr><td>1</td><td>3</td><td>-4</td><td>z</td></tr>
</tbody>
</table>
<p>csv: 2 samples, x float32 [2 2], y int64 [2]</p>
`
	if diff := cmp.Diff(want, d.HTML()); diff != "" {
		t.Error(diff)
	}
	if train, _ := Digits(); train.HTML() != "" {
		t.Error("pictures show as a table")
	}
}
