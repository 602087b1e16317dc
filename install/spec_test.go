package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestMain answers as the program does when a test starts its copy of this one.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "version" {
		fmt.Println("halfnote test")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func namesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// ownSpec is a kernel.json as an earlier build would have left it.
const ownSpec = `{"argv": ["/old/halfnote", "kernel", "{connection_file}"], "display_name": "old"}`

const foreignSpec = `{"argv": ["gonb", "kernel", "{connection_file}"], "display_name": "Go (gonb)"}`

func TestInstall(t *testing.T) {
	kernels := filepath.Join(t.TempDir(), "share", "kernels")
	dir := filepath.Join(kernels, "half")
	if err := Install(dir, false); err != nil {
		t.Fatal(err)
	}
	want := slices.Sorted(slices.Values(append([]string{specFile, programFile()}, logoFiles...)))
	if got := namesIn(t, dir); !slices.Equal(got, want) {
		t.Errorf("wrote %q, want %q", got, want)
	}
	if got := namesIn(t, kernels); !slices.Equal(got, []string{"half"}) {
		t.Errorf("left %q beside it", got)
	}
	text, err := os.ReadFile(filepath.Join(dir, specFile))
	if err != nil {
		t.Fatal(err)
	}
	var spec map[string]any
	if err := json.Unmarshal(text, &spec); err != nil {
		t.Fatal(err)
	}
	argv := fmt.Sprint([]string{filepath.Join(dir, programFile()), "kernel", "{connection_file}"})
	for key, value := range map[string]string{
		"argv": argv, "display_name": "Go (half)", "language": "go",
		"interrupt_mode": "message", "metadata": "map[debugger:false]",
	} {
		if got := fmt.Sprint(spec[key]); got != value {
			t.Errorf("%s: %s, want %s", key, got, value)
		}
	}
	if !isCurrent(dir) {
		t.Error("is not seen as what Install would write")
	}
	if s, err := readSpec(dir); err != nil || !s.isOurs() {
		t.Errorf("is not seen as ours: %v", err)
	}
}

// TestReplaceInUse: what cannot be replaced is moved aside, and removed with the next sweep.
func TestReplaceInUse(t *testing.T) {
	dir := t.TempDir()
	to := filepath.Join(dir, "program")
	write(t, filepath.Join(to, "x"), "a folder with something in it cannot be replaced by a file")
	from := filepath.Join(dir, "new")
	write(t, from, "new")
	if err := replace(from, to); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(to); err != nil || string(text) != "new" {
		t.Errorf("%q, %v", text, err)
	}
	sweep(dir)
	if got := namesIn(t, dir); !slices.Equal(got, []string{"program"}) {
		t.Errorf("left %q", got)
	}
}

func TestUninstall(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "halfnote")
	if found, err := Uninstall(dir); found || err != nil {
		t.Errorf("of nothing: %v, %v", found, err)
	}
	if err := Install(dir, false); err != nil {
		t.Fatal(err)
	}
	if found, err := Uninstall(dir); !found || err != nil {
		t.Errorf("%v, %v", found, err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
}

func TestForeignKernelStays(t *testing.T) {
	for name, text := range map[string]string{
		"another kernel": foreignSpec, "not JSON": "{", "no argv": "{}",
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "halfnote")
			write(t, filepath.Join(dir, specFile), text)
			if err := Install(dir, false); err == nil {
				t.Error("Install has written over it")
			}
			if found, err := Uninstall(dir); found || err == nil {
				t.Errorf("Uninstall: %v, %v", found, err)
			}
			if got, err := os.ReadFile(filepath.Join(dir, specFile)); string(got) != text {
				t.Errorf("changed to %s, %v", got, err)
			}
			if got := namesIn(t, filepath.Dir(dir)); len(got) != 1 {
				t.Errorf("left %q", got)
			}
		})
	}
}

func TestLogos(t *testing.T) {
	for size, name := range map[int]string{32: "logo-32x32.png", 64: "logo-64x64.png"} {
		f, err := logos.Open("assets/" + name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		img, err := png.Decode(f)
		if err != nil {
			t.Fatal(err)
		}
		if got := img.Bounds().Size(); got.X != size || got.Y != size {
			t.Errorf("%s is %v", name, got)
		}
		if _, _, _, alpha := img.At(0, 0).RGBA(); alpha != 0 {
			t.Errorf("%s has no transparent corner", name)
		}
	}
}
