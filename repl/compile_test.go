package repl

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"halfnote/repl/random"
)

// FuzzCompile: whatever go/types accepts becomes code that the interpreter takes, or is refused at a
// place inside of the text; what it rejects has its place there, too. Nothing is run. Unless the
// number is 0, the text is changed by random.Mutate before.
func FuzzCompile(f *testing.F) {
	archives, err := filepath.Glob("testdata/rules/*.txtar")
	if err != nil || len(archives) == 0 {
		f.Fatal("no rules", err)
	}
	for _, file := range archives {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, p := range ar.Files {
			if strings.HasSuffix(p.Name, ".go") {
				f.Add(string(p.Data), uint64(0))
			}
		}
	}
	for seed := range uint64(3) {
		f.Add(random.Program(seed, random.Config{}), seed+1)
	}
	for _, src := range []string{
		"x := 1\nfor i := range x { defer func() { println(i, recover()) }() }",
		"type T[P any] struct{ v P }\nfunc (t T[P]) Get() P { return t.v }\nT[string]{`a`}.Get()",
		"type T struct{ *T; m map[int]T }\nany(T{})", "var x interface{ M() } = nil\nx.M", "L: for { break L }",
		"type F func(F) F\nvar f F\nf(f)", "const c = 1 << 100 >> 98\nc", "var a [0]int\na[:]",
		"func f[T ~[]E, E any](t T) E { return t[0] }\nf([]int{1})", "import . \"strings\"\nToUpper(`a`)",
		"select {}", "x, _ := 1, 2\n_ = x", "struct{}{}", "func() {}", "nil", "fmt.Println", "[...]int{5: 1}",
	} {
		f.Add(src, uint64(0))
	}
	f.Fuzz(func(t *testing.T, src string, seed uint64) {
		if seed > 0 {
			src = random.Mutate(src, seed)
		}
		if len(src) > 1<<16 {
			return
		}
		hang := time.AfterFunc(time.Minute, func() {
			os.Stderr.WriteString("this does not compile in a minute:\n" + src + "\n")
			os.Exit(2)
		})
		defer hang.Stop()
		_, _, _, err := New(Config{}).compile(t.Context(), "cell 1", src, EvalOptions{})
		if err != nil {
			checkPlaces(t, src, err)
		}
	})
}

// checkPlaces reports an error of compiling src that is a fault of ours or has no place in src.
func checkPlaces(t *testing.T, src string, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || len(e.Diagnostics) == 0 {
		t.Fatalf("%q: %v", src, err)
	}
	if cause, ok := e.Value.(error); ok && strings.HasPrefix(cause.Error(), "internal error") {
		t.Errorf("%q: %v", src, cause)
	}
	lines := strings.Split(src, "\n")
	for _, d := range e.Diagnostics {
		if d.Line < 1 || d.Line > len(lines) || d.Col < 1 || d.Col > len(lines[d.Line-1])+1 || d.Msg == "" {
			t.Errorf("%q: %+v, of %v", src, d, e.Value)
		}
	}
}
