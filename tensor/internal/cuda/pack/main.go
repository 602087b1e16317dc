// Pack puts files into a zip archive that is compressed with Zstandard:
//
//	go run ./tensor/internal/cuda/pack OUT.zip IN…
//
// Kernels are much alike for all architectures that they are compiled for, but lie megabytes apart in
// a file. Zstandard sees that, and takes less than half the bytes of Deflate, which looks back 32 KB.
package main

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: pack OUT.zip IN…")
		os.Exit(2)
	}
	if err := pack(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func pack(out string, files []string) error {
	f, err := os.Create(out + ".new")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	z := zip.NewWriter(f)
	z.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor(
		zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(64<<20)))
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: filepath.Base(name), Method: zstd.ZipMethodWinZip})
		if err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), out)
}
