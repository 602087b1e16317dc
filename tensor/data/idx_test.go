package data

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
)

// idx makes a file of the IDX format.
func idx(kind byte, shape []int, data any) []byte {
	var b bytes.Buffer
	b.Write(idxFile{kind: kind, shape: shape}.header())
	if err := binary.Write(&b, binary.BigEndian, data); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// packed compresses a file.
func packed(plain []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(plain)
	w.Close()
	return b.Bytes()
}

// written writes a file into a new folder and returns its path.
func written(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// errorText returns what an error says, with the path replaced that only this run has.
func errorText(err error, path string) string {
	if err == nil {
		return "no error"
	}
	return strings.ReplaceAll(err.Error(), path, "FILE")
}

func TestReadIDX(t *testing.T) {
	tests := []struct {
		name string
		file []byte
		want *tensor.Tensor
	}{
		{"ubyte", idx(8, []int{2, 2}, []uint8{0, 1, 128, 255}),
			tensor.New([][]int64{{0, 1}, {128, 255}})},
		{"byte", idx(9, []int{3}, []int8{-128, -1, 127}), tensor.New([]int64{-128, -1, 127})},
		{"short", idx(11, []int{1, 2}, []int16{-2, 300}), tensor.New([][]int64{{-2, 300}})},
		{"int", idx(12, []int{2}, []int32{-70000, 70000}), tensor.New([]int64{-70000, 70000})},
		{"float", idx(13, []int{2}, []float32{1.5, -0.1}), tensor.New([]float32{1.5, -0.1})},
		{"double", idx(14, []int{1, 1, 1, 1}, []float64{math.Pi}),
			tensor.New([][][][]float64{{{{math.Pi}}}})},
		{"scalar", idx(14, nil, []float64{2}), tensor.New(2.0)},
		{"empty", idx(8, []int{0, 28, 28}, []byte{}), tensor.Zeros(0, 28, 28).To(tensor.Int64)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for form, file := range map[string][]byte{"plain": test.file,
				"gzip": packed(test.file)} {
				got, err := ReadIDX(bytes.NewReader(file))
				if err != nil {
					t.Fatal(form, err)
				}
				same(t, form, got, test.want)
				if got, err = LoadIDX(written(t, "x.idx", file)); err != nil {
					t.Fatal(form, err)
				}
				same(t, form+" file", got, test.want)
			}
		})
	}
}

func TestIDX(t *testing.T) {
	images := written(t, "toy-images.gz",
		packed(idx(8, []int{2, 2, 3}, []uint8{0, 51, 102, 153, 204, 255,
			255, 0, 0, 0, 0, 51})))
	labels := written(t, "toy-labels", idx(8, []int{2}, []uint8{7, 250}))
	d, err := IDX(images, labels)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.String(); got != "toy-images: 2 samples, x float32 [2 6], y int64 [2]" {
		t.Error(got)
	}
	x, y := d.Reshape(1, 2, 3).Tensors()
	same(t, "x", x, tensor.New([]float32{0, 0.2, 0.4, 0.6, 0.8, 1, 1, 0, 0, 0, 0, 0.2}).Reshape(2,
		1, 2, 3))
	same(t, "y", y, tensor.New([]int64{7, 250}))
	if d.SVG() == "" {
		t.Error("the images show nothing")
	}
	floats := written(t, "floats", idx(14, []int{2, 1}, []float64{0.5, -2}))
	targets := written(t, "targets", idx(13, []int{2}, []float32{1, 2}))
	if d, err = IDX(floats, targets); err != nil {
		t.Fatal(err)
	}
	x, y = d.At(1)
	same(t, "x", x, tensor.New([][]float64{{-2}}))
	same(t, "y", y, tensor.New([]float32{2}))
}

func TestIDXErrors(t *testing.T) {
	good := idx(8, []int{2, 3}, []uint8{1, 2, 3, 4, 5, 6})
	broken := packed(good)
	broken[len(broken)-5]++ // in the checksum
	many := append([]byte{0, 0, 8, 4}, bytes.Repeat([]byte{0xff}, 16)...)
	tests := []struct {
		name string
		file []byte
		want string
	}{
		{"nothing", nil, "too short for the header of an IDX file: EOF"},
		{"no_header", []byte{0, 0}, "too short for the header of an IDX file: unexpected EOF"},
		{"other_file", []byte("PK\x03\x04...."), "it begins with 504b0304, which no IDX file does"},
		{"type", []byte{0, 0, 10, 1}, "it begins with 00000a01, which no IDX file does"},
		{"dims", []byte{0, 0, 8, 9}, "9 dimensions; at most 8 can be read"},
		{"no_sizes", good[:7], "too short for the sizes of 2 dimensions: unexpected EOF"},
		{"cut_off", good[:14], "sizes [2 3] of type ubyte need 6 bytes, and 2 follow the header"},
		{"more", append(good, 7), "sizes [2 3] of type ubyte need 6 bytes, and 7 follow the header"},
		{"huge", idx(14, []int{1 << 30, 1 << 30}, []byte{1}),
			"sizes [1073741824 1073741824] of type double are more than the file can hold: it " +
				"is damaged or cut off"},
		{"overflow", many, "sizes [4294967295 4294967295 4294967295 4294967295] of type ubyte are " +
			"more than the file can hold: it is damaged or cut off"},
		{"huge_and_empty", idx(8, []int{0, 1 << 30, 1 << 30}, []byte{}),
			"sizes [0 1073741824 1073741824] of type ubyte are more than the file can hold: it " +
				"is damaged or cut off"},
		{"gzip", []byte{0x1f, 0x8b, 0}, "its gzip header: unexpected EOF"},
		{"gzip_cut_off", packed(good)[:20],
			"sizes [2 3] of type ubyte need 6 bytes, and after 0 comes: unexpected EOF"},
		{"gzip_short", packed(good[:15]),
			"sizes [2 3] of type ubyte need 6 bytes, and after 3 comes: unexpected EOF"},
		{"gzip_more", packed(append(good, 7)),
			"more bytes follow the 6 that sizes [2 3] of type ubyte need"},
		{"gzip_checksum", broken, "gzip: invalid checksum"},
		{"gzip_huge", packed(idx(8, []int{1 << 20}, []byte{1})),
			"sizes [1048576] of type ubyte are more than the file can hold: it is damaged or " +
				"cut off"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := written(t, "x.idx", test.file)
			_, err := LoadIDX(path)
			if diff := cmp.Diff("idx: FILE: "+test.want, errorText(err, path)); diff != "" {
				t.Error(diff)
			}
			if _, err := ReadIDX(bytes.NewReader(test.file)); err == nil || err.Error() != "idx: "+test.want {
				t.Errorf("of a reader: %v", err)
			}
		})
	}
}

func TestIDXPairErrors(t *testing.T) {
	images := written(t, "images", idx(8, []int{2, 1}, []uint8{1, 2}))
	labels := written(t, "labels", idx(8, []int{3}, []uint8{1, 2, 3}))
	scalar := written(t, "scalar", idx(8, nil, []uint8{1}))
	missing := filepath.Join(t.TempDir(), "missing")
	tests := []struct{ images, labels, want string }{
		{images, labels, "idx: FILE: it has 2 images, and the other file 3 labels"},
		{images, scalar, "idx: FILE: images and labels have at least one dimension, that of the " +
			"samples"},
		{missing, labels, "idx: open FILE: "},
	}
	for _, test := range tests {
		_, err := IDX(test.images, test.labels)
		if got := errorText(err, test.images); !strings.HasPrefix(got, test.want) {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
	if _, err := IDX(images, missing); !os.IsNotExist(err.(*Error).Err) {
		t.Error(err)
	}
}

// TestIDXTakesNoMemory: a long file, or a short one that would be long when unpacked, takes memory
// only for what is an array.
func TestIDXTakesNoMemory(t *testing.T) {
	long := written(t, "long.idx", idx(8, []int{1 << 20}, []byte{}))
	if err := os.Truncate(long, 1<<30); err != nil { // most file systems keep no zeros
		t.Fatal(err)
	}
	claims := append([]byte{0, 0, 8, 1}, 0x10, 0, 0, 0) // 1<<28 elements
	noise := make([]byte, 1<<18)
	rand.NewChaCha8([32]byte{}).Read(noise)
	packedLong := written(t, "packed.idx.gz", packed(append(claims, noise...)))
	for path, want := range map[string]string{
		long:       "sizes [1048576] of type ubyte need 1048576 bytes, and 1073741816 follow",
		packedLong: "sizes [268435456] of type ubyte need 268435456 bytes, and after 262144 comes",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := LoadIDX(path)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<24 {
			t.Errorf("%s: %d bytes of memory were taken", path, took)
		}
	}
}

// TestReadIDXFile: an array is read from where a file stands.
func TestReadIDXFile(t *testing.T) {
	path := written(t, "x", append([]byte("before"), idx(8, []int{2}, []byte{1, 2})...))
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Seek(6, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadIDX(file); err != nil || !cmp.Equal(got.Int64s(), []int64{1, 2}) {
		t.Errorf("got %v, %v", got, err)
	}
}

// FuzzIDX: whatever a file holds, it is read or refused, with memory in proportion to it.
func FuzzIDX(f *testing.F) {
	for _, file := range [][]byte{
		idx(8, []int{2, 3}, []uint8{1, 2, 3, 4, 5, 6}), idx(9, []int{1}, []int8{1}),
		idx(11, []int{1, 2}, []int16{1, 2}), idx(12, nil, []int32{3}), idx(13, []int{1},
			[]float32{1}),
		idx(14, []int{1}, []float64{1}), idx(8, []int{0, 28, 28}, []byte{}), {},
		idx(14, []int{1 << 30, 1 << 30}, []byte{1}),
	} {
		f.Add(file)
		f.Add(packed(file))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		got, err := ReadIDX(bytes.NewReader(file))
		if err != nil {
			return
		}
		if got.Numel()*8 > 8*gzipRatio*(len(file)+1) {
			t.Errorf("%d elements from %d bytes", got.Numel(), len(file))
		}
		parsed, err := readIDX(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		again, err := ReadIDX(bytes.NewReader(append(parsed.header(), parsed.data...)))
		if err != nil {
			t.Fatal(err)
		}
		if !cmp.Equal(got.Shape(), again.Shape()) || got.DType() != again.DType() {
			t.Errorf("written again it is %v, was %v", again, got)
		}
	})
}
