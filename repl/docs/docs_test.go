package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/repl/docs"
	"halfnote/repl/symbols"
)

// TestOwn fails when what is committed of the source of this module's packages is stale.
func TestOwn(t *testing.T) {
	want := docs.Packages{}
	for _, path := range symbols.Paths() {
		dir, ok := strings.CutPrefix(path, "halfnote/")
		if !ok {
			continue
		}
		entries, err := docs.Read(filepath.Join("..", "..", dir))
		if err != nil {
			t.Fatal(err)
		}
		want[path] = entries
	}
	if diff := cmp.Diff(docs.Own(), want); diff != "" {
		t.Errorf("own.json.gz is stale: run go generate ./repl/docs (-committed +source)\n%s", diff)
	}
}

// write makes a tree of files: path, text, path, text…
func write(t *testing.T, root string, files ...string) {
	t.Helper()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(root, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const source = `package box

// A Box holds things.
type Box[T any] struct {
	Size int // how many it holds
	// Lid closes it.
	Lid *Lid
	hidden int
}

// Put puts x into the box.
func (b *Box[T]) Put(x T) {
	b.Size++
}

type (
	// Lid is on top.
	Lid struct{}

	Opener interface {
		// Open opens.
		Open() error
	}
)

// Sizes of boxes.
const (
	Small = iota
	Large // for large things
)

var First, Second Lid // two lids

// New makes a box.
func New() *Box[int] { return nil }
`

func TestFind(t *testing.T) {
	root := t.TempDir()
	write(t, root,
		"src/x/box/box.go", source,
		"src/x/box/doc.go", "// Package box has boxes.\npackage box\n",
		"src/x/box/other.go", "// Another comment.\npackage box\n",
		"src/x/box/box_test.go", "package box\n\n// Tested is not there.\nfunc Tested() {}\n",
		"src/x/box/box_plan9.go", "package box\n\n// New is another one.\nfunc New() {}\n",
		"src/x/broken/broken.go", "// Package broken is broken.\npackage broken\n\nfunc New( {\n",
		"mod/example.org/m@v1.9.0/sub/s.go", "// Package sub is old.\npackage sub\n",
		"mod/example.org/m@v1.10.0/sub/s.go", "// Package sub is new.\npackage sub\n",
	)
	lib := &docs.Library{GOROOT: root, ModCache: filepath.Join(root, "mod")}
	for name, want := range map[string]docs.Entry{
		"Box": {"A Box holds things.\n", "type Box[T any] struct {\n\tSize int // how many it holds\n" +
			"\t// Lid closes it.\n\tLid *Lid\n\thidden int\n}"},
		"Box.Put":     {"Put puts x into the box.\n", "func (b *Box[T]) Put(x T) {\n\tb.Size++\n}"},
		"Box.Size":    {"how many it holds\n", ""},
		"Box.Lid":     {"Lid closes it.\n", ""},
		"Lid":         {"Lid is on top.\n", "type Lid struct{}"},
		"Opener.Open": {"Open opens.\n", ""},
		"Small":       {"Sizes of boxes.\n", "const (\n\tSmall = iota\n\tLarge // for large things\n)"},
		"Large":       {"for large things\n", "const (\n\tSmall = iota\n\tLarge // for large things\n)"},
		"Second":      {"two lids\n", "var First, Second Lid"},
		"New":         {"New makes a box.\n", "func New() *Box[int] { return nil }"},
		"Tested":      {},
		"Box.hidden":  {},
	} {
		got, ok := lib.Find("x/box", name)
		if got != want || ok != (want != docs.Entry{}) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, ok, want)
		}
	}
	for path, want := range map[string]string{
		"x/box":             "Package box has boxes.\n",
		"x/broken":          "Package broken is broken.\n",
		"x/nothing":         "",
		"example.org/m/sub": "Package sub is new.\n",
		"example.org/n/sub": "",
	} {
		if got, ok := lib.Package(path); got != want || ok != (want != "") {
			t.Errorf("package %s: %q, %v; want %q", path, got, ok, want)
		}
	}
	if got, ok := lib.Find("x/broken", "New"); ok {
		t.Errorf("found %+v in a file that does not parse", got)
	}
}

// TestInstalled reads the standard library of the Go that runs this test.
func TestInstalled(t *testing.T) {
	var lib docs.Library
	if doc, ok := lib.Package("strings"); !ok || !strings.HasPrefix(doc, "Package strings ") {
		t.Errorf("package strings: %q", doc)
	}
	e, ok := lib.Find("net/http", "Client.Do")
	if !ok || !strings.HasPrefix(e.Doc, "Do sends an HTTP request") ||
		!strings.HasPrefix(e.Source, "func (c *Client) Do(") {
		t.Errorf("http.Client.Do: %+v", e)
	}
	if doc, ok := lib.Package("gonum.org/v1/plot"); !ok || !strings.HasPrefix(doc, "Package plot ") {
		t.Errorf("gonum's plot: %q", doc)
	}
}

// TestNoGo: without an installed Go only our own packages have entries.
func TestNoGo(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	lib := &docs.Library{GOROOT: nowhere, ModCache: nowhere}
	if doc, ok := lib.Package("strings"); ok {
		t.Errorf("package strings: %q", doc)
	}
	if e, ok := lib.Find("strings", "Cut"); ok {
		t.Errorf("strings.Cut: %+v", e)
	}
	e, ok := lib.Find("halfnote/amp", "GradScaler.Step")
	if !ok || e.Doc == "" || !strings.HasPrefix(e.Source, "func (s *GradScaler) Step(") {
		t.Errorf("GradScaler.Step: %+v, %v", e, ok)
	}
}

func ExampleLibrary() {
	var lib docs.Library
	doc, _ := lib.Package("halfnote/tensor/optim")
	first, _, _ := strings.Cut(doc, ".")
	fmt.Println(first)
	// Output: Package optim updates parameters from their gradients
}

// BenchmarkFind is the time until the first answer about a package.
func BenchmarkFind(b *testing.B) {
	for _, name := range []string{"strings.Cut", "net/http.Client.Do"} {
		b.Run(strings.ReplaceAll(name, "/", "_"), func(b *testing.B) {
			dot := strings.Index(name, ".")
			for b.Loop() {
				var lib docs.Library
				if _, ok := lib.Find(name[:dot], name[dot+1:]); !ok {
					b.Fatal("not found")
				}
			}
		})
	}
}
