package data

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"halfnote/tensor"
)

// This file implements IDX, the format of MNIST and its likes: two zero bytes, a code of the
// element type, the number of dimensions, their sizes as big-endian 32-bit numbers, the elements.

// idxTypes gives each code the name of the type and the bytes of an element.
var idxTypes = map[byte]struct {
	name string
	size int
}{
	0x08: {"ubyte", 1}, 0x09: {"byte", 1}, 0x0b: {"short", 2}, 0x0c: {"int", 4},
	0x0d: {"float", 4}, 0x0e: {"double", 8},
}

const (
	idxUbyte    = 0x08
	idxMaxDims  = 8             // tensor's own limit
	idxMaxEmpty = math.MaxInt32 // product of the other sizes, where one is 0
	gzipRatio   = 1032          // deflate makes nothing smaller than by this factor
	usualRatio  = 16            // MNIST's pictures are made smaller by 5, its labels by 2
)

// An idxFile is a file that was read: the elements are still as the file has them.
type idxFile struct {
	kind  byte
	shape []int
	data  []byte
}

// ReadIDX reads one array of the IDX format, plain or compressed with gzip. Bytes, shorts and ints
// come as Int64, floats as Float32 and doubles as Float64.
func ReadIDX(r io.Reader) (*tensor.Tensor, error) {
	f, err := readIDX(r)
	if err != nil {
		return nil, &Error{Op: "idx", Err: err}
	}
	return f.tensor(), nil
}

// LoadIDX is [ReadIDX] for the file of that path. What the file says of its size is compared with
// its length before memory is taken.
func LoadIDX(path string) (*tensor.Tensor, error) {
	f, err := openIDX("idx", path)
	if err != nil {
		return nil, err
	}
	return f.tensor(), nil
}

func (f idxFile) tensor() *tensor.Tensor {
	return f.store(false).take([]int{0}, numel(f.shape), f.shape)
}

// IDX reads a data set of two IDX files, images and labels, plain or compressed with gzip:
// Fashion-MNIST, KMNIST, EMNIST and whatever else comes in this form. Unsigned bytes are pixels,
// which are divided by 255: x is float32 [n, pixels] from 0 to 1. Elements of other types keep
// their values. Labels of a whole type are int64. [Dataset.Reshape] gives the samples their shape.
//
//	train, err := data.IDX("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz")
func IDX(images, labels string) (*Dataset, error) {
	var files [2]idxFile
	for i, path := range []string{images, labels} {
		var err error
		if files[i], err = openIDX("idx", path); err != nil {
			return nil, err
		}
	}
	d, err := files[0].dataset(files[1])
	if err != nil {
		return nil, &Error{Op: "idx", Path: images, Err: err}
	}
	name := filepath.Base(images)
	return d.Named(strings.TrimSuffix(name, filepath.Ext(name))), nil
}

// dataset returns the samples of f with their labels.
func (f idxFile) dataset(labels idxFile) (*Dataset, error) {
	switch {
	case len(f.shape) == 0 || len(labels.shape) == 0:
		return nil, errors.New("images and labels have at least one dimension, that of the samples")
	case f.shape[0] != labels.shape[0]:
		return nil, fmt.Errorf("it has %d images, and the other file %d labels",
			f.shape[0], labels.shape[0])
	}
	sample := f.shape[1:]
	d := newDataset("idx", column{f.store(true), []int{numel(sample)}},
		column{labels.store(false), labels.shape[1:]}, f.shape[0])
	d.picture = pictureOf(sample)
	return d, nil
}

// openIDX is readIDX for the file of that path.
func openIDX(op, path string) (idxFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return idxFile{}, &Error{Op: op, Err: err}
	}
	defer file.Close()
	f, err := readIDX(file)
	if err != nil {
		return f, &Error{Op: op, Path: path, Err: err}
	}
	return f, nil
}

// readIDX reads what r gives. Only of a file is known how long it is before it was read.
func readIDX(r io.Reader) (idxFile, error) {
	if file, ok := r.(*os.File); ok {
		info, err := file.Stat()
		at, seekErr := file.Seek(0, io.SeekCurrent)
		if err == nil && seekErr == nil && info.Mode().IsRegular() {
			return parseIDX(file, int(max(0, info.Size()-at)))
		}
	}
	all, err := io.ReadAll(r)
	if err != nil {
		return idxFile{}, err
	}
	return parseIDX(bytes.NewReader(all), len(all))
}

// parseIDX reads a file of that length, plain or compressed.
func parseIDX(r io.Reader, length int) (idxFile, error) {
	file := bufio.NewReader(r)
	if start, _ := file.Peek(2); isGzip(start) {
		return unpackIDX(file, length)
	}
	f, size, err := readHeader(file, length)
	if err != nil {
		return f, err
	}
	if follow := length - len(f.header()); follow != size {
		return f, fmt.Errorf("%s need %d bytes, and %d follow the header", f, size, follow)
	}
	f.data = make([]byte, size)
	_, err = io.ReadFull(file, f.data)
	return f, err
}

// unpackIDX reads a compressed file of that length.
func unpackIDX(r io.Reader, length int) (idxFile, error) {
	unpacked, err := gzip.NewReader(r)
	if err != nil {
		return idxFile{}, fmt.Errorf("its gzip header: %w", err)
	}
	f, size, err := readHeader(unpacked, min(length, math.MaxInt/gzipRatio)*gzipRatio)
	if err != nil {
		return f, err
	}
	var data bytes.Buffer // beyond what is usual, memory is taken as the bytes come
	data.Grow(min(size, usualRatio*length) + bytes.MinRead)
	n, err := data.ReadFrom(io.LimitReader(unpacked, int64(size)))
	if n < int64(size) {
		err = cmp.Or(err, io.ErrUnexpectedEOF)
		return f, fmt.Errorf("%s need %d bytes, and after %d comes: %w", f, size, n, err)
	}
	f.data = data.Bytes()
	var more [1]byte
	switch n, err := io.ReadFull(unpacked, more[:]); {
	case n > 0:
		return f, fmt.Errorf("more bytes follow the %d that %s need", size, f)
	case err != io.EOF: // the checksum is wrong, or the end is missing
		return f, err
	}
	return f, nil
}

// readHeader reads all before the elements, and returns the bytes that these take, which are at
// most limit.
func readHeader(r io.Reader, limit int) (f idxFile, size int, err error) {
	var magic [4]byte
	if _, err := io.ReadFull(r, magic[:]); err != nil {
		return f, 0, fmt.Errorf("too short for the header of an IDX file: %w", err)
	}
	kind, known := idxTypes[magic[2]]
	switch {
	case magic[0] != 0 || magic[1] != 0 || !known:
		return f, 0, fmt.Errorf("it begins with %x, which no IDX file does", magic)
	case magic[3] > idxMaxDims:
		return f, 0, fmt.Errorf("%d dimensions; at most %d can be read", magic[3], idxMaxDims)
	}
	sizes := make([]byte, 4*int(magic[3]))
	if _, err := io.ReadFull(r, sizes); err != nil {
		return f, 0, fmt.Errorf("too short for the sizes of %d dimensions: %w", magic[3], err)
	}
	f = idxFile{kind: magic[2], shape: make([]int, magic[3])}
	empty := false
	for i := range f.shape {
		s := binary.BigEndian.Uint32(sizes[4*i:])
		if int64(s) > math.MaxInt {
			return f, 0, fmt.Errorf("%d elements in a dimension: more than memory can hold", s)
		}
		f.shape[i] = int(s)
		empty = empty || s == 0
	}
	count, most := 1, limit/kind.size
	if empty { // the other sizes still have a product that can be counted with
		most = idxMaxEmpty
	}
	for _, s := range f.shape {
		if s = max(1, s); count > most/s {
			return f, 0, fmt.Errorf("%s are more than the file can hold: it is "+
				"damaged or cut off", f)
		}
		count *= s
	}
	if empty {
		count = 0
	}
	return f, count * kind.size, nil
}

// String names the sizes and the type of the elements, for errors.
func (f idxFile) String() string {
	return fmt.Sprintf("sizes %v of type %s", f.shape, idxTypes[f.kind].name)
}

func isGzip(file []byte) bool { return len(file) >= 2 && file[0] == 0x1f && file[1] == 0x8b }

// store returns the elements as numbers; with images set, unsigned bytes are pixels from 0 to 1.
func (f idxFile) store(images bool) store {
	switch big := binary.BigEndian; f.kind {
	case idxUbyte:
		if images {
			return pixels(f.data)
		}
		return int64Values(decoded(f.data, 1, func(b []byte) int64 { return int64(b[0]) }))
	case 0x09:
		return int64Values(decoded(f.data, 1, func(b []byte) int64 { return int64(int8(b[0])) }))
	case 0x0b:
		return int64Values(decoded(f.data, 2, func(b []byte) int64 {
			return int64(int16(big.Uint16(b)))
		}))
	case 0x0c:
		return int64Values(decoded(f.data, 4, func(b []byte) int64 {
			return int64(int32(big.Uint32(b)))
		}))
	case 0x0d:
		return float32Values(decoded(f.data, 4, func(b []byte) float32 {
			return math.Float32frombits(big.Uint32(b))
		}))
	}
	return &values[float64]{decoded(f.data, 8, func(b []byte) float64 {
		return math.Float64frombits(binary.BigEndian.Uint64(b))
	}), tensor.Float64, tensor.FromFloat64}
}

// decoded returns a number for every size bytes.
func decoded[T any](data []byte, size int, number func(b []byte) T) []T {
	out := make([]T, len(data)/size)
	for i := range out {
		out[i] = number(data[i*size:])
	}
	return out
}

// header returns the bytes before the elements.
func (f idxFile) header() []byte {
	header := []byte{0, 0, f.kind, byte(len(f.shape))}
	for _, s := range f.shape {
		header = binary.BigEndian.AppendUint32(header, uint32(s))
	}
	return header
}
