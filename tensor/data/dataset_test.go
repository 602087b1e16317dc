package data

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
)

// numbered returns a data set whose sample i has the single pixel i and the label i.
func numbered(n int) *Dataset {
	d := &Dataset{name: "numbered", width: 1, height: 1}
	for i := range n {
		d.pixels = append(d.pixels, float32(i))
		d.labels = append(d.labels, int64(i))
	}
	return d
}

// pass returns the labels of one pass, batch by batch.
func pass(t *testing.T, d *Dataset, n int) (batches [][]int64) {
	t.Helper()
	for x, y := range d.Batches(n) {
		labels := y.Int64s()
		for i, v := range x.Float32s() {
			if int64(v) != labels[i] {
				t.Fatalf("batch %d: pixel %v beside label %d", len(batches), v, labels[i])
			}
		}
		if diff := cmp.Diff([]int{len(labels), 1}, x.Shape()); diff != "" {
			t.Fatal(diff)
		}
		batches = append(batches, labels)
	}
	return batches
}

func TestBatches(t *testing.T) {
	tests := []struct {
		name  string
		n     int
		sizes []int
	}{
		{"divides", 5, []int{5, 5}},
		{"short_last", 4, []int{4, 4, 2}},
		{"larger_than_set", 64, []int{10}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var sizes []int
			var all []int64
			for _, batch := range pass(t, numbered(10), test.n) {
				sizes = append(sizes, len(batch))
				all = append(all, batch...)
			}
			if diff := cmp.Diff(test.sizes, sizes); diff != "" {
				t.Error(diff)
			}
			slices.Sort(all)
			if diff := cmp.Diff([]int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, all); diff != "" {
				t.Errorf("a pass brings each sample once: %s", diff)
			}
		})
	}
	if got := pass(t, numbered(0), 3); got != nil {
		t.Errorf("an empty set gave %v", got)
	}
}

func TestBatchesOrder(t *testing.T) {
	passes := func(seed func(d *Dataset)) (orders [3][]int64) {
		d := numbered(50)
		seed(d)
		for i := range orders {
			orders[i] = slices.Concat(pass(t, d, 7)...)
		}
		return orders
	}
	seeds := []struct {
		name string
		seed func(d *Dataset, n uint64)
	}{
		{"tensor", func(_ *Dataset, n uint64) { tensor.Seed(n) }},
		{"own", func(d *Dataset, n uint64) { d.Seed(n) }},
	}
	for _, s := range seeds {
		t.Run(s.name, func(t *testing.T) {
			first := passes(func(d *Dataset) { s.seed(d, 3) })
			if slices.Equal(first[0], first[1]) || slices.Equal(first[1], first[2]) {
				t.Errorf("two passes in the same order: %v", first)
			}
			if again := passes(func(d *Dataset) { s.seed(d, 3) }); !cmp.Equal(first, again) {
				t.Errorf("seed 3 twice: %s", cmp.Diff(first, again))
			}
			if other := passes(func(d *Dataset) { s.seed(d, 4) }); cmp.Equal(first, other) {
				t.Errorf("seeds 3 and 4 give the same order %v", other)
			}
		})
	}
}

func TestBatchesBreak(t *testing.T) {
	d := numbered(10)
	for range d.Batches(2) {
		break
	}
	if got := len(pass(t, d, 2)); got != 5 {
		t.Errorf("the pass after a break has %d batches, want 5", got)
	}
}

func TestBatchesConcurrent(t *testing.T) {
	d := numbered(100)
	d.Seed(1)
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			for x := range d.Batches(10) {
				x.MulInPlace(2)
			}
		})
	}
	running.Wait()
	if x, _ := d.Tensors(); x.Float32s()[99] != 99 {
		t.Errorf("writing to a batch changed the set: %v", x)
	}
}

func TestBatchesSize(t *testing.T) {
	defer func() {
		err, ok := recover().(error)
		var e *tensor.Error
		want := "batches: size 0: must be at least 1"
		if !ok || !errors.As(err, &e) || err.Error() != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}()
	numbered(3).Batches(0)
}

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
	for i, v := range train.pixels[:train.width*train.height] {
		x, y := (sheetGap/2+i%train.width)*svgScale, (sheetGap/2+i/train.width)*svgScale
		want := uint32(255-uint8(v*255+0.5)) * 0x101
		if r, _, _, a := img.At(x, y).RGBA(); r != want || a != 0xffff {
			t.Errorf("pixel %d is %x, alpha %x, want %x", i, r, a, want)
		}
	}
}
