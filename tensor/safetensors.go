package tensor

import (
	"bytes"
	"cmp"
	endian "encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"unicode/utf8"
)

// This file implements the file format safetensors: the length of a header, the header, which is
// JSON, and the elements of all tensors without gaps.
// https://github.com/huggingface/safetensors#format describes it.

// maxHeader is the longest header that the format allows.
const maxHeader = 100_000_000

// metadataKey is the name in the header that is no tensor's.
const metadataKey = "__metadata__"

var safetensorsLayouts = map[string]layout{
	"F64": {Float64, 8, false, false}, "F32": {Float32, 4, false, false},
	"F16": {Float16, 2, false, false}, "BF16": {BFloat16, 2, false, false},
	"I64": {Int64, 8, false, false}, "BOOL": {Bool, 1, false, false},
	"I32": {Int64, 4, false, false}, "I16": {Int64, 2, false, false},
	"I8": {Int64, 1, false, false}, "U64": {Int64, 8, true, false},
	"U32": {Int64, 4, true, false}, "U16": {Int64, 2, true, false},
	"U8": {Int64, 1, true, false},
}

var safetensorsNames = map[DType]string{
	Float64: "F64", Float32: "F32", Float16: "F16", BFloat16: "BF16", Int64: "I64", Bool: "BOOL",
}

// SaveSafetensors writes tensors of any dtype to a file in the format safetensors, and metadata
// with them if it is given. The file is written beside path and then renamed, so that path never
// holds half of it. Strides and gradients are not kept.
func SaveSafetensors(path string, tensors map[string]*Tensor, metadata ...map[string]string) error {
	err := writeFile(path, func(w io.Writer) error {
		return writeSafetensors(w, tensors, metadata)
	})
	if err != nil {
		return fmt.Errorf("safetensors: save %s: %w", path, err)
	}
	return nil
}

// WriteSafetensors writes to w what [SaveSafetensors] writes to a file.
func WriteSafetensors(w io.Writer, tensors map[string]*Tensor,
	metadata ...map[string]string) error {
	if err := writeSafetensors(w, tensors, metadata); err != nil {
		return fmt.Errorf("safetensors: write: %w", err)
	}
	return nil
}

// LoadSafetensors reads a file in the format safetensors. Integers of other types than int64 become
// Int64, all else keeps its dtype. An error names the file, the tensor, the place and the reason;
// sizes are checked against the file's length before memory is taken.
func LoadSafetensors(path string) (map[string]*Tensor, error) {
	var tensors map[string]*Tensor
	err := readFile(path, func(f *os.File) (err error) {
		tensors, _, err = readSafetensors(newSource(f))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("safetensors: load %s: %w", path, err)
	}
	return tensors, nil
}

// ReadSafetensors reads from r, up to its end, what [LoadSafetensors] reads from a file, and the
// metadata that were saved with it.
func ReadSafetensors(r io.Reader) (tensors map[string]*Tensor, metadata map[string]string,
	err error) {
	tensors, metadata, err = readSafetensors(newSource(r))
	if err != nil {
		return nil, nil, fmt.Errorf("safetensors: read: %w", err)
	}
	return tensors, metadata, nil
}

func writeSafetensors(w io.Writer, tensors map[string]*Tensor, given []map[string]string) error {
	if len(given) > 1 {
		return fmt.Errorf("%d maps of metadata; one is the most", len(given))
	}
	names, err := savedNames(tensors)
	if err != nil {
		return err
	}
	// Large elements come first, so that all are aligned.
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(tensors[b].DType().Size(), tensors[a].DType().Size())
	})
	var header bytes.Buffer
	if len(given) == 1 && len(given[0]) > 0 {
		for key, value := range given[0] { // package json would write other text in their place
			if !utf8.ValidString(key) || !utf8.ValidString(value) {
				return fmt.Errorf("the metadata %q: %q are not valid UTF-8", key, value)
			}
		}
		text, err := json.Marshal(given[0])
		if err != nil {
			return err
		}
		fmt.Fprintf(&header, ",%q:%s", metadataKey, text)
	}
	begin := 0
	for _, name := range names {
		t := tensors[name]
		text, err := json.Marshal(name)
		if err != nil {
			return err
		}
		shape, _ := json.Marshal(t.Shape())
		end := begin + t.Numel()*t.DType().Size()
		fmt.Fprintf(&header, `,%s:{"dtype":%q,"shape":%s,"data_offsets":[%d,%d]}`,
			text, safetensorsNames[t.DType()], shape, begin, end)
		begin = end
	}
	text := append([]byte{'{'}, bytes.TrimPrefix(header.Bytes(), []byte(","))...)
	text = append(text, '}')
	for len(text)%8 != 0 {
		text = append(text, ' ')
	}
	if len(text) > maxHeader {
		return fmt.Errorf("the header takes %d bytes; %d is the most", len(text), maxHeader)
	}
	if _, err := w.Write(endian.LittleEndian.AppendUint64(nil, uint64(len(text)))); err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	for _, name := range names {
		if _, err := w.Write(tensors[name].littleEndian()); err != nil {
			return fmt.Errorf("tensor %q: %w", name, err)
		}
	}
	return nil
}

// savedNames returns the names in alphabetical order, or says which one no file can hold.
func savedNames(tensors map[string]*Tensor) ([]string, error) {
	names := slices.Sorted(maps.Keys(tensors))
	for _, name := range names {
		switch {
		case tensors[name] == nil:
			return nil, fmt.Errorf("tensor %q is nil", name)
		case !utf8.ValidString(name):
			return nil, fmt.Errorf("the name %q is not valid UTF-8", name)
		case name == metadataKey:
			return nil, fmt.Errorf("the name %s is kept for metadata", name)
		}
	}
	return names, nil
}

// An entry is a tensor in the header.
type entry struct {
	name       string
	dtype      string
	shape      []int
	begin, end int64 // in the data
}

func readSafetensors(s *source) (map[string]*Tensor, map[string]string, error) {
	var length [8]byte
	if err := s.read(length[:]); err != nil {
		return nil, nil, fmt.Errorf("length of the header: %w", err)
	}
	n := endian.LittleEndian.Uint64(length[:])
	if n > maxHeader {
		return nil, nil, fmt.Errorf("a header of %d bytes: %d is the most", n, maxHeader)
	}
	if first, err := s.peek(); err == nil && n > 0 && first != '{' { // before memory is taken
		return nil, nil, fmt.Errorf("header: %q where %q belongs", string(first), "{")
	}
	header, err := s.bytes(int(n))
	if err != nil {
		return nil, nil, fmt.Errorf("header: %w", err)
	}
	entries, metadata, err := parseHeader(header)
	if err != nil {
		return nil, nil, err
	}
	if err := checkPlaces(entries, s.left); err != nil {
		return nil, nil, err
	}
	tensors := make(map[string]*Tensor, len(entries))
	for _, e := range entries {
		t, err := s.tensor("safetensors", safetensorsLayouts[e.dtype], e.shape)
		if err != nil {
			return nil, nil, e.errorf("%w", err)
		}
		tensors[e.name] = t
	}
	return tensors, metadata, s.end()
}

func (e *entry) errorf(format string, args ...any) error {
	return fmt.Errorf("tensor %q at bytes %d to %d of the data: %w", e.name, e.begin, e.end,
		fmt.Errorf(format, args...))
}

// checkPlaces sorts the tensors by their places, and returns an error unless their sizes fit dtypes
// and shapes, and they fill the data, of which left bytes are there, without gaps. left is -1 where
// it is not known.
func checkPlaces(entries []entry, left int64) error {
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end),
			cmp.Compare(a.name, b.name))
	})
	at, before := int64(0), ""
	for _, e := range entries {
		l, ok := safetensorsLayouts[e.dtype]
		if !ok {
			return e.errorf("no dtype here holds the elements of type %q", e.dtype)
		}
		n, err := count("safetensors", e.shape)
		switch size := int64(n) * int64(l.size); {
		case err != nil:
			return e.errorf("%w", err)
		case e.end-e.begin != size:
			return e.errorf("shape %v of %s takes %d bytes", e.shape, e.dtype, size)
		case e.begin < at:
			return e.errorf("it begins inside of %q, which ends at %d", before, at)
		case e.begin > at:
			return e.errorf("bytes %d to %d belong to no tensor", at, e.begin)
		case left >= 0 && e.end > left:
			return e.errorf("the data ends at %d: %w", left, io.ErrUnexpectedEOF)
		}
		at, before = e.end, e.name
	}
	if left >= 0 && at < left {
		return fmt.Errorf("%d bytes follow the last tensor", left-at)
	}
	return nil
}

// A headerParser goes through the header token by token, because package json takes the last one
// of equal names, fields of any case and anything in place of what is not UTF-8.
type headerParser struct{ *json.Decoder }

func parseHeader(text []byte) (entries []entry, metadata map[string]string, err error) {
	if !utf8.Valid(text) {
		return nil, nil, errors.New("header: not valid UTF-8")
	}
	p := headerParser{json.NewDecoder(bytes.NewReader(text))}
	p.UseNumber()
	defer func() {
		if err != nil {
			err = fmt.Errorf("header, before byte %d: %w", p.InputOffset(), err)
		}
	}()
	seen := map[string]bool{}
	err = p.object(func(name string) error {
		if seen[name] {
			return fmt.Errorf("the name %q comes twice", name)
		}
		seen[name] = true
		if name == metadataKey {
			metadata, err = p.metadata()
			return err
		}
		e, err := p.entry(name)
		entries = append(entries, e)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if _, err := p.Token(); err != io.EOF {
		return nil, nil, errors.New("more follows the closing brace")
	}
	return entries, metadata, nil
}

// object reads an object, and calls value when it stands before the value of that name.
func (p headerParser) object(value func(name string) error) error {
	if err := p.delim('{'); err != nil {
		return err
	}
	for p.More() {
		name, err := p.Token()
		if err != nil {
			return err
		}
		if err := value(name.(string)); err != nil { // package json makes sure that it is one
			return fmt.Errorf("%q: %w", name, err)
		}
	}
	return p.delim('}')
}

func (p headerParser) delim(want json.Delim) error {
	switch token, err := p.Token(); {
	case err == io.EOF:
		return fmt.Errorf("ends where %q belongs", want.String())
	case err != nil:
		return err
	case token != want:
		return fmt.Errorf("%q where %q belongs", fmt.Sprint(token), want.String())
	}
	return nil
}

func (p headerParser) text() (string, error) {
	token, err := p.Token()
	if err != nil {
		return "", err
	}
	s, ok := token.(string)
	if !ok {
		return "", fmt.Errorf("%v where text belongs", token)
	}
	return s, nil
}

func (p headerParser) metadata() (map[string]string, error) {
	metadata := map[string]string{}
	return metadata, p.object(func(name string) (err error) {
		if _, twice := metadata[name]; twice {
			return errors.New("comes twice")
		}
		metadata[name], err = p.text()
		return err
	})
}

func (p headerParser) entry(name string) (entry, error) {
	e := entry{name: name}
	var offsets []int
	seen := map[string]bool{}
	err := p.object(func(field string) (err error) {
		if seen[field] {
			return errors.New("comes twice")
		}
		seen[field] = true
		switch field {
		case "dtype":
			e.dtype, err = p.text()
		case "shape":
			e.shape, err = p.numbers()
		case "data_offsets":
			offsets, err = p.numbers()
		default:
			err = errors.New("is no field of a tensor")
		}
		return err
	})
	switch {
	case err != nil:
		return e, err
	case len(seen) != 3:
		return e, errors.New("needs dtype, shape and data_offsets")
	case len(offsets) != 2 || offsets[0] > offsets[1]:
		return e, fmt.Errorf("data_offsets %v are no begin and end", offsets)
	}
	e.begin, e.end = int64(offsets[0]), int64(offsets[1])
	return e, nil
}

// numbers reads a list of whole numbers from 0.
func (p headerParser) numbers() ([]int, error) {
	if err := p.delim('['); err != nil {
		return nil, err
	}
	list := []int{}
	for p.More() {
		token, err := p.Token()
		if err != nil {
			return nil, err
		}
		number, _ := token.(json.Number)
		n, err := strconv.ParseUint(number.String(), 10, strconv.IntSize-1)
		if err != nil {
			return nil, fmt.Errorf("%v is no size", token)
		}
		list = append(list, int(n))
	}
	return list, p.delim(']')
}
