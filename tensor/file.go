package tensor

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/rand"
	endian "encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"unsafe"
)

// This file implements what the file formats share: elements on disk, reading without taking memory
// for what is not there, and writing so that a file is there whole or not at all.

// A layout is how a file holds elements. Integers other than int64 become Int64.
type layout struct {
	dtype    DType
	size     int  // bytes an element takes in the file
	unsigned bool // an unsigned integer
	big      bool // the most significant byte comes first
}

// exact reports whether the file holds the elements as a tensor does, but for the order of bytes.
func (l layout) exact() bool { return l.size == l.dtype.Size() && !l.unsigned }

// A source is what a file is read from.
type source struct {
	r    io.Reader
	left int64 // how many bytes are to come, or -1 where that is not known
}

// newSource finds out how long r is where it is a file or lies in memory.
func newSource(r io.Reader) *source {
	s := &source{r, -1}
	switch r := r.(type) {
	case interface{ Len() int }:
		s.left = int64(r.Len())
	case *os.File:
		info, err := r.Stat()
		if err != nil || !info.Mode().IsRegular() {
			break
		}
		if at, err := r.Seek(0, io.SeekCurrent); err == nil {
			s.left = max(0, info.Size()-at)
		}
	}
	return s
}

// has returns an error where fewer than n bytes are known to come.
func (s *source) has(n int64) error {
	if s.left >= 0 && n > s.left {
		return fmt.Errorf("%d bytes are needed and %d are left: %w", n, s.left,
			io.ErrUnexpectedEOF)
	}
	return nil
}

// read fills b.
func (s *source) read(b []byte) error {
	if err := s.has(int64(len(b))); err != nil {
		return err
	}
	n, err := io.ReadFull(s.r, b)
	if s.left >= 0 {
		s.left -= int64(n)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%d bytes are needed and %d are left: %w", len(b), n,
			io.ErrUnexpectedEOF)
	}
	return err
}

// peek returns the next byte, which is still to be read.
func (s *source) peek() (byte, error) {
	next := make([]byte, 1)
	_, err := io.ReadFull(s.r, next)
	if err == nil {
		s.r = io.MultiReader(bytes.NewReader(next), s.r)
	}
	return next[0], err
}

// bytes reads n bytes. Where it is not known whether there are so many, memory is taken as they
// come.
func (s *source) bytes(n int) ([]byte, error) {
	const trusted = 1 << 16
	if s.left >= 0 || n <= trusted {
		if err := s.has(int64(n)); err != nil {
			return nil, err
		}
		b := make([]byte, n)
		return b, s.read(b)
	}
	var b bytes.Buffer
	if got, err := io.CopyN(&b, s.r, int64(n)); errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%d bytes are needed and %d are left: %w", n, got,
			io.ErrUnexpectedEOF)
	} else if err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// end returns an error unless everything has been read.
func (s *source) end() error {
	if s.left < 0 {
		switch n, err := io.ReadFull(s.r, make([]byte, 1)); {
		case n > 0:
			return errors.New("more bytes follow the end")
		case !errors.Is(err, io.EOF):
			return err
		}
		return nil
	}
	if s.left > 0 {
		return fmt.Errorf("%d bytes follow the end", s.left)
	}
	return nil
}

// count returns the number of elements of a shape, or an error.
func count(op string, shape []int) (n int, err error) {
	defer catch(&err)
	return checkShape(op, shape), nil
}

// catch turns a panic with an *Error into an error.
func catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case *Error:
		*err = errors.New(p.Msg)
	default:
		panic(p)
	}
}

// tensor reads the elements of a tensor, in row-major order.
func (s *source) tensor(op string, l layout, shape []int) (*Tensor, error) {
	n, err := count(op, shape)
	if err != nil {
		return nil, err
	}
	if s.left < 0 {
		raw, err := s.bytes(n * l.size)
		if err != nil {
			return nil, err
		}
		s = newSource(bytes.NewReader(raw))
	}
	if err := s.has(int64(n) * int64(l.size)); err != nil {
		return nil, err
	}
	t, err := room(op, l.dtype, shape)
	if err != nil {
		return nil, err
	}
	if l.exact() {
		return t, s.exact(l, t.hostBytes())
	}
	return t, s.widen(l, t.hostBytes())
}

// room returns a new tensor, or an error where there is not so much memory.
func room(op string, dtype DType, shape []int) (t *Tensor, err error) {
	defer catch(&err)
	return empty(op, CPU, dtype, shape), nil
}

// exact reads elements that lie in the file as in memory.
func (s *source) exact(l layout, out []byte) error {
	if err := s.read(out); err != nil {
		return err
	}
	if l.dtype == Bool {
		for i, b := range out {
			if b > 1 {
				return fmt.Errorf("element %d is byte %d, and a bool is 0 or 1", i, b)
			}
		}
	}
	if l.big != hostBig {
		swap(out, l.size)
	}
	return nil
}

// widen reads integers of other sizes into int64s.
func (s *source) widen(l layout, out []byte) error {
	var order endian.ByteOrder = endian.LittleEndian
	if l.big {
		order = endian.BigEndian
	}
	var buf [1 << 13]byte
	for i := 0; len(out) > 0; {
		piece := buf[:min(len(buf), len(out)/8*l.size)]
		if err := s.read(piece); err != nil {
			return err
		}
		for ; len(piece) > 0; piece = piece[l.size:] {
			v := integerAt(l, order, piece)
			if l.unsigned && v < 0 {
				return fmt.Errorf("element %d is %d, more than an int64 holds", i, uint64(v))
			}
			endian.NativeEndian.PutUint64(out, uint64(v))
			out = out[8:]
			i++
		}
	}
	return nil
}

// integerAt returns the integer that b begins with; a uint64 above int64's range is negative.
func integerAt(l layout, order endian.ByteOrder, b []byte) int64 {
	switch l.size {
	case 1:
		if l.unsigned {
			return int64(b[0])
		}
		return int64(int8(b[0]))
	case 2:
		if l.unsigned {
			return int64(order.Uint16(b))
		}
		return int64(int16(order.Uint16(b)))
	case 4:
		if l.unsigned {
			return int64(order.Uint32(b))
		}
		return int64(int32(order.Uint32(b)))
	}
	return int64(order.Uint64(b))
}

// hostBig reports whether this machine keeps the most significant byte first.
var hostBig = endian.NativeEndian.Uint16([]byte{1, 0}) != 1

// swap turns the order of bytes in elements of that size.
func swap(b []byte, size int) {
	for ; size > 1 && len(b) > 0; b = b[size:] {
		slices.Reverse(b[:size])
	}
}

// hostBytes returns the memory of a dense tensor on the CPU.
func (t *Tensor) hostBytes() []byte {
	size := t.DType().Size()
	if t.Numel() == 0 {
		return nil
	}
	first := unsafe.Add(t.arr.Data, t.arr.Offset*size)
	return unsafe.Slice((*byte)(first), t.Numel()*size)
}

// littleEndian returns the elements in row-major order, as files hold them.
func (t *Tensor) littleEndian() []byte {
	if t.Device() != CPU || !t.IsContiguous() || hostBig {
		dense := empty("save", CPU, t.DType(), t.arr.Shape)
		t.toHost("save", &dense.arr)
		t = dense
	}
	b := t.hostBytes()
	if hostBig {
		swap(b, t.DType().Size())
	}
	return b
}

// writeFile writes beside path and renames the whole file to it. What was there before stays when
// anything fails, and its permissions stay in any case.
func writeFile(path string, write func(w io.Writer) error) (err error) {
	path = followed(path)
	mode := fs.FileMode(0o666) // less the umask
	was, err := os.Stat(path)
	switch {
	case err == nil && !was.Mode().IsRegular():
		return errors.New("is no regular file")
	case err == nil:
		mode = 0o600 // what was private is so while it is written, too
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	beside := filepath.Join(filepath.Dir(path), ".halfnote-"+rand.Text())
	defer func() {
		if e, ok := errors.AsType[*fs.PathError](err); ok && e.Path == beside {
			e.Path = path // the name that the caller knows
		}
	}()
	f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	renamed := false
	defer func() {
		if !renamed { // after a panic, too
			f.Close()
			os.Remove(beside)
		}
	}()
	w := bufio.NewWriterSize(f, 1<<16)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil && was != nil {
		err = f.Chmod(was.Mode().Perm())
	}
	if err == nil {
		err = f.Sync() // else a power cut could leave a renamed file without its content
	}
	if err = cmp.Or(err, f.Close()); err != nil {
		return err
	}
	err = os.Rename(beside, path)
	renamed = err == nil
	return err
}

// followed returns where the links at path lead, whether a file is there or not, so that they go on
// pointing to it. Links in a circle are left to the system to refuse.
func followed(path string) string {
	for range 40 { // Linux follows so many
		target, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) { // Join would take .. for the folder above a link
			target = filepath.Dir(path) + string(filepath.Separator) + target
		}
		path = target
	}
	return path
}

// readFile calls read with the file at path.
func readFile(path string, read func(f *os.File) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return read(f)
}
