package data

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// TextConfig says what the symbols of a text are. Its zero value takes characters.
type TextConfig struct {
	// Bytes makes each byte a symbol, whose number is its value: 256 symbols for any file.
	Bytes bool

	Progress func(done, total int) // called with the bytes read; nil: a line on a terminal
}

// A Corpus is a text as numbers of symbols, for a model that predicts the next one. It is never
// changed after it was made.
type Corpus struct {
	name   string
	bytes  bool
	sorted []rune         // the symbols, in order of their numbers
	number map[rune]int32 // of a symbol
	ids    []int32
}

// Text reads a file as a corpus of its characters (UTF-8), numbered in the order of their code
// points, or of its bytes.
//
//	corpus, err := data.Text("shakespeare.txt", data.TextConfig{})
//	train, valid := corpus.Split(0.9)
//	for x, y := range train.Windows(64, 64).Batches(32) { // both int64 [32, 64]
func Text(path string, c TextConfig) (*Corpus, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, &Error{Op: "text", Err: err}
	}
	defer file.Close()
	m := newMeter("text", c.Progress)
	defer m.end()
	var text bytes.Buffer
	if _, err := text.ReadFrom(m.reader(file)); err != nil {
		return nil, &Error{Op: "text", Path: path, Err: err}
	}
	return c.corpus(path, filepath.Base(path), text.String())
}

// NewCorpus is [Text] for a text that is there.
func NewCorpus(text string, c TextConfig) (*Corpus, error) { return c.corpus("", "text", text) }

func (c TextConfig) corpus(path, name, text string) (*Corpus, error) {
	t := &Corpus{name: name, bytes: c.Bytes}
	if c.Bytes {
		t.ids = make([]int32, len(text))
		for i := range len(text) {
			t.ids[i] = int32(text[i])
		}
		return t, nil
	}
	if !utf8.ValidString(text) {
		at := firstInvalid(text)
		return nil, &Error{Op: "text", Path: path, Line: 1 + strings.Count(text[:at], "\n"),
			Msg: fmt.Sprintf("byte %d of the file, %#02x, is not UTF-8; set Bytes to read bytes",
				at, text[at])}
	}
	t.number = map[rune]int32{}
	for _, r := range text {
		t.number[r] = 0
	}
	for r := range t.number {
		t.sorted = append(t.sorted, r)
	}
	slices.Sort(t.sorted)
	for i, r := range t.sorted {
		t.number[r] = int32(i)
	}
	t.ids = make([]int32, 0, utf8.RuneCountInString(text))
	for _, r := range text {
		t.ids = append(t.ids, t.number[r])
	}
	return t, nil
}

// firstInvalid returns where the first byte stands that is not UTF-8.
func firstInvalid(text string) int {
	for i, r := range text {
		if _, size := utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && size == 1 {
			return i
		}
	}
	return len(text)
}

// Len returns the number of symbols in the text.
func (t *Corpus) Len() int { return len(t.ids) }

// Size returns the number of different symbols: what an embedding needs.
func (t *Corpus) Size() int {
	if t.bytes {
		return 256
	}
	return len(t.sorted)
}

// Vocabulary returns the symbols in the order of their numbers.
func (t *Corpus) Vocabulary() []string {
	symbols := make([]string, t.Size())
	for i := range symbols {
		symbols[i] = t.symbol(i)
	}
	return symbols
}

func (t *Corpus) symbol(i int) string {
	if t.bytes {
		return string([]byte{byte(i)})
	}
	return string(t.sorted[i])
}

// Encode returns the numbers of a text's symbols. A character that the corpus lacks is an error.
func (t *Corpus) Encode(text string) ([]int64, error) {
	ids := make([]int64, 0, len(text))
	if t.bytes {
		for i := range len(text) {
			ids = append(ids, int64(text[i]))
		}
		return ids, nil
	}
	for i, r := range text {
		id, known := t.number[r]
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], string(r)) {
			return nil, &Error{Op: "encode",
				Msg: fmt.Sprintf("byte %d, %#02x, is not UTF-8", i, text[i])}
		}
		if !known {
			return nil, &Error{Op: "encode",
				Msg: fmt.Sprintf("character %s at byte %d is not among "+
					"the %d of %s", strconv.QuoteRune(r), i, t.Size(), t.name)}
		}
		ids = append(ids, int64(id))
	}
	return ids, nil
}

// Decode returns the text of symbols with the given numbers.
// It panics with a [*tensor.Error] for a number that no symbol has.
func (t *Corpus) Decode(ids []int64) string {
	var text strings.Builder
	for i, id := range ids {
		if id < 0 || id >= int64(t.Size()) {
			fail("decode", "number %d at place %d: there are %d symbols", id, i, t.Size())
		}
		text.WriteString(t.symbol(int(id)))
	}
	return text.String()
}

// Split cuts the text in two at a fraction of its length. Both parts have the symbols of the whole.
// It panics with a [*tensor.Error] where the fraction is not within 0 and 1.
func (t *Corpus) Split(fraction float64) (first, second *Corpus) {
	if !(fraction >= 0 && fraction <= 1) {
		fail("split", "fraction %v: must be from 0 to 1", fraction)
	}
	cut := int(math.Round(fraction * float64(t.Len())))
	return t.part(t.ids[:cut]), t.part(t.ids[cut:])
}

func (t *Corpus) part(ids []int32) *Corpus {
	p := *t
	p.ids = ids
	p.name = fmt.Sprintf("%s, %d of %d", t.name, len(ids), t.Len())
	return &p
}

// Windows returns a data set of pieces of the text: x int64 [n, length], and y int64 [n, length] of
// the symbols that follow each of x. Pieces begin stride symbols apart, from 1 (every one that
// there is) to length (none overlap). They share the corpus's memory until they are batches.
// It panics with a [*tensor.Error] where length or stride is less than 1.
func (t *Corpus) Windows(length, stride int) *Dataset {
	if length < 1 || stride < 1 {
		fail("windows", "length %d and stride %d: both must be at least 1", length, stride)
	}
	n := 0
	if t.Len() > length {
		n = (t.Len()-length-1)/stride + 1
	}
	following := t.ids[min(1, t.Len()):]
	return newDataset(fmt.Sprintf("%s, windows", t.name),
		column{windows{t.ids, stride}, []int{length}},
		column{windows{following, stride}, []int{length}}, n)
}

// String names the corpus and its sizes.
func (t *Corpus) String() string {
	symbols := "characters"
	if t.bytes {
		symbols = "bytes"
	}
	return fmt.Sprintf("%s: %d %s, %d different", t.name, t.Len(), symbols, t.Size())
}
