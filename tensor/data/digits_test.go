package data

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDigits(t *testing.T) {
	train, test := Digits()
	if train.Len() != 1437 || test.Len() != 360 {
		t.Fatalf("got %d train and %d test samples, want 1437 and 360", train.Len(), test.Len())
	}
	counts := make([]int, 10)
	var ink float64
	for _, d := range []*Dataset{train, test} {
		x, y := d.Tensors()
		want := [][]int{{d.Len(), 64}, {d.Len()}}
		if diff := cmp.Diff(want, [][]int{x.Shape(), y.Shape()}); diff != "" {
			t.Error(diff)
		}
		for _, v := range x.Float32s() {
			if v < 0 || v > 1 || v*16 != float32(int(v*16)) {
				t.Fatalf("pixel %v is no sixteenth in [0, 1]", v)
			}
			ink += float64(v)
		}
		for _, label := range y.Int64s() {
			counts[label]++
		}
	}
	want := []int{178, 182, 177, 183, 181, 182, 181, 179, 174, 180}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("samples of each digit (-want +got):\n%s", diff)
	}
	if ink*16 != 561718 {
		t.Errorf("sum of all pixels: got %v, want 561718", ink*16)
	}
}

// TestDigitsSplit holds the split in place: recorded accuracies depend on it.
func TestDigitsSplit(t *testing.T) {
	_, test := Digits()
	x, y := test.Tensors()
	got := fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, x.Float32s(), y.Int64s())))
	if want := "111b2b24cf1623c5c63d394970b5548ae4476102b6c9cec5064eee1603f33f67"; got != want {
		t.Errorf("test set: sha256 %s, want %s", got, want)
	}
}

func TestReadDigits(t *testing.T) {
	for _, text := range []string{"", "not gzip"} {
		if _, err := readDigits([]byte(text)); err == nil {
			t.Errorf("readDigits(%q): no error", text)
		}
	}
}
