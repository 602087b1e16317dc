package tensor

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestWriteFileBeside: while a private file is written anew, what is beside it is private too, and
// it is gone however the writing ends.
func TestWriteFileBeside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "secret")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	look := func(w io.Writer) {
		if _, err := w.Write(make([]byte, 1<<17)); err != nil {
			t.Fatal(err)
		}
		files, err := os.ReadDir(dir)
		if err != nil || len(files) != 2 {
			t.Fatalf("files %v, error %v: want two", files, err)
		}
		for _, f := range files {
			info, err := f.Info()
			if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("%s: mode %v, error %v; want 0600", f.Name(), info.Mode(), err)
			}
		}
	}
	broken := errors.New("broken")
	err := writeFile(path, func(w io.Writer) error { look(w); return broken })
	if err != broken {
		t.Errorf("got error %v, want %v", err, broken)
	}
	func() {
		defer func() {
			if p := recover(); p != broken {
				t.Errorf("got panic %v, want %v", p, broken)
			}
		}()
		writeFile(path, func(w io.Writer) error { look(w); panic(broken) })
	}()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Errorf("files %v, error %v: want one", files, err)
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "old" {
		t.Errorf("content %q, error %v; want the old one", content, err)
	}
}
