package install

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// DefaultName is what Jupyter calls the kernel; notebooks name it in their metadata.
const DefaultName = "halfnote"

// displayName returns what the picker of a front end shows for the kernelspec in dir, so that two
// of them can be told apart.
func displayName(dir string) string { return "Go (" + filepath.Base(dir) + ")" }

//go:embed assets/logo-32x32.png assets/logo-64x64.png assets/logo-svg.svg
var logos embed.FS

// The files of a kernelspec.
const specFile = "kernel.json"

var logoFiles = []string{"logo-32x32.png", "logo-64x64.png", "logo-svg.svg"}

// programFile is the name of the program beside kernel.json.
func programFile() string {
	if runtime.GOOS == "windows" {
		return "halfnote.exe"
	}
	return "halfnote"
}

// aside marks a file that was in use when it was replaced, as Windows' running programs are.
const aside = ".old-"

// spec is a kernel.json.
type spec struct {
	Argv          []string       `json:"argv"`
	DisplayName   string         `json:"display_name"`
	Language      string         `json:"language"`
	InterruptMode string         `json:"interrupt_mode"`
	Metadata      map[string]any `json:"metadata"`
}

// newSpec returns the kernel.json of the program in dir, which is started with these arguments. Argv is absolute: a kernel must start
// without any help of the environment.
func newSpec(dir string, args ...string) *spec {
	argv := append([]string{filepath.Join(dir, programFile()), "kernel"}, args...)
	return &spec{
		Argv:          append(argv, "{connection_file}"),
		DisplayName:   displayName(dir),
		Language:      "go",
		InterruptMode: "message", // Windows has no signals
		Metadata:      map[string]any{"debugger": false},
	}
}

// readSpec returns the kernelspec in dir, nil if there is none.
func readSpec(dir string) (*spec, error) {
	path := filepath.Join(dir, specFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := &spec{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("%s: not a kernelspec: %w", path, err)
	}
	return s, nil
}

// isOurs reports whether Install has written s.
func (s *spec) isOurs() bool {
	return len(s.Argv) >= 3 && s.Argv[1] == "kernel" &&
		strings.TrimSuffix(filepath.Base(s.Argv[0]), ".exe") == "halfnote"
}

var namePattern = regexp.MustCompile(`^[a-z0-9._-]+$`)

// kernelName returns name as Jupyter keeps it.
func kernelName(name string) (string, error) {
	lower := strings.ToLower(name)
	if !namePattern.MatchString(lower) || strings.Trim(lower, ".") == "" {
		return "", usageError(fmt.Sprintf(
			"kernel name %q: only ASCII letters, digits and - . _ are allowed", name))
	}
	return lower, nil
}

// ForeignError says that a folder holds the kernelspec of another program.
type ForeignError struct {
	Dir     string
	Display string // what front ends call it
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s belongs to another kernel, %q; choose another name with --name",
		e.Dir, e.Display)
}

// ours returns an error unless dir is free or holds a kernelspec of Install's.
func ours(dir string) error {
	s, err := readSpec(dir)
	if err != nil || s == nil || s.isOurs() {
		return err
	}
	return &ForeignError{Dir: dir, Display: s.DisplayName}
}

// Install writes the kernelspec of the running program into dir, whose last element is the kernel's
// name. With public, others can read it whatever the umask is. The kernel is started with args.
func Install(dir string, public bool, args ...string) error {
	if err := ours(dir); err != nil {
		return err
	}
	if err := makeDirs(dir, public); err != nil {
		return err
	}
	// Jupyter lists the folders beside dir that hold a kernel.json: stage one level below.
	stage, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	files, err := writeFiles(stage, newSpec(dir, args...), public)
	if err != nil {
		return err
	}
	for _, name := range files {
		if err := replace(filepath.Join(stage, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	sweep(dir)
	return nil
}

// writeFiles writes all files of a kernelspec into stage and returns their names, in the order in
// which they must come into view.
func writeFiles(stage string, s *spec, public bool) ([]string, error) {
	write := func(name string, mode fs.FileMode, from io.Reader) error {
		f, err := os.OpenFile(filepath.Join(stage, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err := io.Copy(f, from); err != nil {
			return err
		}
		if public {
			if err := f.Chmod(mode); err != nil {
				return err
			}
		}
		return f.Close()
	}
	self, err := openSelf()
	if err != nil {
		return nil, err
	}
	defer self.Close()
	if err := write(programFile(), 0o755, self); err != nil {
		return nil, err
	}
	for _, name := range logoFiles {
		logo, err := logos.ReadFile("assets/" + name)
		if err != nil {
			return nil, err
		}
		if err := write(name, 0o644, bytes.NewReader(logo)); err != nil {
			return nil, err
		}
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, err
	}
	files := append([]string{programFile()}, logoFiles...)
	return append(files, specFile), write(specFile, 0o644, bytes.NewReader(append(text, '\n')))
}

// openSelf opens the file of the running program.
func openSelf() (*os.File, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}

// makeDirs makes dir and what is missing above it; with public, others can look into those.
func makeDirs(dir string, public bool) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := makeDirs(parent, public); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if public {
		return os.Chmod(dir, 0o755)
	}
	return nil
}

// replace renames a file over another. Where that one is in use and cannot be replaced, it is
// moved aside, which Windows allows for a running program.
func replace(from, to string) error {
	err := os.Rename(from, to)
	if err == nil {
		return nil
	}
	old, tempErr := os.MkdirTemp(filepath.Dir(to), filepath.Base(to)+aside)
	if tempErr != nil {
		return err
	}
	old = filepath.Join(old, filepath.Base(to))
	if os.Rename(to, old) != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return errors.Join(err, os.Rename(old, to))
	}
	return nil
}

// sweep removes what was moved aside, as far as it is no longer in use.
func sweep(dir string) {
	old, _ := filepath.Glob(filepath.Join(dir, "*"+aside+"*")) // the pattern is well formed
	for _, path := range old {
		os.RemoveAll(path)
	}
}

// Uninstall removes from dir what Install has written, and dir if nothing else is in it. It
// reports whether there was anything.
func Uninstall(dir string) (bool, error) {
	s, err := readSpec(dir)
	if err != nil || s == nil {
		return false, err
	}
	if !s.isOurs() {
		return false, &ForeignError{Dir: dir, Display: s.DisplayName}
	}
	for _, name := range append([]string{specFile, programFile()}, logoFiles...) {
		err := os.Remove(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	sweep(dir)
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		return true, err
	}
	return true, os.Remove(dir)
}

// isCurrent reports whether dir holds the kernelspec that Install would write.
func isCurrent(dir string, args ...string) bool {
	s, err := readSpec(dir)
	want := newSpec(dir, args...)
	return err == nil && s != nil && slices.Equal(s.Argv, want.Argv) &&
		s.DisplayName == want.DisplayName && s.InterruptMode == want.InterruptMode &&
		sameAsSelf(want.Argv[0])
}

// sameAsSelf reports whether a file has the bytes of the running program.
func sameAsSelf(path string) bool {
	self, err := openSelf()
	if err != nil {
		return false
	}
	defer self.Close()
	other, err := os.Open(path)
	if err != nil {
		return false
	}
	defer other.Close()
	a, err := self.Stat()
	if err != nil {
		return false
	}
	b, err := other.Stat()
	if err != nil || a.Size() != b.Size() {
		return false
	}
	bufA, bufB := make([]byte, 1<<18), make([]byte, 1<<18)
	for {
		n, errA := io.ReadFull(self, bufA)
		m, errB := io.ReadFull(other, bufB)
		if !bytes.Equal(bufA[:n], bufB[:m]) {
			return false
		}
		if errA != nil || errB != nil {
			end := func(err error) bool { return err == io.EOF || err == io.ErrUnexpectedEOF }
			return end(errA) && end(errB)
		}
	}
}
