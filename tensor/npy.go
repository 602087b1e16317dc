package tensor

import (
	"bytes"
	endian "encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// This file implements NumPy's file format npy: a header, which is a Python dictionary, and the
// elements. https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html describes it.

const npyMagic = "\x93NUMPY"

// maxNPYHeader is the longest header of version 1.0. Longer ones are of structured arrays, which
// no tensor can hold.
const maxNPYHeader = 1 << 16

var npyNames = map[DType]string{
	Float64: "<f8", Float32: "<f4", Float16: "<f2", Int64: "<i8", Bool: "|b1",
}

// SaveNPY writes a tensor of any dtype but BFloat16 to a file in NumPy's format npy. The file is
// written beside path and then renamed, so that path never holds half of it.
func SaveNPY(path string, t *Tensor) error {
	if err := writeFile(path, func(w io.Writer) error { return writeNPY(w, t) }); err != nil {
		return fmt.Errorf("npy: save %s: %w", path, err)
	}
	return nil
}

// WriteNPY writes to w what [SaveNPY] writes to a file.
func WriteNPY(w io.Writer, t *Tensor) error {
	if err := writeNPY(w, t); err != nil {
		return fmt.Errorf("npy: write: %w", err)
	}
	return nil
}

// LoadNPY reads a file in NumPy's format npy, in either order of bytes and of dimensions. Integers
// of other types than int64 become Int64; all else keeps its dtype. Complex numbers, texts, objects
// and structures are errors. Sizes are checked against the file's length before memory is taken.
func LoadNPY(path string) (t *Tensor, err error) {
	err = readFile(path, func(f *os.File) error {
		s := newSource(f)
		if t, err = readNPY(s); err == nil {
			err = s.end()
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("npy: load %s: %w", path, err)
	}
	return t, nil
}

// ReadNPY reads from r what [LoadNPY] reads from a file. It reads no more than the tensor, so that
// another one may follow.
func ReadNPY(r io.Reader) (*Tensor, error) {
	t, err := readNPY(newSource(r))
	if err != nil {
		return nil, fmt.Errorf("npy: read: %w", err)
	}
	return t, nil
}

func writeNPY(w io.Writer, t *Tensor) error {
	if t == nil {
		return errors.New("the tensor is nil")
	}
	name, ok := npyNames[t.DType()]
	if !ok {
		return fmt.Errorf("NumPy has no type for %s: save To(tensor.Float32), which holds the "+
			"same numbers, or use safetensors", t.DType())
	}
	shape := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(t.arr.Shape)), ", "), "[]")
	if t.Dim() == 1 {
		shape += ","
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", name, shape)
	const before = len(npyMagic) + 2 + 2 // version and length
	for (before+len(header)+1)%64 != 0 {
		header += " "
	}
	header += "\n"
	head := append([]byte(npyMagic), 1, 0)
	head = endian.LittleEndian.AppendUint16(head, uint16(len(header)))
	if _, err := w.Write(append(head, header...)); err != nil {
		return err
	}
	_, err := w.Write(t.littleEndian())
	return err
}

func readNPY(s *source) (*Tensor, error) {
	text, err := readNPYHeader(s)
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	h, err := parseNPYHeader(text)
	if err != nil {
		return nil, fmt.Errorf("header %q: %w", strings.TrimSpace(text), err)
	}
	l, err := npyLayout(h.descr)
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(h.shape)
	if h.fortran {
		slices.Reverse(shape)
	}
	t, err := s.tensor("npy", l, shape)
	if err != nil {
		return nil, fmt.Errorf("shape %v of %s: %w", h.shape, h.descr, err)
	}
	if h.fortran && len(shape) > 1 {
		axes := make([]int, len(shape))
		for i := range axes {
			axes[i] = len(shape) - 1 - i
		}
		dense := empty("npy", CPU, t.DType(), h.shape)
		turned := t.Permute(axes...)
		dense.backend("npy").Copy(&dense.arr, &turned.arr)
		return dense, nil
	}
	return t, nil
}

// readNPYHeader reads up to the elements and returns the dictionary's text.
func readNPYHeader(s *source) (string, error) {
	head, err := s.bytes(len(npyMagic) + 2)
	if err != nil {
		return "", err
	}
	if !bytes.HasPrefix(head, []byte(npyMagic)) {
		return "", fmt.Errorf("begins with %q and not %q", head[:len(npyMagic)], npyMagic)
	}
	width := 2
	switch major := head[len(npyMagic)]; major {
	case 1:
	case 2, 3:
		width = 4
	default:
		return "", fmt.Errorf("version %d; 1 to 3 are known", major)
	}
	length := make([]byte, 4)
	if err := s.read(length[:width]); err != nil {
		return "", err
	}
	n := endian.LittleEndian.Uint32(length)
	if n > maxNPYHeader {
		return "", fmt.Errorf("%d bytes long; %d is the most that an array of numbers needs",
			n, maxNPYHeader)
	}
	text, err := s.bytes(int(n))
	return string(text), err
}

// npyLayout returns how the elements of a type lie in the file, as NumPy describes it: <f4.
func npyLayout(descr string) (layout, error) {
	if len(descr) >= 3 && strings.ContainsRune("<>|", rune(descr[0])) {
		l := layout{big: descr[0] == '>'}
		switch kind := descr[1:]; kind {
		case "f8":
			l.dtype, l.size = Float64, 8
		case "f4":
			l.dtype, l.size = Float32, 4
		case "f2":
			l.dtype, l.size = Float16, 2
		case "b1":
			l.dtype, l.size = Bool, 1
		case "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8":
			l.dtype, l.size, l.unsigned = Int64, int(kind[1]-'0'), kind[0] == 'u'
		}
		if l.dtype != 0 && (l.size == 1 || descr[0] != '|') {
			return l, nil
		}
	}
	return layout{}, fmt.Errorf("no dtype here holds the elements of NumPy's type %s; "+
		"float16 to float64, integers and bool can be read", descr)
}

// An npyHeader is what the dictionary says.
type npyHeader struct {
	descr   string
	fortran bool // the first dimension is the one whose elements lie side by side
	shape   []int
}

// parseNPYHeader reads a Python dictionary with the keys descr, fortran_order and shape.
func parseNPYHeader(text string) (h npyHeader, err error) {
	p := literal(text)
	seen := map[string]bool{}
	if err := p.expect("{"); err != nil {
		return h, err
	}
	for !p.next("}") {
		key, err := p.quoted()
		if err != nil {
			return h, err
		}
		if seen[key] {
			return h, fmt.Errorf("%s comes twice", key)
		}
		seen[key] = true
		if err := p.expect(":"); err != nil {
			return h, err
		}
		switch key {
		case "descr":
			h.descr, err = p.quoted()
			if err != nil {
				err = errors.New("descr is no text: the elements are no plain numbers")
			}
		case "fortran_order":
			h.fortran, err = p.bool()
		case "shape":
			h.shape, err = p.tuple()
		default:
			err = fmt.Errorf("the key %q is not known", key)
		}
		if err != nil {
			return h, err
		}
		if !p.next(",") {
			if err := p.expect("}"); err != nil {
				return h, err
			}
			break
		}
	}
	switch rest := strings.TrimSpace(string(p)); {
	case rest != "":
		return h, fmt.Errorf("%q follows the dictionary", rest)
	case len(seen) != 3:
		return h, errors.New("needs descr, fortran_order and shape")
	}
	return h, nil
}

// A literal is the rest of a Python expression.
type literal string

// next skips space and then a word, and reports whether the word was there.
func (p *literal) next(word string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(string(*p), " \t\r\n"), word)
	*p = literal(rest)
	return ok
}

func (p *literal) expect(word string) error {
	if !p.next(word) {
		return fmt.Errorf("%.20q where %q belongs", string(*p), word)
	}
	return nil
}

// quoted reads a text in single or double quotes; those of headers have no escapes.
func (p *literal) quoted() (string, error) {
	for _, quote := range []string{"'", `"`} {
		if p.next(quote) {
			text, rest, ok := strings.Cut(string(*p), quote)
			if !ok || strings.Contains(text, `\`) {
				break
			}
			*p = literal(rest)
			return text, nil
		}
	}
	return "", fmt.Errorf("%.20q where text in quotes belongs", string(*p))
}

func (p *literal) bool() (bool, error) {
	yes := p.next("True")
	if !yes && !p.next("False") {
		return false, fmt.Errorf("%.20q where True or False belongs", string(*p))
	}
	return yes, nil
}

// tuple reads whole numbers from 0 in parentheses: (), (3,) or (3, 4).
func (p *literal) tuple() ([]int, error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	list := []int{}
	for !p.next(")") {
		rest := strings.TrimLeft(string(*p), "0123456789")
		digits := string(*p)[:len(*p)-len(rest)]
		n, err := strconv.ParseUint(digits, 10, strconv.IntSize-1)
		if err != nil {
			return nil, fmt.Errorf("%.20q where a size belongs", string(*p))
		}
		list = append(list, int(n))
		*p = literal(strings.TrimPrefix(rest, "L")) // Python 2 writes a long as 3L
		if !p.next(",") {
			return list, p.expect(")")
		}
	}
	return list, nil
}
