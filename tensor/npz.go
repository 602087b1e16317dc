package tensor

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// This file implements NumPy's file format npz: a zip archive of files in the format npy, each
// named after its tensor.

const npyExtension = ".npy"

// SaveNPZ writes tensors of any dtype but BFloat16 to a file in NumPy's format npz, as numpy.savez
// does, uncompressed. The file is written beside path and then renamed, so that path never holds
// half of it.
func SaveNPZ(path string, tensors map[string]*Tensor) error {
	if err := writeFile(path, func(w io.Writer) error { return writeNPZ(w, tensors) }); err != nil {
		return fmt.Errorf("npz: save %s: %w", path, err)
	}
	return nil
}

// WriteNPZ writes to w what [SaveNPZ] writes to a file.
func WriteNPZ(w io.Writer, tensors map[string]*Tensor) error {
	if err := writeNPZ(w, tensors); err != nil {
		return fmt.Errorf("npz: write: %w", err)
	}
	return nil
}

// LoadNPZ reads a file in NumPy's format npz, compressed or not; see [LoadNPY].
func LoadNPZ(path string) (map[string]*Tensor, error) {
	var tensors map[string]*Tensor
	err := readFile(path, func(f *os.File) error {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		tensors, err = readNPZ(f, info.Size())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("npz: load %s: %w", path, err)
	}
	return tensors, nil
}

// ReadNPZ reads from size bytes of r what [LoadNPZ] reads from a file.
func ReadNPZ(r io.ReaderAt, size int64) (map[string]*Tensor, error) {
	tensors, err := readNPZ(r, size)
	if err != nil {
		return nil, fmt.Errorf("npz: read: %w", err)
	}
	return tensors, nil
}

func writeNPZ(w io.Writer, tensors map[string]*Tensor) error {
	names, err := savedNames(tensors)
	if err != nil {
		return err
	}
	archive := zip.NewWriter(w)
	for _, name := range names {
		file, err := archive.CreateHeader(&zip.FileHeader{Name: name + npyExtension})
		if err == nil {
			err = writeNPY(file, tensors[name])
		}
		if err != nil {
			return fmt.Errorf("tensor %q: %w", name, err)
		}
	}
	return archive.Close()
}

func readNPZ(r io.ReaderAt, size int64) (map[string]*Tensor, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return nil, err
	}
	tensors := make(map[string]*Tensor, len(archive.File))
	left := uint64(size)
	for _, f := range archive.File {
		if f.CompressedSize64 > left {
			return nil, errors.New("its files are longer than the archive: some lie in others")
		}
		left -= f.CompressedSize64
		name, ok := strings.CutSuffix(f.Name, npyExtension)
		if !ok {
			return nil, fmt.Errorf("%q in the archive is no file %s", f.Name, npyExtension)
		}
		if tensors[name] != nil {
			return nil, fmt.Errorf("tensor %q comes twice", name)
		}
		if tensors[name], err = readMember(f); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
	}
	return tensors, nil
}

// usualRatio is the factor by which arrays are made smaller at most, but for those of few values.
const usualRatio = 16

// readMember reads one file of the archive. Where the size that the archive says is not usual,
// memory is taken as the bytes come.
func readMember(f *zip.File) (*Tensor, error) {
	content, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer content.Close()
	s := &source{content, -1}
	if f.UncompressedSize64/usualRatio <= f.CompressedSize64 {
		s.left = int64(f.UncompressedSize64)
	}
	t, err := readNPY(s)
	if err == nil {
		err = s.end()
	}
	if err == nil {
		err = (&source{content, -1}).end() // and the checksum is right
	}
	if errors.Is(err, zip.ErrChecksum) {
		return nil, fmt.Errorf("the content is damaged: %w", err)
	}
	return t, err
}
