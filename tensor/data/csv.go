package data

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CSVConfig says how a table is read. Its zero value suits a file with commas and a header whose
// last column is the label.
type CSVConfig struct {
	Comma    rune // between fields; 0 is a comma
	Comment  rune // lines that begin with it are left out; 0: none are
	NoHeader bool // the first line is a sample; columns go by their numbers then

	// Label is the name of the column with the labels, or its number from 0 on, negative from the
	// end. Empty is the last one.
	Label string
	// Columns are the names or numbers of the columns that make x, in this order. nil is all but
	// the label's.
	Columns []string
	// OneHot are columns that hold names. Each becomes a column in x for every name, in sorted
	// order, that is 1 where the name stood and 0 elsewhere.
	OneHot []string

	Target bool // the labels are numbers to be met: y is float32, though they are whole
	Names  bool // the labels are names of classes, though some are numbers

	Progress func(done, total int) // called with the bytes read; nil: a line on a terminal
}

// maxOneHot is how many names a one-hot column may have. Beyond it x is almost all zeros and takes
// a share of memory that grows with the square of the table.
const maxOneHot = 1000

// maxLine is the longest line of a table, in bytes. A file of other kinds may be one line.
const maxLine = 1 << 24

// CSV reads a table, plain or compressed with gzip: a line for each sample. x is float32
// [n, columns]. y [n] is int64 where all labels are whole numbers, without a point, float32 where
// they are other numbers, and else int64, the classes, whose sorted names [Dataset.Classes] has.
//
//	iris, err := data.CSV("iris.csv", data.CSVConfig{Label: "species"})
//
// Errors name line and column; a field without a value is one.
func CSV(path string, c CSVConfig) (*Dataset, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, &Error{Op: "csv", Err: err}
	}
	defer file.Close()
	m := newMeter("csv", c.Progress)
	defer m.end()
	name := filepath.Base(path)
	return c.read(m.reader(file), path, strings.TrimSuffix(name, filepath.Ext(name)))
}

// ReadCSV is [CSV] for what r gives.
func ReadCSV(r io.Reader, c CSVConfig) (*Dataset, error) { return c.read(r, "", "csv") }

func (c CSVConfig) read(r io.Reader, path, name string) (*Dataset, error) {
	t := &table{CSVConfig: c}
	if err := t.read(r); err != nil {
		var e *Error
		if !errors.As(err, &e) {
			e = &Error{Err: err}
		}
		e.Op, e.Path = "csv", path
		return nil, e
	}
	d := newDataset(name, column{float32Values(t.x), []int{t.width()}}, column{t.y, nil}, t.count)
	d.classes, d.features = t.classes, t.features()
	return d, nil
}

// A table is a file on its way to be a data set.
type table struct {
	CSVConfig
	lines *csv.Reader
	names []string // of the file's columns; numbers where there is no header
	label int
	parts []part

	count   int
	x       []float32
	labels  []string
	where   []place // of each label
	y       store
	classes []string
}

// A place is a line and a column, from 1 on.
type place struct{ line, column int }

// A part is a column of the file that is in x.
type part struct {
	column int
	oneHot bool
	names  []string       // of a one-hot column, sorted
	fields []string       // of a one-hot column, line by line
	number map[string]int // of a name; also has each name but once in memory
}

func (t *table) read(r io.Reader) error {
	if err := t.open(r); err != nil {
		return err
	}
	first, err := t.lines.Read()
	if err == io.EOF {
		return &Error{Msg: "there is no line with a sample or a header"}
	}
	if err != nil {
		return csvError(err)
	}
	first = slices.Clone(first)
	if err := t.header(first); err != nil {
		return err
	}
	if t.NoHeader {
		err = t.sample(first)
	}
	for err == nil {
		var fields []string
		if fields, err = t.lines.Read(); err == nil {
			err = t.sample(fields)
		}
	}
	if err != io.EOF {
		return csvError(err)
	}
	t.expand()
	return t.encodeLabels()
}

// open looks through gzip and the mark that some programs put before UTF-8.
func (t *table) open(r io.Reader) error {
	plain := bufio.NewReader(r)
	if start, _ := plain.Peek(2); isGzip(start) {
		unpacked, err := gzip.NewReader(plain)
		if err != nil {
			return err
		}
		plain = bufio.NewReader(unpacked)
	}
	if mark, _ := plain.Peek(3); bytes.Equal(mark, []byte("\ufeff")) {
		plain.Discard(len(mark))
	}
	switch start, _ := plain.Peek(2); string(start) {
	case "\xff\xfe", "\xfe\xff":
		return &Error{Msg: "it begins with the mark of UTF-16; save it as UTF-8"}
	}
	t.lines = csv.NewReader(&lineReader{plain, 0})
	t.lines.ReuseRecord, t.lines.TrimLeadingSpace = true, !unicode.IsSpace(t.Comma)
	t.lines.Comment = t.Comment
	if t.Comma != 0 {
		t.lines.Comma = t.Comma
	}
	return nil
}

// A lineReader refuses lines that are too long to be of a table.
type lineReader struct {
	io.Reader
	length int // of the line so far
}

func (r *lineReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.length += n
	if end := bytes.LastIndexByte(p[:n], '\n'); end >= 0 {
		r.length = n - 1 - end
	}
	if r.length > maxLine {
		return n, &Error{Msg: fmt.Sprintf("a line of more than %d bytes: it is no table",
			maxLine)}
	}
	return n, err
}

// csvError puts the place of a fault in the form of the file into an Error.
func csvError(err error) error {
	var syntax *csv.ParseError
	switch {
	case strings.HasPrefix(err.Error(), "csv: "): // of the delimiters
		return &Error{Msg: strings.TrimPrefix(err.Error(), "csv: ")}
	case !errors.As(err, &syntax):
		return err
	case errors.Is(err, csv.ErrFieldCount):
		return &Error{Line: syntax.Line, Msg: "it has not as many fields as the lines before"}
	}
	return &Error{Line: syntax.Line, Err: fmt.Errorf("byte %d: %w", syntax.Column, syntax.Err)}
}

// header takes the first line and decides about the columns.
func (t *table) header(first []string) error {
	numbers := 0
	for i, name := range first {
		if name = strings.TrimSpace(name); t.NoHeader {
			name = strconv.Itoa(i)
		} else if _, err := strconv.ParseFloat(name, 64); err == nil {
			numbers++
		}
		t.names = append(t.names, name)
		if err := t.text(i, name); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(first, func(s string) bool { return strings.Contains(s, "\r") }) {
		return &Error{Msg: "its lines end with a carriage return alone; save it with line feeds"}
	}
	if numbers == len(first) {
		line, _ := t.lines.FieldPos(0)
		return &Error{Line: line, Msg: "the header has numbers alone; " +
			"where it is a sample, set NoHeader"}
	}
	label := t.Label
	if label == "" {
		label = "-1"
	}
	var err error
	if t.label, err = t.find(label); err != nil {
		return err
	}
	columns := t.Columns
	if columns == nil {
		for i := range t.names {
			if i != t.label {
				columns = append(columns, strconv.Itoa(i))
			}
		}
	}
	return t.choose(columns, t.Columns != nil)
}

// choose sets the parts of x. Given columns may be names, others are numbers.
func (t *table) choose(columns []string, given bool) error {
	hot, used := map[int]bool{}, map[int]bool{}
	for _, name := range t.OneHot {
		i, err := t.find(name)
		if err != nil {
			return err
		}
		hot[i] = true
	}
	for _, name := range columns {
		i, err := strconv.Atoi(name)
		if given {
			i, err = t.find(name)
		}
		if err != nil {
			return err
		}
		t.parts = append(t.parts, part{column: i, oneHot: hot[i], number: map[string]int{}})
		used[i] = true
	}
	for i := range t.names {
		if hot[i] && !used[i] {
			return &Error{Msg: fmt.Sprintf("one-hot column %q is not among those of x", t.names[i])}
		}
	}
	if len(t.parts) == 0 {
		return &Error{Msg: "no column is left for x beside the label's"}
	}
	return nil
}

// find returns the number of the column of that name or number.
func (t *table) find(name string) (int, error) {
	switch i := slices.Index(t.names, name); {
	case i >= 0 && slices.Contains(t.names[i+1:], name):
		return 0, &Error{Msg: fmt.Sprintf("two columns are named %q; give the number", name)}
	case i >= 0:
		return i, nil
	}
	i, err := strconv.Atoi(name)
	if err == nil && i < 0 {
		i += len(t.names)
	}
	if err != nil || i < 0 || i >= len(t.names) {
		return 0, &Error{Msg: fmt.Sprintf("there is no column %q among the %d: %s", name,
			len(t.names), shortened(strings.Join(t.names, " "), 200))}
	}
	return i, nil
}

// sample takes a line.
func (t *table) sample(fields []string) error {
	for i := range t.parts {
		p := &t.parts[i]
		field := strings.TrimSpace(fields[p.column])
		switch {
		case field == "":
			return t.fault(p.column, "no value; complete the table or leave the line out")
		case p.oneHot:
			if _, known := p.number[field]; !known {
				if len(p.names) == maxOneHot {
					return t.fault(p.column, "more than %d names for a one-hot column", maxOneHot)
				}
				if err := t.text(p.column, field); err != nil {
					return err
				}
				name := strings.Clone(field)
				p.number[name] = len(p.names)
				p.names = append(p.names, name)
			}
			p.fields = append(p.fields, p.names[p.number[field]])
			t.x = append(t.x, 0) // expand makes more of it
		default:
			v, err := strconv.ParseFloat(field, 32)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return t.fault(p.column, "%s is no finite float32 number; columns of names "+
					"belong in OneHot, and Columns leaves out others",
					shortened(strconv.Quote(field), 40))
			}
			t.x = append(t.x, float32(v))
		}
	}
	label := strings.TrimSpace(fields[t.label])
	if label == "" {
		return t.fault(t.label, "no value; complete the table or leave the line out")
	}
	if err := t.text(t.label, label); err != nil {
		return err
	}
	line, _ := t.lines.FieldPos(t.label)
	t.labels = append(t.labels, strings.Clone(label))
	t.where = append(t.where, place{line, t.label + 1})
	t.count++
	return nil
}

// fault is what is wrong with a field of the line just read.
func (t *table) fault(column int, format string, args ...any) error {
	line, _ := t.lines.FieldPos(column)
	return &Error{Line: line, Column: column + 1,
		Msg: fmt.Sprintf("%q: %s", t.names[column], fmt.Sprintf(format, args...))}
}

// text returns an error where a name in the line just read is not UTF-8.
func (t *table) text(column int, name string) error {
	if utf8.ValidString(name) {
		return nil
	}
	return t.fault(column, "%s is not UTF-8; save the table as UTF-8",
		shortened(strconv.Quote(name), 40))
}

// width returns the number of columns of x that a column of the file becomes.
func (p part) width() int {
	if p.oneHot {
		return len(p.names)
	}
	return 1
}

// width returns the number of columns of x.
func (t *table) width() (n int) {
	for _, p := range t.parts {
		n += p.width()
	}
	return n
}

// expand puts the columns of one-hot columns into x.
func (t *table) expand() {
	width, narrow := t.width(), len(t.parts)
	if len(t.OneHot) == 0 {
		return
	}
	for i, p := range t.parts {
		if p.oneHot {
			slices.Sort(p.names)
			for number, name := range p.names {
				t.parts[i].number[name] = number
			}
		}
	}
	wide := make([]float32, t.count*width)
	for line := range t.count {
		row := wide[line*width : (line+1)*width]
		for i, p := range t.parts {
			if p.oneHot {
				row[p.number[p.fields[line]]] = 1
			} else {
				row[0] = t.x[line*narrow+i]
			}
			row = row[p.width():]
		}
	}
	t.x = wide
}

// features returns the names of x's columns, or nil where the file has none.
func (t *table) features() (names []string) {
	for _, p := range t.parts {
		if !p.oneHot {
			names = append(names, t.names[p.column])
		}
		for _, name := range p.names {
			names = append(names, t.names[p.column]+"="+name)
		}
	}
	return names
}

// encodeLabels makes y of the labels' text: numbers if all are, and else classes.
func (t *table) encodeLabels() error {
	whole, numbers := make([]int64, t.count), make([]float32, t.count)
	allWhole, count := !t.Target, 0
	odd, infinite := -1, -1 // the first that is no number, and that is NaN or too large: no name
	for i, label := range t.labels {
		var err error
		if whole[i], err = strconv.ParseInt(label, 10, 64); err != nil {
			allWhole = false
		}
		v, err := strconv.ParseFloat(label, 32)
		if numbers[i] = float32(v); err == nil && v-v == 0 {
			count++
		} else if odd < 0 {
			odd = i
		}
		if v-v != 0 && infinite < 0 {
			infinite = i
		}
	}
	switch {
	case t.Names && !t.Target:
		t.nameLabels()
	case allWhole:
		t.y = int64Values(whole)
	case count == t.count:
		t.y = float32Values(numbers)
	case count == 0 && !t.Target && infinite < 0:
		t.nameLabels()
	default:
		if infinite >= 0 {
			odd = infinite
		}
		return &Error{Line: t.where[odd].line, Column: t.where[odd].column,
			Msg: fmt.Sprintf("%q: label %s is no finite float32 number; set Names "+
				"where all are names of classes", t.names[t.label],
				shortened(strconv.Quote(t.labels[odd]), 40))}
	}
	return nil
}

// nameLabels numbers the names in sorted order.
func (t *table) nameLabels() {
	t.classes = slices.Compact(slices.Sorted(slices.Values(t.labels)))
	classes := make([]int64, t.count)
	for i, label := range t.labels {
		at, _ := slices.BinarySearch(t.classes, label)
		classes[i] = int64(at)
	}
	t.y = int64Values(classes)
}
