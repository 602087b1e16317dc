//go:build unix

package install

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// TestUmask: a kernelspec outside of the home folder is there for others, one inside is as private
// as its user wants.
func TestUmask(t *testing.T) {
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	prefix := t.TempDir()
	public := filepath.Join(kernelsIn(prefix), "halfnote")
	private := filepath.Join(prefix, "private")
	if err := Install(public, true); err != nil {
		t.Fatal(err)
	}
	if err := Install(private, false); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]fs.FileMode{
		filepath.Join(prefix, "share"):         0o755,
		kernelsIn(prefix):                      0o755,
		public:                                 0o755,
		filepath.Join(public, programFile()):   0o755,
		filepath.Join(public, specFile):        0o644,
		filepath.Join(public, "logo-svg.svg"):  0o644,
		private:                                0o700,
		filepath.Join(private, programFile()):  0o700,
		filepath.Join(private, specFile):       0o600,
		filepath.Join(private, "logo-svg.svg"): 0o600,
	} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", path, info.Mode().Perm(), err, want)
		}
	}
}

// TestInstallOver: a build takes the place of an older one, whose running program keeps its file.
func TestInstallOver(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "halfnote")
	write(t, filepath.Join(dir, specFile), ownSpec)
	write(t, filepath.Join(dir, "mine.txt"), "kept")
	program := filepath.Join(dir, programFile())
	write(t, program, "old program")
	running, err := os.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer running.Close()
	if isCurrent(dir) {
		t.Error("an old build is seen as current")
	}
	if err := Install(dir, false); err != nil {
		t.Fatal(err)
	}
	if !isCurrent(dir) {
		t.Error("the old build is still there")
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(running); err != nil || text.String() != "old program" {
		t.Errorf("the running program reads %.20q, %v", text.String(), err)
	}
	if found, err := Uninstall(dir); !found || err != nil {
		t.Errorf("Uninstall: %v, %v", found, err)
	}
	if got := namesIn(t, dir); !slices.Equal(got, []string{"mine.txt"}) {
		t.Errorf("Uninstall left %q, want what it has not written", got)
	}
}
