package data

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
)

// digitsCSV is scikit-learn's copy of the UCI set, see the file NOTICE.
//
//go:embed digits.csv.gz
var digitsCSV []byte

const (
	digitsSize   = 8 // pictures are 8×8
	digitsPixels = digitsSize * digitsSize
	digitsInk    = 16   // the largest pixel
	digitsTrain  = 1437 // four fifths of the 1,797 samples
	digitsSplit  = 1    // the seed of the fixed shuffle
)

// Digits returns scikit-learn's handwritten digits, 8×8 pictures of 0 to 9, in a fixed shuffle:
// 1,437 samples to train with and 360 to test. Pixels are divided by 16, so they lie in [0, 1].
// Every call returns new data sets.
//
// The pictures are the test set of E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten
// Digits, UCI Machine Learning Repository, 1998, doi:10.24432/C50P49.
func Digits() (train, test *Dataset) {
	pixels, labels := digits()
	split := digitsTrain * digitsPixels
	return digitsSet("digits (train)", pixels[:split], labels[:digitsTrain]),
		digitsSet("digits (test)", pixels[split:], labels[digitsTrain:])
}

func digitsSet(name string, pixels []float32, labels []int64) *Dataset {
	d := newDataset(name, column{float32Values(pixels), []int{digitsPixels}},
		column{int64Values(labels), nil}, len(labels))
	d.picture = picture{1, digitsSize, digitsSize}
	return d
}

// digits is the whole set in its fixed shuffle. The data sets share the slices and never write.
var digits = sync.OnceValues(func() ([]float32, []int64) {
	records, err := readDigits(digitsCSV)
	if err != nil {
		panic(fmt.Sprintf("data: embedded digits.csv.gz: %v", err))
	}
	var pixels []float32
	var labels []int64
	for _, i := range permutation(len(records), rand.NewPCG(digitsSplit, 0)) {
		for _, v := range records[i][:digitsPixels] {
			pixels = append(pixels, float32(v)/digitsInk)
		}
		labels = append(labels, int64(records[i][digitsPixels]))
	}
	return pixels, labels
})

// readDigits parses lines of 64 pixels and a label.
func readDigits(compressed []byte) ([][]int, error) {
	plain, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, err
	}
	lines := csv.NewReader(plain)
	lines.FieldsPerRecord = digitsPixels + 1
	fields, err := lines.ReadAll()
	if err != nil {
		return nil, err
	}
	records := make([][]int, len(fields))
	for i, line := range fields {
		records[i] = make([]int, len(line))
		for j, field := range line {
			if records[i][j], err = strconv.Atoi(field); err != nil {
				return nil, fmt.Errorf("line %d, field %d: %w", i+1, j+1, err)
			}
		}
	}
	return records, nil
}
