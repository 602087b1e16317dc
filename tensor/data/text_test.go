package data

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

func corpus(t *testing.T, text string, c TextConfig) *Corpus {
	t.Helper()
	made, err := NewCorpus(text, c)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestCorpus(t *testing.T) {
	c := corpus(t, "hé, hello €", TextConfig{})
	if diff := cmp.Diff([]string{" ", ",", "e", "h", "l", "o", "é", "€"},
		c.Vocabulary()); diff != "" {
		t.Error(diff)
	}
	if got, want := c.String(), "text: 11 characters, 8 different"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	ids, err := c.Encode("hello é")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int64{3, 2, 4, 4, 5, 0, 6}, ids); diff != "" {
		t.Error(diff)
	}
	if got := c.Decode(ids); got != "hello é" {
		t.Errorf("decoded: %q", got)
	}
	_, err = c.Encode("hex")
	if want := "encode: character 'x' at byte 2 is not among the 8 of text"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	want := "decode: number 8 at place 1: there are 8 symbols"
	if got := reference.Mistake(func() { c.Decode([]int64{0, 8}) }); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestEncodeInvalid: a byte that is not UTF-8 is not the character that stands for such bytes.
func TestEncodeInvalid(t *testing.T) {
	c := corpus(t, "a\ufffd", TextConfig{})
	if ids, err := c.Encode("a\ufffd"); err != nil || len(ids) != 2 {
		t.Errorf("got %v, %v", ids, err)
	}
	want := "encode: byte 1, 0xff, is not UTF-8"
	if _, err := c.Encode("a\xff"); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestCorpusBytes(t *testing.T) {
	c := corpus(t, "\xffé", TextConfig{Bytes: true})
	if c.Len() != 3 || c.Size() != 256 || len(c.Vocabulary()) != 256 {
		t.Errorf("%s with %d names", c, len(c.Vocabulary()))
	}
	ids, err := c.Encode("é\x00")
	if err != nil || !slices.Equal(ids, []int64{0xc3, 0xa9, 0}) {
		t.Errorf("%v, %v", ids, err)
	}
	if got := c.Decode(ids); got != "é\x00" {
		t.Errorf("decoded: %q", got)
	}
}

func TestWindows(t *testing.T) {
	c := corpus(t, "abcdefg", TextConfig{})
	tests := []struct {
		name           string
		length, stride int
		x, y           []string
	}{
		{"side_by_side", 3, 3, []string{"abc", "def"}, []string{"bcd", "efg"}},
		{"all", 4, 1, []string{"abcd", "bcde", "cdef"}, []string{"bcde", "cdef", "defg"}},
		{"gaps", 1, 4, []string{"a", "e"}, []string{"b", "f"}},
		{"whole", 6, 9, []string{"abcdef"}, []string{"bcdefg"}},
		{"too_long", 7, 1, nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := c.Windows(test.length, test.stride)
			x, y := d.Tensors()
			var gotX, gotY []string
			for i := range d.Len() {
				gotX = append(gotX, c.Decode(x.Index(i).Int64s()))
				gotY = append(gotY, c.Decode(y.Index(i).Int64s()))
			}
			if diff := cmp.Diff([][]string{test.x, test.y}, [][]string{gotX, gotY}); diff != "" {
				t.Error(diff)
			}
			if x.DType() != tensor.Int64 || !slices.Equal(y.Shape(), []int{d.Len(), test.length}) {
				t.Errorf("x %s, y of shape %v", x.DType(), y.Shape())
			}
		})
	}
	if got := corpus(t, "", TextConfig{}).Windows(1, 1).Len(); got != 0 {
		t.Errorf("an empty text has %d windows", got)
	}
	// A batch is a copy.
	x, _ := c.Windows(3, 1).At(0)
	x.FillInPlace(0)
	if again, _ := c.Windows(3, 1).At(0); again.Int64s()[2] != 2 {
		t.Errorf("writing to a batch changed the corpus: %v", again)
	}
}

func TestCorpusSplit(t *testing.T) {
	train, valid := corpus(t, "aabbccddzz", TextConfig{}).Split(0.8)
	x, _ := valid.Windows(1, 1).At(0)
	if train.Len() != 8 || valid.Len() != 2 || train.Size() != 5 || x.Item() != 4 {
		t.Errorf("%s; %s; first symbol %v", train, valid, x)
	}
}

func TestText(t *testing.T) {
	c, err := Text(written(t, "poem.txt", []byte("a\nb")), TextConfig{})
	if err != nil || c.String() != "poem.txt: 3 characters, 3 different" {
		t.Errorf("%v, %v", c, err)
	}
	path := written(t, "x.txt", []byte("ab\ncd\xffe"))
	_, err = Text(path, TextConfig{})
	want := "text: FILE: line 2: byte 5 of the file, 0xff, is not UTF-8; set Bytes to read bytes"
	if got := errorText(err, path); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if c, err = Text(path, TextConfig{Bytes: true}); err != nil || c.Len() != 7 {
		t.Errorf("as bytes: %v, %v", c, err)
	}
	if _, err = Text(path+"x", TextConfig{}); !strings.HasPrefix(errorText(err, path+"x"),
		"text: open FILE: ") {
		t.Error(err)
	}
	for want, f := range map[string]func(){
		"windows: length 0 and stride 1: both must be at least 1": func() { c.Windows(0, 1) },
		"windows: length 1 and stride 0: both must be at least 1": func() { c.Windows(1, 0) },
		"split: fraction -1: must be from 0 to 1":                 func() { c.Split(-1) },
	} {
		if got := reference.Mistake(f); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
