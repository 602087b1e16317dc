package data

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/internal/memory"
	"halfnote/tensor"
)

// encoded returns the file of a picture of one colour, in the form that the name's end says.
func encoded(t testing.TB, name string, width, height int, c color.Color) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		img.Set(i%width, i/width, c)
	}
	var b bytes.Buffer
	var err error
	switch strings.ToLower(filepath.Ext(name)) {
	case ".png":
		err = png.Encode(&b, img)
	case ".gif":
		err = gif.Encode(&b, img, nil)
	default:
		err = jpeg.Encode(&b, img, &jpeg.Options{Quality: 100})
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// folder writes files into a new folder and returns its path.
func folder(t testing.TB, files map[string][]byte) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "pets")
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var (
	red   = color.NRGBA{255, 0, 0, 255}
	blue  = color.NRGBA{0, 0, 255, 255}
	clear = color.NRGBA{0, 0, 255, 0}
)

func TestFolder(t *testing.T) {
	dir := folder(t, map[string][]byte{
		"dog/b.png":         encoded(t, ".png", 3, 2, red),
		"dog/a.GIF":         encoded(t, ".gif", 3, 2, color.White),
		"cat/z.png":         encoded(t, ".png", 3, 2, clear),
		"cat/more/y.png":    encoded(t, ".png", 3, 2, blue),
		"cat/readme.txt":    []byte("no picture"),
		"cat/.hidden.png":   []byte("no picture"),
		"cat/.thumbs/x.gif": []byte("no picture"),
		".git/x.png":        []byte("no picture"),
		"loose.png":         []byte("no picture"),
	})
	var steps [][2]int
	d, err := Folder(dir, FolderConfig{Progress: func(done,
		total int) {
		steps = append(steps, [2]int{done, total})
	}})
	if err != nil {
		t.Fatal(err)
	}
	if got := d.String(); got != "pets: 4 samples, x float32 [4 3 2 3], y int64 [4]" {
		t.Error(got)
	}
	if diff := cmp.Diff([]string{"cat", "dog"}, d.Classes()); diff != "" {
		t.Error(diff)
	}
	x, y := d.Tensors()
	same(t, "y", y, tensor.New([]int64{0, 0, 1, 1}))
	planes := tensor.New([][]float32{{0, 0, 1}, {1, 1, 1}, {1, 1, 1}, {1, 0, 0}})
	same(t, "x", x, planes.Reshape(4, 3, 1, 1).Expand(4, 3, 2, 3))
	if diff := cmp.Diff([][2]int{{1, 4}, {2, 4}, {3, 4}, {4, 4}}, steps); diff != "" {
		t.Errorf("progress: %s", diff)
	}
	if d.SVG() == "" {
		t.Error("the pictures show nothing")
	}
}

func TestFolderResize(t *testing.T) {
	stripes := image.NewGray(image.Rect(0, 0, 64, 64)) // columns black and white in turn
	for i := range stripes.Pix {
		stripes.Pix[i] = uint8(i % 2 * 255)
	}
	var striped bytes.Buffer
	if err := png.Encode(&striped, stripes); err != nil {
		t.Fatal(err)
	}
	dir := folder(t, map[string][]byte{
		"a/1.jpg":  encoded(t, ".jpg", 40, 20, red),
		"a/2.jpeg": encoded(t, ".jpeg", 3, 5, color.Gray{128}),
		"b/3.png":  striped.Bytes(),
	})
	d, err := Folder(dir, FolderConfig{Height: 4, Width: 8, Grey: true})
	if err != nil {
		t.Fatal(err)
	}
	x, _ := d.Tensors()
	if diff := cmp.Diff([]int{3, 1, 4, 8}, x.Shape()); diff != "" {
		t.Fatal(diff)
	}
	// Red is as light as 0.299 of white. A filter that leaves out pixels would see stripes.
	for i, want := range []float64{0.299, 128. / 255, 0.5} {
		for j, v := range x.Index(i).Float64s() {
			if v < want-0.02 || v > want+0.02 {
				t.Errorf("picture %d, pixel %d: %v, want about %v", i, j, v, want)
			}
		}
	}
}

// TestFolderIrregular: what has the name of a picture but is none is refused, not waited for.
func TestFolderIrregular(t *testing.T) {
	dir := folder(t, map[string][]byte{"a/1.png": encoded(t, ".png", 3, 2, red)})
	link := filepath.Join(dir, "a", "2.png")
	if err := os.Symlink(os.DevNull, link); err != nil {
		return // Windows asks for a privilege
	}
	for _, c := range []FolderConfig{{}, {Height: 2, Width: 2}} {
		_, err := Folder(dir, c)
		if want := "folder: " + link + ": is no regular file"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestFolderTooLarge: small files that claim to be more than memory holds do not end the program.
func TestFolderTooLarge(t *testing.T) {
	have, err := memory.Size()
	if err != nil {
		return // then nothing is compared
	}
	const side = 1 << 13
	claim := encoded(t, ".png", 3, 2, red)
	binary.BigEndian.PutUint32(claim[16:], side)
	binary.BigEndian.PutUint32(claim[20:], side)
	binary.BigEndian.PutUint32(claim[29:], crc32.ChecksumIEEE(claim[12:29]))
	files := map[string][]byte{}
	for i := range have/(3*side*side) + 1 {
		files[fmt.Sprintf("a/%d.png", i)] = claim
	}
	_, err = Folder(folder(t, files), FolderConfig{})
	if err == nil || !strings.Contains(err.Error(), "give a smaller Height and Width") {
		t.Errorf("got %v", err)
	}
}

func TestFolderErrors(t *testing.T) {
	good := encoded(t, ".png", 3, 2, red)
	bomb := bytes.Clone(good)
	binary.BigEndian.PutUint32(bomb[16:], 1<<20)
	binary.BigEndian.PutUint32(bomb[20:], 1<<20)
	binary.BigEndian.PutUint32(bomb[29:], crc32.ChecksumIEEE(bomb[12:29]))
	tests := []struct {
		name  string
		files map[string][]byte
		c     FolderConfig
		want  string
	}{
		{"no_folder", nil, FolderConfig{}, "folder: open DIR: "},
		{"no_classes", map[string][]byte{"a.png": good}, FolderConfig{},
			"folder: DIR: no sub-folder in it; each class has one, with its pictures"},
		{"no_pictures", map[string][]byte{"a/1.png": good, "b/1.bmp": good}, FolderConfig{},
			"folder: DIR/b: no picture in it (png, jpg, jpeg, gif); each sub-folder is a class"},
		{"broken", map[string][]byte{"a/1.png": good, "a/2.png": []byte("hello")}, FolderConfig{},
			"folder: DIR/a/2.png: image: unknown format"},
		{"broken_resized", map[string][]byte{"a/1.png": good, "a/2.png": []byte("hello")},
			FolderConfig{Height: 2, Width: 2}, "folder: DIR/a/2.png: image: unknown format"},
		{"cut_off", map[string][]byte{"a/1.png": good[:50], "a/2.png": good}, FolderConfig{},
			"folder: DIR/a/1.png: png: invalid format: not enough pixel data"},
		{"first_of_two", map[string][]byte{"a/1.png": good, "a/2.png": good[:50],
			"b/3.png": good[:50]},
			FolderConfig{}, "folder: DIR/a/2.png: png: invalid format: not enough pixel data"},
		{"bomb", map[string][]byte{"a/1.png": bomb}, FolderConfig{},
			"folder: DIR/a/1.png: 1048576×1048576 pixels: there must be from 1 to 67108864"},
		{"bomb_resized", map[string][]byte{"a/1.png": bomb}, FolderConfig{Height: 2, Width: 2},
			"folder: DIR/a/1.png: 1048576×1048576 pixels: there must be from 1 to 67108864"},
		{"sizes", map[string][]byte{"a/1.png": good, "a/2.png": encoded(t, ".png", 4, 4, red)},
			FolderConfig{},
			"folder: DIR/a/2.png: 4×4 pixels, and DIR/a/1.png has 2×3; give a Height and Width " +
				"to resize to"},
		{"one_size", map[string][]byte{"a/1.png": good}, FolderConfig{Width: 3},
			"folder: DIR: height 0 and width 3: give both, or neither"},
		{"negative", map[string][]byte{"a/1.png": good}, FolderConfig{Height: -1, Width: 3},
			"folder: DIR: height -1 and width 3: give both, or neither"},
		{"huge", map[string][]byte{"a/1.png": good}, FolderConfig{Height: 1 << 20, Width: 1 << 20},
			"folder: DIR: height 1048576 and width 1048576 are more than 67108864 pixels"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := folder(t, test.files)
			_, err := Folder(dir, test.c)
			got := "no error"
			if err != nil {
				got = filepath.ToSlash(strings.ReplaceAll(err.Error(), dir, "DIR"))
			}
			if got != test.want && !(test.files == nil && strings.HasPrefix(got, test.want)) {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
